//! Bricks: 2 × 2 × 2 regular leaves whose nets are windows of one net of 5 × 5 × 5
//! control points, so that a warp reads 125 of them for eight leaves instead of 512.
//!
//! The children of a cell are one, and so are neighbors of a structured mesh, whatever
//! its numbering. A net is looked for by its own cell's first corner and the three
//! neighbors of that along u, v and w.

use rayon::prelude::*;

use crate::basis::MissingLayers;
use crate::limit::{LeafKind, Solid};

/// Eight leaves and their common net.
pub(in crate::backend::cuda) struct Brick {
    /// Leaves, as indices into [`Solid::leaves`], u fastest, then v, then w.
    pub leaves: [u32; 8],
    /// `[w 5][v 5][u 5]`.
    pub net: [u32; 125],
}

/// Samples along an axis for which a kernel evaluates a brick at once, not element by
/// element.
pub(in crate::backend::cuda) const BRICK_SAMPLES: [usize; 2] = [2, 4];

/// Where a cell's first corner is in a net, and the steps along u, v, w.
const FIRST_CORNER: usize = 21;
const NET_STRIDES: [usize; 3] = [1, 4, 16];

type BrickKey = [u32; 4];

/// Finds disjoint bricks among regular `leaves`, in ascending order, and what remains.
pub(in crate::backend::cuda) fn collect(solid: &Solid, leaves: &[u32]) -> (Vec<Brick>, Vec<u32>) {
    let net = |leaf: u32| solid.net(&solid.leaves()[leaf as usize]);
    let key = |leaf: u32, first: usize| -> BrickKey {
        let net = net(leaf);
        [0, NET_STRIDES[0], NET_STRIDES[1], NET_STRIDES[2]].map(|step| net[first + step])
    };
    let mut keys: Vec<(BrickKey, u32)> =
        leaves.par_iter().map(|&leaf| (key(leaf, FIRST_CORNER), leaf)).collect();
    keys.par_sort_unstable();
    let find = |key: BrickKey| {
        let at = keys.binary_search_by_key(&key, |entry| entry.0).ok()?;
        Some(keys[at].1)
    };
    // the eight leaves of the brick that begins with each leaf
    let corners = |&leaf: &u32| -> Option<[u32; 8]> {
        let mut all = [leaf; 8];
        if ends(solid, leaf) & 0b10_10_10 != 0 {
            return None; // boundary on a far side
        }
        for (corner, found) in all.iter_mut().enumerate().skip(1) {
            let first =
                FIRST_CORNER + (0..3).map(|d| (corner >> d & 1) * NET_STRIDES[d]).sum::<usize>();
            *found = find(key(leaf, first))?;
        }
        Some(all)
    };
    let candidates: Vec<Option<[u32; 8]>> = leaves.par_iter().map(corners).collect();

    let mut taken = vec![false; solid.leaves().len()];
    let mut bricks = Vec::new();
    for all in candidates.into_iter().flatten() {
        let is_free = all.iter().all(|&leaf| !taken[leaf as usize]);
        if let Some(net) = is_free.then(|| common_net(solid, &all)).flatten() {
            all.iter().for_each(|&leaf| taken[leaf as usize] = true);
            bricks.push(Brick { leaves: all, net });
        }
    }
    let others = leaves.iter().copied().filter(|&leaf| !taken[leaf as usize]).collect();
    (bricks, others)
}

/// The net of eight leaves, if theirs are its windows. Places of missing layers, which no
/// leaf reads, hold some id.
fn common_net(solid: &Solid, leaves: &[u32; 8]) -> Option<[u32; 125]> {
    const NONE: u32 = u32::MAX;
    // where the solid ends on a side of the brick it does so for all four elements there
    let all_ends = leaves.map(|leaf| ends(solid, leaf));
    let own = all_ends[0] & 0b01_01_01 | all_ends[7] & 0b10_10_10;
    let expected = |corner: usize| {
        let sides = (0..3).map(|d| 1 << (2 * d + (corner >> d & 1))).sum::<u8>();
        own & sides
    };
    if (0..8).any(|corner| all_ends[corner] != expected(corner)) {
        return None;
    }
    let mut common = [NONE; 125];
    for (corner, &leaf) in leaves.iter().enumerate() {
        let net = solid.net(&solid.leaves()[leaf as usize]);
        let ends = MissingLayers::from_bits(ends(solid, leaf));
        for (at, &id) in net.iter().enumerate() {
            let place = [at % 4, at / 4 % 4, at / 16];
            let is_missing = (0..3).any(|d| {
                place[d] == 0 && ends.is_missing(d, 0) || place[d] == 3 && ends.is_missing(d, 1)
            });
            if is_missing {
                continue;
            }
            let [u, v, w] = [0, 1, 2].map(|d| place[d] + (corner >> d & 1));
            let slot = &mut common[u + 5 * (v + 5 * w)];
            if *slot != NONE && *slot != id {
                return None;
            }
            *slot = id;
        }
    }
    let some = solid.net(&solid.leaves()[leaves[0] as usize])[FIRST_CORNER];
    common.iter_mut().filter(|id| **id == NONE).for_each(|id| *id = some);
    Some(common)
}

/// Bits of the missing layers.
fn ends(solid: &Solid, leaf: u32) -> u8 {
    match solid.leaves()[leaf as usize].kind {
        LeafKind::Regular(ends) => ends.bits(),
        LeafKind::Layered(..) | LeafKind::Irregular(..) => 0,
    }
}
