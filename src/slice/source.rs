//! What output files ask of a source of layers.

use super::{Layer, PixelGrid};
use crate::backend::operations::Sampling;
use crate::error::{Error, Result};

/// Cuts layers: contours, pixels and attributes at any height, from several threads at
/// once. The same question has the same answer, bit by bit, whenever it is asked.
pub trait LayerSource: Sync {
    /// Contours of the plane at `height`; the layer has the number `index`.
    ///
    /// # Errors
    /// As the source has them.
    fn contours(&self, index: usize, height: f64) -> Result<Layer>;

    /// Contours of the plane at `height` of each part of the material, in the order of the parts, which may
    /// overlap; those of all if the source has no parts.
    ///
    /// # Errors
    /// As the source has them.
    fn part_contours(&self, index: usize, height: f64) -> Result<Vec<Layer>> {
        Ok(vec![self.contours(index, height)?])
    }

    /// How much of every pixel is material, on the average over the planes at `heights`:
    /// 0 for nothing, 65535 for all of it; `[row][column]`, row 0 the lowest.
    ///
    /// # Errors
    /// As the source has them.
    fn coverage(&self, heights: &[f64], grid: &PixelGrid, sampling: Sampling) -> Result<Vec<u16>>;

    /// Attributes in the plane in the middle of a layer, of the pixels that `coverage` says are not
    /// empty, at their centers, or next to them where these lie outside the material:
    /// `[pixel][channel]` for these pixels alone, in their order. They are within 10⁻⁸ of the
    /// channel's range; [`LayerSource::places`] has those at each pixel to rounding.
    ///
    /// # Errors
    /// As the source has them.
    fn attributes(&self, pixels: &LayerPixels<'_>, coverage: &[u16]) -> Result<Vec<f64>>;

    /// Takes back an array of [`LayerSource::attributes`], whose memory the next one may have.
    fn reuse(&self, _values: Vec<f64>) {}

    /// Where the pixels whose centers are inside the material, in the plane at `height`, are in
    /// the model, with the attributes there.
    ///
    /// # Errors
    /// As the source has them; [`Error::Request`] unless it knows places.
    fn places(&self, height: f64, grid: &PixelGrid) -> Result<PixelPlaces> {
        let [columns, rows] = grid.size;
        Err(Error::request(format!("places of {columns} x {rows} pixels at {height}"))
            .with_help("take layers from a source that knows the cells of the model"))
    }

    /// Attributes at points in space on the boundary of the material: `[point][channel]`. `inward`:
    /// for each point a unit vector into the material that it bounds, which tells bodies apart that
    /// touch there; 0 if it is not known.
    ///
    /// # Errors
    /// As the source has them.
    fn attributes_at(&self, points: &[[f64; 3]], inward: &[[f64; 3]]) -> Result<Vec<f64>>;

    /// The scalars that the attributes of the material consist of.
    fn channels(&self) -> &[Channel];
}

/// The pixels of a layer.
#[derive(Clone, Copy, Debug)]
pub struct LayerPixels<'a> {
    /// Where they lie.
    pub grid: &'a PixelGrid,
    /// The plane in the middle of the layer.
    pub height: f64,
    /// The planes that their coverage is the mean over.
    pub planes: &'a [f64],
    /// What their coverage is in each.
    pub sampling: Sampling,
}

/// Where pixels are in a model; all arrays `[pixel]`, row by row from the lowest, columns from
/// the left.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PixelPlaces {
    /// row · columns + column.
    pub pixels: Vec<u32>,
    /// Cell of the mesh.
    pub cells: Vec<u32>,
    /// Corner whose hexahedral child it is, of cells that are not hexahedra.
    pub corners: Vec<Option<u8>>,
    /// (u, v, w) in the hexahedron.
    pub parameters: Vec<[f64; 3]>,
    /// Attributes, `[pixel][channel]`.
    pub values: Vec<f64>,
}

impl PixelPlaces {
    /// Leaves out pixels that are not kept; `channels`: values of a pixel.
    pub(super) fn retain(&mut self, channels: usize, keep: impl Fn(u32) -> bool) {
        let kept: Vec<bool> = self.pixels.iter().map(|&pixel| keep(pixel)).collect();
        fn of<T>(rows: &mut Vec<T>, kept: &[bool], width: usize) {
            let mut place = 0..;
            rows.retain(|_| place.next().is_some_and(|at: usize| kept[at / width]));
        }
        of(&mut self.pixels, &kept, 1);
        of(&mut self.cells, &kept, 1);
        of(&mut self.corners, &kept, 1);
        of(&mut self.parameters, &kept, 1);
        of(&mut self.values, &kept, channels.max(1));
    }
}

/// One component of an attribute, or of an array of the cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    /// Name of the attribute, with the component's number if it has several: `fiber_0`.
    pub name: String,
    /// Name of the attribute or array, or of the group of cells.
    pub attribute: String,
    /// Smallest and largest value: those at control points are bounds of the limit.
    pub range: [f64; 2],
}
