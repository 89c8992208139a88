//! Points of leaves: rings around what is extraordinary, and moments of the parameters.

use subsolid::limit::{AxisPermutation, LeafKind, Solid};
use subsolid::mesh::shape::Shape;
use subsolid::plan::Want;
use subsolid::quadrature::{Quadrature, QuadratureScheme, RING_TOLERANCE};

#[test]
fn boxes_fill_the_leaf_and_shrink() {
    let mesh = Shape::Box { cells: [2, 2, 6] }.build().unwrap();
    let solid = Solid::new(&mesh).unwrap();
    let (mut layered, mut irregular) = (0, 0);
    for rings in 0..5 {
        let scheme = QuadratureScheme { gauss: 2, rings: Some(rings) };
        let quadrature = Quadrature::new(&solid, scheme, Want::POSITION).unwrap();
        for batch in 0..quadrature.batches().len() {
            let points = quadrature.leaf_points(batch);
            assert!((points.weights.iter().sum::<f64>() - 1.0).abs() < 1e-14);
            assert!(points.parameters.iter().flatten().all(|&u| 0.0 < u && u < 1.0));
            let places = points.permuted(AxisPermutation::to_corner(5)[1]);
            let moment: f64 = places.iter().zip(&points.weights).map(|(p, w)| p[1] * w).sum();
            assert!((moment - 0.5).abs() < 1e-14);
            let remainder = points.remainder();
            match quadrature.kind(batch).0 {
                LeafKind::Layered(..) => {
                    layered += 1;
                    assert!((remainder - 0.25_f64.powi(rings as i32)).abs() < 1e-15);
                    assert_eq!(points.len(), 8 * (3 * rings + 1));
                }
                // three extraordinary edges meet in the corner of a box
                LeafKind::Irregular(..) => {
                    irregular += 1;
                    let edges: f64 = (1..=rings as i32)
                        .map(|r| 0.125_f64.powi(r) * 0.25_f64.powi(rings as i32 - r))
                        .sum();
                    let expected = 0.125_f64.powi(rings as i32) + 3.0 * edges;
                    assert!((remainder - expected).abs() < 1e-15, "{rings}");
                }
                LeafKind::Regular(_) => assert_eq!(remainder, 0.0),
            }
        }
    }
    assert!(layered > 0 && irregular > 0);
}

/// A sum of thousands of terms > 0 without what rounding loses from each.
fn sum(terms: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut lost) = (0.0_f64, 0.0);
    for term in terms {
        let next = sum + term;
        lost += if sum > term { sum - next + term } else { term - next + sum };
        sum = next;
    }
    sum + lost
}

/// Moments of the parameters, and points whose number depends on their use.
#[test]
fn rings_as_needed_stand_for_the_leaf() {
    for shape in [
        Shape::Box { cells: [2, 2, 6] },
        Shape::Fan { valence: 3, layers: 2, rings: 2 },
        Shape::Fan { valence: 11, layers: 2, rings: 2 },
    ] {
        let solid = Solid::new(&shape.build().unwrap()).unwrap();
        let quadrature =
            Quadrature::new(&solid, QuadratureScheme::default(), Want::POSITION).unwrap();
        for batch in 0..quadrature.batches().len() {
            let points = quadrature.leaf_points(batch);
            assert!(points.parameters.iter().flatten().all(|&u| 0.0 < u && u < 1.0));
            assert!(points.weights.iter().all(|&weight| weight > 0.0));
            for power in 0..4 {
                let terms = points.parameters.iter().zip(&points.weights);
                let moment = sum(terms.map(|(p, w)| w * (p[0] * p[1]).powi(power)));
                let expected = 1.0 / f64::from(power + 1).powi(2);
                // around a vertex and around its edges
                let tolerance = if power == 0 { 1e-14 } else { 2.0 * RING_TOLERANCE };
                assert!((moment - expected).abs() < tolerance, "{power}: {moment}");
            }
            let is_regular = matches!(quadrature.kind(batch).0, LeafKind::Regular(_));
            assert_eq!(points.remainder() == 0.0, is_regular);
            assert!(points.remainder() < 0.05);
        }
    }
}

/// Five cells that are alike, each in eight leaves.
#[test]
fn cells_of_equal_topology_share_batches() {
    let mesh = Shape::Fan { valence: 5, layers: 1, rings: 1 }.build().unwrap();
    let solid = Solid::new(&mesh).unwrap();
    let quadrature = Quadrature::new(&solid, QuadratureScheme::default(), Want::FIRST).unwrap();
    assert_eq!(solid.leaves().len(), 40);
    assert!(quadrature.batches().len() <= 8, "{} batches", quadrature.batches().len());
}
