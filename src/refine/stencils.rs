//! Stencils: sparse rows of weights that make refined values from coarse ones.

use rayon::prelude::*;

/// Rows a work item of a parallel loop covers.
const GRAIN: usize = 1024;

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
        let parts: Vec<Self> = (0..rows.div_ceil(GRAIN))
            .into_par_iter()
            .map(|part| {
                let mut stencils = Self::default();
                let mut row = RowBuilder::default();
                for r in part * GRAIN..((part + 1) * GRAIN).min(rows) {
                    fill(r, &mut row);
                    row.finish_into(&mut stencils);
                }
                stencils
            })
            .collect();
        let entries = parts.iter().map(|p| p.columns.len()).sum();
        let mut all = Self {
            ends: Vec::with_capacity(rows),
            columns: Vec::with_capacity(entries),
            weights: Vec::with_capacity(entries),
        };
        for part in parts {
            let offset = all.columns.len();
            all.ends.extend(part.ends.iter().map(|e| e + offset));
            all.columns.extend(part.columns);
            all.weights.extend(part.weights);
        }
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

    /// Refines `values` (`[coarse vertex][component]`, `width` components):
    /// the result is `[refined vertex][component]`. Sums run relative to each
    /// row's first vertex, so the accuracy follows the size of the neighbourhood.
    pub fn apply(&self, values: &[f64], width: usize) -> Vec<f64> {
        let mut refined = vec![0.0; self.len() * width];
        self.apply_into(values, width, &mut refined);
        refined
    }

    /// [`Stencils::apply`] into a slice of `len() * width` values.
    pub fn apply_into(&self, values: &[f64], width: usize, refined: &mut [f64]) {
        if width == 0 {
            return;
        }
        refined.par_chunks_mut(width * GRAIN).enumerate().for_each(|(part, chunk)| {
            for (i, out) in chunk.chunks_exact_mut(width).enumerate() {
                let mut row = self.row(part * GRAIN + i);
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

/// Collects the weights of one row, adding up those of equal columns.
#[derive(Debug, Default)]
pub struct RowBuilder {
    entries: Vec<(u32, f64)>,
    // open addressing: 1 + position in `entries`, 0 where free
    slots: Vec<u32>,
}

impl RowBuilder {
    /// Adds `weight` to the column of `vertex`.
    pub fn add(&mut self, vertex: u32, weight: f64) {
        if 2 * self.entries.len() >= self.slots.len() {
            self.grow();
        }
        let slot = self.slot(vertex);
        match self.slots[slot] {
            0 => {
                self.entries.push((vertex, weight));
                self.slots[slot] = self.entries.len() as u32;
            }
            at => self.entries[at as usize - 1].1 += weight,
        }
    }

    /// Adds `weight` spread evenly over `vertices`.
    pub fn add_mean(&mut self, vertices: &[u32], weight: f64) {
        let each = weight / vertices.len() as f64;
        vertices.iter().for_each(|&v| self.add(v, each));
    }

    fn slot(&self, vertex: u32) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = vertex.wrapping_mul(0x9E37_79B1) as usize >> 7 & mask;
        while self.slots[slot] != 0 && self.entries[self.slots[slot] as usize - 1].0 != vertex {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn grow(&mut self) {
        self.slots = vec![0; (2 * self.slots.len()).max(64)];
        for i in 0..self.entries.len() {
            let slot = self.slot(self.entries[i].0);
            self.slots[slot] = i as u32 + 1;
        }
    }

    fn finish_into(&mut self, stencils: &mut Stencils) {
        for &(column, weight) in self.entries.iter().filter(|(_, w)| *w != 0.0) {
            stencils.columns.push(column);
            stencils.weights.push(weight);
        }
        stencils.ends.push(stencils.columns.len());
        self.entries.clear();
        self.slots.fill(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_columns_add_up() {
        let stencils = Stencils::build(3000, |r, row| {
            for v in 0..100 {
                row.add((r as u32 + v) % 50, 0.01);
            }
        });
        assert_eq!(stencils.len(), 3000);
        for (_, weight) in stencils.row(2999) {
            assert!((weight - 0.02).abs() < 1e-15);
        }
        assert_eq!(stencils.row(7).count(), 50);
        let values: Vec<f64> = (0..50).map(|v| 1e6 + f64::from(v)).collect();
        assert!((stencils.apply(&values, 1)[2999] - (1e6 + 24.5)).abs() < 1e-9);
    }
}
