//! Creases and corners of all schemes (DeRose, Kass and Truong 1998, fractional sharpness).

use crate::mesh::CreaseRule;

/// Weights of the three rules at a vertex; they add up to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VertexBlend {
    /// Of the smooth rule.
    pub smooth: f64,
    /// Of the crease (e₁ + 6P + e₂)/8 at two sharp edges, of P at more.
    pub sharp: f64,
    /// Of the vertex itself, by its own tag.
    pub pinned: f64,
}

impl VertexBlend {
    /// The blend at a vertex with `count` sharp edges whose sharpness adds up to `sum`;
    /// `pinned` is the sharpness of its own tag, at most 1.
    pub fn new(count: u32, sum: f64, pinned: f64) -> Self {
        let sharp =
            if count < 2 { 0.0 } else { (1.0 - pinned) * (sum / f64::from(count)).min(1.0) };
        Self { smooth: 1.0 - pinned - sharp, sharp, pinned }
    }
}

/// Weight of the vertex in the crease rule (e₁ + 6P + e₂)/8.
pub const ALONG_OWN: f64 = 0.75;

/// Weight of each of the two other ends in the crease rule.
pub const ALONG_END: f64 = 0.125;

/// The sharpness one level further down by the uniform rule: 1 less, never below 0;
/// infinite stays infinite.
pub fn decayed(sharpness: f64) -> f64 {
    (sharpness - 1.0).max(0.0)
}

impl CreaseRule {
    /// Sharpness of a semi-sharp edge before it passes on to its half at a vertex, where `count`
    /// semi-sharp edges, itself among them, have the sum `sum`: by Chaikin's rule it blends
    /// with the mean of the others.
    pub(crate) fn blended(self, sharpness: f64, count: u32, sum: f64) -> f64 {
        if self == Self::Uniform || count < 2 || !sharpness.is_finite() {
            return sharpness;
        }
        let others = (sum - sharpness) / f64::from(count - 1);
        0.75 * sharpness + 0.25 * others
    }
}
