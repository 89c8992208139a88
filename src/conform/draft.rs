//! Changes of a mesh: new points, new cells, and what goes along with them.

use crate::mesh::{CellKind, Cells, Polygons, SolidMesh, VolumeShape};

/// The cells of a mesh in the making, and of each the one that it comes from.
#[derive(Default)]
pub(super) struct Draft {
    pub cells: Cells,
    parents: Vec<u32>,
}

impl Draft {
    /// Keeps a cell of a mesh, whose vertices have the numbers `number` now.
    pub fn keep(&mut self, cells: &Cells, c: usize, number: impl Fn(u32) -> u32) {
        self.cells.push_from(cells, c, number);
        self.parents.push(c as u32);
    }

    /// Appends a cell of a fixed shape.
    pub fn push(&mut self, parent: u32, kind: CellKind, corners: &[u32]) {
        self.cells.push(kind, corners);
        self.parents.push(parent);
    }

    /// Appends a cell by its outward faces: of a fixed shape, if they are of one.
    pub fn push_faces(&mut self, parent: u32, faces: &[Vec<u32>]) {
        match VolumeShape::of_faces(faces) {
            Some((shape, corners)) => shape.push(&mut self.cells, &corners[..shape.corners()]),
            None => self.cells.push_polyhedron(faces.iter().map(Vec::as_slice)),
        }
        self.parents.push(parent);
    }

    /// Gives the cells to a mesh, with the values of those that they come from.
    pub fn finish(self, mesh: &mut SolidMesh) {
        for array in &mut mesh.cell_data {
            *array = array.of_cells(self.parents.iter().copied());
        }
        mesh.cells = self.cells;
    }
}

/// Appends a point between others, with their attributes: weights that add up to 1.
pub(super) fn push_point(mesh: &mut SolidMesh, weights: &[(u32, f64)]) -> u32 {
    let mut point = [0.0; 3];
    for &(v, weight) in weights {
        (0..3).for_each(|d| point[d] += weight * mesh.points[v as usize][d]);
    }
    mesh.points.push(point);
    for attribute in &mut mesh.attributes {
        let value = |k: usize| {
            let at = |v: u32| attribute.values[v as usize * attribute.width + k];
            weights.iter().map(|&(v, weight)| weight * at(v)).sum::<f64>()
        };
        let row: Vec<f64> = (0..attribute.width).map(value).collect();
        attribute.values.extend(row);
    }
    mesh.points.len() as u32 - 1
}

/// Appends the mean of some points.
pub(super) fn push_mean(mesh: &mut SolidMesh, vertices: &[u32]) -> u32 {
    let weight = 1.0 / vertices.len() as f64;
    push_point(mesh, &vertices.iter().map(|&v| (v, weight)).collect::<Vec<_>>())
}

/// Puts other faces in the place of those of groups; a face for which there are none stays.
pub(super) fn replace_group_faces(
    mesh: &mut SolidMesh,
    mut faces_of: impl FnMut(&[u32]) -> Option<Vec<Vec<u32>>>,
) {
    for group in &mut mesh.face_groups {
        let mut faces = Polygons::default();
        for face in group.faces.iter() {
            match faces_of(face) {
                Some(others) => others.iter().for_each(|other| faces.push(other)),
                None => faces.push(face),
            }
        }
        group.faces = faces;
        group.drop_repeated_faces();
    }
}
