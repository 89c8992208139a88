//! What a device (a GPU) does for operations: location, layers, interiors, quadrature and
//! assembly, each a trait over flat arrays. An operation lays its data out in these arrays, brings
//! them to the device once, and finishes on the CPU what the device leaves to it. The CPU needs
//! no such arrays: there the operations work on their own data.

mod assembly;
mod info;
mod interiors;
mod layers;
mod location;
mod parts;
mod quadrature;

pub use assembly::{AddedRows, MatrixAssembly, MatrixForm, SparsePattern};
pub use info::DeviceInfo;
pub use interiors::{
    InteriorPixels, ParameterBox, PieceValues, PixelArrays, Pixels, SettledPixel, TILE, TileParts,
};
pub use layers::{
    Canvas, CoverageReport, LayerBoundary, LayerImages, LayerLink, LayerPatch, MAX_PLANES, Sampling,
};
pub use location::{LEFT, OUTSIDE, PlaceArrays, PointSearch};
pub use parts::{NONE, SolidPart, SolidParts};
pub use quadrature::{MappedArrays, MappingBatch, QuadratureMapping};

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::Result;

/// What an operation has on a device, for one call at a time.
///
/// Nothing may share out work while it is locked: a thread of rayon's that waits takes up other
/// work, which might lock it again.
pub(crate) struct Resident<T: ?Sized>(Mutex<Box<T>>);

impl<T: ?Sized> Resident<T> {
    pub fn new(own: Box<T>) -> Self {
        Self(Mutex::new(own))
    }

    pub fn lock(&self) -> MutexGuard<'_, Box<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: ?Sized> fmt::Debug for Resident<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Resident")
    }
}

/// A device at work for operations, in double precision. A [`Backend`](super::Backend) that is one
/// gives it by [`Backend::device`](super::Backend::device).
///
/// Every method brings data to the device, and fails with
/// [`Error::Request`](crate::Error::Request) if its memory is too small. What it returns keeps the
/// data there, independent of other calls, until it is dropped. Results are as on the CPU but
/// for rounding; the device leaves to the CPU what it cannot decide, and says so.
pub trait Device {
    /// Points looked up in a solid.
    ///
    /// # Errors
    /// See [`Device`].
    fn location(&self, solid: SolidParts<'_>) -> Result<Box<dyn PointSearch>>;

    /// Images of layers of a solid's boundary.
    ///
    /// # Errors
    /// See [`Device`].
    fn layers(&self, boundary: LayerBoundary<'_>) -> Result<Box<dyn LayerImages>>;

    /// Pixels of layers looked up in a solid: its parts, boxes `[piece]`, and attributes.
    ///
    /// # Errors
    /// See [`Device`].
    fn interiors(
        &self,
        solid: SolidParts<'_>,
        pieces: &[ParameterBox],
        attributes: &[PieceValues<'_>],
    ) -> Result<Box<dyn InteriorPixels>>;

    /// Batches of a quadrature, and positions of the control points.
    ///
    /// # Errors
    /// See [`Device`].
    fn quadrature(
        &self,
        batches: &[MappingBatch<'_>],
        positions: &[[f64; 3]],
    ) -> Result<Box<dyn QuadratureMapping>>;

    /// Matrices of zeros, and positions of the control points.
    ///
    /// # Errors
    /// See [`Device`].
    fn assembly(
        &self,
        pattern: SparsePattern<'_>,
        forms: &[MatrixForm],
        positions: &[[f64; 3]],
    ) -> Result<Box<dyn MatrixAssembly>>;
}
