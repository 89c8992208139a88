//! Pixels of layers on a GPU: the slicer's own arrays go there once, then planes are traced and
//! pixels filled there, the same bit by bit.

use super::frame::PixelGrid;
use super::pixels::{Gray, MAX_IMAGE_SIDE};
use super::slicer::Slicer;
use crate::backend::Backend;
use crate::backend::device::{
    Canvas, CoverageReport, LayerBoundary, LayerImages, LayerLink, LayerPatch, MAX_PLANES,
    Resident, Sampling,
};
use crate::error::Result;

/// Maximum number of full pixels that sums of 32 bits hold: 2¹³ × 2¹³ × 2 × 15 is below 2³¹.
const MAX_SUMMED_PIXELS: usize = 15;

impl Slicer {
    /// Brings the boundary to a processor, for [`Slicer::coverage`]; contours come from the CPU.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) if a device's memory is too small.
    pub fn bring(&mut self, backend: &dyn Backend) -> Result<()> {
        self.images = match backend.device() {
            None => None,
            Some(device) => {
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
                let patches: Vec<LayerPatch> = patches.collect();
                let links: Vec<LayerLink> = links.collect();
                let edges = &surface.edges;
                let boundary = LayerBoundary { patches: &patches, links: &links, edges };
                Some(Resident::new(device.layers(boundary)?))
            }
        };
        Ok(())
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
        let start = std::time::Instant::now();
        let canvas = self.canvas(planes, grid, sampling, 8 * size_of::<T>())?;
        let Some(mut images) = self.images.as_ref().map(Resident::lock) else {
            let mut images = heights.chunks(planes.max(1));
            images.try_for_each(|h| self.coverage::<T>(h, grid, sampling).map(drop))?;
            return Ok(start.elapsed().as_secs_f64());
        };
        let most = planes.max(1) * images.most_images(&canvas).max(1);
        let cover = |heights| Ok(self.cover(&mut **images, &canvas, heights)?.seconds);
        heights.chunks(most).map(cover).sum()
    }

    /// [`Slicer::coverage`] by a GPU; nothing where there is none, or the CPU has to do it: more
    /// planes or shells around one point than its sums hold, an image too large for it, a patch with
    /// too many crossings.
    pub(super) fn coverage_there<T: Gray>(
        &self,
        heights: &[f64],
        grid: &PixelGrid,
        sampling: Sampling,
    ) -> Result<Option<Vec<T>>> {
        let Some(images) = &self.images else { return Ok(None) };
        if heights.len() > MAX_PLANES || self.shells().most_around() > MAX_SUMMED_PIXELS {
            return Ok(None);
        }
        let canvas = self.canvas(heights.len(), grid, sampling, 8 * size_of::<T>())?;
        let mut images = images.lock();
        if images.most_images(&canvas) == 0 {
            return Ok(None);
        }
        let covered = self.cover(&mut **images, &canvas, heights)?;
        if !covered.failed.is_empty() {
            return Ok(None);
        }
        let mut pixels = vec![T::default(); grid.size[0] * grid.size[1]];
        images.read(0, bytemuck::cast_slice_mut(&mut pixels))?;
        Ok(Some(pixels))
    }

    /// Covers images on a device.
    fn cover(
        &self,
        images: &mut dyn LayerImages,
        canvas: &Canvas,
        heights: &[f64],
    ) -> Result<CoverageReport> {
        let heights: Vec<f64> = heights.iter().map(|&z| self.surface().round(z)).collect();
        let mut pairs: Vec<[u32; 2]> = Vec::new();
        let mut found = Vec::new();
        for (plane, &height) in heights.iter().enumerate() {
            self.index().find(height, &mut found);
            pairs.extend(found.iter().map(|&patch| [patch, plane as u32]));
        }
        images.cover(canvas, &heights, &pairs)
    }

    fn canvas(
        &self,
        planes: usize,
        grid: &PixelGrid,
        sampling: Sampling,
        bits: usize,
    ) -> Result<Canvas> {
        grid.check(MAX_IMAGE_SIDE)?;
        Ok(Canvas {
            origin: grid.origin,
            pitch: grid.pitch,
            tolerance: self.chord_tolerance(),
            size: grid.size,
            planes,
            sampling,
            bits,
        })
    }
}
