//! From arcs to nested contours.

use super::layer::Contour;
use super::trace::Arcs;

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

/// Counts, for every contour, the others around it.
fn nest(contours: &mut [Contour]) {
    let boxes: Vec<[[f64; 2]; 2]> = contours.iter().map(bounds).collect();
    for inner in 0..contours.len() {
        let point = contours[inner].points[0];
        let around = (0..contours.len()).filter(|&outer| {
            let [low, high] = boxes[outer];
            outer != inner
                && (0..2).all(|d| low[d] <= point[d] && point[d] <= high[d])
                && encloses(&contours[outer].points, point)
        });
        contours[inner].depth = around.count() as u32;
    }
}

fn bounds(contour: &Contour) -> [[f64; 2]; 2] {
    contour.points.iter().fold([[f64::INFINITY; 2], [f64::NEG_INFINITY; 2]], |[low, high], p| {
        [[0, 1].map(|d| low[d].min(p[d])), [0, 1].map(|d| high[d].max(p[d]))]
    })
}

/// Whether a point lies inside a polygon (even-odd).
fn encloses(polygon: &[[f64; 2]], [x, y]: [f64; 2]) -> bool {
    let next = polygon.iter().cycle().skip(1);
    let crossed = polygon.iter().zip(next).filter(|&(a, b)| {
        (a[1] > y) != (b[1] > y) && x < a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0])
    });
    crossed.count() % 2 == 1
}
