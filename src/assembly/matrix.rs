//! Sparse symmetric matrices over the vertices of a mesh.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::element::LeafMatrices;
use crate::backend::operations::SparsePattern;
use crate::interrupt::stop_point;
use crate::numbers::Csr;
use crate::quadrature::Quadrature;

/// Rows of a work item of products at least.
const TASK_ROWS: usize = 256;

/// The vertices that share a leaf, as rows of a sparse matrix; see [`SparsePattern`].
#[derive(Debug)]
pub(super) struct Pattern {
    starts: Vec<usize>,
    columns: Vec<u32>,
}

impl Pattern {
    pub fn arrays(&self) -> SparsePattern<'_> {
        SparsePattern { starts: &self.starts, columns: &self.columns }
    }

    /// The pattern of all leaves of a quadrature.
    pub fn of(quadrature: &Quadrature<'_>) -> Self {
        let batches = quadrature.batches().iter();
        let nets = batches.flat_map(|b| b.control_ids.chunks_exact(b.controls.max(1)));
        Self::of_nets(&nets.collect::<Vec<_>>(), quadrature.solid().topology().vertex_count())
    }

    /// The pattern of some of the vertices that share elements.
    pub fn of_nets(all: &[&[u32]], vertices: usize) -> Self {
        let mut ends = vec![0_usize; vertices + 1];
        all.iter().flat_map(|net| *net).for_each(|&v| ends[v as usize + 1] += 1);
        for v in 0..vertices {
            ends[v + 1] += ends[v];
        }
        let starts = ends.clone();
        let mut at_vertex = vec![0_u32; starts[vertices]];
        for (n, net) in (0..).zip(all) {
            for &v in *net {
                at_vertex[ends[v as usize]] = n;
                ends[v as usize] += 1;
            }
        }
        // parts of many rows: each has marks of its own
        let step = vertices.div_ceil(8 * rayon::current_num_threads()).max(64);
        let firsts: Vec<usize> = (0..vertices).step_by(step).collect();
        let parts: Vec<(Vec<usize>, Vec<u32>)> = firsts
            .into_par_iter()
            .map_init(
                || vec![u32::MAX; vertices],
                |seen, first| {
                    let (mut lengths, mut columns) = (Vec::with_capacity(step), Vec::new());
                    for v in first..(first + step).min(vertices) {
                        stop_point();
                        let start = columns.len();
                        for &n in &at_vertex[starts[v]..starts[v + 1]] {
                            for &other in all[n as usize] {
                                let seen = &mut seen[other as usize];
                                if std::mem::replace(seen, v as u32) != v as u32 {
                                    columns.push(other);
                                }
                            }
                        }
                        columns[start..].sort_unstable();
                        lengths.push(columns.len() - start);
                    }
                    (lengths, columns)
                },
            )
            .collect();
        let mut starts = vec![0];
        starts.extend(parts.iter().flat_map(|part| &part.0).scan(0, |end, length| {
            *end += length;
            Some(*end)
        }));
        let mut columns = vec![0; starts[vertices]];
        let mut rest = columns.as_mut_slice();
        let mut places = Vec::with_capacity(parts.len());
        for (_, own) in &parts {
            let (place, others) = std::mem::take(&mut rest).split_at_mut(own.len());
            places.push((place, own));
            rest = others;
        }
        places.into_par_iter().for_each(|(place, own)| place.copy_from_slice(own));
        Self { starts, columns }
    }
}

/// A sparse symmetric matrix, of one or three unknowns per vertex.
#[derive(Clone, Debug)]
pub struct Matrix {
    pattern: Arc<Pattern>,
    width: usize,
    // [entry of the pattern][width][width]
    values: Vec<f64>,
}

impl Matrix {
    pub(super) fn zeros(pattern: Arc<Pattern>, width: usize) -> Self {
        let values = vec![0.0; pattern.columns.len() * width * width];
        Self::new(pattern, width, values)
    }

    pub(super) fn new(pattern: Arc<Pattern>, width: usize, values: Vec<f64>) -> Self {
        Self { pattern, width, values }
    }

    /// [`Matrix::values`], without the matrix.
    pub(super) fn into_values(self) -> Vec<f64> {
        self.values
    }

    /// Number of rows, and of columns.
    pub fn size(&self) -> usize {
        self.width * self.vertex_count()
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// All entries of the matrix, in blocks of `width` × `width`.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Calls `visit` with the columns and the values of each row, in order; columns ascend.
    ///
    /// # Errors
    /// What `visit` returns.
    pub fn for_each_row<E>(
        &self,
        visit: impl FnMut(&[u32], &[f64]) -> Result<(), E>,
    ) -> Result<(), E> {
        self.for_each_row_of(0..self.vertex_count(), visit)
    }

    /// Bytes of the entries and their columns.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.values[..])
            + size_of_val(&self.pattern.columns[..])
            + size_of_val(&self.pattern.starts[..])
    }

    /// The rows and columns of the vertices that are used; all others are empty.
    pub fn block(&self, is_used: &[bool]) -> Csr {
        let is_used = |i: usize| is_used[i / self.width];
        let mut own = Csr { starts: vec![0], width: self.size(), ..Csr::default() };
        let Ok(()) = self.for_each_row(|ids, values| {
            if is_used(own.starts.len() - 1) {
                let both = ids.iter().zip(values).filter(|(id, _)| is_used(**id as usize));
                both.for_each(|(&id, &value)| own.push(id, value));
            }
            own.starts.push(own.columns.len());
            Ok::<(), std::convert::Infallible>(())
        });
        own
    }

    /// The matrix with 1 on the diagonal of the fixed unknowns and nothing beside it.
    pub(crate) fn with_fixed(&self, is_fixed: &[bool]) -> Csr {
        let w = self.width;
        Csr::from_rows(
            self.size(),
            self.size(),
            || (),
            |row, (), columns, values| {
                if is_fixed[row] {
                    columns.push(row as u32);
                    values.push(1.0);
                    return;
                }
                let (v, i) = (row / w, row % w);
                for entry in self.pattern.starts[v]..self.pattern.starts[v + 1] {
                    let first = self.pattern.columns[entry] as usize * w;
                    let own = &self.values[(entry * w + i) * w..][..w];
                    for (column, &value) in (first..).zip(own) {
                        if value != 0.0 && !is_fixed[column] {
                            columns.push(column as u32);
                            values.push(value);
                        }
                    }
                }
            },
        )
    }

    /// Number of vertices, each of which has one or three rows.
    pub(super) fn vertex_count(&self) -> usize {
        self.pattern.starts.len() - 1
    }

    /// [`Self::for_each_row`] of some vertices.
    pub(super) fn for_each_row_of<E>(
        &self,
        vertices: Range<usize>,
        mut visit: impl FnMut(&[u32], &[f64]) -> Result<(), E>,
    ) -> Result<(), E> {
        let w = self.width;
        let (mut columns, mut values) = (Vec::new(), Vec::new());
        for v in vertices {
            let range = self.pattern.starts[v]..self.pattern.starts[v + 1];
            columns.clear();
            for &column in &self.pattern.columns[range.clone()] {
                columns.extend((0..w).map(|j| (w * column as usize + j) as u32));
            }
            for i in 0..w {
                values.clear();
                for entry in range.clone() {
                    values.extend_from_slice(&self.values[(entry * w + i) * w..][..w]);
                }
                visit(&columns, &values)?;
            }
        }
        Ok(())
    }

    /// The matrix over some of the vertices, `images` of which all have their values: rows and columns
    /// of others are added to theirs, and empty then.
    pub(crate) fn identified(&self, images: &[u32]) -> Self {
        let starts = &self.pattern.starts;
        let entries = (0..self.vertex_count()).flat_map(|v| {
            let columns = (starts[v]..starts[v + 1]).map(|e| (self.pattern.columns[e], e));
            columns.map(move |(column, e)| (images[v], images[column as usize], e))
        });
        let mut entries: Vec<(u32, u32, usize)> = entries.collect();
        entries.par_sort_unstable();
        let block = self.width * self.width;
        let mut pattern = Pattern { starts: vec![0], columns: Vec::new() };
        let mut values: Vec<f64> = Vec::new();
        for same in entries.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let (row, column, _) = same[0];
            pattern.starts.resize(row as usize + 1, pattern.columns.len());
            pattern.columns.push(column);
            let start = values.len();
            values.resize(start + block, 0.0);
            for (_, _, entry) in same {
                let own = &self.values[entry * block..][..block];
                values[start..].iter_mut().zip(own).for_each(|(sum, x)| *sum += x);
            }
        }
        pattern.starts.resize(self.vertex_count() + 1, pattern.columns.len());
        Self::new(Arc::new(pattern), self.width, values)
    }

    /// The entries of the diagonal.
    pub fn diagonal(&self) -> Vec<f64> {
        let mut diagonal = Vec::with_capacity(self.size());
        let added: Result<(), std::convert::Infallible> = self.for_each_row(|columns, values| {
            let at = columns.binary_search(&(diagonal.len() as u32));
            diagonal.push(at.map_or(0.0, |at| values[at]));
            Ok(())
        });
        match added {
            Ok(()) => diagonal,
        }
    }

    /// The product with a vector.
    ///
    /// # Panics
    /// If the vector has another size.
    pub fn times(&self, vector: &[f64]) -> Vec<f64> {
        let mut product = vec![0.0; self.size()];
        self.apply(vector, &mut product);
        product
    }

    /// Writes the product with the vector `x` into `y`.
    ///
    /// # Panics
    /// If a vector has another size.
    pub fn apply(&self, x: &[f64], y: &mut [f64]) {
        assert_eq!([x.len(), y.len()], [self.size(); 2], "a number per column and row");
        match self.width {
            1 => self.apply_blocks::<1, 1>(x, y),
            _ => self.apply_blocks::<3, 9>(x, y),
        }
    }

    /// Writes the products of a matrix of one unknown per vertex with `columns` vectors,
    /// `[vertex][column]`, into `y`.
    pub(super) fn apply_to_columns(&self, x: &[f64], columns: usize, y: &mut [f64]) {
        let Pattern { starts, columns: places } = &*self.pattern;
        let rows = y.par_chunks_exact_mut(columns).with_min_len(TASK_ROWS);
        rows.enumerate().for_each(|(v, y)| {
            y.fill(0.0);
            for entry in starts[v]..starts[v + 1] {
                let (a, x) = (self.values[entry], &x[places[entry] as usize * columns..]);
                y.iter_mut().zip(x).for_each(|(y, x)| *y += a * x);
            }
        });
    }

    fn apply_blocks<const WIDTH: usize, const BLOCK: usize>(&self, x: &[f64], y: &mut [f64]) {
        let Pattern { starts, columns } = &*self.pattern;
        let blocks = self.values.as_chunks::<BLOCK>().0;
        let x = x.as_chunks::<WIDTH>().0;
        let rows = y.as_chunks_mut::<WIDTH>().0.par_iter_mut().with_min_len(TASK_ROWS);
        rows.enumerate().for_each(|(v, y)| {
            let mut sums = [0.0; WIDTH];
            for entry in starts[v]..starts[v + 1] {
                let (block, x) = (&blocks[entry], &x[columns[entry] as usize]);
                for (sum, row) in sums.iter_mut().zip(block.chunks_exact(WIDTH)) {
                    row.iter().zip(x).for_each(|(a, x)| *sum += a * x);
                }
            }
            *y = sums;
        });
    }

    /// Adds the matrices of elements that stand behind other forms', `before` numbers a
    /// pair of control points. Each row takes them in their order.
    pub(super) fn add(&mut self, elements: &[Vec<LeafMatrices<'_>>], before: usize) {
        let Self { pattern, width, values } = self;
        let block = *width * *width;
        // elements that are added together lie together: few rows of all
        let ids = || elements.iter().flatten().flat_map(|element| element.ids);
        let lowest = ids().min().map_or(0, |&id| id as usize);
        let end = ids().max().map_or(0, |&id| id as usize + 1);
        // blocks that are added to each row
        let mut work = vec![0; end - lowest];
        for element in elements.iter().flatten() {
            element.ids.iter().for_each(|&id| work[id as usize - lowest] += element.ids.len());
        }
        let step = work.iter().sum::<usize>().div_ceil(4 * rayon::current_num_threads());
        let mut parts: Vec<(Range<usize>, &mut [f64])> = Vec::new();
        let mut rest = &mut values[pattern.starts[lowest] * block..];
        let (mut first, mut waiting) = (lowest, 0);
        for (row, own) in (lowest..end).zip(work) {
            waiting += own;
            if waiting >= step || row + 1 == end {
                let rows = first..row + 1;
                let count = (pattern.starts[rows.end] - pattern.starts[rows.start]) * block;
                let (part, others) = std::mem::take(&mut rest).split_at_mut(count);
                parts.push((rows, part));
                (first, waiting, rest) = (row + 1, 0, others);
            }
        }
        let pattern = &**pattern;
        parts.into_par_iter().for_each(|(rows, part)| {
            for element in elements.iter().flatten() {
                stop_point();
                match block {
                    1 => pattern.add::<1>(element, before, rows.clone(), part),
                    _ => pattern.add::<9>(element, before, rows.clone(), part),
                }
            }
        });
    }
}

impl Pattern {
    /// Adds the rows of an element that are among some to these.
    fn add<const BLOCK: usize>(
        &self,
        element: &LeafMatrices<'_>,
        before: usize,
        rows: Range<usize>,
        values: &mut [f64],
    ) {
        let LeafMatrices { ids, ascending, matrices } = element;
        let from = matrices[ids.len().pow(2) * before..].as_chunks::<BLOCK>().0;
        let values = values.as_chunks_mut::<BLOCK>().0;
        let base = self.starts[rows.start];
        let row = |a: u32| ids[a as usize] as usize;
        let own = ascending.partition_point(|&a| row(a) < rows.start);
        for &a in ascending[own..].iter().take_while(|&&a| row(a) < rows.end) {
            let from = &from[a as usize * ids.len()..][..ids.len()];
            let mut at = self.starts[row(a)];
            for &b in ascending {
                let column = ids[b as usize];
                while self.columns[at] != column {
                    at += 1;
                }
                let to = &mut values[at - base];
                to.iter_mut().zip(&from[b as usize]).for_each(|(to, from)| *to += from);
            }
        }
    }
}
