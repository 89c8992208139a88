//! Operations on the CPU, which work on their own data.

use std::time::Instant;

use crate::backend::operations::{
    AssembledMatrices, Canvas, CoverageSource, InteriorArrays, InteriorPixels, InteriorSource,
    LatticeArrays, LatticePixels, LatticeSource, LayerImages, LeafProducts, LocationSource,
    Locations, MappingSource, MatrixSource, Operations, PixelArrays, PointSearch, ProductArrays,
    QuadratureMapping,
};
use crate::error::Result;

/// All that operations have on the CPU: nothing.
#[derive(Debug)]
pub(crate) struct Host;

impl Operations for Host {
    fn location(&self, _: &dyn LocationSource) -> Result<Box<dyn PointSearch>> {
        Ok(Box::new(Self))
    }

    fn layers(&self, _: &dyn CoverageSource) -> Result<Box<dyn LayerImages>> {
        Ok(Box::new(Self))
    }

    fn interiors<'a>(
        &self,
        _: &dyn Fn() -> Result<InteriorArrays<'a>>,
    ) -> Result<Box<dyn InteriorPixels>> {
        Ok(Box::new(Self))
    }

    fn lattice<'a>(&self, _: &dyn Fn() -> LatticeArrays<'a>) -> Result<Box<dyn LatticePixels>> {
        Ok(Box::new(Self))
    }

    fn quadrature<'q>(
        &self,
        source: &dyn MappingSource<'q>,
    ) -> Result<Box<dyn QuadratureMapping + 'q>> {
        source.here()
    }

    fn assemble(&self, source: &mut dyn MatrixSource) -> Result<AssembledMatrices> {
        source.here()
    }

    fn products(&self, _: &dyn Fn() -> ProductArrays) -> Result<Option<Box<dyn LeafProducts>>> {
        Ok(None)
    }
}

impl PointSearch for Host {
    fn locate(&self, solid: &dyn LocationSource, points: &[[f64; 3]]) -> Result<Locations> {
        let start = Instant::now();
        let located = solid.locate(points);
        Ok(Locations { located, left: None, seconds: start.elapsed().as_secs_f64() })
    }
}

impl LayerImages for Host {
    fn cover(
        &self,
        source: &dyn CoverageSource,
        canvas: &Canvas,
        heights: &[f64],
        pixels: &mut [u8],
    ) -> Result<()> {
        source.cover(canvas, heights, pixels)
    }
}

impl InteriorPixels for Host {
    fn places(&self, source: &dyn InteriorSource, height: f64) -> Result<PixelArrays> {
        Ok(source.places(height))
    }

    fn values(
        &self,
        source: &dyn InteriorSource,
        height: f64,
        coverage: &[u16],
    ) -> Result<Vec<f64>> {
        source.values(height, coverage)
    }
}

impl LatticePixels for Host {
    fn cover(
        &self,
        source: &dyn LatticeSource,
        core: Option<&[u16]>,
        whole: &mut [u16],
    ) -> Result<f64> {
        let start = Instant::now();
        source.cover(core, whole)?;
        Ok(start.elapsed().as_secs_f64())
    }
}
