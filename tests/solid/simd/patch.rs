//! Grids of bicubic patches.

use subsolid::basis::bspline::Order;
use subsolid::basis::{MissingLayers, bspline};
use subsolid::numbers::Real;
use subsolid::simd::{Nets, PatchKernel, PatchOutput, Scratch, Simd, Stores};

use super::{Rng, net, parameters, sum};

/// Coordinates of a point.
const M: usize = 3;

fn check<T: Real>(samples: usize, quads: usize, far: f64) {
    let mut rng = Rng::new(samples as u64);
    let controls = rng.numbers(40 * M, far);
    let nets: Vec<[u32; 16]> = (0..quads).map(|_| rng.ids(16, 40).try_into().unwrap()).collect();
    let ends: Vec<_> = (0..quads).map(|quad| MissingLayers::from_bits(quad as u8 % 16)).collect();
    let weights = [Order::Value, Order::First].map(|order| {
        let of = |u| bspline::weights(order, u);
        parameters(samples).into_iter().map(of).collect::<Vec<[f64; 4]>>()
    });
    let patch = PatchKernel::<T>::new(&weights);
    let (orders, len) = ([[0, 0], [1, 0], [0, 1]], patch.quad_len());
    for simd in Simd::available() {
        for (stores, skip) in [(Stores::Cached, 0), (Stores::Streamed, 0), (Stores::Streamed, 1)] {
            let mut memory = vec![vec![T::default(); skip + quads * len]; 3];
            let mut places: Vec<Vec<&mut [T]>> =
                memory.iter_mut().map(|q| q[skip..].chunks_exact_mut(len).collect()).collect();
            let mut outputs: Vec<_> = orders
                .iter()
                .zip(&mut places)
                .map(|(&orders, quads)| PatchOutput { orders, quads })
                .collect();
            let mut scratch = Scratch::new(stores);
            patch.evaluate(
                simd,
                &mut scratch,
                &controls,
                Nets { ids: &nets, ends: &ends },
                &mut outputs,
            );
            for (orders, out) in orders.iter().zip(&memory) {
                // of large outputs some values, at all places of a row
                let step = (out.len() / 500) | 1;
                for (k, found) in out[skip..].iter().enumerate().step_by(step) {
                    let (quad, at, c) = (k / len, k % len / M, k % M);
                    // four equal layers of a solid
                    let ids: Vec<u32> = [nets[quad]; 4].concat();
                    let net = net(&controls, &ids, ends[quad], M);
                    let [u, v] = [at % samples, at / samples];
                    let weights = [weights[orders[0]][u], weights[orders[1]][v]];
                    let exact = sum(&net, [weights[0], weights[1], [0.25; 4]], M, c);
                    super::check(*found, exact, *orders == [0, 0], far);
                }
            }
        }
    }
}

#[test]
fn grids_equal_explicit_sums() {
    for samples in [1, 2, 3, 4, 5, 8, 16, 31, 33, 64] {
        check::<f64>(samples, 16, 0.0);
        check::<f32>(samples, 16, 0.0);
    }
}

#[test]
fn distance_from_the_origin_costs_derivatives_nothing() {
    check::<f64>(8, 16, 1e6);
    check::<f32>(8, 16, 1e6);
}
