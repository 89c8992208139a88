//! Creases and corners of all schemes: the rules of DeRose, Kass and Truong, "Subdivision
//! surfaces in character animation" (1998), with fractional sharpness as OpenSubdiv has it
//! (`Sdc::Scheme`, `Sdc::Crease`).
//!
//! Used by `scheme/solid.rs` for the boundaries of solids, `surface/refine/sharpness.rs` for
//! surfaces, `surface/refine/edge_friend/tasks.rs` and, at the limit, `surface/limit/rules.rs`.
//! `kernels/surface/vertex_sharpness.cuh` has the same rules on GPUs, to the same bits.

use crate::mesh::CreaseRule;
use crate::topology::NONE;

/// The rule of a vertex by its sharp edges and its tag at one level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum SharpnessRule {
    /// No corner tag, and at most one sharp edge.
    #[default]
    Smooth,
    /// Two sharp edges: (e₁ + 6P + e₂)/8.
    Crease,
    /// A corner tag, or three sharp edges and more: P.
    Corner,
}

/// What is sharp at one level.
#[derive(Clone, Copy, Debug, Default)]
struct SharpFeatures {
    tagged: bool,
    count: u32,
    ends: [u32; 2],
}

impl SharpFeatures {
    fn add(&mut self, end: u32) {
        if let Some(to) = self.ends.get_mut(self.count as usize) {
            *to = end;
        }
        self.count += 1;
    }

    fn rule(&self) -> SharpnessRule {
        match self.count {
            _ if self.tagged => SharpnessRule::Corner,
            0 | 1 => SharpnessRule::Smooth,
            2 => SharpnessRule::Crease,
            _ => SharpnessRule::Corner,
        }
    }
}

/// What is sharp at a vertex, at this level and the next.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct VertexSharpness {
    now: SharpFeatures,
    next: SharpFeatures,
    // elements whose sharpness falls to 0 in this step, and its sum
    falling: u32,
    sum: f64,
}

impl VertexSharpness {
    /// Takes the vertex's own tag.
    pub fn tag(&mut self, sharpness: f64) {
        self.now.tagged = sharpness > 0.0;
        self.next.tagged = sharpness > 1.0;
        if self.now.tagged && !self.next.tagged {
            self.fall(sharpness);
        }
    }

    /// Takes an edge to the vertex `end`; `half` is the sharpness of its half at this vertex
    /// one level on.
    pub fn edge(&mut self, end: u32, sharpness: f64, half: f64) {
        if sharpness <= 0.0 {
            return;
        }
        self.now.add(end);
        if half > 0.0 { self.next.add(end) } else { self.fall(sharpness) }
    }

    fn fall(&mut self, sharpness: f64) {
        self.falling += 1;
        self.sum += sharpness;
    }

    /// The rule of this level blended with the next level's. The weight of this level's is the
    /// mean sharpness of the elements that fall to 0 in this step, at most 1.
    pub fn blend(&self) -> VertexBlend {
        let (rule, next) = (self.now.rule(), self.next.rule());
        let mut blend = VertexBlend { smooth: 0.0, crease: 0.0, corner: 0.0, ends: [NONE; 2] };
        if rule == next || rule == SharpnessRule::Smooth {
            blend.add(rule, &self.now, 1.0);
        } else {
            let weight = (self.sum / f64::from(self.falling)).min(1.0);
            blend.add(rule, &self.now, weight);
            blend.add(next, &self.next, 1.0 - weight);
        }
        blend
    }
}

/// Weights of the three rules at a vertex; they add up to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct VertexBlend {
    /// Weight of the smooth rule.
    pub smooth: f64,
    /// Weight of the crease rule (e₁ + 6P + e₂)/8.
    pub crease: f64,
    /// Weight of the vertex itself, by the corner rule.
    pub corner: f64,
    /// e₁ and e₂, where `crease` is not 0.
    pub ends: [u32; 2],
}

impl VertexBlend {
    fn add(&mut self, rule: SharpnessRule, sharp: &SharpFeatures, weight: f64) {
        match rule {
            SharpnessRule::Smooth => self.smooth += weight,
            SharpnessRule::Corner => self.corner += weight,
            SharpnessRule::Crease => {
                self.crease += weight;
                self.ends = sharp.ends;
            }
        }
    }
}

/// Weight of the midpoint of an edge of sharpness `sharpness`, beside the smooth rule;
/// `halves` are its halves' one level on. 1 where the point of the edge lies on a crease: both
/// halves are sharp.
///
/// By Chaikin's rule an edge between 1 and 4/3 can have a half of sharpness 0. Its weight is
/// above 1 then, as in OpenSubdiv.
pub fn edge_weight(sharpness: f64, halves: [f64; 2]) -> f64 {
    if halves.iter().all(|&half| half > 0.0) { 1.0 } else { sharpness }
}

/// Whether the halves of an edge do not matter to [`edge_weight`]: by either rule both are sharp.
pub(crate) fn stays_sharp(sharpness: f64) -> bool {
    0.75 * sharpness > 1.0
}

/// Weight of the vertex in the crease rule (e₁ + 6P + e₂)/8.
pub(crate) const ALONG_OWN: f64 = 0.75;

/// Weight of each of the two other ends in the crease rule.
pub(crate) const ALONG_END: f64 = 0.125;

/// The sharpness one level further down by the uniform rule: 1 less, never below 0;
/// infinite stays infinite.
pub fn decayed(sharpness: f64) -> f64 {
    (sharpness - 1.0).max(0.0)
}

impl CreaseRule {
    /// Sharpness of an edge before it passes on to its half at a vertex, where `count` semi-sharp
    /// edges have the sum `sum`: by Chaikin's rule the sharpness of one blends with the mean of
    /// the others.
    pub(crate) fn blended(self, sharpness: f64, count: u32, sum: f64) -> f64 {
        let is_semi_sharp = sharpness > 0.0 && sharpness.is_finite();
        if self == Self::Uniform || count < 2 || !is_semi_sharp {
            return sharpness;
        }
        let others = (sum - sharpness) / f64::from(count - 1);
        0.75 * sharpness + 0.25 * others
    }
}
