//! Matrices of one leaf.

use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::{Accum, MatMut, MatRef, Par};

use crate::backend::operations::{ElasticTensor, MatrixForm};
use crate::quadrature::{BasisValues, LeafQuantities, OwnBasis};

/// A leaf's matrices over its control points.
pub(super) struct LeafMatrices<'a> {
    /// Vertices, `[control]`.
    pub ids: &'a [u32],
    /// Places of the ids in ascending order.
    pub ascending: Vec<u32>,
    /// Of one form after another: `[control][control][width][width]`, exactly symmetric.
    pub matrices: &'a [f64],
}

/// What a thread evaluates leaves in.
#[derive(Default)]
pub(super) struct AssemblyWorkspace {
    pub mapped: LeafQuantities,
    /// Derivatives of functions in space, `[leaf][sample][xyz][control]`.
    pub gradients: Vec<f64>,
    scratch: LeafScratch,
}

/// Memory that elements use one after another.
#[derive(Default)]
struct LeafScratch {
    weighted: Vec<f64>,
    products: Vec<f64>,
    // over a net of finer points
    own: Vec<f64>,
    half: Vec<f64>,
}

impl<'a> LeafMatrices<'a> {
    /// Of leaf `i` of what was mapped in `work`; `matrices` has room for all forms.
    pub fn new(
        ids: &'a [u32],
        i: usize,
        basis: &OwnBasis<'_>,
        forms: &[MatrixForm],
        work: &mut AssemblyWorkspace,
        matrices: &'a mut [f64],
    ) -> Self {
        let mut rest = &mut *matrices;
        for &form in forms {
            let count = (ids.len() * form.width()).pow(2);
            let (own, others) = rest.split_at_mut(count);
            rest = others;
            if !basis.is_pulled() {
                work.integrate(form, basis.basis, i, own);
                continue;
            }
            let mut room = std::mem::take(&mut work.scratch.own);
            room.resize((basis.basis.controls * form.width()).pow(2), 0.0);
            work.integrate(form, basis.basis, i, &mut room);
            match form.width() {
                1 => basis.pull_matrix::<1>(&room, &mut work.scratch.half, own),
                _ => basis.pull_matrix::<9>(&room, &mut work.scratch.half, own),
            }
            work.scratch.own = room;
        }
        Self::of(ids, matrices)
    }

    /// Of what is in the workspace, of one leaf of these functions.
    pub fn of_one(
        ids: &'a [u32],
        samples: usize,
        form: MatrixForm,
        work: &mut AssemblyWorkspace,
        matrix: &'a mut [f64],
    ) -> Self {
        let basis = BasisValues { controls: ids.len(), samples, ..Default::default() };
        work.integrate(form, &basis, 0, matrix);
        Self::of(ids, matrix)
    }

    fn of(ids: &'a [u32], matrices: &'a [f64]) -> Self {
        let mut ascending: Vec<u32> = (0..ids.len() as u32).collect();
        ascending.sort_unstable_by_key(|&c| ids[c as usize]);
        Self { ids, ascending, matrices }
    }
}

impl AssemblyWorkspace {
    /// The matrix of a form on leaf `i`, `[control][control][width][width]`.
    fn integrate(&mut self, form: MatrixForm, basis: &BasisValues, i: usize, own: &mut [f64]) {
        let Self { mapped, gradients, scratch } = self;
        let (samples, controls) = (basis.samples, basis.controls);
        let measures = mapped.measures[i * samples..][..samples].iter().copied();
        if let MatrixForm::Mass(density) = form {
            scratch.product(&basis.values, measures, controls);
            return mirror(&scratch.products, controls, density, own);
        }
        let size = 3 * samples * controls;
        let gradients = &gradients[i * size..][..size];
        match form {
            MatrixForm::Mass(_) => {}
            MatrixForm::Stiffness(conductivity) => {
                scratch.product(gradients, measures.flat_map(|w| [w; 3]), controls);
                mirror(&scratch.products, controls, conductivity, own);
            }
            MatrixForm::Elasticity(lame) => {
                scratch.product(gradients, measures, 3 * controls);
                let entry = |p: &[[f64; 3]; 3], i: usize, j: usize| {
                    let shear = if i == j { p[0][0] + p[1][1] + p[2][2] } else { 0.0 };
                    lame[0] * p[i][j] + lame[1] * p[j][i] + lame[1] * shear
                };
                elasticity(&scratch.products, controls, entry, own);
            }
            MatrixForm::Anisotropic(tensor) => {
                scratch.product(gradients, measures, 3 * controls);
                let rows = contraction(&tensor);
                let entry = |p: &[[f64; 3]; 3], i: usize, j: usize| {
                    let own = rows[3 * i + j].iter().zip(p.as_flattened());
                    own.map(|(c, p)| c * p).sum()
                };
                elasticity(&scratch.products, controls, entry, own);
            }
        }
    }
}

/// Adds the entries of control point `c` on the diagonal of the one leaf of `mapped`.
pub(super) fn add_diagonal(
    form: MatrixForm,
    basis: &BasisValues,
    mapped: &LeafQuantities,
    c: usize,
    to: &mut [f64],
) {
    let controls = basis.controls;
    for (s, (&measure, inverse)) in
        mapped.measures.iter().zip(&mapped.inverse_jacobians).enumerate()
    {
        if let MatrixForm::Mass(density) = form {
            to[0] += density * measure * basis.values[s * controls + c].powi(2);
            continue;
        }
        let by = [0, 1, 2].map(|j| basis.gradients[(3 * s + j) * controls + c]);
        let gradient = [0, 1, 2].map(|i| (0..3).map(|j| by[j] * inverse[j][i]).sum::<f64>());
        let square: f64 = gradient.iter().map(|x| x * x).sum();
        match form {
            MatrixForm::Mass(_) => {}
            MatrixForm::Stiffness(conductivity) => to[0] += conductivity * measure * square,
            MatrixForm::Elasticity([lambda, mu]) => {
                for (to, x) in to.iter_mut().zip(gradient) {
                    *to += measure * ((lambda + mu) * x * x + mu * square);
                }
            }
            MatrixForm::Anisotropic(tensor) => {
                for (i, to) in to.iter_mut().enumerate() {
                    let pairs = (0..3).flat_map(|k| (0..3).map(move |l| (k, l)));
                    let term =
                        |(k, l)| tensor.component([i, k], [i, l]) * gradient[k] * gradient[l];
                    *to += measure * pairs.map(term).sum::<f64>();
                }
            }
        }
    }
}

impl LeafScratch {
    /// The lower triangle of Σ w f fᵀ over samples, of functions `f[sample][column]`, into
    /// `products`.
    fn product(&mut self, functions: &[f64], weights: impl Iterator<Item = f64>, columns: usize) {
        let Self { weighted, products, .. } = self;
        weighted.clear();
        let rows = functions.chunks_exact(columns).zip(weights);
        rows.for_each(|(row, w)| weighted.extend(row.iter().map(|x| w * x)));
        products.resize(columns * columns, 0.0);
        let samples = weighted.len() / columns.max(1);
        matmul(
            MatMut::from_row_major_slice_mut(products, columns, columns),
            BlockStructure::TriangularLower,
            Accum::Replace,
            MatRef::from_row_major_slice(weighted, samples, columns).transpose(),
            BlockStructure::Rectangular,
            MatRef::from_row_major_slice(functions, samples, columns),
            BlockStructure::Rectangular,
            1.0,
            Par::Seq,
        );
    }
}

/// A symmetric matrix: a lower triangle times a factor.
fn mirror(lower: &[f64], size: usize, factor: f64, matrix: &mut [f64]) {
    for row in 0..size {
        for column in 0..=row {
            let entry = factor * lower[row * size + column];
            matrix[row * size + column] = entry;
            matrix[column * size + row] = entry;
        }
    }
}

/// Cᵢₖⱼₗ, `[i][j][k][l]` in rows of nine.
fn contraction(tensor: &ElasticTensor) -> [[f64; 9]; 9] {
    std::array::from_fn(|ij| {
        std::array::from_fn(|kl| tensor.component([ij / 3, kl / 3], [ij % 3, kl % 3]))
    })
}

/// Blocks whose `entry` i, j follows from the products p of two control points: `products[i][a][j][b]`
/// is pᵢⱼ = Σ w ∂ᵢNₐ ∂ⱼN_b; the lower triangle is there.
fn elasticity(
    products: &[f64],
    controls: usize,
    entry: impl Fn(&[[f64; 3]; 3], usize, usize) -> f64,
    matrix: &mut [f64],
) {
    let at = |i: usize, a: usize, j: usize, b: usize| {
        let (row, column) = (i * controls + a, j * controls + b);
        products[row.max(column) * 3 * controls + row.min(column)]
    };
    for a in 0..controls {
        for b in 0..=a {
            let p: [[f64; 3]; 3] = std::array::from_fn(|i| std::array::from_fn(|j| at(i, a, j, b)));
            for i in 0..3 {
                for j in 0..3 {
                    let entry = entry(&p, i, j);
                    matrix[9 * (a * controls + b) + 3 * i + j] = entry;
                    matrix[9 * (b * controls + a) + 3 * j + i] = entry;
                }
            }
        }
    }
}
