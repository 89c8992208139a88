//! From arcs to nested contours.

use super::index::IntervalIndex;
use super::layer::Contour;
use super::trace::Arcs;
use crate::numbers::bounds::{self, Bounds};

/// Joins arcs to closed contours by the names of their crossings. Contours start at
/// their crossing of the least name and are listed in the order of these, so the
/// result does not depend on the order of the arcs. A contour that collapses to one
/// or two points encloses nothing and is none.
pub fn join(arcs: &Arcs) -> Vec<Contour> {
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
        if points.len() > 2 {
            contours.push(Contour { points, depth: 0 });
        }
    }
    nest(&mut contours);
    contours
}

fn arc_end(arcs: &Arcs, arc: u32) -> u32 {
    arcs.arcs[arc as usize].end
}

/// Counts, for every contour, the others around it; returns how many pairs were compared.
fn nest(contours: &mut [Contour]) -> usize {
    let boxes: Vec<Bounds<2>> = contours.iter().map(bounds).collect();
    let axis = sparser_axis(&boxes);
    let ranges: Vec<[f64; 2]> = boxes.iter().map(|b| b.map(|corner| corner[axis])).collect();
    let index = IntervalIndex::new(&ranges);
    let mut near = Vec::new();
    let mut compared = 0;
    for inner in 0..contours.len() {
        let point = contours[inner].points[0];
        index.find(point[axis], &mut near);
        compared += near.len();
        let around = near.iter().map(|&outer| outer as usize).filter(|&outer| {
            let [low, high] = boxes[outer];
            outer != inner
                && (0..2).all(|d| low[d] <= point[d] && point[d] <= high[d])
                && encloses(&contours[outer].points, point)
        });
        contours[inner].depth = around.count() as u32;
    }
    compared
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
    let next = polygon.iter().cycle().skip(1);
    let crossed = polygon.iter().zip(next).filter(|&(a, b)| {
        (a[1] > y) != (b[1] > y) && x < a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0])
    });
    crossed.count() % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square([x, y]: [f64; 2], side: f64) -> Contour {
        let points = vec![[x, y], [x + side, y], [x + side, y + side], [x, y + side]];
        Contour { points, depth: 0 }
    }

    #[test]
    fn contours_know_how_many_are_around() {
        // rows and columns of rings, one ring around all
        for axis in 0..2 {
            let mut contours = vec![square([-1.0; 2], 1000.0)];
            for k in 0..100 {
                let mut low = [0.0; 2];
                low[axis] = f64::from(5 * k);
                (0..3).for_each(|ring| {
                    let inset = f64::from(ring);
                    contours.push(square(low.map(|x| x + inset), 4.0 - 1.5 * inset));
                });
            }
            nest(&mut contours);
            let depths: Vec<u32> = contours.iter().map(|contour| contour.depth).collect();
            assert_eq!(depths[0], 0);
            assert!(depths[1..].chunks(3).all(|depths| depths == [1, 2, 3]), "{depths:?}");
            contours.remove(0);
            let boxes: Vec<_> = contours.iter().map(bounds).collect();
            assert_eq!(sparser_axis(&boxes), axis);
        }
    }

    #[test]
    fn contours_of_a_row_are_compared_with_themselves_alone() {
        for axis in 0..2 {
            let low = |k: i32| [0, 1].map(|d| if d == axis { 2.0 * f64::from(k) } else { 0.0 });
            let mut contours: Vec<Contour> = (0..1000).map(|k| square(low(k), 1.0)).collect();
            assert_eq!(nest(&mut contours), contours.len());
            assert!(contours.iter().all(|contour| contour.depth == 0));
        }
    }
}
