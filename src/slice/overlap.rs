//! Where parts on a plate overlap.

use std::ops::Range;

use super::contours::united_area;
use super::layer::{Contour, Layer};
use super::setting::Setting;
use super::slicer::Slicer;
use crate::numbers::vector::distance;

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
                    let area = self.common(of(&part.patches), of(&later.patches));
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

    /// The area that two layers have in common; 0 for what is narrow.
    fn common(&self, a: Layer, b: Layer) -> f64 {
        if a.contours.is_empty() || b.contours.is_empty() {
            return 0.0;
        }
        let sum = a.area() + b.area();
        let around = |contour: &Contour| {
            let next = contour.points.iter().cycle().skip(1);
            contour.points.iter().zip(next).map(|(&p, &q)| distance(p, q)).sum::<f64>()
        };
        let shorter = [&a, &b].map(|layer| layer.contours.iter().map(around).sum::<f64>());
        let all: Vec<Contour> = a.contours.into_iter().chain(b.contours).collect();
        let common = sum - united_area(&all);
        let narrow = 2.0 * self.tolerance() * shorter[0].min(shorter[1]);
        if common > narrow { common } else { 0.0 }
    }
}
