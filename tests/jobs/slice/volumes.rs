//! Volumes of slices: those of known solids, of boundaries by flux, of cells by Gauss points.

use std::f64::consts::PI;

use rayon::prelude::*;
use subsolid::backend::Cpu;
use subsolid::mesh::SolidMesh;
use subsolid::mesh::shape::{Shape, VertexLink};
use subsolid::plan::Quantity;
use subsolid::slice::{Axis, SliceOptions, Slicer};
use subsolid::{Backend, Samples, Solid, Want};

use super::{AXES, boundary, check_contours, creased, heights, on_side, shape, slicer};
use crate::oracle::random::Random;
use crate::support::{Limits, meshes};

/// Volume by the divergence theorem with 6 × 6 Gauss points on every boundary face, of
/// what goes through them along `direction`: exact where these have no extraordinary
/// vertices.
fn boundary_volume(mesh: &SolidMesh, direction: usize) -> f64 {
    let [e, f] = [(direction + 1) % 3, (direction + 2) % 3];
    let limits = Limits::new(mesh);
    let rule = subsolid::basis::gauss::rule(6).expect("a rule");
    let mut volume = 0.0;
    for face in boundary(mesh) {
        let (cell, axis, side) = face;
        for (s, ws) in rule.points.iter().zip(&rule.weights) {
            for (t, wt) in rule.points.iter().zip(&rule.weights) {
                let p = on_side(face, [*s, *t]);
                let x = limits.position(cell, p);
                let d = limits.first(cell, p).map(|d| d.expect("inside a face"));
                let (a, b) = (d[(axis + 1) % 3], d[(axis + 2) % 3]);
                let normal = a[e] * b[f] - a[f] * b[e];
                volume += ws * wt * x[direction] * normal * if side == 1 { 1.0 } else { -1.0 };
            }
        }
    }
    volume
}

/// Volume by 4³ Gauss points per element.
fn gauss_volume(mesh: &SolidMesh) -> f64 {
    let n = 4;
    let solid = Solid::new(mesh).expect("a solid");
    let plan = solid.plan(&Samples::gauss(n).expect("a rule"), Want::DETERMINANT).expect("a plan");
    let limit = Cpu::default().evaluate(&plan, mesh.controls()).expect("a limit");
    let determinants = limit.quantity(Quantity::Determinant, None).expect("derivatives");
    let w = subsolid::basis::gauss::rule(n).expect("a rule").weights;
    let terms = determinants.iter().enumerate();
    terms.map(|(i, d)| d * w[i % n] * w[i / n % n] * w[i / (n * n) % n]).sum()
}

/// Volume by areas of `n` slices, dense at the ends where areas start as roots.
pub fn sliced_volume(slicer: &Slicer, n: usize) -> f64 {
    let [low, high] = slicer.heights();
    let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
    let area = |i: usize| {
        let angle = PI * (i as f64 + 0.5) / n as f64;
        slicer.layer(i, middle - half * angle.cos()).area() * angle.sin()
    };
    (0..n).into_par_iter().map(area).sum::<f64>() * half * PI / n as f64
}

/// Far from the origin numbers do not resolve the usual tolerance: no patch gets that flat.
#[test]
fn tolerances_below_the_rounding_of_coordinates_are_refused() {
    let mut mesh = shape("box", &[3, 2, 2]);
    let mut random = Random::new(4);
    mesh.points.iter_mut().flatten().for_each(|x| *x += random.between(-0.15, 0.15));
    let solid = Solid::new(&mesh).unwrap();
    let own = Slicer::new(&solid, mesh.controls(), SliceOptions::default()).unwrap();
    let expected = sliced_volume(&own, 60);
    for (offset, refused) in [(1e8, 1e-7), (1e9, 1e-6), (1e10, 1e-5), (2e11, 3e-5)] {
        let mut far = mesh.clone();
        far.points.iter_mut().flatten().for_each(|x| *x += offset);
        let slicer = |tolerance| {
            Slicer::new(&solid, far.controls(), SliceOptions { axis: Axis::Y, tolerance })
        };
        let error = slicer(Some(refused)).unwrap_err().to_string();
        assert!(error.contains("below the rounding of coordinates up to"), "{error}");
        let least = offset * 2.0_f64.powi(-46);
        for tolerance in [None, Some(least)] {
            let slicer = slicer(tolerance).unwrap();
            assert!(slicer.tolerance() >= 0.99 * least, "{offset}");
            let volume = sliced_volume(&slicer, 60);
            assert!((volume / expected - 1.0).abs() < 4e-3, "{offset}: {volume} for {expected}");
        }
    }
}

#[test]
fn slices_of_a_box_are_its_rectangles() {
    let mesh = creased("box", &[3, 2, 4]);
    let extents = [3.0, 2.0, 4.0];
    for axis in AXES {
        let slicer = slicer(&mesh, axis, 1e-6);
        let [a, b] = axis.plane().map(|d| extents[d]);
        let high = extents[axis.number()];
        // the bottom is cut, the top is not; inner planes pass through corners of cells
        for height in [0.0, 1e-9, 0.3, 1.0, 1.7, 2.0 - 1e-9] {
            let layer = slicer.layer(7, height);
            assert_eq!((layer.index, layer.height, layer.contours.len()), (7, height, 1));
            assert!((layer.area() / (a * b) - 1.0).abs() < 1e-13, "{axis:?} {height}");
        }
        for height in [-1e9, -1e-6, high, high + 1e-6, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(slicer.layer(0, height).contours.is_empty(), "{axis:?} {height}");
        }
    }
}

#[test]
fn a_box_far_from_the_origin_is_cut_like_any() {
    let mut mesh = creased("box", &[3, 2, 4]);
    let far = [1e5, -3e5, 0.1 + 2e5];
    mesh.points.iter_mut().for_each(|p| *p = [0, 1, 2].map(|d| p[d] + far[d]));
    let slicer = slicer(&mesh, Axis::Z, 1e-6);
    for height in [0.0, 0.3, 1.0, 3.999] {
        let area = slicer.layer(0, far[2] + height).area();
        assert!((area / 6.0 - 1.0).abs() < 5e-11, "{height}: {area}"); // 5e-12
    }
    assert!(slicer.layer(0, far[2] + 4.0).contours.is_empty());
}

/// Of samples of the limit none is lower or higher, and some are close.
#[test]
fn heights_are_those_of_the_limit() {
    let model = |name: &str| subsolid::read(format!("models/{name}")).unwrap();
    for (name, mesh) in [
        ("torus", shape("torus", &[8, 2, 1])),
        ("cylinder", shape("cylinder", &[2, 1, 3])),
        ("tripod", model("solids/tripod.vtk")),
        ("bracket", model("bracket.vtk")),
    ] {
        let solid = Solid::new(&mesh).unwrap();
        let plan = solid.plan(&Samples::grid(17), Want::POSITION).unwrap();
        let limit = Cpu::default().evaluate(&plan, mesh.controls()).unwrap();
        for axis in AXES {
            let slicer = slicer(&mesh, axis, 1e-7);
            let [low, high] = slicer.heights();
            let along = (axis.number()..limit.positions.len()).step_by(3);
            let heights = along.map(|i| limit.positions.get(i));
            let [least, most] = heights
                .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| {
                    [low.min(x), high.max(x)]
                });
            let (size, slack) = (high - low, 1.1e-7 + slicer.surface_error());
            assert!(low <= least + slack && high >= most - slack, "{name} {axis:?}");
            assert!(least - low < 5e-5 * size && high - most < 5e-5 * size, "{name} {axis:?}");
            assert!(!slicer.layer(0, low + 1e-5 * size).contours.is_empty(), "{name} {axis:?}");
        }
    }
}

#[test]
fn slices_of_a_cylinder_are_all_alike() {
    let mesh = creased("cylinder", &[2, 1, 3]);
    let slicer = slicer(&mesh, Axis::Z, 1e-8);
    // top and bottom have extraordinary vertices, and nothing goes through along x
    let volume = boundary_volume(&mesh, 0);
    let [low, high] = slicer.heights();
    for height in heights(&slicer, 9).into_iter().chain([low]) {
        let area = slicer.layer(0, height).area();
        let error = area * (high - low) / volume - 1.0;
        assert!(error.abs() < 1e-12, "{height}: {error:e}");
    }
}

#[test]
fn a_torus_has_the_volume_of_its_boundary() {
    let mesh = shape("torus", &[8, 2, 1]);
    let expected = boundary_volume(&mesh, 2);
    let slicer = slicer(&mesh, Axis::Z, 1e-8);
    let error = sliced_volume(&slicer, 400) / expected - 1.0;
    println!("torus: {error:e}");
    assert!(error.abs() < 1e-8, "{error:e}");
    // upright: ring, two disks, ring
    let upright = self::slicer(&mesh, Axis::X, 1e-6);
    let [low, high] = upright.heights();
    assert_eq!(upright.layer(0, 0.5 * (low + high)).contours.len(), 2);
    let flat = slicer.layer(0, 0.5 * slicer.heights().iter().sum::<f64>());
    let depths: Vec<u32> = flat.contours.iter().map(|c| c.depth).collect();
    assert!(depths == [0, 1] || depths == [1, 0], "{depths:?}");
    check_contours(&slicer, &flat, "torus");
}

#[test]
fn volumes_of_shapes_with_extraordinary_vertices() {
    let link = |link: VertexLink| Shape::Link { link, rings: 1 }.build().expect("a link");
    for (name, mesh) in [
        ("fan 3", meshes::fan(3, 2, 1)),
        ("fan 5", meshes::fan(5, 2, 1)),
        ("tetrahedra", link(VertexLink::tetrahedron())),
        ("3444555", link(VertexLink::stacked_octahedron())),
        ("icosahedron", link(VertexLink::icosahedron())),
    ] {
        let mesh = meshes::perturbed(&mesh, 0.02, 5);
        // cells at extraordinary points shrink with every refinement, and with them the
        // error of the quadrature, by nearly the same factor each time
        let rule = subsolid::scheme::VertexRule::default();
        let [a, b, c] = [0, 1, 2].map(|levels| {
            gauss_volume(&subsolid::refine_mesh(&mesh, levels, rule).expect("a refinement"))
        });
        let expected = c - (c - b).powi(2) / ((c - b) - (b - a));
        let slicer = slicer(&mesh, Axis::Y, 1e-6);
        let error = sliced_volume(&slicer, 500) / expected - 1.0;
        println!("{name}: {error:e}, quadrature {:e}", c / expected - 1.0);
        assert!(error.abs() < 2e-5, "{name}: {error:e}");
    }
}
