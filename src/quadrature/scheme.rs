//! Where the quadrature points are: Gauss points, and rings toward extraordinary elements.

use serde::{Deserialize, Serialize};

use crate::basis::gauss;
use crate::error::{Error, Result};

/// Maximum number of rings: the smallest boxes are then 2⁻²⁰ of a leaf wide.
pub const MAX_QUADRATURE_RINGS: usize = 20;

/// Default number of Gauss points along each axis of a box: they integrate det J exactly.
pub const DEFAULT_GAUSS: usize = 5;

/// What a sum over rings is right to where their number is not given: parts of the leaf's
/// integral. In the sum around a vertex there is one around each of its extraordinary edges.
/// Linear fields are reproduced to 1e-10 then.
pub const RING_TOLERANCE: f64 = 3e-11;

/// How accurate integrals are where the number of rings is not given.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RingAccuracy {
    /// What a sum over rings is right to, parts of the leaf's integral.
    pub tolerance: f64,
    /// Below each of these shares of a leaf a box has one Gauss point less along each axis.
    pub shares: [f64; 3],
    /// The Gauss points that shares are for: with fewer, as many less are dropped.
    pub gauss: usize,
}

impl RingAccuracy {
    /// Of all quadratures that are not told otherwise: the volume and the flux of linear fields,
    /// integrals of polynomials, are right to 1e-10.
    pub const EXACT: Self =
        Self { tolerance: RING_TOLERANCE, shares: [2e-3, 1e-5, 1e-7], gauss: 0 };
    /// Of solutions: volumes are right to 1e-7, and energies, whose integrands are no polynomials, to
    /// about what 5 Gauss points lose in regular cells, 1e-6, for a third of the points.
    pub const SOLUTION: Self =
        Self { tolerance: 1e-7, shares: [0.5, 4e-3, 4e-5], gauss: DEFAULT_GAUSS };
}

/// Where the quadrature points are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(default)]
pub struct QuadratureScheme {
    /// Gauss points along each axis of a box, 1 to 32
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = DEFAULT_GAUSS))]
    pub gauss: usize,
    /// Rings of boxes toward an extraordinary edge or vertex, 0 to 20, with Gauss points in the
    /// remaining box; by default, as many as integrals accurate to 1e-10 need (solve: to 1e-7)
    #[cfg_attr(feature = "cli", arg(long, value_name = "K"))]
    pub rings: Option<usize>,
}

impl QuadratureScheme {
    /// Checks the numbers.
    ///
    /// # Errors
    /// [`Error::Request`] for Gauss points or rings out of range.
    pub fn check(self) -> Result<()> {
        gauss::rule(self.gauss)?;
        if let Some(rings) = self.rings.filter(|&rings| rings > MAX_QUADRATURE_RINGS) {
            return Err(Error::request(format!(
                "{rings} rings of quadrature points: out of range"
            ))
            .with_help(format!("ask for 0 to {MAX_QUADRATURE_RINGS} rings")));
        }
        Ok(())
    }
}

impl Default for QuadratureScheme {
    /// [`DEFAULT_GAUSS`] points and as many rings as needed.
    fn default() -> Self {
        Self { gauss: DEFAULT_GAUSS, rings: None }
    }
}
