//! Limits at the vertices of refined meshes: the two ways to them, and all tags.

use subsolid::mesh::{Attribute, BoundaryRule, CreaseRule, NORMALS, Polygons, SurfaceMesh};
use subsolid::surface::{
    Method, Scheme, SurfaceOptions, SurfacePlan, VertexLimits, adaptive_limits, refine_surface,
    vertex_limits,
};

use super::{model, options, reference, rules, size};
use crate::oracle::vector::{Greatest, greater};
use crate::surfaces::SURFACES;

/// Largest distance of two limits, normals included; NaN stands in the same places.
fn distance(a: &VertexLimits, b: &VertexLimits, size: f64) -> f64 {
    let apart = |a: &[[f64; 3]], b: &[[f64; 3]], unit: f64| {
        assert_eq!(a.len(), b.len());
        let mut worst = 0.0_f64;
        for (v, (a, b)) in a.iter().zip(b).enumerate() {
            for d in 0..3 {
                assert_eq!(a[d].is_nan(), b[d].is_nan(), "vertex {v}: {a:?} {b:?}");
                worst =
                    greater(worst, if a[d].is_nan() { 0.0 } else { (a[d] - b[d]).abs() / unit });
            }
        }
        worst
    };
    apart(&a.positions, &b.positions, size).max(1e-3 * apart(&a.normals, &b.normals, 1.0))
}

/// Patches of the control mesh have the limits of the refined mesh at its vertices.
#[test]
fn adaptive_limits_are_those_of_refined_meshes() {
    for name in SURFACES {
        let mesh = model(name);
        for scheme in [Scheme::CatmullClark, Scheme::Loop] {
            // sharp for many levels, or large
            let is_large = ["bishop", "car", "helmet", "rook", "wrench_boundary"].contains(&name);
            if is_large && scheme == Scheme::Loop {
                continue;
            }
            for levels in if is_large { 1..2 } else { 0..2 } {
                let plan = SurfacePlan::new(&mesh, &options(scheme, levels, Method::Matrix));
                let plan = plan.unwrap();
                let refined = plan.refine(&mesh).unwrap();
                let expected = plan.vertex_limits(&mesh, &refined);
                let found = adaptive_limits(&plan, &mesh, true);
                let (found, expected) = match (found, expected) {
                    (Ok(found), Ok(expected)) => (found, expected),
                    (found, expected) => {
                        // both refuse what has no one limit
                        let words = |e: Option<subsolid::Error>| e.unwrap().to_string();
                        for error in [words(found.err()), words(expected.err())] {
                            assert!(error.contains("no surface"), "{name}: {error}");
                        }
                        continue;
                    }
                };
                let apart = distance(&found.limits, &expected, size(&mesh));
                assert!(apart <= 1e-11, "{name}, {scheme:?}, {levels} levels: {apart:e}");
                assert!(found.patches.regular + found.patches.irregular >= mesh.faces.len());
            }
        }
    }
}

/// A grid of n × n quads that bulges.
fn sheet(n: usize) -> SurfaceMesh {
    let at = |i: usize, j: usize| (i + (n + 1) * j) as u32;
    let quads = (0..n * n).flat_map(|k| {
        let (i, j) = (k % n, k / n);
        [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]
    });
    let faces = subsolid::mesh::Polygons::uniform(4, quads.collect());
    let point = |k: usize| {
        let (x, y) = ((k % (n + 1)) as f64, (k / (n + 1)) as f64);
        [x, y, (x * 1.3).sin() * (y * 0.7).cos()]
    };
    SurfaceMesh::new((0..(n + 1) * (n + 1)).map(point).collect(), faces)
}

/// What a hole leaves out has the limit that it has without the tag.
#[test]
fn holes_shape_what_is_beside_them() {
    for mark in 0..2 {
        let whole = sheet(5);
        let mut tagged = whole.clone();
        match mark {
            0 => tagged.holes = vec![6, 12, 13],
            _ => tagged.boundary = BoundaryRule::Holes,
        }
        for method in [Method::Matrix, Method::EdgeFriend] {
            let limits = |mesh: &SurfaceMesh| {
                let options = options(Scheme::CatmullClark, 2, method);
                let plan = SurfacePlan::new(mesh, &options).unwrap();
                let refined = plan.refine(mesh).unwrap();
                let limits = plan.vertex_limits(mesh, &refined).unwrap();
                (refined.without_holes().faces.len(), limits)
            };
            let ((all, expected), (some, found)) = (limits(&whole), limits(&tagged));
            assert!(some < all);
            assert_eq!(distance(&found, &expected, 1.0), 0.0);
        }
    }
}

/// Attributes that are coordinates are those of the limit, by all methods and at vertices of no
/// face; normals are not attributes there.
#[test]
fn attributes_go_to_the_limit_with_positions() {
    let mut mesh = sheet(3);
    mesh.points.push([9.0, 8.0, 7.0]);
    let rows =
        |mesh: &SurfaceMesh| mesh.points.iter().flat_map(|&[x, y, z]| [z, x, y, z]).collect();
    let values: Vec<f64> = rows(&mesh);
    mesh.attributes.push(Attribute { name: "places".into(), width: 4, values });
    mesh.set_normals(vec![[0.0, 0.0, 1.0]; mesh.points.len()]);
    let normals = mesh.attributes.iter().position(|a| a.name == NORMALS).unwrap();
    mesh.attributes.swap(0, normals);
    for scheme in Scheme::ALL.into_iter().filter(|scheme| scheme.has_limit()) {
        for (levels, method) in
            [(0, Method::Matrix), (1, Method::Matrix), (2, Method::Matrix), (2, Method::EdgeFriend)]
        {
            if method == Method::EdgeFriend && scheme != Scheme::CatmullClark {
                continue;
            }
            let plan = SurfacePlan::new(&mesh, &options(scheme, levels, method)).unwrap();
            let refined = plan.refine(&mesh).unwrap();
            let mut all = vec![plan.vertex_limits(&mesh, &refined).unwrap()];
            if method == Method::Matrix {
                all.push(adaptive_limits(&plan, &mesh, true).unwrap().limits);
            }
            for limits in all {
                let expected = SurfaceMesh::new(limits.positions, Polygons::default());
                let [places] = &limits.attributes[..] else { panic!("{:?}", limits.attributes) };
                assert_eq!((&*places.name, places.width), ("places", 4));
                let expected: Vec<f64> = rows(&expected);
                assert_eq!(places.values.len(), expected.len());
                for (found, expected) in places.values.iter().zip(expected) {
                    assert!((found - expected).abs() < 1e-12, "{scheme:?}: {found} {expected}");
                }
            }
        }
    }
    let mut short = mesh.clone();
    short.attributes[1].values.pop();
    let error = vertex_limits(&short, Scheme::CatmullClark).unwrap_err().to_string();
    assert!(error.contains("places"), "{error}");
}

/// Corners of the boundary that stay in place do so in the limit; without the rule they move.
#[test]
fn corners_of_the_boundary_stay() {
    let mut mesh = sheet(3);
    let corner = mesh.points[0];
    let limit = |mesh: &SurfaceMesh| vertex_limits(mesh, Scheme::CatmullClark).unwrap();
    assert_ne!(limit(&mesh).positions[0], corner);
    mesh.boundary = BoundaryRule::EdgesAndCorners;
    assert_eq!(limit(&mesh).positions[0], corner);
    // as far refinement says
    let plan = SurfacePlan::new(&mesh, &options(Scheme::CatmullClark, 5, Method::Matrix)).unwrap();
    let refined = plan.refine(&mesh).unwrap();
    let fine = plan.vertex_limits(&mesh, &refined).unwrap();
    for (v, coarse) in limit(&mesh).positions.iter().enumerate() {
        let apart = (0..3).map(|d| (coarse[d] - fine.positions[v][d]).abs()).greatest();
        assert!(apart < 1e-13, "vertex {v}: {apart:e}");
    }
}

/// Gives every fourth edge a sharpness, all of which three levels use up.
fn crease_some_edges(mesh: &mut SurfaceMesh) {
    mesh.creases = Default::default();
    let mut count = 0;
    for face in mesh.faces.iter() {
        for (i, &a) in face.iter().enumerate() {
            let b = face[(i + 1) % face.len()];
            count += usize::from(a < b);
            if a < b && count % 4 < 2 {
                let sharpness = [0.4, 1.7, 2.5, 1.0, f64::INFINITY][count / 2 % 5];
                mesh.creases.push_edge(a, b, sharpness);
            }
        }
    }
}

/// The limit of a mesh that half-edges have refined until nothing is semi-sharp is that of
/// the mesh itself.
#[test]
fn chaikin_creases_have_the_limit_that_refinement_goes_to() {
    const LEVELS: usize = 3;
    for scheme in [Scheme::CatmullClark, Scheme::Loop] {
        for name in ["cubes_semisharp", "dodecahedron_poly", "edgecorner", "spot_control_mesh"] {
            let mut mesh = model(name);
            if scheme == Scheme::Loop {
                let no_levels = options(scheme, 0, Method::Matrix);
                mesh = SurfacePlan::new(&mesh, &no_levels).unwrap().refine(&mesh).unwrap();
            }
            crease_some_edges(&mut mesh);
            mesh.crease_rule = CreaseRule::Uniform;
            let uniform = vertex_limits(&mesh, scheme).unwrap();
            mesh.crease_rule = CreaseRule::Chaikin;
            let found = vertex_limits(&mesh, scheme).unwrap();
            assert!(distance(&found, &uniform, size(&mesh)) > 1e-6, "{name}: no difference");

            let mut fine = reference(&mesh, false);
            (0..LEVELS).for_each(|level| fine = fine.refine(rules(scheme, level)));
            assert!(fine.creases.values().all(|s| s.is_infinite()), "{name}");
            let mut faces = Polygons::default();
            for face in &fine.faces {
                faces.push(&face.iter().map(|&v| v as u32).collect::<Vec<u32>>());
            }
            let mut refined = SurfaceMesh::new(fine.points.clone(), faces);
            for (&(a, b), &s) in &fine.creases {
                refined.creases.push_edge(a as u32, b as u32, s);
            }
            for (&v, &s) in &fine.corners {
                refined.creases.push_corner(v as u32, s);
            }
            let expected = vertex_limits(&refined, scheme).unwrap();
            let size = size(&mesh);
            for (v, limit) in found.positions.iter().enumerate() {
                // vertices keep their numbers
                let expected = expected.positions[v];
                let apart = (0..3).map(|d| (limit[d] - expected[d]).abs()).greatest();
                assert!(apart <= 1e-12 * size, "{name}, {scheme:?}, vertex {v}: {apart:e}");
            }
        }
    }
}

/// So do patches of the control mesh.
#[test]
fn adaptive_limits_of_chaikin_creases_are_those_of_refined_meshes() {
    for name in ["cubes_semisharp", "dodecahedron_poly", "edgecorner"] {
        let mut mesh = model(name);
        crease_some_edges(&mut mesh);
        mesh.crease_rule = CreaseRule::Chaikin;
        for levels in 0..4 {
            let plan = options(Scheme::CatmullClark, levels, Method::Matrix);
            let plan = SurfacePlan::new(&mesh, &plan).unwrap();
            let refined = plan.refine(&mesh).unwrap();
            let expected = plan.vertex_limits(&mesh, &refined).unwrap();
            let found = adaptive_limits(&plan, &mesh, true).unwrap();
            let apart = distance(&found.limits, &expected, size(&mesh));
            assert!(apart <= 1e-11, "{name}, {levels} levels: {apart:e}");
        }
    }
}

/// Two quads around a vertex and one sharp edge from it swap sides with every level: there is no
/// normal.
#[test]
fn darts_of_two_quads_have_no_normal() {
    let points = vec![
        [0.1, 0.2, 0.5],
        [1.0, 0.0, 0.1],
        [0.9, 1.0, -0.2],
        [0.0, 1.1, 0.3],
        [-0.8, -0.7, 0.2],
    ];
    let mut mesh = SurfaceMesh::new(points, Polygons::uniform(4, vec![0, 1, 2, 3, 0, 3, 4, 1]));
    mesh.creases.push_edge(0, 1, f64::INFINITY);
    for level in 0..4 {
        let refined = options(Scheme::CatmullClark, level, Method::Matrix);
        let plan = SurfacePlan::new(&mesh, &refined).unwrap();
        let refined = plan.refine(&mesh).unwrap();
        let limits = plan.vertex_limits(&mesh, &refined).unwrap();
        assert!(limits.positions[0].iter().all(|x| x.is_finite()), "{level}");
        assert!(limits.normals[0].iter().all(|x| x.is_nan()), "{level}: {:?}", limits.normals[0]);
    }
}

#[test]
fn refinement_does_not_move_the_limit() {
    let mesh = subsolid::read_surface("models/surfaces/cubes_semisharp.obj").unwrap();
    let refined = |levels| {
        let options = SurfaceOptions { levels, ..SurfaceOptions::default() };
        let fine = refine_surface(&mesh, &options).unwrap();
        vertex_limits(&fine, Scheme::default()).unwrap()
    };
    let (coarse, fine) = (refined(1), refined(2));
    // vertices of a level are found in the next
    for (p, n) in coarse.positions.iter().zip(&coarse.normals) {
        let distance = |q: &[f64; 3]| (0..3).map(|d| (p[d] - q[d]).powi(2)).sum::<f64>().sqrt();
        let nearest = (0..fine.positions.len())
            .min_by(|&a, &b| distance(&fine.positions[a]).total_cmp(&distance(&fine.positions[b])))
            .unwrap();
        assert!(distance(&fine.positions[nearest]) < 1e-12);
        let length: f64 = n.iter().map(|x| x * x).sum();
        assert!(n[0].is_nan() || (length - 1.0).abs() < 1e-12);
    }
    for scheme in Scheme::ALL.into_iter().filter(|scheme| !scheme.has_limit()) {
        assert!(vertex_limits(&mesh, scheme).is_err());
    }
}
