//! Sparse rows over the control points of a net: a refined point takes few of them.

use faer::Mat;

/// A sparse matrix, `[row][column]`, of at most 65,536 columns.
#[derive(Debug)]
pub(crate) struct SparseRows {
    columns: usize,
    // row r: entries ends[r - 1]..ends[r]
    ends: Vec<u32>,
    // of the entries, columns ascending in each row
    entry_columns: Vec<u16>,
    values: Vec<f64>,
}

impl SparseRows {
    /// No rows yet.
    pub fn new(columns: usize) -> Self {
        Self { columns, ends: Vec::new(), entry_columns: Vec::new(), values: Vec::new() }
    }

    /// Appends a row; `entries` have ascending columns. What is 0 is left out.
    pub fn push(&mut self, entries: impl IntoIterator<Item = (u16, f64)>) {
        for (column, value) in entries.into_iter().filter(|(_, value)| *value != 0.0) {
            self.entry_columns.push(column);
            self.values.push(value);
        }
        self.ends.push(self.values.len() as u32);
    }

    /// Some of the rows, in the order of `of`.
    pub fn selected(&self, of: &[u16]) -> Self {
        let mut selected = Self::new(self.columns);
        of.iter().for_each(|&r| selected.push(self.row(r.into())));
        selected
    }

    /// Drops memory reserved for further rows.
    pub fn shrink(&mut self) {
        self.ends.shrink_to_fit();
        self.entry_columns.shrink_to_fit();
        self.values.shrink_to_fit();
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
            row.for_each(|(c, x)| matrix[(r, usize::from(c))] = x);
        }
        matrix
    }

    /// Entries of a row: column and value.
    #[inline(always)]
    pub fn row(&self, r: usize) -> impl Iterator<Item = (u16, f64)> {
        let range = if r == 0 { 0 } else { self.ends[r - 1] as usize }..self.ends[r] as usize;
        let columns = self.entry_columns[range.clone()].iter().copied();
        columns.zip(self.values[range].iter().copied())
    }

    /// Entries of each row.
    pub fn rows(&self) -> impl Iterator<Item = impl Iterator<Item = (u16, f64)>> {
        (0..self.ends.len()).map(|r| self.row(r))
    }

    /// rowsᵀ · x, every entry summed in the order of the rows.
    pub fn transposed_product(&self, x: &[f64]) -> Vec<f64> {
        self.transposed(x.iter().copied().enumerate())
    }

    /// As [`SparseRows::transposed_product`], of the rows `of` alone.
    pub fn transposed_product_of(&self, of: &[u16], x: &[f64]) -> Vec<f64> {
        self.transposed(of.iter().map(|&r| usize::from(r)).zip(x.iter().copied()))
    }

    /// Σ x · row over pairs of a row and its x.
    #[inline(always)]
    fn transposed(&self, terms: impl Iterator<Item = (usize, f64)>) -> Vec<f64> {
        let mut sums = vec![0.0; self.columns];
        for (r, x) in terms.filter(|(_, x)| *x != 0.0) {
            self.row(r).for_each(|(c, value)| sums[usize::from(c)] += value * x);
        }
        sums
    }

    /// x · rows for the rows x, `[row of x][column]`.
    pub fn product_from_left(&self, x: &Mat<f64>) -> Mat<f64> {
        let mut product = Mat::zeros(x.nrows(), self.columns);
        pulp::Arch::new().dispatch(LeftProduct { rows: self, x, product: &mut product });
        product
    }

    /// rows · x, `[row][column of x]`.
    pub fn product(&self, x: &Mat<f64>) -> Mat<f64> {
        let mut product = Mat::zeros(self.ends.len(), x.ncols());
        for k in 0..x.ncols() {
            let x = x.col_as_slice(k);
            let sums = product.col_as_slice_mut(k).iter_mut();
            sums.zip(self.rows())
                .for_each(|(to, row)| *to = row.map(|(c, value)| value * x[usize::from(c)]).sum());
        }
        product
    }
}

/// A product, compiled for the widest vectors that the machine has.
struct LeftProduct<'a> {
    rows: &'a SparseRows,
    x: &'a Mat<f64>,
    product: &'a mut Mat<f64>,
}

impl pulp::NullaryFnOnce for LeftProduct<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { rows, x, product } = self;
        for (r, row) in rows.rows().enumerate() {
            let from = x.col_as_slice(r);
            for (c, value) in row {
                let to = product.col_as_slice_mut(usize::from(c));
                to.iter_mut().zip(from).for_each(|(to, from)| *to += value * from);
            }
        }
    }
}
