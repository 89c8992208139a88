//! Processing on the device against the CPU.

use std::path::Path;

use subsolid::backend::Precision;
use subsolid::backend::cuda::DeviceRepr;
use subsolid::backend::cuda::process::ResidentSurface;
use subsolid::mesh::{Polygons, SurfaceMesh};
use subsolid::numbers::Real;
use subsolid::process::surface::{
    Cotangents, Geodesics, curvature_flow, denoise, toplesets, vertex_normals,
};

use super::gpu;
use crate::oracle::random::Random;
use crate::oracle::vector::Greatest;
use crate::triangles::{prism, sphere, square};

/// Two spheres of different sizes, and a vertex of no face between them.
fn two_spheres() -> SurfaceMesh {
    let (small, large) = (sphere(3), sphere(4));
    let count = small.points.len() as u32;
    let mut points = small.points.clone();
    points.push([0.0; 3]);
    points.extend(large.points.iter().map(|p| [2.0 * p[0] + 5.0, 2.0 * p[1], 2.0 * p[2]]));
    let mut corners = small.faces.vertices().to_vec();
    corners.extend(large.faces.vertices().iter().map(|v| v + count + 1));
    SurfaceMesh::new(points, Polygons::uniform(3, corners))
}

fn model(name: &str) -> SurfaceMesh {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/surfaces");
    subsolid::read_surface(models.join(name)).unwrap()
}

fn triangle_meshes() -> Vec<(&'static str, SurfaceMesh)> {
    vec![
        ("one triangle", one_triangle()),
        ("square", square(24)),
        ("sphere", sphere(4)),
        ("two spheres", two_spheres()),
        ("slit", slit_square()),
    ]
}

/// A square with holes from one side nearly to the other.
fn slit_square() -> SurfaceMesh {
    let mut mesh = square(24);
    let is_slit = |f: &u32| (8..12).contains(&(f / 2 / 24)) && f / 2 % 24 < 20;
    mesh.holes = (0..mesh.faces.len() as u32).filter(is_slit).collect();
    mesh
}

fn one_triangle() -> SurfaceMesh {
    let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.2, 1.0, 0.5]];
    SurfaceMesh::new(points, Polygons::uniform(3, vec![0, 1, 2]))
}

/// The greatest difference, NaN where only one is NaN.
fn difference<T: Real + Into<f64>>(found: &[[T; 3]], expected: &[[f64; 3]]) -> f64 {
    assert_eq!(found.len(), expected.len());
    let pairs = found.as_flattened().iter().zip(expected.as_flattened());
    let each = pairs.map(|(&a, &b)| {
        let a: f64 = a.into();
        if a.is_nan() && b.is_nan() { 0.0 } else { (a - b).abs() }
    });
    each.greatest()
}

/// Rounded points turn an edge by `epsilon` times the extent over its length, and normals with it;
/// the largest such turn.
fn turn(mesh: &SurfaceMesh, epsilon: f64) -> f64 {
    let extent = extent_of(&mesh.points);
    let sides = mesh.faces.iter().flat_map(|face| {
        (0..face.len()).map(|i| {
            let [p, q] = [face[i], face[(i + 1) % face.len()]].map(|v| mesh.points[v as usize]);
            (0..3).map(|d| (p[d] - q[d]).powi(2)).sum::<f64>().sqrt()
        })
    });
    epsilon * extent / sides.fold(f64::INFINITY, f64::min)
}

fn extent_of(points: &[[f64; 3]]) -> f64 {
    points.as_flattened().iter().fold(0.0f64, |a, x| a.max(x.abs()))
}

fn check_points<T: Real + DeviceRepr + Into<f64>>(epsilon: f64) {
    let gpu = gpu(T::PRECISION);
    let polygons = ["spot_control_mesh.obj", "bishop.obj"].map(|name| (name, model(name)));
    for (name, mut mesh) in triangle_meshes().into_iter().chain(polygons) {
        let mut surface = ResidentSurface::<T>::new(&gpu, &mesh).unwrap();
        let found = difference(&surface.normals().unwrap(), &vertex_normals(&mesh).unwrap());
        let bound = 4.0 * turn(&mesh, epsilon);
        assert!(found <= bound, "{name}: normals off by {found:e}, {bound:e} allowed");
        let extent = extent_of(&mesh.points);
        let mut random = Random::new(7);
        let noise = mesh.points.as_flattened_mut().iter_mut();
        noise.for_each(|x| *x += 0.003 * extent * random.between(-1.0, 1.0));
        for rings in [1, 3] {
            let mut surface = ResidentSurface::<T>::new(&gpu, &mesh).unwrap();
            surface.denoise(rings).unwrap();
            let expected = denoise(&mesh, rings).unwrap();
            let found = difference(&surface.points().unwrap(), &expected);
            let bound = 400.0 * epsilon * extent;
            assert!(found <= bound, "{name}: {rings} rings off by {found:e}, {bound:e} allowed");
        }
    }
}

/// Normals, and the bilateral filter over one and three rings, in both precisions.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn filters_are_those_of_the_cpu() {
    check_points::<f64>(f64::EPSILON);
    check_points::<f32>(f32::EPSILON.into());
}

/// Curvature flow by conjugate gradients, with stored weights and with those found in every
/// product, against that by Cholesky factors.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn curvature_flow_is_that_of_the_cpu() {
    for (name, mesh) in triangle_meshes() {
        let expected = curvature_flow(&mesh, 0.01, Cotangents::Stored).unwrap();
        for cotangents in [Cotangents::Stored, Cotangents::Recomputed] {
            let mut surface = ResidentSurface::<f64>::new(&gpu(Precision::F64), &mesh).unwrap();
            surface.flow(0.01, cotangents).unwrap();
            let found = difference(&surface.points().unwrap(), &expected);
            assert!(found <= 1e-11, "{name}, {cotangents:?}: off by {found:e}");
            let mut surface = ResidentSurface::<f32>::new(&gpu(Precision::F32), &mesh).unwrap();
            surface.flow(0.01, cotangents).unwrap();
            let found = difference(&surface.points().unwrap(), &expected);
            assert!(found <= 2e-5, "{name}, {cotangents:?}: off by {found:e} in single precision");
        }
    }
}

/// Toplesets do the same updates; heat goes through other solvers.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn distances_are_those_of_the_cpu() {
    for (name, mesh) in triangle_meshes() {
        let sources = if name == "two spheres" { vec![3, 300, 12] } else { vec![0, 2] };
        let mut surface = ResidentSurface::<f64>::new(&gpu(Precision::F64), &mesh).unwrap();
        let worst = |found: &[f64], expected: &[f64]| {
            assert_eq!(found.len(), expected.len());
            // vertices of no face have no distance
            let pairs = found.iter().zip(expected).filter(|(a, b)| !(a.is_nan() && b.is_nan()));
            let each = pairs.map(|(a, b)| (a - b).abs());
            each.greatest()
        };
        let off =
            worst(&surface.toplesets(&sources).unwrap(), &toplesets(&mesh, &sources).unwrap());
        assert!(off <= 1e-11, "{name}: toplesets off by {off:e}");
        let expected = Geodesics::new(&mesh).unwrap().distance(&sources).unwrap();
        let off = worst(&surface.heat_distance(&sources).unwrap(), &expected);
        assert!(off <= 1e-8, "{name}: heat off by {off:e}");
        assert!(surface.iterations() > 0 && surface.seconds() > 0.0);
        let single = ResidentSurface::<f32>::new(&gpu(Precision::F32), &mesh)
            .unwrap()
            .toplesets(&sources)
            .unwrap();
        let single: Vec<f64> = single.into_iter().map(f64::from).collect();
        let off = worst(&single, &toplesets(&mesh, &sources).unwrap());
        assert!(off <= 1e-4, "{name}: toplesets off by {off:e} in single precision");
    }
}

/// Heat's Poisson equation by cycles over many levels, with weights of both signs, against Cholesky
/// factors. Wherever triangles are longer, heat itself changes its sign, and no solver agrees with
/// another.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn distances_by_many_levels_are_those_of_the_cpu() {
    let mut rough = square(150);
    let mut random = Random::new(3);
    for p in &mut rough.points {
        if p[..2].iter().all(|x| *x > 0.0 && *x < 1.0) {
            (0..2).for_each(|d| p[d] += random.between(-0.15, 0.15) / 150.0);
            p[2] = 0.1 * (7.0 * p[0]).sin();
        }
    }
    let mut stretched = rough.clone();
    stretched.points.iter_mut().for_each(|p| p[0] *= 2.0);
    for (name, mesh) in [("sphere", sphere(6)), ("rough", rough), ("stretched", stretched)] {
        let sources = [5, 1700];
        let mut surface = ResidentSurface::<f64>::new(&gpu(Precision::F64), &mesh).unwrap();
        let found = surface.heat_distance(&sources).unwrap();
        let expected = Geodesics::new(&mesh).unwrap().distance(&sources).unwrap();
        let each = found.iter().zip(&expected).map(|(a, b)| (a - b).abs());
        let off = each.greatest();
        assert!(off <= 1e-8, "{name}: off by {off:e}");
    }
}

/// So small that `compute-sanitizer` ends.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn distances_on_small_surfaces_are_those_of_the_cpu() {
    for (name, mesh, sources) in [
        ("one triangle", one_triangle(), &[0][..]),
        ("sphere", sphere(1), &[0]),
        // without a direction of heat at its top
        ("prism", prism(8, 0.25), &[0, 1, 2]),
    ] {
        let mut surface = ResidentSurface::<f64>::new(&gpu(Precision::F64), &mesh).unwrap();
        let heat = Geodesics::new(&mesh).unwrap().distance(sources).unwrap();
        let by_heat = (surface.heat_distance(sources).unwrap(), heat, 1e-8);
        let sweeps = toplesets(&mesh, sources).unwrap();
        let by_sweeps = (surface.toplesets(sources).unwrap(), sweeps, 1e-11);
        for (found, expected, tolerance) in [by_heat, by_sweeps] {
            let each = found.iter().zip(&expected).map(|(a, b)| (a - b).abs());
            let off = each.greatest();
            assert!(off <= tolerance && found.len() == expected.len(), "{name}: off by {off:e}");
        }
    }
}

/// L of a linear function is 0 inside a square, and of any function its integral vanishes.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn the_laplacian_is_exact_for_linear_functions() {
    let mesh = square(30);
    let mut surface = ResidentSurface::<f64>::new(&gpu(Precision::F64), &mesh).unwrap();
    let linear: Vec<f64> = mesh.points.iter().map(|p| 2.0 * p[0] - 3.0 * p[1] + 1.0).collect();
    let one = surface.attribute(1, &linear).unwrap();
    let rows: Vec<f64> =
        mesh.points.iter().flat_map(|p| [p[0], p[1].sin(), p[0] * p[1], 7.0]).collect();
    let three = surface.attribute(4, &rows).unwrap();
    for cotangents in [Cotangents::Stored, Cotangents::Recomputed] {
        let product = surface.laplacian(&one, cotangents).unwrap();
        for (p, product) in mesh.points.iter().zip(&product) {
            let inside = p[..2].iter().all(|x| *x > 0.0 && *x < 1.0);
            assert!(!inside || product.abs() < 1e-13, "{p:?}: {product:e}, {cotangents:?}");
        }
        let product = surface.laplacian(&three, cotangents).unwrap();
        for c in 0..3 {
            let sum: f64 = product.iter().skip(c).step_by(3).sum();
            assert!(sum.abs() < 1e-12, "column {c}: {sum:e}, {cotangents:?}");
            let largest = product.iter().skip(c).step_by(3).fold(0.0f64, |a, x| a.max(x.abs()));
            assert!(largest > 1e-3, "column {c}, {cotangents:?}");
        }
    }
}

/// The same bits in every run.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn jobs_repeat_bit_by_bit() {
    let mesh = sphere(5);
    let gpu = gpu(Precision::F64);
    let run = || {
        let mut surface = ResidentSurface::<f64>::new(&gpu, &mesh).unwrap();
        let mut all = surface.normals().unwrap().as_flattened().to_vec();
        all.extend(surface.toplesets(&[1]).unwrap());
        all.extend(surface.heat_distance(&[1]).unwrap());
        surface.flow(0.002, Cotangents::Stored).unwrap();
        surface.flow(0.002, Cotangents::Recomputed).unwrap();
        surface.denoise(2).unwrap();
        all.extend(surface.points().unwrap().as_flattened());
        all.into_iter().map(f64::to_bits).collect::<Vec<u64>>()
    };
    let first = run();
    for _ in 0..20 {
        assert!(run() == first);
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn what_cannot_be_processed_is_refused() {
    let gpu = gpu(Precision::F64);
    let refused = |mesh: &SurfaceMesh,
                   job: fn(&mut ResidentSurface<f64>) -> subsolid::Result<()>| {
        job(&mut ResidentSurface::new(&gpu, mesh).unwrap()).unwrap_err().to_string()
    };
    let quads = model("spot_control_mesh.obj");
    assert!(refused(&quads, |s| s.flow(0.1, Cotangents::Recomputed)).contains("is not a triangle"));
    assert!(refused(&quads, |s| s.toplesets(&[0]).map(drop)).contains("is not a triangle"));
    let flat = SurfaceMesh::new(
        vec![[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]],
        Polygons::uniform(3, vec![0, 1, 2]),
    );
    assert!(refused(&flat, |s| s.heat_distance(&[0]).map(drop)).contains("no area"));
    let round = sphere(1);
    assert!(refused(&round, |s| s.flow(f64::NAN, Cotangents::Stored)).contains("NaN"));
    assert!(refused(&round, |s| s.denoise(0)).contains("at least 1 ring"));
    assert!(refused(&round, |s| s.toplesets(&[99]).map(drop)).contains("no vertex 99"));
    assert!(refused(&two_spheres(), |s| s.heat_distance(&[0]).map(drop)).contains("not connected"));
    let mut surface = ResidentSurface::<f64>::new(&gpu, &round).unwrap();
    let wide = surface.attribute(2, &vec![0.0; 2 * round.points.len()]).unwrap();
    assert!(
        surface.laplacian(&wide, Cotangents::Stored).unwrap_err().to_string().contains("Laplacian")
    );
}
