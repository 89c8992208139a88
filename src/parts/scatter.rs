//! Rank 0 sends the others their blocks of a mesh.

use serde::{Deserialize, Serialize};

use super::exchange::{next_cell, next_count, next_id, next_number, numbers, push_cell};
use crate::cluster::{Ranks, block};
use crate::error::{Error, Result};
use crate::mesh::{Attribute, CellArray, Crease, FaceGroup, Polygons, SolidMesh, VertexId};

/// Names and sizes that all ranks have.
#[derive(Serialize, Deserialize)]
struct Head {
    cells: usize,
    vertices: usize,
    // with widths
    attributes: Vec<(String, usize)>,
    // with widths and whether they are integers
    cell_data: Vec<(String, usize, bool)>,
    groups: Vec<String>,
}

/// The block of this rank of the mesh of rank 0, and the numbers of its cells and vertices. One block
/// after another is sent, so that rank 0 has no second mesh in messages.
pub(super) fn blocks(
    ranks: &Ranks<'_>,
    mesh: Option<SolidMesh>,
) -> Result<(SolidMesh, [usize; 2])> {
    let (mut own, counts) = common(ranks, mesh.as_ref())?;
    type Pack = fn(&SolidMesh, [usize; 2]) -> Vec<u8>;
    type Unpack = fn(&mut SolidMesh, &[u8]);
    let rounds: [(Pack, Unpack); 2] = [(cells_of, take_cells), (vertices_of, take_vertices)];
    for rank in 0..ranks.size() {
        for (pack, unpack) in rounds {
            let mut to = vec![Vec::new(); ranks.size()];
            if let Some(mesh) = &mesh {
                to[rank] = pack(mesh, [rank, ranks.size()]);
            }
            let from = ranks.all_to_all(Ok(to))?;
            if rank == ranks.rank() {
                unpack(&mut own, &from[0]);
            }
        }
    }
    Ok((own, counts))
}

/// The cells of a rank with their data.
fn cells_of(mesh: &SolidMesh, [rank, size]: [usize; 2]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for c in block(mesh.cells.len(), rank, size) {
        push_cell(&mut bytes, &mesh.cells, c);
        for array in &mesh.cell_data {
            let row = &array.values[c * array.width..][..array.width];
            bytes.extend_from_slice(bytemuck::cast_slice(row));
        }
    }
    bytes
}

fn take_cells(own: &mut SolidMesh, bytes: &[u8]) {
    let mut rest = bytes;
    while !rest.is_empty() {
        next_cell(&mut rest, &mut own.cells);
        for array in &mut own.cell_data {
            array.values.extend((0..array.width).map(|_| next_number(&mut rest)));
        }
    }
}

/// The points of a rank, then one attribute after another.
fn vertices_of(mesh: &SolidMesh, [rank, size]: [usize; 2]) -> Vec<u8> {
    let own = block(mesh.points.len(), rank, size);
    let mut bytes = bytemuck::cast_slice(&mesh.points[own.clone()]).to_vec();
    for attribute in &mesh.attributes {
        let values = &attribute.values[own.start * attribute.width..own.end * attribute.width];
        bytes.extend_from_slice(bytemuck::cast_slice(values));
    }
    bytes
}

fn take_vertices(own: &mut SolidMesh, bytes: &[u8]) {
    let width = 3 + own.attributes.iter().map(|a| a.width).sum::<usize>();
    let count = bytes.len() / (8 * width);
    let (points, rest) = bytes.split_at(24 * count);
    let mut rest = numbers(rest);
    let mut points = numbers(points);
    own.points = (0..count).map(|_| [(); 3].map(|()| points.next().unwrap_or_default())).collect();
    for attribute in &mut own.attributes {
        attribute.values = rest.by_ref().take(attribute.width * count).collect();
    }
}

/// The names of the arrays and what all ranks have of the mesh of rank 0, and the numbers of its cells
/// and vertices.
fn common(ranks: &Ranks<'_>, mesh: Option<&SolidMesh>) -> Result<(SolidMesh, [usize; 2])> {
    let none = SolidMesh::default();
    let mesh = mesh.unwrap_or(&none);
    let head = Head {
        cells: mesh.cells.len(),
        vertices: mesh.points.len(),
        attributes: mesh.attributes.iter().map(|a| (a.name.clone(), a.width)).collect(),
        cell_data: mesh.cell_data.iter().map(|a| (a.name.clone(), a.width, a.integers)).collect(),
        groups: mesh.face_groups.iter().map(|group| group.name.clone()).collect(),
    };
    let text = serde_json::to_vec(&head).map_err(|e| Error::request(e.to_string()));
    let text = ranks.broadcast(text)?;
    let head: Head = serde_json::from_slice(&text).map_err(|e| Error::request(e.to_string()))?;
    let attribute = |(name, width)| Attribute { name, width, values: Vec::new() };
    let array = |(name, width, integers)| CellArray { name, width, values: Vec::new(), integers };
    let mut block = SolidMesh {
        attributes: head.attributes.into_iter().map(attribute).collect(),
        cell_data: head.cell_data.into_iter().map(array).collect(),
        ..SolidMesh::default()
    };
    let mut bytes = Vec::new();
    bytes.extend((mesh.creases.edges.len() as u64).to_ne_bytes());
    for crease in &mesh.creases.edges {
        bytes.extend(crease.edge.map(|v| v.0.to_ne_bytes()).as_flattened());
        bytes.extend(crease.sharpness.to_ne_bytes());
    }
    bytes.extend((mesh.creases.corners.len() as u64).to_ne_bytes());
    for corner in &mesh.creases.corners {
        bytes.extend(corner.vertex.0.to_ne_bytes());
        bytes.extend(corner.sharpness.to_ne_bytes());
    }
    for group in &mesh.face_groups {
        bytes.extend((group.faces.len() as u64).to_ne_bytes());
        for face in group.faces.iter() {
            bytes.extend((face.len() as u32).to_ne_bytes());
            bytes.extend_from_slice(bytemuck::cast_slice(face));
        }
    }
    let bytes = ranks.broadcast(Ok(bytes))?;
    let mut rest = &bytes[..];
    for _ in 0..next_count(&mut rest) {
        let edge = [(); 2].map(|()| VertexId(next_id(&mut rest)));
        block.creases.edges.push(Crease { edge, sharpness: next_number(&mut rest) });
    }
    for _ in 0..next_count(&mut rest) {
        block.creases.push_corner(next_id(&mut rest), next_number(&mut rest));
    }
    for name in head.groups {
        let mut faces = Polygons::default();
        for _ in 0..next_count(&mut rest) {
            let corners = next_id(&mut rest);
            faces.push(&(0..corners).map(|_| next_id(&mut rest)).collect::<Vec<_>>());
        }
        block.face_groups.push(FaceGroup::new(name, faces));
    }
    Ok((block, [head.cells, head.vertices]))
}
