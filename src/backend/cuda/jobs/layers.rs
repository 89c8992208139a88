//! Layers of a solid on the device: planes across its boundary, and the pixels they cover.
//!
//! The boundary comes as flat arrays and stays on the device. A batch of planes is traced
//! and its images are filled there, by `kernels/slice/layers.cu`; they are the CPU's bit by bit.

use std::sync::Arc;

use cudarc::driver::{CudaStream, DeviceRepr};

use crate::backend::Precision;
use crate::backend::cuda::Cuda;
use crate::backend::cuda::driver::buffer::{Buffer, timed_event};
use crate::backend::cuda::driver::constants::{
    COVERED_GROUP as GROUP, COVERED_ROWS as ROWS, TRACERS,
};
use crate::backend::cuda::driver::device::failed;
use crate::backend::cuda::driver::functions::{Functions, LaunchShape};
use crate::backend::cuda::driver::launch::Argument;
use crate::backend::cuda::driver::program::Kernels;
use crate::backend::cuda::driver::sources::{LAYERS, Variant};
use crate::backend::cuda::driver::transfer::Transfer;
use crate::backend::device::{
    Canvas, CoverageReport, LayerBoundary, LayerImages, LayerLink, LayerPatch, MAX_PLANES, Sampling,
};
use crate::error::{Error, Result};

/// Maximum number of images at once.
const MAX_IMAGES_AT_ONCE: usize = 1024;

#[derive(Clone, Copy, Default)]
#[repr(C)]
struct ImageGrid {
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
pub(crate) struct Layers {
    functions: Arc<Functions>,
    stream: Arc<CudaStream>,
    transfer: Transfer,
    patches: Buffer<LayerPatch>,
    links: Buffer<LayerLink>,
    edges: Buffer<[[f64; 3]; 4]>,
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
    ///
    /// # Errors
    /// [`Error::Request`] if its memory is too small.
    pub fn new(gpu: &Cuda, boundary: LayerBoundary<'_>) -> Result<Self> {
        let functions = gpu.functions.clone();
        let stream = functions.new_stream()?;
        let transfer = Transfer::new(functions.new_stream()?)?;
        let (patches, links, edges) = (
            Buffer::of(&stream, boundary.patches)?,
            Buffer::of(&stream, boundary.links)?,
            Buffer::of(&stream, boundary.edges)?,
        );
        stream.synchronize().map_err(failed("a copy to the device failed"))?;
        Ok(Self { functions, stream, transfer, patches, links, edges, images: None })
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
}

impl LayerImages for Layers {
    fn most_images(&self, canvas: &Canvas) -> usize {
        let pixels = canvas.size[1] * stride(canvas);
        // leaves most of the memory to others
        let memory = (self.functions.device().info.memory / 4) as usize;
        let bytes = 4 * canvas.planes + canvas.bits / 8;
        (memory / (pixels.max(1) * bytes)).min(MAX_IMAGES_AT_ONCE)
    }

    fn cover(
        &mut self,
        canvas: &Canvas,
        heights: &[f64],
        pairs: &[[u32; 2]],
    ) -> Result<CoverageReport> {
        if !matches!(canvas.bits, 8 | 16) {
            return Err(Error::request(format!(
                "pixels of {} bits are not supported",
                canvas.bits
            ))
            .with_help("ask for 8 or 16"));
        }
        if !(1..=MAX_PLANES).contains(&canvas.planes) {
            return Err(Error::request(format!("an image of {} planes", canvas.planes))
                .with_help(format!("a GPU averages 1 to {MAX_PLANES}; the CPU any number")));
        }
        let count = heights.len() / canvas.planes;
        let most = self.most_images(canvas);
        if count > most {
            return Err(Error::request(format!("{count} images at once")).with_help(format!(
                "this device makes {most} at a time: make fewer, or use the CPU"
            )));
        }
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
        let start = timed_event(stream)?;
        for launch in [trace, fill] {
            // SAFETY: all arrays live here or in `self`, and are as large as the counts say.
            unsafe { launch.enqueue(stream) }.map_err(failed("a kernel cannot be launched"))?;
        }
        let end = timed_event(stream)?;
        let failed_images = failed_images.read(stream)?;
        let seconds = f64::from(start.elapsed_ms(&end).map_err(failed("slicing failed"))?) * 1e-3;
        let failed_images = (0..count).filter(|&i| failed_images[i] != 0).collect();
        Ok(CoverageReport { seconds, failed: failed_images })
    }

    fn read(&mut self, first: usize, pixels: &mut [u8]) -> Result<()> {
        let Some(images) = &self.images else {
            return Err(Error::request("images that were not made").with_help("make images first"));
        };
        let canvas = &images.canvas;
        let row = canvas.size[0] * canvas.bits / 8;
        let stride = images.stride * canvas.bits / 8;
        let image = canvas.size[1];
        let count = pixels.len() / (row * image).max(1);
        if first + count > images.most || count * row * image != pixels.len() {
            return Err(Error::request(format!("images {first} to {}", first + count))
                .with_help("read whole images of those that were made"));
        }
        let from = images.pixels.address(first * image * stride);
        if row == stride {
            return self.transfer.copy(vec![(from, pixels)]);
        }
        let mut padded = vec![0; count * image * stride];
        self.transfer.copy(vec![(from, &mut padded)])?;
        let rows = pixels.chunks_exact_mut(row).zip(padded.chunks_exact(stride));
        rows.for_each(|(to, from)| to.copy_from_slice(&from[..row]));
        Ok(())
    }
}

/// Pixels of a row in memory: whole pieces of 16 bytes, and of sums.
fn stride(canvas: &Canvas) -> usize {
    canvas.size[0].next_multiple_of(GROUP)
}
