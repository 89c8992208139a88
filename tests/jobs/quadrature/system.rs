//! A small finite element program: sparse symmetric matrices of blocks, solved by faer's
//! sparse Cholesky decomposition.

use faer::linalg::solvers::Solve;
use faer::sparse::{SparseColMat, Triplet};
use faer::{Mat, Side};

use super::archive::Archive;

/// A symmetric matrix of `width` × `width` blocks, one for each two vertices that share a
/// leaf.
pub struct Matrix {
    width: usize,
    // columns of row r: columns[starts[r]..starts[r + 1]], ascending
    starts: Vec<usize>,
    columns: Vec<u32>,
    // [entry][row of block][column of block]
    values: Vec<f64>,
}

impl Matrix {
    pub fn new(archive: &Archive, width: usize) -> Self {
        let mut rows: Vec<Vec<u32>> = vec![Vec::new(); archive.control_points.len()];
        archive.for_each_net(|ids| {
            for &id in ids {
                let row = &mut rows[id as usize];
                row.extend_from_slice(ids);
                if row.len() > 1024 {
                    row.sort_unstable();
                    row.dedup();
                }
            }
        });
        let (mut starts, mut columns) = (vec![0], Vec::new());
        for mut row in rows {
            row.sort_unstable();
            row.dedup();
            columns.extend(row);
            starts.push(columns.len());
        }
        let values = vec![0.0; columns.len() * width * width];
        Self { width, starts, columns, values }
    }

    /// Adds a leaf's matrix `[control][control]` of blocks.
    pub fn add(&mut self, ids: &[u32], local: &[f64]) {
        let block = self.width * self.width;
        for (row, blocks) in ids.iter().zip(local.chunks_exact(block * ids.len())) {
            let start = self.starts[*row as usize];
            let columns = &self.columns[start..self.starts[*row as usize + 1]];
            for (column, from) in ids.iter().zip(blocks.chunks_exact(block)) {
                let at = start + columns.binary_search(column).expect("an entry of the pattern");
                let to = &mut self.values[at * block..][..block];
                to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
            }
        }
    }

    /// The product with a vector.
    pub fn times(&self, vector: &[f64]) -> Vec<f64> {
        let n = self.width;
        let mut product = vec![0.0; vector.len()];
        for row in 0..self.starts.len() - 1 {
            for at in self.starts[row]..self.starts[row + 1] {
                let column = self.columns[at] as usize;
                for a in 0..n {
                    for b in 0..n {
                        let value = self.values[(at * n + a) * n + b];
                        product[n * row + a] += value * vector[n * column + b];
                    }
                }
            }
        }
        product
    }

    /// Solves with the values of `fixed` vertices given; all are `[vertex][width]`.
    pub fn solve(&self, loads: &[f64], fixed: &[bool], given: &[f64]) -> Vec<f64> {
        let n = self.width;
        let mut number = vec![usize::MAX; fixed.len()];
        let free: Vec<usize> = (0..fixed.len()).filter(|&v| !fixed[v]).collect();
        free.iter().enumerate().for_each(|(i, &v)| number[v] = i);
        let mut rhs = Mat::zeros(n * free.len(), 1);
        let mut triplets = Vec::new();
        for (i, &v) in free.iter().enumerate() {
            for a in 0..n {
                rhs[(n * i + a, 0)] = loads[n * v + a];
            }
            for at in self.starts[v]..self.starts[v + 1] {
                let other = self.columns[at] as usize;
                for a in 0..n {
                    for b in 0..n {
                        let value = self.values[(at * n + a) * n + b];
                        if fixed[other] {
                            rhs[(n * i + a, 0)] -= value * given[n * other + b];
                        } else if n * number[other] + b <= n * i + a {
                            triplets.push(Triplet::new(n * i + a, n * number[other] + b, value));
                        }
                    }
                }
            }
        }
        let size = n * free.len();
        let matrix = SparseColMat::try_new_from_triplets(size, size, &triplets).unwrap();
        let factors = matrix.sp_cholesky(Side::Lower).expect("positive definite");
        let mut x = factors.solve(&rhs);
        // one step of refinement: what remains is the method's error
        let product = |x: &Mat<f64>| {
            let mut y: Mat<f64> = Mat::zeros(size, 1);
            for t in &triplets {
                y[(t.row, 0)] += t.val * x[(t.col, 0)];
                if t.row != t.col {
                    y[(t.col, 0)] += t.val * x[(t.row, 0)];
                }
            }
            y
        };
        let residual = &rhs - product(&x);
        x += factors.solve(&residual);
        let mut values = given.to_vec();
        for (i, &v) in free.iter().enumerate() {
            for a in 0..n {
                values[n * v + a] = x[(n * i + a, 0)];
            }
        }
        values
    }
}

/// ∫ ∇Nᵢ · ∇Nⱼ, and ∫ Nᵢ f for the source `f`.
pub fn poisson(archive: &Archive, source: impl Fn([f64; 3]) -> f64) -> (Matrix, Vec<f64>) {
    let mut matrix = Matrix::new(archive, 1);
    let mut loads = vec![0.0; archive.control_points.len()];
    archive.for_each_leaf(|leaf| {
        let terms = leaf.gradients.each_ref().map(|by| leaf.integral(by, by));
        let n = leaf.ids.len();
        let sum = |i: usize, j: usize| terms.iter().map(|term| term[(i, j)]).sum::<f64>();
        let local: Vec<f64> = (0..n * n).map(|at| sum(at / n, at % n)).collect();
        matrix.add(&leaf.ids, &local);
        for (s, &point) in leaf.points.iter().enumerate() {
            let f = leaf.measures[s] * source(point);
            for (c, &id) in leaf.ids.iter().enumerate() {
                loads[id as usize] += f * leaf.basis[(s, c)];
            }
        }
    });
    (matrix, loads)
}

/// Isotropic linear elasticity with Lamé's constants, without loads.
pub fn elasticity(archive: &Archive, [lambda, mu]: [f64; 2]) -> Matrix {
    let same = |a: usize, b: usize| f64::from(u8::from(a == b));
    anisotropic(archive, |[i, k, j, l]| {
        lambda * same(i, k) * same(j, l) + mu * (same(i, j) * same(k, l) + same(i, l) * same(k, j))
    })
}

/// Linear elasticity with Cᵢₖⱼₗ, without loads.
pub fn anisotropic(archive: &Archive, constant: impl Fn([usize; 4]) -> f64) -> Matrix {
    let constants: Vec<f64> =
        (0..81).map(|at| constant([at / 27, at / 9 % 3, at / 3 % 3, at % 3])).collect();
    let mut matrix = Matrix::new(archive, 3);
    archive.for_each_leaf(|leaf| {
        let gradients = &leaf.gradients;
        // [a][b]: ∫ ∂Nᵢ/∂a ∂Nⱼ/∂b
        let terms =
            [0, 1, 2].map(|a| [0, 1, 2].map(|b| leaf.integral(&gradients[a], &gradients[b])));
        let n = leaf.ids.len();
        let mut local = vec![0.0; 9 * n * n];
        for (at, block) in local.as_chunks_mut::<9>().0.iter_mut().enumerate() {
            for (component, constant) in constants.iter().enumerate() {
                let [i, k, j, l] =
                    [component / 27, component / 9 % 3, component / 3 % 3, component % 3];
                block[3 * i + j] += constant * terms[k][l][(at / n, at % n)];
            }
        }
        matrix.add(&leaf.ids, &local);
    });
    matrix
}
