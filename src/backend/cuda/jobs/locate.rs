//! Points looked up in a solid on the device, by `kernels/locate/locate.cu`.

use std::sync::Arc;

use cudarc::driver::CudaStream;

use super::parts::Parts;
use crate::backend::Precision;
use crate::backend::cuda::Cuda;
use crate::backend::cuda::driver::buffer::{Buffer, timed_event};
use crate::backend::cuda::driver::constants::{
    BIN_BITS, LOCATE_THREADS as THREADS, SCAN_THREADS as SCANNERS,
};
use crate::backend::cuda::driver::device::failed;
use crate::backend::cuda::driver::functions::Functions;
use crate::backend::cuda::driver::launch::Argument;
use crate::backend::cuda::driver::program::Kernels;
use crate::backend::cuda::driver::sources::{LOCATE, Variant};
use crate::backend::cuda::driver::transfer::Transfer;
use crate::backend::device::{OUTSIDE, PlaceArrays, PointSearch, SolidParts};
use crate::error::{Error, Result};

/// Bins of points, and tiles of them.
const BINS: usize = 1 << (3 * BIN_BITS);
const TILES: usize = BINS / SCANNERS as usize;

pub(super) fn variant() -> Variant {
    Variant::new(&LOCATE, Precision::F64)
}

/// A solid's parts on the device, ready for points.
pub(crate) struct Places {
    functions: Arc<Functions>,
    stream: Arc<CudaStream>,
    transfer: Transfer,
    parts: Parts,
    bins: Buffer<u32>,
    tiles: Buffer<u32>,
    block: Option<PointBuffers>,
}

/// Memory of points and of their places.
struct PointBuffers {
    // points that there is room for, and that are there
    most: usize,
    count: usize,
    points: Buffer<f64>,
    // bin and place in it of each point
    binned: Buffer<[u32; 2]>,
    order: Buffer<u32>,
    elements: Buffer<u32>,
    parameters: Buffer<f64>,
    residuals: Buffer<f64>,
}

impl Places {
    /// Brings a solid to a GPU.
    ///
    /// # Errors
    /// [`Error::Request`] if its memory is too small.
    pub fn new(gpu: &Cuda, solid: SolidParts<'_>) -> Result<Self> {
        let functions = gpu.functions.clone();
        let stream = functions.new_stream()?;
        let transfer = Transfer::new(functions.new_stream()?)?;
        let parts = Parts::new(&stream, solid)?;
        let (bins, tiles) = (Buffer::empty(&stream, BINS)?, Buffer::empty(&stream, TILES)?);
        Ok(Self { functions, stream, transfer, parts, bins, tiles, block: None })
    }
}

impl PointSearch for Places {
    fn set_points(&mut self, points: &[[f64; 3]]) -> Result<()> {
        let count = points.len();
        if count > 1 << 31 {
            return Err(Error::request(format!("{count} points at once"))
                .with_help("locate them in blocks"));
        }
        let stream = &self.stream;
        if self.block.as_ref().is_none_or(|block| block.most < count) {
            self.block = None; // gives its memory back first
            self.block = Some(PointBuffers {
                most: count,
                count,
                points: Buffer::empty(stream, 3 * count)?,
                binned: Buffer::empty(stream, count)?,
                order: Buffer::empty(stream, count)?,
                elements: Buffer::empty(stream, count)?,
                parameters: Buffer::empty(stream, 3 * count)?,
                residuals: Buffer::empty(stream, count)?,
            });
        }
        let Some(block) = &mut self.block else { return Ok(()) };
        block.count = count;
        block.points.fill(stream, points.as_flattened())
    }

    fn run(&mut self) -> Result<f64> {
        let Some(block) = self.block.as_ref().filter(|block| block.count > 0) else {
            return Ok(0.0);
        };
        let address = Argument::Address;
        let count = || Argument::Number(block.count as u32);
        let points = block.points.address(0);
        let (bins, tiles) = (self.bins.address(0), self.tiles.address(0));
        let (binned, order) = (block.binned.address(0), block.order.address(0));
        let solid = || Argument::Words(self.parts.solid());
        let places = Argument::Words(Box::new([
            block.elements.address(0),
            block.parameters.address(0),
            block.residuals.address(0),
        ]));
        let kernels = Kernels::new(&self.functions, variant());
        let launches = [
            kernels.items(
                "bin_points",
                block.count,
                THREADS,
                vec![solid(), address(points), count(), address(bins), address(binned)],
            )?,
            kernels.blocks(
                "scan_bins",
                TILES as u32,
                SCANNERS,
                vec![address(bins), address(tiles)],
            )?,
            kernels.blocks("scan_tiles", 1, SCANNERS, vec![address(tiles)])?,
            kernels.items(
                "order_points",
                block.count,
                THREADS,
                vec![address(bins), address(tiles), address(binned), count(), address(order)],
            )?,
            kernels.items(
                "locate",
                block.count,
                THREADS,
                vec![solid(), address(points), address(order), count(), places],
            )?,
        ];
        let stream = &self.stream;
        let start = timed_event(stream)?;
        self.bins.clear(stream)?;
        for launch in &launches {
            // SAFETY: all arrays live in `self` and are as large as the counts say.
            unsafe { launch.enqueue(stream) }.map_err(failed("a kernel cannot be launched"))?;
        }
        let end = timed_event(stream)?;
        let elapsed = start.elapsed_ms(&end).map_err(failed("locating points failed"))?;
        Ok(f64::from(elapsed) * 1e-3)
    }

    fn read(&mut self, places: &mut PlaceArrays) -> Result<()> {
        let Some(block) = &self.block else {
            *places = PlaceArrays::default();
            return Ok(());
        };
        places.elements.resize(block.count, OUTSIDE);
        places.parameters.resize(block.count, [0.0; 3]);
        places.residuals.resize(block.count, 0.0);
        if block.count == 0 {
            return Ok(());
        }
        self.transfer.copy(vec![
            (block.elements.address(0), bytemuck::cast_slice_mut(&mut places.elements)),
            (block.parameters.address(0), bytemuck::cast_slice_mut(&mut places.parameters)),
            (block.residuals.address(0), bytemuck::cast_slice_mut(&mut places.residuals)),
        ])
    }
}
