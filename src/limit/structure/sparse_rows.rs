//! Nets of children as sparse rows over the control points: a point of a child's net takes few of
//! them.

use faer::Mat;

/// A sparse matrix, `[row][column]`.
#[derive(Debug)]
pub(crate) struct SparseRows {
    columns: usize,
    // row r: entries ends[r - 1]..ends[r]
    ends: Vec<u32>,
    // column and value, columns ascending
    entries: Vec<(u32, f64)>,
}

impl SparseRows {
    /// The entries of a matrix that are not 0.
    pub fn of(matrix: &Mat<f64>) -> Self {
        let mut ends = vec![0_u32; matrix.nrows()];
        for column in matrix.col_iter() {
            ends.iter_mut().zip(column.iter()).for_each(|(end, x)| *end += u32::from(*x != 0.0));
        }
        let mut start = 0;
        for end in &mut ends {
            start += std::mem::replace(end, start);
        }
        // each end runs from the start of its row to the end while entries are put in place
        let mut entries = vec![(0, 0.0); start as usize];
        for (c, column) in matrix.col_iter().enumerate() {
            for (end, &x) in ends.iter_mut().zip(column.iter()).filter(|(_, x)| **x != 0.0) {
                entries[*end as usize] = (c as u32, x);
                *end += 1;
            }
        }
        Self { columns: matrix.ncols(), ends, entries }
    }

    pub fn count(&self) -> usize {
        self.ends.len()
    }

    pub fn columns(&self) -> usize {
        self.columns
    }

    pub fn matrix(&self) -> Mat<f64> {
        let mut matrix = Mat::zeros(self.ends.len(), self.columns);
        for (r, row) in self.rows().enumerate() {
            row.iter().for_each(|&(c, x)| matrix[(r, c as usize)] = x);
        }
        matrix
    }

    /// Entries of each row.
    pub fn rows(&self) -> impl Iterator<Item = &[(u32, f64)]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let first = std::mem::replace(&mut start, end as usize);
            &self.entries[first..end as usize]
        })
    }

    /// rowsᵀ · x, every entry summed in the order of the rows.
    pub fn transposed_product(&self, x: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.columns];
        for (row, x) in self.rows().zip(x) {
            row.iter().for_each(|&(c, value)| sums[c as usize] += value * x);
        }
        sums
    }

    /// x · rows for the rows x, `[row of x][column]`.
    pub fn product_from_left(&self, x: &Mat<f64>) -> Mat<f64> {
        let mut product = Mat::zeros(x.nrows(), self.columns);
        pulp::Arch::new().dispatch(FromLeft { rows: self, x, product: &mut product });
        product
    }

    /// rows · x, `[row][column of x]`.
    pub fn product(&self, x: &Mat<f64>) -> Mat<f64> {
        let mut product = Mat::zeros(self.ends.len(), x.ncols());
        for k in 0..x.ncols() {
            let x = x.col_as_slice(k);
            let sum =
                |row: &[(u32, f64)]| row.iter().map(|&(c, value)| value * x[c as usize]).sum();
            let sums = product.col_as_slice_mut(k).iter_mut();
            sums.zip(self.rows()).for_each(|(to, row)| *to = sum(row));
        }
        product
    }
}

/// A product, compiled for the widest vectors that the machine has.
struct FromLeft<'a> {
    rows: &'a SparseRows,
    x: &'a Mat<f64>,
    product: &'a mut Mat<f64>,
}

impl pulp::NullaryFnOnce for FromLeft<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { rows, x, product } = self;
        for (r, row) in rows.rows().enumerate() {
            let from = x.col_as_slice(r);
            for &(c, value) in row {
                let to = product.col_as_slice_mut(c as usize);
                to.iter_mut().zip(from).for_each(|(to, from)| *to += value * from);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_those_of_the_matrix() {
        for (count, columns) in [(1, 1), (3, 7), (64, 27), (9, 32), (40, 75)] {
            let number = |i: usize, j: usize| ((7 * i + 3 * j) as f64).sin().max(0.0);
            let matrix = Mat::from_fn(count, columns, number);
            let rows = SparseRows::of(&matrix);
            assert_eq!((rows.columns(), rows.matrix()), (columns, matrix.clone()));
            assert!(rows.entries.len() < count * columns || count == 1);
            let close = |a: &Mat<f64>, b: &Mat<f64>| {
                assert_eq!((a.nrows(), a.ncols()), (b.nrows(), b.ncols()));
                assert!((a - b).norm_max() < 1e-13);
            };
            let left = Mat::from_fn(11, count, |i, j| number(j, i + 5) - 0.3);
            close(&rows.product_from_left(&left), &(&left * &matrix));
            let right = Mat::from_fn(columns, 3, |i, j| number(i, j + 2) - 0.3);
            close(&rows.product(&right), &(&matrix * &right));
            let x: Vec<f64> = (0..count).map(|i| number(i, 5) - 0.2).collect();
            let expected = (0..columns)
                .map(|j| (0..count).fold(0.0, |sum, i| sum + matrix[(i, j)] * x[i]))
                .collect::<Vec<f64>>();
            assert_eq!(rows.transposed_product(&x), expected);
        }
    }
}
