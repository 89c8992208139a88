//! Rank 0 sends the others their blocks of a mesh.

use serde::{Deserialize, Serialize};

use super::exchange::{
    check_ended, next_cell, next_count, next_face, next_id, next_ids, next_number, next_numbers,
    push_cell, push_numbers,
};
use crate::cluster::{Ranks, block};
use crate::error::{Error, Result};
use crate::mesh::{Attribute, CellArray, Crease, FaceGroup, Polygons, SolidMesh, VertexId};

/// Names and sizes that all ranks have.
#[derive(Serialize, Deserialize)]
struct MeshHead {
    cells: usize,
    vertices: usize,
    // with widths
    attributes: Vec<(String, usize)>,
    // with widths and whether they are integers
    cell_data: Vec<(String, usize, bool)>,
    groups: Vec<String>,
}

/// The block of this rank of the mesh of rank 0, and the numbers of its cells and vertices. One
/// block after another is sent, so that rank 0 has no second mesh in messages.
pub(super) fn blocks(
    ranks: &Ranks<'_>,
    mesh: Option<SolidMesh>,
) -> Result<(SolidMesh, [usize; 2])> {
    let (mut own, counts) = common(ranks, mesh.as_ref())?;
    type Pack = fn(&SolidMesh, [usize; 2]) -> Vec<u8>;
    type Unpack = fn(&mut SolidMesh, &[u8]) -> Result<()>;
    let rounds: [(Pack, Unpack); 2] = [(cells_of, take_cells), (vertices_of, take_vertices)];
    for rank in 0..ranks.size() {
        for (pack, unpack) in rounds {
            let mut to = vec![Vec::new(); ranks.size()];
            if let Some(mesh) = &mesh {
                to[rank] = pack(mesh, [rank, ranks.size()]);
            }
            let from = ranks.all_to_all(Ok(to))?;
            if rank == ranks.rank() {
                unpack(&mut own, &from[0])?;
            }
        }
    }
    let [cells, vertices] = counts.map(|count| block(count, ranks.rank(), ranks.size()).len());
    if own.cells.len() != cells || own.points.len() != vertices {
        return Err(Error::broken_message());
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

fn take_cells(own: &mut SolidMesh, bytes: &[u8]) -> Result<()> {
    let mut rest = bytes;
    while !rest.is_empty() {
        next_cell(&mut rest, &mut own.cells)?;
        for array in &mut own.cell_data {
            push_numbers(&mut array.values, &mut rest, array.width)?;
        }
    }
    Ok(())
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

fn take_vertices(own: &mut SolidMesh, bytes: &[u8]) -> Result<()> {
    let width = 3 + own.attributes.iter().map(|a| a.width).sum::<usize>();
    let count = bytes.len() / (8 * width);
    let mut rest = bytes;
    own.points.reserve_exact(count);
    for _ in 0..count {
        own.points.push(next_numbers(&mut rest)?);
    }
    for attribute in &mut own.attributes {
        push_numbers(&mut attribute.values, &mut rest, attribute.width * count)?;
    }
    check_ended(rest)
}

/// The names of the arrays and what all ranks have of the mesh of rank 0, and the numbers of its
/// cells and vertices.
fn common(ranks: &Ranks<'_>, mesh: Option<&SolidMesh>) -> Result<(SolidMesh, [usize; 2])> {
    let none = SolidMesh::default();
    let mesh = mesh.unwrap_or(&none);
    let head = MeshHead {
        cells: mesh.cells.len(),
        vertices: mesh.points.len(),
        attributes: mesh.attributes.iter().map(|a| (a.name.clone(), a.width)).collect(),
        cell_data: mesh.cell_data.iter().map(|a| (a.name.clone(), a.width, a.integers)).collect(),
        groups: mesh.face_groups.iter().map(|group| group.name.clone()).collect(),
    };
    let text = serde_json::to_vec(&head).map_err(|_| Error::broken_message());
    let text = ranks.broadcast(text)?;
    let head: MeshHead = serde_json::from_slice(&text).map_err(|_| Error::broken_message())?;
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
        bytes.extend(crease.edge().map(|v| v.0.to_ne_bytes()).as_flattened());
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
    for _ in 0..next_count(&mut rest)? {
        let edge = next_ids(&mut rest)?.map(VertexId);
        block.creases.edges.push(Crease::new(edge, next_number(&mut rest)?));
    }
    for _ in 0..next_count(&mut rest)? {
        block.creases.push_corner(next_id(&mut rest)?, next_number(&mut rest)?);
    }
    for name in head.groups {
        let mut faces = Polygons::default();
        for _ in 0..next_count(&mut rest)? {
            faces.push(&next_face(&mut rest)?);
        }
        block.face_groups.push(FaceGroup::new(name, faces));
    }
    check_ended(rest)?;
    Ok((block, [head.cells, head.vertices]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertices_that_are_cut_short_are_refused() {
        let attribute = |values| Attribute { name: "t".into(), width: 2, values };
        let mesh = SolidMesh {
            points: vec![[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]],
            attributes: vec![attribute(vec![6.0, 7.0, 8.0, 9.0])],
            ..SolidMesh::default()
        };
        let none = || SolidMesh { attributes: vec![attribute(Vec::new())], ..SolidMesh::default() };
        let (bytes, mut found) = (vertices_of(&mesh, [0, 1]), none());
        take_vertices(&mut found, &bytes).unwrap();
        assert_eq!((found.points, found.attributes), (mesh.points, mesh.attributes));
        for length in (1..bytes.len()).filter(|length| length % 40 != 0) {
            assert!(take_vertices(&mut none(), &bytes[..length]).is_err(), "{length} bytes");
        }
    }
}
