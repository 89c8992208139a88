//! Numbers that points are made of, and the few operations of the rules on them.
//!
//! Every sum of refinement in this folder is written out in one order and never fused, so that
//! any processor that rounds as IEEE 754 says gets the same bits. Grids, of the limit and of
//! static evaluation, are sums of the [kernels](crate::backend::cpu::kernel), which fuse where
//! the processor does: the same bits in every run on one processor.

use std::ops::{Add, Mul, Sub};

/// `f32` or `f64`.
pub trait Scalar:
    Copy
    + Default
    + Send
    + Sync
    + PartialEq
    + bytemuck::Zeroable
    + std::fmt::Debug
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + 'static
{
    /// The nearest number to `x`.
    fn from_f64(x: f64) -> Self;
    /// The number itself.
    fn to_f64(self) -> f64;
}

impl Scalar for f32 {
    fn from_f64(x: f64) -> Self {
        x as f32
    }

    fn to_f64(self) -> f64 {
        self.into()
    }
}

impl Scalar for f64 {
    fn from_f64(x: f64) -> Self {
        x
    }

    fn to_f64(self) -> f64 {
        self
    }
}

/// x, y, z; or three components of an attribute.
pub type Point<T> = [T; 3];

#[inline(always)]
pub(crate) fn add<T: Scalar>(a: Point<T>, b: Point<T>) -> Point<T> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline(always)]
pub(crate) fn scale<T: Scalar>(a: Point<T>, s: T) -> Point<T> {
    [a[0] * s, a[1] * s, a[2] * s]
}

/// (a + b)/2.
#[inline(always)]
pub(crate) fn middle<T: Scalar>(a: Point<T>, b: Point<T>) -> Point<T> {
    scale(add(a, b), T::from_f64(0.5))
}

/// ((a + b) + (c + d))/4.
#[inline(always)]
pub(crate) fn mean4<T: Scalar>([a, b, c, d]: [Point<T>; 4]) -> Point<T> {
    scale(add(add(a, b), add(c, d)), T::from_f64(0.25))
}

/// a (1 − t) + b t.
#[inline(always)]
pub(crate) fn blend<T: Scalar>(a: Point<T>, b: Point<T>, t: f64) -> Point<T> {
    add(scale(a, T::from_f64(1.0 - t)), scale(b, T::from_f64(t)))
}
