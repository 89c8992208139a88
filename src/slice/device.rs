//! Layers on a GPU: the slicer's own arrays go there once, then planes are traced and
//! pixels filled there, the same bit by bit.

use std::sync::{Mutex, PoisonError};

use super::frame::PixelGrid;
use super::interior::{DetachedInteriors, DeviceInteriors, InteriorValues};
use super::layer::Layer;
use super::pixels::MAX_IMAGE_SIDE;
use super::slicer::Slicer;
use super::solid_source::{SolidInterior, SolidSource};
use super::source::{Channel, LayerSource, PixelPlaces};
use crate::backend::device::{
    Canvas, CoverageReport, Device, LayerBoundary, LayerImages, LayerLink, LayerPatch, MAX_PLANES,
    Sampling,
};
use crate::error::Result;

/// Maximum number of full pixels that sums of 32 bits hold: 2¹³ × 2¹³ × 2 × 15 is below 2³¹.
const MAX_SUMMED_PIXELS: usize = 15;

/// A slicer at work on a GPU.
pub struct DeviceSlicer<'s> {
    slicer: &'s Slicer,
    layers: Box<dyn LayerImages>,
}

impl<'s> DeviceSlicer<'s> {
    /// Brings a slicer's boundary to a GPU.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) if its memory is too small.
    pub fn new(slicer: &'s Slicer, device: &dyn Device) -> Result<Self> {
        let surface = slicer.surface();
        let patches: Vec<LayerPatch> = surface
            .patches
            .iter()
            .map(|patch| LayerPatch {
                points: patch.points.0,
                links: patch.starts(),
                slopes: [patch.slope.along_u, patch.slope.along_v],
                padding: 0,
            })
            .collect();
        let links: Vec<LayerLink> = surface
            .links
            .iter()
            .map(|link| LayerLink {
                edge: link.edge,
                reversed: u32::from(link.reversed),
                start: link.start,
                length: link.length,
            })
            .collect();
        let boundary = LayerBoundary { patches: &patches, links: &links, edges: &surface.edges };
        Ok(Self { slicer, layers: device.layers(boundary)? })
    }

    /// Covers images on the device, `planes` heights each. They stay until the next call;
    /// [`DeviceSlicer::read`] copies them. Those that failed are to be made on the CPU.
    /// `bits`: 8 or 16. Shells of a surface around one point may be 15 at most
    /// ([`Shells::most_around`](super::Shells::most_around)), and so may parts of a solid that
    /// overlap.
    ///
    /// # Errors
    /// As [`LayerImages::cover`] and [`super::Raster::new`].
    pub fn cover(
        &mut self,
        heights: &[f64],
        planes: usize,
        grid: &PixelGrid,
        sampling: Sampling,
        bits: usize,
    ) -> Result<CoverageReport> {
        let canvas = self.canvas(planes, grid, sampling, bits)?;
        let heights: Vec<f64> = heights.iter().map(|&z| self.slicer.surface().round(z)).collect();
        let mut pairs: Vec<[u32; 2]> = Vec::new();
        let mut found = Vec::new();
        for (plane, &height) in heights.iter().enumerate() {
            self.slicer.index().find(height, &mut found);
            pairs.extend(found.iter().map(|&patch| [patch, plane as u32]));
        }
        self.layers.cover(&canvas, &heights, &pairs)
    }

    /// Copies images of the last [`DeviceSlicer::cover`], from `first` on, to `pixels`: rows
    /// from the lowest, in the bytes of this machine.
    ///
    /// # Errors
    /// As [`LayerImages::read`].
    pub fn read(&mut self, first: usize, pixels: &mut [u8]) -> Result<()> {
        self.layers.read(first, pixels)
    }

    /// Most images of a grid, of `planes` heights each, that [`DeviceSlicer::cover`] makes at once;
    /// 0 if one is too large for the device.
    ///
    /// # Errors
    /// As [`super::Raster::new`].
    pub fn most_images(&self, planes: usize, grid: &PixelGrid, bits: usize) -> Result<usize> {
        Ok(self.layers.most_images(&self.canvas(planes, grid, Sampling::Area, bits)?))
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
            tolerance: self.slicer.chord_tolerance(),
            size: grid.size,
            planes,
            sampling,
            bits,
        })
    }
}

/// A solid, or the outlines of a surface, as a source of layers whose pixels a GPU covers and
/// looks up; contours come from the CPU.
pub struct DeviceSource<'a, 's> {
    solid: &'a SolidSource<'s>,
    slicer: Mutex<DeviceSlicer<'a>>,
    // of a solid with attributes or places
    interiors: Option<Mutex<DeviceInteriors<'a, 's>>>,
    // shells around one point, at most
    around: usize,
}

/// What a [`DeviceSource`] has on its GPU.
pub struct DetachedLayers {
    layers: Box<dyn LayerImages>,
    interiors: Option<DetachedInteriors>,
}

impl<'a, 's> DeviceSource<'a, 's> {
    /// The layers of `solid` on a GPU.
    ///
    /// # Errors
    /// As [`DeviceSlicer::new`] and [`DeviceInteriors::new`].
    pub fn new(solid: &'a SolidSource<'s>, device: &dyn Device) -> Result<Self> {
        let slicer = DeviceSlicer::new(solid.slicer(), device)?;
        let interiors = match solid.inside() {
            Err(_) => None,
            Ok(SolidInterior { locator, attributes, .. }) => {
                let axis = solid.slicer().axis();
                Some(Mutex::new(DeviceInteriors::new(locator, axis, attributes, device)?))
            }
        };
        let around = solid.slicer().shells().most_around();
        Ok(Self { solid, slicer: Mutex::new(slicer), interiors, around })
    }

    /// What is on the GPU, for [`DeviceSource::attach`]: it does not borrow the solid.
    pub fn detach(self) -> DetachedLayers {
        let slicer = self.slicer.into_inner().unwrap_or_else(PoisonError::into_inner);
        let interiors = self.interiors.map(|interiors| {
            interiors.into_inner().unwrap_or_else(PoisonError::into_inner).detach()
        });
        DetachedLayers { layers: slicer.layers, interiors }
    }

    /// The layers of `solid` with data already on the GPU, [detached](DeviceSource::detach) from
    /// another source of the same solid.
    pub fn attach(solid: &'a SolidSource<'s>, detached: DetachedLayers) -> Self {
        let slicer = DeviceSlicer { slicer: solid.slicer(), layers: detached.layers };
        let interiors = match (solid.inside(), detached.interiors) {
            (Ok(SolidInterior { locator, attributes, .. }), Some(detached)) => {
                let axis = solid.slicer().axis();
                Some(Mutex::new(DeviceInteriors::attach(locator, axis, attributes, detached)))
            }
            _ => None,
        };
        let around = solid.slicer().shells().most_around();
        Self { solid, slicer: Mutex::new(slicer), interiors, around }
    }

    /// The pixels of a layer that are inside, or that a mask covers.
    fn interior(
        &self,
        height: f64,
        grid: &PixelGrid,
        mask: Option<&[u8]>,
    ) -> Result<InteriorValues> {
        let Some(interiors) = &self.interiors else {
            // says what is missing
            return self.solid.inside().map(|_| InteriorValues::default());
        };
        let mut interiors = interiors.lock().unwrap_or_else(PoisonError::into_inner);
        interiors.find(grid, &[height], mask)?;
        interiors.read(0)
    }
}

impl LayerSource for DeviceSource<'_, '_> {
    fn contours(&self, index: usize, height: f64) -> Result<Layer> {
        self.solid.contours(index, height)
    }

    fn coverage(&self, heights: &[f64], grid: &PixelGrid, sampling: Sampling) -> Result<Vec<u16>> {
        if heights.len() > MAX_PLANES || self.around > MAX_SUMMED_PIXELS {
            return self.solid.coverage(heights, grid, sampling);
        }
        let mut slicer = self.slicer.lock().unwrap_or_else(PoisonError::into_inner);
        if slicer.most_images(heights.len(), grid, 16)? == 0 {
            return self.solid.coverage(heights, grid, sampling);
        }
        let mut pixels = vec![0_u16; grid.size[0] * grid.size[1]];
        let covered = slicer.cover(heights, heights.len(), grid, sampling, 16)?;
        if !covered.failed.is_empty() {
            return self.solid.coverage(heights, grid, sampling);
        }
        slicer.read(0, bytemuck::cast_slice_mut(&mut pixels))?;
        Ok(pixels)
    }

    fn attributes(&self, height: f64, grid: &PixelGrid, coverage: &[u16]) -> Result<Vec<f64>> {
        let mask: Vec<u8> = coverage.iter().map(|&covered| u8::from(covered > 0)).collect();
        let found = self.interior(height, grid, Some(&mask))?;
        let elements = found.interior.elements.iter().copied();
        Ok(self.solid.inside()?.interleaved(elements, found.values))
    }

    fn places(&self, height: f64, grid: &PixelGrid) -> Result<PixelPlaces> {
        Ok(self.solid.inside()?.places(self.interior(height, grid, None)?))
    }

    fn attributes_at(&self, points: &[[f64; 3]], inward: &[[f64; 3]]) -> Result<Vec<f64>> {
        self.solid.attributes_at(points, inward)
    }

    fn channels(&self) -> &[Channel] {
        self.solid.channels()
    }
}
