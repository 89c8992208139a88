//! What the leaves of solids and of surfaces share: elements, leaves, nets, and the stencils of the
//! levels that local refinement makes.

use std::ops::Range;

use rayon::prelude::*;

use super::refusals::check_refinement;
use crate::error::{Error, Message, Result};
use crate::scheme::Stencils;

/// Deepest local refinement; semi-sharp creases take one level per unit.
pub(crate) const MAX_LEVEL: usize = 12;

/// Cells or faces a work item of the classification covers.
pub(crate) const TASK_LEAVES: usize = 512;

/// A part of an element on which the limit evaluates directly.
pub(crate) trait LeafPlace: Copy + Send + Sync {
    /// Element it belongs to.
    fn element(&self) -> u32;
    /// Position in the order of an element's leaves.
    fn code(&self) -> u64;
    /// First control point among all nets, and how many.
    fn net(&self) -> (usize, u32);
}

/// Elements `E`, their leaves `L`, and the points that these evaluate from.
#[derive(Debug)]
pub(crate) struct LeafLevels<E, L> {
    pub elements: Vec<E>,
    // leaves of element e: leaves[leaf_ends[e - 1]..leaf_ends[e]], in the order of their codes
    pub leaves: Vec<L>,
    leaf_ends: Vec<u32>,
    // control points of all leaves, as indices into the points of all levels
    pub nets: Vec<u32>,
    // stencils of level l + 1 over level l, and the first point of each level
    pub stencils: Vec<Stencils>,
    pub level_starts: Vec<usize>,
}

impl<E, L: LeafPlace> LeafLevels<E, L> {
    /// No leaf yet, over a mesh with this number of vertices.
    pub fn new(vertices: usize) -> Self {
        Self {
            elements: Vec::new(),
            leaves: Vec::new(),
            leaf_ends: Vec::new(),
            nets: Vec::new(),
            stencils: Vec::new(),
            level_starts: vec![0, vertices],
        }
    }

    /// The indices of an element's leaves.
    pub fn range(&self, element: usize) -> Range<usize> {
        let start = if element == 0 { 0 } else { self.leaf_ends[element - 1] as usize };
        start..self.leaf_ends[element] as usize
    }

    /// Control points of a leaf.
    pub fn net(&self, leaf: &L) -> &[u32] {
        let (first, count) = leaf.net();
        &self.nets[first..first + count as usize]
    }

    /// Number of points of all levels.
    pub fn point_count(&self) -> usize {
        self.level_starts.last().map_or(0, |&end| end)
    }

    /// Computes the points of all levels but the mesh's own, which come first in `all:
    /// [point][width]`.
    pub fn refine_points(&self, all: &mut [f64], width: usize) {
        for (starts, stencils) in self.level_starts.windows(2).zip(&self.stencils) {
            let (coarse, fine) =
                all[width * starts[0]..].split_at_mut(width * (starts[1] - starts[0]));
            stencils.apply_into(coarse, width, &mut fine[..width * stencils.len()]);
        }
    }

    /// Refuses a level of `count` cells or faces, of `bytes` each, that would fill the memory.
    pub fn check_memory(&self, depth: usize, count: usize, bytes: usize) -> Result<()> {
        let made = size_of_val(&self.nets[..]) + size_of_val(&self.leaves[..]);
        check_refinement(depth, (made + count * bytes) as u128)
    }

    /// Adds a level.
    pub fn push_level(&mut self, stencils: Stencils) {
        self.level_starts.push(self.point_count() + stencils.len());
        self.stencils.push(stencils);
    }

    /// Brings the leaves, which have come level by level, into the order of their elements.
    pub fn sort(&mut self) {
        if !self.stencils.is_empty() {
            // stable: every level is nearly sorted
            self.leaves.par_sort_by_key(|leaf| (leaf.element(), leaf.code()));
        }
        self.leaf_ends = vec![0; self.elements.len()];
        self.leaves.iter().for_each(|leaf| self.leaf_ends[leaf.element() as usize] += 1);
        let mut end = 0;
        for count in &mut self.leaf_ends {
            end += *count;
            *count = end;
        }
    }
}

/// Refines what of level 0 is `active`, level by level, until everything evaluates. `refine` makes
/// the leaves of the level at a depth and returns what is left; what is left at [`MAX_LEVEL`] is
/// returned.
pub(crate) fn refine_all<A: Copy>(
    mut active: Vec<A>,
    mut refine: impl FnMut(usize, &[A]) -> Result<Vec<A>>,
) -> Result<Option<A>> {
    for depth in 1..=MAX_LEVEL {
        if active.is_empty() {
            break;
        }
        active = refine(depth, &active)?;
    }
    Ok(active.first().copied())
}

/// The error of what [`refine_all`] returns, and how to fix it.
pub(crate) fn too_deep(what: Message, help: &'static str) -> Error {
    Error::mesh(message!(what, " does not evaluate after {MAX_LEVEL} local refinements"))
        .with_help(help)
}
