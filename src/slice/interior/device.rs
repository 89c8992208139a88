//! Interiors of layers on a GPU; pixels that it cannot decide are finished on the CPU.

use rayon::prelude::*;

use super::tiles::Tiles;
use super::{Interior, NONE, PixelPlane};
use crate::backend::device::{
    Device, InteriorPixels, ParameterBox, PieceValues, PixelArrays, Pixels, SettledPixel,
};
use crate::error::IdKind;
use crate::error::{Error, Result};
use crate::locate::{AttributePieces, Locator, LocatorParts};
use crate::slice::{Axis, PixelGrid};

/// Interiors of layers by a GPU, in double precision.
///
/// Elements are as by an [`InteriorFinder`](super::InteriorFinder); parameters and values are
/// the same to some 1e-12 where the Jacobian allows.
pub struct DeviceInteriors<'l, 's> {
    locator: &'l Locator<'s>,
    axis: Axis,
    attributes: &'l [AttributePieces],
    tiles: Tiles,
    pixels: Box<dyn InteriorPixels>,
    last: Option<FoundLayers>,
}

/// What [`DeviceInteriors`] have on their GPU, and where it lies.
pub struct DetachedInteriors {
    tiles: Tiles,
    pixels: Box<dyn InteriorPixels>,
}

/// The layers found last.
struct FoundLayers {
    grid: PixelGrid,
    heights: Vec<f64>,
}

/// What finding some layers came to.
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

impl<'l, 's> DeviceInteriors<'l, 's> {
    /// Brings a locator's pieces to a GPU, halved until Newton's method decides in them, and
    /// attributes of [`locator.pieces()`](Locator::pieces).
    ///
    /// # Errors
    /// [`Error::Request`] if its memory is too small.
    pub fn new(
        locator: &'l Locator<'s>,
        axis: Axis,
        attributes: &'l [AttributePieces],
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
        let pixels = device.interiors(solid, &boxes, &values)?;
        let tiles = Tiles::new(parts.boxes, locator.reach());
        Ok(Self { locator, axis, attributes, tiles, pixels, last: None })
    }

    /// What is on the GPU, for [`DeviceInteriors::attach`].
    pub(crate) fn detach(self) -> DetachedInteriors {
        DetachedInteriors { tiles: self.tiles, pixels: self.pixels }
    }

    /// Interiors of the same locator, axis and attributes as those detached.
    pub(crate) fn attach(
        locator: &'l Locator<'s>,
        axis: Axis,
        attributes: &'l [AttributePieces],
        DetachedInteriors { tiles, pixels }: DetachedInteriors,
    ) -> Self {
        Self { locator, axis, attributes, tiles, pixels, last: None }
    }

    /// Layers that are found at once.
    pub fn most_layers(&self, grid: &PixelGrid) -> usize {
        self.pixels.most_layers(&self.pixels_of(grid))
    }

    /// Finds the pixels inside at some heights, or those that a mask `[layer][row][column]` covers
    /// (its bytes are not 0); they and the attributes there stay on the device until the next
    /// call. Covered pixels with their centers outside take over from others as
    /// [`InteriorFinder::covered`](super::InteriorFinder::covered) says.
    ///
    /// # Errors
    /// [`Error::Request`] for more layers than [`DeviceInteriors::most_layers`], a mask of
    /// another size, a grid that [`InteriorFinder`](super::InteriorFinder) refuses, or if the
    /// device fails.
    pub fn find(
        &mut self,
        grid: &PixelGrid,
        heights: &[f64],
        mask: Option<&[u8]>,
    ) -> Result<InteriorRun> {
        super::check(grid)?;
        let size = grid.size[0] * grid.size[1];
        if mask.is_some_and(|mask| mask.len() != heights.len() * size) {
            return Err(Error::request("a mask of another size than the layers")
                .with_help("give one byte for each pixel of all layers"));
        }
        self.last = None;
        let tiles = self.tiles.of_layers(self.axis, grid, heights);
        let mut run = InteriorRun::default();
        run.seconds += self.pixels.claim(&self.pixels_of(grid), heights, &tiles)?;
        let (left, seconds) = self.pixels.left()?;
        run.seconds += seconds;
        run.left = left.iter().map(Vec::len).sum();
        let left = left
            .iter()
            .enumerate()
            .flat_map(|(layer, pixels)| pixels.iter().map(move |&pixel| (layer, pixel)));
        let left: Vec<(usize, u32)> = left.collect();
        let settle = |&(layer, pixel): &(usize, u32)| {
            let found = self.locator.find_piece(self.center(grid, heights[layer], pixel));
            let (piece, parameters) =
                found.map_or((NONE, [0.0; 3]), |(piece, place)| (piece, place.parameters));
            SettledPixel { layer, pixel, piece, parameters }
        };
        let settled: Vec<SettledPixel> = left.par_iter().map(settle).collect();
        self.pixels.settle(&settled)?;
        run.seconds += self.pixels.gather(mask)?;
        run.pixels = (0..heights.len()).map(|layer| self.pixels.listed(layer)).sum();
        self.last = Some(FoundLayers { grid: *grid, heights: heights.to_vec() });
        Ok(run)
    }

    /// A layer of the last [`DeviceInteriors::find`].
    ///
    /// # Errors
    /// [`Error::Request`] if there is no such layer, or the copy fails.
    pub fn read(&mut self, layer: usize) -> Result<InteriorValues> {
        let Some((grid, height)) =
            self.last.as_ref().and_then(|last| Some((last.grid, *last.heights.get(layer)?)))
        else {
            return Err(Error::request(message!(IdKind::Layer.id(layer), ", which was not found"))
                .with_help("read one of the layers of the last search, counted from 0"));
        };
        let mut arrays = PixelArrays::default();
        self.pixels.read(layer, &mut arrays)?;
        let PixelArrays { mut pixels, mut pieces, mut parameters } = arrays;
        let all = self.locator.pieces();
        // where the device has no values: places that it does not know, and inexact pieces
        let unknown = |&i: &u32| {
            let piece = pieces[i as usize];
            piece == NONE || !all.pieces[piece as usize].exact
        };
        let mut elsewhere: Vec<u32> = (0..pixels.len() as u32).filter(unknown).collect();
        let nearest = |&i: &u32| {
            let i = i as usize;
            match pieces[i] {
                NONE => self.locator.nearest_piece(self.center(&grid, height, pixels[i])),
                _ => None,
            }
        };
        let nearest: Vec<_> = elsewhere.par_iter().map(nearest).collect();
        for (&i, found) in elsewhere.iter().zip(nearest) {
            let Some((piece, place)) = found else { continue };
            (pieces[i as usize], parameters[i as usize]) = (piece, place.parameters);
        }
        let mut values = Vec::with_capacity(self.attributes.len());
        for (number, attribute) in self.attributes.iter().enumerate() {
            let mut own = self.pixels.read_values(layer, number)?;
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
            values.push(own);
        }
        elsewhere.retain(|&i| pieces[i as usize] == NONE);
        if !elsewhere.is_empty() {
            // a solid without pieces has no pixels
            (pixels, pieces, parameters) = Default::default();
            values.iter_mut().for_each(Vec::clear);
        }
        let elements = pieces.iter().map(|&piece| all.pieces[piece as usize].element).collect();
        Ok(InteriorValues { interior: Interior { pixels, elements, parameters, pieces }, values })
    }

    /// The middle of a pixel, in space.
    fn center(&self, grid: &PixelGrid, height: f64, pixel: u32) -> [f64; 3] {
        let columns = grid.size[0] as u32;
        let plane = PixelPlane { axis: self.axis, height, grid };
        plane.center(pixel % columns, pixel / columns)
    }

    fn pixels_of(&self, grid: &PixelGrid) -> Pixels {
        let PixelGrid { origin, pitch, size } = *grid;
        Pixels { origin, pitch, size, along: self.axis.plane() }
    }
}
