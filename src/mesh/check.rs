//! Checks that need the control points: numbers, lengths, orientation.

use nalgebra::Matrix3;

use rayon::prelude::*;

use super::orient::orient_faces;
use super::{CellKind, Cells, SolidMesh};
use crate::error::{Error, Result};

impl SolidMesh {
    /// Checks coordinates, attribute lengths and cell orientation.
    ///
    /// A hexahedron is refused if it is inside out at its centre (negative Jacobian
    /// determinant of its trilinear map): its corner order, and so its (u, v, w),
    /// would be wrong. Single bad corners are a matter of quality, not of validity.
    ///
    /// # Errors
    /// [`Error::Mesh`] naming the vertex, attribute or cell, and how to fix it.
    pub fn check(&self) -> Result<()> {
        for (v, p) in self.points.iter().enumerate() {
            if !p.iter().all(|x| x.is_finite()) {
                return Err(Error::mesh(format!("vertex {v} lies at {p:?}"))
                    .with_help("give every vertex finite coordinates"));
            }
        }
        for attribute in &self.attributes {
            if attribute.width == 0 || attribute.values.len() != attribute.width * self.points.len()
            {
                return Err(Error::mesh(format!(
                    "attribute \"{}\" has {} values of width {}, the mesh has {} vertices",
                    attribute.name,
                    attribute.values.len(),
                    attribute.width,
                    self.points.len()
                )));
            }
        }
        let inside_out = (0..self.cells.len()).into_par_iter().find_map_first(|c| {
            let corners = self.cells.hexahedron(c)?;
            // the topology names vertices that do not exist
            let known = corners.iter().all(|&v| (v as usize) < self.points.len());
            let jacobian = if known { self.central_jacobian(corners) } else { 0.0 };
            (jacobian < 0.0).then_some((c, jacobian))
        });
        if let Some((c, jacobian)) = inside_out {
            return Err(Error::mesh(format!(
                "cell {c} is inside out (Jacobian determinant {jacobian:.3e} at its centre)"
            ))
            .with_help(
                "list its corners as VTK does: 0-3 counter-clockwise seen from the face 4-7, \
                     which lies above",
            ));
        }
        Ok(())
    }

    /// The cells, with tetrahedra, wedges and polyhedra turned so that their faces
    /// are outward; hexahedra stay as they are. The faces of a polyhedron may run
    /// in any direction each.
    ///
    /// # Errors
    /// Those of [`SolidMesh::check`], and a polyhedron whose faces are no closed
    /// surface around a ball.
    pub fn oriented_cells(&self) -> Result<Cells> {
        if self.cells.all_hexahedra() {
            let (checked, cells) = rayon::join(|| self.check(), || self.cells.clone());
            return checked.map(|()| cells);
        }
        self.check()?;
        let mut cells = Cells::default();
        for c in 0..self.cells.len() {
            let (kind, v) = (self.cells.kind(c), self.cells.vertices(c));
            if kind == CellKind::Hexahedron {
                cells.push(kind, v);
                continue;
            }
            let mut faces: Vec<Vec<u32>> = Vec::new();
            self.cells.for_each_face(c, |face| faces.push(face.to_vec()));
            if kind == CellKind::Polyhedron {
                orient_faces(c, &mut faces)?;
            }
            let known = v.iter().all(|&v| (v as usize) < self.points.len());
            let flip = known && self.volume(&faces) < 0.0;
            match kind {
                CellKind::Polyhedron => {
                    if flip {
                        faces.iter_mut().for_each(|face| face.reverse());
                    }
                    cells.push_polyhedron(faces.iter().map(Vec::as_slice));
                }
                CellKind::Tetrahedron if flip => cells.push(kind, &[v[1], v[0], v[2], v[3]]),
                CellKind::Wedge if flip => {
                    cells.push(kind, &[v[3], v[4], v[5], v[0], v[1], v[2]]);
                }
                _ => cells.push(kind, v),
            }
        }
        Ok(cells)
    }

    /// Jacobian determinant of a hexahedron's trilinear map at its centre.
    fn central_jacobian(&self, corners: &[u32; 8]) -> f64 {
        // loops, not closures over arrays, which are not inlined: this runs for every cell
        let mut at = [[0.0; 3]; 8];
        at.iter_mut().zip(corners).for_each(|(p, &v)| *p = self.points[v as usize]);
        let [a, b, c, d, e, f, g, h] = at;
        let difference = |high: [[f64; 3]; 4], low: [[f64; 3]; 4]| -> [f64; 3] {
            let mut sum = [0.0; 3];
            for (high, low) in high.iter().zip(&low) {
                (0..3).for_each(|x| sum[x] += high[x] - low[x]);
            }
            [sum[0] / 4.0, sum[1] / 4.0, sum[2] / 4.0]
        };
        let rows = [
            difference([b, c, f, g], [a, d, e, h]),
            difference([c, d, g, h], [a, b, e, f]),
            difference([e, f, g, h], [a, b, c, d]),
        ];
        Matrix3::from(rows).transpose().determinant()
    }

    /// Volume inside closed `faces`, negative if they face inward.
    fn volume<F: AsRef<[u32]>>(&self, faces: &[F]) -> f64 {
        let Some(&first) = faces.first().and_then(|face| face.as_ref().first()) else { return 0.0 };
        let origin = self.points[first as usize];
        let mut six_volumes = 0.0;
        for face in faces {
            let face = face.as_ref();
            let at = |i: usize| -> [f64; 3] {
                let p = self.points[face[i] as usize];
                std::array::from_fn(|d| p[d] - origin[d])
            };
            // the fan around the face's mean: a bilinear face has the same volume
            let n = face.len();
            let mut mean = [0.0; 3];
            for i in 0..n {
                let p = at(i);
                for d in 0..3 {
                    mean[d] += p[d] / n as f64;
                }
            }
            for i in 0..n {
                let rows = [mean, at(i), at((i + 1) % n)];
                six_volumes += Matrix3::from(rows).transpose().determinant();
            }
        }
        six_volumes / 6.0
    }
}
