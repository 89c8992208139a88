//! Pixels of lattices on the device, by `kernels/slice/lattice.cu`.

use std::sync::Arc;

use cudarc::driver::{CudaStream, DeviceRepr};

use crate::backend::Precision;
use crate::backend::cuda::Cuda;
use crate::backend::cuda::driver::buffer::Buffer;
use crate::backend::cuda::driver::constants::LATTICE_THREADS as THREADS;
use crate::backend::cuda::driver::functions::Functions;
use crate::backend::cuda::driver::launch::Argument;
use crate::backend::cuda::driver::program::{Kernels, run_once};
use crate::backend::cuda::driver::sources::{LATTICE, Variant};
use crate::backend::cuda::driver::transfer::Transfer;
use crate::backend::cuda::resident::Resident;
use crate::backend::operations::{
    LatticeArrays, LatticePixels, LatticeSource, PixelRegion, Pixels, RegionPolynomial, RegionRun,
    RegionRuns, Sampling, TileFunction, without_void,
};
use crate::error::Result;

/// Threads of a warp, which takes a run.
const LANES: u32 = 32;

// SAFETY: plain numbers, laid out as in CUDA C++.
unsafe impl DeviceRepr for PixelRegion {}
// SAFETY: likewise.
unsafe impl DeviceRepr for RegionPolynomial {}
// SAFETY: likewise.
unsafe impl DeviceRepr for RegionRun {}

pub(in crate::backend::cuda) fn variant() -> Variant {
    Variant::new(&LATTICE, Precision::F64)
}

/// A lattice on the device, ready for layers.
pub(super) struct Lattices {
    functions: Arc<Functions>,
    stream: Arc<CudaStream>,
    transfer: Transfer,
    struts: Buffer<[[f64; 3]; 2]>,
    densities: Buffer<f64>,
    function: TileFunction,
    per_cell: usize,
    is_wall: bool,
    size: Option<f64>,
    // coverage of the layer at work, and of its part that is a lattice
    whole: Buffer<u16>,
    core: Buffer<u16>,
}

impl Lattices {
    /// Brings a lattice to a GPU.
    pub fn new(gpu: &Cuda, arrays: &LatticeArrays<'_>) -> Result<Self> {
        let &LatticeArrays { function, ref struts, per_cell, is_wall, size, densities } = arrays;
        let functions = gpu.functions.clone();
        let stream = functions.new_stream()?;
        Ok(Self {
            transfer: Transfer::new(functions.new_stream()?)?,
            struts: Buffer::of(&stream, struts)?,
            densities: Buffer::of(&stream, densities)?,
            whole: Buffer::empty(&stream, 0)?,
            core: Buffer::empty(&stream, 0)?,
            functions,
            stream,
            function,
            per_cell,
            is_wall,
            size,
        })
    }

    /// `Lattice` in the kernels.
    fn lattice(&self, pixels: &Pixels, sampling: Sampling) -> Argument {
        let pair = |low: usize, high: usize| low as u64 | (high as u64) << 32;
        let is_area = usize::from(sampling == Sampling::Area);
        let is_wall = usize::from(self.is_wall);
        Argument::Words(Box::new([
            self.struts.address(0),
            self.densities.address(0),
            (self.per_cell as f64).to_bits(),
            self.size.unwrap_or_default().to_bits(),
            pixels.pitch[0].to_bits(),
            pixels.pitch[1].to_bits(),
            pair(self.struts.len(), self.densities.len()),
            pair(self.function as usize, is_wall),
            pair(is_area, usize::from(self.size.is_none())),
            pair(pixels.along[0], pixels.along[1]),
        ]))
    }

    /// Takes voids out of `whole`; returns the seconds that it took.
    fn cover(
        &mut self,
        lattice: Argument,
        columns: usize,
        runs: &RegionRuns,
        (core, whole): (Option<&[u16]>, &mut [u16]),
    ) -> Result<f64> {
        let stream = &self.stream;
        for (to, from) in [(&mut self.whole, Some(&*whole)), (&mut self.core, core)] {
            let Some(from) = from else { continue };
            if to.len() != from.len() {
                *to = Buffer::empty(stream, 0)?; // gives its memory back first
                *to = Buffer::empty(stream, from.len())?;
            }
            to.fill(stream, from)?;
        }
        let regions = Buffer::of(stream, &runs.regions)?;
        let polynomials = Buffer::of(stream, &runs.polynomials)?;
        let coefficients = Buffer::of(stream, &runs.coefficients)?;
        let of_pixels = Buffer::of(stream, &runs.runs)?;
        let inside = if core.is_some() { &self.core } else { &self.whole };
        let address = Argument::Address;
        let [all, polynomials, coefficients] =
            [regions.address(0), polynomials.address(0), coefficients.address(0)];
        let launch = Kernels::new(&self.functions, variant()).blocks(
            "cover_runs",
            (runs.runs.len() as u32).div_ceil(THREADS / LANES),
            THREADS,
            vec![
                lattice,
                Argument::Words(Box::new([all, polynomials, coefficients])),
                address(of_pixels.address(0)),
                Argument::Number(runs.runs.len() as u32),
                Argument::Number(columns as u32),
                address(inside.address(0)),
                address(self.whole.address(0)),
            ],
        )?;
        // SAFETY: all arrays live here or in `self`, and are as large as the counts say.
        let seconds = unsafe { run_once(&[launch], stream) }?;
        self.transfer.copy(vec![(self.whole.address(0), bytemuck::cast_slice_mut(whole))])?;
        Ok(seconds)
    }
}

impl LatticePixels for Resident<Lattices> {
    fn cover(
        &self,
        source: &dyn LatticeSource,
        core: Option<&[u16]>,
        whole: &mut [u16],
    ) -> Result<f64> {
        // before the device is locked: threads share it out
        let runs = source.runs(core.unwrap_or(whole))?;
        let settled = runs.settled.iter().map(|&(pixel, part)| {
            let pixel = pixel as usize;
            let inside = core.map_or(whole[pixel], |core| core[pixel]);
            (pixel, without_void(whole[pixel], inside, part))
        });
        let settled: Vec<(usize, u16)> = settled.collect();
        let mut seconds = 0.0;
        if !runs.runs.is_empty() {
            let (pixels, mut own) = (source.pixels(), self.lock());
            let lattice = own.lattice(&pixels, source.sampling());
            seconds = own.cover(lattice, pixels.size[0], &runs, (core, whole))?;
        }
        for (pixel, covered) in settled {
            whole[pixel] = covered;
        }
        Ok(seconds)
    }
}
