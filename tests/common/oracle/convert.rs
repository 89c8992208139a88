//! The one place that knows the library: its meshes read into the oracle's.

use subsolid::mesh::SolidMesh;

use super::solid::{Cell, Solid};
use super::surface::edge;

pub fn solid(mesh: &SolidMesh) -> Solid {
    let cell = |c: usize| match mesh.cells.hexahedron(c) {
        Some(corners) => Cell::Hexahedron(corners.map(|v| v as usize)),
        None => {
            let corners = mesh.cells.vertices(c).iter().map(|&v| v as usize).collect();
            let mut faces = Vec::new();
            mesh.cells
                .for_each_face(c, |face| faces.push(face.iter().map(|&v| v as usize).collect()));
            Cell::Polyhedron { corners, faces }
        }
    };
    let mut solid = Solid::new(mesh.points.clone(), (0..mesh.cells.len()).map(cell).collect());
    for crease in &mesh.creases.edges {
        let [a, b] = crease.edge().map(|v| v.index());
        solid.creases.insert(edge(a, b), crease.sharpness);
    }
    for corner in &mesh.creases.corners {
        solid.corners.insert(corner.vertex.index(), corner.sharpness);
    }
    solid
}
