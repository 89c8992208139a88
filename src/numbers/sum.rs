//! Sums over long arrays, in an order that every processor can keep to.

use rayon::prelude::*;

/// Numbers that are joined together; results of such chunks are joined in their order.
pub(crate) const SUM_NUMBERS: usize = 4096;
/// Partial results of a chunk, number `i` in lane `i % SUM_LANES`. They are joined by halves.
pub(crate) const SUM_LANES: usize = 256;

/// Dot product of arrays of one length.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let pairs = a.par_chunks(SUM_NUMBERS).zip(b.par_chunks(SUM_NUMBERS));
    let sums: Vec<f64> = pairs.map(|(a, b)| chunk_dot(a, b)).collect();
    total(&sums)
}

/// The sum of the sums of all chunks.
pub(crate) fn total(sums: &[f64]) -> f64 {
    sums.iter().fold(0.0, |all, sum| all + sum)
}

/// Largest magnitude; NaN if one is.
pub(crate) fn largest(values: &[f64]) -> f64 {
    let join = |a: f64, b: f64| if a.is_nan() || a >= b { a } else { b };
    let of_chunk = |chunk: &[f64]| chunk.iter().fold(0.0, |most, x| join(most, x.abs()));
    values.par_chunks(SUM_NUMBERS).map(of_chunk).reduce(|| 0.0, join)
}

fn chunk_dot(a: &[f64], b: &[f64]) -> f64 {
    let mut lanes = [0.0; SUM_LANES];
    for (a, b) in a.chunks(SUM_LANES).zip(b.chunks(SUM_LANES)) {
        lanes.iter_mut().zip(a.iter().zip(b)).for_each(|(sum, (a, b))| *sum += a * b);
    }
    let mut half = SUM_LANES / 2;
    while half > 0 {
        let (low, high) = lanes.split_at_mut(half);
        low.iter_mut().zip(high).for_each(|(low, high)| *low += *high);
        half /= 2;
    }
    lanes[0]
}
