//! Bilinear subdivision against the bilinear interpolation of each face, written out.

use subsolid::mesh::SurfaceMesh;
use subsolid::surface::limit::SurfaceLocation;
use subsolid::surface::{
    Method, Scheme, SurfaceOptions, SurfacePlan, adaptive_limits, refine_surface, vertex_limits,
};

use super::{model, options};

/// Corners of the control quad of an element: the face, or the quad at a corner of a polygon.
fn elements(mesh: &SurfaceMesh) -> Vec<[[f64; 3]; 4]> {
    let mean = |points: &[[f64; 3]]| -> [f64; 3] {
        std::array::from_fn(|d| points.iter().map(|p| p[d]).sum::<f64>() / points.len() as f64)
    };
    let mut all = Vec::new();
    for face in mesh.faces.iter() {
        let p: Vec<[f64; 3]> = face.iter().map(|&v| mesh.points[v as usize]).collect();
        if let [a, b, c, d] = p[..] {
            all.push([a, b, c, d]);
            continue;
        }
        for i in 0..p.len() {
            let (next, before) = (p[(i + 1) % p.len()], p[(i + p.len() - 1) % p.len()]);
            all.push([p[i], mean(&[p[i], next]), mean(&p), mean(&[p[i], before])]);
        }
    }
    all
}

fn exact(quads: &[[[f64; 3]; 4]], place: &SurfaceLocation) -> [f64; 3] {
    let ([a, b, c, d], [u, v]) = (quads[place.element as usize], place.parameters);
    std::array::from_fn(|k| {
        (1.0 - v) * ((1.0 - u) * a[k] + u * b[k]) + v * ((1.0 - u) * d[k] + u * c[k])
    })
}

fn assert_near(found: [f64; 3], expected: [f64; 3], at: &str) {
    for d in 0..3 {
        assert!((found[d] - expected[d]).abs() < 1e-12, "{at}: {found:?}, not {expected:?}");
    }
}

/// Polygons, creases, boundaries and a one-sided surface, at every level and by every method.
#[test]
fn points_interpolate_the_control_faces() {
    for name in ["dodecahedron_poly", "nonquads", "cubes_semisharp", "moebius"] {
        let mesh = model(name);
        let quads = elements(&mesh);
        for levels in [1, 2, 3] {
            for method in [Method::Matrix, Method::Single] {
                let plan =
                    SurfacePlan::new(&mesh, &options(Scheme::Bilinear, levels, method)).unwrap();
                let points = plan.evaluate(&mesh.points).unwrap();
                let places = plan.places().unwrap();
                assert!(places.iter().flatten().count() > mesh.points.len());
                for (v, (place, found)) in places.iter().zip(points).enumerate() {
                    let expected = place.map_or_else(|| mesh.points[v], |p| exact(&quads, &p));
                    assert_near(found, expected, &format!("{name}, level {levels}, {v}"));
                }
            }
        }
    }
}

/// The limit at the vertices of a level is where the level has them.
#[test]
fn the_limit_is_the_bilinear_patch() {
    for name in ["dodecahedron_poly", "nonquads", "cubes_semisharp"] {
        let mesh = model(name);
        let plan = SurfacePlan::new(&mesh, &options(Scheme::Bilinear, 2, Method::Matrix)).unwrap();
        let points = plan.evaluate(&mesh.points).unwrap();
        let found = adaptive_limits(&plan, &mesh, false).unwrap();
        for (v, (&found, &point)) in found.limits.positions.iter().zip(&points).enumerate() {
            assert_near(found, point, &format!("{name}, limit at {v}"));
        }
        let limits = vertex_limits(&mesh, Scheme::Bilinear).unwrap();
        for (&found, &point) in limits.positions.iter().zip(&mesh.points) {
            assert_near(found, point, name);
        }
    }
}

#[test]
fn edge_friend_is_refused() {
    let mesh = model("cubes_semisharp");
    let options =
        SurfaceOptions { scheme: Scheme::Bilinear, levels: 1, ..SurfaceOptions::default() };
    assert!(refine_surface(&mesh, &options).is_ok());
    let options = SurfaceOptions { method: Method::EdgeFriend, ..options };
    let error = refine_surface(&mesh, &options).unwrap_err().to_string();
    assert!(error.contains("Catmull-Clark"), "{error}");
}
