//! Weight tables times nets.

use subsolid::numbers::Real;
use subsolid::simd::{Scratch, Simd, Stores, TableKernel, TableOutput};

use super::Rng;

fn check<T: Real>(count: usize, samples: usize, m: usize, cells: usize, far: f64) {
    let mut rng = Rng::new((count * samples + m) as u64);
    let vertices = count + 20;
    let controls = rng.numbers(vertices * m, far);
    let nets: Vec<u32> = (0..cells).flat_map(|_| rng.ids(count, vertices)).collect();
    let permuted = rng.ids(samples, samples);
    // weights: [control][sample], of size 1 together
    let mut weights: Vec<f64> = (0..count * samples).map(|_| rng.number() / count as f64).collect();
    for position in [false, true] {
        for sample in 0..samples {
            let rest: f64 = (1..count).map(|i| weights[i * samples + sample]).sum();
            weights[sample] = if position { 1.0 } else { 0.0 } - rest;
        }
        let table = TableKernel::<T>::new(&weights, count, position).unwrap();
        assert_eq!((table.controls(), table.samples()), (count, samples));
        for (simd, stores) in
            Simd::available().flat_map(|simd| [Stores::Cached, Stores::Streamed].map(|s| (simd, s)))
        {
            let mut scratch = Scratch::new(stores);
            for (order, skip) in [(None, 0), (None, 1), (Some(&permuted[..]), 0)] {
                let negate = !position && order.is_some();
                let mut memory = vec![T::default(); skip + cells * samples * m];
                let mut places: Vec<_> = memory[skip..].chunks_exact_mut(samples * m).collect();
                let output = TableOutput { cells: &mut places, order, negate };
                table.evaluate(simd, &mut scratch, &controls, m, &nets, output);
                for (i, net) in nets.chunks_exact(count).enumerate() {
                    for sample in 0..samples {
                        let place = order.map_or(sample, |order| order[sample] as usize);
                        for c in 0..m {
                            let found = memory[skip + (i * samples + place) * m + c];
                            let pivot = controls[net[0] as usize * m + c];
                            let sum: f64 = (0..count)
                                .map(|k| {
                                    let x = controls[net[k] as usize * m + c] - pivot;
                                    weights[k * samples + sample] * x
                                })
                                .sum();
                            let exact = if position { pivot + sum } else { sum };
                            super::check(found, if negate { -exact } else { exact }, position, far);
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn products_equal_explicit_sums() {
    for (i, samples) in [1, 2, 3, 5, 7, 8, 9, 16, 27, 64].into_iter().enumerate() {
        for (j, m) in [1, 2, 3, 4, 7].into_iter().enumerate() {
            let cells = (i + 2 * j) % 9 + 1;
            check::<f64>(20 + i, samples, m, cells, 0.0);
            check::<f32>(20 + j, samples, m, cells, 0.0);
        }
    }
    check::<f64>(1, 5, 3, 5, 0.0);
    check::<f64>(300, 33, 3, 9, 0.0);
    check::<f32>(300, 33, 13, 2, 0.0);
}

#[test]
fn distance_from_the_origin_costs_derivatives_nothing() {
    check::<f64>(52, 27, 3, 5, 1e6);
    check::<f32>(52, 27, 3, 5, 1e6);
}

#[test]
fn refuses_tables_without_whole_rows() {
    assert!(TableKernel::<f64>::new(&[1.0; 7], 2, true).is_err());
    assert!(TableKernel::<f64>::new(&[], 2, true).is_err());
    assert!(TableKernel::<f64>::new(&[1.0], 0, true).is_err());
}
