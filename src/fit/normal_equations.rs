//! Sums of squares over moves of vertices along given directions.

use nalgebra::Vector3;

use crate::error::Result;
use crate::process::sparse::{Elimination, SymmetricMatrix};

/// Least-squares problem: unknowns are lengths along directions of vertices.
pub struct NormalEquations<'a> {
    /// Directions of all vertices, one after another.
    directions: &'a [Vector3<f64>],
    // entries of vertex v: starts[v]..starts[v + 1]
    starts: &'a [usize],
    matrix: SymmetricMatrix,
    rhs: Vec<f64>,
}

/// Weights of vertices, the direction in which their sum is measured, what it should be, and the
/// weight of its square.
pub type Row = (Vec<(u32, f64)>, Vector3<f64>, f64, f64);

/// Rows over the same few vertices, which are summed up densely first.
#[derive(Default)]
pub struct RowBlock {
    unknowns: Vec<usize>,
    // [unknown][unknown], the lower triangle
    matrix: Vec<f64>,
    rhs: Vec<f64>,
}

impl<'a> NormalEquations<'a> {
    pub fn new(directions: &'a [Vector3<f64>], starts: &'a [usize]) -> Self {
        Self {
            directions,
            starts,
            matrix: SymmetricMatrix::default(),
            rhs: vec![0.0; directions.len()],
        }
    }

    /// A block of rows.
    pub fn block(&self, rows: impl IntoIterator<Item = Row>) -> RowBlock {
        let rows: Vec<Row> = rows.into_iter().collect();
        let own = |v: u32| self.starts[v as usize]..self.starts[v as usize + 1];
        let mut unknowns: Vec<usize> =
            rows.iter().flat_map(|(row, ..)| row.iter().flat_map(|&(v, _)| own(v))).collect();
        unknowns.sort_unstable();
        unknowns.dedup();
        let n = unknowns.len();
        let mut block = RowBlock { matrix: vec![0.0; n * n], rhs: vec![0.0; n], unknowns };
        let mut values = vec![0.0; n];
        for (row, along, wanted, weight) in rows {
            values.fill(0.0);
            for (v, w) in row {
                for unknown in own(v) {
                    let at = block.unknowns.partition_point(|&u| u < unknown);
                    values[at] += w * self.directions[unknown].dot(&along);
                }
            }
            for i in 0..n {
                let scaled = weight * values[i];
                block.rhs[i] += scaled * wanted;
                let sums = &mut block.matrix[i * n..][..=i];
                sums.iter_mut().zip(&values).for_each(|(sum, value)| *sum += scaled * value);
            }
        }
        block
    }

    /// Adds a block.
    pub fn add(&mut self, block: RowBlock) {
        let n = block.unknowns.len();
        for (i, &row) in block.unknowns.iter().enumerate() {
            self.rhs[row] += block.rhs[i];
            for (j, &column) in block.unknowns[..=i].iter().enumerate() {
                self.matrix.add(row, column, block.matrix[i * n + j]);
            }
        }
    }

    /// Asks for no move: the least one is that which [`NormalEquations::solve`] holds something with.
    pub fn rest(&mut self) {
        self.rhs.fill(0.0);
    }

    /// The move of every vertex. Where there is a `held` sum over all vertices of (slope, vertex) ·
    /// move, it has the value that is given with it. `elimination` is made if there is none, and is that
    /// of all systems with the same vertices in the same rows.
    ///
    /// # Errors
    /// [`Error::Mesh`](crate::Error::Mesh) where the sum of squares has no single minimum.
    pub fn solve(
        self,
        held: Option<(&[Vector3<f64>], f64)>,
        elimination: &mut Option<Elimination>,
    ) -> Result<Vec<[f64; 3]>> {
        let mut solution = Vec::new();
        if !self.rhs.is_empty() {
            let known = match elimination.take() {
                Some(known) => known,
                None => self.matrix.elimination(self.rhs.len())?,
            };
            let factor = self.matrix.factor_by(elimination.insert(known))?;
            solution = factor.solve(&self.rhs);
            if let Some((slopes, wanted)) = held {
                // Lagrange multiplier
                let own = (0..slopes.len()).flat_map(|v| {
                    let own = &self.directions[self.starts[v]..self.starts[v + 1]];
                    own.iter().map(move |direction| direction.dot(&slopes[v]))
                });
                let row: Vec<f64> = own.collect();
                let sum = |x: &[f64]| row.iter().zip(x).map(|(a, b)| a * b).sum::<f64>();
                let across = factor.solve(&row);
                let multiplier = (wanted - sum(&solution)) / sum(&across);
                if multiplier.is_finite() {
                    solution.iter_mut().zip(&across).for_each(|(x, y)| *x += multiplier * y);
                }
            }
        }
        let of_vertex = |ends: &[usize]| {
            (ends[0]..ends[1])
                .map(|u| self.directions[u] * solution[u])
                .sum::<Vector3<f64>>()
                .into()
        };
        Ok(self.starts.windows(2).map(of_vertex).collect())
    }
}
