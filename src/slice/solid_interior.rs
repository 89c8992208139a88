//! What a solid holds at the pixels of its layers: places, attributes and cell arrays.

use std::sync::OnceLock;

use super::interior::{BandMemory, BandRun, Interior, InteriorFinder, PixelNumbers, Tiles};
use super::source::PixelPlaces;
use super::spare::SpareMemory;
use crate::backend::Backend;
use crate::backend::cpu::Host;
use crate::backend::operations::{
    InteriorArrays, InteriorPixels, InteriorSource, ParameterBox, PieceValues, PixelArrays, Pixels,
    SettledPixel, TileParts,
};
use crate::error::Result;
use crate::locate::{AttributePieces, Locator, LocatorParts, Place};
use crate::mesh::{Attribute, CellArray};

/// Location of points in a solid, with attributes and cell arrays there.
#[derive(Debug)]
pub(super) struct SolidInterior<'s> {
    pub locator: Locator<'s>,
    pub attributes: Vec<AttributePieces>,
    pub cell_data: Vec<CellArray>,
    /// The inside on a processor.
    pub own: Box<dyn InteriorPixels>,
    /// The parts of the solid, once a device has them.
    tiles: OnceLock<Tiles>,
    /// Memory of bands of layers.
    spare: SpareMemory<BandMemory>,
    /// Memory of values of layers.
    pub values: SpareMemory<Vec<f64>>,
}

impl<'s> SolidInterior<'s> {
    /// The place closest to a point on the boundary, in the body that holds the point `beside` it:
    /// bodies that touch have no vertex in common.
    pub fn nearest_of_body(&self, point: [f64; 3], beside: [f64; 3]) -> Option<(u32, Place)> {
        let nearest = self.locator.nearest_piece(point)?;
        let Some(inner) = self.locator.nearest_piece(beside) else { return Some(nearest) };
        let pieces = self.locator.pieces();
        let corners = |piece: u32| {
            let element = pieces.solid().elements()[pieces.leaf(piece as usize).element as usize];
            pieces.solid().topology().cells().vertices(element.cell as usize)
        };
        let (own, others) = (corners(inner.0), corners(nearest.0));
        if own.iter().any(|v| others.contains(v)) {
            return Some(nearest);
        }
        let place = self.locator.in_piece(inner.0 as usize, point);
        Some((inner.0, place.unwrap_or(inner.1)))
    }

    pub fn new(
        locator: Locator<'s>,
        attributes: &[Attribute],
        cell_data: &[CellArray],
    ) -> Result<Self> {
        let attributes = attributes.iter().map(|a| locator.pieces().attribute(a));
        let attributes = attributes.collect::<Result<_>>()?;
        Ok(Self {
            attributes,
            cell_data: cell_data.to_vec(),
            locator,
            own: Box::new(Host),
            tiles: OnceLock::new(),
            spare: SpareMemory::default(),
            values: SpareMemory::default(),
        })
    }

    /// Brings the inside to a processor.
    pub fn bring(&mut self, backend: &dyn Backend) -> Result<()> {
        self.own = backend.operations().interiors(&|| self.arrays())?;
        Ok(())
    }

    fn arrays(&self) -> Result<InteriorArrays<'_>> {
        let LocatorParts { solid, boxes } = LocatorParts::new(&self.locator)?;
        self.tiles.get_or_init(|| Tiles::new(boxes, solid.reach));
        let pieces = self.locator.pieces().pieces.iter();
        let pieces = pieces.map(|p| ParameterBox { origin: p.origin, size: p.size }).collect();
        let attributes = self.attributes.iter();
        let attributes = attributes.map(|a| PieceValues { width: a.width, points: &a.points });
        let attributes = attributes.collect();
        Ok(InteriorArrays { solid, pieces, attributes })
    }

    fn elements<'a>(
        &'a self,
        pieces: &'a [u32],
    ) -> impl ExactSizeIterator<Item = u32> + Clone + use<'a, 's> {
        let all = &self.locator.pieces().pieces;
        pieces.iter().map(|&piece| all[piece as usize].element)
    }

    /// Values of the attributes and of the cells, as `[pixel][channel]`.
    fn interleaved(&self, found: &mut PixelArrays) -> Vec<f64> {
        let mut values = std::mem::take(&mut found.values);
        if values.len() == 1 && self.cell_data.is_empty() {
            return values.swap_remove(0);
        }
        let channels = self.widths().sum::<usize>();
        let mut all = vec![0.0; found.pieces.len() * channels];
        let mut first = 0;
        for (values, width) in values.iter().zip(self.widths()) {
            for (all, own) in all.chunks_exact_mut(channels).zip(values.chunks_exact(width)) {
                all[first..first + width].copy_from_slice(own);
            }
            first += width;
        }
        self.write_cells(&found.pieces, first, &mut all);
        all
    }

    /// Writes the values of the cells of pieces to `all`, `[pixel][channel]`, from channel `first` on.
    fn write_cells(&self, pieces: &[u32], mut first: usize, all: &mut [f64]) {
        let channels = self.widths().sum();
        let of_elements = self.locator.pieces().solid().elements();
        for CellArray { width, values, .. } in &self.cell_data {
            for (all, element) in all.chunks_exact_mut(channels).zip(self.elements(pieces)) {
                let cell = of_elements[element as usize].cell as usize;
                all[first..first + width].copy_from_slice(&values[cell * width..][..*width]);
            }
            first += width;
        }
    }

    /// Writes the values of pixels to `all`, as [`Self::interleaved`].
    fn write(&self, run: &BandRun<'_>, all: &mut [f64]) {
        let channels = self.widths().sum();
        let mut first = 0;
        for values in run.channels() {
            if channels == 1 {
                return all.copy_from_slice(values);
            }
            let all = all[first..].iter_mut().step_by(channels);
            all.zip(values).for_each(|(all, value)| *all = *value);
            first += 1;
        }
        self.write_cells(run.pieces, first, all);
    }

    /// Widths of the attributes and of the arrays of cells.
    pub fn widths(&self) -> impl Iterator<Item = usize> {
        let of_cells = self.cell_data.iter().map(|array| array.width);
        self.attributes.iter().map(|attribute| attribute.width).chain(of_cells)
    }

    /// The attributes, each with its part of what there is of the channels.
    pub fn each_with<'a, T>(
        &'a self,
        mut channels: &'a [T],
    ) -> impl Iterator<Item = (&'a AttributePieces, &'a [T])> {
        self.attributes.iter().map(move |attribute| {
            let (own, rest) = channels.split_at(attribute.width);
            channels = rest;
            (attribute, own)
        })
    }

    /// A layer in the words of the mesh.
    pub fn places(&self, mut found: PixelArrays) -> PixelPlaces {
        let values = self.interleaved(&mut found);
        let all = self.locator.pieces().solid().elements();
        let elements = self.elements(&found.pieces).map(|element| &all[element as usize]);
        PixelPlaces {
            cells: elements.clone().map(|element| element.cell).collect(),
            corners: elements.map(|element| element.corner).collect(),
            pixels: found.pixels,
            parameters: found.parameters,
            values,
        }
    }
}

/// The inside of a solid on a grid of pixels.
pub(super) struct InteriorLayer<'l, 's> {
    pub inside: &'l SolidInterior<'s>,
    pub finder: InteriorFinder<'l, 's>,
    /// Number of channels.
    pub width: usize,
}

impl InteriorSource for InteriorLayer<'_, '_> {
    fn places(&self, height: f64) -> PixelArrays {
        let found = self.finder.layer(height);
        let attributes = self.inside.attributes.iter();
        let values = attributes.map(|own| self.finder.values(&found, own)).collect();
        let Interior { pixels, parameters, pieces, .. } = found;
        PixelArrays { pixels, pieces, parameters, values }
    }

    fn values(&self, height: f64, coverage: &[u16]) -> Result<Vec<f64>> {
        let inside = self.inside;
        let write = |run: &BandRun<'_>, all: &mut [f64]| inside.write(run, all);
        let numbers = PixelNumbers { width: self.width, write };
        let mut values = inside.values.take();
        let (attributes, spare) = (&inside.attributes, &inside.spare);
        self.finder.covered_values(height, coverage, attributes, numbers, spare, &mut values)?;
        Ok(values)
    }

    fn pixels(&self) -> Pixels {
        self.finder.pixels()
    }

    fn tiles(&self, heights: &[f64]) -> TileParts {
        let tiles = self.inside.tiles.get();
        tiles.map_or_else(TileParts::default, |tiles| self.finder.tiles(tiles, heights))
    }

    fn settle(&self, heights: &[f64], left: &[(usize, u32)]) -> Vec<SettledPixel> {
        self.finder.settle(heights, left)
    }

    fn complete(&self, height: f64, found: PixelArrays) -> PixelArrays {
        self.finder.complete(height, found, &self.inside.attributes)
    }

    fn interleaved(&self, mut found: PixelArrays) -> Vec<f64> {
        self.inside.interleaved(&mut found)
    }
}
