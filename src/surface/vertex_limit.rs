//! Limit positions and normals at the vertices of a mesh.

use super::Scheme;
use super::limit::{self, Faces, LimitSurface};
use crate::error::{Error, Result};
use crate::mesh::{CreaseRule, SurfaceMesh};

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
/// # Errors
/// [`Error::Request`] for √3, whose limit has no masks here, and for creases by Chaikin's rule;
/// those of [`LimitSurface::new`].
pub fn vertex_limits(mesh: &SurfaceMesh, scheme: Scheme) -> Result<VertexLimits> {
    let scheme = match scheme {
        Scheme::CatmullClark => limit::Scheme::CatmullClark,
        Scheme::Loop => limit::Scheme::Loop,
        Scheme::Sqrt3 => {
            return Err(Error::request("limit points of √3")
                .with_mend("take Catmull-Clark or Loop, or more levels"));
        }
    };
    let is_sharp = !mesh.creases.edges.is_empty();
    if mesh.crease_rule == CreaseRule::Chaikin && is_sharp {
        return Err(Error::request("limit points of creases by Chaikin's rule").with_mend(
            "refine until no edge of finite sharpness is left, or take the uniform rule",
        ));
    }
    let offsets: Vec<u32> = std::iter::once(0).chain(mesh.faces.ends().iter().copied()).collect();
    let faces = Faces {
        vertex_count: mesh.points.len(),
        offsets: &offsets,
        corners: mesh.faces.vertices(),
        creases: &mesh.creases,
    };
    let masks = LimitSurface::new(&faces, scheme)?.vertex_masks();
    let (positions, normals) =
        (masks.limit_positions(&mesh.points)?, masks.limit_normals(&mesh.points)?);
    Ok(VertexLimits { positions, normals })
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
