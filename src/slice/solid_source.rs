//! Layers of a solid: contours and pixels by a slicer, attributes and cell arrays by a locator; and
//! layers of a surface, by a slicer alone.

use std::time::Instant;

use super::interior::{
    BandMemory, BandValues, InteriorFinder, InteriorRun, InteriorSearch, InteriorValues,
    PixelNumbers,
};
use super::source::{Channel, LayerSource, PixelPlaces};
use super::spare::SpareMemory;
use super::{Layer, PixelGrid, Slicer};
use crate::backend::Backend;
use crate::backend::device::Sampling;
use crate::error::{Error, Result};
use crate::limit::Solid;
use crate::locate::{AttributePieces, Locator, LocatorOptions, Place, layer_rings};
use crate::mesh::{Attribute, CellArray, Controls, component_ranges};

/// The limit volume of a solid, or what a surface bounds, as a source of layers.
#[derive(Debug)]
pub struct SolidSource<'s> {
    slicer: Slicer,
    /// Where a point is, and the values there; none for a solid of which nothing is asked there.
    inside: Option<SolidInterior<'s>>,
    channels: Vec<Channel>,
}

#[derive(Debug)]
pub(super) struct SolidInterior<'s> {
    pub locator: Locator<'s>,
    pub attributes: Vec<AttributePieces>,
    pub cell_data: Vec<CellArray>,
    /// The solid on a GPU.
    search: Option<InteriorSearch>,
    /// Memory of bands of layers.
    spare: SpareMemory<BandMemory>,
    /// Memory of values of layers.
    values: SpareMemory<Vec<f64>>,
}

impl<'s> SolidSource<'s> {
    /// Prepares the attributes of `controls` for the layers of `slicer`, which cuts the
    /// same controls over `solid`. To slice without attributes, give controls without.
    ///
    /// # Errors
    /// [`Error::Request`] if the controls are not the solid's.
    pub fn new(solid: &'s Solid, controls: Controls<'_>, slicer: Slicer) -> Result<Self> {
        match controls.attributes {
            [] => Ok(Self::outlines(slicer)),
            _ => Self::with_cell_data(solid, controls, &[], slicer),
        }
    }

    /// The layers of a slicer alone, without attributes: all that a surface has.
    pub fn outlines(slicer: Slicer) -> Self {
        Self { slicer, inside: None, channels: Vec::new() }
    }

    /// A source with attributes, and arrays of the mesh's cells after them: a pixel has the values
    /// of its cell. [`LayerSource::places`] is there even without either.
    ///
    /// # Errors
    /// As [`SolidSource::new`], and for arrays of another number of cells.
    pub fn with_cell_data(
        solid: &'s Solid,
        controls: Controls<'_>,
        cell_data: &[CellArray],
        slicer: Slicer,
    ) -> Result<Self> {
        let cells = solid.topology().cell_count();
        for CellArray { name, width, values, .. } in cell_data {
            if *width == 0 || width.checked_mul(cells) != Some(values.len()) {
                let have = values.len();
                return Err(Error::request(format!(
                    "cell array \"{name}\" has {have} values, {cells} x {width} are needed"
                ))
                .with_help("give every cell a row of values, of width 1 or more"));
            }
        }
        let rings = Some(layer_rings(solid));
        let options = LocatorOptions { rings, ..LocatorOptions::default() };
        let locator = Locator::with_options(solid, controls, options)?;
        let mut channels = Channel::of_solid(solid, controls.attributes);
        channels.extend(Channel::of_cells(cell_data));
        let inside = SolidInterior::new(locator, controls.attributes, cell_data)?;
        Ok(Self { slicer, inside: Some(inside), channels })
    }

    /// The locator of pixels, if there is something to locate for.
    pub fn locator(&self) -> Option<&Locator<'s>> {
        self.inside.as_ref().map(|inside| &inside.locator)
    }

    /// Brings the boundary, the inside and the attributes to a processor, which makes the pixels from
    /// then on: coverage with the same bits; cells are the same, parameters and values to some 1e-12
    /// where the Jacobian allows. Contours come from the CPU.
    ///
    /// # Errors
    /// [`Error::Request`] if a device's memory is too small.
    pub fn bring(&mut self, backend: &dyn Backend) -> Result<()> {
        self.slicer.bring(backend)?;
        if let Some(SolidInterior { locator, attributes, search, .. }) = &mut self.inside {
            let device = backend.device();
            *search =
                device.map(|own| InteriorSearch::new(locator, attributes, own)).transpose()?;
        }
        Ok(())
    }

    /// Finds the pixels inside at some heights, with the attributes there, and leaves them where the
    /// processor has them; says how many there are and how long it took.
    ///
    /// # Errors
    /// As [`LayerSource::places`].
    pub fn time_places(&self, heights: &[f64], grid: &PixelGrid) -> Result<InteriorRun> {
        let SolidInterior { locator, attributes, search, .. } = self.inside()?;
        let finder = InteriorFinder::new(locator, self.slicer.axis(), *grid)?;
        if let Some(search) = search {
            return search.time(&finder, heights);
        }
        let (start, mut run) = (Instant::now(), InteriorRun::default());
        for &height in heights {
            let interior = finder.layer(height);
            attributes.iter().for_each(|own| drop(finder.values(&interior, own)));
            run.pixels += interior.len();
        }
        Ok(InteriorRun { seconds: start.elapsed().as_secs_f64(), ..run })
    }

    /// The slicer.
    pub fn slicer(&self) -> &Slicer {
        &self.slicer
    }

    /// Location of points in the solid, with attributes and cell arrays.
    ///
    /// # Errors
    /// [`Error::Request`] for a solid without attributes.
    pub(super) fn inside(&self) -> Result<&SolidInterior<'s>> {
        self.inside.as_ref().ok_or_else(|| {
            Error::request("the layers have neither attributes nor places")
                .with_help("slice controls that have attributes, or ask for places")
        })
    }
}

impl Channel {
    /// The components of attributes, one after the other.
    pub fn of(attributes: &[Attribute]) -> Vec<Self> {
        attributes.iter().flat_map(|a| Self::components(&a.name, a.width, &a.values)).collect()
    }

    /// The same, with the ranges of the vertices of cells.
    fn of_solid(solid: &Solid, attributes: &[Attribute]) -> Vec<Self> {
        let of_one =
            |a: &Attribute| Self::components(&a.name, a.width, &solid.spanning(&a.values, a.width));
        attributes.iter().flat_map(of_one).collect()
    }

    /// The components of cell arrays, one after the other; a group's component has its name.
    pub fn of_cells(cell_data: &[CellArray]) -> Vec<Self> {
        let of_one = |array: &CellArray| {
            let name = Self::attribute_of(array);
            let mut channels = Self::components(name, array.width, &array.values);
            // black is outside, also if all cells are inside
            if array.group_name().is_some() {
                channels.iter_mut().for_each(|channel| channel.range = [0.0, 1.0]);
            }
            channels
        };
        cell_data.iter().filter(|array| !array.is_ghosts()).flat_map(of_one).collect()
    }

    /// The attribute of a cell array's channels: the array's name, or its group's.
    pub(super) fn attribute_of(array: &CellArray) -> &str {
        array.group_name().unwrap_or(&array.name)
    }

    fn components(name: &str, width: usize, values: &[f64]) -> Vec<Self> {
        let component = |(c, range): (usize, [f64; 2])| {
            let component = if width == 1 { name.to_owned() } else { format!("{name}_{c}") };
            Self { name: component, attribute: name.to_owned(), range }
        };
        component_ranges(values, width).into_iter().enumerate().map(component).collect()
    }
}

impl<'s> SolidInterior<'s> {
    /// The place closest to a point on the boundary, in the body that holds the point `beside` it:
    /// bodies that touch have no vertex in common.
    fn nearest_of_body(&self, point: [f64; 3], beside: [f64; 3]) -> Option<(u32, Place)> {
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

    fn new(
        locator: Locator<'s>,
        attributes: &[Attribute],
        cell_data: &[CellArray],
    ) -> Result<Self> {
        let attributes = attributes.iter().map(|a| locator.pieces().attribute(a));
        let attributes = attributes.collect::<Result<_>>()?;
        let (spare, values) = (SpareMemory::default(), SpareMemory::default());
        let cell_data = cell_data.to_vec();
        Ok(Self { attributes, cell_data, locator, search: None, spare, values })
    }

    /// Values of the attributes, `[attribute][pixel][width]`, and of the cells, as
    /// `[pixel][channel]`.
    pub fn interleaved(
        &self,
        elements: impl ExactSizeIterator<Item = u32> + Clone,
        mut values: Vec<Vec<f64>>,
    ) -> Vec<f64> {
        if values.len() == 1 && self.cell_data.is_empty() {
            return values.swap_remove(0);
        }
        let mut all = vec![0.0; elements.len() * self.widths().sum::<usize>()];
        self.interleave(elements, &values, &mut all);
        all
    }

    /// Writes [`SolidInterior::interleaved`] to `all`.
    fn interleave(
        &self,
        elements: impl Iterator<Item = u32> + Clone,
        values: &[Vec<f64>],
        all: &mut [f64],
    ) {
        if let ([values], []) = (values, &self.cell_data[..]) {
            all.copy_from_slice(values);
            return;
        }
        let of_elements = self.locator.pieces().solid().elements();
        let cells = elements.map(|element| of_elements[element as usize].cell);
        let of_cells = self.cell_data.iter().map(|array| array.of_cells(cells.clone()).values);
        let of_cells: Vec<Vec<f64>> = of_cells.collect();
        let channels = self.widths().sum();
        let mut first = 0;
        for (values, width) in values.iter().chain(&of_cells).zip(self.widths()) {
            for (all, own) in all.chunks_exact_mut(channels).zip(values.chunks_exact(width)) {
                all[first..first + width].copy_from_slice(own);
            }
            first += width;
        }
    }

    /// Widths of the attributes and of the arrays of cells.
    fn widths(&self) -> impl Iterator<Item = usize> {
        let of_cells = self.cell_data.iter().map(|array| array.width);
        self.attributes.iter().map(|attribute| attribute.width).chain(of_cells)
    }

    /// A layer in the words of the mesh.
    pub fn places(&self, found: InteriorValues) -> PixelPlaces {
        let values = self.interleaved(found.interior.elements.iter().copied(), found.values);
        let elements = self.locator.pieces().solid().elements();
        let elements = found.interior.elements.iter().map(|&element| &elements[element as usize]);
        PixelPlaces {
            cells: elements.clone().map(|element| element.cell).collect(),
            corners: elements.map(|element| element.corner).collect(),
            pixels: found.interior.pixels,
            parameters: found.interior.parameters,
            values,
        }
    }
}

impl LayerSource for SolidSource<'_> {
    fn contours(&self, index: usize, height: f64) -> Result<Layer> {
        Ok(self.slicer.layer(index, height))
    }

    fn coverage(&self, heights: &[f64], grid: &PixelGrid, sampling: Sampling) -> Result<Vec<u16>> {
        self.slicer.coverage(heights, grid, sampling)
    }

    fn attributes(&self, height: f64, grid: &PixelGrid, coverage: &[u16]) -> Result<Vec<f64>> {
        let inside = self.inside()?;
        let finder = InteriorFinder::new(&inside.locator, self.slicer.axis(), *grid)?;
        if let Some(search) = &inside.search {
            let mask: Vec<u8> = coverage.iter().map(|&covered| u8::from(covered > 0)).collect();
            let found = search.find(&finder, &inside.attributes, height, Some(&mask))?;
            let elements = found.interior.elements.iter().copied();
            return Ok(inside.interleaved(elements, found.values));
        }
        let pieces = &inside.locator.pieces().pieces;
        let write = |band: &BandValues, all: &mut [f64]| {
            let elements = band.pieces.iter().map(|&piece| pieces[piece as usize].element);
            inside.interleave(elements, &band.values, all);
        };
        let numbers = PixelNumbers { width: self.channels.len(), write };
        let (attributes, spare) = (&inside.attributes, &inside.spare);
        let mut values = inside.values.take();
        finder.covered_values(height, coverage, attributes, numbers, spare, &mut values)?;
        Ok(values)
    }

    fn reuse(&self, values: Vec<f64>) {
        if let Some(inside) = &self.inside {
            inside.values.give(values);
        }
    }

    fn places(&self, height: f64, grid: &PixelGrid) -> Result<PixelPlaces> {
        let inside = self.inside()?;
        let finder = InteriorFinder::new(&inside.locator, self.slicer.axis(), *grid)?;
        if let Some(search) = &inside.search {
            return Ok(inside.places(search.find(&finder, &inside.attributes, height, None)?));
        }
        let interior = finder.layer(height);
        let attributes = inside.attributes.iter();
        let values = attributes.map(|attribute| finder.values(&interior, attribute)).collect();
        Ok(inside.places(InteriorValues { interior, values }))
    }

    fn attributes_at(&self, points: &[[f64; 3]], inward: &[[f64; 3]]) -> Result<Vec<f64>> {
        let inside = self.inside()?;
        let SolidInterior { locator, attributes, cell_data, .. } = inside;
        let elements = locator.pieces().solid().elements();
        let mut values = Vec::with_capacity(points.len() * self.channels.len());
        for (&point, inward) in points.iter().zip(inward) {
            let beside = [0, 1, 2].map(|d| point[d] + self.slicer.tolerance() * inward[d]);
            let Some((piece, place)) = inside.nearest_of_body(point, beside) else {
                return Err(Error::request(format!("no place is next to {point:?}")));
            };
            for attribute in attributes {
                let start = values.len();
                values.resize(start + attribute.width, 0.0);
                let value = &mut values[start..];
                locator.pieces().attribute_at(attribute, piece as usize, place.parameters, value);
            }
            let element = locator.pieces().leaf(piece as usize).element;
            let cell = elements[element as usize].cell as usize;
            for CellArray { width, values: of_cells, .. } in cell_data {
                values.extend(&of_cells[cell * width..][..*width]);
            }
        }
        Ok(values)
    }

    fn channels(&self) -> &[Channel] {
        &self.channels
    }
}
