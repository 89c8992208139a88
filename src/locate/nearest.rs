//! The closest place of the solid: best boxes first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use nalgebra::Vector3;

use super::closest::{Domain, closest};
use super::tricubic::jet;
use super::{Locator, Place, hierarchy};

/// Samples along each axis of a piece that descents begin from.
const STARTS: usize = 3;

pub(super) fn nearest(locator: &Locator<'_>, x: [f64; 3]) -> Option<(u32, Place)> {
    if !x.iter().all(|x| x.is_finite()) {
        return None;
    }
    let nodes = &locator.hierarchy.nodes;
    let mut best: Option<(u32, Place)> = None;
    let mut queue = BinaryHeap::new();
    // squared distances are ≥ 0, so that their bits are in their order
    let entry = |at: usize| Some(Reverse((nodes.get(at)?.squared_distance(x).to_bits(), at)));
    queue.extend(entry(0));
    while let Some(Reverse((bits, at))) = queue.pop() {
        let closer = |squared: f64, best: &Option<(u32, Place)>| {
            best.is_none_or(|(_, best)| squared < best.residual * best.residual)
        };
        if !closer(f64::from_bits(bits), &best) {
            break;
        }
        let node = &nodes[at];
        for &piece in &locator.hierarchy.items[node.first as usize..][..node.count as usize] {
            let squared = hierarchy::squared_distance(&locator.pieces.boxes[piece as usize], x);
            if closer(squared, &best) {
                let found = in_piece(locator, piece as usize, x);
                if best.is_none_or(|(_, best)| found.residual < best.residual) {
                    best = Some((piece, found));
                }
            }
        }
        if node.count == 0 {
            queue.extend(entry(at + 1));
            queue.extend(entry(nodes[at + 1].skip as usize));
        }
    }
    best
}

/// The closest place of one piece: descent from the nearest sample.
fn in_piece(locator: &Locator<'_>, piece: usize, x: [f64; 3]) -> Place {
    let pieces = &locator.pieces;
    let header = &pieces.pieces[piece];
    let points = &pieces.points[piece];
    let samples = (0..STARTS.pow(3)).map(|i| {
        let at = [i % STARTS, i / STARTS % STARTS, i / (STARTS * STARTS)];
        let t = at.map(|i| i as f64 / (STARTS - 1) as f64);
        ((jet(points, t).point - Vector3::from(x)).norm(), t)
    });
    let (_, start) = samples.fold((f64::INFINITY, [0.5; 3]), |a, b| if b.0 < a.0 { b } else { a });
    let mut found = closest(|t| jet(points, t), x, Domain::UNIT, start, 0.0);
    found.parameters = super::parameters::in_element(header, found.parameters);
    if !header.exact {
        let map = pieces.limit(piece);
        found = closest(|p| map.jet(p), x, map.domain(), found.parameters, 0.0);
    }
    Place { element: header.element, parameters: found.parameters, residual: found.distance }
}
