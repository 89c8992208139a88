//! Surfaces: every scheme and method against independent references, on all models of
//! `models/surfaces`; limits; bad meshes; files.

#[path = "../common/conformance/mod.rs"]
mod conformance;
#[path = "../common/oracle/mod.rs"]
mod oracle;
#[path = "../common/support/mod.rs"]
mod support;
#[path = "../common/surfaces.rs"]
mod surfaces;

mod backend;
mod bilinear;
mod checks;
mod files;
mod holes;
mod limit;
mod methods;
mod opensubdiv;
mod orient;
mod ply;
mod properties;
mod reference;
mod rules;
mod separate;
mod static_refinement;
mod summary;
mod triangles;
mod unusual;
mod vertex_limits;

use oracle::half_edge::Mesh;
use subsolid::mesh::SurfaceMesh;
use subsolid::surface::SurfacePlan;
use surfaces::{SURFACES, manifolds, model, options, path, reference, rules, size};

/// Compares the corners of all faces, in order.
#[track_caller]
fn expect_equal(plan: &SurfacePlan, mesh: &SurfaceMesh, expected: &Mesh, what: &str) {
    let points = plan.evaluate(&mesh.points).expect("points of the mesh");
    assert_eq!(points.len(), plan.vertex_count());
    let corners: Vec<usize> = expected.faces.iter().flatten().copied().collect();
    assert_eq!(plan.corners().len(), corners.len(), "{what}: corners");
    let tolerance = 1e-12 * size(mesh);
    for (c, (&v, &w)) in plan.corners().iter().zip(&corners).enumerate() {
        let (p, q) = (points[v as usize], expected.points[w]);
        let far = (0..3).any(|d| (p[d] - q[d]).abs() > tolerance || p[d].is_nan());
        assert!(!far, "{what}, corner {c}: {p:?}, expected {q:?}");
    }
}
