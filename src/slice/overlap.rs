//! Where parts on a plate overlap, and their contours without what others have of it.

use std::ops::Range;

use super::contours::{Combination, combine, is_narrow, united_area};
use super::layer::{Contour, Layer};
use super::setting::Setting;
use super::slicer::Slicer;
use crate::numbers::bounds;
use crate::numbers::vector::distance;

/// Part of the tolerance that the width of a contour is at least.
const LEAST_PART: f64 = 1e-6;

/// Two parts with places in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// Numbers of the parts.
    pub parts: [usize; 2],
    /// Layers where they overlap, of those that were looked at.
    pub layers: [usize; 2],
    /// The layer where they overlap most.
    pub worst: usize,
    /// The area in common there, in squared length units.
    pub area: f64,
}

impl Slicer {
    /// The parts that overlap, by the contours of at most `most` layers that are spread evenly over
    /// `layers`. Strips that are narrower than twice the tolerance, on average, are no overlap: parts
    /// that touch have some.
    pub fn overlaps(&self, setting: &Setting, layers: &Range<usize>, most: usize) -> Vec<Overlap> {
        let (factors, up) = setting.compensation.unwrap_or_default().factors(self.axis());
        let looked_at = layers.len().min(most);
        let layer = |i: usize| layers.start + (2 * i + 1) * layers.len() / (2 * looked_at);
        let mut found = Vec::new();
        for (b, later) in self.parts.iter().enumerate() {
            for (a, part) in self.parts[..b].iter().enumerate().filter(|own| own.1.meets(later)) {
                let mut own =
                    Overlap { parts: [a, b], layers: [0, looked_at], worst: 0, area: 0.0 };
                for layer in (0..looked_at).map(layer) {
                    let height = setting.stack.middle(layer) / up;
                    let of = |patches: &Range<u32>| self.layer_of(patches.clone(), layer, height);
                    let area = common([&of(&part.patches), &of(&later.patches)], self.tolerance());
                    let area = area * factors[0] * factors[1];
                    own.layers[0] += usize::from(area > 0.0);
                    if area > own.area {
                        (own.worst, own.area) = (layer, area);
                    }
                }
                found.extend(Some(own).filter(|own| own.area > 0.0));
            }
        }
        found
    }
}

/// Layers of parts without what later ones have of them. Contours that touch or overlap by what is
/// narrow stay as they are. `tolerance`: of the contours.
pub(super) fn apart(mut layers: Vec<Layer>, tolerance: f64) -> Vec<Layer> {
    for part in 0..layers.len() {
        let (own, later) = layers[part..].split_at_mut(1);
        let own = &mut own[0];
        let meets = |later: &&Layer| common([own, later], tolerance) > 0.0;
        let over: Vec<Contour> =
            later.iter().filter(meets).flat_map(|own| own.contours.clone()).collect();
        if over.is_empty() {
            continue;
        }
        let rule = Combination::FirstAlone;
        let mut left = combine([&own.contours, &over], rule, LEAST_PART * tolerance, tolerance);
        left.retain(|contour| !is_narrow(contour, 2.0 * tolerance));
        own.contours = left;
    }
    layers
}

/// The area that two layers have in common; 0 for what is narrow.
fn common(layers: [&Layer; 2], tolerance: f64) -> f64 {
    let [[low, high], [lowest, highest]]: [[[f64; 2]; 2]; 2] = layers.map(|layer| {
        bounds::around(layer.contours.iter().flat_map(|contour| contour.points.iter().copied()))
    });
    // of none the box is empty
    if !(0..2).all(|d| low[d] <= highest[d] && lowest[d] <= high[d]) {
        return 0.0;
    }
    let around = |contour: &Contour| {
        let next = contour.points.iter().cycle().skip(1);
        contour.points.iter().zip(next).map(|(&p, &q)| distance(p, q)).sum::<f64>()
    };
    let shorter = layers.map(|layer| layer.contours.iter().map(around).sum::<f64>());
    let all: Vec<Contour> = layers.iter().flat_map(|own| own.contours.clone()).collect();
    let common = layers[0].area() + layers[1].area() - united_area(&all);
    let narrow = 2.0 * tolerance * shorter[0].min(shorter[1]);
    if common > narrow { common } else { 0.0 }
}
