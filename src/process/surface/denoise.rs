//! Bilateral denoising: Fleishman, Drori and Cohen-Or, "Bilateral mesh denoising" (2003).

use nalgebra::Vector3;
use rayon::prelude::*;

use super::normals::normal;
use crate::error::{Error, Result};
use crate::mesh::SurfaceMesh;
use crate::query::{Op, Query, QueryStrategy, Rings};

/// Default number of sweeps of denoising.
pub const DEFAULT_SWEEPS: usize = 3;

/// Default number of edges to the farthest neighbors of denoising.
pub const DEFAULT_RINGS: usize = 2;

/// Square of how many σc away neighbors count: two, and so much more that rounding does not decide
/// on meshes of equal spacing, whose neighbors are twice as far as the nearest ones.
const MAX_SQUARED_DISTANCE: f64 = 4.00001;

/// Vertices a work item covers: each has a search of its own, as large as the mesh.
const TASK_VERTICES: usize = 4096;

/// Points after one sweep over the vertices within `rings` edges: each moves along its normal n
/// by the mean of the heights h = n · (q − p) of its neighbors q, weighted by
/// exp(−|q − p|² / 2σc²) exp(−h² / 2σs²). σc is the distance to the farthest edge neighbor, σs the
/// standard deviation of heights. Vertices without a normal stay. Any polygons.
///
/// # Errors
/// As [`Query::of_surface`]; [`Error::Request`] for 0 rings.
pub fn denoise(mesh: &SurfaceMesh, rings: usize) -> Result<Vec<[f64; 3]>> {
    if rings == 0 {
        return Err(Error::request("denoising needs at least 1 ring of neighbors")
            .with_help("ask for 1 ring or more"));
    }
    mesh.check()?;
    let mesh = &*mesh.without_holes();
    let query = Query::of_surface(mesh, QueryStrategy::Unordered)?;
    let (near, faces) = (query.rows(Op::VV)?, query.rows(Op::VF)?);
    let at = |v: usize| Vector3::from(mesh.points[v]);
    let moved = |search: &mut Rings<'_>, v: usize| -> Result<[f64; 3]> {
        let n = Vector3::from(normal(mesh, v, faces.row(v)));
        if !n.x.is_finite() {
            return Ok(mesh.points[v]);
        }
        let p = at(v);
        let reach = near.row(v).iter().map(|&q| (at(q as usize) - p).norm()).fold(0.0, f64::max);
        let ring = search.of(v as u32, rings)?;
        let ring: Vec<(f64, f64)> = ring
            .iter()
            .map(|&q| at(q as usize) - p)
            .map(|d| (d.norm_squared(), n.dot(&d)))
            .filter(|&(square, _)| square <= MAX_SQUARED_DISTANCE * reach * reach)
            .collect();
        let count = ring.len().max(1) as f64;
        let mean = ring.iter().map(|x| x.1).sum::<f64>() / count;
        let variance = ring.iter().map(|x| (x.1 - mean).powi(2)).sum::<f64>() / count;
        let variance = variance.max(1e-20 * reach * reach);
        // weights beside the largest: all of them may be too small for a number
        let exponent = |&(square, height): &(f64, f64)| {
            -square / (2.0 * reach * reach) - height * height / (2.0 * variance)
        };
        let largest = ring.iter().map(exponent).fold(f64::NEG_INFINITY, f64::max);
        let (mut sum, mut weights) = (0.0, 0.0);
        for near in &ring {
            let weight = (exponent(near) - largest).exp();
            (sum, weights) = (sum + weight * near.1, weights + weight);
        }
        let by = if weights > 0.0 { sum / weights } else { 0.0 };
        Ok((p + n * by).into())
    };
    let search = query.rings()?;
    let vertices = (0..mesh.points.len()).into_par_iter().with_min_len(TASK_VERTICES);
    vertices.map_init(|| search.clone(), moved).collect()
}
