//! Walking from hexahedron to hexahedron with a local frame of axes.
//!
//! Corners are numbered in binary: bit d of a corner's number is its side along
//! local axis d (u, v, w).

use rayon::prelude::*;

use super::axes::{Axes, Pose};
use super::structure::AxisPermutation;
use crate::pages;
use crate::topology::{NONE, Topology};

/// Binary corner number to VTK corner.
pub const VTK_CORNER: [usize; 8] = [0, 1, 3, 2, 4, 5, 7, 6];

/// A hexahedron seen in a local frame.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// The cell.
    pub cell: u32,
    /// Vertices of the local corners.
    pub vertices: [u32; 8],
    pose: Pose,
}

/// The hexahedra of a topology, for walking. Cells that are not hexahedra are walls.
pub struct Walker<'a> {
    /// The topology walked on.
    pub topology: &'a Topology,
    hexahedra: Vec<Hexahedron>,
}

/// What a step needs of a cell, on one cache line.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Hexahedron {
    // in binary order; NONE if the cell is not a hexahedron
    corners: [u32; 8],
    // across the low and high face of u, v, w; NONE at a wall
    neighbors: [u32; 6],
    // how the axes of each neighbor lie
    permutations: [Axes; 6],
}

/// The permutation of a neighbor of corners `other` across the face at `side` of own `axis`;
/// `None` if its corners do not fit.
#[inline]
fn permutation_across(own: &[u32; 8], other: &[u32; 8], axis: usize, side: usize) -> Option<Axes> {
    // three of the four shared vertices fix the neighbor's axes
    let (at, to) = (side << axis, (1 - side) << axis);
    let [b, c] = [(axis + 1) % 3, (axis + 2) % 3];
    let pair = |step: usize| (own[at | step], to | step);
    let pairs = [pair(0), pair(1 << b), pair(1 << c)];
    if pairs.iter().all(|&(vertex, place)| other[place] == vertex) {
        return Some(Axes::PARALLEL);
    }
    let [p, q, r] = pairs.map(|(vertex, _)| find(other, vertex));
    let mut steps = [0; 3];
    steps[b] = p ^ q;
    steps[c] = p ^ r;
    steps[axis] = 7 ^ steps[b] ^ steps[c];
    let base = if side == 1 { p } else { p ^ steps[axis] };
    Axes::of(base, steps)
}

impl<'a> Walker<'a> {
    /// Prepares a topology.
    pub fn new(topology: &'a Topology) -> Self {
        let cells = topology.cells();
        // where all cells are hexahedra these are found at once
        let all = cells.hexahedra();
        let corners = |c: usize| match all.map(|all| &all[c]).or_else(|| cells.hexahedron(c)) {
            Some(&[a, b, c, d, e, f, g, h]) => [a, b, d, c, e, f, h, g],
            None => [NONE; 8],
        };
        let mut hexahedra = pages::room(cells.len());
        let each = (0..cells.len()).into_par_iter().with_min_len(1024);
        each.map(|c| {
            let corners = corners(c);
            let mut neighbors = [NONE; 6];
            if corners[0] != NONE {
                for (other, &face) in neighbors.iter_mut().zip(topology.cell_faces(c as u32)) {
                    let [a, b] = topology.face_cells(face);
                    *other = if a == c as u32 { b } else { a };
                }
            }
            Hexahedron { corners, neighbors, permutations: [Axes::PARALLEL; 6] }
        })
        .collect_into_vec(&mut hexahedra);
        // a loop of its own: its loads, from all over memory, overlap
        hexahedra.par_iter_mut().with_min_len(1024).for_each(|hexahedron| {
            for side in 0..6 {
                let other = hexahedron.neighbors[side];
                if other == NONE {
                    continue;
                }
                let other = corners(other as usize);
                match permutation_across(&hexahedron.corners, &other, side / 2, side % 2) {
                    Some(permutation) => hexahedron.permutations[side] = permutation,
                    None => hexahedron.neighbors[side] = NONE,
                }
            }
        });
        Self { topology, hexahedra }
    }

    /// The frame of `cell` with local axes permuted by `permutation`.
    pub fn frame(&self, cell: u32, permutation: AxisPermutation) -> Frame {
        let axes = Axes::of(permutation.corner(0) as u8, permutation.axes.map(|a| 1 << a));
        self.at(Pose { cell, axes: axes.unwrap_or(Axes::PARALLEL) })
    }

    /// The neighbor across the face at `side` (0 or 1) of local `axis`, its local
    /// frame the continuation of this one; `None` at the boundary.
    #[inline]
    pub fn across(&self, frame: &Frame, axis: usize, side: usize) -> Option<Frame> {
        self.step(frame.pose, axis, side).map(|pose| self.at(pose))
    }

    /// [`Walker::across`] unless the neighbor is known.
    #[inline]
    pub(super) fn beyond(
        &self,
        frame: &Frame,
        axis: usize,
        side: usize,
        is_known: impl Fn(u32) -> bool,
    ) -> Option<Frame> {
        let pose = self.step(frame.pose, axis, side)?;
        // before the vertices are read
        (!is_known(pose.cell)).then(|| self.at(pose))
    }

    #[inline]
    fn at(&self, pose: Pose) -> Frame {
        Frame { cell: pose.cell, vertices: self.vertices(pose), pose }
    }

    /// Vertices of the local corners.
    #[inline(always)]
    pub(super) fn vertices(&self, pose: Pose) -> [u32; 8] {
        pose.axes.arrange(&self.hexahedra[pose.cell as usize].corners)
    }

    /// [`Walker::across`] without the vertices.
    #[inline(always)]
    pub(super) fn step(&self, pose: Pose, axis: usize, side: usize) -> Option<Pose> {
        let hexahedron = &self.hexahedra[pose.cell as usize];
        let face = pose.axes.face(axis, side);
        let cell = hexahedron.neighbors[face];
        (cell != NONE).then(|| Pose { cell, axes: pose.axes.then(hexahedron.permutations[face]) })
    }
}

/// Position of a vertex that is one of eight.
fn find(corners: &[u32; 8], vertex: u32) -> u8 {
    (0..8).map(|i| u8::from(corners[i as usize] == vertex) * i).sum()
}
