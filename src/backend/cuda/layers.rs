//! Layers of a solid on the device: planes across its boundary, and the pixels they cover.
//!
//! The boundary comes as flat arrays and stays on the device. A batch of planes is traced
//! and its images are filled there, by `kernels/slice/layers.cu`; they are the CPU's bit by bit.

use std::sync::Arc;

use cudarc::driver::{CudaStream, DeviceRepr};

use super::Cuda;
use super::device::failed;
use super::functions::{Functions, Shape};
use super::launch::{Argument, Launch};
use super::memory::{Buffer, timed_event};
use super::ring::Ring;
use super::sources::{LAYERS, Variant};
use crate::backend::Precision;
use crate::error::{Error, Result};

/// A bicubic patch of the boundary, as the kernels read it.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Patch {
    /// Bézier points `[v][u]`: two coordinates in the plane, then the height.
    pub points: [[[f64; 3]; 4]; 4],
    /// First link of each side against the clock from (0, 0), and the end of the last.
    pub links: [u32; 5],
    /// +1 or -1 where the height rises or falls along u and along v, else 0.
    pub slopes: [i8; 2],
    /// Fills up the size.
    pub padding: i16,
}

/// An edge in the side of a patch.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Link {
    /// Which edge.
    pub edge: u32,
    /// 1 if the side runs against it.
    pub backwards: u32,
    /// Where it starts on the side, which runs from 0 to 1.
    pub start: f32,
    /// How much of the side it is.
    pub length: f32,
}

/// The boundary of a solid.
#[derive(Clone, Copy, Debug)]
pub struct Boundary<'a> {
    /// Its patches.
    pub patches: &'a [Patch],
    /// Chains of edges along their sides.
    pub links: &'a [Link],
    /// Bézier points of the edges.
    pub edges: &'a [[[f64; 3]; 4]],
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
    /// Planes that an image is the mean of, at most [`MOST_PLANES`].
    pub planes: usize,
    /// Whether a pixel is full or empty by its middle, not grey by area.
    pub centre: bool,
    /// Bits of a pixel, 8 or 16.
    pub bits: usize,
}

/// Most planes of an image: sums of more could overflow.
pub const MOST_PLANES: usize = 7;

/// Most images at once.
const MOST_IMAGES: usize = 1024;

/// Columns of a group, as in `kernels/slice/layers.cu`.
const GROUP: usize = 16;

#[derive(Clone, Copy, Default)]
#[repr(C)]
struct Grid {
    origin: [f64; 2],
    pitch: f64,
    tolerance: f64,
    columns: u32,
    rows: u32,
    stride: u32,
    planes: u32,
    words: u32,
    padding: u32,
}

// SAFETY: plain numbers, laid out as in CUDA C++.
unsafe impl DeviceRepr for Patch {}
// SAFETY: likewise.
unsafe impl DeviceRepr for Link {}
// SAFETY: likewise.
unsafe impl DeviceRepr for Grid {}

/// Numbers of `TRACERS` and rows of a block in `kernels/slice/layers.cu`.
const TRACERS: u32 = 32;
const ROWS: u32 = 4;

/// The kernels for pixels of some bits.
pub(super) fn variant(bits: usize, centre: bool) -> Variant {
    let variant = Variant::new(&LAYERS, Precision::F64);
    variant.with("BITS", bits).with("CENTRE", usize::from(centre))
}

/// A solid's boundary on the device, ready for layers.
pub struct DeviceLayers {
    functions: Arc<Functions>,
    stream: Arc<CudaStream>,
    ring: Ring,
    patches: Buffer<Patch>,
    links: Buffer<Link>,
    edges: Buffer<[[f64; 3]; 4]>,
    images: Option<Images>,
}

/// Memory for a batch of images.
struct Images {
    canvas: Canvas,
    most: usize,
    stride: usize,
    grid: Buffer<Grid>,
    sums: Buffer<i32>,
    touched: Buffer<u32>,
    pixels: Buffer<u8>,
}

impl DeviceLayers {
    /// Brings a boundary to a GPU.
    ///
    /// # Errors
    /// [`Error::Request`] if its memory is too small.
    pub fn new(gpu: &Cuda, boundary: Boundary<'_>) -> Result<Self> {
        let functions = gpu.functions.clone();
        let new_stream = || functions.device().context.new_stream().map_err(failed("no stream"));
        let (stream, ring) = (new_stream()?, Ring::new(new_stream()?)?);
        let (patches, links, edges) = (
            Buffer::of(&stream, boundary.patches)?,
            Buffer::of(&stream, boundary.links)?,
            Buffer::of(&stream, boundary.edges)?,
        );
        stream.synchronize().map_err(failed("a copy to the device failed"))?;
        Ok(Self { functions, stream, ring, patches, links, edges, images: None })
    }

    /// Images of a canvas that are made at once.
    pub fn most_images(&self, canvas: &Canvas) -> usize {
        let pixels = canvas.size[1] * stride(canvas);
        // leaves most of the memory to others
        let memory = (self.functions.device().info.memory / 4) as usize;
        (memory / (pixels.max(1) * (4 + canvas.bits / 8))).clamp(1, MOST_IMAGES)
    }

    /// Covers images: `heights` of their planes, `canvas.planes` an image, and `pairs` of
    /// patch and plane that may meet. The images stay on the device; those of `failed` are
    /// not complete and must be made elsewhere. Returns the seconds it took there.
    ///
    /// # Errors
    /// [`Error::Request`] for more images than [`DeviceLayers::most_images`], other bits
    /// than 8 or 16, more than [`MOST_PLANES`] planes an image, or if the device fails.
    pub fn cover(
        &mut self,
        canvas: &Canvas,
        heights: &[f64],
        pairs: &[[u32; 2]],
    ) -> Result<Covered> {
        if !matches!(canvas.bits, 8 | 16) {
            return Err(Error::request(format!("pixels of {} bits", canvas.bits))
                .with_mend("ask for 8 or 16"));
        }
        if !(1..=MOST_PLANES).contains(&canvas.planes) {
            return Err(Error::request(format!("an image of {} planes", canvas.planes))
                .with_mend(format!("a GPU averages 1 to {MOST_PLANES}; the CPU any number")));
        }
        let count = heights.len() / canvas.planes;
        if count > self.most_images(canvas) {
            return Err(Error::request(format!("{count} images at once")));
        }
        self.make_room(canvas, count)?;
        let Some(images) = &self.images else {
            return Err(Error::request("no memory for images"));
        };
        let variant = variant(canvas.bits, canvas.centre);
        let [trace, fill] = ["trace", "fill"].map(|name| self.functions.get(&variant, name));
        let (trace, fill) = (trace?, fill?);
        let shared = trace.constant("trace_shared")?;
        trace.occupancy(TRACERS, shared)?;
        let stream = &self.stream;
        let heights = Buffer::of(stream, heights)?;
        let pairs = Buffer::of(stream, pairs)?;
        let failed_images = Buffer::<u32>::zeros(stream, count)?;
        let rows = (count * canvas.size[1]) as u32;
        let address = |address: u64| Argument::Address(address);
        let trace = Launch {
            name: "trace".into(),
            function: trace,
            shape: Shape {
                blocks: (pairs.len() as u32).div_ceil(TRACERS),
                threads: TRACERS,
                shared,
            },
            arguments: vec![
                address(self.patches.address(0)),
                address(self.links.address(0)),
                address(self.edges.address(0)),
                address(heights.address(0)),
                address(pairs.address(0)),
                Argument::Number(pairs.len() as u32),
                address(images.grid.address(0)),
                address(images.sums.address(0)),
                address(images.touched.address(0)),
                address(failed_images.address(0)),
            ],
        };
        let fill = Launch {
            name: "fill".into(),
            function: fill,
            shape: Shape { blocks: rows.div_ceil(ROWS), threads: 32 * ROWS, shared: 0 },
            arguments: vec![
                address(images.grid.address(0)),
                Argument::Number(rows),
                address(images.sums.address(0)),
                address(images.touched.address(0)),
                address(images.pixels.address(0)),
            ],
        };
        let start = timed_event(stream)?;
        for launch in [trace, fill] {
            // SAFETY: all arrays live here or in `self`, and are as large as the counts say.
            unsafe { launch.enqueue(stream) }.map_err(failed("a kernel cannot be launched"))?;
        }
        let end = timed_event(stream)?;
        let failed_images = failed_images.read(stream)?;
        let seconds = f64::from(start.elapsed_ms(&end).map_err(failed("slicing failed"))?) * 1e-3;
        let failed_images = (0..count).filter(|&i| failed_images[i] != 0).collect();
        Ok(Covered { seconds, failed: failed_images })
    }

    /// Copies the images of the last [`DeviceLayers::cover`] from `first` on to `pixels`,
    /// the bytes of whole images of rows from the lowest.
    ///
    /// # Errors
    /// [`Error::Request`] if there are not as many images, or the copy fails.
    pub fn read(&mut self, first: usize, pixels: &mut [u8]) -> Result<()> {
        let Some(images) = &self.images else {
            return Err(Error::request("images that were not made"));
        };
        let canvas = &images.canvas;
        let row = canvas.size[0] * canvas.bits / 8;
        let stride = images.stride * canvas.bits / 8;
        let image = canvas.size[1];
        let count = pixels.len() / (row * image).max(1);
        if first + count > images.most || count * row * image != pixels.len() {
            return Err(Error::request(format!("images {first} to {}", first + count)));
        }
        let from = images.pixels.address(first * image * stride);
        if row == stride {
            return self.ring.copy(vec![(from, pixels)]);
        }
        let mut padded = vec![0; count * image * stride];
        self.ring.copy(vec![(from, &mut padded)])?;
        let rows = pixels.chunks_exact_mut(row).zip(padded.chunks_exact(stride));
        rows.for_each(|(to, from)| to.copy_from_slice(&from[..row]));
        Ok(())
    }

    /// Makes memory for `count` images of a canvas, that of the last ones if it serves.
    fn make_room(&mut self, canvas: &Canvas, count: usize) -> Result<()> {
        let serves = |i: &Images| i.canvas == *canvas && i.most >= count;
        if !self.images.as_ref().is_some_and(serves) {
            self.images = None; // gives its memory back first
            let stream = &self.stream;
            let (stride, rows) = (stride(canvas), count * canvas.size[1]);
            let words = stride.div_ceil(32 * GROUP);
            let grid = Grid {
                origin: canvas.origin,
                pitch: canvas.pitch,
                tolerance: canvas.tolerance,
                columns: canvas.size[0] as u32,
                rows: canvas.size[1] as u32,
                stride: stride as u32,
                planes: canvas.planes as u32,
                words: words as u32,
                padding: 0,
            };
            self.images = Some(Images {
                canvas: *canvas,
                most: count,
                stride,
                grid: Buffer::of(stream, &[grid])?,
                sums: Buffer::zeros(stream, rows * stride)?,
                touched: Buffer::zeros(stream, rows * words)?,
                pixels: Buffer::empty(stream, rows * stride * canvas.bits / 8)?,
            });
        }
        Ok(())
    }
}

/// What covering images came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Covered {
    /// Seconds on the device.
    pub seconds: f64,
    /// Images that are not complete: a patch had too many crossings.
    pub failed: Vec<usize>,
}

/// Pixels of a row in memory: whole pieces of 16 bytes, and of sums.
fn stride(canvas: &Canvas) -> usize {
    canvas.size[0].next_multiple_of(GROUP)
}
