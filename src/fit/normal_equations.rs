//! Sums of squares over moves of vertices along given directions.

use std::ops::Range;

use nalgebra::Vector3;
use rayon::prelude::*;

use crate::error::Result;
use crate::process::sparse::Elimination;

/// Columns of a matrix that are summed up at a time.
const TASK_COLUMNS: usize = 256;

/// Unknowns: lengths along directions of vertices.
pub struct Unknowns {
    // of all vertices, one after another
    directions: Vec<Vector3<f64>>,
    // of vertex v: starts[v]..starts[v + 1]
    starts: Vec<usize>,
}

/// Weights of vertices, the direction in which their sum is measured, what it should be, and the
/// weight of its square.
pub type Row = (Vec<(u32, f64)>, Vector3<f64>, f64, f64);

/// Rows over the same few vertices, which are summed up densely first.
#[derive(Default)]
pub struct RowBlock {
    // ascending
    unknowns: Vec<u32>,
    // the lower triangle, column by column
    matrix: Vec<f64>,
    rhs: Vec<f64>,
}

impl Unknowns {
    pub fn new(directions: Vec<Vector3<f64>>, starts: Vec<usize>) -> Self {
        Self { directions, starts }
    }

    /// The directions of a vertex.
    pub fn directions(&self, vertex: u32) -> &[Vector3<f64>] {
        &self.directions[self.of(vertex)]
    }

    fn of(&self, vertex: u32) -> Range<usize> {
        self.starts[vertex as usize]..self.starts[vertex as usize + 1]
    }

    /// A block of rows.
    pub fn block(&self, rows: impl IntoIterator<Item = Row>) -> RowBlock {
        let rows: Vec<Row> = rows.into_iter().collect();
        let mut vertices: Vec<u32> =
            rows.iter().flat_map(|(row, ..)| row.iter().map(|&(v, _)| v)).collect();
        vertices.sort_unstable();
        vertices.dedup();
        let unknowns: Vec<u32> =
            vertices.iter().flat_map(|&v| self.of(v)).map(|u| u as u32).collect();
        let mut ends = 0;
        let firsts: Vec<usize> = vertices
            .iter()
            .map(|&v| {
                ends += self.of(v).len();
                ends - self.of(v).len()
            })
            .collect();
        let n = unknowns.len();
        let (mut matrix, mut rhs) = (vec![0.0; n * (n + 1) / 2], vec![0.0; n]);
        let mut values = vec![0.0; n];
        for (row, along, wanted, weight) in rows {
            if weight == 0.0 || along == Vector3::zeros() {
                continue;
            }
            values.fill(0.0);
            for (v, w) in row {
                let at = firsts[vertices.partition_point(|&u| u < v)];
                let own = self.directions(v);
                let values = &mut values[at..][..own.len()];
                values.iter_mut().zip(own).for_each(|(value, d)| *value += w * d.dot(&along));
            }
            let mut columns = &mut matrix[..];
            for j in 0..n {
                let scaled = weight * values[j];
                rhs[j] += scaled * wanted;
                let (column, others) = std::mem::take(&mut columns).split_at_mut(n - j);
                column.iter_mut().zip(&values[j..]).for_each(|(sum, v)| *sum += scaled * v);
                columns = others;
            }
        }
        RowBlock { unknowns, matrix, rhs }
    }
}

impl RowBlock {
    /// Entries of a column from the diagonal on.
    fn column(&self, j: usize) -> &[f64] {
        let n = self.unknowns.len();
        &self.matrix[j * n - j * j.saturating_sub(1) / 2..][..n - j]
    }
}

/// Which blocks have an unknown, and where in them.
struct BlockPlaces {
    // of unknown u: starts[u]..starts[u + 1]
    starts: Vec<usize>,
    // block, place in it
    places: Vec<[u32; 2]>,
}

impl BlockPlaces {
    fn new(size: usize, blocks: &[RowBlock]) -> Self {
        let mut starts = vec![0; size + 1];
        for &u in blocks.iter().flat_map(|block| &block.unknowns) {
            starts[u as usize + 1] += 1;
        }
        for u in 0..size {
            starts[u + 1] += starts[u];
        }
        let mut places = vec![[0; 2]; starts[size]];
        let mut next = starts.clone();
        for (b, block) in blocks.iter().enumerate() {
            for (j, &u) in block.unknowns.iter().enumerate() {
                places[next[u as usize]] = [b as u32, j as u32];
                next[u as usize] += 1;
            }
        }
        Self { starts, places }
    }

    fn of(&self, unknown: usize) -> &[[u32; 2]] {
        &self.places[self.starts[unknown]..self.starts[unknown + 1]]
    }
}

/// Sums of blocks.
#[derive(Clone)]
struct Sums {
    // column by column
    matrix: Vec<f64>,
    rhs: Vec<f64>,
}

/// Least-squares problem of two groups of blocks: those that are kept for several solutions, and
/// those that are given with each. Blocks of a group have the same unknowns, and the same order, every
/// time.
pub struct NormalEquations {
    pub unknowns: Unknowns,
    // the places of entries are those of the first blocks
    kept: Option<(Pattern, Sums)>,
}

struct Pattern {
    elimination: Elimination,
    groups: [BlockPlaces; 2],
}

impl Pattern {
    fn new(size: usize, groups: [&[RowBlock]; 2]) -> Result<Self> {
        let places = groups.map(|blocks| BlockPlaces::new(size, blocks));
        let column = |c: usize| {
            let mut rows = Vec::new();
            for (blocks, places) in groups.iter().zip(&places) {
                for &[b, j] in places.of(c) {
                    rows.extend(&blocks[b as usize].unknowns[j as usize..]);
                }
            }
            rows.push(c as u32);
            rows.sort_unstable();
            rows.dedup();
            rows
        };
        let columns: Vec<Vec<u32>> = (0..size).into_par_iter().map(column).collect();
        let mut starts = vec![0];
        for column in &columns {
            starts.push(starts.last().copied().unwrap_or(0) + column.len());
        }
        let rows = columns.into_iter().flatten().map(|row| row as usize).collect();
        let elimination = Elimination::of_columns(starts, rows)?;
        Ok(Self { elimination, groups: places })
    }

    /// Adds the blocks of a group.
    fn add(&self, group: usize, blocks: &[RowBlock], sums: &mut Sums) {
        let (size, starts) = (sums.rhs.len(), self.elimination.starts());
        let places = &self.groups[group];
        let mut entries = &mut sums.matrix[..];
        let tasks = sums.rhs.chunks_mut(TASK_COLUMNS).enumerate().map(|(task, rhs)| {
            let first = task * TASK_COLUMNS;
            let count = starts[first + rhs.len()] - starts[first];
            let (own, others) = std::mem::take(&mut entries).split_at_mut(count);
            entries = others;
            (first, rhs, own)
        });
        let tasks: Vec<_> = tasks.collect();
        tasks.into_par_iter().for_each(|(first, rhs, mut entries)| {
            let mut slots = vec![0; size];
            for (c, rhs) in (first..).zip(rhs) {
                let rows = self.elimination.column(c);
                let (own, others) = std::mem::take(&mut entries).split_at_mut(rows.len());
                entries = others;
                rows.iter().enumerate().for_each(|(slot, &row)| slots[row] = slot as u32);
                for &[b, j] in places.of(c) {
                    let (block, j) = (&blocks[b as usize], j as usize);
                    *rhs += block.rhs[j];
                    for (&u, value) in block.unknowns[j..].iter().zip(block.column(j)) {
                        own[slots[u as usize] as usize] += value;
                    }
                }
            }
        });
    }
}

impl NormalEquations {
    pub fn new(unknowns: Unknowns) -> Self {
        Self { unknowns, kept: None }
    }

    /// Keeps the sum of blocks, which `others` will be added to.
    ///
    /// # Errors
    /// [`Error::Mesh`](crate::Error::Mesh) if memory ends.
    pub fn keep(&mut self, blocks: &[RowBlock], others: &[RowBlock]) -> Result<()> {
        let size = self.unknowns.directions.len();
        if size == 0 {
            return Ok(());
        }
        let pattern = match self.kept.take() {
            Some((pattern, _)) => pattern,
            None => Pattern::new(size, [blocks, others])?,
        };
        let entries = pattern.elimination.starts()[size];
        let mut sums = Sums { matrix: vec![0.0; entries], rhs: vec![0.0; size] };
        pattern.add(0, blocks, &mut sums);
        self.kept = Some((pattern, sums));
        Ok(())
    }

    /// The move of every vertex that makes the kept sum and that of `others` least; if `is_at_rest`,
    /// the least one, as if no row wanted one. Where there is a `held` sum over all vertices of (slope,
    /// vertex) · move, it has the value that is given with it.
    ///
    /// # Errors
    /// [`Error::Mesh`](crate::Error::Mesh) where the sum of squares has no single minimum.
    pub fn solve(
        &self,
        others: &[RowBlock],
        is_at_rest: bool,
        held: Option<(&[Vector3<f64>], f64)>,
    ) -> Result<Vec<[f64; 3]>> {
        let vertices = 0..self.unknowns.starts.len() as u32 - 1;
        let Some((pattern, kept)) = &self.kept else {
            return Ok(vertices.map(|_| [0.0; 3]).collect());
        };
        let mut sums = kept.clone();
        pattern.add(1, others, &mut sums);
        if is_at_rest {
            sums.rhs.fill(0.0);
        }
        let factor = pattern.elimination.factor(&sums.matrix)?;
        let mut solution = factor.solve(&sums.rhs);
        if let Some((slopes, wanted)) = held {
            // Lagrange multiplier
            let own = vertices.clone().zip(slopes).flat_map(|(v, slope)| {
                self.unknowns.directions(v).iter().map(|direction| direction.dot(slope))
            });
            let row: Vec<f64> = own.collect();
            let sum = |x: &[f64]| row.iter().zip(x).map(|(a, b)| a * b).sum::<f64>();
            let across = factor.solve(&row);
            let multiplier = (wanted - sum(&solution)) / sum(&across);
            if multiplier.is_finite() {
                solution.iter_mut().zip(&across).for_each(|(x, y)| *x += multiplier * y);
            }
        }
        let of_vertex = |v: u32| {
            let lengths = self.unknowns.directions(v).iter().zip(&solution[self.unknowns.of(v)]);
            lengths.map(|(direction, length)| direction * *length).sum::<Vector3<f64>>().into()
        };
        Ok(vertices.map(of_vertex).collect())
    }
}
