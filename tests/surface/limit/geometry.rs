//! Closed formulas: splines, known limit masks, planes, symmetric shapes.

use subsolid::plan::Want;
use subsolid::scheme::FaceShape;
use subsolid::surface::limit::{LimitSurface, Scheme, SurfaceLocation, curvature, normal};

use super::meshes::{crease_at_random, cube, limit, mesh, models, torus, triangles};
use crate::oracle::random::Random;
use crate::oracle::spline::bicubic;
use crate::oracle::surface::Surface;
use crate::oracle::surface_limit;
use crate::oracle::vector::Greatest;
use crate::support::{close, refused, size};

const ALL: fn() -> Want = || Want::POSITION | Want::FIRST | Want::SECOND;

fn everywhere(limit: &LimitSurface, parameters: &[[f64; 2]]) -> Vec<SurfaceLocation> {
    let place = |element: u32| {
        parameters.iter().map(move |&parameters| SurfaceLocation { element, parameters })
    };
    (0..limit.elements().len() as u32).flat_map(place).collect()
}

#[test]
fn a_torus_of_quads_is_a_periodic_spline() {
    let (m, n) = (7, 5);
    let surface = torus(m, n);
    let limit = limit(&surface, Scheme::CatmullClark);
    let parameters = [[0.0, 0.0], [0.3, 0.8], [1.0, 0.25], [1.0, 1.0]];
    let places = everywhere(&limit, &parameters);
    let found = limit.evaluate(&surface.points, &places, ALL()).unwrap();
    for (k, place) in places.iter().enumerate() {
        let (i, j) = (place.element as usize % m, place.element as usize / m);
        let net = [0, 1, 2, 3].map(|a| {
            [0, 1, 2, 3].map(|b| surface.points[(i + a + m - 1) % m + m * ((j + b + n - 1) % n)])
        });
        let by = |orders| bicubic(&net, orders, place.parameters);
        let at = || format!("{place:?}");
        close(found.positions[k], by([0, 0]), 1e-14, at);
        close(found.d_u[k], by([1, 0]), 1e-14, at);
        close(found.d_v[k], by([0, 1]), 1e-14, at);
        close(found.d_uu[k], by([2, 0]), 1e-13, at);
        close(found.d_uv[k], by([1, 1]), 1e-13, at);
        close(found.d_vv[k], by([0, 2]), 1e-13, at);
        let expected = curvature([by([1, 0]), by([0, 1])], [by([2, 0]), by([1, 1]), by([0, 2])]);
        assert!((found.curvature[k].gaussian - expected.gaussian).abs() < 1e-12);
        close(found.normals[k], normal(by([1, 0]), by([0, 1])), 1e-14, at);
    }
}

#[test]
fn the_corner_of_a_cube_has_its_known_limit() {
    // (n² P + 4 Σ e + Σ f)/(n (n + 5)) for n = 3
    let surface = cube();
    let limit = limit(&surface, Scheme::CatmullClark);
    let masks = limit.vertex_masks();
    let positions = masks.limit_positions(&surface.points).unwrap();
    let normals = masks.limit_normals(&surface.points).unwrap();
    for (v, p) in surface.points.iter().enumerate() {
        close(positions[v], p.map(|x| 0.5 * x), 1e-15, || format!("vertex {v}"));
        close(normals[v], p.map(|x| x / 3_f64.sqrt()), 1e-14, || format!("vertex {v}"));
        let weight = |other: usize| {
            masks.positions().row(v).find(|(c, _)| *c as usize == other).map_or(0.0, |(_, w)| w)
        };
        for (other, q) in surface.points.iter().enumerate() {
            let steps = (0..3).filter(|&d| p[d] != q[d]).count();
            let expected = [9.0, 4.0, 1.0, 0.0][steps] / 24.0;
            assert!((weight(other) - expected).abs() < 1e-15);
        }
    }
}

#[test]
fn limit_masks_equal_refinement_without_end() {
    for (name, surface) in
        models().into_iter().filter(|(name, _)| !["car", "bishop"].contains(name))
    {
        let found = limit(&surface, Scheme::CatmullClark).vertex_masks();
        let positions = found.limit_positions(&surface.points).unwrap();
        let size = size(&surface.points);
        for (f, face) in surface.faces.iter().enumerate().filter(|(_, face)| face.len() == 4) {
            let at = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
            let expected = surface_limit::evaluate(&surface, f, at[f % 4]).position;
            let v = face[f % 4];
            close(positions[v], expected, 1e-10 * size, || format!("{name}, vertex {v}"));
        }
    }
}

/// At extraordinary vertices, where tangents come from eigenvectors, normals are the limit
/// of those nearby.
fn compare_normals(name: &str, surface: &Surface, scheme: Scheme) -> usize {
    let limit = limit(surface, scheme);
    let refined = limit.refined_points(&surface.points).unwrap();
    let mut compared = 0;
    let corners: &[[f64; 2]] = match scheme.shape() {
        FaceShape::Quad => &[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]],
        FaceShape::Triangle => &[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]],
    };
    for element in 0..limit.elements().len() as u32 {
        for (c, &corner) in corners.iter().enumerate() {
            let inside = match scheme.shape() {
                FaceShape::Quad => [0.45, 0.55],
                FaceShape::Triangle => [0.3, 0.35],
            };
            let toward = |t: f64| {
                let parameters = [0, 1].map(|d| corner[d] + t * (inside[d] - corner[d]));
                SurfaceLocation { element, parameters }
            };
            let places = [0.0, 1e-10, 1e-12].map(toward);
            let found =
                limit.evaluate_refined(&refined, &places, Want::POSITION | Want::FIRST).unwrap();
            let [at, near, nearer] = found.normals[..] else { panic!("three normals") };
            let change = (0..3).map(|d| (near[d] - nearer[d]).abs()).greatest();
            // slow where the second and third eigenvalue are close: then far from the limit
            if at[0].is_nan() || change.is_nan() || change > 1e-6 {
                continue;
            }
            close(nearer, at, 1e-4, || format!("{name}, element {element}, corner {c}"));
            compared += 1;
        }
    }
    compared
}

#[test]
fn normals_at_vertices_are_limits() {
    let mut compared = 0;
    for (seed, (name, mut surface)) in
        models().into_iter().enumerate().filter(|(_, (name, _))| !["car", "rook"].contains(name))
    {
        compared += compare_normals(name, &surface, Scheme::CatmullClark);
        crease_at_random(&mut surface, &[f64::INFINITY], 6, seed as u64);
        compared += compare_normals(name, &surface, Scheme::CatmullClark);
    }
    assert!(compared > 10_000, "{compared}");
    let mut compared = 0;
    for (seed, (name, mut surface)) in triangles().into_iter().enumerate() {
        compared += compare_normals(name, &surface, Scheme::Loop);
        crease_at_random(&mut surface, &[f64::INFINITY], 6, seed as u64);
        compared += compare_normals(name, &surface, Scheme::Loop);
    }
    assert!(compared > 3_000, "{compared}");
}

#[test]
fn planes_are_flat_exactly() {
    for scheme in [Scheme::CatmullClark, Scheme::Loop] {
        // a flat grid with its vertices moved about, and a valence other than regular
        let mut surface = match scheme.shape() {
            FaceShape::Quad => fan(5, 4),
            FaceShape::Triangle => fan(5, 3),
        };
        let mut random = Random::new(5);
        for p in &mut surface.points {
            *p = [p[0] + 0.05 * random.between(-1.0, 1.0), p[1], 0.0];
        }
        let limit = limit(&surface, scheme);
        let parameters = [[0.0, 0.0], [0.25, 0.25], [0.1, 0.6], [1e-9, 1e-9]];
        let places = everywhere(&limit, &parameters);
        let found = limit.evaluate(&surface.points, &places, ALL()).unwrap();
        for (k, n) in found.normals.iter().enumerate() {
            assert_eq!(*n, [0.0, 0.0, 1.0], "{:?}", places[k]);
            let curvature = found.curvature[k];
            assert!(curvature.gaussian == 0.0 || curvature.gaussian.is_nan());
        }
    }
}

/// `n` quads around a vertex, or triangles, in the plane and turning left.
fn fan(n: usize, sides: usize) -> Surface {
    let angle = |i: usize| i as f64 / (2 * n) as f64 * std::f64::consts::TAU;
    let mut points = vec![[0.0; 3]];
    points.extend((0..2 * n).map(|i| [angle(i).cos(), angle(i).sin(), 0.0]));
    let spoke = |i: usize| 1 + 2 * (i % n);
    let faces = (0..n).map(|i| match sides {
        4 => vec![0, spoke(i), spoke(i) + 1, spoke(i + 1)],
        _ => vec![0, spoke(i), spoke(i + 1)],
    });
    let faces: Vec<Vec<usize>> = faces.collect();
    if sides == 3 {
        points = std::iter::once(points[0]).chain(points[1..].iter().step_by(2).copied()).collect();
        let faces = (0..n).map(|i| vec![0, 1 + i, 1 + (i + 1) % n]).collect();
        return Surface::new(points, faces);
    }
    Surface::new(points, faces)
}

#[test]
fn a_cylinder_has_its_symmetry() {
    // a prism of n quads around, open at both ends: normals lie across the axis
    let (n, layers) = (8, 3);
    let angle = |i: usize| i as f64 / n as f64 * std::f64::consts::TAU;
    let point = |k: usize| [angle(k % n).cos(), angle(k % n).sin(), (k / n) as f64];
    let quad = |k: usize| {
        let (i, j) = (k % n, k / n);
        vec![i + n * j, (i + 1) % n + n * j, (i + 1) % n + n * (j + 1), i + n * (j + 1)]
    };
    let surface = Surface::new(
        (0..n * (layers + 1)).map(point).collect(),
        (0..n * layers).map(quad).collect(),
    );
    let limit = limit(&surface, Scheme::CatmullClark);
    let places = everywhere(&limit, &[[0.0, 0.0], [0.5, 0.3], [0.5, 1.0], [0.2, 0.7]]);
    let found = limit.evaluate(&surface.points, &places, ALL()).unwrap();
    for (k, place) in places.iter().enumerate() {
        let n = found.normals[k];
        assert!(n[2].abs() < 1e-15, "{place:?}: {n:?}"); // but for rounding
        // at the symmetry lines of the prism the normal points from the axis
        let [x, y, _] = found.positions[k];
        if [0.0, 0.5].contains(&place.parameters[0]) {
            assert!((x * n[1] - y * n[0]).abs() < 1e-15, "{place:?}");
        }
        // outward, and bent away from it in one direction only
        assert!(x * n[0] + y * n[1] > 0.5);
        let bend = found.curvature[k];
        assert!(bend.gaussian.abs() < 1e-14 && bend.principal[1].abs() < 1e-14);
        assert!(bend.principal[0] < -0.5);
    }
}

#[test]
fn a_corner_of_three_faces_at_an_edge_is_each_of_them_alone() {
    // three quads share an edge: each evaluates as if the edge were its boundary, its ends
    // staying where they are
    let points = vec![
        [0.0, 0.0, 0.0],
        [0.0, 0.0, 1.0],
        [1.0, 0.1, 0.0],
        [1.2, 0.0, 1.0],
        [-0.5, 1.0, 0.0],
        [-0.5, 1.0, 1.3],
        [-0.4, -1.0, 0.2],
        [-0.5, -1.2, 1.0],
    ];
    let faces = vec![vec![0, 1, 3, 2], vec![0, 1, 5, 4], vec![0, 1, 7, 6]];
    let together = Surface { points: points.clone(), faces: faces.clone(), ..Surface::default() };
    let together_limit = limit(&together, Scheme::CatmullClark);
    for (f, face) in faces.iter().enumerate() {
        let mut alone = Surface::new(points.clone(), vec![face.clone()]);
        alone.corners.extend([(0, f64::INFINITY), (1, f64::INFINITY)]);
        for parameters in [[0.0, 0.0], [0.5, 0.0], [0.3, 0.7], [0.0, 0.4]] {
            let place = SurfaceLocation { element: f as u32, parameters };
            let found =
                together_limit.evaluate(&together.points, &[place], Want::POSITION).unwrap();
            let expected = surface_limit::evaluate(&alone, 0, parameters).position;
            close(found.positions[0], expected, 1e-12, || format!("{place:?}"));
        }
    }
}

#[test]
fn meshes_and_requests_that_are_wrong() {
    let mut surface = cube();
    let message = |surface: &Surface, scheme: Scheme| {
        LimitSurface::of_mesh(&mesh(surface), scheme).unwrap_err().to_string()
    };
    assert!(message(&surface, Scheme::Loop).contains("face 0 has 4 corners"));
    surface.creases.insert((0, 7), 1.0);
    assert!(message(&surface, Scheme::CatmullClark).contains("vertices 0 and 7"));
    surface.creases = [((0, 1), f64::NAN)].into();
    assert!(message(&surface, Scheme::CatmullClark).contains("sharpness NaN"));
    surface.creases = [((0, 1), 11.0)].into();
    assert!(message(&surface, Scheme::CatmullClark).contains("above 10"));
    surface.creases.clear();
    surface.faces[3] = vec![2, 6, 6, 3];
    assert!(message(&surface, Scheme::CatmullClark).contains("face 3 names vertex 6 twice"));
    surface.faces[3] = vec![2, 6, 9, 3];
    assert!(message(&surface, Scheme::CatmullClark).contains("face 3 names vertex 9"));

    let surface = cube();
    let limit = limit(&surface, Scheme::CatmullClark);
    let ask = |element, parameters| {
        let place = SurfaceLocation { element, parameters };
        limit.evaluate(&surface.points, &[place], Want::POSITION).map(|_| ())
    };
    assert!(ask(0, [0.0, 1.0]).is_ok());
    assert!(ask(6, [0.0, 1.0]).unwrap_err().to_string().contains("element 6"));
    assert!(ask(0, [0.0, 1.5]).unwrap_err().to_string().contains("1.5"));
    refused(ask(0, [f64::NAN, 0.0]), "place 0 has parameters NaN, 0");
    refused(
        limit.evaluate(&surface.points[1..], &[], Want::POSITION),
        "7 control points for 8 vertices",
    );
    refused(limit.grid(0, false), "0 samples per edge");
    refused(limit.grid(65, false), "65 samples per edge");
}

#[test]
fn curvature_of_a_skewed_paraboloid() {
    // z = (a x² + b y²)/2 over parameters that are neither orthogonal nor of unit speed
    let (a, b) = (3.0, -0.5);
    let (x_u, x_v, y_u, y_v) = (2.0, 0.7, -0.3, 1e-3);
    let z = |p: [f64; 2], q: [f64; 2]| a * p[0] * q[0] + b * p[1] * q[1];
    let (u, v) = ([x_u, y_u], [x_v, y_v]);
    let second = [z(u, u), z(u, v), z(v, v)].map(|z| [0.0, 0.0, z]);
    let found = curvature([[x_u, y_u, 0.0], [x_v, y_v, 0.0]], second);
    let close = |x: f64, y: f64| assert!((x - y).abs() < 1e-12, "{x} {y}");
    close(found.principal[0], b);
    close(found.principal[1], a);
    close(found.mean, (a + b) / 2.0);
    close(found.gaussian, a * b);
}

#[test]
fn what_has_no_plane_has_no_normal() {
    assert!(normal([1.0, 2.0, 3.0], [2.0, 4.0, 6.0])[0].is_nan());
    assert!(normal([0.0; 3], [1.0, 0.0, 0.0])[0].is_nan());
    assert_eq!(normal([1e-200, 0.0, 0.0], [0.0, 1e200, 0.0]), [0.0, 0.0, 1.0]);
}
