//! Layers of a solid: contours and pixels by a slicer, attributes by a locator.

use super::coverage::Sampling;
use super::interior::{InteriorFinder, InteriorValues, interleaved};
use super::source::{Channel, LayerSource, PixelPlaces};
use super::{Layer, PixelGrid, Slicer};
use crate::error::{Error, Result};
use crate::limit::Solid;
use crate::locate::{AttributePieces, Locator};
use crate::mesh::{Attribute, Controls};

/// The limit volume as a source of layers.
#[derive(Debug)]
pub struct SolidSource<'s> {
    slicer: Slicer,
    /// Where a point is, and what is there; none for a solid without attributes.
    inside: Option<Inside<'s>>,
    channels: Vec<Channel>,
}

#[derive(Debug)]
pub(super) struct Inside<'s> {
    pub locator: Locator<'s>,
    pub attributes: Vec<AttributePieces>,
}

impl<'s> SolidSource<'s> {
    /// Prepares the attributes of `controls` for the layers of `slicer`, which cuts the
    /// same controls over `solid`. To slice without attributes, give controls without.
    ///
    /// # Errors
    /// [`Error::Request`] if the controls are not the solid's.
    pub fn new(solid: &'s Solid, controls: Controls<'_>, slicer: Slicer) -> Result<Self> {
        match controls.attributes {
            [] => Ok(Self { slicer, inside: None, channels: Vec::new() }),
            _ => Self::with_places(solid, controls, slicer),
        }
    }

    /// The same, with [`LayerSource::places`] even without attributes.
    ///
    /// # Errors
    /// Those of [`SolidSource::new`].
    pub fn with_places(solid: &'s Solid, controls: Controls<'_>, slicer: Slicer) -> Result<Self> {
        let locator = Locator::new(solid, controls)?;
        let pieces = locator.pieces();
        let attributes = controls.attributes.iter().map(|a| pieces.attribute(a));
        let inside = Inside { attributes: attributes.collect::<Result<_>>()?, locator };
        Ok(Self { slicer, inside: Some(inside), channels: Channel::of(controls.attributes) })
    }

    /// The slicer.
    pub fn slicer(&self) -> &Slicer {
        &self.slicer
    }

    /// Where points are, and what is there.
    ///
    /// # Errors
    /// [`Error::Request`] for a solid without attributes.
    pub(super) fn inside(&self) -> Result<&Inside<'s>> {
        self.inside.as_ref().ok_or_else(|| {
            Error::request("the layers have neither attributes nor places")
                .with_help("slice controls that have attributes, or ask for places")
        })
    }
}

impl Channel {
    /// The components of attributes, one after the other.
    pub fn of(attributes: &[Attribute]) -> Vec<Self> {
        let of_one = |attribute: &Attribute| {
            let Attribute { name, width, values } = attribute;
            let component = |c: usize| {
                let values = values.iter().skip(c).step_by((*width).max(1));
                let range = values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], &x| {
                    [low.min(x), high.max(x)]
                });
                let component = if *width == 1 { name.clone() } else { format!("{name}_{c}") };
                Self { name: component, attribute: name.clone(), range }
            };
            (0..*width).map(component).collect::<Vec<_>>()
        };
        attributes.iter().flat_map(of_one).collect()
    }
}

impl Inside<'_> {
    /// A layer in the words of the mesh.
    pub fn places(&self, found: InteriorValues) -> PixelPlaces {
        let values = interleaved(found.values, &self.attributes);
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

    fn coverage(&self, heights: &[f64], grid: &PixelGrid, antialias: bool) -> Result<Vec<u16>> {
        let sampling = if antialias { Sampling::Area } else { Sampling::Centre };
        self.slicer.coverage(heights, grid, sampling)
    }

    fn attributes(&self, height: f64, grid: &PixelGrid, coverage: &[u16]) -> Result<Vec<f64>> {
        let inside = self.inside()?;
        let finder = InteriorFinder::new(&inside.locator, self.slicer.axis(), *grid)?;
        let mask: Vec<u8> = coverage.iter().map(|&covered| u8::from(covered > 0)).collect();
        finder.covered_values(height, &mask, &inside.attributes)
    }

    fn places(&self, height: f64, grid: &PixelGrid) -> Result<PixelPlaces> {
        let inside = self.inside()?;
        let finder = InteriorFinder::new(&inside.locator, self.slicer.axis(), *grid)?;
        let interior = finder.layer(height);
        let attributes = inside.attributes.iter();
        let values = attributes.map(|attribute| finder.values(&interior, attribute)).collect();
        Ok(inside.places(InteriorValues { interior, values }))
    }

    fn attributes_at(&self, points: &[[f64; 3]]) -> Result<Vec<f64>> {
        let Inside { locator, attributes } = self.inside()?;
        let mut values = Vec::with_capacity(points.len() * self.channels.len());
        for &point in points {
            let Some((piece, place)) = locator.nearest_piece(point) else {
                return Err(Error::request(format!("no place is next to {point:?}")));
            };
            for attribute in attributes {
                let start = values.len();
                values.resize(start + attribute.width, 0.0);
                let value = &mut values[start..];
                locator.pieces().attribute_at(attribute, piece as usize, place.parameters, value);
            }
        }
        Ok(values)
    }

    fn channels(&self) -> &[Channel] {
        &self.channels
    }
}
