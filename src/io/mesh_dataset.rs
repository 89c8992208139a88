//! Control meshes as datasets, with creases, corners and attributes as the named
//! arrays that reading a mesh looks for.

use std::borrow::Cow;
use std::collections::HashMap;

use super::dataset::{Array, Dataset, DatasetCells, MixedCells, PolyhedronFaces, vtk_type};
use crate::mesh::groups::face_group_array;
use crate::mesh::{CORNER_SHARPNESS, HIDDEN_CELL, PERIODS};
use crate::mesh::{CellArray, CellKind, Cells, Creases, FaceGroup, SolidMesh};

/// Field array, width 2: end vertices of each crease.
pub const CREASE_EDGES: &str = "crease_edges";
/// Field array: 1 where the points are control points of a part that was fitted.
pub const FITTED: &str = "limit_fitted";
/// Field array: sharpness of each crease, `inf` where infinitely sharp.
pub const CREASE_SHARPNESS: &str = "crease_sharpness";

impl From<&SolidMesh> for Dataset {
    /// Attributes become point arrays, cell data cell arrays; creases the field arrays
    /// `crease_edges` and `crease_sharpness`, a fit `limit_fitted`, periods `periods`, corners the
    /// point array `corner_sharpness`, where there are any. A corner at a vertex that does not exist is left
    /// out. Faces of groups become triangles, quads and polygons behind the cells, each once, with a
    /// 1 in the cell array `group:NAME` of each of their groups; other arrays are 0 or NaN there.
    fn from(mesh: &SolidMesh) -> Self {
        // an array without faces would be read as a group of cells
        let groups = mesh.face_groups.iter().filter(|group| !group.faces.is_empty());
        Self::with_tags(mesh, !mesh.creases.corners.is_empty(), &groups.collect::<Vec<_>>())
    }
}

impl Dataset {
    /// A piece of a mesh: the arrays of `corner_sharpness`, if any piece has corners, and of all
    /// its groups of faces are there, even if the piece has none, since all pieces have the same
    /// arrays.
    pub fn of_piece(mesh: &SolidMesh, any_corners: bool) -> Self {
        Self::with_tags(mesh, any_corners, &mesh.face_groups.iter().collect::<Vec<_>>())
    }

    fn with_tags(mesh: &SolidMesh, corners: bool, groups: &[&FaceGroup]) -> Self {
        let mut dataset = Self::new(mesh.points.clone(), dataset_cells(&mesh.cells));
        dataset
            .point_arrays
            .extend(mesh.attributes.iter().map(|a| Array::new(&a.name, a.width, a.values.clone())));
        dataset.cell_arrays.extend(mesh.cell_data.iter().map(Array::from));
        if !groups.is_empty() {
            push_face_groups(&mut dataset, groups);
        }
        let creases = &mesh.creases;
        if corners {
            dataset.point_arrays.push(corner_array(creases, mesh.points.len()));
        }
        dataset.field_arrays.extend(crease_arrays(creases));
        if mesh.is_fitted {
            dataset.field_arrays.push(Array::new(FITTED, 1, vec![1_u8]));
        }
        if !mesh.periods.is_empty() {
            dataset.field_arrays.push(Array::new(PERIODS, 3, mesh.periods.concat()));
        }
        dataset
    }
}

/// The point array of corners.
pub(super) fn corner_array(creases: &Creases, points: usize) -> Array {
    let mut sharpness = vec![0.0; points];
    for corner in &creases.corners {
        if let Some(slot) = sharpness.get_mut(corner.vertex.index()) {
            *slot = corner.sharpness;
        }
    }
    Array::new(CORNER_SHARPNESS, 1, sharpness)
}

/// The field arrays of creases, if there are any.
pub(super) fn crease_arrays(creases: &Creases) -> Vec<Array> {
    if creases.edges.is_empty() {
        return Vec::new();
    }
    let edges: Vec<i64> =
        creases.edges.iter().flat_map(|c| c.edge().map(|v| i64::from(v.0))).collect();
    let sharpness: Vec<f64> = creases.edges.iter().map(|c| c.sharpness).collect();
    vec![Array::new(CREASE_EDGES, 2, edges), Array::new(CREASE_SHARPNESS, 1, sharpness)]
}

impl From<&CellArray> for Array {
    fn from(array: &CellArray) -> Self {
        if array.group_name().is_some() || array.is_ghosts() {
            let member = if array.is_ghosts() { HIDDEN_CELL } else { 1 };
            let members = array.values.iter().map(|&x| if x == 0.0 { 0 } else { member });
            let members: Vec<u8> = members.collect();
            return Self::new(&array.name, 1, members);
        }
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

/// Appends the faces of groups as cells.
fn push_face_groups(dataset: &mut Dataset, groups: &[&FaceGroup]) {
    let count = dataset.cells.len();
    let mut numbers: HashMap<Vec<u32>, usize> = HashMap::new();
    let mut faces: Vec<&[u32]> = Vec::new();
    let mut members = Vec::new();
    for group in groups {
        let mut own = Vec::new();
        for face in group.faces.iter() {
            let mut key = face.to_vec();
            key.sort_unstable();
            own.push(*numbers.entry(key).or_insert_with(|| {
                faces.push(face);
                faces.len() - 1
            }));
        }
        members.push(own);
    }
    let mut mixed = match std::mem::take(&mut dataset.cells) {
        DatasetCells::Mixed(mixed) => mixed,
        DatasetCells::Uniform { vtk_type, size, connectivity } => MixedCells {
            vtk_types: vec![vtk_type; count],
            ends: (1..=count as i64).map(|end| end * size as i64).collect(),
            connectivity,
            faces: None,
        },
    };
    for face in &faces {
        mixed.vtk_types.push(match face.len() {
            3 => vtk_type::TRIANGLE,
            4 => vtk_type::QUAD,
            _ => vtk_type::POLYGON,
        });
        mixed.connectivity.extend_from_slice(face);
        mixed.ends.push(mixed.connectivity.len() as i64);
    }
    if let Some(polyhedra) = &mut mixed.faces {
        polyhedra.ends.resize(count + faces.len(), -1);
    }
    dataset.cells = DatasetCells::Mixed(mixed);
    for array in &mut dataset.cell_arrays {
        array.data.resize((count + faces.len()) * array.width);
    }
    for (group, own) in groups.iter().zip(members) {
        let name = face_group_array(&group.name);
        let known = dataset.cell_arrays.iter().position(|array| array.name == name);
        let at = known.unwrap_or_else(|| {
            dataset.cell_arrays.push(Array::new(&name, 1, vec![0_u8; count + faces.len()]));
            dataset.cell_arrays.len() - 1
        });
        // an array of cells may have the name of the group, and be of any type
        let data = &mut dataset.cell_arrays[at].data;
        let mut is_member = vec![false; faces.len()];
        own.into_iter().for_each(|face| is_member[face] = true);
        (count..).zip(is_member).for_each(|(cell, is_member)| data.set(cell, is_member.into()));
    }
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
