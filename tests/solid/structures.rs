//! Structures prove themselves: powers of the local subdivision matrices against
//! plain products, and which form each structure takes.

use std::sync::Arc;

use crate::oracle::vector::greater;
use crate::support::meshes::{INF, crease_at_random, crease_box_edges, fan, model, models, shapes};
use rayon::prelude::*;
use subsolid::basis::bspline::Order;
use subsolid::limit::{Form, MAX_DEPTH, Powers, PowersReport, Solid, Structure, tensor_weights};
use subsolid::mesh::SolidMesh;
use subsolid::mesh::shape::Shape;

/// Planar, then spatial structures.
fn structures(solid: &Solid) -> Vec<Arc<Structure>> {
    [solid.planar_structures(), solid.spatial_structures()].concat()
}

fn structures_of(mesh: &SolidMesh) -> Vec<Arc<Structure>> {
    structures(&Solid::new(mesh).expect("a valid mesh"))
}

/// Largest entry of Aⁿ, n = 1..=40, by [`Powers::apply_transposed`] minus plain products.
fn largest_error(powers: &Powers) -> f64 {
    let a = powers.matrix();
    let size = a.nrows();
    let mut exact = a.clone();
    let mut worst: f64 = 0.0;
    for n in 1..=40 {
        for i in 0..size {
            let mut row = vec![0.0; size];
            row[i] = 1.0;
            powers.apply_transposed(n, &mut row, 1.0);
            for (j, x) in row.iter().enumerate() {
                worst = greater(worst, (x - exact[(i, j)]).abs());
            }
        }
        exact = &exact * &a;
    }
    worst
}

#[test]
fn powers_of_every_structure_equal_plain_products() {
    let mut all = shapes();
    all.extend(models());
    let creased: Vec<_> = all
        .iter()
        .take(6)
        .map(|(name, mesh)| {
            let mut mesh = mesh.clone();
            crease_at_random(&mut mesh, &[INF], 6, 1);
            (format!("{name} with creases"), mesh)
        })
        .collect();
    all.extend(creased);
    let reports: Vec<String> = all
        .par_iter()
        .flat_map_iter(|(name, mesh)| {
            structures_of(mesh).into_iter().map(move |structure| {
                let powers = structure.powers();
                let error = largest_error(powers);
                let PowersReport { form, condition, eigen_error } = powers.report();
                let report = format!(
                    "{name}: {} controls, {form:?}, condition {condition:?}, error {error:.1e}, \
                     error of the eigendecomposition {eigen_error:?}, {} first steps",
                    structure.controls(),
                    structure.first_steps(),
                );
                assert!(error <= 1e-13, "{report}");
                if form == Form::Eigen {
                    assert!(condition.is_some_and(f64::is_finite), "{report}");
                    assert!(eigen_error.is_some_and(|error| error <= 1e-13), "{report}");
                }
                report
            }).collect::<Vec<_>>()
        })
        .collect();
    assert!(reports.iter().any(|r| r.contains("Eigen")));
    assert!(reports.iter().any(|r| r.contains("Powers")));
    reports.iter().for_each(|report| println!("{report}"));
}

#[test]
fn the_defective_structures_of_the_car_are_tabulated() {
    let structures = structures_of(&model("car_box_2x2x6.mesh"));
    assert!(!structures.is_empty());
    for structure in structures {
        assert_eq!(
            structure.powers().report().form,
            Form::Powers,
            "{} controls",
            structure.controls()
        );
    }
}

#[test]
fn interior_extraordinary_edges_are_diagonalized() {
    for valence in [3, 5, 6] {
        let mut mesh = fan(valence, 3, 2);
        crease_box_edges(&mut mesh, INF); // leaves the axis alone extraordinary
        let solid = Solid::new(&mesh).expect("valid");
        assert!(solid.spatial_structures().is_empty());
        let [structure] = solid.planar_structures() else { panic!("valence {valence}") };
        assert_eq!(structure.powers().report().form, Form::Eigen, "valence {valence}");
        let condition = structure.powers().report().condition;
        assert!(condition.is_some_and(|condition| condition < 1e4), "valence {valence}");
    }
}

#[test]
fn a_net_that_lacks_its_childs_layer_takes_a_first_step() {
    for (rings, steps) in [(1, 1), (2, 0)] {
        let mut mesh = fan(5, 1, rings);
        crease_box_edges(&mut mesh, INF);
        let [structure] = &structures_of(&mesh)[..] else { panic!("one structure") };
        assert_eq!(structure.first_steps(), steps, "{rings} rings");
    }
}

/// Nor do their condition and error ask for it: it would take minutes.
#[test]
fn nets_of_high_valences_are_not_decomposed() {
    let structures = structures_of(&fan(400, 2, 2));
    let large: Vec<_> = structures.iter().filter(|s| s.controls() > 256).collect();
    assert!(!large.is_empty());
    for powers in large.iter().map(|structure| structure.powers()) {
        let (form, condition, eigen_error) = (Form::Powers, None, None);
        assert_eq!(powers.report(), PowersReport { form, condition, eigen_error });
    }
}

#[test]
fn rows_of_siblings_give_the_weights() {
    let mesh = Shape::Box { cells: [2, 2, 6] }.build().unwrap();
    let solid = Solid::new(&mesh).unwrap();
    let mut compared = 0;
    for structure in solid.spatial_structures() {
        assert_eq!(structure.powers().report().form, Form::Powers);
        for (depth, local) in [(1, 0.3), (2, 0.5), (7, 0.9), (40, 0.1)] {
            for child in (1..8).filter(|&k| structure.sibling_permutation(k).is_none()) {
                let corner = |d: usize| f64::from(child as u32 >> d & 1);
                let p = [0, 1, 2].map(|d| (corner(d) + local) * (-(depth as f64)).exp2());
                let place = structure.place(p).unwrap();
                assert_eq!((place.depth, place.child), (depth, child));
                for first in 0..2 {
                    let mut orders = [Order::Value; 3];
                    let rows = if first == 1 {
                        orders[2] = Order::First;
                        structure.sibling_deviations(child, depth).unwrap()
                    } else {
                        structure.sibling_rows(child, depth).unwrap()
                    };
                    let weights = tensor_weights(3, place.local, orders);
                    let scale = (depth as f64).exp2().powi(first);
                    let expected = structure.weights(p, orders).unwrap();
                    for (j, expected) in expected.iter().enumerate() {
                        let product = weights.iter().zip(rows.col_as_slice(j));
                        let found: f64 = product.map(|(w, r)| scale * w * r).sum();
                        assert!((found - expected).abs() < 1e-13, "{found} {expected}");
                    }
                    compared += 1;
                }
            }
        }
        assert!(structure.sibling_rows(0, 1).is_none());
        assert!(structure.sibling_rows(8, 1).is_none());
        assert!(structure.sibling_rows(1, 0).is_none());
        assert!(structure.sibling_rows(1, MAX_DEPTH + 1).is_none());
    }
    assert!(compared > 0);
}
