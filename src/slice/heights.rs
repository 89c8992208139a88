//! How high layers are: alike, by ranges of heights, or as the slope of the boundary and the change of an
//! attribute allow.

use super::attribute_change::AttributeChange;
use super::boundary::Steepness;
use super::slicer::Slicer;
use super::stack::{LAST_LAYER_TOLERANCE, MAX_LAYERS, Stack, UNITS};
use crate::error::{Error, Result};
use crate::numbers::significant;

/// Steps of the heights that slopes are known for: for each of the lowest layers, and at most.
const STEPS_A_LAYER: f64 = 4.0;
const MAX_STEPS: f64 = 1e6;

/// How high the layers of a model are.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerHeights {
    /// Height of layer 0, if it is another.
    pub first: Option<f64>,
    /// Heights of the others.
    pub rule: HeightRule,
}

/// Heights of layers by the height of their bottom.
#[derive(Clone, Debug, PartialEq)]
pub enum HeightRule {
    /// One height, and others of layers whose bottom is from one height to below another.
    Listed {
        /// Height of layers in none of the ranges.
        height: f64,
        /// The ranges, which do not overlap, and the height of layers in each.
        ranges: Vec<([f64; 2], f64)>,
    },
    /// As high as no cusp is above a limit, and an attribute changes by no more than another.
    Adaptive(CuspLimits, Steepness, Option<ChangeLimit>),
}

/// How high layers may be, and how far their stairs may stand off the surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CuspLimits {
    /// Least and greatest height of a layer, in length units.
    pub heights: [f64; 2],
    /// Largest cusp: height of a layer times |n_z| of the unit normal of the surface in it.
    pub cusp: f64,
}

/// By how much an attribute may change across a layer.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangeLimit {
    /// Its change between heights.
    pub change: AttributeChange,
    /// The largest change, in the unit of the attribute.
    pub most: f64,
}

impl CuspLimits {
    /// Checks the numbers.
    ///
    /// # Errors
    /// [`Error::Request`] unless all are above 0, finite, and the least height is not above the
    /// greatest.
    pub fn check(&self) -> Result<()> {
        let [least, most] = self.heights;
        let are_lengths = [least, most, self.cusp].iter().all(|x| x.is_finite() && *x > 0.0);
        if are_lengths && least <= most {
            return Ok(());
        }
        Err(Error::request(format!(
            "layers from {least} to {most} high with cusps of {}: out of range",
            self.cusp
        ))
        .with_help(
            "give the least height of a layer, the greatest and the largest cusp, all above 0",
        ))
    }
}

impl From<f64> for LayerHeights {
    /// Layers of one height.
    fn from(height: f64) -> Self {
        Self { first: None, rule: HeightRule::Listed { height, ranges: Vec::new() } }
    }
}

impl Slicer {
    /// Heights of layers whose cusps are at most as large as asked for, with bounds of the slopes of
    /// the boundary.
    ///
    /// # Errors
    /// As [`CuspLimits::check`].
    pub fn adaptive(&self, limits: CuspLimits) -> Result<HeightRule> {
        limits.check()?;
        let [low, high] = self.heights();
        let steps = STEPS_A_LAYER * (high - low) / limits.heights[0];
        let steepness =
            Steepness::of(self.surface(), [low, high], steps.clamp(1.0, MAX_STEPS).ceil() as usize);
        Ok(HeightRule::Adaptive(limits, steepness, None))
    }
}

impl HeightRule {
    /// The height of a layer whose bottom is at `bottom`.
    fn height(&self, bottom: f64) -> f64 {
        match self {
            Self::Listed { height, ranges } => {
                let holds = |&&([from, to], own): &&([f64; 2], f64)| {
                    let rounding = LAST_LAYER_TOLERANCE * own.min(*height);
                    from - rounding <= bottom && bottom < to - rounding
                };
                ranges.iter().find(holds).map_or(*height, |&(_, own)| own)
            }
            Self::Adaptive(limits, steepness, change) => {
                let height = steepness.height(bottom, limits.heights, limits.cusp);
                let most = |own: &ChangeLimit| own.change.height(bottom, own.most);
                height.min(change.as_ref().map_or(height, most)).max(limits.heights[0])
            }
        }
    }

    /// The rule for a model whose heights are multiplied by `factor`, which makes normals more upright
    /// by `leveling` at most.
    pub fn scaled(self, factor: f64, leveling: f64) -> Self {
        match self {
            Self::Adaptive(limits, own, change) => {
                let scaled =
                    |own: ChangeLimit| ChangeLimit { change: own.change.scaled(factor), ..own };
                Self::Adaptive(limits, own.scaled(factor, leveling), change.map(scaled))
            }
            listed => listed,
        }
    }

    /// Numbers of the layers of a stack with a larger cusp than asked for, and with a larger change of
    /// the attribute: they would be too thin.
    pub fn exceeding(&self, stack: &Stack) -> [usize; 2] {
        let Self::Adaptive(limits, steepness, change) = self else { return [0; 2] };
        let count = |is_larger: &dyn Fn([f64; 2]) -> bool| {
            (0..stack.count()).filter(|&layer| is_larger(stack.slab(layer))).count()
        };
        let rounded = |most: f64| most * (1.0 + 1e-9);
        let changes =
            |own: &ChangeLimit| count(&|slab| own.change.between(slab) > rounded(own.most));
        [
            count(&|slab| steepness.cusp(slab) > rounded(limits.cusp)),
            change.as_ref().map_or(0, changes),
        ]
    }
}

impl LayerHeights {
    /// Layers from `low` up to `high`, known to within `rounding` together.
    ///
    /// # Errors
    /// As [`Stack::new`]; [`Error::Request`] for a first layer or ranges of other heights.
    pub(super) fn stack(&self, [low, high]: [f64; 2], rounding: f64) -> Result<Stack> {
        if let (None, HeightRule::Listed { height, ranges }) = (self.first, &self.rule)
            && ranges.is_empty()
        {
            return Stack::of_rounded([low, high], *height, rounding);
        }
        let given: Vec<f64> = match &self.rule {
            HeightRule::Listed { height, ranges } => {
                std::iter::once(*height).chain(ranges.iter().map(|range| range.1)).collect()
            }
            HeightRule::Adaptive(limits, ..) => limits.heights.to_vec(),
        };
        for &height in given.iter().chain(&self.first) {
            // what is wrong with it alone
            Stack::of_rounded([low, low + height.max(f64::MIN_POSITIVE)], height, rounding)?;
        }
        let mut edges = vec![low + 0.0];
        // heights that are alike do not add up their rounding
        let (mut start, mut height, mut count) = (low, 0.0, 0_usize);
        loop {
            let bottom = edges[edges.len() - 1];
            let first = self.first.filter(|_| edges.len() == 1);
            let next = first.unwrap_or_else(|| self.rule.height(bottom));
            let out = (rounding / next).clamp(LAST_LAYER_TOLERANCE, 0.5) * next;
            if edges.len() > 1 && high - bottom <= out {
                return Stack::of_edges(edges);
            }
            if next != height {
                (start, height, count) = (bottom, next, 0);
            }
            count += 1;
            if edges.len() > MAX_LAYERS {
                return Err(Error::request(format!(
                    "layers down to {next:?} cut the height of {} into more than {MAX_LAYERS}",
                    significant(high - low)
                ))
                .with_help(format!("give higher layers{UNITS}")));
            }
            edges.push(start + height * count as f64);
        }
    }
}
