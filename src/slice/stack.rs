//! Which planes cut a model into layers.

use std::ops::Range;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::numbers::{counted, significant};

/// What else may be wrong with lengths that do not fit a model.
pub(super) const UNITS: &str = "; if the lengths are millimeters and the model is in another unit, write mm behind them and name that unit";

/// Maximum number of layers of a stack.
pub const MAX_LAYERS: usize = 1_000_000;

/// Maximum number of planes that the coverage of a layer is the average of.
pub const MAX_PLANES_PER_LAYER: usize = 64;

/// Checks how many planes the coverage of a layer is the average of.
///
/// # Errors
/// [`Error::Request`] unless there are 1 to [`MAX_PLANES_PER_LAYER`].
pub fn check_planes(planes: usize) -> Result<()> {
    if (1..=MAX_PLANES_PER_LAYER).contains(&planes) {
        return Ok(());
    }
    let given = counted(planes, "plane");
    Err(Error::request(format!("{given} per layer: out of range"))
        .with_help(format!("ask for 1 to {MAX_PLANES_PER_LAYER} planes per layer")))
}

/// Part of a layer by which the model may stand out of the last one: rounding.
pub(super) const LAST_LAYER_TOLERANCE: f64 = 1e-6;

/// Layers over the whole extent of a model along the slicing axis.
///
/// Layers of one height are the slabs from low + k · height to low + (k + 1) · height; heights may
/// differ, too ([`LayerHeights`](super::LayerHeights)). Numbers count from the bottom of the whole
/// model whatever part of it is sliced, so that a part gives the very files that the whole gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Stack {
    low: f64,
    // the greatest
    layer_height: f64,
    count: usize,
    // where heights differ: the bottom of layer 0, and the tops of all
    edges: Option<Arc<[f64]>>,
}

impl Stack {
    /// Layers of `layer_height` from `low` up to `high`, in length units. The last one
    /// ends at `high` or above it.
    ///
    /// # Errors
    /// [`Error::Request`] for heights that are not positive and finite, and for more
    /// than [`MAX_LAYERS`].
    pub fn new(ends: [f64; 2], layer_height: f64) -> Result<Self> {
        Self::of_rounded(ends, layer_height, 0.0)
    }

    /// [`Stack::new`] between heights that are known to within `rounding` together: the model may
    /// stand out of the last layer by it, but not by half a layer.
    ///
    /// # Errors
    /// As [`Stack::new`].
    pub fn of_rounded([low, high]: [f64; 2], layer_height: f64, rounding: f64) -> Result<Self> {
        if !(layer_height.is_finite() && layer_height > 0.0) {
            return Err(Error::request(format!("layer height {layer_height} is not positive"))
                .with_help("give the height of a layer in the model's length units, say 0.05"));
        }
        if !(low.is_finite() && high.is_finite() && low < high) {
            return Err(Error::request(format!("nothing lies between heights {low} and {high}"))
                .with_help("slice a model that has a volume"));
        }
        let out = (rounding / layer_height).clamp(LAST_LAYER_TOLERANCE, 0.5);
        let layers = ((high - low) / layer_height - out).ceil().max(1.0);
        if layers > MAX_LAYERS as f64 {
            let least = (high - low) / MAX_LAYERS as f64;
            return Err(Error::request(format!(
                "layers of {layer_height:?} cut the height of {} into {layers:.1e}, more than {MAX_LAYERS}",
                significant(high - low)
            ))
            .with_help(format!("give a layer height of at least {least:.1e}{UNITS}")));
        }
        let count = layers as usize;
        if low + layer_height == low || high + layer_height == high {
            return Err(Error::request(format!(
                "layers of {layer_height} vanish beside heights up to {high}"
            ))
            .with_help("move the model toward the origin, or give thicker layers"));
        }
        Ok(Self { low: low + 0.0, layer_height, count, edges: None }) // no negative zero
    }

    /// Layers between consecutive heights, of which there are at least two.
    ///
    /// # Errors
    /// [`Error::Request`] for heights that do not rise.
    pub(super) fn of_edges(edges: Vec<f64>) -> Result<Self> {
        let heights = edges.windows(2).map(|pair| pair[1] - pair[0]);
        let rise = heights.clone().all(|height| height > 0.0);
        let layer_height = heights.fold(0.0, f64::max);
        if !rise || edges.len() < 2 {
            return Err(Error::request("layers vanish beside their heights")
                .with_help("move the model toward the origin, or give thicker layers"));
        }
        Ok(Self { low: edges[0], layer_height, count: edges.len() - 1, edges: Some(edges.into()) })
    }

    /// Number of layers of the whole model.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Bottom of layer 0, in length units.
    pub fn low(&self) -> f64 {
        self.low
    }

    /// Height of every layer, in length units; the greatest where they differ.
    pub fn layer_height(&self) -> f64 {
        self.layer_height
    }

    /// The least height of a layer.
    pub fn least_height(&self) -> f64 {
        let heights = self.edges.iter().flat_map(|edges| edges.windows(2));
        heights.map(|pair| pair[1] - pair[0]).fold(self.layer_height, f64::min)
    }

    /// Height of a layer.
    pub fn height_of(&self, layer: usize) -> f64 {
        self.own_height(layer).unwrap_or(self.layer_height)
    }

    /// Height of a layer where heights differ.
    pub fn own_height(&self, layer: usize) -> Option<f64> {
        self.edges.as_ref().map(|edges| edges[layer + 1] - edges[layer])
    }

    /// Tops of all layers where heights differ.
    pub fn tops(&self) -> Option<&[f64]> {
        self.edges.as_ref().map(|edges| &edges[1..])
    }

    /// Refuses several heights in a file that has one.
    pub(super) fn check_alike(&self, file: &str) -> Result<()> {
        if self.edges.is_none() {
            return Ok(());
        }
        Err(Error::request(format!("{file} has one height for all layers"))
            .with_help("give one layer height, or write another file"))
    }

    /// Top of the last layer.
    pub fn high(&self) -> f64 {
        self.slab(self.count - 1)[1]
    }

    /// Bottom and top of a layer, in length units.
    pub fn slab(&self, layer: usize) -> [f64; 2] {
        let edge = |k: usize| match &self.edges {
            None => self.low + self.layer_height * k as f64,
            Some(edges) => edges[k],
        };
        [layer, layer + 1].map(edge)
    }

    /// Number of the layer that a height lies in, the nearest if it lies in none.
    pub fn at(&self, height: f64) -> usize {
        let layer = match &self.edges {
            None => ((height - self.low) / self.layer_height).floor().max(0.0) as usize,
            Some(edges) => edges[1..].partition_point(|&top| top <= height),
        };
        layer.min(self.count - 1)
    }

    /// Heights of `planes` planes that sample a layer: the middles of as many equal
    /// parts; one plane lies in the layer's own middle.
    pub fn planes(&self, layer: usize, planes: usize) -> Vec<f64> {
        (0..planes).map(|j| self.height(layer, (j as f64 + 0.5) / planes as f64)).collect()
    }

    /// The plane in the middle of a layer, where its contours are cut.
    pub fn middle(&self, layer: usize) -> f64 {
        self.height(layer, 0.5)
    }

    /// The height of a part of a layer; 0 where it differs from 0 by rounding.
    fn height(&self, layer: usize, part: f64) -> f64 {
        let height = match &self.edges {
            None => self.low + self.layer_height * (layer as f64 + part),
            Some(edges) => (1.0 - part) * edges[layer] + part * edges[layer + 1],
        };
        if height.abs() <= 2.0 * f64::EPSILON * self.low.abs() { 0.0 } else { height }
    }

    /// Layers whose middle lies in [from, to), to rounding: a height that is written as the middle
    /// of a layer is its middle. Ranges that abut share no layer and leave none out.
    ///
    /// # Errors
    /// [`Error::Request`] if there is none.
    pub fn within(&self, from: f64, to: f64) -> Result<Range<usize>> {
        let first_above = |height: f64| {
            let rounding = |k: usize| LAST_LAYER_TOLERANCE * self.height_of(k);
            if let Some(edges) = &self.edges {
                let (mut below, mut above) = (0, edges.len() - 1);
                while below < above {
                    let k = (below + above) / 2;
                    let is_below = self.middle(k) < height - rounding(k);
                    (below, above) = if is_below { (k + 1, above) } else { (below, k) };
                }
                return Some(below);
            }
            let height = height - rounding(0);
            let guess = ((height - self.low) / self.layer_height - 0.5).ceil();
            let guess = guess.clamp(0.0, self.count as f64) as usize;
            // rounding may put the guess beside the layer that `middle` tells
            let beside = guess.saturating_sub(1)..=(guess + 1).min(self.count);
            beside.into_iter().find(|&k| k == self.count || self.middle(k) >= height)
        };
        let range = first_above(from).unwrap_or(0)..first_above(to).unwrap_or(self.count);
        if from.is_nan() || to.is_nan() || range.is_empty() {
            let (low, high) = (self.middle(0), self.middle(self.count - 1));
            return Err(Error::request(format!(
                "no layer has its middle from {from} to below {to}"
            ))
            .with_help(match self.count {
                1 => format!("the middle of the one layer is at {low}"),
                count => format!("the middles of the {count} layers run from {low} to {high}"),
            }));
        }
        Ok(range)
    }

    /// Digits behind the point that tell the heights of layers apart, with two to spare.
    pub fn decimals(&self) -> usize {
        (-self.least_height().log10() - 1e-9).ceil().clamp(0.0, 12.0) as usize + 2
    }

    /// Number and height of a layer as file names have it: `00012_z0.6250`.
    pub fn file_stem(&self, layer: usize, axis: char) -> String {
        let width = (self.count - 1).max(1).ilog10().max(4) as usize + 1;
        let decimals = self.decimals();
        let unit = 10_f64.powi(decimals as i32);
        // no negative zero
        let height = if (self.middle(layer) * unit).abs() < 0.5 { 0.0 } else { self.middle(layer) };
        format!("{layer:0width$}_{axis}{height:.decimals$}")
    }
}
