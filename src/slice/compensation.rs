//! Layers made larger or smaller so that the part comes out as it is meant: material shrinks, light
//! and melt pools are wider than pixels and contours, the first layers are squeezed.

use serde::{Deserialize, Serialize};

use super::contours::{Join, offset};
use super::frame::{Axis, PixelGrid};
use super::layer::{Contour, Layer};
use super::pixels::Raster;
use super::slicer::LayerFrame;
use super::source::{Channel, LayerPixels, LayerSource, PixelPlaces};
use super::stack::Stack;
use crate::backend::operations::Sampling;
use crate::error::{Error, IdKind, Message, Result};
use crate::numbers::{by_count, counted, significant};

/// Factors of a scale.
const SCALES: [f64; 2] = [0.1, 10.0];

/// Layers that are looked at for walls, at most.
const MAX_LAYERS: usize = 64;

/// Area that a wall has at least, as a multiple of the squared distance it is made thinner by.
const MIN_WALL: f64 = 8.0;

/// What is done to layers before they are written.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compensation {
    /// Factors of x, y and z, about the origin of coordinates.
    pub scale: [f64; 3],
    /// Distance that contours move away from the material, in length units; into it if negative.
    pub offset: f64,
    /// How sides of contours are joined that part.
    pub join: Join,
    /// Distance that contours of layer 0 move into the material besides; it falls by equal steps to
    /// 0 at the first layer without.
    pub foot: f64,
    /// Layers that it is of.
    pub foot_layers: usize,
}

impl Default for Compensation {
    fn default() -> Self {
        Self { scale: [1.0; 3], offset: 0.0, join: Join::default(), foot: 0.0, foot_layers: 1 }
    }
}

impl Compensation {
    /// Checks the numbers.
    ///
    /// # Errors
    /// [`Error::Request`] for factors that are not from 0.1 to 10, an offset that is not finite, a
    /// foot that is not finite or below 0, and no layers of it.
    pub fn check(&self) -> Result<()> {
        let [least, most] = SCALES;
        if let Some(factor) = self.scale.iter().find(|own| !(least..=most).contains(*own)) {
            return Err(Error::request(format!("a scale of {factor}: out of range"))
                .with_help("give factors from 0.1 to 10, say 1.002"));
        }
        if !self.offset.is_finite() {
            return Err(Error::request(format!("an offset of {}", self.offset))
                .with_help("give a length, negative to move contours into the material"));
        }
        if !(self.foot.is_finite() && self.foot >= 0.0 && self.foot_layers > 0) {
            let (foot, layers) = (self.foot, counted(self.foot_layers, "layer"));
            return Err(Error::request(format!("an elephant foot of {foot} in {layers}"))
                .with_help("give a length of at least 0, and at least one layer"));
        }
        Ok(())
    }

    /// Whether contours are moved in some layers.
    pub fn moves(&self) -> bool {
        self.offset != 0.0 || self.foot != 0.0
    }

    /// Distance that contours of a layer move away from the material.
    pub fn distance(&self, layer: usize) -> f64 {
        let left = self.foot_layers.saturating_sub(layer) as f64 / self.foot_layers.max(1) as f64;
        self.offset - self.foot * left
    }

    /// Factors along the plane's own axes and the axis of the layers.
    pub(super) fn factors(&self, axis: Axis) -> ([f64; 2], f64) {
        (axis.project(self.scale), self.scale[axis.number()])
    }

    /// By how much more upright the scale may make a normal.
    pub fn leveling(&self, axis: Axis) -> f64 {
        let most = self.scale.into_iter().fold(0.0, f64::max);
        most / self.scale[axis.number()]
    }

    /// What the layers of a model have in common, by what they have without.
    ///
    /// # Errors
    /// [`Error::Request`] for contours that would move by more than the size of the model.
    pub fn frame(&self, frame: LayerFrame) -> Result<LayerFrame> {
        let (factors, up) = self.factors(frame.axis);
        let [width, height] = [0, 1].map(|d| factors[d] * (frame.plane[1][d] - frame.plane[0][d]));
        let most = self.offset.max(self.foot - self.offset);
        if most > width.max(height) {
            return Err(Error::request(format!(
                "contours that move by {most}: the layers are {width:.6} by {height:.6}"
            ))
            .with_help("give a shorter length, or one with its unit, say 50um"));
        }
        // the foot makes layers smaller only
        let out = self.offset.max(0.0) * if self.join == Join::Miter { 2.0 } else { 1.0 };
        let [low, high] = frame.plane;
        let reach = if self.offset < 0.0 { self.offset } else { out };
        let plane = [
            [0, 1].map(|d| factors[d] * low[d] - reach),
            [0, 1].map(|d| factors[d] * high[d] + reach),
        ];
        let tolerance = frame.tolerance * factors[0].max(factors[1]);
        Ok(LayerFrame { heights: frame.heights.map(|z| up * z), plane, tolerance, ..frame })
    }
}

/// Layers of another source, compensated.
pub struct CompensatedSource<'s> {
    /// The source.
    pub source: &'s dyn LayerSource,
    /// What is done to its layers.
    pub compensation: Compensation,
    /// The layers.
    pub stack: &'s Stack,
    /// Axis that they are stacked along.
    pub axis: Axis,
    /// How far chords of round corners may be off, eight times.
    pub tolerance: f64,
}

impl CompensatedSource<'_> {
    /// What to say of walls that vanish, of layers that are spread over all evenly; `None` if those
    /// have none.
    ///
    /// # Errors
    /// As [`LayerSource::contours`].
    pub fn lost_walls(&self) -> Result<Option<Message>> {
        let count = self.stack.count();
        let looked_at = count.min(MAX_LAYERS);
        let mut found: Vec<(usize, f64)> = Vec::new();
        for i in 0..looked_at {
            let layer = (2 * i + 1) * count / (2 * looked_at);
            let distance = self.compensation.distance(layer);
            if distance >= 0.0 {
                continue;
            }
            let own = self.scaled(layer, self.stack.middle(layer))?;
            // what comes back has been thick enough
            let thinner = offset(&own.contours, distance, Join::Miter, self.tolerance);
            let back = offset(&thinner, -distance, Join::Miter, self.tolerance);
            let lost = own.area() - back.iter().map(|contour| contour.area()).sum::<f64>();
            let vanishes = |contour: &Contour| {
                let alone = std::slice::from_ref(contour);
                !contour.is_hole()
                    && offset(alone, distance, Join::Miter, self.tolerance).is_empty()
            };
            if lost > MIN_WALL * distance * distance || own.contours.iter().any(vanishes) {
                found.push((layer, lost));
            }
        }
        let worst = found.iter().max_by(|a, b| a.1.total_cmp(&b.1));
        let Some(&(layer, lost)) = worst else { return Ok(None) };
        let (some, have) = (found.len(), by_count(found.len(), "has", "have"));
        let width = significant(-2.0 * self.compensation.distance(layer));
        let (layers, area) = (counted(looked_at, "layer"), significant(lost));
        Ok(Some(message!(
            "walls thinner than {width} vanish by the offset: of {layers} that were looked at {some} {have} \
             some, ",
            IdKind::Layer.id(layer),
            " of an area of {area}"
        )))
    }

    /// The contours of a layer, scaled but not moved.
    fn scaled(&self, index: usize, height: f64) -> Result<Layer> {
        let (_, up) = self.compensation.factors(self.axis);
        Ok(self.scale(self.source.contours(index, height / up)?, height))
    }

    /// A layer of the source scaled, at its height then.
    fn scale(&self, mut layer: Layer, height: f64) -> Layer {
        let (factors, _) = self.compensation.factors(self.axis);
        layer.height = height;
        for point in layer.contours.iter_mut().flat_map(|contour| &mut contour.points) {
            *point = [0, 1].map(|d| factors[d] * point[d]);
        }
        layer
    }

    /// A scaled layer with its contours moved.
    fn moved(&self, mut layer: Layer) -> Layer {
        let distance = self.distance(layer.height);
        if distance != 0.0 {
            let join = self.compensation.join;
            layer.contours = offset(&layer.contours, distance, join, self.tolerance);
        }
        layer
    }

    /// Pixels and heights where the source has what is seen there.
    fn unscaled(&self, grid: &PixelGrid, heights: &[f64]) -> (PixelGrid, Vec<f64>) {
        let (factors, up) = self.compensation.factors(self.axis);
        let [origin, pitch] =
            [grid.origin, grid.pitch].map(|own| [0, 1].map(|d| own[d] / factors[d]));
        (PixelGrid { origin, pitch, ..*grid }, heights.iter().map(|z| z / up).collect())
    }

    /// The distance at a height.
    fn distance(&self, height: f64) -> f64 {
        self.compensation.distance(self.stack.at(height))
    }
}

impl LayerSource for CompensatedSource<'_> {
    fn contours(&self, index: usize, height: f64) -> Result<Layer> {
        Ok(self.moved(self.scaled(index, height)?))
    }

    fn part_contours(&self, index: usize, height: f64) -> Result<Vec<Layer>> {
        let (_, up) = self.compensation.factors(self.axis);
        let parts = self.source.part_contours(index, height / up)?;
        Ok(parts.into_iter().map(|own| self.moved(self.scale(own, height))).collect())
    }

    fn coverage(&self, heights: &[f64], grid: &PixelGrid, sampling: Sampling) -> Result<Vec<u16>> {
        let (own, unscaled) = self.unscaled(grid, heights);
        if heights.iter().all(|&height| self.distance(height) == 0.0) {
            return self.source.coverage(&unscaled, &own, sampling);
        }
        let mut raster = Raster::new(*grid, sampling)?;
        for (plane, &height) in heights.iter().enumerate() {
            if plane > 0 {
                raster.begin_plane();
            }
            let layer = self.contours(0, height)?;
            for contour in &layer.contours {
                let next = contour.points.iter().cycle().skip(1);
                contour.points.iter().zip(next).for_each(|(&a, &b)| raster.add_segment(a, b));
            }
        }
        let mut pixels = vec![0; grid.size[0] * grid.size[1]];
        raster.write(&mut pixels);
        Ok(pixels)
    }

    fn attributes(&self, pixels: &LayerPixels<'_>, coverage: &[u16]) -> Result<Vec<f64>> {
        let (grid, heights) = self.unscaled(pixels.grid, &[pixels.height]);
        let (_, planes) = self.unscaled(pixels.grid, pixels.planes);
        let (grid, planes) = (&grid, &planes[..]);
        let own = LayerPixels { grid, height: heights[0], planes, ..*pixels };
        self.source.attributes(&own, coverage)
    }

    fn reuse(&self, values: Vec<f64>) {
        self.source.reuse(values);
    }

    fn places(&self, height: f64, grid: &PixelGrid) -> Result<PixelPlaces> {
        let (own, heights) = self.unscaled(grid, &[height]);
        let mut places = self.source.places(heights[0], &own)?;
        if self.distance(height) != 0.0 {
            let inside = self.coverage(&[height], grid, Sampling::Center)?;
            places.retain(self.source.channels().len(), |pixel| inside[pixel as usize] > 0);
        }
        Ok(places)
    }

    fn attributes_at(&self, points: &[[f64; 3]], inward: &[[f64; 3]]) -> Result<Vec<f64>> {
        let scale = self.compensation.scale;
        let own = |p: &[f64; 3]| [0, 1, 2].map(|d| p[d] / scale[d]);
        let points: Vec<[f64; 3]> = points.iter().map(own).collect();
        self.source.attributes_at(&points, inward)
    }

    fn channels(&self) -> &[Channel] {
        self.source.channels()
    }
}
