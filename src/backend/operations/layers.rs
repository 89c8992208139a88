//! Images of layers: planes across the boundary of a solid, and the pixels they cover.

use std::fmt::Debug;
use std::time::Instant;

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
#[derive(Clone, Debug)]
pub struct LayerBoundary<'a> {
    /// Bicubic patches of the boundary.
    pub patches: Vec<LayerPatch>,
    /// Chains of edges along their sides.
    pub links: Vec<LayerLink>,
    /// Bézier points of the edges.
    pub edges: &'a [[[f64; 3]; 4]],
    /// Maximum number of shells around one point.
    pub most_around: usize,
}

/// Planes across a boundary, and the pairs of patch and plane that may meet.
#[derive(Clone, Debug)]
pub struct LayerPlanes {
    /// Heights, as patches compare them.
    pub heights: Vec<f64>,
    /// Indices of a patch and of a plane.
    pub pairs: Vec<[u32; 2]>,
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
    /// Lower left corner in the plane, in length units.
    pub origin: [f64; 2],
    /// Width and height of a pixel, in length units.
    pub pitch: [f64; 2],
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

/// The boundary of a solid, for a [`Backend`](crate::Backend) to take.
pub trait CoverageSource {
    /// Its arrays, for a device.
    fn boundary(&self) -> LayerBoundary<'_>;

    /// Planes at some heights, for a device.
    fn planes(&self, heights: &[f64]) -> LayerPlanes;

    /// [`LayerImages::cover`] by the CPU.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) for a canvas that is too large.
    fn cover(&self, canvas: &Canvas, heights: &[f64], pixels: &mut [u8]) -> Result<()>;

    /// [`LayerImages::time`] by the CPU.
    fn time(&self, canvas: &Canvas, heights: &[f64]) -> Result<f64> {
        let start = Instant::now();
        let count = canvas.size.iter().product();
        let mut pixels = vec![0_u16; count];
        let pixels = &mut bytemuck::cast_slice_mut(&mut pixels)[..canvas.bits / 8 * count];
        let mut images = heights.chunks(canvas.planes.max(1));
        images.try_for_each(|heights| self.cover(canvas, heights, pixels))?;
        Ok(start.elapsed().as_secs_f64())
    }
}

/// A solid's boundary on a processor, ready for layers. Made by
/// [`Operations::layers`](super::Operations::layers). Images are the same bit by bit on all.
pub trait LayerImages: Debug + Send + Sync {
    /// Covers the image of the planes at `heights`, of the same `source` as before: `pixels` of
    /// `canvas.bits` each, rows from the lowest. A device leaves to the CPU what it cannot do.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) for a canvas that is too large.
    fn cover(
        &self,
        source: &dyn CoverageSource,
        canvas: &Canvas,
        heights: &[f64],
        pixels: &mut [u8],
    ) -> Result<()>;

    /// Seconds of covering images, `canvas.planes` heights each, that stay where the processor has
    /// them: device events on a GPU, the wall clock on the CPU.
    fn time(&self, source: &dyn CoverageSource, canvas: &Canvas, heights: &[f64]) -> Result<f64> {
        source.time(canvas, heights)
    }
}
