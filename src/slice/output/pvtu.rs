//! Pixels of all layers as points in space, with their places in the model and attributes, for
//! ParaView: a piece a layer, so that memory stays bounded.
//!
//! Each is a VTK vertex cell at the center of a pixel that lies inside. Point arrays: `layer`
//! (its number), `cell`, `corner` (of cells that are not hexahedra: whose child it is; −1 else),
//! `u`, `v`, `w`, and the attributes asked for.

use std::path::Path;

use super::painter::larger_pixels;
use super::{LayerOutput, Output, OutputLayer, after_the_last};
use crate::error::{Error, Result};
use crate::io::WriteOptions;
use crate::io::{Array, Dataset, PieceWriter, name_attributes_apart};
use crate::memory;
use crate::numbers::counted;
use crate::slice::source::Channel;
use crate::slice::{Axis, Job, MAX_PIXELS, PixelGrid, Setting};

/// Bytes of memory that a pixel takes as a point, as one that is being located, and a number at it.
const POINT_BYTES: u128 = 64;
const WORK_BYTES: u128 = 72;
const VALUE_BYTES: u128 = 8;

/// A `.pvtu` file of pixels and its pieces.
#[derive(Debug)]
pub struct PixelCloud {
    // none when finished
    writer: Option<PieceWriter>,
    axis: Axis,
    grid: PixelGrid,
    /// Names of the attributes that are written, and their places among the source's channels.
    attributes: Vec<(String, usize)>,
}

impl PixelCloud {
    /// Starts the files: pixels of `grid`, with the attributes of some of the source's channels.
    ///
    /// # Errors
    /// [`Error::Io`] if they cannot be written, and
    /// [`Error::Request`] for a grid that
    /// [`InteriorFinder`](crate::slice::InteriorFinder) refuses.
    pub fn create(
        path: impl AsRef<Path>,
        setting: &Setting,
        grid: PixelGrid,
        channels: &[Channel],
        attributes: &[usize],
    ) -> Result<Self> {
        Self::check(&grid)?;
        let name = |&c: &usize| channels.get(c).map(|channel| (channel.name.clone(), c));
        Ok(Self {
            writer: Some(PieceWriter::create(path, WriteOptions::default())?),
            axis: setting.axis,
            grid,
            attributes: attributes.iter().filter_map(name).collect(),
        })
    }

    /// Checks that pixels have a size, and that there are [`MAX_PIXELS`] at most.
    ///
    /// # Errors
    /// [`Error::Request`] that says what is wrong.
    pub fn check(grid: &PixelGrid) -> Result<()> {
        grid.check(MAX_PIXELS)?;
        let [columns, rows] = grid.size;
        if columns.saturating_mul(rows) > MAX_PIXELS {
            return Err(Error::request(format!(
                "points at {columns} × {rows} pixels per layer, more than {MAX_PIXELS} in all"
            ))
            .with_help("give larger pixels"));
        }
        Ok(())
    }

    /// Refuses points that would fill the memory in the layers at work at a time, of `layers`;
    /// `values`: numbers at a point.
    ///
    /// # Errors
    /// As [`PixelCloud::check`]; [`Error::Request`] with both amounts.
    pub fn check_memory(
        grid: &PixelGrid,
        plane: [[f64; 2]; 2],
        values: usize,
        layers: usize,
    ) -> Result<()> {
        Self::check(grid)?;
        let layers = Job::layers_at_once(layers);
        let need = Self::bytes(grid, plane, values, layers);
        let [columns, rows] = grid.size;
        let at_a_time = counted(layers, "layer");
        let what = format!("points at {columns} × {rows} pixels of {at_a_time} at a time need");
        memory::check_half(what, need, |_| larger_pixels())
    }

    /// Bytes of memory for the points of `layers` at a time, of each of which `plane`, the box of
    /// the model, is an upper bound; and to locate the points of one layer a thread. `values`:
    /// numbers at a point.
    pub fn bytes(grid: &PixelGrid, plane: [[f64; 2]; 2], values: usize, layers: usize) -> u128 {
        let [low, high] = plane;
        let pixels = [0, 1].map(|d| {
            let across = ((high[d] - low[d]) / grid.pitch[d]).ceil() as u128 + 1;
            across.min(grid.size[d] as u128)
        });
        let at_work = layers.min(rayon::current_num_threads()) as u128;
        let values = VALUE_BYTES * values as u128;
        let bytes = layers as u128 * (POINT_BYTES + values) + at_work * (WORK_BYTES + values);
        bytes.saturating_mul(pixels[0]).saturating_mul(pixels[1])
    }
}

impl Output for PixelCloud {
    fn make(&self, cut: &OutputLayer) -> Result<LayerOutput> {
        let height = cut.stack.middle(cut.index);
        let places = cut.source.places(height, &self.grid)?;
        let columns = self.grid.size[0];
        let center = |&pixel: &u32| {
            let (row, column) = (pixel as usize / columns, pixel as usize % columns);
            self.axis.lift(self.grid.center(column, row), height)
        };
        let points: Vec<[f64; 3]> = places.pixels.iter().map(center).collect();
        let layer = vec![cut.index as i32; points.len()];
        let cells: Vec<i32> = places.cells.iter().map(|&cell| cell as i32).collect();
        let corner = |corner: &Option<u8>| corner.map_or(-1, i32::from);
        let corners: Vec<i32> = places.corners.iter().map(corner).collect();
        let mut dataset = Dataset::point_cloud(points);
        let arrays = &mut dataset.point_arrays;
        for (name, values) in [("layer", layer), ("cell", cells), ("corner", corners)] {
            arrays.push(Array::new(name, 1, values));
        }
        for (d, name) in ["u", "v", "w"].into_iter().enumerate() {
            let values: Vec<f64> = places.parameters.iter().map(|p| p[d]).collect();
            arrays.push(Array::new(name, 1, values));
        }
        let channels = cut.source.channels().len();
        let first = arrays.len();
        for (name, channel) in &self.attributes {
            let values: Vec<f64> =
                places.values.iter().skip(*channel).step_by(channels.max(1)).copied().collect();
            arrays.push(Array::new(name, 1, values));
        }
        let end = arrays.len();
        name_attributes_apart(arrays, first..end);
        Ok(LayerOutput::of(dataset))
    }

    fn take(&mut self, layer: LayerOutput) -> Result<()> {
        self.writer.as_mut().ok_or_else(after_the_last)?.push(&layer.get()?)
    }

    fn finish(&mut self) -> Result<()> {
        self.writer.take().map_or(Ok(()), PieceWriter::finish)
    }
}
