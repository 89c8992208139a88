//! Scattered points of regular leaves.

use subsolid::basis::MissingLayers;
use subsolid::basis::bspline::{Order, weights};
use subsolid::numbers::Real;
use subsolid::simd::{PointKernel, Scratch, Simd, Stores};

use super::{Rng, net, sum};

/// Derivatives of a point, first, then second.
const ORDERS: [[usize; 3]; 10] = [
    [0, 0, 0],
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
    [2, 0, 0],
    [0, 2, 0],
    [0, 0, 2],
    [1, 1, 0],
    [1, 0, 1],
    [0, 1, 1],
];

fn check<T: Real>(count: usize, m: usize, ends: MissingLayers, far: f64) {
    let mut rng = Rng::new(count as u64 + 11);
    let (controls, nets) = rng.regular_cells(1, m, far);
    // Parameters that f32 holds exactly, both ends among them.
    let mut parameters: Vec<[f64; 3]> =
        (0..count).map(|_| [0, 1, 2].map(|_| f64::from((rng.number() + 0.5) as f32))).collect();
    parameters[0] = [0.0, 1.0, 0.5];
    let net = net(&controls, &nets[0], ends, m);
    for derivatives in 0..3 {
        let points = PointKernel { m, derivatives };
        let quantities = points.quantities();
        for simd in Simd::available() {
            let mut out = vec![T::default(); count * quantities * m];
            let mut scratch = Scratch::new(Stores::Cached);
            let at = &parameters[..];
            points.evaluate(simd, &mut scratch, &controls, &nets[0], ends, at, &mut out);
            for (i, found) in out.into_iter().enumerate() {
                let (point, quantity, c) = (i / m / quantities, i / m % quantities, i % m);
                let orders = ORDERS[quantity];
                let b = [0, 1, 2].map(|a| weights(Order::ALL[orders[a]], parameters[point][a]));
                super::check(found, sum(&net, b, m, c), quantity == 0, far);
            }
        }
    }
}

#[test]
fn points_equal_explicit_sums() {
    for count in [1, 2, 3, 5, 7, 8, 9, 16, 65] {
        for m in [1, 2, 3, 4, 7] {
            check::<f64>(count, m, MissingLayers::NONE, 0.0);
            check::<f32>(count, m, MissingLayers::NONE, 0.0);
        }
    }
}

#[test]
fn points_equal_explicit_sums_at_every_end_condition() {
    for ends in (0..64).map(MissingLayers::from_bits) {
        check::<f64>(9, 3, ends, 0.0);
        check::<f32>(9, 3, ends, 0.0);
    }
}

#[test]
fn distance_from_the_origin_costs_derivatives_nothing() {
    check::<f64>(10, 3, MissingLayers::from_bits(6), 1e6);
    check::<f32>(10, 3, MissingLayers::from_bits(6), 1e6);
}
