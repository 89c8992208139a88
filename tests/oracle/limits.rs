//! Limits that are known, and that move as they must.

use std::collections::HashMap;

use crate::oracle::incidence::Incidence;
use crate::oracle::limit;
use crate::oracle::limit::Derivatives;
use crate::oracle::random::{Random, perturb};
use crate::oracle::shapes::{block, disk, fan, sharpen_box_edges};
use crate::oracle::solid::{CORNERS, Solid, VertexRule};
use crate::oracle::surface::Stars;
use crate::oracle::surface_limit;
use crate::oracle::vector::{ORIGIN, Point, add, combine, mean, scale, sub};
use crate::{LAYERS, at, close, crease, in_child, perturbed, sample, solids};

#[test]
fn surface_limit_points_equal_the_limit_masks() {
    for valence in [3, 4, 5, 6, 9] {
        let mut surface = disk(valence, 2);
        perturb(&mut surface.points, 0.2, valence as u64);
        let stars = Stars::of(&surface);
        let p = surface.points[0];
        let n = valence as f64;
        let edges: Vec<Point> =
            stars.vertex_edges[&0].iter().map(|e| surface.points[e.1]).collect();
        let faces =
            mean(stars.vertex_faces[&0].iter().map(|&f| surface.points[surface.faces[f][2]]));
        let mask = [(n / (n + 5.0), p), (4.0 / (n + 5.0), mean(edges)), (1.0 / (n + 5.0), faces)];
        for f in 0..valence {
            close(surface_limit::evaluate(&surface, f, [0.0, 0.0]).position, combine(mask), 1e-14);
        }
        // A crease through the middle: (1, 4, 1)/6.
        let (a, b) = (stars.vertex_edges[&0][0], stars.vertex_edges[&0][1]);
        let ends = [a, b].map(|e| surface.points[e.1]);
        surface.creases = HashMap::from([(a, f64::INFINITY), (b, f64::INFINITY)]);
        let mask = combine([(1.0 / 6.0, ends[0]), (2.0 / 3.0, p), (1.0 / 6.0, ends[1])]);
        close(surface_limit::evaluate(&surface, 0, [0.0, 0.0]).position, mask, 1e-14);
    }
}

#[test]
fn the_limit_of_equal_control_points_is_that_point() {
    let p = [0.1, -20.0, 300.0];
    for (seed, mut solid) in solids().into_iter().enumerate() {
        solid.points.fill(p);
        crease(&mut solid, &[0.5, f64::INFINITY], 1);
        let mut random = Random::new(seed as u64);
        for _ in 0..10 {
            let limit = at(&solid, random.below(solid.cells.len()), sample(&mut random));
            close(limit.position, p, 1e-13);
            for d in limit.derivatives.iter().flat_map(|d| d.first) {
                close(d, ORIGIN, 1e-12);
            }
        }
    }
}

#[test]
fn limits_move_with_affine_maps() {
    let map = |[x, y, z]: Point| [2.0 * x - y + 7.0, 0.3 * z - x, y + z - 90.0];
    for (seed, mut solid) in solids().into_iter().enumerate() {
        crease(&mut solid, &[0.5, 1.0, 2.3, f64::INFINITY], 2);
        let mut moved = solid.clone();
        moved.points.iter_mut().for_each(|p| *p = map(*p));
        let mut random = Random::new(seed as u64);
        for _ in 0..10 {
            let (cell, t) = (random.below(solid.cells.len()), sample(&mut random));
            close(map(at(&solid, cell, t).position), at(&moved, cell, t).position, 1e-13);
        }
    }
}

#[test]
fn a_sharp_box_is_the_identity() {
    let mut solid = block([3, 1, 2]);
    sharpen_box_edges(&mut solid, f64::INFINITY);
    let mut random = Random::new(8);
    for (cell, hexahedron) in solid.cells.iter().enumerate() {
        let t = sample(&mut random);
        let limit = at(&solid, cell, t);
        assert_eq!(limit.depth, 0, "cut by boundary or not, it is a grid");
        close(limit.position, add(solid.points[hexahedron.corners()[0]], t), 1e-14);
        let Derivatives { first, second } = limit.derivatives.expect("a grid");
        for a in 0..3 {
            close(first[a], std::array::from_fn(|d| f64::from(u8::from(d == a))), 1e-14);
            second[a].iter().for_each(|&d| close(d, ORIGIN, 1e-14));
        }
    }
}

/// Compares limits before and after one explicit refinement.
fn check_levels(solid: &Solid, rule: VertexRule, count: usize, seed: u64) {
    let refined = solid.refine(rule);
    let mut random = Random::new(seed);
    for _ in 0..count {
        let (cell, t) = (random.below(solid.cells.len()), sample(&mut random));
        let (child, s) = in_child(solid, cell, t);
        let coarse = limit::evaluate(solid, rule, cell, t);
        let fine = limit::evaluate(&refined, rule, child, s);
        close(coarse.position, fine.position, 1e-13);
        if let (Some(a), Some(b)) = (coarse.derivatives, fine.derivatives) {
            let size = a.first.iter().flatten().fold(1.0f64, |m, x| m.max(x.abs()));
            (0..3).for_each(|i| close(a.first[i], scale(b.first[i], 2.0), 1e-12 * size));
            let tolerance = 1e-13 * (coarse.depth as f64).exp2() + 1e-12;
            for (a, b) in a.second.iter().flatten().zip(b.second.iter().flatten()) {
                close(*a, scale(*b, 4.0), tolerance);
            }
        }
    }
}

#[test]
fn limits_do_not_depend_on_the_level() {
    for (seed, solid) in solids().iter().enumerate() {
        check_levels(solid, LAYERS, 30, seed as u64);
        check_levels(solid, VertexRule::JoyMacCracken, 10, seed as u64);
    }
}

#[test]
fn creased_limits_do_not_depend_on_the_level() {
    let kinds: [&[f64]; 5] =
        [&[f64::INFINITY], &[0.5], &[1.0], &[2.3], &[0.5, 1.0, 2.3, f64::INFINITY]];
    for (seed, solid) in solids().iter().enumerate() {
        for sharpness in kinds {
            let mut solid = solid.clone();
            crease(&mut solid, sharpness, seed as u64);
            check_levels(&solid, LAYERS, 6, seed as u64);
        }
    }
}

#[test]
fn the_boundary_is_the_limit_surface_of_the_boundary() {
    for (seed, solid) in solids().iter().enumerate() {
        for sharpness in [&[][..], &[f64::INFINITY], &[0.5, 1.0, 2.3, f64::INFINITY]] {
            let mut solid = solid.clone();
            if !sharpness.is_empty() {
                crease(&mut solid, sharpness, seed as u64);
            }
            let (skin, quads) = (solid.skin(), solid.boundary_quads());
            assert_eq!(skin.faces.len(), quads.len());
            let mut random = Random::new(seed as u64);
            for _ in 0..10 {
                let [u, v, _] = sample(&mut random);
                let face = random.below(quads.len());
                let inside = at(&solid, quads[face].cell, quads[face].cell_parameters(u, v));
                let surface = surface_limit::evaluate(&skin, face, [u, v]);
                close(inside.position, surface.position, 1e-13);
            }
        }
    }
}

#[test]
fn neighboring_cells_agree_on_their_common_face() {
    let solid = perturbed(fan(5, 2, 2), 9);
    let incidence = Incidence::of(&solid);
    for (f, cells) in incidence.face_cells.iter().enumerate() {
        let &[a, b] = &cells[..] else { continue };
        // The same bilinear place of the face in both cells.
        let (u, v) = (0.3, 0.81);
        let weights = [(1.0 - u) * (1.0 - v), u * (1.0 - v), u * v, (1.0 - u) * v];
        let [a, b] = [a, b].map(|c| {
            let corners = solid.cells[c].hexahedron();
            let place = |v| CORNERS[corners.iter().position(|&w| w == v).expect("a corner")];
            let terms = incidence.faces[f].iter().zip(weights);
            let t = terms.fold(ORIGIN, |t, (&v, w)| add(t, scale(place(v).map(|x| x as f64), w)));
            at(&solid, c, t).position
        });
        close(a, b, 1e-14);
    }
}

#[test]
fn derivatives_equal_finite_differences() {
    let h = 1e-4;
    for (seed, solid) in solids().iter().enumerate() {
        let mut random = Random::new(seed as u64);
        for _ in 0..5 {
            let cell = random.below(solid.cells.len());
            let t = random.parameters().map(|x| 0.3 + 0.1 * x);
            let Derivatives { first, second } =
                at(solid, cell, t).derivatives.expect("an inner point");
            for a in 0..3 {
                let moved = |by: f64| {
                    let mut t = t;
                    t[a] += by;
                    at(solid, cell, t)
                };
                let (back, forth) = (moved(-h), moved(h));
                let slope = scale(sub(forth.position, back.position), 0.5 / h);
                close(first[a], slope, 1e-6);
                let slopes = [back, forth].map(|l| l.derivatives.expect("an inner point").first);
                for b in 0..3 {
                    close(second[a][b], scale(sub(slopes[1][b], slopes[0][b]), 0.5 / h), 1e-6);
                }
            }
        }
    }
}
