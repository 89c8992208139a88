//! How much an attribute changes between heights, for layers as high as its change allows.
//!
//! # Practice
//! Columns of places along the axis of the layers are looked at, equidistant in the plane and in height.
//! What the attribute changes by from one height to the next is the largest of all columns that are
//! inside at both; where a column enters or leaves the solid, it goes on as it does beside. The sum of
//! these, with 1 % to spare for what lies between the columns, bounds the change across a layer: the
//! difference of the sums at its ends.

use rayon::prelude::*;

use super::frame::PixelGrid;
use super::interior::InteriorFinder;
use super::part::PartExtent;
use super::solid_interior::SolidInterior;
use super::solid_source::SolidSource;
use super::source::{Channel, LayerSource};
use crate::error::{Error, Result, option_name};
use crate::interrupt::stop_point;

/// Columns along the longer side of a part in the plane.
const COLUMNS: f64 = 128.0;

/// Heights that a task looks at: two more on either side are looked at twice.
const TASK_STEPS: usize = 32;

/// How much more than that of the columns a change is taken for: what lies between them.
const SLACK: f64 = 1e-2;

/// The change of an attribute between heights, added up from the lowest.
#[derive(Clone, Debug, PartialEq)]
pub struct AttributeChange {
    low: f64,
    step: f64,
    // at low + k · step
    sums: Vec<f64>,
}

impl AttributeChange {
    fn new([low, high]: [f64; 2], changes: &[f64]) -> Self {
        let mut sum = 0.0;
        let sums = changes.iter().map(|change| {
            sum += (1.0 + SLACK) * change;
            sum
        });
        let sums = std::iter::once(0.0).chain(sums).collect();
        Self { low, step: (high - low) / changes.len() as f64, sums }
    }

    /// The same of a solid whose heights are multiplied by `factor`.
    pub fn scaled(self, factor: f64) -> Self {
        Self { low: factor * self.low, step: factor * self.step, ..self }
    }

    /// A bound of the change between two heights.
    pub fn between(&self, [bottom, top]: [f64; 2]) -> f64 {
        self.sum(top) - self.sum(bottom)
    }

    /// The greatest height of a layer with its bottom at `bottom` across which the attribute changes by
    /// no more than `most`; infinite where the solid ends before.
    pub fn height(&self, bottom: f64, most: f64) -> f64 {
        let end = self.sum(bottom) + most;
        // the first height where the sum is larger
        let above = self.sums.partition_point(|&sum| sum <= end);
        if above == 0 || above == self.sums.len() {
            return f64::INFINITY;
        }
        let [low, high] = [self.sums[above - 1], self.sums[above]];
        let top = self.low + self.step * ((above - 1) as f64 + (end - low) / (high - low));
        top - bottom
    }

    fn sum(&self, height: f64) -> f64 {
        let last = self.sums.len() - 1;
        let place = ((height - self.low) / self.step).clamp(0.0, last as f64);
        let below = (place as usize).min(last - 1);
        let [low, high] = [self.sums[below], self.sums[below + 1]];
        low + (place - below as f64) * (high - low)
    }
}

impl SolidSource<'_> {
    /// What the components of an attribute of the vertices change by at most, in `steps` equal steps from
    /// the lowest to the highest point of all parts.
    ///
    /// # Errors
    /// As [`Channel::choose`]; [`Error::Request`] for an array of the cells, which jumps between them.
    pub fn attribute_change(&self, name: &str, steps: usize) -> Result<AttributeChange> {
        let chosen = Channel::choose(&[(name, None)], self.channels())?;
        let is_chosen = |place: usize| chosen.iter().any(|&(own, _)| own == place);
        let heights @ [low, high] = self.slicer().heights();
        let mut changes = vec![0.0_f64; steps.max(1)];
        let mut is_found = false;
        for (part, extent) in self.parts.iter().zip(&self.slicer().parts) {
            let Some(inside) = &part.inside else { continue };
            let wanted: Vec<bool> = part.places.iter().map(|&place| is_chosen(place)).collect();
            if !inside.each_with(&wanted).any(|(_, own)| own.contains(&true)) {
                continue;
            }
            is_found = true;
            let finder =
                InteriorFinder::new(&inside.locator, self.slicer().axis(), extent.columns())?;
            let columns = Columns { inside, finder, wanted: &wanted };
            let height = |k: isize| low + (high - low) * k as f64 / steps.max(1) as f64;
            changes.par_chunks_mut(TASK_STEPS).enumerate().for_each(|(task, changes)| {
                columns.change((task * TASK_STEPS) as isize, &height, changes);
            });
        }
        if is_found {
            return Ok(AttributeChange::new(heights, &changes));
        }
        Err(Error::request(format!("{name:?} is an array of the cells, and jumps between them"))
            .with_help(message!(
                "name an attribute of the vertices, or leave ",
                option_name("adaptive_attribute"),
                " out"
            )))
    }
}

/// Columns of a part.
struct Columns<'a, 's> {
    inside: &'a SolidInterior<'s>,
    finder: InteriorFinder<'a, 's>,
    // of the channels of the part
    wanted: &'a [bool],
}

impl Columns<'_, '_> {
    /// Raises `changes` to those of the steps from step `first` on; `height`: of the bottom of a step.
    fn change(&self, first: isize, height: &impl Fn(isize) -> f64, changes: &mut [f64]) {
        let count = changes.len();
        // one height below and one above
        let values: Vec<Vec<f64>> =
            (0..count + 3).map(|k| self.values(height(first + k as isize - 1))).collect();
        let step = |k: usize, at: usize| (values[k + 1][at] - values[k][at]).abs();
        for (k, change) in changes.iter_mut().enumerate() {
            let bottom = k + 1;
            (0..values[0].len()).for_each(|at| {
                let mut own = step(bottom, at);
                if own.is_nan() {
                    // no number where the column is outside at both
                    let [enters, leaves] =
                        [bottom + 1, bottom].map(|own| !values[own][at].is_nan());
                    let beside =
                        |is_there: bool, k: usize| if is_there { step(k, at) } else { 0.0 };
                    own = beside(enters, bottom + 1).max(beside(leaves, bottom - 1));
                }
                *change = change.max(own);
            });
        }
    }

    /// Values of the columns at a height, `[channel][column]`; NaN outside.
    fn values(&self, height: f64) -> Vec<f64> {
        stop_point();
        let found = self.finder.layer(height);
        let [columns, rows] = self.finder.grid.size;
        let mut values = Vec::new();
        for (attribute, wanted) in self.inside.each_with(self.wanted) {
            if !wanted.contains(&true) {
                continue;
            }
            let own = self.finder.values(&found, attribute);
            for component in (0..attribute.width).filter(|&c| wanted[c]) {
                let start = values.len();
                values.resize(start + columns * rows, f64::NAN);
                let own = own.iter().skip(component).step_by(attribute.width);
                found.pixels.iter().zip(own).for_each(|(&at, &x)| values[start + at as usize] = x);
            }
        }
        values
    }
}

impl PartExtent {
    /// The columns that are looked at.
    fn columns(&self) -> PixelGrid {
        let [low, high] = self.extent.plane;
        let sides = [0, 1].map(|d| high[d] - low[d]);
        let pitch = sides[0].max(sides[1]) / COLUMNS;
        let size = sides.map(|side| (side / pitch).ceil().max(1.0));
        let pitch = [0, 1].map(|d| (sides[d] / size[d]).max(f64::MIN_POSITIVE));
        PixelGrid { origin: low, pitch, size: size.map(|count| count as usize) }
    }
}
