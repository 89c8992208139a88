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
    let is_close = found.iter().zip(expected).all(|(x, y)| (x - y).abs() <= tolerance);
    assert!(is_close, "{what}: {found:?}, expected {expected:?}");
}

/// Compares the limits that OpenSubdiv has; returns how many these are.
#[track_caller]
fn expect_limits(found: &[[f64; 3]], case: &Case) -> usize {
    let pairs = found.iter().zip(&case.limits).filter(|(_, expected)| !expected[0].is_nan());
    pairs.map(|(p, q)| expect_close(p, q, 1e-12 * size(&case.mesh), &case.name)).count()
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
    let (mut compared, mut all) = (0, 0);
    for case in cases() {
        let what = &case.name;
        let limits =
            vertex_limits(&case.mesh, case.scheme).unwrap_or_else(|e| panic!("{what}: {e}"));
        compared += expect_limits(&limits.positions, &case);
        all += case.limits.len();
        let plan = SurfacePlan::new(&case.mesh, &options(case.scheme, 1, Method::Matrix)).unwrap();
        let adaptive = adaptive_limits(&plan, &case.mesh, false).unwrap();
        compared += expect_limits(&adaptive.limits.positions, &case);
    }
    // it has none at 107 of 1306 vertices
    assert_eq!([compared, all], [2 * 1199, 1306]);
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
