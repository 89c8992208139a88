//! Creases, corners, boundaries, holes and non-manifold places against OpenSubdiv.

#[path = "../common/opensubdiv/mod.rs"]
pub mod tables;

use subsolid::backend::{Cpu, Precision};
use subsolid::mesh::FaceVarying;
use subsolid::surface::{Method, Scheme, SurfacePlan, adaptive_limits, vertex_limits};
use tables::{Case, cases, sums};

use super::{options, size};

#[track_caller]
fn expect_close(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (x, y) in found.iter().zip(expected) {
        assert!(
            (x - y).abs() <= tolerance || y.is_nan(),
            "{what}: {found:?}, expected {expected:?}"
        );
    }
}

/// The refined points of all levels, and the numbers of vertices and faces.
fn expect_levels(case: &Case, method: Method) -> usize {
    let tolerance = 1e-12 * size(&case.mesh);
    for (level, expected) in case.levels.iter().enumerate() {
        let what = format!("{}, {method:?}, level {}", case.name, level + 1);
        let options = options(case.scheme, level + 1, method);
        let plan = SurfacePlan::new(&case.mesh, &options).unwrap_or_else(|e| panic!("{what}: {e}"));
        let refined = plan.refine(&case.mesh).unwrap();
        assert_eq!(refined.points.len(), expected.vertices, "{what}");
        assert_eq!(refined.faces.len() - refined.holes.len(), expected.faces, "{what}");
        // edge-friend has another order of vertices
        if method != Method::EdgeFriend {
            for (p, q) in refined.points.iter().zip(&expected.points) {
                expect_close(p, q, tolerance, &what);
            }
        }
        let scale = expected.vertices as f64 * size(&case.mesh).powi(2);
        expect_close(&sums(refined.points.into_iter()), &expected.sums, 1e-13 * scale, &what);
    }
    case.levels.len()
}

#[test]
fn refined_points_by_matrix_and_single() {
    let compared: usize = cases().iter().map(|case| expect_levels(case, Method::Matrix)).sum();
    assert!(compared >= 80, "{compared}");
    cases().iter().for_each(|case| {
        expect_levels(case, Method::Single);
    });
}

#[test]
fn refined_points_by_edge_friend() {
    let mut compared = 0;
    for case in cases().iter().filter(|case| case.scheme == Scheme::CatmullClark) {
        if SurfacePlan::new(&case.mesh, &options(case.scheme, 1, Method::EdgeFriend)).is_ok() {
            compared += expect_levels(case, Method::EdgeFriend);
        }
    }
    assert!(compared >= 80, "{compared}");
}

#[test]
fn limits_of_control_vertices() {
    for case in cases() {
        let what = &case.name;
        let limits =
            vertex_limits(&case.mesh, case.scheme).unwrap_or_else(|e| panic!("{what}: {e}"));
        for (p, q) in limits.positions.iter().zip(&case.limits) {
            expect_close(p, q, 1e-12 * size(&case.mesh), what);
        }
        let plan = SurfacePlan::new(&case.mesh, &options(case.scheme, 1, Method::Matrix)).unwrap();
        let adaptive = adaptive_limits(&plan, &case.mesh, false).unwrap();
        for (p, q) in adaptive.limits.positions.iter().zip(&case.limits) {
            expect_close(p, q, 1e-12 * size(&case.mesh), what);
        }
    }
}

#[test]
fn single_precision_is_within_4_units_in_the_last_place() {
    let compared = tables::expect_single_precision(&Cpu::new(Precision::F32));
    assert!(compared > 1_000, "{compared}");
}

#[test]
fn texture_coordinates_by_every_rule_of_linear_interpolation() {
    let (cases, mut compared) = (cases(), 0);
    for table in tables::face_varying_cases() {
        let case = &cases[table.case];
        for (linear, expected) in table.sums {
            let what = format!("{}, {linear:?}", case.name);
            let mut mesh = case.mesh.clone();
            mesh.uv = Some(FaceVarying { linear, ..table.uv.clone() });
            let plan = SurfacePlan::new(&mesh, &options(case.scheme, 2, Method::Matrix)).unwrap();
            let refined = plan.refine(&mesh).unwrap();
            let uv = refined.uv.unwrap();
            assert_eq!(uv.linear, linear);
            let mut sums = [0.0; 11];
            for (&vertex, &value) in refined.faces.vertices().iter().zip(&uv.corners) {
                let ([x, y, z], [u, v]) =
                    (refined.points[vertex as usize], uv.values[value as usize]);
                let terms = [u, v, u * u, u * v, v * v, u * x, u * y, u * z, v * x, v * y, v * z];
                sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
            }
            let scale = uv.corners.len() as f64 * 2.0 * size(&mesh).max(2.0);
            expect_close(&sums, &expected, 1e-14 * scale, &what);
            compared += 1;
        }
    }
    assert!(compared >= 690, "{compared}");
}
