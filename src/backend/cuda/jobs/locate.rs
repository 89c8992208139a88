//! Points looked up in a solid on the device, by `kernels/locate/locate.cu`.

use std::sync::Arc;

use cudarc::driver::CudaStream;
use rayon::prelude::*;

use super::parts::Parts;
use crate::backend::Precision;
use crate::backend::cuda::Cuda;
use crate::backend::cuda::driver::buffer::Buffer;
use crate::backend::cuda::driver::constants::{
    BIN_BITS, LOCATE_THREADS as THREADS, SCAN_THREADS as SCANNERS,
};
use crate::backend::cuda::driver::functions::Functions;
use crate::backend::cuda::driver::launch::Argument;
use crate::backend::cuda::driver::program::{Kernels, run_once};
use crate::backend::cuda::driver::sources::{LOCATE, Variant};
use crate::backend::cuda::driver::transfer::Transfer;
use crate::backend::cuda::resident::Resident;
use crate::backend::operations::{
    Containment, LocationSource, Locations, Place, PointSearch, SolidParts,
};
use crate::error::Result;

/// Points at once: memory on the device and here stays bounded.
const BATCH_POINTS: usize = 1 << 22;
/// The element of a point that is in none; and of one that only the CPU can decide.
const OUTSIDE: u32 = u32::MAX;
const LEFT: u32 = u32::MAX - 1;
/// Bins of points, and tiles of them.
const BINS: usize = 1 << (3 * BIN_BITS);
const TILES: usize = BINS / SCANNERS as usize;

pub(super) fn variant() -> Variant {
    Variant::new(&LOCATE, Precision::F64)
}

/// A solid's parts on the device, ready for points.
pub(super) struct Places {
    functions: Arc<Functions>,
    stream: Arc<CudaStream>,
    transfer: Transfer,
    parts: Parts,
    bins: Buffer<u32>,
    tiles: Buffer<u32>,
    block: Option<PointBuffers>,
}

/// Places copied to the host, `[point]` each; parameters and residuals only of points that are in an
/// element.
#[derive(Default)]
struct PlaceArrays {
    // or OUTSIDE, or LEFT
    elements: Vec<u32>,
    parameters: Vec<[f64; 3]>,
    residuals: Vec<f64>,
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
    pub fn new(gpu: &Cuda, solid: &SolidParts) -> Result<Self> {
        let functions = gpu.functions.clone();
        let stream = functions.new_stream()?;
        let transfer = Transfer::new(functions.new_stream()?)?;
        let parts = Parts::new(&stream, solid)?;
        let (bins, tiles) = (Buffer::empty(&stream, BINS)?, Buffer::empty(&stream, TILES)?);
        Ok(Self { functions, stream, transfer, parts, bins, tiles, block: None })
    }

    /// Takes points in place of those before.
    fn set_points(&mut self, points: &[[f64; 3]]) -> Result<()> {
        let count = points.len();
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

    /// Finds the places of the points, and leaves them there; returns the seconds of the kernels.
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
        self.bins.clear(stream)?;
        // SAFETY: all arrays live in `self` and are as large as the counts say.
        unsafe { run_once(&launches, stream) }
    }

    /// Copies the places of the last run to the host.
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

impl PointSearch for Resident<Places> {
    fn locate(&self, solid: &dyn LocationSource, points: &[[f64; 3]]) -> Result<Locations> {
        let mut all = Locations::default();
        all.located.reserve_exact(points.len());
        let (mut arrays, mut count) = (PlaceArrays::default(), 0);
        for block in points.chunks(BATCH_POINTS) {
            let mut own = self.lock();
            own.set_points(block)?;
            all.seconds += own.run()?;
            own.read(&mut arrays)?;
            drop(own);
            count += finish(solid, block, &arrays, &mut all.located);
        }
        Ok(Locations { left: Some(count), ..all })
    }
}

/// Adds the answers to `located`, with the CPU's for points left to it; returns how many
/// these are.
fn finish(
    solid: &dyn LocationSource,
    points: &[[f64; 3]],
    arrays: &PlaceArrays,
    located: &mut Vec<Containment>,
) -> usize {
    let left: Vec<u32> =
        (0..points.len() as u32).filter(|&i| arrays.elements[i as usize] == LEFT).collect();
    let points_left: Vec<[f64; 3]> = left.iter().map(|&i| points[i as usize]).collect();
    let first = located.len();
    located.par_extend(arrays.elements.par_iter().enumerate().map(|(i, &element)| match element {
        OUTSIDE | LEFT => Containment::Outside,
        element => Containment::Inside(Place {
            element,
            parameters: arrays.parameters[i],
            residual: arrays.residuals[i],
        }),
    }));
    for (&i, found) in left.iter().zip(solid.locate(&points_left)) {
        located[first + i as usize] = found;
    }
    left.len()
}
