//! Points, and the few operations of the rules on them.
//!
//! Every sum of refinement is written out in one order and never fused, so that
//! any processor that rounds as IEEE 754 says gets the same bits. Grids, of the limit and of
//! static evaluation, are sums of the [kernels](crate::simd), which fuse where
//! the processor does: the same bits in every run on one processor.

use crate::numbers::Real;

/// x, y, z; or three components of an attribute.
pub type Point<T> = [T; 3];

#[inline(always)]
pub(crate) fn add<T: Real>(a: Point<T>, b: Point<T>) -> Point<T> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline(always)]
pub(crate) fn scale<T: Real>(a: Point<T>, s: T) -> Point<T> {
    [a[0] * s, a[1] * s, a[2] * s]
}

/// (a + b)/2.
#[inline(always)]
pub(crate) fn middle<T: Real>(a: Point<T>, b: Point<T>) -> Point<T> {
    scale(add(a, b), T::from_f64(0.5))
}

/// ((a + b) + (c + d))/4.
#[inline(always)]
pub(crate) fn mean4<T: Real>([a, b, c, d]: [Point<T>; 4]) -> Point<T> {
    scale(add(add(a, b), add(c, d)), T::from_f64(0.25))
}

/// a (1 − t) + b t.
#[inline(always)]
pub(crate) fn blend<T: Real>(a: Point<T>, b: Point<T>, t: f64) -> Point<T> {
    add(scale(a, T::from_f64(1.0 - t)), scale(b, T::from_f64(t)))
}
