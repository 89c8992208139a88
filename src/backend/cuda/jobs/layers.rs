//! Layers of a solid on the device: planes across its boundary, and the pixels they cover.
//!
//! The boundary comes as flat arrays and stays on the device. A batch of planes is traced
//! and its images are filled there, by `kernels/slice/layers.cu`; they are the CPU's bit by bit.

use std::sync::Arc;

use cudarc::driver::{CudaStream, DeviceRepr};

use crate::backend::Precision;
use crate::backend::cuda::Cuda;
use crate::backend::cuda::driver::buffer::Buffer;
use crate::backend::cuda::driver::constants::{
    COVERED_GROUP as GROUP, COVERED_ROWS as ROWS, TRACERS,
};
use crate::backend::cuda::driver::device::failed;
use crate::backend::cuda::driver::functions::{Functions, LaunchShape};
use crate::backend::cuda::driver::launch::Argument;
use crate::backend::cuda::driver::program::{Kernels, run_once};
use crate::backend::cuda::driver::sources::{LAYERS, Variant};
use crate::backend::cuda::driver::transfer::Transfer;
use crate::backend::cuda::resident::Resident;
use crate::backend::operations::{
    Canvas, CoverageSource, LayerBoundary, LayerImages, LayerLink, LayerPatch, LayerPlanes,
    MAX_PLANES, Sampling,
};
use crate::error::{Error, Result};

/// Maximum number of full pixels that sums of 32 bits hold: 2¹³ × 2¹³ × 2 × 15 is below 2³¹.
const MAX_SUMMED_PIXELS: usize = 15;
/// Maximum number of images at once.
const MAX_IMAGES_AT_ONCE: usize = 1024;

#[derive(Clone, Copy, Default)]
#[repr(C)]
struct ImageGrid {
    origin: [f64; 2],
    pitch: [f64; 2],
    tolerance: f64,
    columns: u32,
    rows: u32,
    stride: u32,
    planes: u32,
    words: u32,
    padding: u32,
}

// SAFETY: plain numbers, laid out as in CUDA C++.
unsafe impl DeviceRepr for LayerPatch {}
// SAFETY: likewise.
unsafe impl DeviceRepr for LayerLink {}
// SAFETY: likewise.
unsafe impl DeviceRepr for ImageGrid {}

/// The kernels for pixels of some bits.
pub(in crate::backend::cuda) fn variant(bits: usize, sampling: Sampling) -> Variant {
    let variant = Variant::new(&LAYERS, Precision::F64);
    variant.with("BITS", bits).with("CENTER", usize::from(sampling == Sampling::Center))
}

/// A solid's boundary on the device, ready for layers.
pub(super) struct Layers {
    functions: Arc<Functions>,
    stream: Arc<CudaStream>,
    transfer: Transfer,
    patches: Buffer<LayerPatch>,
    links: Buffer<LayerLink>,
    edges: Buffer<[[f64; 3]; 4]>,
    most_around: usize,
    images: Option<ImageBuffers>,
}

/// Memory for a batch of images.
struct ImageBuffers {
    canvas: Canvas,
    most: usize,
    stride: usize,
    grid: Buffer<ImageGrid>,
    sums: Buffer<i32>,
    touched: Buffer<u32>,
    pixels: Buffer<u8>,
}

impl Layers {
    /// Brings a boundary to a GPU.
    pub fn new(gpu: &Cuda, boundary: &LayerBoundary<'_>) -> Result<Self> {
        let functions = gpu.functions.clone();
        let stream = functions.new_stream()?;
        let transfer = Transfer::new(functions.new_stream()?)?;
        let (patches, links, edges) = (
            Buffer::of(&stream, &boundary.patches)?,
            Buffer::of(&stream, &boundary.links)?,
            Buffer::of(&stream, boundary.edges)?,
        );
        stream.synchronize().map_err(failed("a copy to the device failed"))?;
        let most_around = boundary.most_around;
        Ok(Self { functions, stream, transfer, patches, links, edges, most_around, images: None })
    }

    /// Makes memory for `count` images of a canvas, or reuses the last if it serves.
    fn make_room(&mut self, canvas: &Canvas, count: usize) -> Result<()> {
        let serves = |i: &ImageBuffers| i.canvas == *canvas && i.most >= count;
        if !self.images.as_ref().is_some_and(serves) {
            self.images = None; // gives its memory back first
            let stream = &self.stream;
            let (stride, rows) = (stride(canvas), count * canvas.size[1]);
            let rows_of_planes = rows * canvas.planes;
            let words = stride.div_ceil(32 * GROUP);
            let grid = ImageGrid {
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
            self.images = Some(ImageBuffers {
                canvas: *canvas,
                most: count,
                stride,
                grid: Buffer::of(stream, &[grid])?,
                sums: Buffer::zeros(stream, rows_of_planes * stride)?,
                touched: Buffer::zeros(stream, rows_of_planes * words)?,
                pixels: Buffer::empty(stream, rows * stride * canvas.bits / 8)?,
            });
        }
        Ok(())
    }

    /// Images of a canvas that are made at once; 0 if one is too large, or of more planes, or of more
    /// shells around one point, than sums hold.
    fn most_images(&self, canvas: &Canvas) -> usize {
        if !(1..=MAX_PLANES).contains(&canvas.planes) || self.most_around > MAX_SUMMED_PIXELS {
            return 0;
        }
        let pixels = canvas.size[1] * stride(canvas);
        // leaves most of the memory to others
        let memory = (self.functions.device().info.memory / 4) as usize;
        let bytes = 4 * canvas.planes + canvas.bits / 8;
        (memory / (pixels.max(1) * bytes)).min(MAX_IMAGES_AT_ONCE)
    }

    /// Covers as many images as there are at most; they stay on the device. Returns the seconds of
    /// the kernels, and whether the images are complete: no
    /// patch had too many crossings.
    fn cover(&mut self, canvas: &Canvas, planes: &LayerPlanes) -> Result<(f64, bool)> {
        let LayerPlanes { heights, pairs } = planes;
        let count = heights.len() / canvas.planes;
        self.make_room(canvas, count)?;
        let Some(images) = &self.images else {
            return Err(Error::request("no memory for images"));
        };
        let kernels = Kernels::new(&self.functions, variant(canvas.bits, canvas.sampling));
        let trace = kernels.get("trace")?;
        let shared = trace.constant("trace_shared")?;
        trace.occupancy(TRACERS, shared)?;
        let stream = &self.stream;
        let heights = Buffer::of(stream, heights)?;
        let pairs = Buffer::of(stream, pairs)?;
        let failed_images = Buffer::<u32>::zeros(stream, count)?;
        let rows = (count * canvas.size[1]) as u32;
        let address = |address: u64| Argument::Address(address);
        let blocks = (pairs.len() as u32).div_ceil(TRACERS);
        let trace = kernels.launch(
            "trace",
            LaunchShape { blocks, threads: TRACERS, shared },
            vec![
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
        )?;
        let fill = kernels.blocks(
            "fill",
            rows.div_ceil(ROWS),
            32 * ROWS,
            vec![
                address(images.grid.address(0)),
                Argument::Number(rows),
                address(images.sums.address(0)),
                address(images.touched.address(0)),
                address(images.pixels.address(0)),
            ],
        )?;
        // SAFETY: all arrays live here or in `self`, and are as large as the counts say.
        let seconds = unsafe { run_once(&[trace, fill], stream) }?;
        let failed_images = failed_images.read(stream)?;
        Ok((seconds, failed_images.iter().all(|&failed| failed == 0)))
    }

    /// Copies the first image.
    fn read(&mut self, pixels: &mut [u8]) -> Result<()> {
        let Some(images) = &self.images else { return Ok(()) };
        let canvas = &images.canvas;
        let row = canvas.size[0] * canvas.bits / 8;
        let stride = images.stride * canvas.bits / 8;
        let from = images.pixels.address(0);
        if row == stride {
            return self.transfer.copy(vec![(from, pixels)]);
        }
        let mut padded = vec![0; canvas.size[1] * stride];
        self.transfer.copy(vec![(from, &mut padded)])?;
        let rows = pixels.chunks_exact_mut(row).zip(padded.chunks_exact(stride));
        rows.for_each(|(to, from)| to.copy_from_slice(&from[..row]));
        Ok(())
    }
}

impl LayerImages for Resident<Layers> {
    fn cover(
        &self,
        source: &dyn CoverageSource,
        canvas: &Canvas,
        heights: &[f64],
        pixels: &mut [u8],
    ) -> Result<()> {
        let mut own = self.lock();
        if own.most_images(canvas) > 0 && own.cover(canvas, &source.planes(heights))?.1 {
            return own.read(pixels);
        }
        drop(own);
        source.cover(canvas, heights, pixels)
    }

    fn time(&self, source: &dyn CoverageSource, canvas: &Canvas, heights: &[f64]) -> Result<f64> {
        let mut own = self.lock();
        let most = own.most_images(canvas);
        if most == 0 {
            drop(own);
            return source.time(canvas, heights);
        }
        let images = heights.chunks(canvas.planes * most);
        images.map(|heights| Ok(own.cover(canvas, &source.planes(heights))?.0)).sum()
    }
}

/// Pixels of a row in memory: whole pieces of 16 bytes, and of sums.
fn stride(canvas: &Canvas) -> usize {
    canvas.size[0].next_multiple_of(GROUP)
}
