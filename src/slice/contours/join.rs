//! From arcs to nested contours.

use super::index::IntervalIndex;
use super::trace::Arcs;
use crate::numbers::bounds::{self, Bounds};
use crate::slice::layer::Contour;

/// Parts of the tolerance that a point is moved off its contour by, where what lies beside it is in
/// doubt: contours of bodies that touch cross by the error of their chords.
const STEP_FRACTIONS: [f64; 4] = [1.0 / 64.0, 1.0 / 8.0, 1.0, 2.0];

/// Joins arcs to closed contours by the names of their crossings. Contours start at
/// their crossing of the least name and are listed in the order of these, so the
/// result does not depend on the order of the arcs. A contour that collapses to one
/// or two points, or is narrower than the grid of heights, encloses nothing and is none.
pub fn join(arcs: &Arcs, grid: f64) -> Vec<Contour> {
    let mut order: Vec<u32> = (0..arcs.arcs.len() as u32).collect();
    let start = |&arc: &u32| arcs.arcs[arc as usize].start;
    order.sort_unstable_by_key(start);
    let mut joined = vec![false; order.len()];
    let mut contours = Vec::new();
    for first in 0..order.len() {
        let mut points: Vec<[f64; 2]> = Vec::new();
        let mut at = first;
        while !joined[at] {
            joined[at] = true;
            let arc = &arcs.arcs[order[at] as usize];
            for &point in &arcs.points[arc.points[0] as usize..arc.points[1] as usize] {
                if points.last() != Some(&point) {
                    points.push(point);
                }
            }
            // every crossing ends one arc and starts another
            at = order.partition_point(|arc| start(arc) < arc_end(arcs, order[at]));
        }
        while points.len() > 1 && points.first() == points.last() {
            points.pop();
        }
        let contour = Contour { points, depth: 0 };
        if contour.points.len() > 2 && !is_narrow(&contour, grid) {
            contours.push(contour);
        }
    }
    contours
}

fn arc_end(arcs: &Arcs, arc: u32) -> u32 {
    arcs.arcs[arc as usize].end
}

/// Whether the mean width of a contour's inside is below `least`.
pub fn is_narrow(contour: &Contour, least: f64) -> bool {
    let length: f64 = sides(&contour.points).map(|[a, b]| squared_length(a, b).sqrt()).sum();
    contour.area().abs() <= 0.5 * length * least
}

/// Counts, for every contour, the others around the material next to it: to the left of its longest
/// side, not on it, as contours of bodies that touch run through the same points.
pub fn nest(contours: &mut [Contour], grid: f64, tolerance: f64) {
    let BoxIndex { boxes, axis, index } = BoxIndex::new(contours);
    let mut near = Vec::new();
    for inner in 0..contours.len() {
        let mut depth_at = |step: f64| {
            let point = left_of(&contours[inner].points, step);
            index.find(point[axis], &mut near);
            let around = near.iter().map(|&outer| outer as usize).filter(|&outer| {
                let [low, high] = boxes[outer];
                outer != inner
                    && (0..2).all(|d| low[d] <= point[d] && point[d] <= high[d])
                    && encloses(&contours[outer].points, point)
            });
            around.count() as u32
        };
        let depth = depth_at(grid);
        // an odd number around holes
        let parity = u32::from(contours[inner].is_hole());
        let fits = |depth: &u32| depth % 2 == parity;
        let mut better = || STEP_FRACTIONS.iter().map(|part| depth_at(part * tolerance)).find(fits);
        contours[inner].depth = if fits(&depth) { depth } else { better().unwrap_or(depth) };
    }
}

/// Boxes around contours, found by coordinates along one axis.
pub struct BoxIndex {
    pub boxes: Vec<Bounds<2>>,
    pub axis: usize,
    pub index: IntervalIndex,
}

impl BoxIndex {
    pub fn new(contours: &[Contour]) -> Self {
        let boxes: Vec<Bounds<2>> = contours.iter().map(bounds).collect();
        let axis = sparser_axis(&boxes);
        let ranges: Vec<[f64; 2]> = boxes.iter().map(|b| b.map(|corner| corner[axis])).collect();
        Self { index: IntervalIndex::new(&ranges), boxes, axis }
    }
}

/// A point `step` to the left of the middle of the longest side.
fn left_of(points: &[[f64; 2]], step: f64) -> [f64; 2] {
    let longer = |longest: [[f64; 2]; 2], side: [[f64; 2]; 2]| {
        let [own, other] = [side, longest].map(|[a, b]| squared_length(a, b));
        if own > other { side } else { longest }
    };
    beside(sides(points).reduce(longer).unwrap_or_default(), step)
}

/// A point `step` to the left of the middle of a side.
fn beside([a, b]: [[f64; 2]; 2], step: f64) -> [f64; 2] {
    let along = [b[0] - a[0], b[1] - a[1]];
    let part = step / squared_length(a, b).sqrt().max(f64::MIN_POSITIVE);
    [0.5 * (a[0] + b[0]) - part * along[1], 0.5 * (a[1] + b[1]) + part * along[0]]
}

/// The sides of a polygon.
pub(super) fn sides(points: &[[f64; 2]]) -> impl Iterator<Item = [[f64; 2]; 2]> {
    points.iter().zip(points.iter().cycle().skip(1)).map(|(&a, &b)| [a, b])
}

pub fn squared_length(a: [f64; 2], b: [f64; 2]) -> f64 {
    let [x, y] = [b[0] - a[0], b[1] - a[1]];
    x * x + y * y
}

/// The axis along which fewer boxes contain a coordinate; rows of contours along x have the first.
fn sparser_axis(boxes: &[Bounds<2>]) -> usize {
    let [x, y] = [0, 1].map(|d| {
        let [low, high] = boxes.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], sides| {
            [a.min(sides[0][d]), b.max(sides[1][d])]
        });
        boxes.iter().map(|sides| sides[1][d] - sides[0][d]).sum::<f64>() / (high - low)
    });
    usize::from(2.0 * x >= y)
}

fn bounds(contour: &Contour) -> Bounds<2> {
    bounds::around(contour.points.iter().copied())
}

/// Whether a point lies inside a polygon (even-odd).
fn encloses(polygon: &[[f64; 2]], [x, y]: [f64; 2]) -> bool {
    let crossed = sides(polygon).filter(|[a, b]| {
        (a[1] > y) != (b[1] > y) && x < a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0])
    });
    crossed.count() % 2 == 1
}
