//! How far Lagrange cells are from the limit.

use rayon::prelude::*;

use crate::backend::Limit;
use crate::basis::lagrange_weights;
use crate::plan::Samples;

/// Parameters midway between the nodes of cells of an order, where [`lagrange_distance`] looks.
pub fn samples_between(order: usize) -> Samples {
    Samples::Tensor(between(order).collect())
}

fn between(order: usize) -> impl Iterator<Item = f64> {
    (0..order).map(move |i| (i as f64 + 0.5) / order as f64)
}

/// Largest distance of Lagrange cells of an order from the limit at the [`samples_between`] their
/// nodes. `nodes` and `limit`: the same elements at the nodes and at these samples.
pub fn lagrange_distance(order: usize, nodes: &Limit, limit: &Limit) -> f64 {
    let n = order + 1;
    let weights: Vec<Vec<f64>> = between(order).map(|t| lagrange_weights(order, t)).collect();
    let of_element = |element: usize| {
        // values[row][along the axis]: each axis in turn becomes the last one
        let point = |i: usize| nodes.positions.triple(element * n.pow(3) + i);
        let mut values: Vec<[f64; 3]> = (0..n.pow(3)).map(point).collect();
        for _ in 0..3 {
            let rows = values.len() / n;
            let mut next = vec![[0.0; 3]; rows * order];
            for (row, own) in values.chunks_exact(n).enumerate() {
                for (s, weights) in weights.iter().enumerate() {
                    let sum = &mut next[s * rows + row];
                    for (weight, value) in weights.iter().zip(own) {
                        (0..3).for_each(|d| sum[d] += weight * value[d]);
                    }
                }
            }
            values = next;
        }
        let of_sample = |(i, at): (usize, &[f64; 3])| {
            let exact = limit.positions.triple(element * order.pow(3) + i);
            (0..3).map(|d| (at[d] - exact[d]).powi(2)).sum::<f64>().sqrt()
        };
        values.iter().enumerate().map(of_sample).fold(0.0, f64::max)
    };
    (0..nodes.elements.len()).into_par_iter().map(of_element).reduce(|| 0.0, f64::max)
}
