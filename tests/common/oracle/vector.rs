//! Points as plain arrays, and the few operations the rules need.

/// x, y, z.
pub type Point = [f64; 3];

pub const ORIGIN: Point = [0.0; 3];

/// Marks a point that no rule may use (its star is not known).
pub const UNKNOWN: Point = [f64::NAN; 3];

pub fn add(a: Point, b: Point) -> Point {
    std::array::from_fn(|d| a[d] + b[d])
}

pub fn sub(a: Point, b: Point) -> Point {
    std::array::from_fn(|d| a[d] - b[d])
}

pub fn scale(a: Point, s: f64) -> Point {
    a.map(|x| x * s)
}

/// `a` at t = 0, `b` at t = 1, both exactly.
pub fn lerp(a: Point, b: Point, t: f64) -> Point {
    add(scale(a, 1.0 - t), scale(b, t))
}

/// Σ weight · point.
pub fn combine<const N: usize>(terms: [(f64, Point); N]) -> Point {
    terms.iter().fold(ORIGIN, |sum, &(weight, point)| add(sum, scale(point, weight)))
}

pub fn mean(points: impl IntoIterator<Item = Point>) -> Point {
    let (mut sum, mut count) = (ORIGIN, 0.0);
    for point in points {
        sum = add(sum, point);
        count += 1.0;
    }
    scale(sum, 1.0 / count)
}

/// Largest difference of coordinates.
pub fn distance(a: Point, b: Point) -> f64 {
    let d = sub(a, b).map(f64::abs);
    if d.iter().any(|x| x.is_nan()) { f64::NAN } else { d[0].max(d[1]).max(d[2]) }
}

/// The greater of two differences; NaN if one is NaN, which `f64::max` passes over.
pub fn greater(a: f64, b: f64) -> f64 {
    if a.is_nan() || b <= a { a } else { b }
}

/// The greatest of differences.
pub trait Greatest: Iterator<Item = f64> + Sized {
    /// The greatest, at least 0; NaN if one is NaN.
    fn greatest(self) -> f64 {
        self.fold(0.0, greater)
    }
}

impl<I: Iterator<Item = f64>> Greatest for I {}

/// Euclidean length of the difference.
pub fn euclidean(a: Point, b: Point) -> f64 {
    sub(a, b).iter().map(|x| x * x).sum::<f64>().sqrt()
}
