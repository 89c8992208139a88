//! Stencils: sparse rows of weights that make refined values from coarse ones.

use std::ops::Range;

use rayon::prelude::*;

use crate::interrupt::stop_point;
use crate::pages;

/// Rows a work item of a parallel loop covers.
const TASK_ROWS: usize = 1024;

/// A sparse matrix, one row a refined vertex, that refines positions and
/// attributes alike. Every row sums to 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stencils {
    // row r: entries ends[r - 1]..ends[r] of columns and weights
    ends: Vec<usize>,
    columns: Vec<u32>,
    weights: Vec<f64>,
}

impl Stencils {
    /// Builds `rows` stencils in parallel; `fill` writes row `r`.
    pub fn build(rows: usize, fill: impl Fn(usize, &mut RowBuilder) + Sync) -> Self {
        Self::build_blocks(rows, &|block, stencils| {
            let mut row = RowBuilder::default();
            for r in block {
                fill(r, &mut row);
                row.finish_into(stencils);
            }
        })
    }

    /// [`Self::build`] by blocks of rows. Compiled once for all that it is called with.
    fn build_blocks(rows: usize, fill: &(dyn Fn(Range<usize>, &mut Self) + Sync)) -> Self {
        let blocks: Vec<Self> = (0..rows.div_ceil(TASK_ROWS))
            .into_par_iter()
            .map(|block| {
                let mut stencils = Self {
                    ends: Vec::with_capacity(TASK_ROWS),
                    columns: Vec::with_capacity(8 * TASK_ROWS),
                    weights: Vec::with_capacity(8 * TASK_ROWS),
                };
                fill(block * TASK_ROWS..((block + 1) * TASK_ROWS).min(rows), &mut stencils);
                stencils
            })
            .collect();
        Self::joined(blocks)
    }

    /// The rows of all blocks, one block after another.
    pub fn joined(blocks: Vec<Self>) -> Self {
        let count = |of: fn(&Self) -> usize| blocks.iter().map(of).sum();
        let (rows, entries) = (count(Self::len), count(Self::entries));
        let mut all = Self {
            ends: pages::zeros(rows),
            columns: pages::zeros(entries),
            weights: pages::zeros(entries),
        };
        let mut ends = all.ends.as_mut_slice();
        let mut columns = all.columns.as_mut_slice();
        let mut weights = all.weights.as_mut_slice();
        let mut offset = 0;
        let slices = blocks.iter().map(|block| {
            offset += block.entries();
            (
                offset - block.entries(),
                ends.split_off_mut(..block.len()).unwrap_or_default(),
                columns.split_off_mut(..block.entries()).unwrap_or_default(),
                weights.split_off_mut(..block.entries()).unwrap_or_default(),
            )
        });
        let slices: Vec<_> = slices.collect();
        blocks.into_par_iter().zip(slices).for_each(|(block, (offset, ends, columns, weights))| {
            stop_point();
            ends.iter_mut().zip(&block.ends).for_each(|(end, own)| *end = offset + own);
            columns.copy_from_slice(&block.columns);
            weights.copy_from_slice(&block.weights);
        });
        all
    }

    /// Number of refined vertices.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Number of weights in all rows.
    pub fn entries(&self) -> usize {
        self.columns.len()
    }

    /// All rows as flat arrays: where each row ends among the entries, and the entries'
    /// coarse vertices and weights.
    pub fn arrays(&self) -> (&[usize], &[u32], &[f64]) {
        (&self.ends, &self.columns, &self.weights)
    }

    /// Coarse vertices and their weights in row `r`.
    pub fn row(&self, r: usize) -> impl Iterator<Item = (u32, f64)> + '_ {
        let range = if r == 0 { 0 } else { self.ends[r - 1] }..self.ends[r];
        self.columns[range.clone()].iter().copied().zip(self.weights[range].iter().copied())
    }

    /// These rows over what the rows of `coarse` are over: the product of both matrices.
    pub fn over(&self, coarse: &Self) -> Self {
        Self::build(self.len(), |r, row| {
            for (k, weight) in self.row(r) {
                coarse.row(k as usize).for_each(|(j, value)| row.add(j, weight * value));
            }
        })
    }

    /// Refines `values` (`[coarse vertex][component]`, `width` components):
    /// the result is `[refined vertex][component]`. Sums run relative to each
    /// row's first vertex, so the accuracy follows the size of the neighborhood.
    pub fn apply(&self, values: &[f64], width: usize) -> Vec<f64> {
        let mut refined = vec![0.0; self.len() * width];
        self.apply_into(values, width, &mut refined);
        refined
    }

    /// [`Stencils::apply`] into a slice of `len() * width` values.
    pub(crate) fn apply_into(&self, values: &[f64], width: usize, refined: &mut [f64]) {
        match width {
            0 => (),
            1 => self.apply_rows::<1>(values, width, refined),
            3 => self.apply_rows::<3>(values, width, refined),
            _ => self.apply_rows::<0>(values, width, refined),
        }
    }

    // `WIDTH`: that of the values where the compiler is to know it, or 0
    fn apply_rows<const WIDTH: usize>(&self, values: &[f64], width: usize, refined: &mut [f64]) {
        let width = if WIDTH == 0 { width } else { WIDTH };
        refined.par_chunks_mut(width * TASK_ROWS).enumerate().for_each(|(block, chunk)| {
            stop_point();
            for (i, out) in chunk.chunks_exact_mut(width).enumerate() {
                let mut row = self.row(block * TASK_ROWS + i);
                let Some((first, _)) = row.next() else { continue };
                let origin = &values[first as usize * width..][..width];
                out.fill(0.0);
                for (column, weight) in row {
                    let value = &values[column as usize * width..][..width];
                    for c in 0..width {
                        out[c] += weight * (value[c] - origin[c]);
                    }
                }
                for c in 0..width {
                    out[c] += origin[c];
                }
            }
        });
    }
}

/// Entries of a row that are looked through one by one.
const MAX_SCANNED_ENTRIES: usize = 8;

/// Collects the weights of one row, adding up weights of equal columns.
#[derive(Debug, Default)]
pub struct RowBuilder {
    entries: Vec<(u32, f64)>,
    // open addressing: 1 + position in `entries`, 0 where free; empty while they are few
    slots: Vec<u32>,
}

impl RowBuilder {
    /// Adds `weight` to the column of `vertex`.
    #[inline]
    pub fn add(&mut self, vertex: u32, weight: f64) {
        match self.find(vertex) {
            Some(at) => self.entries[at].1 += weight,
            None => self.push(vertex, weight),
        }
    }

    /// Adds `weight` spread evenly over `vertices`.
    pub(crate) fn add_mean(&mut self, vertices: &[u32], weight: f64) {
        let each = weight / vertices.len() as f64;
        vertices.iter().for_each(|&v| self.add(v, each));
    }

    /// Takes the row out, by ascending columns; weights of 0 are left out.
    pub(crate) fn take_sorted(&mut self) -> impl Iterator<Item = (u32, f64)> + '_ {
        self.slots.clear();
        self.entries.sort_unstable_by_key(|&(column, _)| column);
        self.entries.drain(..).filter(|&(_, weight)| weight != 0.0)
    }

    #[inline]
    fn find(&self, vertex: u32) -> Option<usize> {
        if self.slots.is_empty() {
            return self.entries.iter().position(|&(column, _)| column == vertex);
        }
        (self.slots[self.slot(vertex)] as usize).checked_sub(1)
    }

    fn push(&mut self, vertex: u32, weight: f64) {
        self.entries.push((vertex, weight));
        if self.entries.len() <= MAX_SCANNED_ENTRIES {
            return;
        }
        if 2 * self.entries.len() > self.slots.len() {
            let room = (4 * self.entries.len()).next_power_of_two();
            self.slots.clear();
            self.slots.resize(room, 0);
            (0..self.entries.len()).for_each(|at| self.enter(at));
        } else {
            self.enter(self.entries.len() - 1);
        }
    }

    fn enter(&mut self, at: usize) {
        let slot = self.slot(self.entries[at].0);
        self.slots[slot] = at as u32 + 1;
    }

    /// Where the column stands, or would.
    fn slot(&self, vertex: u32) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = vertex.wrapping_mul(0x9E37_79B1) as usize >> 7 & mask;
        while self.slots[slot] != 0 && self.entries[self.slots[slot] as usize - 1].0 != vertex {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn finish_into(&mut self, stencils: &mut Stencils) {
        for &(column, weight) in self.entries.iter().filter(|(_, w)| *w != 0.0) {
            stencils.columns.push(column);
            stencils.weights.push(weight);
        }
        stencils.ends.push(stencils.columns.len());
        self.entries.clear();
        self.slots.clear();
    }
}
