//! Grids of layered leaves.

use subsolid::basis::MissingLayers;
use subsolid::basis::bspline::Order;
use subsolid::numbers::Real;
use subsolid::simd::{
    AxisWeights, LayerAxis, LayeredGrid, LayeredOutput, Nets, Scratch, Simd, Stores,
};

use super::{Rng, parameters};
use subsolid::basis::bspline::end;

fn check<T: Real>(count: usize, [low, high]: [usize; 2], layers: usize, m: usize, far: f64) {
    let plane = low * high;
    let mut rng = Rng::new((count * plane + m) as u64);
    let (cells, vertices, samples) = (5, 4 * count + 9, plane * layers);
    let controls = rng.numbers(vertices * m, far);
    let nets: Vec<u32> = (0..cells).flat_map(|_| rng.ids(4 * count, vertices)).collect();
    let ends = [0, 1, 2, 3, 0].map(MissingLayers::from_bits);
    let axis = AxisWeights::new(&parameters(layers)).unwrap();
    // Table 0 sums to one for each sample, table 1 to zero.
    let tables = [1.0, 0.0].map(|total| {
        let mut table: Vec<f64> = (0..count * plane).map(|_| rng.number() / count as f64).collect();
        for s in 0..plane {
            table[s] = total - (1..count).map(|i| table[i * plane + s]).sum::<f64>();
        }
        table
    });
    for (simd, stores) in
        Simd::available().flat_map(|simd| [Stores::Cached, Stores::Streamed].map(|s| (simd, s)))
    {
        let mut scratch = Scratch::new(stores);
        for across in 0..3 {
            let lie = LayerAxis { axis: across, low };
            let planes = [&tables[0][..], &tables[1]];
            let layered = LayeredGrid::<T>::new(&planes, count, &axis, m, lie).unwrap();
            assert_eq!(layered.samples(), samples);
            for (number, order_c) in [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2)] {
                let order_c = Order::ALL[order_c];
                let position = number == 0 && order_c == Order::Value;
                let negate = !position && across != 2;
                // One number in front spoils the alignment of streamed stores.
                let skip = (count + across) % 2;
                let mut memory = vec![T::default(); skip + cells * samples * m];
                let mut places: Vec<_> = memory[skip..].chunks_exact_mut(samples * m).collect();
                let cells = &mut places[..];
                let output = LayeredOutput { plane: number, order_c, cells, negate };
                let cells_in = Nets { ids: &nets, ends: &ends };
                layered.evaluate(simd, &mut scratch, &controls, cells_in, &mut [output]);
                for (i, found) in memory.into_iter().skip(skip).enumerate() {
                    let (cell, place, c) = (i / m / samples, i / m % samples, i % m);
                    let (layer, in_plane) = match across {
                        0 => (place % layers, place / layers),
                        1 => {
                            let (row, u) = (place / low, place % low);
                            (row % layers, row / layers * low + u)
                        }
                        _ => (place / plane, place % plane),
                    };
                    let net = &nets[cell * 4 * count..][..4 * count];
                    let point =
                        |layer: usize, k: usize| controls[net[layer * count + k] as usize * m + c];
                    let pivot = point(1, 0);
                    let b = end(axis.weights(order_c)[layer], ends[cell].low(), ends[cell].high());
                    let mut exact = 0.0;
                    for (layer, b) in b.iter().enumerate() {
                        for k in 0..count {
                            let weight = tables[number][k * plane + in_plane];
                            let term = b * weight * (point(layer, k) - pivot);
                            exact += if negate { -term } else { term };
                        }
                    }
                    let shift = if position { pivot } else { 0.0 };
                    super::check(found, shift + exact, position, far);
                }
            }
        }
    }
}

#[test]
fn layered_grids_equal_explicit_sums() {
    for (i, n) in [1, 2, 3, 5, 7, 8, 9].into_iter().enumerate() {
        for m in [1, 2, 3, 4, 7] {
            check::<f64>(14 + i, [n, 2], n, m, 0.0);
            check::<f32>(24 - i, [1, n], (n + 3) % 9 + 1, m, 0.0);
        }
    }
    check::<f64>(16, [8, 8], 8, 3, 0.0);
    check::<f64>(17, [8, 8], 8, 3, 0.0);
    check::<f32>(16, [4, 4], 16, 3, 0.0);
    check::<f32>(17, [4, 4], 16, 3, 0.0);
    check::<f32>(16, [3, 1], 64, 20, 0.0);
}

#[test]
fn distance_from_the_origin_costs_derivatives_nothing() {
    check::<f64>(18, [3, 3], 3, 3, 1e6);
    check::<f32>(18, [3, 3], 3, 3, 1e6);
}

#[test]
fn refuses_what_does_not_fit() {
    let axis = AxisWeights::new(&[0.5]).unwrap();
    let across = LayerAxis { axis: 2, low: 1 };
    let refused =
        |planes: &[&[f64]], across| LayeredGrid::<f64>::new(planes, 2, &axis, 3, across).is_err();
    assert!(!refused(&[&[1.0; 4]], across));
    assert!(refused(&[], across));
    assert!(refused(&[&[1.0; 4], &[1.0; 6]], across));
    assert!(refused(&[&[1.0; 4]], LayerAxis { axis: 3, low: 1 }));
    assert!(refused(&[&[1.0; 6]], LayerAxis { axis: 0, low: 2 }));
}
