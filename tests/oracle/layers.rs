//! Layered solids are tensor products.

use crate::oracle::limit;
use crate::oracle::random::Random;
use crate::oracle::shapes::{disk, sharpen_rims, sweep};
use crate::oracle::solid::{Solid, VertexRule};
use crate::oracle::spline;
use crate::oracle::surface::Surface;
use crate::oracle::surface_limit;
use crate::oracle::vector::{ORIGIN, Point, combine, distance, scale};
use crate::{at, close, perturbed};

/// A swept section whose layers are perturbed each in its own way, and the
/// layers as surfaces of their own.
fn layered(valence: usize, layers: usize) -> (Solid, Vec<Surface>) {
    let section = disk(valence, 2);
    let mut solid = perturbed(sweep(&section, layers), valence as u64);
    sharpen_rims(&mut solid, &section);
    let sections = solid.points.chunks(section.points.len());
    let sections = sections.map(|p| Surface { points: p.to_vec(), ..section.clone() }).collect();
    (solid, sections)
}

/// Derivative of a spline with natural ends through all of `points`, at `w` of
/// span `layer`.
fn natural_spline(points: &[Point], layer: usize, order: usize, w: f64) -> Point {
    let n = points.len();
    let end = |p0, p1| combine([(2.0, p0), (-1.0, p1)]);
    let mut extended = vec![end(points[0], points[1])];
    extended.extend(points);
    extended.push(end(points[n - 1], points[n - 2]));
    spline::cubic(&std::array::from_fn(|i| extended[layer + i]), order, w)
}

/// Position and first derivatives, where they exist, of (2D limits of the
/// sections) ⊗ (spline with natural ends).
fn tensor(
    sections: &[Surface],
    face: usize,
    layer: usize,
    [u, v, w]: [f64; 3],
) -> (Point, Option<[Point; 3]>) {
    let limits: Vec<_> =
        sections.iter().map(|s| surface_limit::evaluate(s, face, [u, v])).collect();
    let positions: Vec<Point> = limits.iter().map(|limit| limit.position).collect();
    let slopes: Option<Vec<[Point; 2]>> = limits.iter().map(|limit| limit.first).collect();
    let first = slopes.map(|slopes| {
        let [by_u, by_v] = [0, 1].map(|d| slopes.iter().map(|s| s[d]).collect::<Vec<_>>());
        let along = |points: &[Point], order| natural_spline(points, layer, order, w);
        [along(&by_u, 0), along(&by_v, 0), along(&positions, 1)]
    });
    (natural_spline(&positions, layer, 0, w), first)
}

#[test]
fn layers_are_tensor_products_under_the_default_rule() {
    for valence in [3, 5, 6, 8, 11] {
        let (solid, sections) = layered(valence, 3);
        let faces = sections[0].faces.len();
        let mut random = Random::new(valence as u64);
        let mut places: Vec<[f64; 2]> = (0..8).map(|_| [random.unit(), random.unit()]).collect();
        places.extend([[0.0, 0.0], [1e-3, 2e-3], [1e-6, 3e-7], [1e-9, 2e-9], [0.0, 1e-9]]);
        for [u, v] in places {
            let (face, layer) = (random.below(faces), random.below(3));
            for face in [face, random.below(valence)] {
                let t = [u, v, random.unit()];
                let limit = at(&solid, layer * faces + face, t);
                let (position, first) = tensor(&sections, face, layer, t);
                close(limit.position, position, 1e-13);
                assert_eq!(limit.derivatives.is_some(), first.is_some());
                let (Some(derivatives), Some(first)) = (limit.derivatives, first) else { continue };
                for (a, b) in derivatives.first.into_iter().zip(first) {
                    close(a, b, 1e-12 * (1.0 + distance(b, ORIGIN)));
                }
            }
        }
    }
}

#[test]
fn layers_are_no_tensor_products_under_joy_and_maccrackens_rule() {
    for valence in [3, 4, 5, 6, 8, 11] {
        let (solid, sections) = layered(valence, 3);
        let t = [0.0, 0.0, 0.4]; // inside the edge, in the middle layer
        let (position, _) = tensor(&sections, 0, 1, t);
        let cell = sections[0].faces.len();
        let limit = limit::evaluate(&solid, VertexRule::JoyMacCracken, cell, t);
        let difference = distance(limit.position, position);
        assert_eq!(difference > 1e-3, valence != 4, "valence {valence}: {difference:e}");
        assert!(valence != 4 || difference < 1e-14);
    }
}

#[test]
fn derivatives_near_an_edge_scale_by_its_eigenvalue() {
    // By twice the subdominant eigenvalue of 2D Catmull-Clark a level. How fast the
    // other eigenvalues' share dies depends on the valence.
    for (valence, tolerance) in [(3, 1e-9), (4, 1e-9), (5, 1e-9), (6, 1e-7)] {
        let (solid, sections) = layered(valence, 3);
        let c = (std::f64::consts::TAU / valence as f64).cos();
        let growth = (5.0 + c + ((c + 9.0) * (c + 1.0)).sqrt()) / 8.0;
        let cell = sections[0].faces.len();
        let slope = |depth: i32| {
            let s = (-f64::from(depth)).exp2();
            let limit = at(&solid, cell, [0.7 * s, 0.8 * s, 0.5]);
            assert!(valence == 4 || limit.depth as i32 >= depth);
            limit.derivatives.expect("beside the edge").first[0]
        };
        close(slope(41), scale(slope(40), growth), tolerance * distance(slope(41), ORIGIN));
    }
}
