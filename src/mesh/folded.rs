//! Hexahedra that are folded or flat at a corner.

use nalgebra::Vector3;
use rayon::prelude::*;

use super::SolidMesh;
use super::handedness::{Handedness, scaled_jacobian};
use crate::error::IdKind::Cell;
use crate::error::Message;
use crate::numbers::{by_count, counted};

/// For each corner of a hexahedron the corners that its edges lead to, along u, v and w turned so
/// that their determinant is positive in a box.
pub(crate) const NEIGHBORS: [[usize; 3]; 8] =
    [[1, 3, 4], [2, 0, 5], [3, 1, 6], [0, 2, 7], [7, 5, 0], [4, 6, 1], [5, 7, 2], [6, 4, 3]];

/// Hexahedra of a mesh with a corner whose three edges have no positive determinant, in the
/// handedness of the cell's center. Their control cells fold, or are flat there; so may the limit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FoldedCorners {
    /// Ids of the cells, ascending; without those that are left-handed at their centers in a mesh
    /// of both kinds, which [`Handedness`] has.
    pub cells: Vec<u32>,
    /// The cell with the least scaled Jacobian at a corner (determinant over lengths of the edges,
    /// −1 at the least), and that value.
    pub worst: Option<(u32, f64)>,
}

impl FoldedCorners {
    /// A message with the hexahedra that are folded or flat at a corner, and the worst; `None` if
    /// none is.
    pub fn notice(&self) -> Option<Message> {
        let (cell, scaled) = self.worst?;
        let count = self.cells.len();
        let (cells, are) = (counted(count, "cell"), by_count(count, "is", "are"));
        Some(message!(
            "{cells} {are} folded or flat at a corner: ",
            Cell.first_ids(self.cells.iter().copied()),
            " (scaled Jacobian there: worst {scaled:.3} in ",
            Cell.id(cell),
            ")"
        ))
    }
}

impl SolidMesh {
    /// What is to be said of left-handed and of folded hexahedra. Of a mesh that was fitted only that
    /// all are left-handed: the fit has looked at the limit, which counts; its control cells may fold.
    pub fn hexahedron_notices(&self) -> [Option<Message>; 2] {
        let handedness = self.handedness();
        match (self.is_fitted, handedness.is_all_left()) {
            (true, true) => [handedness.notice(), None],
            (true, false) => [None, None],
            _ => [handedness.notice(), self.folded_corners(&handedness).notice()],
        }
    }

    /// The hexahedra that are folded or flat at a corner, in the handedness of the mesh. Cells with
    /// vertices that do not exist do not count.
    pub fn folded_corners(&self, handedness: &Handedness) -> FoldedCorners {
        let sign = if handedness.is_all_left() { -1.0 } else { 1.0 };
        let folded = |c: usize| -> Option<(u32, f64)> {
            let corners = self.cells.hexahedron(c)?;
            if corners.iter().any(|&v| v as usize >= self.points.len()) {
                return None;
            }
            let is_left =
                handedness.left_handed > 0 && scaled_jacobian(&self.points, corners) * sign < 0.0;
            let least = least_corner(&self.points, corners, sign);
            (least <= 0.0 && !is_left).then_some((c as u32, least))
        };
        let found: Vec<(u32, f64)> =
            (0..self.cells.len()).into_par_iter().filter_map(folded).collect();
        let worst = found.iter().copied().reduce(|a, b| if b.1 < a.1 { b } else { a });
        FoldedCorners { cells: found.into_iter().map(|(cell, _)| cell).collect(), worst }
    }
}

/// The least scaled Jacobian at the corners of a hexahedron, times `sign`; 0 where edges have no
/// length.
pub(crate) fn least_corner(points: &[[f64; 3]], hexahedron: &[u32; 8], sign: f64) -> f64 {
    (0..8).map(|corner| sign * corner_jacobian(points, hexahedron, corner)).fold(1.0, f64::min)
}

/// The scaled Jacobian at a corner; 0 where edges have no length.
pub(crate) fn corner_jacobian(points: &[[f64; 3]], hexahedron: &[u32; 8], corner: usize) -> f64 {
    let at = |i: usize| Vector3::from(points[hexahedron[i] as usize]);
    let [a, b, c] = NEIGHBORS[corner].map(|i| at(i) - at(corner));
    let lengths = a.norm() * b.norm() * c.norm();
    if lengths > 0.0 { a.cross(&b).dot(&c) / lengths } else { 0.0 }
}
