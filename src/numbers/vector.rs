//! Short vectors as arrays. Sums run in the order of the components.

/// a − b.
#[inline]
pub fn difference<const N: usize>(a: [f64; N], b: [f64; N]) -> [f64; N] {
    std::array::from_fn(|d| a[d] - b[d])
}

/// a · b.
#[inline]
pub fn dot<const N: usize>(a: [f64; N], b: [f64; N]) -> f64 {
    (0..N).map(|d| a[d] * b[d]).sum()
}

/// |a|².
#[inline]
pub fn squared_norm<const N: usize>(a: [f64; N]) -> f64 {
    dot(a, a)
}

/// |a|.
#[inline]
pub fn norm<const N: usize>(a: [f64; N]) -> f64 {
    squared_norm(a).sqrt()
}

/// |a − b|.
#[inline]
pub fn distance<const N: usize>(a: [f64; N], b: [f64; N]) -> f64 {
    norm(difference(a, b))
}

/// Σ w (p − origin) over weights and points: relative to a point near them, so that the sum is as
/// accurate as their distances, however far from the origin they are.
#[inline]
pub fn sum_about<'w, const N: usize>(
    origin: [f64; N],
    terms: impl Iterator<Item = (&'w f64, [f64; N])>,
) -> [f64; N] {
    terms.fold([0.0; N], |sum, (w, p)| std::array::from_fn(|d| sum[d] + w * (p[d] - origin[d])))
}

/// [`sum_about`] the first point of a net, over all of it.
#[inline]
pub fn net_sum<const N: usize>(points: &[[f64; N]], net: &[u32], weights: &[f64]) -> [f64; N] {
    let point = |&v: &u32| points[v as usize];
    sum_about(point(&net[0]), weights.iter().zip(net.iter().map(point)))
}
