//! Pixels of all layers as points in space, with their places in the model and attributes, for
//! ParaView: a piece a layer, so that memory stays bounded.
//!
//! Each is a VTK vertex cell at the center of a pixel that lies inside. Point arrays: `layer`
//! (its number), `cell`, `corner` (of cells that are not hexahedra: whose child it is; −1 else),
//! `u`, `v`, `w`, and the attributes asked for.

use std::path::Path;

use super::{LayerFiles, OutputLayer, after_the_last};
use crate::io::{Array, Dataset, PieceWriter};
use crate::slice::source::Channel;
use crate::slice::{Axis, PixelGrid, Setting};
use crate::{Result, WriteOptions};

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
    /// [`Error::Io`](crate::Error::Io) if they cannot be written, and
    /// [`Error::Request`](crate::Error::Request) for a grid that
    /// [`InteriorFinder`](crate::slice::InteriorFinder) refuses.
    pub fn create(
        path: impl AsRef<Path>,
        setting: &Setting,
        grid: PixelGrid,
        channels: &[Channel],
        attributes: &[usize],
    ) -> Result<Self> {
        grid.check(crate::slice::MOST_PIXELS)?;
        let name = |&c: &usize| channels.get(c).map(|channel| (channel.name.clone(), c));
        Ok(Self {
            writer: Some(PieceWriter::create(path, WriteOptions::default())?),
            axis: setting.axis,
            grid,
            attributes: attributes.iter().filter_map(name).collect(),
        })
    }
}

impl LayerFiles for PixelCloud {
    type Layer = Dataset;

    fn needs_contours(&self) -> bool {
        false
    }

    fn make(&self, cut: &OutputLayer) -> Result<Dataset> {
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
        for (name, channel) in &self.attributes {
            let values: Vec<f64> =
                places.values.iter().skip(*channel).step_by(channels.max(1)).copied().collect();
            arrays.push(Array::new(name, 1, values));
        }
        Ok(dataset)
    }

    fn take(&mut self, layer: Dataset) -> Result<()> {
        self.writer.as_mut().ok_or_else(after_the_last)?.push(&layer)
    }

    fn finish(&mut self) -> Result<()> {
        self.writer.take().map_or(Ok(()), PieceWriter::finish)
    }
}
