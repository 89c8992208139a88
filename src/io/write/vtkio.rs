//! Control meshes in the data model of the crate `vtkio`.

use ::vtkio::model::{
    Attribute, Attributes, ByteOrder, CellType, Cells, DataArray, DataSet, FieldArray, IOBuffer,
    PolyDataPiece, UnstructuredGridPiece, Version, VertexNumbers, Vtk,
};

use crate::error::{Error, Result};
use crate::io::{
    Array, ArrayData, CORNER_SHARPNESS, CREASE_EDGES, CREASE_SHARPNESS, Dataset, DatasetCells,
    SurfaceFormat,
};
use crate::mesh::{self, CellKind, Creases, SolidMesh, SurfaceMesh};

/// `mesh` as an unstructured grid of one piece, polyhedra as face streams, faces of groups behind
/// the cells as in [`Dataset`]. Attributes and `corner_sharpness` are point arrays, cell data cell
/// arrays; `crease_edges` and `crease_sharpness` are arrays of a field in the point data, as
/// [`solid`](crate::io::vtkio::solid) takes them.
///
/// # Errors
/// If lists of cells exceed 2³² numbers, or a corner names no vertex.
pub fn from_solid(mesh: &SolidMesh) -> Result<Vtk> {
    let mut vertices = Vec::new();
    let mut types = Vec::with_capacity(mesh.cells.len());
    for c in 0..mesh.cells.len() {
        let kind = mesh.cells.kind(c);
        let count_at = vertices.len();
        vertices.push(0);
        if kind == CellKind::Polyhedron {
            vertices.push(0);
            mesh.cells.for_each_face(c, |face| {
                vertices[count_at + 1] += 1;
                vertices.push(face.len() as u32);
                vertices.extend_from_slice(face);
            });
        } else {
            vertices.extend_from_slice(mesh.cells.vertices(c));
        }
        vertices[count_at] = (vertices.len() - count_at - 1) as u32;
        types.push(match kind {
            CellKind::Hexahedron => CellType::Hexahedron,
            CellKind::Tetrahedron => CellType::Tetra,
            CellKind::Wedge => CellType::Wedge,
            CellKind::Polyhedron => CellType::Polyhedron,
        });
    }
    let dataset = Dataset::from(mesh);
    for face in faces_behind(&dataset.cells, mesh.cells.len()) {
        vertices.push(face.len() as u32);
        vertices.extend_from_slice(face);
        types.push(match face.len() {
            3 => CellType::Triangle,
            4 => CellType::Quad,
            _ => CellType::Polygon,
        });
    }
    let mut point: Vec<Attribute> = mesh.attributes.iter().map(array).collect();
    point.extend(sharpness(&mesh.creases, mesh.points.len())?);
    let cell_verts = legacy(vertices, types.len())?;
    Ok(file(UnstructuredGridPiece {
        points: points(&mesh.points),
        cells: Cells { cell_verts, types },
        data: Attributes { point, cell: dataset.cell_arrays.into_iter().map(cell_array).collect() },
    }))
}

/// `mesh` as polygons of one piece, attributes, corners and creases as in [`from_solid`].
///
/// # Errors
/// If the mesh holds what polygon data cannot ([`SurfaceFormat::losses`] of `.vtp` files), lists of
/// faces exceed 2³² numbers, or a corner names no vertex.
pub fn from_surface(mesh: &SurfaceMesh) -> Result<Vtk> {
    let losses = SurfaceFormat::Vtp.losses(mesh);
    if !losses.is_empty() {
        return Err(Error::mesh(format!("polygon data cannot hold {}", losses.join(", ")))
            .with_help("take them out of the mesh and keep them beside"));
    }
    let mut point: Vec<Attribute> = mesh.attributes.iter().map(array).collect();
    point.extend(sharpness(&mesh.creases, mesh.points.len())?);
    let faces = mesh
        .faces
        .iter()
        .flat_map(|face| std::iter::once(face.len() as u32).chain(face.iter().copied()));
    Ok(file(PolyDataPiece {
        points: points(&mesh.points),
        polys: Some(legacy(faces.collect(), mesh.faces.len())?),
        data: Attributes { point, cell: Vec::new() },
        ..PolyDataPiece::default()
    }))
}

fn file(piece: impl Into<DataSet>) -> Vtk {
    Vtk {
        version: Version::Auto,
        title: "subsolid".into(),
        byte_order: ByteOrder::BigEndian,
        data: piece.into(),
        file_path: None,
    }
}

fn points(points: &[[f64; 3]]) -> IOBuffer {
    IOBuffer::F64(points.as_flattened().to_vec())
}

/// Cells of a dataset after the first `count`.
fn faces_behind(cells: &DatasetCells, count: usize) -> impl Iterator<Item = &[u32]> {
    let (ends, connectivity) = match cells {
        DatasetCells::Mixed(mixed) => (&mixed.ends[..], &mixed.connectivity[..]),
        DatasetCells::Uniform { .. } => (&[][..], &[][..]),
    };
    let (before, behind) = ends.split_at(count.min(ends.len()));
    let mut start = before.last().map_or(0, |&end| end as usize);
    behind.iter().map(move |&end| {
        let face = start..end as usize;
        start = face.end;
        &connectivity[face]
    })
}

fn cell_array(array: Array) -> Attribute {
    let values = match array.data {
        ArrayData::F32(values) => IOBuffer::F32(values),
        ArrayData::F64(values) => IOBuffer::F64(values),
        ArrayData::I32(values) => IOBuffer::I32(values),
        ArrayData::I64(values) => IOBuffer::I64(values),
        ArrayData::U8(values) => IOBuffer::U8(values),
    };
    Attribute::DataArray(DataArray::new(&array.name, array.width as u32).with_buf(values))
}

fn array(attribute: &mesh::Attribute) -> Attribute {
    let array = DataArray::new(&attribute.name, attribute.width as u32);
    Attribute::DataArray(array.with_buf(IOBuffer::F64(attribute.values.clone())))
}

/// Lists of cells: the length of each, then its numbers.
fn legacy(vertices: Vec<u32>, cells: usize) -> Result<VertexNumbers> {
    match u32::try_from(vertices.len()) {
        Ok(_) => Ok(VertexNumbers::Legacy { num_cells: cells as u32, vertices }),
        Err(_) => {
            Err(Error::mesh("the cells have more than 4294967295 corners")
                .with_help("split the mesh"))
        }
    }
}

/// Arrays of the corners and creases, where there are any.
fn sharpness(creases: &Creases, points: usize) -> Result<Vec<Attribute>> {
    let mut arrays = Vec::new();
    if !creases.corners.is_empty() {
        let mut values = vec![0.0; points];
        for corner in &creases.corners {
            let Some(value) = values.get_mut(corner.vertex.index()) else {
                return Err(Error::mesh(format!("a corner names {}", corner.vertex))
                    .with_help("name a vertex of the mesh"));
            };
            *value = corner.sharpness;
        }
        arrays.push(array(&mesh::Attribute { name: CORNER_SHARPNESS.into(), width: 1, values }));
    }
    if !creases.edges.is_empty() {
        let edges = creases.edges.iter().flat_map(|crease| crease.edge().map(|v| v.0)).collect();
        let sharpness = creases.edges.iter().map(|crease| crease.sharpness).collect();
        arrays.push(Attribute::field("creases").with_field_data([
            FieldArray::new(CREASE_EDGES, 2).with_buf(IOBuffer::U32(edges)),
            FieldArray::new(CREASE_SHARPNESS, 1).with_buf(IOBuffer::F64(sharpness)),
        ]));
    }
    Ok(arrays)
}
