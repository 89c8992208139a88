//! Stacks of layered leaves: neighbors along the layers share three of their four.
//!
//! A warp that takes leaves of one stack one after another finds most control points in the
//! cache, and their nets overlap in memory. Stacks follow the extraordinary edges through all
//! cells of a sweep and through the children of each cell: 4 to 20 leaves in meshes refined once
//! or twice.

use std::ops::Range;

use rayon::prelude::*;

use crate::limit::Solid;

const NONE: u32 = u32::MAX;

/// Corners of a layer of the cell itself, as a net has them first.
type LayerCorners = [u32; 4];

/// The leaves of a layered batch, stack by stack.
#[derive(Clone, Debug, Default)]
pub(super) struct Stacks {
    pub leaves: Vec<u32>,
    /// First of the four layers of each leaf, if the leaves of a stack share theirs: n leaves
    /// have n + 3.
    pub layers: Vec<u32>,
}

impl Stacks {
    /// The layer that the first of some leaves begins with, and a bit for each later one that
    /// begins a stack.
    pub fn layers_of(&self, first: u32, count: u32) -> [u32; 2] {
        let layers = &self.layers[first as usize..(first + count) as usize];
        let begins = layers.windows(2).map(|pair| u32::from(pair[1] > pair[0] + 1));
        [layers[0], begins.zip(1..).fold(0, |bits, (bit, at)| bits | bit << at)]
    }
}

/// Orders the leaves of a layered batch so that each stack stands together, bottom to top. A
/// leaf stands on another if its lower three layers, of `lines` control points, are the upper
/// three of that. Stacks that close begin anywhere.
pub(in crate::backend::cuda) fn collect(solid: &Solid, leaves: &[u32], lines: usize) -> Stacks {
    let layers = |leaf: u32, layers: Range<usize>| {
        &solid.net(&solid.leaves()[leaf as usize])[layers.start * lines..layers.end * lines]
    };
    let face = |leaf: u32, layer: usize| -> LayerCorners {
        let layer = layers(leaf, layer..layer + 1);
        std::array::from_fn(|corner| layer[corner])
    };
    let mut bottoms: Vec<(LayerCorners, u32)> = (0..leaves.len() as u32)
        .into_par_iter()
        .map(|at| (face(leaves[at as usize], 1), at))
        .collect();
    bottoms.par_sort_unstable();
    let above = |&leaf: &u32| {
        let top = face(leaf, 2);
        let first = bottoms.partition_point(|entry| entry.0 < top);
        let own = bottoms[first..].iter().take_while(|entry| entry.0 == top);
        let fits = |at: u32| layers(leaf, 1..4) == layers(leaves[at as usize], 0..3);
        own.map(|entry| entry.1).find(|&at| fits(at)).unwrap_or(NONE)
    };
    let next: Vec<u32> = leaves.par_iter().map(above).collect();
    let mut stands = vec![false; leaves.len()];
    next.iter().filter(|&&at| at != NONE).for_each(|&at| stands[at as usize] = true);

    let mut stacks = Stacks::default();
    let mut layer = 0;
    let mut taken = vec![false; leaves.len()];
    let bottoms = (0..leaves.len()).filter(|&at| !stands[at]);
    for bottom in bottoms.chain(0..leaves.len()) {
        if taken[bottom] {
            continue;
        }
        let mut at = bottom;
        while !std::mem::replace(&mut taken[at], true) {
            stacks.leaves.push(leaves[at]);
            stacks.layers.push(layer);
            layer += 1;
            if next[at] == NONE {
                break;
            }
            at = next[at] as usize;
        }
        layer += 3;
    }
    stacks
}
