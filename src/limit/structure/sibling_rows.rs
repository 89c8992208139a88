//! Many weights at once: what all parameters in one sibling at one depth share.
//!
//! The net of sibling k at depth n is Āₖ Aⁿ⁻¹ C. Its rows over the control points
//! C are the same for all parameters in it, so that weights at many parameters are
//! matrix products: sibling weights, times Āₖ, times Aⁿ⁻¹.

use faer::Mat;

use super::powers::MAX_DEPTH;
use super::{NextLevel, Structure};

impl Structure {
    /// The net of the sibling at offset `child` (binary, not 0) after `depth` splits
    /// of the cell (1 to 52), as rows over this structure's control points:
    /// `[row of the sibling's net][control point]`, each summing to 1. `None` if there
    /// is no such sibling or depth.
    ///
    /// Where [`Structure::sibling_permutation`] is `None` the net is `[w][v][u]` of 4 × 4 × 4
    /// (in the plane `[v][u]` of 4 × 4) points, to be weighted by the full spline
    /// basis at the sibling's own parameters ([`Structure::place`]); missing layers
    /// are filled in. Otherwise it is `[layer 4][line]` of the sibling's planar net.
    ///
    /// For derivatives, which magnify by 2^depth for every order, take
    /// [`Structure::sibling_deviations`].
    pub fn sibling_rows(&self, child: usize, depth: usize) -> Option<Mat<f64>> {
        let owner = self.owner(depth)?;
        let rows = owner.rows_of(owner.siblings.get(child.checked_sub(1)?)?);
        Some(self.pull_rows(depth, rows.matrix(), 1.0))
    }

    /// [`Structure::sibling_rows`] less the limit at the extraordinary point: rows
    /// that sum to 0 and keep their relative accuracy as they shrink with depth.
    /// Weights of a derivative sum to 0 as well, so that for them both rows give the
    /// same, but for rounding that the magnification would bring up.
    pub fn sibling_deviations(&self, child: usize, depth: usize) -> Option<Mat<f64>> {
        let owner = self.owner(depth)?;
        let rows = owner.rows_of(owner.siblings.get(child.checked_sub(1)?)?).matrix();
        let mask = owner.mask();
        let deviations = Mat::from_fn(rows.nrows(), rows.ncols(), |i, j| rows[(i, j)] - mask[j]);
        Some(self.pull_rows(depth, deviations, 0.0))
    }

    /// The structure in the chain of first steps that owns the siblings at `depth`.
    pub(super) fn owner(&self, depth: usize) -> Option<&Self> {
        match &self.next {
            NextLevel::Then { structure, .. } if depth > 1 => structure.owner(depth - 1),
            _ => (1..=MAX_DEPTH).contains(&depth).then_some(self),
        }
    }

    /// Brings rows over the net of the siblings' owner at `depth` back to this net;
    /// each row sums to `sum`, 0 or 1.
    pub(super) fn pull_rows(&self, depth: usize, rows: Mat<f64>, sum: f64) -> Mat<f64> {
        match &self.next {
            _ if depth == 1 => rows,
            NextLevel::Stationary(powers) => powers.apply_to_rows(depth - 1, &rows, sum),
            NextLevel::Then { step, structure } => {
                step.product_from_left(&structure.pull_rows(depth - 1, rows, sum))
            }
        }
    }
}
