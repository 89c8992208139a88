//! Cell classes by vertex stars.
//!
//! # Theory
//! The limit on a cell depends on the cells around its eight corners. So a
//! cell's class follows from the stars of its corners:
//! - all ordinary: *regular*, a tensor-product spline;
//! - an extraordinary edge of the cell with straight stars at both ends, all else
//!   ordinary: *layered*, a planar Catmull-Clark net times a spline;
//! - one complex corner, all else ordinary or straight along an edge of the cell
//!   toward it: *irregular*, refined to itself at that corner;
//! - anything else is *refined* first.
//!
//! # Changes versus the papers
//! Besler et al. (2022, 3.1) call a cell regular if it contains no extraordinary
//! edge. That misses cells that touch an extraordinary vertex without owning one
//! of its extraordinary edges (link triangles of degrees 4, 4, 4 in a link that is
//! no octahedron); they have no 4 × 4 × 4 net at any level, and are irregular here.

use super::frame::VTK_CORNER;
use super::structure::AxisPermutation;
use crate::topology::{Sharpness, Star, Topology, is_extraordinary};

/// Class of a hexahedral cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Tensor-product spline.
    Regular,
    /// Planar net times spline; local axis 2 runs along the extraordinary edge,
    /// which lies at the local origin of the other two.
    Layered(AxisPermutation),
    /// One extraordinary vertex, at this corner (binary).
    Irregular(usize),
    /// Refined before it can be evaluated.
    Refined(Reason),
}

impl Class {
    /// Its number in the array `class` of cells: 0 regular, 1 layered, 2 irregular, 3 refined.
    pub fn number(self) -> u8 {
        match self {
            Self::Regular => 0,
            Self::Layered(_) => 1,
            Self::Irregular(_) => 2,
            Self::Refined(_) => 3,
        }
    }
}

/// Why a cell is refined first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// A corner touches a semi-sharp crease or corner.
    SemiSharp,
    /// A corner touches a cell that is not a hexahedron.
    MixedCells,
    /// Several extraordinary vertices or edges that do not meet in one.
    SeveralExtraordinary,
    /// The cell is not a hexahedron.
    NotHexahedral,
    /// The cell is not evaluated: a ghost of the mesh, or of a part whose cell another part evaluates.
    Ghost,
}

/// Classifies hexahedral `cell`; the stars of its corners must be complete.
pub fn classify(
    topology: &Topology,
    sharpness: &Sharpness,
    stars: &[Star],
    vtk_corners: &[u32; 8],
) -> Class {
    if vtk_corners.iter().all(|&v| matches!(stars[v as usize], Star::Ordinary)) {
        return Class::Regular;
    }
    let vertices = VTK_CORNER.map(|i| vtk_corners[i]);
    let corner_stars = vertices.map(|v| stars[v as usize]);
    if let Some(at) = corner_stars.iter().position(|s| *s == Star::Transient) {
        let mixed = !topology.has_hexahedral_star(vertices[at]);
        return Class::Refined(if mixed { Reason::MixedCells } else { Reason::SemiSharp });
    }
    // the corner at the other end of the cell edge that a straight star runs along
    let partner = |corner: usize| {
        let Star::Straight(axis) = corner_stars[corner] else { return None };
        (0..3).map(|d| corner ^ 1 << d).find(|&other| {
            let edge = topology.edge_between(vertices[corner], vertices[other]);
            edge.is_some_and(|e| axis.contains(&e) && is_extraordinary(topology, sharpness, e))
        })
    };
    let several = Class::Refined(Reason::SeveralExtraordinary);
    let odd = |star: Star| (0..8).filter(move |&c| corner_stars[c] == star);
    let mut complex = odd(Star::Complex);
    let straight = (0..8).filter(|&c| matches!(corner_stars[c], Star::Straight(_)));
    match (complex.next(), complex.next()) {
        (Some(corner), None) => {
            if straight.into_iter().all(|c| partner(c) == Some(corner)) {
                Class::Irregular(corner)
            } else {
                several
            }
        }
        (None, _) => {
            let ends: Vec<usize> = straight.collect();
            match ends[..] {
                [a, b] if partner(a) == Some(b) && partner(b) == Some(a) => {
                    let axis = (a ^ b).trailing_zeros() as u8;
                    let permutations = AxisPermutation::to_corner(a.min(b));
                    let permutation = permutations.into_iter().find(|t| t.axes[2] == axis);
                    permutation.map_or(several, Class::Layered)
                }
                _ => several,
            }
        }
        _ => several,
    }
}
