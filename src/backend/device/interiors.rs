//! Pixels of layers looked up in a solid, with the attributes there.

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
    /// Length of a pixel.
    pub pitch: f64,
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

/// Pixels of one layer copied to the host, row by row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PixelArrays {
    /// row · columns + column.
    pub pixels: Vec<u32>,
    /// The piece, or [`NONE`](super::NONE) where no pixel around is inside.
    pub pieces: Vec<u32>,
    /// (u, v, w) in the element.
    pub parameters: Vec<[f64; 3]>,
}

/// A solid's parts and attributes on a device, ready for layers.
///
/// The order of calls is [`Self::claim`] for at most [`Self::most_layers`] layers, [`Self::left`],
/// [`Self::settle`] with the CPU's results for the pixels left to it, [`Self::gather`], and then,
/// for each layer, [`Self::listed`], [`Self::read`] and [`Self::read_values`]. The next `claim`
/// replaces all.
pub trait InteriorPixels: Send + Sync {
    /// Layers that are worked on at once.
    fn most_layers(&self, pixels: &Pixels) -> usize;

    /// Finds the piece and parameters of every pixel of the layers at `heights`; `tiles` says
    /// which parts may hold some. Returns the seconds that it took on the device.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) for more layers than
    /// [`InteriorPixels::most_layers`], other tiles, or if the device fails.
    fn claim(&mut self, pixels: &Pixels, heights: &[f64], tiles: &TileParts) -> Result<f64>;

    /// The pixels of each layer that the device cannot decide; the seconds that listing them
    /// took.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) if the device fails.
    fn left(&mut self) -> Result<(Vec<Vec<u32>>, f64)>;

    /// Takes what the CPU found for pixels that were left to it.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) if the device fails.
    fn settle(&mut self, settled: &[SettledPixel]) -> Result<()>;

    /// Lists the pixels that are inside, or those that a mask `[layer][row][column]` has a number
    /// other than 0 for, and evaluates attributes there. Masked pixels outside take over from the
    /// closest around that is inside. Returns the seconds that it took on the device; lists and
    /// values stay there until the next call.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) if the device fails or its memory is too small.
    fn gather(&mut self, mask: Option<&[u8]>) -> Result<f64>;

    /// Number of pixels listed in a layer.
    fn listed(&self, layer: usize) -> usize;

    /// Copies the pixels of a layer that [`InteriorPixels::gather`] listed.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) if the copy fails.
    fn read(&mut self, layer: usize, arrays: &mut PixelArrays) -> Result<()>;

    /// Copies the values of an attribute at the pixels of a layer, `[pixel][width]`; values at
    /// pixels without a piece, or with one that has no Bézier points of attributes, mean nothing.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) if the copy fails.
    fn read_values(&mut self, layer: usize, attribute: usize) -> Result<Vec<f64>>;
}
