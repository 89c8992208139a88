//! Matrices of one leaf.

use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::{Accum, MatMut, MatRef, Par};

use crate::backend::device::Form;
use crate::quadrature::{Basis, Mapped, PhysicalDerivatives};

/// A leaf's matrices over its control points.
pub(super) struct Element<'a> {
    /// Vertices, `[control]`.
    pub ids: &'a [u32],
    /// Places of the ids in ascending order.
    pub ascending: Vec<u32>,
    /// `[form]`: `[control][control][width][width]`, exactly symmetric.
    pub matrices: Vec<Vec<f64>>,
}

impl<'a> Element<'a> {
    /// Of leaf `i` of what was mapped.
    pub fn new(
        ids: &'a [u32],
        i: usize,
        basis: &Basis,
        (mapped, derivatives): (&Mapped, &PhysicalDerivatives),
        forms: &[Form],
    ) -> Self {
        let (samples, controls) = (basis.samples, basis.controls);
        let measures = &mapped.measures[i * samples..][..samples];
        let size = 3 * samples * controls;
        let gradients = &derivatives.gradients[i * size..][..size];
        let mut ascending: Vec<u32> = (0..controls as u32).collect();
        ascending.sort_unstable_by_key(|&c| ids[c as usize]);
        let matrix = |&form: &Form| match form {
            Form::Mass(density) => {
                let mass = product(&basis.values, measures, controls);
                mirrored(mass, controls, density)
            }
            Form::Stiffness(conductivity) => {
                let thrice: Vec<f64> = measures.iter().flat_map(|&w| [w; 3]).collect();
                mirrored(product(gradients, &thrice, controls), controls, conductivity)
            }
            Form::Elasticity(lame) => {
                let products = product(gradients, measures, 3 * controls);
                elasticity(&products, controls, lame)
            }
        };
        Self { ids, ascending, matrices: forms.iter().map(matrix).collect() }
    }
}

/// The lower triangle of Σ w f fᵀ over samples, of functions `f[sample][column]`.
fn product(functions: &[f64], weights: &[f64], columns: usize) -> Vec<f64> {
    let samples = weights.len();
    let rows = functions.chunks_exact(columns).zip(weights);
    let weighted: Vec<f64> = rows.flat_map(|(row, &w)| row.iter().map(move |x| w * x)).collect();
    let mut all = vec![0.0; columns * columns];
    matmul(
        MatMut::from_row_major_slice_mut(&mut all, columns, columns),
        BlockStructure::TriangularLower,
        Accum::Replace,
        MatRef::from_row_major_slice(&weighted, samples, columns).transpose(),
        BlockStructure::Rectangular,
        MatRef::from_row_major_slice(functions, samples, columns),
        BlockStructure::Rectangular,
        1.0,
        Par::Seq,
    );
    all
}

/// A lower triangle times a factor, with the upper one from it.
fn mirrored(mut matrix: Vec<f64>, size: usize, factor: f64) -> Vec<f64> {
    for row in 0..size {
        for column in 0..=row {
            let entry = factor * matrix[row * size + column];
            matrix[row * size + column] = entry;
            matrix[column * size + row] = entry;
        }
    }
    matrix
}

/// `products[i][a][j][b]` is Σ w ∂ᵢNₐ ∂ⱼN_b; the lower triangle is there.
fn elasticity(products: &[f64], controls: usize, [lambda, mu]: [f64; 2]) -> Vec<f64> {
    let at = |i: usize, a: usize, j: usize, b: usize| {
        let (row, column) = (i * controls + a, j * controls + b);
        products[row.max(column) * 3 * controls + row.min(column)]
    };
    let mut matrix = vec![0.0; 9 * controls * controls];
    for a in 0..controls {
        for b in 0..=a {
            let shear = mu * (at(0, a, 0, b) + at(1, a, 1, b) + at(2, a, 2, b));
            let mut block = [[0.0; 3]; 3];
            for (i, row) in block.iter_mut().enumerate() {
                for (j, entry) in row.iter_mut().enumerate() {
                    *entry = lambda * at(i, a, j, b) + mu * at(j, a, i, b);
                }
                row[i] += shear;
            }
            for (i, row) in block.iter().enumerate() {
                for (j, &entry) in row.iter().enumerate() {
                    matrix[9 * (a * controls + b) + 3 * i + j] = entry;
                    matrix[9 * (b * controls + a) + 3 * j + i] = entry;
                }
            }
        }
    }
    matrix
}
