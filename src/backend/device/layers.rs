//! Images of layers: planes across the boundary of a solid, and the pixels they cover.

use crate::error::Result;

/// A bicubic patch of the boundary, as the kernels read it.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct LayerPatch {
    /// Bézier points `[v][u]`: two coordinates in the plane, then the height.
    pub points: [[[f64; 3]; 4]; 4],
    /// First link of each side, counter-clockwise from (0, 0), and the end of the last.
    pub links: [u32; 5],
    /// +1 or -1 where the height rises or falls along u and along v, else 0.
    pub slopes: [i8; 2],
    /// Fills up the size.
    pub padding: i16,
}

/// An edge in the side of a patch.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct LayerLink {
    /// Index of the boundary edge.
    pub edge: u32,
    /// 1 if the side runs against it.
    pub reversed: u32,
    /// Where it starts on the side, which runs from 0 to 1.
    pub start: f32,
    /// Length along the side, as a fraction of the side.
    pub length: f32,
}

/// The boundary of a solid.
#[derive(Clone, Copy, Debug)]
pub struct LayerBoundary<'a> {
    /// Bicubic patches of the boundary.
    pub patches: &'a [LayerPatch],
    /// Chains of edges along their sides.
    pub links: &'a [LayerLink],
    /// Bézier points of the edges.
    pub edges: &'a [[[f64; 3]; 4]],
}

/// What a pixel says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sampling {
    /// Full if its middle is inside, else empty.
    Center,
    /// Gray by the area inside.
    #[default]
    Area,
}

/// What images show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Canvas {
    /// Lower left corner in the plane, and length of a pixel, in length units.
    pub origin: [f64; 2],
    /// Length of a pixel.
    pub pitch: f64,
    /// How far chords may be from the curves.
    pub tolerance: f64,
    /// Columns and rows.
    pub size: [usize; 2],
    /// Planes that an image is the mean of, at most [`MAX_PLANES`].
    pub planes: usize,
    /// What a pixel says.
    pub sampling: Sampling,
    /// Bits of a pixel, 8 or 16.
    pub bits: usize,
}

/// Maximum number of planes of an image: what more of them cover of a pixel does not fit into 32
/// bits.
pub const MAX_PLANES: usize = 15;

/// What covering images came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CoverageReport {
    /// Seconds on the device.
    pub seconds: f64,
    /// Images that are not complete: a patch had too many crossings.
    pub failed: Vec<usize>,
}

/// A solid's boundary on a device, ready for layers.
///
/// [`Self::cover`] comes first, for at most [`Self::most_images`] images, then [`Self::read`] for
/// any of them; the next `cover` replaces all. An image does not depend on those covered beside it.
pub trait LayerImages: Send + Sync {
    /// Images of a canvas that are made at once; 0 if one is too large.
    fn most_images(&self, canvas: &Canvas) -> usize;

    /// Covers images: `heights` of their planes, `canvas.planes` an image, and `pairs` of
    /// patch and plane that may meet. The images stay on the device; the `failed` ones are
    /// not complete and must be made elsewhere.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) for more images than
    /// [`LayerImages::most_images`], other bits than 8 or 16, more than [`MAX_PLANES`] planes an
    /// image, or if the device fails.
    fn cover(
        &mut self,
        canvas: &Canvas,
        heights: &[f64],
        pairs: &[[u32; 2]],
    ) -> Result<CoverageReport>;

    /// Copies images of the last [`LayerImages::cover`] from `first` on to `pixels`, the bytes of
    /// whole images of rows from the lowest.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) if there are not as many images, or the copy
    /// fails.
    fn read(&mut self, first: usize, pixels: &mut [u8]) -> Result<()>;
}
