//! Limits of surfaces.

use subsolid::backend::cuda::{
    GridEvaluator, PlaceEvaluator, StaticRefiner, SurfacePoints, VertexEvaluator,
};
use subsolid::backend::{Cuda, Precision, SurfaceEvaluator};
use subsolid::mesh::{Polygons, SurfaceMesh};
use subsolid::plan::Want;
use subsolid::surface::StaticRefinement;
use subsolid::surface::limit::{GridLimit, LimitSurface, Scheme, SurfaceGrid, SurfaceLocation};

use super::gpu;
use crate::oracle::vector::greater;

/// Models of all kinds of leaves: regular, irregular, refined for creases and polygons,
/// open, not manifold.
const MODELS: [&str; 8] = [
    "cow_boundary",
    "cubes_semisharp",
    "dodecahedron_poly",
    "val2_interior",
    "pole64",
    "nonman_verts",
    "edgecorner",
    "spot_control_mesh",
];

fn surface(mesh: &SurfaceMesh, scheme: Scheme) -> LimitSurface {
    LimitSurface::of_mesh(mesh, scheme).unwrap()
}

fn model(name: &str) -> (SurfaceMesh, LimitSurface) {
    let mesh = subsolid::read_surface(format!("models/surfaces/{name}.obj")).unwrap();
    let surface = surface(&mesh, Scheme::CatmullClark);
    (mesh, surface)
}

/// The faces of a model cut into triangles.
fn triangles(name: &str) -> (SurfaceMesh, LimitSurface) {
    let mesh = subsolid::read_surface(format!("models/surfaces/{name}.obj")).unwrap();
    let cut = mesh.faces.iter().flat_map(|face| {
        (1..face.len() - 1).flat_map(|i| [face[0], face[i], face[i + 1]]).collect::<Vec<_>>()
    });
    let faces = Polygons::uniform(3, cut.collect());
    let mesh = SurfaceMesh::new(mesh.points, faces);
    let surface = surface(&mesh, Scheme::Loop);
    (mesh, surface)
}

/// Points that moved a little.
fn moved(mesh: &SurfaceMesh, step: usize) -> Vec<[f64; 3]> {
    let wave = |x: f64| (x * 12.9898 + step as f64).sin();
    mesh.points.iter().map(|p| [p[0] + 0.01 * wave(p[1]), p[1], p[2] - 0.01 * wave(p[0])]).collect()
}

/// Largest error of positions and of derivatives in units of the largest coordinate of the
/// control points, and of normals where the derivatives are far from parallel; NaN must stand
/// in the same places.
fn errors<T: Copy + Into<f64>>(
    found: &SurfacePoints<T>,
    expected: &GridLimit,
    size: f64,
    places: &str,
) -> [f64; 3] {
    let error = |found: &[[T; 3]], expected: &[f64], unit: f64| {
        assert_eq!(3 * found.len(), expected.len(), "{places}");
        let mut worst: f64 = 0.0;
        for (i, (&a, &b)) in found.as_flattened().iter().zip(expected).enumerate() {
            let a: f64 = a.into();
            assert_eq!(a.is_nan(), b.is_nan(), "{places}, number {i}: {a} {b}");
            worst = greater(worst, if a.is_nan() { 0.0 } else { (a - b).abs() / unit });
        }
        worst
    };
    let [u, v] = &found.derivatives;
    let derivatives =
        error(u, &expected.derivatives[0], size).max(error(v, &expected.derivatives[1], size));
    let mut normals = 0.0_f64;
    let of_normals = expected.normals.as_chunks::<3>().0;
    assert_eq!(found.normals.len(), of_normals.len(), "{places}");
    for (at, (a, b)) in found.normals.iter().zip(of_normals).enumerate() {
        let a: [f64; 3] = a.map(Into::into);
        assert_eq!(a[0].is_nan(), b[0].is_nan(), "{places}, normal {at}: {a:?} {b:?}");
        // where there are no derivatives, normals are those of tangents
        let parallel = sine(&expected.derivatives, at) < 0.1;
        if !b[0].is_nan() && !parallel {
            normals = (0..3).map(|d| (a[d] - b[d]).abs()).fold(normals, greater);
        }
    }
    [error(&found.positions, &expected.positions, size), derivatives, normals]
}

/// Sine of the angle between two derivatives; NaN where they do not exist.
fn sine([u, v]: &[Vec<f64>; 2], at: usize) -> f64 {
    let dot = |a: &[f64], b: &[f64]| (0..3).map(|d| a[3 * at + d] * b[3 * at + d]).sum::<f64>();
    let square = 1.0 - dot(u, v).powi(2) / (dot(u, u) * dot(v, v));
    // rounding may take it below 0
    if square < 0.0 { 0.0 } else { square.sqrt() }
}

fn check_grid(
    name: &str,
    mesh: &SurfaceMesh,
    grid: &SurfaceGrid<'_>,
    surface: &LimitSurface,
    gpu: &Cuda,
) {
    let mut single = GridEvaluator::<f32>::new(grid, gpu).unwrap();
    let mut double = GridEvaluator::<f64>::new(grid, gpu).unwrap();
    for step in 0..2 {
        let points = moved(mesh, step);
        let refined = surface.refined_points(&points).unwrap();
        let mut expected = GridLimit::default();
        grid.evaluate(&refined, 0..surface.elements().len(), &mut expected).unwrap();
        let size = points.as_flattened().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        single.set_controls(&points).unwrap();
        single.evaluate().unwrap();
        double.set_controls(&points).unwrap();
        double.evaluate().unwrap();
        let [p, d, n] = errors(&double.read().unwrap(), &expected, size, name);
        println!("{name} f64: {p:e} {d:e} {n:e}");
        assert!(p <= 1e-13 && d <= 1e-11 && n <= 1e-9, "{name} f64: {p:e} {d:e} {n:e}");
        let [p, d, n] = errors(&single.read().unwrap(), &expected, size, name);
        println!("{name} f32: {p:e} {d:e} {n:e}");
        // 4 ulp of the largest coordinate
        assert!(p <= 4.0 * f64::from(f32::EPSILON), "{name} f32: {p:e}");
        assert!(d <= 1e-6 && n <= 1e-5, "{name} f32: {d:e} {n:e}");
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn grids_are_those_of_the_cpu() {
    let gpu = gpu(Precision::F32);
    for name in MODELS {
        let (mesh, surface) = model(name);
        let samples: &[usize] = match name {
            "cow_boundary" => &[1, 2, 3, 4, 5, 7, 8, 11, 16, 17, 32, 33, 64],
            _ => &[1, 5, 8],
        };
        for &n in samples {
            for normals in [false, true] {
                let grid = surface.grid(n, normals).unwrap();
                check_grid(&format!("{name} {n}"), &mesh, &grid, &surface, &gpu);
            }
        }
    }
    for name in ["cow_boundary", "dodecahedron_poly", "moebius"] {
        let (mesh, surface) = triangles(name);
        for (n, normals) in [(1, true), (6, true), (8, false)] {
            let grid = surface.grid(n, normals).unwrap();
            check_grid(&format!("{name}, triangles, {n}"), &mesh, &grid, &surface, &gpu);
        }
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn grids_repeat_bit_by_bit() {
    let gpu = gpu(Precision::F32);
    let (mesh, surface) = model("spot_control_mesh");
    let grid = surface.grid(8, true).unwrap();
    let mut device = GridEvaluator::<f32>::new(&grid, &gpu).unwrap();
    device.set_controls(&mesh.points).unwrap();
    let bits = |device: &mut GridEvaluator<f32>| {
        device.evaluate().unwrap();
        let SurfacePoints { positions, derivatives: [u, v], normals } = device.read().unwrap();
        let all = [positions, u, v, normals].concat();
        all.as_flattened().iter().map(|x| x.to_bits()).collect::<Vec<_>>()
    };
    let first = bits(&mut device);
    for _ in 0..10 {
        assert!(bits(&mut device) == first);
    }
    assert!(device.set_controls(&mesh.points[1..]).is_err());
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn scattered_points_are_those_of_the_cpu() {
    let gpu = gpu(Precision::F32);
    let models = MODELS.map(|name| (name, model(name)));
    let loops = ["cow_boundary", "moebius"].map(|name| (name, triangles(name)));
    for (name, (mesh, surface)) in models.into_iter().chain(loops) {
        let elements = surface.elements().len() as u32;
        let places: Vec<SurfaceLocation> = (0..4000u32)
            .map(|i| {
                let fraction = |k: f64| (f64::from(i) * k).fract();
                let (u, v) = (fraction(0.618_033_98), fraction(0.414_213_56));
                let corner = i % 16 == 0;
                let parameters = match surface.scheme() {
                    _ if corner => [0.0, 0.0],
                    Scheme::Loop if u + v > 1.0 => [1.0 - u, 1.0 - v],
                    _ => [u, v],
                };
                SurfaceLocation { element: i.wrapping_mul(7919) % elements, parameters }
            })
            .collect();
        for want in [Want::POSITION, Want::FIRST, Want::FIRST | Want::SECOND] {
            let points = moved(&mesh, 1);
            let size = points.as_flattened().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            let expected = surface.evaluate(&points, &places, want).unwrap();
            let expected = [
                expected.positions,
                expected.d_u,
                expected.d_v,
                expected.d_uu,
                expected.d_uv,
                expected.d_vv,
            ];
            let mut single = PlaceEvaluator::<f32>::new(&surface, &places, want, &gpu).unwrap();
            let mut double = PlaceEvaluator::<f64>::new(&surface, &places, want, &gpu).unwrap();
            single.set_controls(&points).unwrap();
            single.evaluate().unwrap();
            double.set_controls(&points).unwrap();
            double.evaluate().unwrap();
            let (single, double) = (single.read().unwrap(), double.read().unwrap());
            for (quantity, expected) in expected.iter().enumerate() {
                // derivatives grow by 2 per level of local refinement and order
                let largest = expected.as_flattened().iter().filter(|x| x.is_finite());
                let size = largest.fold(size, |m, x| m.max(x.abs()));
                assert_eq!(double[quantity].len(), expected.len());
                assert_eq!(single[quantity].len(), expected.len());
                let (mut worst, mut worst_single) = (0.0_f64, 0.0_f64);
                for (at, expected) in expected.iter().enumerate() {
                    for d in 0..3 {
                        let (a, b) = (double[quantity][at][d], single[quantity][at][d]);
                        assert_eq!(expected[d].is_nan(), a.is_nan(), "{name} {quantity} {at}");
                        assert_eq!(expected[d].is_nan(), b.is_nan(), "{name} {quantity} {at}");
                        if !a.is_nan() {
                            worst = greater(worst, (a - expected[d]).abs() / size);
                            let off = (f64::from(b) - expected[d]).abs() / size;
                            worst_single = greater(worst_single, off);
                        }
                    }
                }
                println!("{name} quantity {quantity}: {worst:e} {worst_single:e}");
                let tolerance = if quantity == 0 { 1e-13 } else { 1e-12 };
                assert!(worst <= tolerance, "{name} {quantity}: {worst:e}");
                assert!(
                    worst_single <= 4.0 * f64::from(f32::EPSILON),
                    "{name} {quantity}: {worst_single:e}"
                );
            }
        }
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn limits_of_vertices_are_those_of_the_cpu() {
    let gpu = gpu(Precision::F32);
    for name in MODELS {
        let (mesh, surface) = model(name);
        let masks = surface.vertex_masks();
        let mut single = VertexEvaluator::<f32>::new(&masks, &gpu).unwrap();
        let mut double = VertexEvaluator::<f64>::new(&masks, &gpu).unwrap();
        for step in 0..2 {
            let points = moved(&mesh, step);
            let size = points.as_flattened().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            let expected = SurfaceExpected {
                positions: masks.limit_positions(&points).unwrap(),
                normals: masks.limit_normals(&points).unwrap(),
            };
            single.set_controls(&points).unwrap();
            single.evaluate().unwrap();
            double.set_controls(&points).unwrap();
            double.evaluate().unwrap();
            let ulp = f64::from(f32::EPSILON);
            expected.check(name, &double.read().unwrap(), size, [1e-13, 1e-9]);
            expected.check(name, &single.read().unwrap(), size, [4.0 * ulp, 1e-5]);
        }
    }
}

struct SurfaceExpected {
    positions: Vec<[f64; 3]>,
    normals: Vec<[f64; 3]>,
}

impl SurfaceExpected {
    fn check<T: Copy + Into<f64>>(
        &self,
        name: &str,
        found: &[Vec<[T; 3]>; 2],
        size: f64,
        tolerances: [f64; 2],
    ) {
        let units = [size, 1.0];
        for (k, expected) in [&self.positions, &self.normals].into_iter().enumerate() {
            assert_eq!(found[k].len(), expected.len());
            for (v, (a, b)) in found[k].iter().zip(expected).enumerate() {
                for d in 0..3 {
                    let (a, b): (f64, f64) = (a[d].into(), b[d]);
                    assert_eq!(a.is_nan(), b.is_nan(), "{name}, vertex {v}: {a} {b}");
                    let error = (a - b).abs() / units[k];
                    assert!(a.is_nan() || error <= tolerances[k], "{name}, vertex {v}: {error:e}");
                }
            }
        }
    }
}

/// All points of a level at once, also behind the leaves, in both precisions.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn static_refinement_is_that_of_the_cpu() {
    let gpu = gpu(Precision::F32);
    let models: [(&str, &[usize]); 6] = [
        ("cow_boundary", &[0, 1, 2, 3, 4, 5, 6, 7]),
        ("dodecahedron_poly", &[2, 5]),
        ("spot_control_mesh", &[2, 4]),
        ("cubes_semisharp", &[5]),
        ("edgecorner", &[1, 3]),
        ("bishop", &[6]),
    ];
    for (name, levels) in models {
        let mesh = subsolid::read_surface(format!("models/surfaces/{name}.obj")).unwrap();
        for &levels in levels {
            let refinement = StaticRefinement::new(&mesh, Scheme::CatmullClark, levels).unwrap();
            let mut single = StaticRefiner::<f32>::new(&refinement, &gpu).unwrap();
            let mut double = StaticRefiner::<f64>::new(&refinement, &gpu).unwrap();
            for step in 0..2 {
                let points = moved(&mesh, step);
                let size = points.as_flattened().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
                let expected = refinement.evaluate(&points).unwrap();
                single.set_controls(&points).unwrap();
                single.evaluate().unwrap();
                double.set_controls(&points).unwrap();
                double.evaluate().unwrap();
                let (single, double) = (single.points().unwrap(), double.points().unwrap());
                assert_eq!(single.len(), expected.len());
                for (k, p) in expected.iter().enumerate() {
                    for d in 0..3 {
                        let error = (double[k][d] - p[d]).abs() / size;
                        assert!(error <= 1e-13, "{name}, level {levels}, {k}: {error:e}");
                        let error = (f64::from(single[k][d]) - p[d]).abs() / size;
                        let most = 4.0 * f64::from(f32::EPSILON);
                        assert!(error <= most, "{name}, level {levels}, {k}: {error:e}");
                    }
                }
            }
        }
    }
}
