//! Refined topologies: edges numbered from the coarse edges, without a sort.
//!
//! The Loop program of Naidu and Wang (2025) sorts at every level to find the edges. But
//! every refined edge is half of a coarse one or lies inside a coarse face, which numbers
//! it; the tests check that sorting finds the same.

mod four_triangles;
mod quads;

pub(in crate::surface) use four_triangles::split_to_triangles;
pub(in crate::surface) use quads::{split_quads_twice, split_to_quads};

use crate::scheme::Split;
use crate::topology::surface::{Columns, SurfaceTopology};

/// Faces or edges a work item covers.
const TASK_ITEMS: usize = 4096;

/// Which lists of a refined topology are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::surface) enum WantedLists {
    /// [`SurfaceTopology::vertices`] alone, which is all that the last level needs.
    Vertices,
    /// All lists.
    All,
}

/// The first edge point after one step: vertex points come first, of quads then face points.
pub(in crate::surface) fn first_edge_point(topology: &SurfaceTopology, split: Split) -> u32 {
    let faces = if split == Split::Quads { topology.face_count } else { 0 };
    (topology.vertex_count + faces) as u32
}

fn split_non_manifold(coarse: &SurfaceTopology) -> Vec<u32> {
    coarse.non_manifold_edges.iter().flat_map(|&e| [2 * e, 2 * e + 1]).collect()
}

/// Navigation in a face; quads need no table.
pub(in crate::surface) trait FaceNavigation: Copy + Sync {
    fn next(self, corner: u32) -> u32;
    fn previous(self, corner: u32) -> u32;
    fn face(self, corner: u32) -> u32;
}

/// Faces of four corners: 4f to 4f + 3.
#[derive(Clone, Copy)]
pub(in crate::surface) struct QuadCorners;

impl FaceNavigation for QuadCorners {
    #[inline(always)]
    fn next(self, corner: u32) -> u32 {
        corner & !3 | (corner + 1) & 3
    }

    #[inline(always)]
    fn previous(self, corner: u32) -> u32 {
        corner & !3 | (corner + 3) & 3
    }

    #[inline(always)]
    fn face(self, corner: u32) -> u32 {
        corner >> 2
    }
}

impl FaceNavigation for &Columns {
    fn next(self, corner: u32) -> u32 {
        self.next(corner)
    }

    fn previous(self, corner: u32) -> u32 {
        self.previous(corner)
    }

    fn face(self, corner: u32) -> u32 {
        self.face(corner)
    }
}

/// Faces of three corners: 3f to 3f + 2.
#[derive(Clone, Copy)]
pub(in crate::surface) struct TriangleCorners;

impl FaceNavigation for TriangleCorners {
    #[inline(always)]
    fn next(self, corner: u32) -> u32 {
        if corner % 3 == 2 { corner - 2 } else { corner + 1 }
    }

    #[inline(always)]
    fn previous(self, corner: u32) -> u32 {
        if corner.is_multiple_of(3) { corner + 2 } else { corner - 1 }
    }

    #[inline(always)]
    fn face(self, corner: u32) -> u32 {
        corner / 3
    }
}
