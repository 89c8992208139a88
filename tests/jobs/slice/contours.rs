//! Contours: on the limit, closed, alike in any order.

use rayon::prelude::*;
use subsolid::Solid;
use subsolid::mesh::SolidMesh;
use subsolid::mesh::shape::VertexLink;
use subsolid::slice::{Axis, Layer, PixelGrid, Sampling, SliceOptions, Slicer};

use super::{AXES, boundary, check_contours, creased, heights, on_side, shape, slicer};
use crate::oracle::random::Random;
use crate::oracle::vector::{distance, greater};
use crate::support::{Limits, meshes, refused};

#[test]
fn contours_lie_on_the_limit() {
    let mut all = vec![
        ("box".to_string(), meshes::block([2, 2, 3])),
        ("fan 5".to_string(), meshes::fan(5, 2, 2)),
        ("fan 3".to_string(), meshes::fan(3, 2, 1)),
        ("icosahedron".to_string(), meshes::link(VertexLink::icosahedron(), 1)),
        ("creased torus".to_string(), creased("torus", &[5, 2, 1])),
    ];
    all.extend(meshes::models().into_iter().filter(|(name, _)| name.contains("val")));
    for (seed, (name, mesh)) in all.into_iter().enumerate() {
        let axis = AXES[seed % 3];
        let mut random = Random::new(seed as u64);
        let limits = Limits::new(&mesh);
        let slicer = slicer(&mesh, axis, 1e-4);
        let bound = slicer.tolerance();
        assert!(slicer.surface_error() < bound);
        let samples = boundary_samples(&limits, &mesh);
        let mut worst: f64 = 0.0;
        for height in heights(&slicer, 5) {
            let layer = slicer.layer(0, height);
            for contour in &layer.contours {
                let n = contour.points.len();
                for _ in 0..6 {
                    // a point of the contour, and the middle of its chord
                    let k = random.below(n);
                    let [a, b] = [contour.points[k], contour.points[(k + 1) % n]];
                    let middle = [0, 1].map(|d| 0.5 * (a[d] + b[d]));
                    for p in [a, middle] {
                        let d = distance_to_limit(&limits, &samples, axis.lift(p, height));
                        worst = greater(worst, d);
                    }
                }
            }
        }
        println!("{name}: {:e} of {:e}", worst, bound);
        assert!(worst <= bound, "{name}: {worst:e} above {bound:e}");
    }
}

type Sample = ([f64; 3], (usize, usize, usize), [f64; 2]);

fn boundary_samples(limits: &Limits, mesh: &SolidMesh) -> Vec<Sample> {
    let n = 7;
    let mut samples = Vec::new();
    for face in boundary(mesh) {
        for i in 0..n * n {
            let at = [i % n, i / n].map(|k| (k as f64 + 0.5) / n as f64);
            samples.push((limits.position(face.0, on_side(face, at)), face, at));
        }
    }
    samples
}

/// Distance of `p` from the limit surface: Gauss-Newton steps from near samples.
fn distance_to_limit(limits: &Limits, samples: &[Sample], p: [f64; 3]) -> f64 {
    let mut near: Vec<(f64, usize)> =
        samples.iter().enumerate().map(|(i, s)| (distance(s.0, p), i)).collect();
    near.sort_by(|a, b| a.0.total_cmp(&b.0));
    let dot = |a: [f64; 3], b: [f64; 3]| (0..3).map(|d| a[d] * b[d]).sum::<f64>();
    let mut best = f64::INFINITY;
    for &(_, i) in &near[..8] {
        let (_, face, mut at) = samples[i];
        for _ in 0..60 {
            let place = on_side(face, at);
            let x = limits.position(face.0, place);
            best = best.min(distance(x, p));
            let [Some(a), Some(b)] = [1, 2].map(|k| limits.first(face.0, place)[(face.1 + k) % 3])
            else {
                break;
            };
            let r = [0, 1, 2].map(|d| p[d] - x[d]);
            let (aa, ab, bb) = (dot(a, a), dot(a, b), dot(b, b));
            let determinant = aa * bb - ab * ab;
            let (ra, rb) = (dot(a, r), dot(b, r));
            let step = [(bb * ra - ab * rb) / determinant, (aa * rb - ab * ra) / determinant];
            // an open square: no corner is an extraordinary vertex
            let next = [0, 1].map(|d| (at[d] + step[d]).clamp(1e-9, 1.0 - 1e-9));
            if next == at || !next.iter().all(|x| x.is_finite()) {
                break;
            }
            at = next;
        }
    }
    best
}

#[test]
fn layers_of_all_models_are_sound() {
    let mut all = meshes::models();
    for name in ["mount2_hex.vtk", "mountwithhole_hex.vtk"] {
        all.push((name.to_string(), meshes::model(name)));
    }
    all.push(("mixed".to_string(), meshes::mixed()));
    all.push(("tripod".to_string(), shape("tripod", &[])));
    for (seed, (name, mut mesh)) in all.into_iter().enumerate() {
        for variant in 0..2 {
            if variant == 1 {
                meshes::crease_at_random(&mut mesh, &[0.7, 2.0, meshes::INF], 9, seed as u64);
            }
            let slicer = slicer(&mesh, AXES[(seed + variant) % 3], 1e-5);
            let mut area = 0.0;
            for height in heights(&slicer, 7) {
                let layer = slicer.layer(0, height);
                check_contours(&slicer, &layer, &name);
                area += layer.area();
            }
            assert!(area > 0.0, "{name}");
            println!("{name} {variant}: surface error {:e}", slicer.surface_error());
        }
    }
}

#[test]
fn layers_do_not_depend_on_order_or_threads() {
    let mesh = shape("tripod", &[]);
    let run = |threads: usize, backwards: bool| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            let slicer = slicer(&mesh, Axis::Y, 1e-5);
            let mut heights: Vec<(usize, f64)> =
                heights(&slicer, 12).into_iter().enumerate().collect();
            if backwards {
                heights.reverse();
                heights.truncate(9);
            }
            let mut layers: Vec<Layer> =
                heights.par_iter().map(|&(index, height)| slicer.layer(index, height)).collect();
            layers.sort_by_key(|layer| layer.index);
            layers
        })
    };
    let all = run(1, false);
    assert_eq!(run(2, false), all);
    assert_eq!(run(2, true), all[3..]);
}

#[test]
fn peaks_and_pits_shrink_to_nothing() {
    let mesh = meshes::link(VertexLink::icosahedron(), 1);
    let slicer = slicer(&mesh, Axis::Z, 1e-6);
    let [_, bound] = slicer.heights();
    // the peak by bisection of what is empty
    let is_empty = |height: f64| slicer.layer(0, height).contours.is_empty();
    let (mut full, mut empty) = (0.0, bound);
    for _ in 0..60 {
        let middle = 0.5 * (full + empty);
        *(if is_empty(middle) { &mut empty } else { &mut full }) = middle;
    }
    let limits = Limits::new(&mesh);
    let samples = boundary_samples(&limits, &mesh);
    let highest = samples.iter().map(|s| s.0[2]).fold(f64::MIN, f64::max);
    assert!(full >= highest - slicer.tolerance() && full < bound + 1e-3);
    let mut area = 0.0;
    for below in [1e-9, 1e-7, 1e-5, 1e-4, 1e-3, 1e-2] {
        let layer = slicer.layer(0, full - below);
        check_contours(&slicer, &layer, "peak");
        assert!(layer.area() >= area, "{below}");
        area = layer.area();
    }
    assert!(area > 1e-3);
}

#[test]
fn weights_of_the_limit_are_not_negative() {
    for (name, mesh) in meshes::models() {
        let solid = Solid::new(&mesh).expect("a solid");
        let mut least: f64 = 0.0;
        for leaf in solid.leaves().iter().step_by(1 + solid.leaves().len() / 300) {
            for i in 0..27 {
                let p = [i % 3, i / 3 % 3, i / 9].map(|k| [0.07, 0.51, 0.93][k]);
                let weights =
                    solid.weights(leaf, p, crate::support::POSITION).expect("positions exist");
                least = weights.into_iter().fold(least, f64::min);
            }
        }
        assert!(least >= -1e-13, "{name}: {least:e}");
    }
}

#[test]
fn bad_tolerances_other_meshes_and_bad_pixel_grids_are_refused() {
    let mesh = meshes::block([1, 1, 1]);
    let solid = Solid::new(&mesh).expect("a solid");
    for tolerance in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-30] {
        let options = SliceOptions { axis: Axis::Z, tolerance: Some(tolerance) };
        let error = Slicer::new(&solid, mesh.controls(), options).expect_err("a bad tolerance");
        assert!(error.to_string().contains("tolerance"), "{error}");
    }
    let other = meshes::block([2, 1, 1]);
    refused(
        Slicer::new(&solid, other.controls(), SliceOptions::default()),
        "12 control points for 8 vertices",
    );
    let slicer = Slicer::new(&solid, mesh.controls(), SliceOptions::default()).expect("a slicer");
    for (pitch, size, words) in [
        ([0.0, 1.0], [4, 4], "pixels of 0 × 1 length units"),
        ([1.0, f64::NAN], [4, 4], "pixels of 1 × NaN length units"),
        ([1.0; 2], [70_000, 1], "an image of 70000 x 1 pixels"),
    ] {
        let grid = PixelGrid { origin: [0.0; 2], pitch, size };
        refused(slicer.coverage::<u8>(&[0.5], &grid, Sampling::Area), words);
    }
}
