//! [Operations](crate::backend::operations) on the device.

mod assembly;
mod interiors;
mod lattices;
mod layers;
mod leaves;
mod locate;
mod mapping;
mod parts;
mod products;
mod system;
pub(super) mod vectors;

use super::Cuda;
use super::driver::sources::Variant;
use super::resident::Resident;
use crate::backend::operations::{
    AssembledMatrices, CoverageSource, InteriorArrays, InteriorPixels, LatticeArrays,
    LatticePixels, LayerImages, LeafProducts, LocationSource, MappingSource, MatrixSource,
    Operations, PointSearch, ProductArrays, QuadratureMapping, Sampling,
};
use crate::error::Result;

/// The variants of all kernels of operations.
pub(super) fn variants() -> Vec<Variant> {
    let mut variants =
        vec![locate::variant(), interiors::variant(), lattices::variant(), vectors::variant()];
    variants.extend(mapping::variants());
    variants.extend(assembly::variants());
    variants.extend(leaves::variants());
    variants.extend(system::variants());
    for sampling in [Sampling::Center, Sampling::Area] {
        variants.extend([8, 16].map(|bits| layers::variant(bits, sampling)));
    }
    variants
}

impl Operations for Cuda {
    fn location(&self, solid: &dyn LocationSource) -> Result<Box<dyn PointSearch>> {
        Ok(Box::new(Resident::new(locate::Places::new(self, &solid.parts()?)?)))
    }

    fn layers(&self, source: &dyn CoverageSource) -> Result<Box<dyn LayerImages>> {
        Ok(Box::new(Resident::new(layers::Layers::new(self, &source.boundary())?)))
    }

    fn interiors<'a>(
        &self,
        arrays: &dyn Fn() -> Result<InteriorArrays<'a>>,
    ) -> Result<Box<dyn InteriorPixels>> {
        Ok(Box::new(Resident::new(interiors::Interiors::new(self, &arrays()?)?)))
    }

    fn lattice<'a>(
        &self,
        arrays: &dyn Fn() -> LatticeArrays<'a>,
    ) -> Result<Box<dyn LatticePixels>> {
        Ok(Box::new(Resident::new(lattices::Lattices::new(self, &arrays())?)))
    }

    fn quadrature<'q>(
        &self,
        source: &dyn MappingSource<'q>,
    ) -> Result<Box<dyn QuadratureMapping + 'q>> {
        let batches = source.batches(self.functions.device().info.memory)?;
        let mapping = mapping::Mapping::new(self, &batches, source.positions())?;
        Ok(Box::new(Resident::new(mapping)))
    }

    fn assemble(&self, source: &mut dyn MatrixSource) -> Result<AssembledMatrices> {
        assembly::assemble(self, source)
    }

    fn products(
        &self,
        arrays: &dyn Fn() -> ProductArrays,
    ) -> Result<Option<Box<dyn LeafProducts>>> {
        let products = products::Products::new(self, &arrays())?;
        Ok(Some(Box::new(Resident::new(products))))
    }
}
