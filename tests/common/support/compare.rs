//! The library against explicit refinement of a mesh of hexahedra.

use rayon::prelude::*;
use subsolid::limit::Solid;
use subsolid::mesh::SolidMesh;

use super::meshes::perturbed;
use super::{Limits, SECOND, close, places, size};
use crate::oracle::convert;
use crate::oracle::limit;
use crate::oracle::random::Random;
use crate::oracle::solid::VertexRule;
use crate::oracle::vector::{ORIGIN, distance};

/// Compares positions and derivatives with explicit refinement in a few
/// places of every class and structure; the control points are moved at random.
pub fn with_refinement(name: &str, mesh: &SolidMesh, each: usize, seed: u64) {
    let mut random = Random::new(seed);
    let solid = Solid::new(mesh).unwrap_or_else(|e| panic!("{name}: {e}"));
    let mesh = perturbed(mesh, 0.05, seed);
    let limits = Limits::of(solid, &mesh.points);
    let (truth, size) = (convert::solid(&mesh), size(&mesh.points));
    let mut all = Vec::new();
    for leaf in places::leaves(&limits.solid, each, &mut random) {
        for local in places::local_parameters(&mut random) {
            all.push((leaf, places::in_element(&leaf, local)));
        }
    }
    all.into_par_iter().for_each(|(leaf, p)| {
        let element = leaf.element as usize;
        let at =
            || format!("{name}, cell {element} at {p:?}, {:?} depth {}", leaf.kind, leaf.depth);
        let expected = limit::evaluate(&truth, VertexRule::LayerConsistent, element, p);
        close(limits.position(element, p), expected.position, 1e-10 * size, at);
        let first = limits.first(element, p);
        match expected.derivatives {
            // on an extraordinary point, what exists is what the inside tends to, some
            // of it slowly (valence 3 takes 0.82 per level)
            None => {
                let inside = |step: f64| {
                    let p = p.map(|x| x + step * (0.5 - x));
                    let limit = limit::evaluate(&truth, VertexRule::LayerConsistent, element, p);
                    limit.derivatives.expect("off the extraordinary point").first
                };
                let (near, nearer) = (inside(1e-5), inside(1e-9));
                for (axis, first) in first.into_iter().enumerate() {
                    let Some(first) = first else { continue };
                    let bound = 1e-5 * size.max(distance(first, ORIGIN));
                    let bound = bound.max(0.9 * distance(first, near[axis]));
                    close(first, nearer[axis], bound, at);
                }
            }
            Some(derivatives) => {
                for (first, expected) in first.into_iter().zip(derivatives.first) {
                    let first = first.unwrap_or_else(|| panic!("{}: no derivative", at()));
                    close(first, expected, 1e-8 * size.max(distance(expected, ORIGIN)), at);
                }
                // the oracle's second derivatives lose a bit a level
                let tolerance = 1e-12 * (expected.depth as f64).exp2();
                for ([a, b], orders) in SECOND {
                    let second = limits.evaluate(element, p, orders);
                    let second = second.unwrap_or_else(|| panic!("{}: no derivative", at()));
                    let expected = derivatives.second[a][b];
                    close(second, expected, tolerance * size.max(distance(expected, ORIGIN)), at);
                }
            }
        }
    });
}
