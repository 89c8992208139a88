//! Pixels of layers looked up in a solid, with the attributes there.

use std::fmt::Debug;
use std::time::Instant;

use super::SolidParts;
use crate::error::Result;

/// Columns and rows of a tile, as in `kernels/slice/interiors.cu`.
pub const TILE: [usize; 2] = [16, 8];

/// A box of parameters with Bézier points of attributes.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct ParameterBox {
    /// Least corner, in the element's parameters.
    pub origin: [f64; 3],
    /// Edge lengths.
    pub size: [f64; 3],
}

/// An attribute of a solid.
#[derive(Clone, Copy, Debug)]
pub struct PieceValues<'a> {
    /// Numbers a point.
    pub width: usize,
    /// Bézier points, `[piece][w][v][u][width]`.
    pub points: &'a [f64],
}

/// Where the pixels of some layers are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pixels {
    /// Lower left corner in the plane, in length units.
    pub origin: [f64; 2],
    /// Width and height of a pixel, in length units.
    pub pitch: [f64; 2],
    /// Columns and rows.
    pub size: [usize; 2],
    /// Axes in space of the columns' and the rows' coordinate.
    pub along: [usize; 2],
}

/// Parts that may hold pixels of each tile, `[layer][row of tiles][column of tiles]`.
#[derive(Clone, Debug, Default)]
pub struct TileParts {
    /// First part of each tile, and the end of the last ones.
    pub starts: Vec<u32>,
    /// Parts, ascending in a tile.
    pub parts: Vec<u32>,
}

/// Where the CPU found a pixel that was left to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SettledPixel {
    /// Number of the layer that the pixel is in.
    pub layer: usize,
    /// row · columns + column.
    pub pixel: u32,
    /// The piece, or [`NONE`](super::NONE) outside.
    pub piece: u32,
    /// (u, v, w) in the element.
    pub parameters: [f64; 3],
}

/// A solid with attributes, for a device.
#[derive(Clone, Debug)]
pub struct InteriorArrays<'a> {
    /// Its parts, without a hierarchy: tiles of pixels stand in for it.
    pub solid: SolidParts,
    /// Boxes of the pieces.
    pub pieces: Vec<ParameterBox>,
    /// Attributes.
    pub attributes: Vec<PieceValues<'a>>,
}

/// Pixels of a layer and where they are in the solid, row by row, with attributes there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PixelArrays {
    /// row · columns + column.
    pub pixels: Vec<u32>,
    /// The piece, or [`NONE`](super::NONE) where no pixel around is inside.
    pub pieces: Vec<u32>,
    /// (u, v, w) in the element.
    pub parameters: Vec<[f64; 3]>,
    /// `[attribute][pixel · width + component]`.
    pub values: Vec<Vec<f64>>,
}

/// What finding the pixels of some layers came to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct InteriorRun {
    /// Pixels listed.
    pub pixels: usize,
    /// Pixels that were left to the CPU: next to extraordinary edges and vertices and to edges
    /// where the Jacobian vanishes, or within the tolerance outside.
    pub left: usize,
    /// Seconds on the processor, copies not included.
    pub seconds: f64,
}

/// The inside of a solid on a grid of pixels: what the CPU does, by itself or for a device.
pub trait InteriorSource: Sync {
    /// [`InteriorPixels::places`] by the CPU.
    fn places(&self, height: f64) -> PixelArrays;

    /// [`InteriorPixels::values`] by the CPU.
    fn values(&self, height: f64, coverage: &[u16]) -> Result<Vec<f64>>;

    /// Where the pixels are.
    fn pixels(&self) -> Pixels;

    /// Which parts may hold pixels of the layers at `heights`.
    fn tiles(&self, heights: &[f64]) -> TileParts;

    /// Places of pixels that a device leaves, (layer, pixel), without threads of rayon's: the device
    /// is locked.
    fn settle(&self, heights: &[f64], left: &[(usize, u32)]) -> Vec<SettledPixel>;

    /// Adds to what a device found of a layer what it leaves to the CPU: places that it does not
    /// know, and attributes in pieces without Bézier points of them.
    fn complete(&self, height: f64, found: PixelArrays) -> PixelArrays;

    /// The values that [`InteriorPixels::values`] gives from those of attributes.
    fn interleaved(&self, found: PixelArrays) -> Vec<f64>;
}

/// The inside of a solid on a processor, ready for layers. Made by
/// [`Operations::interiors`](super::Operations::interiors).
///
/// Elements are the same on all; parameters and values to some 1e-12 where the Jacobian allows.
pub trait InteriorPixels: Debug + Send + Sync {
    /// The pixels whose centers are inside at a height, and attributes there.
    fn places(&self, source: &dyn InteriorSource, height: f64) -> Result<PixelArrays>;

    /// Values of all channels at the pixels whose coverage `[row][column]` is not 0,
    /// `[pixel][channel]`. Those with their centers outside take over from the closest pixel around
    /// that is inside.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) for a coverage of another size than the grid, and if
    /// the solid has no place.
    fn values(
        &self,
        source: &dyn InteriorSource,
        height: f64,
        coverage: &[u16],
    ) -> Result<Vec<f64>>;

    /// Finds the pixels inside at some heights, with their attributes, and leaves them where the
    /// processor has them.
    fn time(&self, source: &dyn InteriorSource, heights: &[f64]) -> Result<InteriorRun> {
        let start = Instant::now();
        let count = |&height: &f64| Ok(self.places(source, height)?.pixels.len());
        let pixels = heights.iter().map(count).sum::<Result<usize>>()?;
        Ok(InteriorRun { pixels, left: 0, seconds: start.elapsed().as_secs_f64() })
    }
}
