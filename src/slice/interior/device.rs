//! Interiors of layers on a GPU; pixels that it cannot decide are finished on the CPU.

use std::panic::resume_unwind;
use std::thread;

use rayon::prelude::*;

use super::tiles::Tiles;
use super::{Interior, InteriorFinder, NONE, PixelPlane};
use crate::backend::device::{
    Device, InteriorPixels, ParameterBox, PieceValues, PixelArrays, Pixels, Resident, SettledPixel,
};
use crate::error::Result;
use crate::locate::{AttributePieces, Locator, LocatorParts};
use crate::slice::PixelGrid;

/// Least number of pixels that a thread settles.
const MIN_SETTLED: usize = 256;

/// A locator's parts and attributes on a GPU, which finds the interiors of layers in double
/// precision.
///
/// Elements are as by an [`InteriorFinder`]; parameters and values are the same to some 1e-12 where
/// the Jacobian allows.
#[derive(Debug)]
pub struct InteriorSearch {
    tiles: Tiles,
    pixels: Resident<dyn InteriorPixels>,
}

/// What finding the pixels of some layers came to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct InteriorRun {
    /// Pixels listed.
    pub pixels: usize,
    /// Pixels that were left to the CPU: next to extraordinary edges and vertices and to edges
    /// where the Jacobian vanishes, or within the tolerance outside.
    pub left: usize,
    /// Seconds on the device, copies not included.
    pub seconds: f64,
}

/// A layer with attributes: `values[attribute][pixel · width + component]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InteriorValues {
    /// The pixels.
    pub interior: Interior,
    /// Attributes of the pixels.
    pub values: Vec<Vec<f64>>,
}

impl InteriorSearch {
    /// Brings a locator's pieces to a GPU, halved until Newton's method decides in them, and
    /// attributes of [`locator.pieces()`](Locator::pieces).
    ///
    /// # Errors
    /// [`Error::Request`] if its memory is too small.
    pub fn new(
        locator: &Locator<'_>,
        attributes: &[AttributePieces],
        device: &dyn Device,
    ) -> Result<Self> {
        let pieces = locator.pieces();
        let parts = LocatorParts::new(locator)?;
        let boxes = pieces.pieces.iter().map(|p| ParameterBox { origin: p.origin, size: p.size });
        let boxes: Vec<ParameterBox> = boxes.collect();
        let values = attributes.iter().map(|a| PieceValues { width: a.width, points: &a.points });
        let values: Vec<PieceValues<'_>> = values.collect();
        // tiles of pixels stand in for a hierarchy
        let solid = parts.arrays(&[], &[], locator.reach());
        let pixels = Resident::new(device.interiors(solid, &boxes, &values)?);
        Ok(Self { tiles: Tiles::new(parts.boxes, locator.reach()), pixels })
    }

    /// The pixels inside at a height, or those that a mask `[row][column]` covers (its bytes are not
    /// 0), with their attributes. Covered pixels with their centers outside take over from others
    /// as [`InteriorFinder::covered`] says.
    ///
    /// # Errors
    /// [`Error::Request`] for a mask of another size than the grid, or if the device fails.
    pub fn find(
        &self,
        finder: &InteriorFinder<'_, '_>,
        attributes: &[AttributePieces],
        height: f64,
        mask: Option<&[u8]>,
    ) -> Result<InteriorValues> {
        mask.map_or(Ok(()), |mask| finder.check_mask(mask))?;
        let mut device = self.pixels.lock();
        self.run(&mut **device, finder, &[height], mask)?;
        let mut found = PixelArrays::default();
        device.read(0, &mut found)?;
        let values = (0..attributes.len()).map(|a| device.read_values(0, a));
        let values = values.collect::<Result<Vec<_>>>()?;
        drop(device);
        Ok(finder.complete(height, found, attributes, values))
    }

    /// Finds the pixels inside at some heights, with their attributes, and leaves them on the device.
    ///
    /// # Errors
    /// [`Error::Request`] if the device fails.
    pub fn time(&self, finder: &InteriorFinder<'_, '_>, heights: &[f64]) -> Result<InteriorRun> {
        let mut device = self.pixels.lock();
        let most = device.most_layers(&finder.pixels()).max(1);
        let mut all = InteriorRun::default();
        for heights in heights.chunks(most) {
            let run = self.run(&mut **device, finder, heights, None)?;
            all.pixels += run.pixels;
            all.left += run.left;
            all.seconds += run.seconds;
        }
        Ok(all)
    }

    /// Finds pixels, which stay on the device with their attributes.
    fn run(
        &self,
        device: &mut dyn InteriorPixels,
        finder: &InteriorFinder<'_, '_>,
        heights: &[f64],
        mask: Option<&[u8]>,
    ) -> Result<InteriorRun> {
        let tiles = self.tiles.of_layers(finder.axis, &finder.grid, heights);
        let claimed = device.claim(&finder.pixels(), heights, &tiles)?;
        let (left, listed) = device.left()?;
        let left: Vec<(usize, u32)> = left
            .iter()
            .enumerate()
            .flat_map(|(layer, pixels)| pixels.iter().map(move |&pixel| (layer, pixel)))
            .collect();
        device.settle(&finder.settle(heights, &left))?;
        let gathered = device.gather(mask)?;
        let pixels = (0..heights.len()).map(|layer| device.listed(layer)).sum();
        Ok(InteriorRun { pixels, left: left.len(), seconds: claimed + listed + gathered })
    }
}

impl InteriorFinder<'_, '_> {
    /// Places of the centers of pixels, `(layer, pixel)`, by threads of their own, none of rayon's:
    /// a device is locked.
    fn settle<'a>(&'a self, heights: &'a [f64], left: &'a [(usize, u32)]) -> Vec<SettledPixel> {
        let settle = |&(layer, pixel): &(usize, u32)| {
            let found = self.locator.find_piece(self.center(heights[layer], pixel));
            let (piece, parameters) =
                found.map_or((NONE, [0.0; 3]), |(piece, place)| (piece, place.parameters));
            SettledPixel { layer, pixel, piece, parameters }
        };
        let share = left.len().div_ceil(rayon::current_num_threads()).max(MIN_SETTLED);
        let settle = &settle;
        thread::scope(|scope| {
            let settled = |own: &'a [(usize, u32)]| {
                scope.spawn(move || own.iter().map(settle).collect::<Vec<SettledPixel>>())
            };
            let threads: Vec<_> = left.chunks(share).map(settled).collect();
            let joined = threads.into_iter().map(|t| t.join().unwrap_or_else(|e| resume_unwind(e)));
            joined.collect::<Vec<_>>().concat()
        })
    }

    /// Adds to what a device found of a layer what it leaves to the CPU: places that it does not
    /// know, and attributes in inexact pieces.
    fn complete(
        &self,
        height: f64,
        PixelArrays { mut pixels, mut pieces, mut parameters }: PixelArrays,
        attributes: &[AttributePieces],
        mut values: Vec<Vec<f64>>,
    ) -> InteriorValues {
        let all = self.locator.pieces();
        let unknown = |&i: &u32| {
            let piece = pieces[i as usize];
            piece == NONE || !all.pieces[piece as usize].exact
        };
        let mut elsewhere: Vec<u32> = (0..pixels.len() as u32).filter(unknown).collect();
        let nearest = |&i: &u32| {
            let i = i as usize;
            match pieces[i] {
                NONE => self.locator.nearest_piece(self.center(height, pixels[i])),
                _ => None,
            }
        };
        let nearest: Vec<_> = elsewhere.par_iter().map(nearest).collect();
        for (&i, found) in elsewhere.iter().zip(nearest) {
            let Some((piece, place)) = found else { continue };
            (pieces[i as usize], parameters[i as usize]) = (piece, place.parameters);
        }
        for (own, attribute) in values.iter_mut().zip(attributes) {
            let width = attribute.width;
            let mut others = vec![0.0; elsewhere.len() * width];
            others.par_chunks_mut(width).zip(&elsewhere).for_each(|(value, &i)| {
                let i = i as usize;
                if pieces[i] != NONE {
                    all.attribute_at(attribute, pieces[i] as usize, parameters[i], value);
                }
            });
            for (value, &i) in others.chunks_exact(width).zip(&elsewhere) {
                own[i as usize * width..][..width].copy_from_slice(value);
            }
        }
        elsewhere.retain(|&i| pieces[i as usize] == NONE);
        if !elsewhere.is_empty() {
            // a solid without pieces has no pixels
            (pixels, pieces, parameters) = Default::default();
            values.iter_mut().for_each(Vec::clear);
        }
        let elements = pieces.iter().map(|&piece| all.pieces[piece as usize].element).collect();
        InteriorValues { interior: Interior { pixels, elements, parameters, pieces }, values }
    }

    /// The middle of a pixel, in space.
    fn center(&self, height: f64, pixel: u32) -> [f64; 3] {
        let columns = self.grid.size[0] as u32;
        let plane = PixelPlane { axis: self.axis, height, grid: &self.grid };
        plane.center(pixel % columns, pixel / columns)
    }

    fn pixels(&self) -> Pixels {
        let PixelGrid { origin, pitch, size } = self.grid;
        Pixels { origin, pitch, size, along: self.axis.plane() }
    }
}
