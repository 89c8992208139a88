//! Operations beside plans: location, layers, interiors, lattices, quadrature and assembly. Each is a trait
//! with the same verbs on every processor.
//!
//! An operation gives a [`Backend`](super::Backend) a source: what the CPU does on the operation's
//! own data, and the same data as flat arrays, made if a device asks for them. A device brings the
//! arrays there once, and leaves to the source what it cannot decide. Results are the same on all
//! processors, but for rounding where the trait says so.
//!
//! # Errors
//! All methods fail with [`Error::Request`](crate::Error::Request) if a device fails or its memory is
//! too small. Methods name their other errors.

mod assembly;
mod interiors;
mod lattices;
mod layers;
mod location;
mod parts;
mod products;
mod quadrature;
mod system;

pub use assembly::{
    AddedRows, AssembledMatrices, ElasticTensor, MatrixForm, MatrixSource, SparsePattern,
};
pub use interiors::{
    InteriorArrays, InteriorPixels, InteriorRun, InteriorSource, ParameterBox, PieceValues,
    PixelArrays, Pixels, SettledPixel, TILE, TileParts,
};
pub use lattices::{
    LatticeArrays, LatticePixels, LatticeSource, MAX_POWERS, PixelRegion, RegionPolynomial,
    RegionRun, RegionRuns, TileFunction, without_void,
};
pub use layers::{
    Canvas, CoverageSource, LayerBoundary, LayerImages, LayerLink, LayerPatch, LayerPlanes,
    MAX_PLANES, Sampling,
};
pub use location::{Containment, LocationSource, Locations, Place, PointSearch};
pub use parts::{NONE, SolidPart, SolidParts};
pub use products::{LeafProducts, MAX_PART_LEAVES, MAX_PART_VERTICES, ProductArrays};
pub use quadrature::{
    BasisValues, LeafQuantities, MappingBatch, MappingSource, PhysicalDerivatives,
    QuadratureMapping,
};
pub use system::{LevelArrays, Polynomial, PreconditionerArrays, Strip, SystemArrays};

use crate::error::Result;

/// Operations of a processor; see the [module](self). Given by
/// [`Backend::operations`](super::Backend::operations).
pub trait Operations {
    /// Brings a solid to the processor, for points to be located in it.
    ///
    /// # Errors
    /// As [`LocationSource::parts`].
    fn location(&self, solid: &dyn LocationSource) -> Result<Box<dyn PointSearch>>;

    /// Brings the boundary of a solid to the processor, for images of layers.
    fn layers(&self, source: &dyn CoverageSource) -> Result<Box<dyn LayerImages>>;

    /// Brings a solid and attributes to the processor, for pixels of layers. Arrays are made if a
    /// device asks for them.
    ///
    /// # Errors
    /// Those of making the arrays.
    fn interiors<'a>(
        &self,
        arrays: &dyn Fn() -> Result<InteriorArrays<'a>>,
    ) -> Result<Box<dyn InteriorPixels>>;

    /// Brings a lattice to the processor, for pixels of layers.
    fn lattice<'a>(&self, arrays: &dyn Fn() -> LatticeArrays<'a>)
    -> Result<Box<dyn LatticePixels>>;

    /// Brings a quadrature and control points to the processor, in double precision.
    ///
    /// # Errors
    /// As [`MappingSource::here`] and [`MappingSource::batches`].
    fn quadrature<'q>(
        &self,
        source: &dyn MappingSource<'q>,
    ) -> Result<Box<dyn QuadratureMapping + 'q>>;

    /// Sums sparse matrices of finite elements, in double precision.
    ///
    /// # Errors
    /// As [`MatrixSource::here`].
    fn assemble(&self, source: &mut dyn MatrixSource) -> Result<AssembledMatrices>;

    /// Brings regular leaves to a device, for products of their element matrices, in double
    /// precision; none on the CPU, which has all that it takes.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) for more samples than the device takes.
    fn products(&self, arrays: &dyn Fn() -> ProductArrays)
    -> Result<Option<Box<dyn LeafProducts>>>;
}
