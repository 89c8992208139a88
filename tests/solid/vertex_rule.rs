//! The layer-consistent vertex rule: with it layers are the limit of refinement,
//! with the plain Joy-MacCracken rule they are not.

use crate::oracle::random::Random;
use crate::oracle::solid::VertexRule as OracleRule;
use crate::oracle::vector::{Greatest, distance, greater};
use crate::oracle::{convert, limit};
use crate::support::meshes::{block, fan, perturbed};
use crate::support::{Limits, close, places, size};
use subsolid::limit::{Class, Solid};
use subsolid::mesh::{CellKind, SolidMesh};
use subsolid::refine::refine_mesh;
use subsolid::scheme::VertexRule;

const VALENCES: [usize; 5] = [3, 5, 6, 8, 11];

#[test]
fn layered_cells_equal_the_limit_of_explicit_refinement() {
    for valence in VALENCES {
        let mesh = perturbed(&fan(valence, 3, 2), 0.05, valence as u64);
        let (limits, truth, size) = (Limits::new(&mesh), convert::solid(&mesh), size(&mesh.points));
        let mut random = Random::new(valence as u64);
        let classes = limits.solid.classes().iter();
        let layered: Vec<usize> = classes
            .enumerate()
            .filter(|(_, class)| matches!(class, Class::Layered(_)))
            .map(|(cell, _)| cell)
            .collect();
        assert!(layered.len() >= valence, "cells around the axis, in the middle layer");
        for _ in 0..4 {
            let cell = layered[random.below(layered.len())];
            for p in places::local_parameters(&mut random) {
                let expected = limit::evaluate(&truth, OracleRule::LayerConsistent, cell, p);
                close(limits.position(cell, p), expected.position, 1e-12 * size, || {
                    format!("valence {valence}, cell {cell} at {p:?}")
                });
            }
        }
    }
}

#[test]
fn plain_joy_maccracken_refinement_has_another_limit() {
    for valence in VALENCES {
        let mesh = perturbed(&fan(valence, 3, 2), 0.05, valence as u64);
        let (limits, truth) = (Limits::new(&mesh), convert::solid(&mesh));
        // a cell of the middle layer, seen from the axis
        let topology = limits.solid.topology();
        let inside_axis = |v: &&u32| {
            !topology.is_boundary_vertex(**v) && topology.vertex_cells(**v).len() == 2 * valence
        };
        let on_axis =
            |c: usize| topology.cells().vertices(c).iter().filter(inside_axis).count() == 2;
        let cell = (0..topology.cell_count()).find(|&c| on_axis(c)).expect("a middle cell");
        let worst = (0..4)
            .map(|corner| [corner & 1, corner >> 1].map(f64::from))
            .flat_map(|[a, b]| [[a, b, 0.4], [a, 0.4, b], [0.4, a, b]])
            .map(|p| {
                let plain = limit::evaluate(&truth, OracleRule::JoyMacCracken, cell, p);
                distance(plain.position, limits.position(cell, p))
            })
            .greatest();
        assert!(worst > 1e-3, "valence {valence}: the limits differ by {worst:e} only");
    }
}

#[test]
fn evaluation_under_the_plain_rule_is_refused_where_it_matters() {
    for valence in VALENCES {
        let error = Solid::with_rule(&fan(valence, 2, 1), VertexRule::JoyMacCracken);
        let error = error.expect_err("an interior extraordinary edge").to_string();
        assert!(error.contains(&format!("valence {valence}")), "{error}");
    }
    // in a grid the two rules are one
    assert!(Solid::with_rule(&block([3, 3, 3]), VertexRule::JoyMacCracken).is_ok());
    assert!(Solid::with_rule(&fan(4, 2, 2), VertexRule::JoyMacCracken).is_ok());
}

/// `layers` layers of `valence` wedges around the z axis.
fn wedges(valence: usize, layers: usize) -> SolidMesh {
    let mut mesh = SolidMesh::default();
    let plane = valence as u32 + 1;
    for k in 0..=layers {
        mesh.points.push([0.0, 0.0, k as f64]);
        for i in 0..valence {
            let (s, c) = (i as f64 * std::f64::consts::TAU / valence as f64).sin_cos();
            mesh.points.push([c, s, k as f64]);
        }
    }
    for k in 0..layers as u32 {
        for i in 0..valence as u32 {
            let low = [0, 1 + i, 1 + (i + 1) % valence as u32].map(|v| k * plane + v);
            let [a, b, c] = low;
            mesh.cells.push(CellKind::Wedge, &[a, c, b, a + plane, c + plane, b + plane]);
        }
    }
    mesh
}

/// Layers of wedges refine alike from the first step on: the cross-sections of a mesh whose
/// layers are scaled copies of one plane are scaled copies of one plane.
#[test]
fn layers_of_wedges_refine_alike() {
    for valence in VALENCES {
        let sound = wedges(valence, 4);
        let mut mesh = perturbed(&wedges(valence, 0), 0.05, valence as u64).points;
        mesh.iter_mut().for_each(|p| p[2] = 0.0);
        let scale = |k: usize| [1.0, 1.3, 0.8, 1.1, 0.9][k];
        let points = (0..5).flat_map(|k| {
            let scaled = move |p: &[f64; 3]| [scale(k) * p[0], scale(k) * p[1], k as f64];
            mesh.iter().map(scaled).collect::<Vec<_>>()
        });
        let mesh = SolidMesh { points: points.collect(), ..sound };
        // vertices on the axis come first in each plane; after a step vertex v is v again
        let rules = [VertexRule::LayerConsistent, VertexRule::JoyMacCracken];
        let [layered, plain] = rules.map(|rule| refine_mesh(&mesh, 1, rule).expect("a step"));
        let axis = |k: usize| k * (valence + 1);
        // across, (1, 6, 1)/8 of scaled copies of one point
        let expected = |k: usize| (scale(k - 1) + 6.0 * scale(k) + scale(k + 1)) / 8.0;
        let ratios = |mesh: &SolidMesh| {
            let at = |k: usize| mesh.points[axis(k)];
            let first = [at(1)[0] / expected(1), at(1)[1] / expected(1)];
            let off =
                |k: usize| (0..2).map(|d| (at(k)[d] - first[d] * expected(k)).abs()).greatest();
            off(2).max(off(3))
        };
        let size = size(&mesh.points);
        assert!(ratios(&layered) < 1e-14 * size, "valence {valence}: {:e}", ratios(&layered));
        assert!(ratios(&plain) > 1e-5 * size, "valence {valence}: {:e}", ratios(&plain));
        let truth = convert::solid(&mesh).refine(OracleRule::LayerConsistent);
        assert_eq!(truth.points.len(), layered.points.len());

        // how far the limits of the two differ
        let [a, b] = [&layered, &plain].map(Limits::new);
        let mut worst = 0.0_f64;
        for cell in 0..layered.cells.len() {
            for i in 0..27 {
                let p = [i % 3, i / 3 % 3, i / 9].map(|i| 0.5 * f64::from(i));
                worst = greater(worst, distance(a.position(cell, p), b.position(cell, p)));
            }
        }
        println!("wedges, valence {valence}: limits differ by {:.1e} of the size", worst / size);
        assert!(worst > 1e-4 * size);
    }
}
