//! Contours of shells that overlap, united: every place is enclosed once.
//!
//! Coordinates are taken as integers, up to 2⁵⁰ steps from 0, where the union is exact but for new
//! crossings, which are rounded. Points that stay are bitwise points of the contours.

use std::collections::HashMap;

use i_overlay::core::fill_rule::FillRule;
use i_overlay::core::overlay::{IntOverlayOptions, Overlay, ShapeType};
use i_overlay::core::overlay_rule::OverlayRule;
use i_overlay::i_float::int::point::IntPoint;

use super::join::{BoxIndex, is_narrow, nest, sides, squared_length};
use crate::mesh::components;
use crate::numbers::bounds;
use crate::slice::layer::Contour;

/// Binary digits of the integers.
const DIGITS: i32 = 50;

/// Unites contours where places are enclosed more than once, or turned inside out outside of the
/// material. What is narrower than twice the tolerance, on average, is no overlap: where bodies
/// touch, chords of both sides of the interface cross, and their contours stay as they are. So do
/// those whose boxes meet no others. What is narrower than `grid` is no contour.
pub fn unite(contours: Vec<Contour>, grid: f64, tolerance: f64) -> Vec<Contour> {
    let groups = groups(&contours);
    let mut members: Vec<Vec<Contour>> = (0..contours.len()).map(|_| Vec::new()).collect();
    contours.into_iter().zip(groups).for_each(|(own, group)| members[group as usize].push(own));
    let united = members.into_iter().flat_map(|group| {
        let steps = IntegerContours::new(&group);
        if !steps.overlap(2.0 * tolerance) {
            return group;
        }
        let mut union = steps.union();
        union.retain(|contour| contour.points.len() > 2 && !is_narrow(contour, grid));
        union
    });
    united.collect()
}

/// What lies within some contours and others, or within the first alone, nested. What is narrower than
/// `grid` is no contour.
pub fn combine(
    [own, others]: [&[Contour]; 2],
    rule: Combination,
    grid: f64,
    tolerance: f64,
) -> Vec<Contour> {
    let all: Vec<Contour> = own.iter().chain(others).cloned().collect();
    if all.is_empty() {
        return all;
    }
    let rule = match rule {
        Combination::Both => OverlayRule::Intersect,
        Combination::FirstAlone => OverlayRule::Difference,
    };
    let mut combined = IntegerContours::new(&all).combined(own.len(), rule);
    combined.retain(|contour| contour.points.len() > 2 && !is_narrow(contour, grid));
    nest(&mut combined, grid, tolerance);
    combined
}

/// What is kept of two regions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combination {
    /// What lies in both.
    Both,
    /// What lies in the first and not in the second.
    FirstAlone,
}

/// For each contour the first of those that boxes connect it with.
fn groups(contours: &[Contour]) -> Vec<u32> {
    let BoxIndex { boxes, axis, index } = BoxIndex::new(contours);
    let meet = |a: u32, b: u32| {
        let [[low, high], [lowest, highest]] = [a, b].map(|own| boxes[own as usize]);
        (0..2).all(|d| low[d] <= highest[d] && lowest[d] <= high[d])
    };
    let (mut near, mut pairs) = (Vec::new(), Vec::new());
    for (own, [low, _]) in (0..).zip(&boxes) {
        // of two boxes that meet, one begins where the other is
        index.find(low[axis], &mut near);
        pairs.extend(near.iter().filter(|&&other| meet(own, other)).map(|&other| [own, other]));
    }
    components(contours.len(), pairs.iter().map(|pair| &pair[..]))
}

/// Contours in integers.
pub(super) struct IntegerContours {
    paths: Vec<Vec<IntPoint<i64>>>,
    // what was rounded to each
    points: HashMap<[i64; 2], [f64; 2]>,
    // steps in a length unit
    scale: f64,
    // low and high corner
    around: [[i64; 2]; 2],
}

impl IntegerContours {
    pub(super) fn new(contours: &[Contour]) -> Self {
        let all = || contours.iter().flat_map(|contour| &contour.points);
        let corners: [[f64; 2]; 2] = bounds::around(all().copied());
        let largest = corners.as_flattened().iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        // a power of two: no digit is lost that numbers of the largest size have
        let scale = 2.0_f64.powi(DIGITS - largest.max(1e-200).log2().ceil() as i32);
        let step = |p: [f64; 2]| p.map(|x| (x * scale).round() as i64);
        let integer = |p: &[f64; 2]| {
            let [x, y] = step(*p);
            IntPoint::new(x, y)
        };
        Self {
            paths: contours.iter().map(|own| own.points.iter().map(integer).collect()).collect(),
            points: all().map(|&p| (step(p), p)).collect(),
            scale,
            around: corners.map(step),
        }
    }

    /// Whether places of at least this mean width are enclosed more than once, or a negative number
    /// of times.
    fn overlap(&self, width: f64) -> bool {
        let [[left, low], [right, high]] = self.around;
        let frame = [[left, low], [left, high], [right, high], [right, low]];
        let mut framed = self.overlay();
        // clockwise around all, so that places enclosed twice are enclosed once
        framed.add_contour(&frame.map(|[x, y]| IntPoint::new(x, y)), ShapeType::Subject);
        let mut shapes = framed.overlay(OverlayRule::Subject, FillRule::Positive);
        shapes.extend(self.overlay().overlay(OverlayRule::Subject, FillRule::Negative));
        let length = |[a, b]: [[f64; 2]; 2]| squared_length(a, b).sqrt();
        shapes.iter().any(|shape| {
            let contours = || shape.iter().map(|path| self.contour(path));
            let area: f64 = contours().map(|contour| contour.area()).sum();
            let around = contours().map(|c| sides(&c.points).map(length).sum::<f64>());
            2.0 * area.abs() > width * around.sum::<f64>()
        })
    }

    /// What lies within the first `subjects` contours and, by the rule, within the others or not.
    fn combined(&self, subjects: usize, rule: OverlayRule) -> Vec<Contour> {
        let (own, others) = self.paths.split_at(subjects);
        let options = IntOverlayOptions::keep_all_points();
        let mut overlay = Overlay::from_subj_custom(own, options, Default::default());
        others.iter().for_each(|path| overlay.add_contour(path, ShapeType::Clip));
        let shapes = overlay.overlay(rule, FillRule::Positive);
        shapes.iter().flatten().map(|path| self.contour(path)).collect()
    }

    /// The contours around all that is enclosed a positive number of times.
    pub(super) fn union(&self) -> Vec<Contour> {
        let shapes = self.overlay().overlay(OverlayRule::Subject, FillRule::Positive);
        shapes.iter().flatten().map(|path| self.contour(path)).collect()
    }

    fn overlay(&self) -> Overlay<i64> {
        let options = IntOverlayOptions::keep_all_points();
        Overlay::from_subj_custom(&self.paths, options, Default::default())
    }

    fn contour(&self, path: &[IntPoint<i64>]) -> Contour {
        let point = |p: &IntPoint<i64>| {
            let own = self.points.get(&[p.x, p.y]).copied();
            own.unwrap_or_else(|| [p.x, p.y].map(|x| x as f64 / self.scale))
        };
        Contour { points: path.iter().map(point).collect(), depth: 0 }
    }
}
