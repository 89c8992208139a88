//! What holds for any tags, on a thousand meshes with random ones: closed and open, polygons,
//! edges of many faces, touching sheets, one-sided strips.

use std::collections::{BTreeSet, HashMap};

use rayon::prelude::*;
use subsolid::mesh::{BoundaryRule, CreaseRule, Creases, SurfaceMesh, TriangleRule};
use subsolid::surface::{
    Method, Scheme, SurfacePlan, adaptive_limits, refine_surface, vertex_limits,
};

use super::opensubdiv::tables::cases;
use super::{options, size};
use crate::oracle::random::Random;

const INF: f64 = f64::INFINITY;

/// Meshes with tags of all kinds; each shape comes often enough to make a thousand.
fn meshes() -> Vec<(String, Scheme, SurfaceMesh)> {
    let cases = cases();
    let rounds = 1000_usize.div_ceil(cases.len());
    let all = (0..rounds).flat_map(|round| cases.iter().map(move |case| (round, case)));
    let tagged = all.enumerate().map(|(seed, (_, case))| {
        let mut random = Random::new(seed as u64);
        let mut mesh = case.mesh.clone();
        tag(&mut mesh, &mut random);
        (format!("{} with seed {seed}", case.name), case.scheme, mesh)
    });
    tagged.collect()
}

fn tag(mesh: &mut SurfaceMesh, random: &mut Random) {
    let sharpness = |random: &mut Random| match random.below(6) {
        0 => INF,
        1 => 1.0,
        2 => random.between(0.0, 0.01),
        _ => random.between(0.0, 3.0),
    };
    let percent = [5, 30, 80][random.below(3)];
    mesh.creases = Creases::default();
    for face in mesh.faces.iter() {
        for i in 0..face.len() {
            let (a, b) = (face[i], face[(i + 1) % face.len()]);
            if a < b && random.below(100) < percent {
                mesh.creases.push_edge(a, b, sharpness(random));
            }
        }
    }
    for v in 0..mesh.points.len() as u32 {
        if random.below(100) < percent / 4 {
            mesh.creases.push_corner(v, sharpness(random));
        }
    }
    mesh.crease_rule = [CreaseRule::Uniform, CreaseRule::Chaikin][random.below(2)];
    mesh.boundary =
        [BoundaryRule::Edges, BoundaryRule::EdgesAndCorners, BoundaryRule::Holes][random.below(3)];
    mesh.triangle_rule = [TriangleRule::Uniform, TriangleRule::Smooth][random.below(2)];
    mesh.holes = (0..mesh.faces.len() as u32).filter(|_| random.below(12) == 0).collect();
}

#[track_caller]
fn expect_points(found: &[[f64; 3]], expected: &[[f64; 3]], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (v, (p, q)) in found.iter().zip(expected).enumerate() {
        let close = (0..3).all(|d| (p[d] - q[d]).abs() <= tolerance);
        assert!(close, "{what}, vertex {v}: {p:?}, expected {q:?}");
    }
}

/// The limit of a control mesh is that of the refined mesh, at the same places.
#[test]
fn refinement_does_not_move_the_limit() {
    let compared: usize = meshes()
        .into_par_iter()
        .map(|(what, scheme, mesh)| {
            let plan = SurfacePlan::new(&mesh, &options(scheme, 1, Method::Matrix)).unwrap();
            let refined = plan.refine(&mesh).unwrap();
            let limit = adaptive_limits(&plan, &mesh, false);
            let limit = limit.unwrap_or_else(|e| panic!("{what}: {e}")).limits.positions;
            let fine = vertex_limits(&refined, scheme).unwrap().positions;
            expect_points(&limit, &fine, 1e-12 * size(&mesh), &what);
            1
        })
        .sum();
    assert!(compared >= 1000, "{compared}");
}

/// Two levels at once are one level, written as OBJ, read, and one more.
#[test]
fn going_on_from_a_file_is_going_on_from_memory() {
    let directory = tempfile::tempdir().unwrap();
    meshes().into_par_iter().enumerate().for_each(|(i, (what, scheme, mesh))| {
        let path = directory.path().join(format!("{i}.obj"));
        let one = options(scheme, 1, Method::Matrix);
        let half = refine_surface(&mesh, &one).unwrap();
        subsolid::io::write_surface(&path, &half).unwrap();
        let read = subsolid::read_surface(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let found = refine_surface(&read, &one).unwrap();
        let expected = refine_surface(&mesh, &options(scheme, 2, Method::Matrix)).unwrap();
        // edges are numbered anew, so edge points have other numbers
        let corners = |mesh: &SurfaceMesh| -> Vec<[f64; 3]> {
            mesh.faces.vertices().iter().map(|&v| mesh.points[v as usize]).collect()
        };
        expect_points(&corners(&found), &corners(&expected), 1e-13 * size(&mesh), &what);
        let pairs = found.faces.vertices().iter().zip(expected.faces.vertices());
        let number: HashMap<u32, u32> = pairs.map(|(&v, &w)| (v, w)).collect();
        assert_eq!(found.holes, expected.holes, "{what}");
        assert_eq!(found.boundary, expected.boundary, "{what}");
        assert_eq!(found.crease_rule, expected.crease_rule, "{what}");
        // the refined mesh may be of triangles, under Loop
        assert_eq!(found.triangle_rule, expected.triangle_rule, "{what}");
        let edges = |mesh: &SurfaceMesh, number: &dyn Fn(u32) -> u32| -> BTreeSet<[u32; 2]> {
            let sharp = mesh.creases.edges.iter().filter(|crease| crease.sharpness > 1e-12);
            let ends = sharp.map(|crease| crease.edge().map(|v| number(v.0)));
            ends.map(|[a, b]| [a.min(b), a.max(b)]).collect()
        };
        assert_eq!(edges(&found, &|v| number[&v]), edges(&expected, &|v| v), "{what}");
    });
}

/// Edge-friend has the points of the mesh matrix, where it takes the mesh.
#[test]
fn edge_friend_is_the_mesh_matrix() {
    let compared: usize = meshes()
        .into_par_iter()
        .filter(|(_, scheme, _)| *scheme == Scheme::CatmullClark)
        .map(|(what, scheme, mesh)| {
            let Ok(plan) = SurfacePlan::new(&mesh, &options(scheme, 3, Method::EdgeFriend)) else {
                return 0;
            };
            let by_matrix = SurfacePlan::new(&mesh, &options(scheme, 3, Method::Matrix)).unwrap();
            let corners = |plan: &SurfacePlan| -> Vec<[f64; 3]> {
                let points = plan.evaluate(&mesh.points).unwrap();
                plan.corners().iter().map(|&v| points[v as usize]).collect()
            };
            expect_points(&corners(&plan), &corners(&by_matrix), 1e-13 * size(&mesh), &what);
            1
        })
        .sum();
    assert!(compared >= 500, "{compared}");
}
