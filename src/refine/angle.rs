//! Creases by the angle between boundary faces.

use nalgebra::Vector3;

use crate::error::{Error, Result};
use crate::mesh::{SolidMesh, area_normal};
use crate::topology::{Orientation, Topology};

/// Tags boundary edges as sharp at all levels where the outward normals of their two
/// boundary faces differ by more than `degrees`; returns how many were tagged.
///
/// Edges that have a sharpness keep it, 0 too. Corners need no tags: a vertex of three or
/// more sharp edges stays in place by the rules.
///
/// # Errors
/// [`Error::Request`] for an angle outside [0, 180]; [`Error::Mesh`] for cells that are not valid,
/// or without a common orientation.
pub fn crease_by_angle(mesh: &mut SolidMesh, degrees: f64) -> Result<usize> {
    let found = turning_edges(mesh, degrees)?;
    found.iter().for_each(|&[a, b]| mesh.creases.push_edge(a, b, f64::INFINITY));
    Ok(found.len())
}

/// Boundary edges without a sharpness where the outward normals of their two boundary faces differ
/// by more than `degrees`: their vertices, the lower first.
///
/// # Errors
/// As [`crease_by_angle`].
pub fn turning_edges(mesh: &SolidMesh, degrees: f64) -> Result<Vec<[u32; 2]>> {
    if !(0.0..=180.0).contains(&degrees) {
        return Err(Error::request(format!("a crease angle of {degrees} degrees: out of range"))
            .with_help("give an angle from 0 to 180, for instance 40"));
    }
    let topology = Topology::of_mesh(mesh)?;
    topology.validate(&mesh.points)?;
    let orientation = Orientation::new(&topology, &mesh.points)?;
    let mut known: Vec<[u32; 2]> =
        mesh.creases.edges.iter().map(|crease| crease.edge().map(|v| v.0)).collect();
    known.sort_unstable();
    let limit = degrees.to_radians();
    let mut found = Vec::new();
    for edge in (0..topology.edge_count() as u32).filter(|&e| topology.is_boundary_edge(e)) {
        let mut faces = topology.edge_faces(edge).iter().filter(|&&f| topology.is_boundary_face(f));
        let (Some(&a), Some(&b)) = (faces.next(), faces.next()) else { continue };
        let ends = topology.edge_vertices(edge);
        let [a, b] = [a, b].map(|face| {
            let cycle: Vec<u32> = orientation.outward_cycle(&topology, face).collect();
            area_normal(&mesh.points, &cycle)
        });
        if angle_between(a, b) > limit && known.binary_search(&ends).is_err() {
            found.push(ends);
        }
    }
    Ok(found)
}

/// Angle between two vectors in radians; 0 if one of them is zero.
pub(crate) fn angle_between(a: Vector3<f64>, b: Vector3<f64>) -> f64 {
    // of unit length first: products of areas would overflow or vanish in very large and small
    // models
    let [a, b] = [a, b].map(|normal| normal.try_normalize(0.0).unwrap_or_default());
    a.cross(&b).norm().atan2(a.dot(&b))
}
