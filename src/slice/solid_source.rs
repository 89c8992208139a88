//! Layers of a solid: contours and pixels by a slicer, attributes and cell arrays by a locator; and
//! layers of a surface, by a slicer alone.

use super::interior::InteriorFinder;
use super::lattice::{LatticeLayers, TileLattice};
use super::part::PartExtent;
use super::solid_interior::{InteriorLayer, SolidInterior};
use super::source::{Channel, LayerPixels, LayerSource, PixelPlaces};
use super::{Layer, PixelGrid, Slicer};
use crate::backend::Backend;
use crate::backend::operations::{InteriorRun, Sampling};
use crate::error::{Error, Result};
use crate::limit::Solid;
use crate::locate::{Locator, LocatorOptions, layer_rings};
use crate::mesh::{Attribute, CellArray, Controls, component_ranges};
use crate::numbers::counted;

/// The limit volume of a solid, what a surface bounds, or several of these, as a source of layers.
#[derive(Debug)]
pub struct SolidSource<'s> {
    slicer: Slicer,
    // as many as the slicer has
    pub(super) parts: Vec<SourcePart<'s>>,
    channels: Vec<Channel>,
    lattice: Option<LatticeLayers>,
}

/// What is known inside a part.
#[derive(Debug)]
pub struct SourcePart<'s> {
    // if there is a channel that is 1 in it and 0 in others
    name: Option<String>,
    /// Where a point is, and the values there; none for a part of which nothing is asked there.
    pub(super) inside: Option<SolidInterior<'s>>,
    /// The channels of its values; then their places among those of all parts.
    channels: Vec<Channel>,
    pub(super) places: Vec<usize>,
    /// Place of its own channel.
    pub(super) place: Option<usize>,
}

impl<'s> SourcePart<'s> {
    /// A part without attributes: all that a surface has.
    pub fn outline() -> Self {
        Self { name: None, inside: None, channels: vec![], places: vec![], place: None }
    }

    /// The part with a channel of its own if it has a name: 1 in the part, 0 in others.
    pub fn named(self, name: Option<String>) -> Self {
        Self { name, ..self }
    }

    /// A part with attributes, and arrays of the mesh's cells after them: a pixel has the values
    /// of its cell.
    ///
    /// # Errors
    /// [`Error::Request`] if the controls are not the solid's, and for arrays of another number of
    /// cells.
    pub fn new(solid: &'s Solid, controls: Controls<'_>, cell_data: &[CellArray]) -> Result<Self> {
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
        let inside = Some(SolidInterior::new(locator, controls.attributes, cell_data)?);
        Ok(Self { inside, channels, ..Self::outline() })
    }
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
        let parts = slicer.parts.iter().map(|_| SourcePart::outline()).collect();
        Self { slicer, parts, channels: Vec::new(), lattice: None }
    }

    /// A source with attributes, and arrays of the mesh's cells after them: a pixel has the values
    /// of its cell. [`LayerSource::places`] is there even without either.
    ///
    /// # Errors
    /// As [`SolidSource::new`] and [`SourcePart::new`].
    pub fn with_cell_data(
        solid: &'s Solid,
        controls: Controls<'_>,
        cell_data: &[CellArray],
        slicer: Slicer,
    ) -> Result<Self> {
        Self::of_parts(slicer, vec![SourcePart::new(solid, controls, cell_data)?])
    }

    /// Makes the material of the one part that of a lattice, whose size may be one of `attributes`;
    /// `pitch`: edges of the pixels that contours are found on, if they are asked for. Places and
    /// attributes of pixels are those that the material covers.
    ///
    /// # Errors
    /// As [`TileLattice::check`]; [`Error::Request`] for an attribute that is not there, has several
    /// components or is out of range, for several parts, and without [places](LayerSource::places).
    pub fn set_lattice(
        &mut self,
        lattice: TileLattice,
        attributes: &[Attribute],
        pitch: Option<[f64; 2]>,
    ) -> Result<()> {
        let locator = &self.inside()?.locator;
        self.lattice = Some(LatticeLayers::new(lattice, pitch, locator, attributes)?);
        Ok(())
    }

    /// The lattice, and what it is asked with.
    fn lattice(&self) -> Option<(&LatticeLayers, (&Slicer, &Locator<'s>))> {
        Some((self.lattice.as_ref()?, (&self.slicer, self.locator()?)))
    }

    /// The layers of several parts, in the order of the slicer's. Channels of equal names are one;
    /// parts without it have 0 of it. The named parts' own channels come after them.
    ///
    /// # Errors
    /// [`Error::Request`] for another number of parts, and for a part that has the name of another
    /// or of an attribute.
    pub fn of_parts(slicer: Slicer, mut parts: Vec<SourcePart<'s>>) -> Result<Self> {
        let count = slicer.parts.len();
        if parts.len() != count {
            let given = counted(parts.len(), "part");
            return Err(Error::request(format!("{given} for the layers of {count}"))
                .with_help("give the parts that the slicer has"));
        }
        let mut channels: Vec<Channel> = Vec::new();
        for part in &mut parts {
            for own in &part.channels {
                let found = channels.iter().position(|channel| channel.name == own.name);
                let place = found.unwrap_or(channels.len());
                match channels.get_mut(place) {
                    None => channels.push(own.clone()),
                    Some(Channel { range, .. }) => {
                        let [low, high] = own.range;
                        *range = [range[0].min(low), range[1].max(high)];
                    }
                }
                part.places.push(place);
            }
        }
        for (place, Channel { range, .. }) in channels.iter_mut().enumerate() {
            if !parts.iter().all(|part| part.places.contains(&place)) {
                *range = [range[0].min(0.0), range[1].max(0.0)];
            }
        }
        for part in &mut parts {
            let Some(name) = &part.name else { continue };
            if channels.iter().any(|channel| channel.is_named(name)) {
                return Err(Error::request(format!(
                    "part {name:?} has the name of another part or of an attribute"
                ))
                .with_help("give it another name"));
            }
            part.place = Some(channels.len());
            let name = name.clone();
            channels.push(Channel { attribute: name.clone(), name, range: [0.0, 1.0] });
        }
        Ok(Self { slicer, parts, channels, lattice: None })
    }

    /// The locator of pixels of the first part, if there is something to locate for.
    pub fn locator(&self) -> Option<&Locator<'s>> {
        self.parts.first()?.inside.as_ref().map(|inside| &inside.locator)
    }

    /// Brings the boundary, the inside and the attributes to a processor, which makes the pixels from
    /// then on: coverage with the same bits; cells are the same, parameters and values to some 1e-12
    /// where the Jacobian allows; of a lattice the same bits. Contours come from the CPU.
    ///
    /// # Errors
    /// [`Error::Request`] if a device's memory is too small.
    pub fn bring(&mut self, backend: &dyn Backend) -> Result<()> {
        self.slicer.bring(backend)?;
        let mut insides = self.parts.iter_mut().filter_map(|part| part.inside.as_mut());
        insides.try_for_each(|inside| inside.bring(backend))?;
        self.lattice.as_mut().map_or(Ok(()), |lattice| lattice.bring(backend))
    }

    /// Finds the pixels inside at some heights, with the attributes there, and leaves them where the
    /// processor has them; says how many there are and how long it took.
    ///
    /// # Errors
    /// As [`LayerSource::places`].
    pub fn time_places(&self, heights: &[f64], grid: &PixelGrid) -> Result<InteriorRun> {
        let inside = self.inside()?;
        inside.own.time(&self.layer(inside, grid)?, heights)
    }

    /// Seconds that the processor takes for the lattice of the layers at some heights: device events on
    /// a GPU, the wall clock on the CPU. None without a lattice.
    ///
    /// # Errors
    /// As [`LayerSource::coverage`].
    pub fn time_lattice(
        &self,
        heights: &[f64],
        grid: &PixelGrid,
        sampling: Sampling,
    ) -> Result<Option<f64>> {
        let Some((lattice, model)) = self.lattice() else { return Ok(None) };
        Ok(Some(lattice.coverage(model, heights, grid, sampling)?.1))
    }

    /// The inside of a part on a grid of pixels.
    pub(super) fn layer<'a>(
        &'a self,
        inside: &'a SolidInterior<'s>,
        grid: &PixelGrid,
    ) -> Result<InteriorLayer<'a, 's>> {
        let finder = InteriorFinder::new(&inside.locator, self.slicer.axis(), *grid)?;
        Ok(InteriorLayer { inside, finder, width: inside.widths().sum() })
    }

    /// The slicer.
    pub fn slicer(&self) -> &Slicer {
        &self.slicer
    }

    /// Location of points in the one solid, with attributes and cell arrays.
    pub(super) fn inside(&self) -> Result<&SolidInterior<'s>> {
        let [part] = &self.parts[..] else {
            return Err(Error::request("places in several parts")
                .with_help("slice the parts one by one, or leave places out"));
        };
        part.inside.as_ref().ok_or_else(|| {
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

impl LayerSource for SolidSource<'_> {
    fn contours(&self, index: usize, height: f64) -> Result<Layer> {
        match self.lattice() {
            None => Ok(self.slicer.layer(index, height)),
            Some((lattice, model)) => lattice.contours(model, index, height),
        }
    }

    fn part_contours(&self, index: usize, height: f64) -> Result<Vec<Layer>> {
        match &self.slicer.parts[..] {
            [_] => Ok(vec![self.contours(index, height)?]),
            parts => {
                let of =
                    |part: &PartExtent| self.slicer.layer_of(part.patches.clone(), index, height);
                Ok(parts.iter().map(of).collect())
            }
        }
    }

    fn coverage(&self, heights: &[f64], grid: &PixelGrid, sampling: Sampling) -> Result<Vec<u16>> {
        match self.lattice() {
            None => self.slicer.coverage(heights, grid, sampling),
            Some((lattice, model)) => Ok(lattice.coverage(model, heights, grid, sampling)?.0),
        }
    }

    fn attributes(&self, pixels: &LayerPixels<'_>, coverage: &[u16]) -> Result<Vec<f64>> {
        if !matches!(&self.parts[..], [SourcePart { place: None, .. }]) {
            return self.mixed(pixels, coverage);
        }
        let inside = self.inside()?;
        inside.own.values(&self.layer(inside, pixels.grid)?, pixels.height, coverage)
    }

    fn reuse(&self, values: Vec<f64>) {
        if let [SourcePart { inside: Some(inside), .. }] = &self.parts[..] {
            inside.values.give(values);
        }
    }

    fn places(&self, height: f64, grid: &PixelGrid) -> Result<PixelPlaces> {
        let inside = self.inside()?;
        let mut places = inside.places(inside.own.places(&self.layer(inside, grid)?, height)?);
        if self.lattice.is_some() {
            let material = self.coverage(&[height], grid, Sampling::Center)?;
            places.retain(self.channels.len(), |pixel| material[pixel as usize] > 0);
        }
        Ok(places)
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
