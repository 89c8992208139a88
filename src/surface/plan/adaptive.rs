//! Feature-adaptive evaluation (Nießner et al. 2012; Mlakar et al. 2020, section 5.2): only
//! what lies around extraordinary vertices and semi-sharp creases is refined, all else is
//! spline patches, and the vertices of any level are evaluated on these directly.

use super::SurfacePlan;
use crate::error::Result;
use crate::mesh::SurfaceMesh;
use crate::plan::Want;
use crate::surface::limit::{
    LimitSurface, PatchCounts, SurfaceLocation, VertexLimits, limit_attributes, limit_topology,
};
use crate::surface::options::SurfaceOptions;

/// The limit at the vertices of a refined level, and the patches that it came from.
#[derive(Clone, Debug, PartialEq)]
pub struct AdaptiveLimits {
    /// Limits of every refined vertex, in the order of
    /// [`Method::Matrix`](crate::surface::Method::Matrix).
    pub limits: VertexLimits,
    /// Spline patches, and leaves around extraordinary vertices.
    pub patches: PatchCounts,
}

/// Isolates the features of a mesh to the level of a plan (of
/// [`Method::Matrix`](crate::surface::Method::Matrix)) and evaluates the limit at all vertices of
/// that level, normals if they are wanted (NaN everywhere otherwise).
///
/// # Errors
/// As [`LimitSurface::of_mesh`];
/// [`Error::Request`](crate::Error::Request) for √3 and for more than 12 levels.
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
        // of the plan
        Some(known) if known.is_of(mesh) => known,
        _ => {
            built = limit_topology(mesh, scheme)?;
            &built
        }
    };
    let surface = LimitSurface::of_topology(mesh, topology, scheme, rule, levels)?;
    let known: Vec<_> = places.iter().flatten().copied().collect();
    let evaluate = |controls: &[[f64; 3]], want| {
        surface.evaluate_refined(&surface.refined_points(controls)?, &known, want)
    };
    let want = if normals { Want::FIRST } else { Want::POSITION };
    let found = evaluate(&mesh.points, want)?;
    let limits = VertexLimits {
        positions: at_vertices(&places, found.positions, |v| mesh.points[v]),
        normals: at_vertices(&places, found.normals, |_| [f64::NAN; 3]),
        attributes: limit_attributes(mesh, |values| {
            let found = evaluate(values, Want::POSITION)?;
            Ok(at_vertices(&places, found.positions, |v| values[v]))
        })?,
    };
    Ok(AdaptiveLimits { limits, patches: surface.patch_counts() })
}

/// What was found at the places of vertices, or what `without` says of vertices of no face, which
/// keep their numbers.
fn at_vertices(
    places: &[Option<SurfaceLocation>],
    found: Vec<[f64; 3]>,
    without: impl Fn(usize) -> [f64; 3],
) -> Vec<[f64; 3]> {
    let mut found = found.into_iter();
    let at = |(v, place): (usize, &Option<SurfaceLocation>)| {
        place.and_then(|_| found.next()).unwrap_or_else(|| without(v))
    };
    places.iter().enumerate().map(at).collect()
}
