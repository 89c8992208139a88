//! The product of a level's matrix and the matrix of the levels before it, rows in parallel.
//!
//! A row of the product is a sum of rows of the factor, its *parents*. Nearly always one of
//! them has the columns of all, since everything inside a control face depends on the same
//! control points and its edges on fewer: only weights are added. Other rows, of the
//! first levels, are merged column by column. Every weight is summed in the order of the
//! level's row either way.
//!
//! A first pass finds the columns and so where every row stands; a second one fills large
//! pages that are touched but once.

use crate::interrupt::stop_point;
use crate::numbers::Real;
use rayon::prelude::*;

use super::{GROUP, SingleMatrix, TASK_ROWS};
use crate::pages;
use crate::scheme::{RowBuilder, Stencils};

use crate::topology::NONE;

/// What the first pass finds out about some rows.
#[derive(Default)]
struct RowSurvey {
    /// For each row, the parent that has all columns; [`NONE`] if it is merged.
    widest: Vec<u32>,
    /// Groups of all rows.
    groups: usize,
    merged: MergedRows,
}

/// Rows none of whose parents has all columns.
#[derive(Default)]
struct MergedRows {
    /// Groups of each.
    sizes: Vec<usize>,
    columns: Vec<[u32; GROUP]>,
    weights: Vec<[f64; GROUP]>,
}

/// Where the rows of a part go.
struct RowOutput<'a, T> {
    /// Groups before it.
    first_group: usize,
    first_row: usize,
    ends: &'a mut [u64],
    columns: &'a mut [[u32; GROUP]],
    weights: &'a mut [[T; GROUP]],
}

impl SingleMatrix<f64> {
    /// The matrix with one more level: `level` · this.
    pub fn then<T: Real>(&self, level: &Stencils) -> SingleMatrix<T> {
        let first_rows = (0..level.len()).into_par_iter().step_by(TASK_ROWS);
        let surveys: Vec<RowSurvey> = first_rows.map(|first| self.measure(level, first)).collect();
        let groups = surveys.iter().map(|survey| survey.groups).sum();
        let mut all = SingleMatrix {
            ends: pages::zeros(level.len()),
            columns: pages::zeros(groups),
            weights: pages::zeros(groups),
        };
        let (mut columns, mut weights) = (all.columns.as_mut_slice(), all.weights.as_mut_slice());
        let mut next_group = 0;
        let outputs =
            all.ends.chunks_mut(TASK_ROWS).zip(&surveys).enumerate().map(|(i, (ends, survey))| {
                next_group += survey.groups;
                RowOutput {
                    first_group: next_group - survey.groups,
                    first_row: i * TASK_ROWS,
                    ends,
                    columns: columns.split_off_mut(..survey.groups).unwrap_or_default(),
                    weights: weights.split_off_mut(..survey.groups).unwrap_or_default(),
                }
            });
        let outputs: Vec<_> = outputs.collect();
        surveys
            .into_par_iter()
            .zip(outputs)
            .for_each(|(survey, output)| self.fill(level, &survey, output));
        all
    }

    /// Columns of a row, padded.
    fn columns(&self, row: u32) -> &[[u32; GROUP]] {
        &self.columns[self.groups(row as usize)]
    }

    /// The parent that has the columns of all, if there is one.
    fn widest_parent(&self, level: &Stencils, row: usize) -> Option<u32> {
        let parents = || level.row(row).map(|(k, _)| k);
        let entries = |&k: &u32| self.columns(k).len() * GROUP - padding(self.columns(k));
        // of the longest, the last
        let widest = parents().max_by_key(entries)?;
        let all = self.columns(widest);
        parents().all(|k| k == widest || has(all, self.columns(k))).then_some(widest)
    }

    /// Counts the groups of `TASK_ROWS` rows and merges those that have to be.
    fn measure(&self, level: &Stencils, first: usize) -> RowSurvey {
        let mut survey = RowSurvey::default();
        let mut builder = RowBuilder::default();
        for row in first..(first + TASK_ROWS).min(level.len()) {
            stop_point();
            let widest = self.widest_parent(level, row);
            survey.widest.push(widest.unwrap_or(NONE));
            if let Some(widest) = widest {
                survey.groups += self.columns(widest).len();
                continue;
            }
            for (k, weight) in level.row(row) {
                let groups = self.groups(k as usize);
                let columns = self.columns[groups.clone()].as_flattened();
                let weights = self.weights[groups].as_flattened();
                // padding adds 0 to a column that is there
                columns.iter().zip(weights).for_each(|(&c, w)| builder.add(c, weight * w));
            }
            survey.groups += survey.merged.push(builder.take_sorted());
        }
        survey
    }

    /// Writes the rows of a part.
    fn fill<T: Real>(&self, level: &Stencils, survey: &RowSurvey, output: RowOutput<'_, T>) {
        let mut sizes = survey.merged.sizes.iter();
        let (mut columns, mut weights) = (&survey.merged.columns[..], &survey.merged.weights[..]);
        let mut sums = Vec::new();
        let mut start = 0;
        for ((row, end), &widest) in (output.first_row..).zip(output.ends).zip(&survey.widest) {
            let (own_columns, own_weights) = match widest {
                NONE => {
                    let size = sizes.next().map_or(0, |&size| size);
                    let (own_columns, own_weights);
                    (own_columns, columns) = columns.split_at(size);
                    (own_weights, weights) = weights.split_at(size);
                    (own_columns, own_weights)
                }
                widest => {
                    self.add_parents(level, row, widest, &mut sums);
                    (self.columns(widest), &sums[..])
                }
            };
            let groups = start..start + own_columns.len();
            start = groups.end;
            *end = (output.first_group + start) as u64;
            output.columns[groups.clone()].copy_from_slice(own_columns);
            let out = output.weights[groups].iter_mut().zip(own_weights);
            out.for_each(|(out, weights)| *out = weights.map(T::from_f64));
        }
    }

    /// Σ weight · parent, over the columns of the widest.
    fn add_parents(&self, level: &Stencils, row: usize, widest: u32, sums: &mut Vec<[f64; GROUP]>) {
        let all = self.columns(widest);
        sums.clear();
        sums.resize(all.len(), [0.0; GROUP]);
        for (k, weight) in level.row(row) {
            let (columns, parent) = (self.columns(k), &self.weights[self.groups(k as usize)]);
            if k == widest || columns == all {
                for (sum, parent) in sums.iter_mut().zip(parent) {
                    *sum = std::array::from_fn(|i| sum[i] + weight * parent[i]);
                }
                continue;
            }
            let (all, sums) = (all.as_flattened(), sums.as_flattened_mut());
            let mut at = 0;
            for (&column, value) in columns.as_flattened().iter().zip(parent.as_flattened()) {
                // both ascend; padding, at last, adds 0 to any entry
                while all[at] < column {
                    at += 1;
                }
                sums[at] += weight * value;
            }
        }
    }
}

/// Entries at the end of a row that repeat its first column.
fn padding(columns: &[[u32; GROUP]]) -> usize {
    let first = columns.first().map(|group| group[0]);
    columns.last().map_or(0, |last| last[1..].iter().filter(|&&c| Some(c) == first).count())
}

/// Whether a row's columns include another's; both are padded.
fn has(all: &[[u32; GROUP]], some: &[[u32; GROUP]]) -> bool {
    if all == some {
        return true;
    }
    let mut rest = all.as_flattened().iter();
    let some = &some.as_flattened()[..some.len() * GROUP - padding(some)];
    some.iter().all(|column| rest.by_ref().any(|c| c == column))
}

impl MergedRows {
    /// Appends a row of ascending columns; returns the number of its groups.
    fn push(&mut self, row: impl Iterator<Item = (u32, f64)>) -> usize {
        let before = self.columns.len();
        for (entry, (column, weight)) in row.enumerate() {
            if entry % GROUP == 0 {
                let first = self.columns.get(before).map_or(column, |group| group[0]);
                self.columns.push([first; GROUP]);
                self.weights.push([0.0; GROUP]);
            }
            if let (Some(columns), Some(weights)) =
                (self.columns.last_mut(), self.weights.last_mut())
            {
                columns[entry % GROUP] = column;
                weights[entry % GROUP] = weight;
            }
        }
        self.sizes.push(self.columns.len() - before);
        self.columns.len() - before
    }
}
