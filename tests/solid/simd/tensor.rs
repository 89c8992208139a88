//! Grids of regular leaves.

use subsolid::basis::MissingLayers;
use subsolid::basis::bspline::Order;
use subsolid::numbers::Real;
use subsolid::simd::{AxisWeights, Nets, Scratch, Simd, Stores, Tensor, TensorOutput};

use super::{Rng, net, parameters, sum};

/// All orders up to two in total, position first.
fn all_orders() -> Vec<[Order; 3]> {
    let triples = (0..27).map(|i| [i % 3, i / 3 % 3, i / 9]);
    triples.filter(|t| t.iter().sum::<usize>() <= 2).map(|t| t.map(|i| Order::ALL[i])).collect()
}

fn check<T: Real>(samples: [usize; 3], m: usize, cells: usize, first_ends: u8, far: f64) {
    let mut rng = Rng::new(7);
    let axes = samples.map(|n| AxisWeights::new(&parameters(n)).unwrap());
    let (controls, nets) = rng.regular_cells(cells, m, far);
    let ends: Vec<_> =
        (0..cells).map(|cell| MissingLayers::from_bits((first_ends + cell as u8) % 64)).collect();
    let tensor = Tensor::<T>::new(axes.each_ref(), m);
    let orders = all_orders();
    let len = tensor.cell_len();
    for simd in Simd::available() {
        for stores in [Stores::Cached, Stores::Streamed] {
            // One number in front spoils the alignment of streamed stores.
            for skip in [0, 1] {
                let mut scratch = Scratch::new(stores);
                let mut memory = vec![vec![T::default(); skip + cells * len]; orders.len()];
                let mut places: Vec<Vec<&mut [T]>> =
                    memory.iter_mut().map(|q| q[skip..].chunks_exact_mut(len).collect()).collect();
                let mut outputs: Vec<_> = orders
                    .iter()
                    .zip(&mut places)
                    .map(|(&orders, cells)| TensorOutput { orders, cells })
                    .collect();
                let nets = Nets { ids: &nets, ends: &ends };
                tensor.evaluate(simd, &mut scratch, &controls, nets, &mut outputs);
                for (&orders, out) in orders.iter().zip(&memory) {
                    let out = &out[skip..];
                    for cell in 0..cells {
                        let net = net(&controls, &nets.ids[cell], ends[cell], m);
                        for (i, &found) in out[cell * len..(cell + 1) * len].iter().enumerate() {
                            let (sample, c) = (i / m, i % m);
                            let at = [
                                sample % samples[0],
                                sample / samples[0] % samples[1],
                                sample / samples[0] / samples[1],
                            ];
                            let weights = [0, 1, 2].map(|a| axes[a].weights(orders[a])[at[a]]);
                            let exact = sum(&net, weights, m, c);
                            super::check(found, exact, orders == [Order::Value; 3], far);
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn grids_equal_explicit_sums() {
    for n in [1, 2, 3, 5, 7, 8, 9, 16] {
        for m in [1, 2, 3, 4, 7] {
            check::<f64>([n, (n + 1) % 5 + 1, 3], m, 2, 9, 0.0);
            check::<f32>([n, 2, (n + 2) % 6 + 1], m, 2, 41, 0.0);
        }
    }
    check::<f64>([8, 8, 8], 3, 2, 0, 0.0);
    check::<f32>([8, 8, 8], 3, 2, 0, 0.0);
    check::<f32>([1, 1, 64], 20, 1, 0, 0.0);
}

#[test]
fn grids_equal_explicit_sums_at_every_end_condition() {
    check::<f64>([3, 4, 2], 3, 64, 0, 0.0);
    check::<f32>([3, 4, 2], 1, 64, 0, 0.0);
}

#[test]
fn distance_from_the_origin_costs_derivatives_nothing() {
    check::<f64>([4, 3, 2], 3, 9, 5, 1e6);
    check::<f32>([4, 3, 2], 3, 9, 5, 1e6);
}
