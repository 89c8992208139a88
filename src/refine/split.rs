//! Cells that meet in an edge or a vertex only, taken apart.

use std::collections::{BTreeSet, HashMap};

use crate::error::Result;
use crate::mesh::{Cells, Creases, SolidMesh};
use crate::topology::{NONE, Topology};

/// Gives every part of the cells at a vertex that do not meet across faces there a vertex of its
/// own; returns how many vertices were added, behind the others. The part of the cell with the
/// smallest id keeps the vertex. Attributes, creases, corners and groups go along.
///
/// # Errors
/// As [`Topology::build`].
pub fn split_nonmanifold(mesh: &mut SolidMesh) -> Result<usize> {
    let topology = Topology::build(mesh.cells.clone(), mesh.points.len())?;
    // the new vertex of a cell in place of another, and the vertices that were doubled
    let mut split = HashMap::<(u32, u32), u32>::new();
    let mut sources: Vec<u32> = (0..mesh.points.len() as u32).collect();
    for v in 0..mesh.points.len() as u32 {
        let (parts, count) = topology.parts_at(v);
        let first = sources.len() as u32;
        sources.extend((1..count).map(|_| v));
        for (&cell, part) in topology.vertex_cells(v).iter().zip(parts) {
            if part > 0 {
                split.insert((cell, v), first + part - 1);
            }
        }
    }
    let added = sources.len() - mesh.points.len();
    if added == 0 {
        return Ok(0);
    }
    let of_cell = |cell: u32, v: u32| split.get(&(cell, v)).copied().unwrap_or(v);
    let mut cells = Cells::default();
    (0..mesh.cells.len()).for_each(|c| cells.push_from(&mesh.cells, c, |v| of_cell(c as u32, v)));
    let cells_at = |vertices: &[u32]| -> Vec<u32> {
        let has_all = |&&c: &&u32| {
            let own = mesh.cells.vertices(c as usize);
            vertices.iter().all(|v| own.contains(v))
        };
        let at = vertices.first().map_or(&[][..], |&v| topology.vertex_cells(v));
        at.iter().filter(has_all).copied().collect()
    };
    let mut creases = Creases::default();
    for crease in &mesh.creases.edges {
        let ends = crease.edge().map(|v| v.0);
        let images = cells_at(&ends).into_iter().map(|c| ends.map(|v| of_cell(c, v)));
        for [a, b] in images.collect::<BTreeSet<_>>() {
            creases.push_edge(a, b, crease.sharpness);
        }
    }
    for corner in &mesh.creases.corners {
        let v = corner.vertex.0;
        let images = cells_at(&[v]).into_iter().map(|c| of_cell(c, v));
        for v in images.collect::<BTreeSet<_>>() {
            creases.push_corner(v, corner.sharpness);
        }
    }
    for group in &mut mesh.face_groups {
        let mut faces = crate::mesh::Polygons::default();
        for face in group.faces.iter() {
            let cell = topology.face_with(face).map_or(NONE, |f| topology.face_cells(f)[0]);
            faces.push(&face.iter().map(|&v| of_cell(cell, v)).collect::<Vec<_>>());
        }
        group.faces = faces;
    }
    (mesh.cells, mesh.creases) = (cells, creases);
    mesh.points = sources.iter().map(|&v| mesh.points[v as usize]).collect();
    for attribute in &mut mesh.attributes {
        *attribute = attribute.of_vertices(&sources);
    }
    Ok(added)
}
