//! Feature-adaptive evaluation (Nießner et al. 2012; Mlakar et al. 2020, section 5.2): only
//! what lies around extraordinary vertices and semi-sharp creases is refined, all else is
//! spline patches, and the vertices of any level are evaluated on these directly.

use super::SurfacePlan;
use crate::error::Result;
use crate::mesh::SurfaceMesh;
use crate::plan::Want;
use crate::surface::limit::{PatchCounts, VertexLimits, limit_surface, limit_topology};
use crate::surface::options::SurfaceOptions;

/// The limit at the vertices of a refined level, and the patches that it came from.
#[derive(Clone, Debug, PartialEq)]
pub struct AdaptiveLimits {
    /// Of every refined vertex, in the order of [`Method::Matrix`](crate::surface::Method::Matrix).
    pub limits: VertexLimits,
    /// Spline patches, and leaves around extraordinary vertices.
    pub patches: PatchCounts,
}

/// Isolates the features of a mesh to the level of a plan (of [`Method::Matrix`](crate::surface::Method::Matrix)) and
/// evaluates the limit at all vertices of that level, normals if they are wanted (NaN
/// everywhere otherwise).
///
/// # Errors
/// [`Error::Request`](crate::Error::Request) for √3 and for more than 12 levels; those of
/// [`LimitSurface::new`](crate::surface::limit::LimitSurface::new).
pub fn adaptive_limits(
    plan: &SurfacePlan,
    mesh: &SurfaceMesh,
    normals: bool,
) -> Result<AdaptiveLimits> {
    let SurfaceOptions { scheme, levels, crease_rule, .. } = plan.options;
    let places = plan.places()?;
    let triangles = plan.triangulation.as_ref().map(|cut| cut.triangles(mesh)).transpose()?;
    let mesh = triangles.as_ref().unwrap_or(mesh);
    let rule = crease_rule.unwrap_or(mesh.crease_rule);
    let built;
    let topology = match plan.control_topology() {
        // that of the plan
        Some(known) if known.is_of(mesh) => known,
        _ => {
            built = limit_topology(mesh, scheme)?;
            &built
        }
    };
    let surface = limit_surface(mesh, topology, scheme, rule, levels)?;
    let refined = surface.refined_points(&mesh.points)?;
    let known: Vec<_> = places.iter().flatten().copied().collect();
    let want = if normals { Want::FIRST } else { Want::POSITION };
    let found = surface.evaluate_refined(&refined, &known, want)?;
    let mut next = 0;
    let mut limits = VertexLimits {
        positions: Vec::with_capacity(places.len()),
        normals: vec![[f64::NAN; 3]; places.len()],
    };
    for (v, place) in places.iter().enumerate() {
        if place.is_none() {
            // vertices of no face keep their numbers and stay
            limits.positions.push(mesh.points[v]);
            continue;
        }
        limits.positions.push(found.positions[next]);
        if normals {
            limits.normals[v] = found.normals[next];
        }
        next += 1;
    }
    Ok(AdaptiveLimits { limits, patches: surface.patch_counts() })
}
