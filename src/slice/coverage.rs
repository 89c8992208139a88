//! Pixels of layers on a processor: a device traces planes and fills pixels, the same bit by bit.

use super::frame::PixelGrid;
use super::pixels::{Gray, MAX_IMAGE_SIDE, Raster};
use super::slicer::Slicer;
use crate::backend::Backend;
use crate::backend::operations::{
    Canvas, CoverageSource, LayerBoundary, LayerLink, LayerPatch, LayerPlanes, Sampling,
};
use crate::error::Result;

impl Slicer {
    /// Brings the boundary to a processor, for [`Slicer::coverage`]; contours come from the CPU.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) if a device's memory is too small.
    pub fn bring(&mut self, backend: &dyn Backend) -> Result<()> {
        self.images = backend.operations().layers(self)?;
        Ok(())
    }

    /// Coverage of pixels by the layer at `height`, or by the mean of several, row by
    /// row from the lowest: 0 is empty, the largest value full.
    ///
    /// # Errors
    /// As [`Raster::new`]; if a device fails.
    pub fn coverage<T: Gray>(
        &self,
        heights: &[f64],
        grid: &PixelGrid,
        sampling: Sampling,
    ) -> Result<Vec<T>> {
        let canvas = self.canvas::<T>(heights.len(), grid, sampling)?;
        let mut pixels = vec![T::default(); grid.size[0] * grid.size[1]];
        self.images.cover(self, &canvas, heights, bytemuck::cast_slice_mut(&mut pixels))?;
        Ok(pixels)
    }

    /// Seconds of covering images, the mean of `planes` heights each, which stay where the processor
    /// has them: device events on a GPU, the wall clock on the CPU. `T`: the pixels.
    ///
    /// # Errors
    /// As [`Slicer::coverage`].
    pub fn time_coverage<T: Gray>(
        &self,
        heights: &[f64],
        planes: usize,
        grid: &PixelGrid,
        sampling: Sampling,
    ) -> Result<f64> {
        self.images.time(self, &self.canvas::<T>(planes, grid, sampling)?, heights)
    }

    fn canvas<T: Gray>(
        &self,
        planes: usize,
        grid: &PixelGrid,
        sampling: Sampling,
    ) -> Result<Canvas> {
        grid.check(MAX_IMAGE_SIDE)?;
        let (PixelGrid { origin, pitch, size }, bits) = (*grid, 8 * size_of::<T>());
        let tolerance = self.chord_tolerance();
        Ok(Canvas { origin, pitch, tolerance, size, planes, sampling, bits })
    }
}

impl CoverageSource for Slicer {
    fn boundary(&self) -> LayerBoundary<'_> {
        let surface = self.surface();
        let patches = surface.patches.iter().map(|patch| LayerPatch {
            points: patch.points.0,
            links: patch.starts(),
            slopes: [patch.slope.along_u, patch.slope.along_v],
            padding: 0,
        });
        let links = surface.links.iter().map(|link| LayerLink {
            edge: link.edge,
            reversed: u32::from(link.reversed),
            start: link.start,
            length: link.length,
        });
        LayerBoundary {
            patches: patches.collect(),
            links: links.collect(),
            edges: &surface.edges,
            most_around: self.most_around(),
        }
    }

    fn planes(&self, heights: &[f64]) -> LayerPlanes {
        let heights: Vec<f64> = heights.iter().map(|&z| self.surface().round(z)).collect();
        let mut pairs: Vec<[u32; 2]> = Vec::new();
        let mut found = Vec::new();
        for (plane, &height) in heights.iter().enumerate() {
            self.index().find(height, &mut found);
            pairs.extend(found.iter().map(|&patch| [patch, plane as u32]));
        }
        LayerPlanes { heights, pairs }
    }

    fn cover(&self, canvas: &Canvas, heights: &[f64], pixels: &mut [u8]) -> Result<()> {
        let Canvas { origin, pitch, size, .. } = *canvas;
        let mut raster = Raster::new(PixelGrid { origin, pitch, size }, canvas.sampling)?;
        if canvas.bits == 8 {
            self.coverage_into::<u8>(heights, &mut raster, pixels);
        } else {
            self.coverage_into::<u16>(heights, &mut raster, bytemuck::cast_slice_mut(pixels));
        }
        Ok(())
    }
}
