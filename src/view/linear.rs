//! Trilinear hexahedra: corners, and the sides on the boundary.

use super::lattice::push_values;
use super::scene::Scene;
use crate::mesh::SolidMesh;
use crate::topology::Topology;

/// Adds `vertex` positions, the `corner` vertices of each cell in VTK's order, the boundary as
/// `element` and `side` (axis, and 4 at the high end) of each face, `attribute K` of the vertices.
pub fn push(scene: &mut Scene, mesh: &SolidMesh, hexahedra: &[[u32; 8]], topology: &Topology) {
    let points: Vec<f32> = mesh.points.iter().flat_map(|p| scene.local(p)).collect();
    scene.shell.push("vertex", &points);
    scene.shell.push("corner", hexahedra.as_flattened());
    let (mut elements, mut sides) = (Vec::new(), Vec::new());
    for cell in 0..hexahedra.len() as u32 {
        for (k, &face) in topology.cell_faces(cell).iter().enumerate() {
            if topology.is_boundary_face(face) {
                elements.push(cell);
                sides.push((k / 2 + 4 * (k % 2)) as u8);
            }
        }
    }
    scene.shell.push("element", &elements);
    scene.shell.push("side", &sides);
    let mut number = 0;
    for attribute in &mesh.attributes {
        for component in 0..attribute.width {
            let values = attribute.values.iter().skip(component).step_by(attribute.width);
            let values: Vec<f64> = values.copied().collect();
            push_values(&mut scene.shell, &format!("attribute {number}"), &values);
            number += 1;
        }
    }
}
