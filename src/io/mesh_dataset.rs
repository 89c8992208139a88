//! Control meshes as datasets, with creases, corners and attributes as the named
//! arrays that reading a mesh looks for.

use std::borrow::Cow;

use super::dataset::{Array, Dataset, DatasetCells, MixedCells, PolyhedronFaces, vtk_type};
use crate::mesh::{CellArray, CellKind, Cells, SolidMesh};

/// Field array, width 2: end vertices of each crease.
pub const CREASE_EDGES: &str = "crease_edges";
/// Field array: sharpness of each crease, `inf` for ever sharp.
pub const CREASE_SHARPNESS: &str = "crease_sharpness";
/// Point array: sharpness of each vertex, 0 where it is smooth.
pub const CORNER_SHARPNESS: &str = "corner_sharpness";

impl From<&SolidMesh> for Dataset {
    /// Attributes become point arrays, cell data cell arrays; creases the field arrays `crease_edges`
    /// and `crease_sharpness`, corners the point array `corner_sharpness`, where
    /// there are any. A corner at a vertex that does not exist is left out.
    fn from(mesh: &SolidMesh) -> Self {
        let mut dataset = Self::new(mesh.points.clone(), dataset_cells(&mesh.cells));
        dataset
            .point_arrays
            .extend(mesh.attributes.iter().map(|a| Array::new(&a.name, a.width, a.values.clone())));
        dataset.cell_arrays.extend(mesh.cell_data.iter().map(Array::from));
        let creases = &mesh.creases;
        if !creases.corners.is_empty() {
            let mut sharpness = vec![0.0; mesh.points.len()];
            for corner in &creases.corners {
                if let Some(slot) = sharpness.get_mut(corner.vertex.index()) {
                    *slot = corner.sharpness;
                }
            }
            dataset.point_arrays.push(Array::new(CORNER_SHARPNESS, 1, sharpness));
        }
        if !creases.edges.is_empty() {
            let edges: Vec<i64> =
                creases.edges.iter().flat_map(|c| c.edge.map(|v| i64::from(v.0))).collect();
            let sharpness: Vec<f64> = creases.edges.iter().map(|c| c.sharpness).collect();
            dataset.field_arrays.push(Array::new(CREASE_EDGES, 2, edges));
            dataset.field_arrays.push(Array::new(CREASE_SHARPNESS, 1, sharpness));
        }
        dataset
    }
}

impl From<&CellArray> for Array {
    fn from(array: &CellArray) -> Self {
        if array.integers {
            let integers: Vec<i64> = array.values.iter().map(|&x| x as i64).collect();
            return Self::new(&array.name, array.width, integers);
        }
        Self::new(&array.name, array.width, array.values.clone())
    }
}

impl<'a> From<&'a Dataset> for Cow<'a, Dataset> {
    fn from(dataset: &'a Dataset) -> Self {
        Cow::Borrowed(dataset)
    }
}

impl From<Dataset> for Cow<'_, Dataset> {
    fn from(dataset: Dataset) -> Self {
        Cow::Owned(dataset)
    }
}

impl From<&SolidMesh> for Cow<'_, Dataset> {
    fn from(mesh: &SolidMesh) -> Self {
        Cow::Owned(mesh.into())
    }
}

fn dataset_cells(cells: &Cells) -> DatasetCells {
    if cells.all_hexahedra() {
        let connectivity = (0..cells.len()).flat_map(|c| cells.vertices(c)).copied().collect();
        return DatasetCells::Uniform { vtk_type: vtk_type::HEXAHEDRON, size: 8, connectivity };
    }
    let mut mixed = MixedCells::default();
    let mut faces = PolyhedronFaces::default();
    for c in 0..cells.len() {
        mixed.vtk_types.push(match cells.kind(c) {
            CellKind::Hexahedron => vtk_type::HEXAHEDRON,
            CellKind::Tetrahedron => vtk_type::TETRAHEDRON,
            CellKind::Wedge => vtk_type::WEDGE,
            CellKind::Polyhedron => vtk_type::POLYHEDRON,
        });
        mixed.connectivity.extend_from_slice(cells.vertices(c));
        mixed.ends.push(mixed.connectivity.len() as i64);
        if cells.kind(c) == CellKind::Polyhedron {
            push_faces(cells, c, &mut faces.stream);
            faces.ends.push(faces.stream.len() as i64);
        } else {
            faces.ends.push(-1);
        }
    }
    mixed.faces = (!faces.stream.is_empty()).then_some(faces);
    DatasetCells::Mixed(mixed)
}

fn push_faces(cells: &Cells, c: usize, stream: &mut Vec<u32>) {
    let count_at = stream.len();
    stream.push(0);
    cells.for_each_face(c, |face| {
        stream[count_at] += 1;
        stream.push(face.len() as u32);
        stream.extend_from_slice(face);
    });
}
