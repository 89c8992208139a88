//! Leaves of single cells, before their structures have numbers.

use super::class::{Class, Reason, classify};
use super::frame::{AxisPermutation, Walker};
use super::key::Key;
use super::memo::Memo;
use super::net::{self, Ends};
use super::net_mesh::best_planar;
use crate::topology::{Sharpness, Star};

/// Control points of a regular net.
pub(super) const REGULAR: usize = 64;

/// Leaves of a few cells before their structures have numbers.
pub(super) struct Drafts {
    pub drafts: Vec<Draft>,
    /// Different keys of planar and spatial nets.
    pub planar: Vec<Key>,
    pub spatial: Vec<Key>,
    // control points of all drafts that are not regular, one after another
    pub nets: Vec<u32>,
}

/// What cells of one level are drafted from.
pub(super) struct Setting<'a> {
    pub walker: &'a Walker<'a>,
    pub sharpness: &'a Sharpness,
    pub stars: &'a [Star],
    /// Of walks of planar and spatial nets.
    pub planar: Memo,
    pub spatial: Memo,
}

pub(super) struct Draft {
    pub class: Class,
    pub kind: DraftKind,
    // where its net starts in `nets`, unless it is regular
    pub first: usize,
    // control points of its net
    pub controls: usize,
}

/// How a cell is to be evaluated; keys as indices into those of the [`Drafts`].
#[derive(Clone, Copy)]
pub(super) enum DraftKind {
    // its net is walked when there is a place for it
    Regular,
    Layered(usize, AxisPermutation, Ends),
    Irregular(usize, AxisPermutation),
    Refined(Reason),
}

impl Drafts {
    pub fn with_capacity(cells: usize) -> Self {
        let (planar, spatial, nets) = Default::default();
        Self { drafts: Vec::with_capacity(cells), planar, spatial, nets }
    }

    pub fn push(&mut self, setting: &Setting, cell: u32) {
        let Setting { walker, sharpness, stars, .. } = *setting;
        let class = match walker.topology.cells().hexahedron(cell as usize) {
            Some(corners) => classify(walker.topology, sharpness, stars, corners),
            None => Class::Refined(Reason::NotHexahedral),
        };
        let first = self.nets.len();
        let kind = match class {
            Class::Regular => DraftKind::Regular,
            Class::Layered(permutation) => {
                let (permutation, planar) =
                    best_planar(walker, sharpness, cell, permutation, &setting.planar);
                let (net, ends) = planar.layers(walker);
                self.nets.extend(net);
                DraftKind::Layered(index(&mut self.planar, planar.key), permutation, ends)
            }
            Class::Irregular(corner) => {
                let permutations = AxisPermutation::to_corner(corner);
                let starts = permutations.map(|permutation| walker.frame(cell, permutation));
                let (best, net) = net::least_spatial(walker, sharpness, &starts, &setting.spatial);
                self.nets.extend(net.vertices);
                DraftKind::Irregular(index(&mut self.spatial, net.key), permutations[best])
            }
            Class::Refined(reason) => DraftKind::Refined(reason),
        };
        let controls = match kind {
            DraftKind::Regular => REGULAR,
            _ => self.nets.len() - first,
        };
        self.drafts.push(Draft { class, kind, first, controls });
    }
}

/// Index of `key` among few, added if it is new.
fn index(keys: &mut Vec<Key>, key: Key) -> usize {
    // mostly the one before
    keys.iter().rposition(|k| *k == key).unwrap_or_else(|| {
        keys.push(key);
        keys.len() - 1
    })
}
