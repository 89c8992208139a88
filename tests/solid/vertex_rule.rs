//! The layer-consistent vertex rule: with it layers are the limit of refinement,
//! with the plain Joy-MacCracken rule they are not.

use crate::oracle::random::Random;
use crate::oracle::solid::VertexRule as OracleRule;
use crate::oracle::vector::distance;
use crate::oracle::{convert, limit};
use crate::support::meshes::{block, fan, perturbed};
use crate::support::{Limits, close, places, size};
use subsolid::limit::{Class, Solid};
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
            .fold(0.0, f64::max);
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
