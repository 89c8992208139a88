//! Attributes of the pixels of some rows.

use std::ops::Range;

use super::NONE;
use super::newton::{LANES, LaneNumbers};
use super::polynomial::RowFit;
use crate::locate::{AttributePieces, LocatorPieces};

/// Attributes of pixels, of those that have a place.
pub struct PixelValues<'a, 's> {
    pieces: &'a LocatorPieces<'s>,
    attributes: &'a [AttributePieces],
    // [channel][pixel]
    channels: Vec<Vec<f64>>,
    // if a device evaluates polynomials: the region of each pixel, or NONE of one whose channels are set
    regions: Option<Vec<u32>>,
    // pixels of the part at work that are not evaluated yet, and the element's parameters there
    waiting: Vec<usize>,
    places: Vec<[f64; 3]>,
}

impl<'a, 's> PixelValues<'a, 's> {
    /// Attributes of `count` pixels, in arrays that may hold anything.
    pub fn new(
        pieces: &'a LocatorPieces<'s>,
        attributes: &'a [AttributePieces],
        mut channels: Vec<Vec<f64>>,
        count: usize,
    ) -> Self {
        channels.resize_with(attributes.iter().map(|attribute| attribute.width).sum(), Vec::new);
        channels.iter_mut().for_each(|channel| channel.resize(count, 0.0));
        Self {
            pieces,
            attributes,
            channels,
            regions: None,
            waiting: Vec::new(),
            places: Vec::new(),
        }
    }

    /// Keeps the regions of pixels in an array of as many, which may hold anything, not values of their
    /// polynomials.
    pub fn keep_regions(&mut self, regions: Option<Vec<u32>>) {
        self.regions = regions;
    }

    /// The arrays.
    pub fn into_arrays(self) -> (Vec<Vec<f64>>, Option<Vec<u32>>) {
        (self.channels, self.regions)
    }

    /// The regions, if a device evaluates polynomials.
    pub fn regions(&self) -> Option<&[u32]> {
        self.regions.as_deref()
    }

    /// Sets the pixels `at` of a row, from a column on.
    #[inline(always)]
    pub fn set(&mut self, line: &RowFit, column: u32, at: Range<usize>) {
        if let Some(regions) = &mut self.regions {
            regions[at].fill(line.region);
            return;
        }
        for (channel, values) in self.channels.iter_mut().enumerate() {
            let (groups, rest) = values[at.clone()].as_chunks_mut::<LANES>();
            let mut first = column;
            for group in groups {
                *group = line.at(3 + channel, &line.variable(first));
                first += LANES as u32;
            }
            let last = line.at(3 + channel, &line.variable(first));
            rest.copy_from_slice(&last[..rest.len()]);
        }
    }

    /// Sets the values of the chosen lanes of eight pixels, from `at` on.
    #[inline(always)]
    pub fn set_some(
        &mut self,
        line: &RowFit,
        variable: &LaneNumbers,
        chosen: &[bool; LANES],
        at: usize,
    ) {
        if let Some(regions) = &mut self.regions {
            let lanes = regions[at..].iter_mut().zip(chosen);
            lanes.filter(|(_, chosen)| **chosen).for_each(|(own, _)| *own = line.region);
            return;
        }
        for (channel, values) in self.channels.iter_mut().enumerate() {
            let found = line.at(3 + channel, variable);
            let lanes = values[at..].iter_mut().zip(found).zip(chosen);
            lanes.filter(|(_, chosen)| **chosen).for_each(|((own, value), _)| *own = value);
        }
    }

    /// Leaves a pixel to [`PixelValues::settle`].
    #[inline(always)]
    pub fn wait(&mut self, at: usize, parameters: [f64; 3]) {
        if let Some(regions) = &mut self.regions {
            regions[at] = NONE;
        }
        if !self.attributes.is_empty() {
            self.waiting.push(at);
            self.places.push(parameters);
        }
    }

    /// Evaluates the pixels that wait, all in one piece.
    pub fn settle(&mut self, piece: u32) {
        let mut channels = self.channels.iter_mut();
        for attribute in self.attributes {
            let width = attribute.width;
            let mut values = vec![0.0; self.places.len() * width];
            self.pieces.attributes_at(attribute, piece as usize, &self.places, &mut values);
            for (component, channel) in channels.by_ref().take(width).enumerate() {
                let values = values.iter().skip(component).step_by(width);
                self.waiting.iter().zip(values).for_each(|(&at, &value)| channel[at] = value);
            }
        }
        self.waiting.clear();
        self.places.clear();
    }

    /// Components of all attributes, `[component][pixel]`.
    pub fn channels(&self) -> &[Vec<f64>] {
        &self.channels
    }

    /// The same of a place of a piece.
    pub fn evaluated(&self, piece: u32, parameters: [f64; 3]) -> Vec<Vec<f64>> {
        let mut all = Vec::with_capacity(self.channels.len());
        for attribute in self.attributes {
            let mut values = vec![0.0; attribute.width];
            self.pieces.attribute_at(attribute, piece as usize, parameters, &mut values);
            all.extend(values.into_iter().map(|value| vec![value]));
        }
        all
    }
}
