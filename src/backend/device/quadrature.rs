//! Positions, Jacobians and derivatives of basis functions in space, of the leaves of a batch
//! that share their basis.

use std::ops::Range;

use crate::error::Result;

/// What the leaves of a batch share, and their control points.
#[derive(Clone, Copy, Debug)]
pub struct MappingBatch<'a> {
    /// Number of control points of a leaf.
    pub controls: usize,
    /// Basis functions, `[sample][control]`.
    pub values: &'a [f64],
    /// Derivatives of the basis functions by u, v, w, `[sample][3][control]`.
    pub gradients: &'a [f64],
    /// Second derivatives of the basis functions by uu, vv, ww, uv, uw, vw, `[sample][6][control]`,
    /// or none.
    pub second: &'a [f64],
    /// Weights of the samples in the element's parameters.
    pub weights: &'a [f64],
    /// Control points, `[leaf][control]`.
    pub control_ids: &'a [u32],
}

/// Results copied to the host, `[leaf][sample]` each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MappedArrays {
    /// `[3]`: positions.
    pub points: Vec<f64>,
    /// `[xyz][uvw]`: Jacobians.
    pub jacobians: Vec<f64>,
    /// Determinants of the Jacobians.
    pub determinants: Vec<f64>,
    /// Weights times determinants.
    pub measures: Vec<f64>,
    /// `[uvw][xyz]`: inverse Jacobians.
    pub inverse_jacobians: Vec<f64>,
    /// `[6][xyz]`: second derivatives of the position, if the batch has them of its basis.
    pub second: Vec<f64>,
    /// `[3][control]`: derivatives of the basis functions by x, y, z, if they were wanted.
    pub derivatives: Vec<f64>,
    /// `[6][control]`: second ones by xx, yy, zz, xy, xz, yz, if they were wanted and
    /// known of the basis.
    pub second_derivatives: Vec<f64>,
}

/// Batches of a quadrature on a device, for any positions of the control points.
///
/// [`Self::evaluate`] comes before [`Self::read`], which copies the results of the last one.
/// [`Self::move_controls`] changes later evaluations alone.
pub trait QuadratureMapping: Send + Sync {
    /// Takes other positions of as many control points.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) for another number of them.
    fn move_controls(&mut self, positions: &[[f64; 3]]) -> Result<()>;

    /// Evaluates leaves of a batch, with derivatives in space if they are wanted; returns
    /// the seconds that it took on the device. Results stay there until the next call.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) if there are no such leaves, or the device's
    /// memory is too small.
    fn evaluate(&mut self, batch: usize, leaves: Range<usize>, derivatives: bool) -> Result<f64>;

    /// Copies the results of the last evaluation to the host.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) if the copy fails.
    fn read(&self) -> Result<MappedArrays>;
}
