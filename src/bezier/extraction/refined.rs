//! Refined control points as sparse combinations of the mesh's vertices.

use crate::limit::Solid;
use crate::scheme::Stencils;

/// A sparse matrix in compressed rows; every row sums to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct RefinedRows {
    // row r: entries offsets[r]..offsets[r + 1]
    offsets: Vec<usize>,
    vertices: Vec<u32>,
    weights: Vec<f64>,
}

impl Default for RefinedRows {
    fn default() -> Self {
        Self { offsets: vec![0], vertices: Vec::new(), weights: Vec::new() }
    }
}

impl RefinedRows {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Vertices and weights of row `r`.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&self, r: usize) -> impl Iterator<Item = (u32, f64)> + '_ {
        let entries = self.offsets[r]..self.offsets[r + 1];
        self.vertices[entries.clone()].iter().copied().zip(self.weights[entries].iter().copied())
    }

    /// Offsets (one more than rows), vertices and weights, as compressed rows are
    /// passed to other programs.
    pub fn arrays(&self) -> (&[usize], &[u32], &[f64]) {
        (&self.offsets, &self.vertices, &self.weights)
    }

    /// Values of the rows, `[row][width]`, from those at the vertices.
    pub(super) fn apply(&self, values: &[f64], width: usize) -> Vec<f64> {
        let mut applied = vec![0.0; self.len() * width];
        for (r, out) in applied.chunks_exact_mut(width.max(1)).enumerate() {
            for (vertex, weight) in self.row(r) {
                let value = &values[vertex as usize * width..][..width];
                out.iter_mut().zip(value).for_each(|(o, v)| *o += weight * v);
            }
        }
        applied
    }

    pub(super) fn bytes(&self) -> usize {
        8 * (self.offsets.len() + self.weights.len()) + 4 * self.vertices.len()
    }

    fn push(&mut self, stencils: &Stencils) {
        let (ends, vertices, weights) = stencils.arrays();
        let first = self.vertices.len();
        self.offsets.extend(ends.iter().map(|end| first + end));
        self.vertices.extend_from_slice(vertices);
        self.weights.extend_from_slice(weights);
    }
}

/// Rows of the points of all levels but the mesh's own.
pub(crate) fn refined_rows(solid: &Solid) -> RefinedRows {
    let mut rows = RefinedRows::default();
    solid.vertex_stencils().iter().for_each(|level| rows.push(level));
    rows
}
