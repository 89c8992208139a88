//! Powers of a local subdivision matrix in constant time.
//!
//! # Theory
//! A row-stochastic local subdivision matrix A has the eigenvalue 1 with the
//! constant vector 1 on the right and the limit mask ℓ on the left, so
//! Aⁿ = 1ℓᵀ + Dⁿ with D = A − 1ℓᵀ, which keeps the small part of Aⁿ, the one that
//! derivatives magnify by 2ⁿ, at full relative accuracy.
//!
//! Stam (1998) and Besler et al. (2022, Eq. 3) take Aⁿ = VΛⁿV⁻¹.
//!
//! # Changes versus the papers
//! Many local subdivision matrices of solids are defective (a smooth box edge has
//! a Jordan block at 1/4), and V cannot be inverted. So the decomposition proves
//! itself when it is built, against exact products, and where it fails the powers
//! Dⁿ are tabulated, computed when first asked for. Both forms take a number of
//! operations independent of n, up to [`MAX_DEPTH`], beyond which a parameter of
//! double precision cannot tell the point from the extraordinary one.
//!
//! # Practice
//! Few samples lie so near the extraordinary point that more than a few powers are needed. Those
//! few are products with A, which is sparse, less what they have of the constant mode. No power and
//! no decomposition is made until something deeper is asked for, nor for the large nets of high
//! valences: there a decomposition takes minutes, and a product with it longer than all those with
//! A.

use std::sync::OnceLock;

use faer::linalg::solvers::DenseSolveCore;
use faer::{Mat, c64};

use super::rows::DenseRows;
use super::sparse_rows::SparseRows;

/// Deepest power: 2⁻⁵² separates neighboring doubles at 1.
pub const MAX_DEPTH: usize = 52;

/// Powers up to this one are products with A less the constant mode.
const MAX_PRODUCT_POWER: usize = 8;

/// Nets with more control points than this take products with A for all powers.
const MAX_DENSE_CONTROLS: usize = 256;

/// Largest error of a reconstructed power, per entry.
const TOLERANCE: f64 = 5e-14;
/// Largest error of a reconstructed power of D, relative to its largest entry.
const RELATIVE_TOLERANCE: f64 = 1e-10;

/// A limit mask has converged when a step changes no entry by more than this: a step halves the
/// error, or nearly so.
const MASK_TOLERANCE: f64 = f64::EPSILON / 8.0;
/// Maximum number of steps toward the limit mask.
const MAX_MASK_STEPS: usize = 300;
/// Maximum number of squarings toward the limit of the powers of 2D.
const MAX_SQUARINGS: usize = 11;

/// A square local subdivision matrix, ready for its powers.
#[derive(Debug)]
pub struct Powers {
    // A
    matrix: SparseRows,
    // ℓ: limit mask
    mask: Vec<f64>,
    // Dⁿ for n = 1..=MAX_DEPTH, filled from the front when asked for
    deflated: OnceLock<Box<[OnceLock<DenseRows>]>>,
    decomposition: OnceLock<Decomposition>,
    decay: OnceLock<f64>,
}

/// A decomposition that was tried.
#[derive(Debug)]
struct Decomposition {
    // where it proved itself
    eigen: Option<Eigen>,
    condition: f64,
    error: f64,
}

#[derive(Debug)]
struct Eigen {
    // Without the eigenvalue 1: V [control][k], Λ [k] and V⁻ᵀ [control][k].
    vectors: Mat<c64>,
    values: Vec<c64>,
    covectors: Mat<c64>,
}

/// The form in which the powers of the subdivision matrix are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// VΛⁿV⁻¹.
    Eigen,
    /// Tabulated deflated powers, or products with A.
    Powers,
}

/// What is known of the powers of a matrix; see [`Powers::report`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PowersReport {
    /// The form in use for all but a few powers.
    pub form: Form,
    /// Condition number ‖V‖‖V⁻¹‖ (Frobenius), infinite where V is singular; none of a net of more
    /// than 256 control points, which is not decomposed.
    pub condition: Option<f64>,
    /// Largest entry of Aⁿ − VΛⁿV⁻¹ over the depths tested (1 to 40), whichever form was taken in
    /// the end; none of a net that is not decomposed.
    pub eigen_error: Option<f64>,
}

impl Powers {
    /// Prepares the powers of a square matrix, whose rows sum to 1.
    pub(crate) fn new(mut matrix: SparseRows) -> Self {
        matrix.shrink();
        let mask = limit_mask(&matrix);
        let (deflated, decomposition) = (OnceLock::new(), OnceLock::new());
        Self { matrix, mask, deflated, decomposition, decay: OnceLock::new() }
    }

    // None of a large net
    fn decomposition(&self) -> Option<&Decomposition> {
        (!self.is_large()).then(|| self.decomposition.get_or_init(|| self.decomposed()))
    }

    fn decomposed(&self) -> Decomposition {
        match decompose(&self.matrix(), &self.mask) {
            None => Decomposition { eigen: None, condition: f64::INFINITY, error: 0.0 },
            Some((eigen, condition)) => {
                let (error, accepted) = self.verify(&eigen);
                Decomposition { eigen: accepted.then_some(eigen), condition, error }
            }
        }
    }

    fn eigen(&self) -> Option<&Eigen> {
        self.decomposition()?.eigen.as_ref()
    }

    /// A.
    pub(super) fn step(&self) -> &SparseRows {
        &self.matrix
    }

    /// A, `[row][column]`.
    pub fn matrix(&self) -> Mat<f64> {
        self.matrix.matrix()
    }

    /// The limit mask ℓ: the limit at the extraordinary point is ℓ · C.
    pub fn mask(&self) -> &[f64] {
        &self.mask
    }

    /// How the powers are held, and how good the decomposition is; nothing of what this takes is
    /// kept.
    pub fn report(&self) -> PowersReport {
        if self.is_large() {
            return PowersReport { form: Form::Powers, condition: None, eigen_error: None };
        }
        let of = |found: &Decomposition| PowersReport {
            form: if found.eigen.is_some() { Form::Eigen } else { Form::Powers },
            condition: Some(found.condition),
            eigen_error: Some(found.error),
        };
        self.decomposition.get().map_or_else(|| of(&self.decomposed()), of)
    }

    fn is_large(&self) -> bool {
        self.mask.len() > MAX_DENSE_CONTROLS
    }

    /// Modulus of the largest eigenvalue of A but for the 1 of the constant: what every step
    /// leaves, far down, of the distances in the net.
    pub fn decay(&self) -> f64 {
        *self.decay.get_or_init(|| {
            let values = self.deflated(1).matrix().eigenvalues();
            values.map_or(1.0, |values| values.iter().map(|x| x.norm()).fold(0.0, f64::max))
        })
    }

    /// x ← (Aⁿ)ᵀ x for 0 ≤ n ≤ [`MAX_DEPTH`]. Where the entries of x sum to 0, as
    /// for derivatives, pass `sum` = 0 so that rounding cannot bring the constant
    /// mode back; otherwise their sum.
    pub fn apply_transposed(&self, n: usize, x: &mut Vec<f64>, sum: f64) {
        if n == 0 {
            return;
        }
        let mut y = if n <= MAX_PRODUCT_POWER || self.is_large() {
            (0..n).fold(std::mem::take(x), |y, _| self.deflated_step(&y))
        } else if let Some(eigen) = self.eigen() {
            eigen.apply_transposed(n, x)
        } else {
            self.deflated(n).transposed_product(x)
        };
        for (y, mask) in y.iter_mut().zip(&self.mask) {
            *y += sum * mask;
        }
        *x = y;
    }

    /// x · Aⁿ for the rows x (`[row][control]`), 1 ≤ n ≤ [`MAX_DEPTH`], all of which
    /// sum to `sum`; see [`Powers::apply_transposed`].
    pub(super) fn apply_to_rows(&self, n: usize, x: &Mat<f64>, sum: f64) -> Mat<f64> {
        let mut y = if n <= MAX_PRODUCT_POWER || self.is_large() {
            (1..n).fold(self.deflated_rows(x), |y, _| self.deflated_rows(&y))
        } else if let Some(eigen) = self.eigen() {
            eigen.apply_to_rows(n, x)
        } else {
            x * self.deflated(n).matrix()
        };
        if sum != 0.0 {
            for (j, mask) in self.mask.iter().enumerate() {
                y.col_as_slice_mut(j).iter_mut().for_each(|y| *y += sum * mask);
            }
        }
        y
    }

    /// The limit of (2D)ⁿ for n → ∞ if it exists: what remains, deeper and deeper, of
    /// weights whose derivative is taken and so doubles at every step.
    pub(super) fn doubled_limit(&self) -> Option<Mat<f64>> {
        let d = self.deflated(1).matrix();
        let mut power = Mat::from_fn(d.nrows(), d.ncols(), |i, j| 2.0 * d[(i, j)]);
        // modes above 1/2 blow up, Jordan blocks at 1/2 never settle
        for _ in 0..MAX_SQUARINGS {
            let next = &power * &power;
            let (change, size) = ((&next - &power).norm_max(), next.norm_max());
            power = next;
            if size < 1e-12 {
                // all modes are below 1/2: derivatives vanish, exactly
                return Some(Mat::zeros(d.nrows(), d.ncols()));
            }
            // converged: the error is about the square of this change, and another squaring would
            // double the rounding
            if change <= 1e-9 * (1.0 + size) {
                return (size < 1e9).then_some(power);
            }
        }
        None
    }

    /// Dᵀ x for the columns x (`[control][column]`).
    pub(super) fn deflated_columns(&self, x: &Mat<f64>) -> Mat<f64> {
        let columns: Vec<_> =
            (0..x.ncols()).map(|k| self.deflated_step(x.col_as_slice(k))).collect();
        Mat::from_fn(x.nrows(), x.ncols(), |i, k| columns[k][i])
    }

    /// D x for the columns x (`[control][column]`).
    pub(super) fn deflated_product(&self, x: &Mat<f64>) -> Mat<f64> {
        let mut y = self.matrix.product(x);
        for k in 0..x.ncols() {
            let along: f64 = self.mask.iter().zip(x.col_as_slice(k)).map(|(l, x)| l * x).sum();
            y.col_as_slice_mut(k).iter_mut().for_each(|y| *y -= along);
        }
        y
    }

    /// Dᵀ x.
    fn deflated_step(&self, x: &[f64]) -> Vec<f64> {
        let sum: f64 = x.iter().sum();
        let mut y = self.matrix.transposed_product(x);
        y.iter_mut().zip(&self.mask).for_each(|(y, mask)| *y -= sum * mask);
        y
    }

    /// x · D for the rows x.
    fn deflated_rows(&self, x: &Mat<f64>) -> Mat<f64> {
        let mut y = self.matrix.product_from_left(x);
        let mut sums = vec![0.0; x.nrows()];
        for column in x.col_iter() {
            sums.iter_mut().zip(column.iter()).for_each(|(sum, x)| *sum += x);
        }
        for (j, mask) in self.mask.iter().enumerate() {
            let y = y.col_as_slice_mut(j).iter_mut();
            y.zip(&sums).for_each(|(y, sum)| *y -= sum * mask);
        }
        y
    }

    /// Dⁿ, n ≥ 1.
    fn deflated(&self, n: usize) -> &DenseRows {
        let all = self.deflated.get_or_init(|| (0..MAX_DEPTH).map(|_| OnceLock::new()).collect());
        all[n - 1].get_or_init(|| match n {
            1 => DenseRows::less(&self.matrix, &self.mask),
            _ => DenseRows::of(&(self.deflated(n - 1).matrix() * self.deflated(1).matrix())),
        })
    }

    /// Compares VΛⁿV⁻¹ with exact products: (largest error, whether it is small
    /// enough at every depth).
    fn verify(&self, eigen: &Eigen) -> (f64, bool) {
        let mut exact = self.deflated(1).matrix().to_owned();
        let mut eighth = None;
        let mut worst: f64 = 0.0;
        let mut accepted = true;
        for n in [1, 2, 4, 8, 16, 32, 40] {
            let difference = eigen.power(n) - &exact;
            let error = difference.norm_max();
            // written so that NaN is refused
            let good = error <= TOLERANCE && error <= RELATIVE_TOLERANCE * exact.norm_max();
            worst = worst.max(error);
            accepted &= good;
            if n == 8 {
                eighth = Some(exact.clone());
            }
            exact = match &eighth {
                Some(eighth) if n == 32 => &exact * eighth,
                _ => &exact * &exact,
            };
        }
        (worst, accepted)
    }
}

impl Eigen {
    /// (Dⁿ)ᵀ x.
    fn apply_transposed(&self, n: usize, x: &[f64]) -> Vec<f64> {
        let mut result = vec![0.0; x.len()];
        for (k, value) in self.values.iter().enumerate() {
            let mut y = c64::new(0.0, 0.0);
            for (v, &x) in self.vectors.col_as_slice(k).iter().zip(x) {
                y += v * x;
            }
            y *= value.powi(n as i32);
            for (out, w) in result.iter_mut().zip(self.covectors.col_as_slice(k)) {
                *out += y.re * w.re - y.im * w.im;
            }
        }
        result
    }

    /// x · Dⁿ for rows x.
    fn apply_to_rows(&self, n: usize, x: &Mat<f64>) -> Mat<f64> {
        let powers: Vec<c64> = self.values.iter().map(|v| v.powi(n as i32)).collect();
        let (controls, modes) = (self.vectors.nrows(), powers.len());
        let part =
            |of: &Mat<c64>, f: fn(c64) -> f64| Mat::from_fn(controls, modes, |i, k| f(of[(i, k)]));
        let [re, im] = [x * part(&self.vectors, |v| v.re), x * part(&self.vectors, |v| v.im)];
        let scaled = |i: usize, k: usize| c64::new(re[(i, k)], im[(i, k)]) * powers[k];
        let [re, im] = [
            Mat::from_fn(x.nrows(), modes, |i, k| scaled(i, k).re),
            Mat::from_fn(x.nrows(), modes, |i, k| scaled(i, k).im),
        ];
        re * part(&self.covectors, |w| w.re).transpose()
            - im * part(&self.covectors, |w| w.im).transpose()
    }

    /// Dⁿ as a matrix.
    fn power(&self, n: usize) -> Mat<f64> {
        let (rows, modes) = (self.vectors.nrows(), self.values.len());
        let powers: Vec<c64> = self.values.iter().map(|v| v.powi(n as i32)).collect();
        let scaled = |i: usize, k: usize| self.vectors[(i, k)] * powers[k];
        let [re, im] = [
            Mat::from_fn(rows, modes, |i, k| scaled(i, k).re),
            Mat::from_fn(rows, modes, |i, k| scaled(i, k).im),
        ];
        let part =
            |f: fn(&c64) -> f64| Mat::from_fn(rows, modes, |j, k| f(&self.covectors[(j, k)]));
        re * part(|w| w.re).transpose() - im * part(|w| w.im).transpose()
    }
}

/// V, Λ, V⁻¹ without the eigenvalue 1, and the condition of V.
fn decompose(a: &Mat<f64>, mask: &[f64]) -> Option<(Eigen, f64)> {
    let n = a.nrows();
    let eigen = a.eigen().ok()?;
    let (vectors, values) = (eigen.U(), eigen.S());
    let inverse = vectors.partial_piv_lu().inverse();
    let condition = vectors.norm_l2() * inverse.norm_l2();
    if !condition.is_finite() {
        return None;
    }
    // The pair of the eigenvalue 1 is known exactly: 1 and ℓ. Leave it out.
    let one = (0..n).min_by(|&i, &j| {
        let distance = |k: usize| (values[k] - c64::new(1.0, 0.0)).norm();
        distance(i).total_cmp(&distance(j))
    })?;
    let kept: Vec<usize> = (0..n).filter(|&k| k != one).collect();
    // project on ℓ · v = 0, which holds but for rounding
    let along = |&k: &usize| -> c64 { (0..n).map(|m| vectors[(m, k)] * mask[m]).sum() };
    let along: Vec<c64> = kept.iter().map(along).collect();
    let reduced = Eigen {
        vectors: Mat::from_fn(n, kept.len(), |i, k| vectors[(i, kept[k])] - along[k]),
        values: kept.iter().map(|&k| values[k]).collect(),
        covectors: Mat::from_fn(n, kept.len(), |j, k| inverse[(kept[k], j)]),
    };
    Some((reduced, condition))
}

/// ℓ as a row of Aⁿ for n → ∞: a row times A until it stays.
pub(in crate::limit) fn limit_mask(a: &SparseRows) -> Vec<f64> {
    let mut row = vec![0.0; a.columns()];
    if let Some(first) = row.first_mut() {
        *first = 1.0;
    }
    for _ in 0..MAX_MASK_STEPS {
        let mut next = a.transposed_product(&row);
        // keep the sum at 1: rounding would add up
        let sum: f64 = next.iter().sum();
        next.iter_mut().for_each(|x| *x /= sum);
        let change = next.iter().zip(&row).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        row = next;
        if change <= MASK_TOLERANCE {
            break;
        }
    }
    row
}
