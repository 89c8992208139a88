//! Checks that need the control points: numbers, lengths, direction of faces.

use nalgebra::Matrix3;

use super::orient::orient_faces;
use super::{CellKind, Cells, SolidMesh, check_coordinates};
use crate::error::{Error, Result};
use crate::numbers::Precision;

impl SolidMesh {
    /// Checks coordinates, sizes of cells, attribute lengths and groups of faces.
    ///
    /// Left-handed and folded cells are valid, see [`SolidMesh::handedness`].
    ///
    /// # Errors
    /// [`Error::Mesh`] naming the vertex, cell, attribute or group, and how to fix it.
    pub fn check(&self) -> Result<()> {
        check_coordinates(&self.points, Precision::F64)?;
        self.cells.check_sizes()?;
        for attribute in &self.attributes {
            let expected = attribute.width.checked_mul(self.points.len());
            if attribute.width == 0 || expected != Some(attribute.values.len()) {
                return Err(Error::mesh(format!(
                    "attribute \"{}\" has {} values of width {}, the mesh has {} vertices",
                    attribute.name,
                    attribute.values.len(),
                    attribute.width,
                    self.points.len()
                ))
                .with_help("give it one row of values for each vertex, of width 1 or more"));
            }
        }
        for array in &self.cell_data {
            let expected = array.width.checked_mul(self.cells.len());
            if array.width == 0 || expected != Some(array.values.len()) {
                return Err(Error::mesh(format!(
                    "cell array \"{}\" has {} values of width {}, the mesh has {} cells",
                    array.name,
                    array.values.len(),
                    array.width,
                    self.cells.len()
                ))
                .with_help("give it one row of values for each cell, of width 1 or more"));
            }
        }
        self.check_face_groups()
    }

    /// The cells, with tetrahedra, wedges and polyhedra reoriented so that their faces
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
                    cells.push_polyhedron_of(v, faces.iter().map(Vec::as_slice));
                }
                CellKind::Tetrahedron | CellKind::Wedge if flip => cells.push_mirrored(kind, v),
                _ => cells.push(kind, v),
            }
        }
        Ok(cells)
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
