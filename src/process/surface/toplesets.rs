//! Geodesic distance by toplesets: Romero Calla, Fuentes Perez and Montenegro, "A minimalistic
//! approach for fast computation of geodesic distances on triangular meshes" (2019).
//!
//! Sweeps go from the sources over the mesh, a level set further each, and update vertices from the
//! triangles at them, all at once, until values stay. The paper sweeps over all level sets from the
//! first that still changes; here a sweep visits only the neighbors of vertices that the last one
//! changed, since no others would change. The update of a triangle is for a front that is
//! straight in it (Kimmel and Sethian 1998, by eq. (3) of the paper).

use nalgebra::Vector3;
use rayon::prelude::*;

use super::triangles;
use crate::error::IdKind::Vertex;
use crate::error::{Error, Result};
use crate::mesh::SurfaceMesh;
use crate::process::components::{check_reach, leave_unused};
use crate::query::{Op, Query, QueryStrategy};

/// Relative change below which neighbors are not updated.
const TOLERANCE: f64 = 1e-12;

/// Distance of every vertex to the nearest of `sources`, in length units; NaN at vertices of no
/// face.
///
/// # Errors
/// [`Error::Mesh`] for a face that is not a triangle or has no area; [`Error::Request`] for
/// sources that do not exist, and vertices that no face joins to one.
pub fn toplesets(mesh: &SurfaceMesh, sources: &[u32]) -> Result<Vec<f64>> {
    let faces = triangles(mesh)?;
    let count = mesh.points.len();
    check_reach(count, faces.iter().map(|f| &f[..]), sources.iter().copied())?;
    let query = Query::of_surface(&mesh.without_holes(), QueryStrategy::Unordered)?;
    let (neighbors, at_vertex) = (query.rows(Op::VV)?, query.rows(Op::VF)?);
    let mut distance = vec![f64::INFINITY; count];
    sources.iter().for_each(|&v| distance[v as usize] = 0.0);
    // the last sweep of each vertex
    let mut sweeps = vec![0_u32; count];
    let mut changed = sources.to_vec();
    for sweep in 1.. {
        let mut vertices = Vec::new();
        for &v in changed.iter().flat_map(|&v| neighbors.row(v as usize)) {
            if std::mem::replace(&mut sweeps[v as usize], sweep) != sweep {
                vertices.push(v);
            }
        }
        if vertices.is_empty() {
            break;
        }
        let found: Vec<f64> = vertices
            .par_iter()
            .with_min_len(256)
            .map(|&v| {
                let rows = at_vertex.row(v as usize).iter();
                let candidates = rows.map(|&f| update(mesh, &faces[f as usize], v, &distance));
                candidates.fold(distance[v as usize], f64::min)
            })
            .collect();
        changed.clear();
        for (&v, new) in vertices.iter().zip(found) {
            let old = std::mem::replace(&mut distance[v as usize], new);
            if old > new + TOLERANCE * new {
                changed.push(v);
            }
        }
    }
    let reached = |v: usize| at_vertex.row(v).is_empty() || distance[v].is_finite();
    (0..count).find(|&v| !reached(v)).map_or(Ok(()), |v| {
        Err(Error::mesh(message!("no distance reaches ", Vertex.id(v)))
            .with_help("look for faces without area around it"))
    })?;
    leave_unused(&mut distance, faces.as_flattened());
    Ok(distance)
}

/// The distance of a corner of a triangle from the distances of the other two.
fn update(mesh: &SurfaceMesh, face: &[u32; 3], v: u32, distance: &[f64]) -> f64 {
    let k = face.iter().position(|&other| other == v).unwrap_or(0);
    let others = [face[(k + 1) % 3], face[(k + 2) % 3]];
    let at = |v: u32| Vector3::from(mesh.points[v as usize]);
    let [a, b] = others.map(|other| at(other) - at(v));
    let [s, t] = others.map(|other| distance[other as usize]);
    let straight = (s + a.norm()).min(t + b.norm());
    if !s.is_finite() || !t.is_finite() {
        return straight;
    }
    // Q: inverse of the Gram matrix of a and b
    let (aa, ab, bb) = (a.dot(&a), a.dot(&b), b.dot(&b));
    let determinant = aa * bb - ab * ab;
    let (qa, qab, qb) = (bb / determinant, -ab / determinant, aa / determinant);
    let sum = qa + 2.0 * qab + qb;
    let half = s * (qa + qab) + t * (qab + qb);
    let rest = s * s * qa + 2.0 * s * t * qab + t * t * qb - 1.0;
    let discriminant = half * half - sum * rest;
    if discriminant < 0.0 {
        return straight;
    }
    let p = (half + discriminant.sqrt()) / sum;
    // the front must come through the triangle
    let (ca, cb) = (qa * (s - p) + qab * (t - p), qab * (s - p) + qb * (t - p));
    if ca < 0.0 && cb < 0.0 { p } else { straight }
}
