//! Boxes along the axes.

/// A box: its low and its high corner.
pub type Bounds<const N: usize = 3> = [[f64; N]; 2];

/// The box of no points.
pub const fn empty<const N: usize>() -> Bounds<N> {
    [[f64::INFINITY; N], [f64::NEG_INFINITY; N]]
}

/// The box around points.
pub fn around<const N: usize>(points: impl IntoIterator<Item = [f64; N]>) -> Bounds<N> {
    points.into_iter().fold(empty(), extended)
}

/// The box around a box and a point.
#[inline]
pub fn extended<const N: usize>(bounds: Bounds<N>, point: [f64; N]) -> Bounds<N> {
    union(bounds, [point; 2])
}

/// The box around two boxes.
#[inline]
#[allow(clippy::needless_range_loop)] // no closures, which would be called
pub fn union<const N: usize>([low, high]: Bounds<N>, [l, h]: Bounds<N>) -> Bounds<N> {
    let mut both = [low, high];
    for d in 0..N {
        both[0][d] = low[d].min(l[d]);
        both[1][d] = high[d].max(h[d]);
    }
    both
}

/// Length of the longest side, 0 of no points.
pub fn longest_side<const N: usize>([low, high]: Bounds<N>) -> f64 {
    (0..N).map(|d| high[d] - low[d]).fold(0.0, f64::max)
}

/// Squared distance of a box from a point, 0 inside.
#[inline]
pub fn squared_distance([low, high]: &Bounds, x: [f64; 3]) -> f64 {
    let off = |d: usize| larger(larger(low[d] - x[d], x[d] - high[d]), 0.0);
    let [a, b, c] = [off(0), off(1), off(2)];
    a * a + b * b + c * c
}

/// The larger of two numbers: one instruction, where `f64::max` also looks for NaN.
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}
