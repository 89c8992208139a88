//! The closest place of the solid: best boxes first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use nalgebra::Vector3;

use super::descent::{self, Nearest};
use super::{Locator, Place, hierarchy, parameters};

/// Nodes that wait, at first.
const WAITING: usize = 64;

/// The closest place and its piece; `None` for a point that is not finite.
pub(super) fn nearest(locator: &Locator<'_>, x: [f64; 3]) -> Option<(u32, Place)> {
    if !x.iter().all(|x| x.is_finite()) {
        return None;
    }
    let Locator { pieces, hierarchy: tree, .. } = locator;
    let mut nearest = Nearest::new(locator.rounding);
    let mut queue = BinaryHeap::with_capacity(WAITING);
    // squared distances are ≥ 0, so that their bits are in their order
    let entry = |at: usize| {
        let squared = tree.nodes.get(at)?.squared_distance(x);
        Some((squared, Reverse((squared.to_bits(), at))))
    };
    queue.extend(entry(0).map(|(_, entry)| entry));
    while let Some(Reverse((bits, at))) = queue.pop() {
        if nearest.is_beyond(f64::from_bits(bits).sqrt()) {
            break;
        }
        let node = &tree.nodes[at];
        for &piece in &tree.items[node.first as usize..][..node.count as usize] {
            let i = piece as usize;
            let squared = hierarchy::squared_distance(&pieces.boxes[i], x);
            if nearest.is_beyond(squared.sqrt()) {
                continue;
            }
            match pieces.core(i) {
                Some(core) => {
                    let (memory, rounding) = (&locator.memory, locator.rounding);
                    core.nearest(Vector3::from(x), piece, memory, rounding, &mut nearest);
                }
                None => {
                    let in_element = |t| parameters::in_element(&pieces.pieces[i], t);
                    descent::in_piece(
                        &pieces.points[i],
                        Vector3::from(x),
                        piece,
                        in_element,
                        &mut nearest,
                    );
                }
            }
        }
        if node.count == 0 {
            for child in [at + 1, tree.nodes[at + 1].skip as usize] {
                let near = entry(child).filter(|(squared, _)| !nearest.is_beyond(squared.sqrt()));
                queue.extend(near.map(|(_, entry)| entry));
            }
        }
    }
    let Nearest { piece, parameters, distance: residual, .. } = nearest;
    let element = pieces.pieces.get(piece as usize)?.element;
    Some((piece, Place { element, parameters, residual }))
}
