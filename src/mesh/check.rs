//! Checks that need the control points: numbers, lengths, direction of faces.

use std::fmt::Display;

use nalgebra::Matrix3;

use super::orient::orient_faces;
use super::{
    Attribute, CORNER_SHARPNESS, CellArray, CellKind, Cells, SolidMesh, check_coordinates,
};
use crate::error::{Error, Result};
use crate::numbers::vector::difference;
use crate::numbers::{Precision, counted};

impl Attribute {
    /// Checks that there is a value for each of `vertices` vertices, and the name.
    ///
    /// # Errors
    /// [`Error::Mesh`] naming the attribute.
    pub(crate) fn check(&self, vertices: usize) -> Result<()> {
        let Self { name, width, values } = self;
        if name == CORNER_SHARPNESS {
            return Err(Error::mesh(format!(
                "attribute \"{name}\" has the name under which files hold sharp corners"
            ))
            .with_help("rename it"));
        }
        check_length(format_args!("attribute \"{name}\""), values, *width, vertices, "vertices")
    }
}

impl CellArray {
    /// Checks that there is a value for each of `cells` cells.
    ///
    /// # Errors
    /// [`Error::Mesh`] naming the array.
    pub(crate) fn check(&self, cells: usize) -> Result<()> {
        let Self { name, width, values, .. } = self;
        check_length(format_args!("cell array \"{name}\""), values, *width, cells, "cells")
    }
}

fn check_length(
    array: impl Display,
    values: &[f64],
    width: usize,
    count: usize,
    elements: &str,
) -> Result<()> {
    if width > 0 && width.checked_mul(count) == Some(values.len()) {
        return Ok(());
    }
    let found = values.len();
    Err(Error::mesh(format!(
        "{array} has {found} values of width {width}, the mesh has {count} {elements}"
    ))
    .with_help("give as many values as the width, 1 or more, times the elements of the mesh"))
}

/// Checks that there is one control point for each vertex.
///
/// # Errors
/// [`Error::Request`] if not.
pub(crate) fn check_point_count(points: usize, vertices: usize) -> Result<()> {
    if points == vertices {
        return Ok(());
    }
    Err(Error::request(format!(
        "{} for {}",
        counted(points, "control point"),
        counted(vertices, "vertex")
    ))
    .with_help("give one point for each vertex of the mesh"))
}

/// Checks that there are `width` ≥ 1 values for each vertex.
///
/// # Errors
/// [`Error::Request`] if not.
pub(crate) fn check_value_count(values: &[f64], width: usize, vertices: usize) -> Result<()> {
    if width > 0 && width.checked_mul(vertices) == Some(values.len()) {
        return Ok(());
    }
    let found = values.len();
    Err(Error::request(format!(
        "{} of width {width} for {}",
        counted(found, "value"),
        counted(vertices, "vertex")
    ))
    .with_help("give one row of values, of width 1 or more, for each vertex of the mesh"))
}

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
        self.attributes.iter().try_for_each(|a| a.check(self.points.len()))?;
        self.cell_data.iter().try_for_each(|a| a.check(self.cells.len()))?;
        self.check_ghosts()?;
        self.check_face_groups()
    }

    /// The cells, with tetrahedra, wedges and polyhedra reoriented so that their faces
    /// are outward; hexahedra stay as they are. The faces of a polyhedron may run
    /// in any direction each.
    ///
    /// # Errors
    /// As [`SolidMesh::check`], and a polyhedron whose faces are no closed
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

    /// Volume of a cell with outward faces, of these or other cells over the points.
    pub(crate) fn cell_volume(&self, cells: &Cells, c: usize) -> f64 {
        let mut faces: Vec<Vec<u32>> = Vec::new();
        cells.for_each_face(c, |face| faces.push(face.to_vec()));
        self.volume(&faces)
    }

    /// Volume inside closed `faces`, negative if they face inward.
    fn volume<F: AsRef<[u32]>>(&self, faces: &[F]) -> f64 {
        let Some(&first) = faces.first().and_then(|face| face.as_ref().first()) else { return 0.0 };
        let origin = self.points[first as usize];
        let mut six_volumes = 0.0;
        for face in faces {
            let face = face.as_ref();
            let at = |i: usize| difference(self.points[face[i] as usize], origin);
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
