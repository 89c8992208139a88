//! Who evaluates the physical quantities of a quadrature: the CPU or a GPU.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::{DeviceQuadrature, LeafQuantities, Mapping, PhysicalDerivatives, Quadrature};
use crate::error::Result;

/// A quadrature at control points, evaluated by one processor: a [`Mapping`] by the CPU, a
/// [`DeviceQuadrature`] behind a lock by a GPU. Their results are equal to rounding.
pub trait PhysicalQuadrature<'q>: Sync {
    /// The quadrature.
    fn quadrature(&self) -> &'q Quadrature<'q>;

    /// Whether all cells are left-handed hexahedra: measures are then weights times −det J.
    fn left_handed(&self) -> bool;

    /// Evaluates a range of a batch's leaves into `mapped`, whose memory is used again.
    ///
    /// # Errors
    /// If a device fails.
    fn map(&self, batch: usize, leaves: Range<usize>, mapped: &mut LeafQuantities) -> Result<()>;
}

impl<'q> PhysicalQuadrature<'q> for Mapping<'q> {
    fn quadrature(&self) -> &'q Quadrature<'q> {
        self.quadrature()
    }

    fn left_handed(&self) -> bool {
        self.left_handed()
    }

    fn map(&self, batch: usize, leaves: Range<usize>, mapped: &mut LeafQuantities) -> Result<()> {
        self.evaluate(batch, leaves, mapped)
    }
}

impl<'q> PhysicalQuadrature<'q> for Mutex<DeviceQuadrature<'q>> {
    fn quadrature(&self) -> &'q Quadrature<'q> {
        self.lock().unwrap_or_else(PoisonError::into_inner).quadrature()
    }

    fn left_handed(&self) -> bool {
        self.lock().unwrap_or_else(PoisonError::into_inner).left_handed()
    }

    fn map(&self, batch: usize, leaves: Range<usize>, mapped: &mut LeafQuantities) -> Result<()> {
        let mut device = self.lock().unwrap_or_else(PoisonError::into_inner);
        device.evaluate(batch, leaves, false)?;
        device.read(mapped, &mut PhysicalDerivatives::default())
    }
}
