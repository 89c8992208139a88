//! Hexahedra whose corner order is left-handed in space.

use nalgebra::Vector3;
use rayon::prelude::*;

use super::{Cells, SolidMesh};
use crate::error::{IdKind, Message};
use crate::numbers::{by_count, counted};

/// Hexahedra of a mesh that are left-handed at their centers: the trilinear map of
/// their corners has a negative Jacobian determinant there.
///
/// Their corners are listed in the wrong order, or they are folded. The limit does not
/// depend on it; what divides by the determinant does.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Handedness {
    /// Cells of the mesh, of any kind.
    pub cells: usize,
    /// Left-handed hexahedra among them.
    pub left_handed: usize,
    /// The left-handed hexahedron with the least scaled Jacobian at its center (the
    /// determinant over the lengths of the derivatives, −1 at the least), and that value.
    pub worst: Option<(u32, f64)>,
}

impl Handedness {
    /// Of `cells` over `points`. Cells with vertices that do not exist do not count.
    pub fn of(cells: &Cells, points: &[[f64; 3]]) -> Self {
        let left = |c: usize| -> Option<(u32, f64)> {
            let corners = cells.hexahedron(c)?;
            let known = corners.iter().all(|&v| (v as usize) < points.len());
            let scaled = if known { scaled_jacobian(points, corners) } else { 0.0 };
            (scaled < 0.0).then_some((c as u32, scaled))
        };
        // the first cell of equal ones, whatever the number of threads
        let worse = |a: (u32, f64), b: (u32, f64)| {
            if b.1 < a.1 || b.1 == a.1 && b.0 < a.0 { b } else { a }
        };
        let found = (0..cells.len()).into_par_iter().filter_map(left);
        let (left_handed, worst) = found.map(|cell| (1, Some(cell))).reduce(
            || (0, None),
            |a, b| match (a, b) {
                ((n, Some(x)), (m, Some(y))) => (n + m, Some(worse(x, y))),
                ((0, None), other) | (other, _) => other,
            },
        );
        Self { cells: cells.len(), left_handed, worst }
    }

    /// Whether every cell is a left-handed hexahedron.
    pub fn is_all_left(&self) -> bool {
        self.cells > 0 && self.left_handed == self.cells
    }

    /// A message with the number of left-handed hexahedra, and the worst; `None` if none is.
    pub fn notice(&self) -> Option<Message> {
        let (cell, scaled) = self.worst?;
        let count = self.left_handed;
        let cells = counted(self.cells, "cell");
        let are = by_count(count, "is", "are");
        let which = match (self.is_all_left(), count) {
            (true, 1) => "the one hexahedron is left-handed".into(),
            (true, _) => format!("all {cells} are left-handed"),
            (false, _) => format!("{count} of {cells} {are} left-handed or folded"),
        };
        Some(message!(
            "{which} (scaled Jacobian at the center: worst {scaled:.3} in ",
            IdKind::Cell.id(cell),
            ")"
        ))
    }
}

impl SolidMesh {
    /// The number of left-handed hexahedra, and the worst of them.
    pub fn handedness(&self) -> Handedness {
        Handedness::of(&self.cells, &self.points)
    }
}

/// Scaled Jacobian of a hexahedron's trilinear map at its center, 0 where it is flat.
pub(super) fn scaled_jacobian(points: &[[f64; 3]], corners: &[u32; 8]) -> f64 {
    // loops, not closures over arrays, which are not inlined: this runs for every cell
    let mut at = [[0.0; 3]; 8];
    at.iter_mut().zip(corners).for_each(|(p, &v)| *p = points[v as usize]);
    let [a, b, c, d, e, f, g, h] = at;
    let difference = |high: [[f64; 3]; 4], low: [[f64; 3]; 4]| -> Vector3<f64> {
        let mut sum = [0.0; 3];
        for (high, low) in high.iter().zip(&low) {
            (0..3).for_each(|x| sum[x] += high[x] - low[x]);
        }
        Vector3::from(sum)
    };
    let u = difference([b, c, f, g], [a, d, e, h]);
    let v = difference([c, d, g, h], [a, b, e, f]);
    let w = difference([e, f, g, h], [a, b, c, d]);
    let determinant = u.cross(&v).dot(&w);
    if determinant == 0.0 { 0.0 } else { determinant / (u.norm() * v.norm() * w.norm()) }
}
