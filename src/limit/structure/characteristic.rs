//! The characteristic parametrization of an extraordinary point, in which the limit has a
//! differential there.
//!
//! # Theory
//! Let lᵢ be the left eigenvectors of the m largest eigenvalues below 1 of the local subdivision
//! matrix, for m parameters, and φᵢ the limits of the right ones: the characteristic map (Reif
//! 1995). Near the point the limit of control values x is x₀ + Σ φᵢ(u) (lᵢ · x) and faster terms.
//! Where the eigenvalue m + 1 is smaller than these m and φ is regular, so is the limit in the
//! coordinates φ, whatever its derivatives by u do; and the gradient of f in space is
//! [lᵢ · f] [lᵢ · x]⁻¹.
//!
//! # Practice
//! Weights of the derivative along axis j are Σᵢ ∂ⱼφᵢ lᵢ at (1, 1) or (1, 1, 1): what the
//! derivatives at the places 2⁻ⁿ of there are, but for a factor of every eigenvalue, for n → ∞. They
//! are the derivatives themselves where all m eigenvalues are 1/2. Only the space that the lᵢ span
//! counts for gradients. Orthogonal iteration finds it, also of equal and complex eigenvalues, and
//! does not settle where the next eigenvalue is as large.

use faer::Mat;
use faer::linalg::solvers::DenseSolveCore;
use nalgebra::Matrix3;

use super::{Domain, NextLevel, Powers, Structure};
use crate::basis::bspline::Order;

/// Steps of the iteration, after which an eigenvalue of 0.97 of its predecessor is told from it.
const MAX_STEPS: usize = 1000;
/// Steps between two checks.
const STRIDE: usize = 20;
/// Part of a step that may lie outside a space that has settled.
const TOLERANCE: f64 = 1e-13;
/// Eigenvalues apart by less than this part are equal.
const GAP: f64 = 1e-3;
/// Least scaled determinant of a regular characteristic map.
const LEAST_SCALED: f64 = 1e-4;

/// Bases of the spaces of the largest eigenvalues below 1, `[control][m]`, with leftᵀ · right = 1.
struct Modes {
    left: Mat<f64>,
    right: Mat<f64>,
}

impl Modes {
    fn new(powers: &Powers, m: usize) -> Option<Self> {
        let controls = powers.mask().len();
        let left = dominant(controls, m, |x| powers.deflated_columns(x))?;
        let right = dominant(controls, m, |x| powers.deflated_product(x))?;
        let inverse = (left.transpose() * &right).partial_piv_lu().inverse();
        Some(Self { left, right: right * inverse })
    }
}

/// An orthonormal basis of the space of the m largest eigenvalues of a matrix, given by its product
/// with a basis; `None` if the next eigenvalue is about as large.
fn dominant(n: usize, m: usize, product: impl Fn(&Mat<f64>) -> Mat<f64>) -> Option<Mat<f64>> {
    // two more, to tell the next one, or the next pair
    let columns = (m + 2).min(n);
    let noise = |i: usize, j: usize| ((1 + i + 31 * j) as f64 * 12.9898).sin();
    let mut basis = Mat::from_fn(n, columns, noise).qr().compute_thin_Q();
    for step in 1..=MAX_STEPS {
        let next = product(&basis);
        if step % STRIDE == 0 {
            let within = basis.transpose() * &next;
            let [least, most] = [0..m, m..columns].map(|range| {
                let block = within.submatrix(range.start, range.start, range.len(), range.len());
                let sizes = block.eigenvalues().unwrap_or_default();
                sizes
                    .iter()
                    .map(|x| x.norm())
                    .fold((f64::INFINITY, 0.0_f64), |(low, high), x| (low.min(x), high.max(x)))
            });
            let own = basis.subcols(0, m);
            let outside = next.subcols(0, m) - own * within.submatrix(0, 0, m, m);
            if outside.norm_max() <= TOLERANCE * least.0 {
                return (most.1 < (1.0 - GAP) * least.0).then(|| own.to_owned());
            }
        }
        basis = next.qr().compute_thin_Q();
    }
    None
}

impl Structure {
    /// Weights of the derivative along each axis in the characteristic parametrization at the
    /// extraordinary point, where the limit has a differential in it.
    pub(super) fn characteristic(&self) -> Option<&[Vec<f64>]> {
        self.characteristic.get_or_init(|| self.characteristic_rows()).as_deref()
    }

    fn characteristic_rows(&self) -> Option<Vec<Vec<f64>>> {
        let powers = match &self.next {
            NextLevel::Then { step, structure } => {
                // the child's parameters run twice as fast
                let twice =
                    |row: &Vec<f64>| step.transposed_product(row).iter().map(|w| 2.0 * w).collect();
                return Some(structure.characteristic()?.iter().map(twice).collect());
            }
            NextLevel::Stationary(powers) => powers,
        };
        if self.domain == Domain::Triangle {
            return None;
        }
        let m = self.dimension();
        let modes = Modes::new(powers, m)?;
        // ∂ⱼφᵢ at a place of a sibling, columns j
        let differential = |child: usize, place: usize| -> Option<Matrix3<f64>> {
            let sibling = &self.siblings[child - 1];
            let p = [0, 1, 2].map(|d| 0.5 * (place / 3_usize.pow(d) % 3) as f64);
            let mut found = Matrix3::identity();
            for j in 0..m {
                let mut orders = [Order::Value; 3];
                orders[j] = Order::Characteristic;
                let weights = sibling.weights(m, p, orders)?;
                let weights = self.rows.transposed_product_of(&sibling.net, &weights);
                for i in 0..m {
                    let column = modes.right.col_as_slice(i).iter();
                    found[(i, j)] = column.zip(&weights).map(|(x, w)| x * w).sum();
                }
            }
            Some(found)
        };
        let far = differential(self.siblings.len(), 3_usize.pow(m as u32) - 1)?;
        for child in 1..=self.siblings.len() {
            for place in 0..3_usize.pow(m as u32) {
                let found = differential(child, place)?;
                let lengths: f64 = found.column_iter().map(|column| column.norm()).product();
                let scaled = far.determinant().signum() * found.determinant() / lengths;
                if scaled.is_nan() || scaled < LEAST_SCALED {
                    return None;
                }
            }
        }
        let row = |j: usize| {
            let entry = |c: usize| (0..m).map(|i| 2.0 * far[(i, j)] * modes.left[(c, i)]).sum();
            (0..self.controls()).map(entry).collect()
        };
        Some((0..m).map(row).collect())
    }
}
