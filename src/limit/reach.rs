//! How far toward a vertex a solid evaluates, where it is for some samples alone.
//!
//! # Practice
//! Around a vertex of many cells hardly any two cells have a common structure: in meshes of
//! tetrahedra nearly every one has its own, of some 50 kB. A grid of samples does not need them. A
//! leaf at such a vertex is refined until no sample but the vertex itself lies in it; what was split
//! off is regular or layered, of structures that all share. The vertex takes its limit mask.

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::leaf::parameters_within;
use super::leaves::MAX_LEVEL;
use crate::mesh::{Cells, SolidMesh};
use crate::topology::{Rows, Topology};

/// Cells around a vertex, inside and at the boundary, up to which there are few different stars, so
/// that cells there share structures: triangulations of a sphere with up to 8 vertices are 23.
const SHARED_STARS: [usize; 2] = [12, 6];

/// Bytes of the structures of a mesh, at least about, above which its cells are refined instead.
const MAX_STRUCTURE_BYTES: usize = 1 << 30;

/// Bytes of a structure.
const STRUCTURE_BYTES: usize = 50_000;

/// Parameters closer than this are one, as in the patterns of a plan.
const TOLERANCE: f64 = 1.0 / (1_u64 << 44) as f64;

/// The parameters of samples along each axis of an element, ascending.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Reach(Vec<f64>);

impl Reach {
    pub fn new(parameters: &[f64]) -> Self {
        let mut own = parameters.to_vec();
        own.sort_by(f64::total_cmp);
        own.dedup();
        Self(own)
    }

    /// Whether these samples are among those that are reached.
    pub fn covers(&self, parameters: &[f64]) -> bool {
        parameters.iter().all(|u| self.0.binary_search_by(|own| own.total_cmp(u)).is_ok())
    }

    /// Whether some samples lie on the vertices of elements.
    pub fn has_vertices(&self) -> bool {
        self.0.iter().any(|&u| u == 0.0 || u == 1.0)
    }

    /// Whether a leaf holds samples besides its corner `corner` (binary). It spans
    /// `[origin, origin + 1] / 2^depth` of its element.
    pub fn goes_beyond(&self, corner: usize, depth: u8, origin: [u16; 3]) -> bool {
        let scale = f64::from(1_u32 << depth);
        let along = [0, 1, 2].map(|d| {
            let own = &self.0[parameters_within(&self.0, depth, origin[d])];
            let end = (corner >> d & 1) as f64;
            let is_end = |u: &f64| (u * scale - f64::from(origin[d]) - end).abs() <= TOLERANCE;
            (own.is_empty(), own.iter().all(is_end))
        });
        along.iter().all(|(is_empty, _)| !is_empty) && !along.iter().all(|&(_, is_end)| is_end)
    }

    /// Whether the cells at an extraordinary vertex of level `level` are refined rather than given
    /// structures. Those that cannot be refined any further are not.
    pub fn refines(&self, topology: &Topology, vertex: u32, level: usize) -> bool {
        level < MAX_LEVEL && !shares_structures(topology, vertex)
    }
}

/// Whether cells around a vertex have structures that others are likely to have.
fn shares_structures(topology: &Topology, vertex: u32) -> bool {
    let most = SHARED_STARS[usize::from(topology.is_boundary_vertex(vertex))];
    topology.vertex_cells(vertex).len() <= most
}

/// Whether the structures of a mesh would take so much memory and time that an evaluation of a grid of
/// samples is better off without them. Vertices whose edges have the same numbers of cells count once,
/// so that this is less than what structures take.
pub(super) fn has_many_structures(mesh: &SolidMesh) -> bool {
    let (cells, mut counts) = (&mesh.cells, vec![0_usize; mesh.points.len()]);
    let corners = |c: usize| cells.vertices(c).iter().copied();
    for v in (0..cells.len()).flat_map(corners) {
        match counts.get_mut(v as usize) {
            Some(count) => *count += 1,
            None => return false, // refused later
        }
    }
    let exceeds = |structures: usize| structures * STRUCTURE_BYTES > MAX_STRUCTURE_BYTES;
    let is_own = |&count: &usize| count > SHARED_STARS[0];
    if !exceeds(counts.iter().copied().filter(is_own).sum()) {
        return false;
    }
    let around = Rows::transposed(counts.len(), cells.len(), |c| corners(c as usize));
    let own = (0..counts.len()).into_par_iter().with_min_len(1024).filter(|&v| is_own(&counts[v]));
    let different: FxHashSet<_> =
        own.map(|v| (counts[v], valences(cells, v as u32, around.row(v)))).collect();
    exceeds(different.iter().map(|(count, _)| count).sum())
}

/// Numbers of the cells at each edge of a vertex, ascending.
fn valences(cells: &Cells, vertex: u32, around: &[u32]) -> Vec<usize> {
    let mut ends = Vec::new();
    for &cell in around {
        cells.for_each_face(cell as usize, |face| {
            // each edge of the cell at the vertex leads away from it in one of its faces
            let after = face.iter().cycle().skip(1);
            ends.extend(face.iter().zip(after).filter(|&(&a, _)| a == vertex).map(|(_, &b)| b));
        });
    }
    ends.sort_unstable();
    let mut valences: Vec<usize> = ends.chunk_by(|a, b| a == b).map(<[u32]>::len).collect();
    valences.sort_unstable();
    valences
}
