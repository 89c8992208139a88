//! The oracles checked against closed formulas and against themselves, so that
//! agreement with them proves something.

#[path = "../common/oracle/mod.rs"]
mod oracle;

mod layers;
mod limits;
mod rules;

use oracle::limit;
use oracle::limit::Limit;
use oracle::medit::model;
use oracle::random::{Random, perturb};
use oracle::shapes::{block, fan};
use oracle::solid::{CORNERS, Solid, VertexRule};
use oracle::surface::Stars;
use oracle::vector::{Point, distance};

const LAYERS: VertexRule = VertexRule::LayerConsistent;

#[track_caller]
fn close(a: Point, b: Point, tolerance: f64) {
    let d = distance(a, b);
    assert!(d <= tolerance, "{a:?} and {b:?} differ by {d:e}");
}

fn at(solid: &Solid, cell: usize, parameters: [f64; 3]) -> Limit {
    limit::evaluate(solid, LAYERS, cell, parameters)
}

fn perturbed(mut solid: Solid, seed: u64) -> Solid {
    perturb(&mut solid.points, 0.2, seed);
    solid
}

/// A solid of every kind of neighborhood that the other tests go through.
fn solids() -> Vec<Solid> {
    vec![
        perturbed(block([3, 2, 3]), 1),
        perturbed(fan(3, 2, 3), 2),
        perturbed(fan(5, 2, 3), 3),
        model("solids/micro/val3.mesh"),
        model("solids/micro/val5.mesh"),
        model("solids/car_box_2x2x6.mesh"),
    ]
}

/// Gives a third of the boundary edges and some boundary vertices a sharpness.
fn crease(solid: &mut Solid, sharpness: &[f64], seed: u64) {
    let mut random = Random::new(seed);
    let skin = solid.skin();
    for e in Stars::of(&skin).edges {
        if random.below(3) == 0 {
            solid.creases.insert(e, sharpness[random.below(sharpness.len())]);
        }
        if random.below(12) == 0 {
            solid.corners.insert(e.0, sharpness[random.below(sharpness.len())]);
        }
    }
}

/// Random parameters, some of them pulled onto or close to sides of the cell.
fn sample(random: &mut Random) -> [f64; 3] {
    random.parameters().map(|x| match random.below(6) {
        0 => 0.0,
        1 => 1.0,
        2 => 1e-3 * x,
        3 => 1.0 - 1e-6 * x,
        _ => x,
    })
}

/// The child cell and its parameters at the same point.
fn in_child(solid: &Solid, cell: usize, t: [f64; 3]) -> (usize, [f64; 3]) {
    let half = t.map(|x| usize::from(x >= 0.5));
    let child = CORNERS.iter().position(|&c| c == half).expect("a corner");
    let t = std::array::from_fn(|d| 2.0 * t[d] - half[d] as f64);
    (solid.children(cell).start + child, t)
}
