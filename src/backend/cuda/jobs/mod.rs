//! Operations of a [`Device`]: arrays in, verbs, results out.

mod assembly;
mod interiors;
mod layers;
mod locate;
mod mapping;
mod parts;
pub(super) mod vectors;

use super::Cuda;
use super::driver::sources::Variant;
use crate::backend::device::{
    Device, InteriorPixels, LayerBoundary, LayerImages, MappingBatch, MatrixAssembly, MatrixForm,
    ParameterBox, PieceValues, PointSearch, QuadratureMapping, Sampling, SolidParts, SparsePattern,
};
use crate::error::Result;

/// The variants of all kernels of operations.
pub(super) fn variants() -> Vec<Variant> {
    let mut variants = vec![locate::variant(), interiors::variant(), vectors::variant()];
    variants.extend(mapping::variants());
    variants.extend(assembly::variants());
    for sampling in [Sampling::Center, Sampling::Area] {
        variants.extend([8, 16].map(|bits| layers::variant(bits, sampling)));
    }
    variants
}

impl Device for Cuda {
    fn location(&self, solid: SolidParts<'_>) -> Result<Box<dyn PointSearch>> {
        Ok(Box::new(locate::Places::new(self, solid)?))
    }

    fn layers(&self, boundary: LayerBoundary<'_>) -> Result<Box<dyn LayerImages>> {
        Ok(Box::new(layers::Layers::new(self, boundary)?))
    }

    fn interiors(
        &self,
        solid: SolidParts<'_>,
        pieces: &[ParameterBox],
        attributes: &[PieceValues<'_>],
    ) -> Result<Box<dyn InteriorPixels>> {
        Ok(Box::new(interiors::Interiors::new(self, solid, pieces, attributes)?))
    }

    fn quadrature(
        &self,
        batches: &[MappingBatch<'_>],
        positions: &[[f64; 3]],
    ) -> Result<Box<dyn QuadratureMapping>> {
        Ok(Box::new(mapping::Mapping::new(self, batches, positions)?))
    }

    fn assembly(
        &self,
        pattern: SparsePattern<'_>,
        forms: &[MatrixForm],
        positions: &[[f64; 3]],
    ) -> Result<Box<dyn MatrixAssembly>> {
        Ok(Box::new(assembly::Assembly::new(self, pattern, forms, positions)?))
    }
}
