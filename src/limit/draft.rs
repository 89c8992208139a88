//! Leaves of single cells, before their structures have numbers.

use std::sync::Arc;

use super::class::{Class, Reason, classify};
use super::frame::{VTK_CORNER, Walker};
use super::memo::{LeastWalk, Memo};
use super::net;
use super::net_mesh::best_planar;
use super::reach::Reach;
use super::structure::AxisPermutation;
use crate::basis::MissingLayers;
use crate::topology::{Sharpness, Star};

/// Control points of a regular net.
pub(super) const REGULAR: usize = 64;

/// Leaves of a few cells before their structures have numbers.
pub(super) struct LeafDrafts {
    pub drafts: Vec<LeafDraft>,
    /// Different nets, planar and spatial.
    pub planar: Vec<Arc<LeastWalk>>,
    pub spatial: Vec<Arc<LeastWalk>>,
    // control points of all drafts that are not regular, one after another
    pub nets: Vec<u32>,
}

/// What cells of one level are drafted from.
pub(super) struct DraftSetting<'a> {
    pub walker: &'a Walker<'a>,
    pub sharpness: &'a Sharpness,
    pub stars: &'a [Star],
    /// Walks of planar nets that are known already.
    pub planar: &'a Memo,
    pub spatial: &'a Memo,
    /// Refinements of the mesh.
    pub level: usize,
    /// The samples that the solid is for, if it is for some alone.
    pub reach: Option<&'a Reach>,
}

/// A cell of one level, and its box in its element as a [`Leaf`](super::leaf::Leaf) has it.
#[derive(Clone, Copy)]
pub(super) struct CellPlace {
    pub cell: u32,
    pub depth: u8,
    pub origin: [u16; 3],
}

pub(super) struct LeafDraft {
    pub class: Class,
    pub kind: DraftKind,
    // where its net starts in `nets`, unless it is regular
    pub first: usize,
    // control points of its net
    pub controls: usize,
}

/// How a cell is to be evaluated; nets by their numbers ([`LeastWalk::number`]).
#[derive(Clone, Copy)]
pub(super) enum DraftKind {
    // its net is walked when there is a place for it
    Regular,
    Layered(u32, AxisPermutation, MissingLayers),
    Irregular(u32, AxisPermutation),
    // no sample in it but this vertex
    Vertex(u32),
    // irregular, but refined for its samples
    Reached,
    Refined(Reason),
}

impl DraftKind {
    /// Whether it becomes a leaf with a net that was walked.
    pub fn has_net(self) -> bool {
        matches!(self, Self::Regular | Self::Layered(..) | Self::Irregular(..))
    }
}

impl LeafDrafts {
    pub fn with_capacity(cells: usize) -> Self {
        let (planar, spatial, nets) = Default::default();
        Self { drafts: Vec::with_capacity(cells), planar, spatial, nets }
    }

    pub fn push(&mut self, setting: &DraftSetting, place: CellPlace) {
        let DraftSetting { walker, sharpness, stars, .. } = *setting;
        let cell = place.cell;
        let class = match walker.topology.cells().hexahedron(cell as usize) {
            Some(corners) => classify(walker.topology, sharpness, stars, corners),
            None => Class::Refined(Reason::NotHexahedral),
        };
        let first = self.nets.len();
        let kind = match class {
            Class::Regular => DraftKind::Regular,
            Class::Layered(permutation) => {
                let (permutation, found) =
                    best_planar(walker, sharpness, cell, permutation, setting.planar);
                self.nets.extend(found.net);
                DraftKind::Layered(add(&mut self.planar, found.least), permutation, found.ends)
            }
            Class::Irregular(corner) => setting.reached(place, corner).unwrap_or_else(|| {
                let permutations = AxisPermutation::to_corner(corner);
                let starts = permutations.map(|permutation| walker.frame(cell, permutation));
                let found = net::least_spatial(walker, sharpness, &starts, setting.spatial);
                self.nets.extend(found.vertices);
                let permutation = permutations[found.least.start];
                DraftKind::Irregular(add(&mut self.spatial, found.least), permutation)
            }),
            Class::Refined(reason) => DraftKind::Refined(reason),
        };
        let controls = match kind {
            DraftKind::Regular => REGULAR,
            _ => self.nets.len() - first,
        };
        self.drafts.push(LeafDraft { class, kind, first, controls });
    }
}

impl DraftSetting<'_> {
    /// How a cell is evaluated at an extraordinary vertex, its corner `corner` (binary), that has no
    /// structures; `None` if it has.
    fn reached(&self, place: CellPlace, corner: usize) -> Option<DraftKind> {
        let (reach, topology) = (self.reach?, self.walker.topology);
        let vertex = topology.cells().hexahedron(place.cell as usize)?[VTK_CORNER[corner]];
        reach.refines(topology, vertex, self.level).then(|| {
            if reach.goes_beyond(corner, place.depth, place.origin) {
                DraftKind::Reached
            } else {
                DraftKind::Vertex(vertex)
            }
        })
    }
}

/// Number of a net, which is added if it is new.
fn add(nets: &mut Vec<Arc<LeastWalk>>, net: Arc<LeastWalk>) -> u32 {
    let number = net.number;
    // mostly the one before
    if !nets.iter().rev().any(|known| known.number == number) {
        nets.push(net);
    }
    number
}
