//! Limit positions and normals at the vertices of a mesh.

use std::borrow::Cow;

use super::Scheme;
use super::limit::connectivity::masks_of;
use super::limit::{Faces, LimitSurface};
use super::manifold::touching_vertices;
use super::matrix::{Columns, MeshMatrix};
use super::plan::SurfacePlan;
use super::result::{Refined, assemble_with_holes};
use super::sharpness::boundary_corners;
use crate::error::{Error, Result};
use crate::mesh::{BoundaryRule, CreaseRule, SurfaceMesh};
use crate::scheme::NonManifold;

/// The limit at the vertices of a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct VertexLimits {
    /// Where each vertex goes, in length units.
    pub positions: Vec<[f64; 3]>,
    /// Unit normals; NaN where there is no tangent plane.
    pub normals: Vec<[f64; 3]>,
}

/// The limit that further refinement of `mesh` takes its vertices to.
///
/// Faces that are holes still serve their neighbours: give the mesh with them
/// ([`SurfacePlan::vertex_limits`] does so for a refined one, which has lost them).
///
/// # Errors
/// [`Error::Request`] for √3, whose limit has no masks here, and for Loop on what is no
/// surface, where refinement smooths what the limit keeps; those of [`LimitSurface::new`].
pub fn vertex_limits(mesh: &SurfaceMesh, scheme: Scheme) -> Result<VertexLimits> {
    let masks = limit_surface(mesh, scheme, mesh.crease_rule, 0)?.vertex_masks();
    let (positions, normals) =
        (masks.limit_positions(&mesh.points)?, masks.limit_normals(&mesh.points)?);
    Ok(VertexLimits { positions, normals })
}

/// The limit of a mesh with all its tags, refined around features to `isolation` levels.
pub(super) fn limit_surface(
    mesh: &SurfaceMesh,
    scheme: Scheme,
    rule: CreaseRule,
    isolation: usize,
) -> Result<LimitSurface> {
    masks_of(scheme)?;
    mesh.check_control()?;
    let columns = Columns::of(&mesh.faces);
    let is_smoothed = scheme.rules().non_manifold() == NonManifold::FirstTwo;
    let needs_matrix = is_smoothed || mesh.boundary == BoundaryRule::EdgesAndCorners;
    let mut creases = Cow::Borrowed(&mesh.creases);
    if needs_matrix {
        let matrix = MeshMatrix::build(mesh.points.len(), columns, mesh.faces.vertices().to_vec());
        if is_smoothed {
            let (edges, vertices) =
                (matrix.non_manifold_edges.len(), touching_vertices(&matrix).len());
            if edges + vertices > 0 {
                return Err(Error::request(format!(
                    "limit points of {} on what is no surface: {edges} edges of more than two \
                     faces, {vertices} vertices where surfaces only touch",
                    scheme.rules().name()
                ))
                .with_help("refine without the limit, or take Catmull-Clark"));
            }
        }
        let ends = boundary_corners(mesh, &matrix);
        if !ends.is_empty() {
            let creases = creases.to_mut();
            ends.into_iter().for_each(|v| creases.push_corner(v, f64::INFINITY));
        }
    }
    let ends = mesh.faces.ends().map(|end| end as u32);
    let offsets: Vec<u32> = std::iter::once(0).chain(ends).collect();
    let faces = Faces {
        vertex_count: mesh.points.len(),
        offsets: &offsets,
        corners: mesh.faces.vertices(),
        creases: &creases,
        crease_rule: rule,
    };
    LimitSurface::isolated(&faces, scheme, isolation)
}

/// The limit of all vertices of `fine`, the refined mesh of `mesh`, beside holes as well:
/// their faces are left out of a result, but still shape what is beside them.
pub(crate) fn limits_of(
    refined: &mut impl Refined,
    mesh: &SurfaceMesh,
    fine: &SurfaceMesh,
) -> Result<VertexLimits> {
    let scheme = refined.options().scheme;
    if super::holes::all(mesh).is_empty() {
        return vertex_limits(fine, scheme);
    }
    vertex_limits(&assemble_with_holes(refined, mesh)?, scheme)
}

impl SurfacePlan {
    /// The limit of all vertices of `refined`, the refined mesh of `mesh`, beside holes as
    /// well: their faces are left out of a result, but still shape what is beside them.
    ///
    /// # Errors
    /// Those of [`vertex_limits`] and of [`SurfacePlan::refine`].
    pub fn vertex_limits(&self, mesh: &SurfaceMesh, refined: &SurfaceMesh) -> Result<VertexLimits> {
        limits_of(&mut &*self, mesh, refined)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::{SurfaceOptions, refine_surface};

    #[test]
    fn refinement_does_not_move_the_limit() {
        let mesh = crate::read_surface("models/surfaces/cubes_semisharp.obj").unwrap();
        let refined = |levels| {
            let options = SurfaceOptions { levels, ..SurfaceOptions::default() };
            let fine = refine_surface(&mesh, &options).unwrap();
            vertex_limits(&fine, Scheme::CatmullClark).unwrap()
        };
        let (coarse, fine) = (refined(1), refined(2));
        // vertices of a level are found among those of the next
        for (p, n) in coarse.positions.iter().zip(&coarse.normals) {
            let distance = |q: &[f64; 3]| (0..3).map(|d| (p[d] - q[d]).powi(2)).sum::<f64>().sqrt();
            let nearest = (0..fine.positions.len())
                .min_by(|&a, &b| {
                    distance(&fine.positions[a]).total_cmp(&distance(&fine.positions[b]))
                })
                .unwrap();
            assert!(distance(&fine.positions[nearest]) < 1e-12);
            let length: f64 = n.iter().map(|x| x * x).sum();
            assert!(n[0].is_nan() || (length - 1.0).abs() < 1e-12);
        }
        assert!(vertex_limits(&mesh, Scheme::Sqrt3).is_err());
    }
}
