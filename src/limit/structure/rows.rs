//! Matrices whose rows lie in memory one after the other, for products with vectors from the left.

use faer::{Mat, MatRef};

use super::sparse_rows::SparseRows;

/// Numbers that are summed side by side, a few vectors of any machine.
const SUM_LANES: usize = 32;
/// Rows are filled up with zeros to a multiple of these, the widest vector.
const MAX_VECTOR_WIDTH: usize = 8;

/// A matrix, `[row][column]`.
#[derive(Debug)]
pub(crate) struct DenseRows {
    count: usize,
    columns: usize,
    // columns with padding
    stride: usize,
    values: Vec<f64>,
}

impl DenseRows {
    pub fn of(matrix: &Mat<f64>) -> Self {
        let (count, columns) = (matrix.nrows(), matrix.ncols());
        let stride = columns.next_multiple_of(MAX_VECTOR_WIDTH);
        let mut values = vec![0.0; count * stride];
        for column in 0..columns {
            for (row, x) in matrix.col_as_slice(column).iter().enumerate() {
                values[row * stride + column] = *x;
            }
        }
        Self { count, columns, stride, values }
    }

    /// A matrix less the same row everywhere.
    pub fn less(matrix: &SparseRows, row: &[f64]) -> Self {
        let (count, columns) = (matrix.count(), matrix.columns());
        let stride = columns.next_multiple_of(MAX_VECTOR_WIDTH);
        let mut values = vec![0.0; count * stride];
        for (to, entries) in values.chunks_exact_mut(stride).zip(matrix.rows()) {
            to.iter_mut().zip(row).for_each(|(to, x)| *to = -x);
            entries.for_each(|(column, x)| to[usize::from(column)] += x);
        }
        Self { count, columns, stride, values }
    }

    pub fn matrix(&self) -> MatRef<'_, f64> {
        MatRef::from_row_major_slice_with_stride(
            &self.values,
            self.count,
            self.columns,
            self.stride,
        )
    }

    /// rowsᵀ · x, every entry summed in the order of the rows, on any machine.
    pub fn transposed_product(&self, x: &[f64]) -> Vec<f64> {
        let mut sums = vec![-0.0; self.stride];
        pulp::Arch::new().dispatch(Product { rows: self, x, sums: &mut sums });
        sums.truncate(self.columns);
        sums
    }

    /// Adds x times the columns from `first` on to `sums`.
    #[inline(always)]
    fn add<const N: usize>(&self, first: usize, x: &[f64], sums: &mut [f64; N]) {
        let mut own = *sums;
        for (row, x) in self.values.chunks_exact(self.stride).zip(x) {
            let row = &row[first..first + N];
            for k in 0..N {
                own[k] += row[k] * x;
            }
        }
        *sums = own;
    }
}

/// A product, compiled for the widest vectors that the machine has.
struct Product<'a> {
    rows: &'a DenseRows,
    x: &'a [f64],
    sums: &'a mut [f64],
}

impl pulp::NullaryFnOnce for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { rows, x, sums } = self;
        let (blocks, rest) = sums.as_chunks_mut::<SUM_LANES>();
        let first = blocks.len() * SUM_LANES;
        for (k, block) in blocks.iter_mut().enumerate() {
            rows.add(SUM_LANES * k, x, block);
        }
        for (k, block) in rest.as_chunks_mut::<MAX_VECTOR_WIDTH>().0.iter_mut().enumerate() {
            rows.add(first + MAX_VECTOR_WIDTH * k, x, block);
        }
    }
}
