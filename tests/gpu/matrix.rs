//! The mesh matrix on the device: edges found by sorting, levels refined from one another.

use subsolid::backend::cuda::{FriendRun, Refiner, device_matrix};
use subsolid::backend::{Precision, runs_on_gpu};
use subsolid::mesh::{BoundaryRule, CreaseRule, Polygons, SurfaceMesh};
use subsolid::surface::{Method, Scheme, SurfaceOptions, SurfacePlan};
use subsolid::topology::NONE;
use subsolid::topology::surface::{Columns, SurfaceTopology};

use super::gpu;
use crate::surfaces::{SURFACES, model};

/// A disk of `count` triangles around vertex 0, with as many vertices of no face.
fn fan(count: u32) -> SurfaceMesh {
    let ring = |i: u32| 1 + i % count;
    let corners = (0..count).flat_map(|i| [0, ring(i), ring(i + 1)]).collect();
    let points = (0..=2 * count).map(|i| [f64::from(i).cos(), f64::from(i).sin(), 0.1]);
    SurfaceMesh {
        points: points.collect(),
        faces: Polygons::uniform(3, corners),
        ..Default::default()
    }
}

/// Pages that share one edge, in both directions.
fn book(pages: u32) -> SurfaceMesh {
    let page = |i: u32| if i.is_multiple_of(3) { [1, 0, 2 + i] } else { [0, 1, 2 + i] };
    let corners = (0..pages).flat_map(page).collect();
    let point = |i: u32| [f64::from(i).sin(), f64::from(i * i).cos(), f64::from(i)];
    let points = (0..pages + 2).map(point).collect();
    SurfaceMesh { points, faces: Polygons::uniform(3, corners), ..Default::default() }
}

fn expect_matrix(name: &str, mesh: &SurfaceMesh, gpu: &subsolid::backend::Cuda) {
    let columns = Columns::of(&mesh.faces);
    let expected =
        SurfaceTopology::build(mesh.points.len(), columns, mesh.faces.vertices().to_vec());
    let found = device_matrix(mesh, gpu).unwrap();
    assert!(found.edges().unwrap() == expected.edges, "{name}");
    assert!(found.edge_corners().unwrap() == expected.edge_corners, "{name}");
    let non_manifold: Vec<u32> =
        found.non_manifold_edges().unwrap().iter().map(|row| row[0]).collect();
    assert!(non_manifold == expected.non_manifold_edges, "{name}");
    let (starts, items) = found.vertex_corners().unwrap();
    let rows = expected.vertex_corners();
    let ends = (0..rows.len()).map(|v| rows.start(v) + rows.row(v).len());
    assert!(starts.iter().map(|&s| s as usize).eq(std::iter::once(0).chain(ends)), "{name}");
    assert!(items == rows.items(), "{name}");
    let counts = found.counts();
    let two = |corners: &&[u32; 2]| corners[1] != NONE;
    let edges = || expected.edge_corners.iter();
    let inconsistent = |&edge: &usize| {
        let [a, b] = expected.edge_corners[edge];
        let is_crowded = expected.non_manifold_edges.contains(&(edge as u32));
        b != NONE && expected.vertex(a) == expected.vertex(b) && !is_crowded
    };
    assert_eq!(counts.edges, expected.edge_count(), "{name}");
    assert_eq!(counts.boundary, edges().count() - edges().filter(two).count(), "{name}");
    assert_eq!(counts.non_manifold, expected.non_manifold_edges.len(), "{name}");
    assert_eq!(
        counts.inconsistent,
        (0..expected.edge_count()).filter(inconsistent).count(),
        "{name}"
    );
    let longest = rows.iter().map(<[u32]>::len).max().unwrap_or(0);
    assert_eq!(counts.valence, if longest > 64 { longest } else { 0 }, "{name}");
}

/// Edges, their corners, non-manifold edges and the corners at vertices are those of the CPU, in
/// number and order: by one block, by many, and with keys of 64 bits.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn edges_are_those_of_the_cpu() {
    let gpu = gpu(Precision::F64);
    for name in SURFACES {
        expect_matrix(name, &model(name), &gpu);
    }
    expect_matrix("fan", &fan(40_000), &gpu);
    expect_matrix("small fan", &fan(100), &gpu);
    expect_matrix("book", &book(2000), &gpu);
    expect_matrix("thick book", &book(5000), &gpu);
    let plan = |name: &str, levels| {
        let options = SurfaceOptions { levels, ..SurfaceOptions::default() };
        subsolid::surface::refine_surface(&model(name), &options).unwrap()
    };
    expect_matrix("fine cow", &plan("cow_boundary", 3), &gpu);
    expect_matrix("fine dodecahedron", &plan("dodecahedron_poly", 1), &gpu);
}

/// Two tetrahedra at one vertex touch there.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn touching_sheets_are_counted() {
    let gpu = gpu(Precision::F64);
    let tetrahedron = |[a, b, c, d]: [u32; 4]| [a, c, b, a, b, d, b, c, d, c, a, d];
    let corners = [[0, 1, 2, 3], [0, 4, 5, 6]].map(tetrahedron).concat();
    let points = (0..7).map(|i| [f64::from(i), f64::from(i * i), 0.0]).collect();
    let mesh = SurfaceMesh { points, faces: Polygons::uniform(3, corners), ..Default::default() };
    let counts = device_matrix(&mesh, &gpu).unwrap().counts();
    assert_eq!((counts.touching, counts.boundary, counts.inconsistent), (1, 0, 0));
    assert!(!counts.is_closed_manifold());
    assert!(device_matrix(&model("cow_boundary"), &gpu).unwrap().counts().is_closed_manifold());
}

fn expect_points(
    name: &str,
    mesh: &SurfaceMesh,
    options: SurfaceOptions,
    gpu: &subsolid::backend::Cuda,
) {
    let label = format!("{name}, {:?}, level {}", options.scheme, options.levels);
    let plan = SurfacePlan::new(mesh, &options).unwrap();
    let mut single = Refiner::<f32>::new(mesh, &options, gpu).unwrap();
    let mut double = Refiner::<f64>::new(mesh, &options, gpu).unwrap();
    for scale in [1.0, 1.25] {
        let points: Vec<[f64; 3]> = mesh.points.iter().map(|p| p.map(|x| scale * x)).collect();
        let rounded: Vec<[f32; 3]> = points.iter().map(|p| p.map(|x| x as f32)).collect();
        single.set_controls(&rounded).unwrap();
        single.run(FriendRun::Both).unwrap();
        double.set_controls(&points).unwrap();
        double.run(FriendRun::Topology).unwrap();
        double.run(FriendRun::Points).unwrap();
        assert!(single.corners().unwrap() == plan.corners(), "{label}");
        assert!(double.corners().unwrap() == plan.corners(), "{label}");
        assert!(double.points().unwrap() == plan.evaluate(&points).unwrap(), "{label}");
        assert!(single.points().unwrap() == plan.evaluate(&rounded).unwrap(), "{label}");
    }
}

/// Refined faces and points are those of the CPU, bit by bit, in both precisions, in one pass
/// and in two, and again after moving.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn refined_meshes_are_those_of_the_cpu() {
    let gpu = gpu(Precision::F64);
    for name in SURFACES {
        let mut mesh = model(name);
        for scheme in [Scheme::Loop, Scheme::CatmullClark] {
            for levels in 1..=4 {
                if levels == 4 && mesh.faces.len() > 2000 {
                    continue;
                }
                for rule in [CreaseRule::Uniform, CreaseRule::Chaikin] {
                    mesh.crease_rule = rule;
                    let options = SurfaceOptions { scheme, levels, ..SurfaceOptions::default() };
                    expect_points(name, &mesh, options, &gpu);
                }
            }
        }
    }
    for (name, mesh) in [("fan", fan(300)), ("book", book(7)), ("thick book", book(200))] {
        for scheme in [Scheme::Loop, Scheme::CatmullClark] {
            for levels in [1, 2, 5] {
                let options = SurfaceOptions { scheme, levels, ..SurfaceOptions::default() };
                expect_points(name, &mesh, options, &gpu);
            }
        }
    }
}

/// Triangles over a grid of `n` × `n` vertices with some left out, so that the ends of the
/// surface have corners of all kinds: ears of one triangle, notches, holes.
fn torn(n: u32, kept: impl Fn(u32) -> bool) -> SurfaceMesh {
    let at = |i: u32, j: u32| i + n * j;
    let cells = (0..(n - 1) * (n - 1)).map(|k| (k % (n - 1), k / (n - 1)));
    let triangles = cells.flat_map(|(i, j)| {
        let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        [[a, b, c], [a, c, d]]
    });
    let kept = (0..).zip(triangles).filter(|&(k, _)| kept(k)).flat_map(|(_, corners)| corners);
    let corners = kept.collect();
    let point = |v: u32| [f64::from(v % n), f64::from(v / n), (f64::from(v) * 0.7).sin()];
    let points = (0..n * n).map(point).collect();
    SurfaceMesh { points, faces: Polygons::uniform(3, corners), ..Default::default() }
}

/// √3 on oriented manifolds, closed and open, bit by bit; what touches itself, or is folded, is
/// left to the CPU.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn turned_triangles_are_those_of_the_cpu() {
    let gpu = gpu(Precision::F64);
    let (mut refined, mut open) = (0, 0);
    let mut expect = |name: &str, mesh: &SurfaceMesh, all: &[usize]| {
        for &levels in all {
            if levels > 5 && mesh.faces.len() > 3000 {
                continue;
            }
            let options = SurfaceOptions { scheme: Scheme::Sqrt3, levels, ..Default::default() };
            if runs_on_gpu(mesh, &options) {
                expect_points(name, mesh, options, &gpu);
                refined += 1;
                open += usize::from(device_matrix(mesh, &gpu).unwrap().counts().boundary > 0);
            } else {
                assert!(Refiner::<f32>::new(mesh, &options, &gpu).is_err(), "{name}");
            }
        }
    };
    for name in SURFACES {
        let mut mesh = model(name);
        mesh.creases = Default::default();
        mesh.uv = None;
        mesh.holes.clear();
        for boundary in [BoundaryRule::Edges, BoundaryRule::EdgesAndCorners] {
            mesh.boundary = boundary;
            expect(name, &mesh, &[1, 2, 3, 6]);
        }
    }
    let levels = [1, 2, 3, 4, 5, 6, 7];
    expect("triangle", &torn(2, |k| k == 0), &levels);
    expect("two triangles", &torn(2, |_| true), &levels);
    expect("fan", &fan(300), &levels);
    let mut mesh = torn(12, |k| !matches!(k, 0 | 100..=103 | 57 | 240));
    expect("torn", &mesh, &levels);
    mesh.boundary = BoundaryRule::EdgesAndCorners;
    expect("torn with corners", &mesh, &levels);
    expect("large", &torn(120, |k| k % 977 != 0), &[1, 2, 3, 4, 5]);
    assert!(refined >= 60 && open >= 40, "{refined}, {open} of them open");
    // two triangles back to back: all vertices have two faces
    let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let faces = Polygons::uniform(3, vec![0, 1, 2, 0, 2, 1]);
    let folded = SurfaceMesh { points, faces, ..Default::default() };
    // two that share a vertex
    let touching = torn(3, |k| matches!(k, 0 | 6));
    for mesh in [folded, touching] {
        let options = SurfaceOptions { scheme: Scheme::Sqrt3, levels: 2, ..Default::default() };
        assert!(!runs_on_gpu(&mesh, &options));
        assert!(Refiner::<f32>::new(&mesh, &options, &gpu).is_err());
    }
}

/// √3 leaves holes out of the refined mesh, at levels with and without permuted edges.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn holes_of_turned_triangles_are_those_of_the_cpu() {
    let gpu = gpu(Precision::F64);
    let mut mesh = torn(12, |k| !matches!(k, 0 | 100..=103 | 57 | 240));
    mesh.holes = vec![3, 40, 41, 42, 130];
    for levels in 1..=5 {
        let options = SurfaceOptions { scheme: Scheme::Sqrt3, levels, ..Default::default() };
        assert!(runs_on_gpu(&mesh, &options));
        let plan = SurfacePlan::new(&mesh, &options).unwrap();
        let mut device = Refiner::<f64>::new(&mesh, &options, &gpu).unwrap();
        let found = device.refine(&mesh).unwrap();
        assert!(found == plan.refine(&mesh).unwrap(), "level {levels}");
        let all = plan.corners().len() / 3;
        assert!((1..all).contains(&found.faces.len()), "level {levels}");
        assert_eq!(device.notices(), plan.notices());
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn what_a_gpu_lacks_is_refused() {
    let gpu = gpu(Precision::F64);
    let mesh = model("spot_control_mesh");
    for (method, levels) in [(Method::Single, 0), (Method::Matrix, 0), (Method::EdgeFriend, 1)] {
        let options = SurfaceOptions { method, levels, ..SurfaceOptions::default() };
        assert!(!runs_on_gpu(&mesh, &options));
        assert!(Refiner::<f32>::new(&mesh, &options, &gpu).is_err());
    }
    let options = SurfaceOptions { scheme: Scheme::Loop, levels: 1, ..SurfaceOptions::default() };
    let mut device = Refiner::<f32>::new(&mesh, &options, &gpu).unwrap();
    assert!(device.set_controls(&[[0.0; 3]; 2]).is_err());
    assert!(device.set_corners(mesh.faces.vertices()).is_err());
}

/// Small surfaces of every kind by all schemes: few enough for compute-sanitizer.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn small_surfaces_are_those_of_the_cpu() {
    let gpu = gpu(Precision::F64);
    for rule in [CreaseRule::Uniform, CreaseRule::Chaikin] {
        for name in ["cubes_semisharp", "edgecorner", "hole_test2", "nonman_verts"] {
            let mesh = SurfaceMesh { crease_rule: rule, ..model(name) };
            for scheme in [Scheme::CatmullClark, Scheme::Loop] {
                let options = SurfaceOptions { scheme, levels: 3, ..SurfaceOptions::default() };
                expect_points(name, &mesh, options, &gpu);
            }
        }
    }
    let book = book(5);
    let options = SurfaceOptions { scheme: Scheme::Loop, levels: 3, ..Default::default() };
    expect_points("book", &book, options, &gpu);
    let options = SurfaceOptions { scheme: Scheme::Sqrt3, levels: 4, ..Default::default() };
    expect_points("torn", &torn(6, |k| k != 25 && k != 0), options, &gpu);
}
