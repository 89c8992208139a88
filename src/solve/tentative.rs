//! What aggregates have in common with rigid motions.

use rayon::prelude::*;

use super::aggregates::{NONE, aggregate};
use crate::numbers::Csr;

/// Motions of an aggregate that are this part of themselves beside the others are the others'.
const DEPENDENT: f64 = 1e-8;

/// Motions that cost no energy, `[unknown][motion]`.
#[derive(Clone, Debug)]
pub(super) struct Motions {
    pub count: usize,
    pub values: Vec<f64>,
}

impl Motions {
    fn row(&self, unknown: usize) -> &[f64] {
        &self.values[unknown * self.count..][..self.count]
    }
}

/// The motions of each aggregate, made orthonormal: the columns of a prolongation.
pub(super) struct Tentative {
    // of every node; NONE for none
    aggregates: Vec<u32>,
    count: usize,
    // unknowns of a node
    width: usize,
    // [unknown][motion] of the aggregate
    columns: Motions,
}

impl Tentative {
    /// Of the aggregates of a matrix with `width` unknowns a node; with the motions of the coarse
    /// unknowns `[aggregate][motion]`.
    pub fn new(matrix: &Csr, width: usize, motions: &Motions) -> (Self, Motions) {
        let (aggregates, count) = aggregate(matrix, width);
        let (starts, members) = members(&aggregates, count);
        let modes = motions.count;
        let found: Vec<(Vec<f64>, Vec<f64>)> = (0..count)
            .into_par_iter()
            .with_min_len(64)
            .map(|aggregate| {
                orthonormal(&members[starts[aggregate]..starts[aggregate + 1]], width, motions)
            })
            .collect();
        let mut columns = Motions { count: modes, values: vec![0.0; motions.values.len()] };
        let mut coarse =
            Motions { count: modes, values: Vec::with_capacity(count * modes * modes) };
        for (aggregate, (own, factors)) in found.into_iter().enumerate() {
            coarse.values.extend(factors);
            let nodes = &members[starts[aggregate]..starts[aggregate + 1]];
            for (&node, rows) in nodes.iter().zip(own.chunks_exact(width * modes)) {
                columns.values[node as usize * width * modes..][..rows.len()].copy_from_slice(rows);
            }
        }
        (Self { aggregates, count, width, columns }, coarse)
    }

    /// Number of coarse unknowns.
    pub fn coarse_size(&self) -> usize {
        self.count * self.columns.count
    }

    /// (1 − `factor` diagonal⁻¹ matrix) times the columns.
    pub fn smoothed(&self, matrix: &Csr, inverse: &[f64], factor: f64) -> Csr {
        let modes = self.columns.count;
        let scratch = || (vec![usize::MAX; self.count], Vec::new(), Vec::new());
        let add_row = |row: usize,
                       (places, met, sums): &mut (Vec<usize>, Vec<u32>, Vec<f64>),
                       columns: &mut Vec<u32>,
                       values: &mut Vec<f64>| {
            let mut add = |unknown: usize, factor: f64| {
                let aggregate = self.aggregates[unknown / self.width];
                if aggregate == NONE {
                    return;
                }
                let place = &mut places[aggregate as usize];
                if *place == usize::MAX {
                    *place = sums.len();
                    met.push(aggregate);
                    sums.resize(*place + modes, 0.0);
                }
                let own = self.columns.row(unknown);
                sums[*place..].iter_mut().zip(own).for_each(|(sum, x)| *sum += factor * x);
            };
            add(row, 1.0);
            matrix.row(row).for_each(|(c, x)| add(c as usize, -factor * inverse[row] * x));
            for (aggregate, sums) in met.iter().zip(sums.chunks_exact(modes)) {
                for (mode, &sum) in sums.iter().enumerate().filter(|(_, sum)| **sum != 0.0) {
                    columns.push(*aggregate * modes as u32 + mode as u32);
                    values.push(sum);
                }
                places[*aggregate as usize] = usize::MAX;
            }
            met.clear();
            sums.clear();
        };
        Csr::from_rows(matrix.rows(), self.coarse_size(), scratch, add_row)
    }
}

/// Where the members of each aggregate start, and the members.
fn members(aggregates: &[u32], count: usize) -> (Vec<usize>, Vec<u32>) {
    let mut starts = vec![0; count + 1];
    let own = || (0..).zip(aggregates).filter(|(_, aggregate)| **aggregate != NONE);
    own().for_each(|(_, &aggregate)| starts[aggregate as usize + 1] += 1);
    (0..count).for_each(|aggregate| starts[aggregate + 1] += starts[aggregate]);
    let (mut ends, mut members) = (starts.clone(), vec![0; starts[count]]);
    for (node, &aggregate) in own() {
        members[ends[aggregate as usize]] = node;
        ends[aggregate as usize] += 1;
    }
    (starts, members)
}

/// The motions of some nodes made orthonormal, `[node][unknown][motion]`, and what they are in these
/// terms, `[column][motion]`.
fn orthonormal(nodes: &[u32], width: usize, motions: &Motions) -> (Vec<f64>, Vec<f64>) {
    let modes = motions.count;
    let unknowns = || nodes.iter().flat_map(|&v| (0..width).map(move |d| v as usize * width + d));
    let norm = |column: &[f64]| column.iter().map(|x| x * x).sum::<f64>().sqrt();
    let mut factors = vec![0.0; modes * modes];
    let mut columns: Vec<Vec<f64>> = Vec::with_capacity(modes);
    for mode in 0..modes {
        let mut column: Vec<f64> = unknowns().map(|i| motions.row(i)[mode]).collect();
        let before = norm(&column);
        // Gram-Schmidt, twice is enough
        for _ in 0..2 {
            for (k, other) in columns.iter().enumerate() {
                let part: f64 = column.iter().zip(other).map(|(a, b)| a * b).sum();
                column.iter_mut().zip(other).for_each(|(a, b)| *a -= part * b);
                factors[k * modes + mode] += part;
            }
        }
        let left = norm(&column);
        if left > DEPENDENT * before {
            column.iter_mut().for_each(|x| *x /= left);
            factors[mode * modes + mode] = left;
        } else {
            column.fill(0.0);
        }
        columns.push(column);
    }
    let row = |i: usize| columns.iter().map(move |column| column[i]);
    ((0..nodes.len() * width).flat_map(row).collect(), factors)
}
