//! A sparse matrix times control points on the device, by `kernels/surface/product.cu`.

use crate::numbers::Real;
use std::sync::Arc;

use cudarc::driver::{CudaStream, DeviceRepr, result};

use crate::backend::cuda::Cuda;
use crate::backend::cuda::driver::constants::PRODUCT_THREADS as THREADS;
use crate::backend::cuda::driver::device::failed;

use crate::backend::Precision;
use crate::backend::cuda::driver::buffer::Buffer;
use crate::backend::cuda::driver::functions::Functions;
use crate::backend::cuda::driver::launch::Argument;
use crate::backend::cuda::driver::program::{Kernels, Program};
use crate::backend::cuda::driver::sources::{SURFACE_PRODUCT, Variant};
use crate::error::{Error, Result};

/// Rows of a block, a lane each.
pub const BLOCK_ROWS: usize = 32;

/// Entries of a row that are read at once.
pub const ENTRIES: usize = 4;

/// Rows that a warp sums; `Block` in `kernels/surface/product.cu`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct RowBlock {
    /// First group of weights, of [`BLOCK_ROWS`] × [`ENTRIES`] each.
    pub weights: u32,
    /// First group of columns, of [`ENTRIES`] each.
    pub columns: u32,
    /// Groups of a row.
    pub groups: u32,
    /// Number of rows, 1 to [`BLOCK_ROWS`].
    pub rows: u32,
    /// Result of the first row if they follow one another, else `u32::MAX`.
    pub first: u32,
    /// First of the rows' results in the list of them, where they do not.
    pub listed: u32,
    /// 1 if every row has its own columns, `[group][row][entry]`.
    pub own_columns: u32,
    /// Makes the size a multiple of 16 bytes.
    pub unused: u32,
}

// SAFETY: plain numbers, laid out as in CUDA C++.
unsafe impl DeviceRepr for RowBlock {}

/// A sparse matrix in blocks of rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct BlockMatrix<T> {
    /// Every row is in one of them.
    pub blocks: Vec<RowBlock>,
    /// `[group]` of columns.
    pub columns: Vec<[u32; ENTRIES]>,
    /// `[group][row]` of weights, 0 in padding.
    pub weights: Vec<[T; ENTRIES]>,
    /// Results of rows that do not follow one another.
    pub listed: Vec<u32>,
    /// Number of rows.
    pub rows: usize,
    /// Number of control points.
    pub controls: usize,
}

impl<T> BlockMatrix<T> {
    /// Bytes that a product reads of the matrix.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.blocks)
            + size_of_val(&*self.columns)
            + size_of_val(&*self.weights)
            + size_of_val(&*self.listed)
    }
}

/// Some components of the control points, and of the results.
struct Components<T> {
    width: usize,
    // [point][width, or 4 for 3]; [row][width]
    controls: Buffer<T>,
    results: Buffer<T>,
}

/// A sparse matrix on the device, with control points and what it makes of them.
pub(crate) struct Product<T> {
    functions: Arc<Functions>,
    stream: Arc<CudaStream>,
    blocks: Buffer<RowBlock>,
    columns: Buffer<[u32; ENTRIES]>,
    weights: Buffer<[T; ENTRIES]>,
    listed: Buffer<u32>,
    rows: usize,
    controls: usize,
    parts: Vec<Components<T>>,
    program: Option<Program>,
}

/// Maximum number of components at once.
const MAX_COMPONENTS: usize = 4;

pub(in crate::backend::cuda) fn variant(precision: Precision, width: usize) -> Variant {
    Variant::new(&SURFACE_PRODUCT, precision).with("WIDTH", width)
}

/// Reals from one point to the next on the device.
fn stride(width: usize) -> usize {
    if width == 3 { 4 } else { width }
}

impl<T: Real + DeviceRepr> Product<T> {
    /// Brings a matrix to a GPU.
    ///
    /// # Errors
    /// [`Error::Request`] for more than the device has room for.
    pub fn new(gpu: &Cuda, matrix: &BlockMatrix<T>) -> Result<Self> {
        let functions = gpu.functions.clone();
        let stream = functions.new_stream()?;
        // positions and results too
        let points = 3 * matrix.rows + 4 * matrix.controls;
        check_room(&stream, matrix.bytes() + points * size_of::<T>())?;
        let product = Self {
            blocks: Buffer::of(&stream, &matrix.blocks)?,
            columns: Buffer::of(&stream, &matrix.columns)?,
            weights: Buffer::of(&stream, &matrix.weights)?,
            listed: Buffer::of(&stream, &matrix.listed)?,
            rows: matrix.rows,
            controls: matrix.controls,
            parts: Vec::new(),
            program: None,
            functions,
            stream,
        };
        product.stream.synchronize().map_err(failed("a copy to the device failed"))?;
        Ok(product)
    }

    /// Takes `width` components of every control point, `[point][component]`.
    ///
    /// # Errors
    /// [`Error::Request`] for another number of them, no component, or too little memory.
    pub fn set_controls(&mut self, values: &[T], width: usize) -> Result<()> {
        if width == 0 || values.len() != width * self.controls {
            return Err(Error::request(format!(
                "{} numbers for {} control points of {width} components",
                values.len(),
                self.controls
            ))
            .with_help("give one or more components of every control point"));
        }
        if self.parts.iter().map(|part| part.width).sum::<usize>() != width {
            self.parts = (0..width)
                .step_by(MAX_COMPONENTS)
                .map(|first| {
                    let width = (width - first).min(MAX_COMPONENTS);
                    Ok(Components {
                        width,
                        controls: Buffer::empty(&self.stream, stride(width) * self.controls)?,
                        results: Buffer::empty(&self.stream, width * self.rows)?,
                    })
                })
                .collect::<Result<_>>()?;
            self.program = None;
        }
        for (part, first) in self.parts.iter_mut().zip((0..width).step_by(MAX_COMPONENTS)) {
            let stride = stride(part.width);
            let mut padded = vec![T::default(); stride * self.controls];
            for (to, from) in padded.chunks_exact_mut(stride).zip(values.chunks_exact(width)) {
                to[..part.width].copy_from_slice(&from[first..first + part.width]);
            }
            part.controls.fill(&self.stream, &padded)?;
        }
        Ok(())
    }

    /// Multiplies; returns the seconds that it took on the device, where the results stay.
    ///
    /// # Errors
    /// [`Error::Request`] with the driver's words if a kernel fails.
    pub fn run(&mut self) -> Result<f64> {
        let mut program = match self.program.take() {
            Some(program) => program,
            None => self.program()?,
        };
        // SAFETY: all arrays live in `self` and are as long as the blocks say.
        let seconds = unsafe { program.run(&self.stream) }?;
        self.program = Some(program);
        Ok(seconds)
    }

    fn program(&self) -> Result<Program> {
        let launches = self.parts.iter().map(|part| {
            let arguments = vec![
                Argument::Words(Box::new([
                    self.blocks.address(0),
                    self.columns.address(0),
                    self.weights.address(0),
                    self.listed.address(0),
                    self.blocks.len() as u64,
                ])),
                Argument::Address(part.controls.address(0)),
                Argument::Address(part.results.address(0)),
            ];
            let kernels = Kernels::new(&self.functions, variant(T::PRECISION, part.width));
            let threads = BLOCK_ROWS * self.blocks.len();
            kernels.items("matrix_product", threads, THREADS, arguments)
        });
        Ok(Program::new(launches.collect::<Result<_>>()?))
    }

    /// The results of the last run, copied to the host, `[row][component]`.
    ///
    /// # Errors
    /// [`Error::Request`] if a copy fails.
    pub fn results(&self) -> Result<Vec<T>> {
        if let [part] = &self.parts[..] {
            return part.results.read(&self.stream);
        }
        let width: usize = self.parts.iter().map(|part| part.width).sum();
        let mut all = vec![T::default(); width * self.rows];
        for (part, first) in self.parts.iter().zip((0..).step_by(MAX_COMPONENTS)) {
            let own = part.results.read(&self.stream)?;
            for (to, from) in all.chunks_exact_mut(width).zip(own.chunks_exact(part.width)) {
                to[first..first + part.width].copy_from_slice(from);
            }
        }
        Ok(all)
    }
}

/// Refuses what the device has no room for, before it is asked for it.
fn check_room(stream: &CudaStream, bytes: usize) -> Result<()> {
    stream.context().bind_to_thread().map_err(failed("the device cannot be used"))?;
    let (free, _) = result::mem_get_info().map_err(failed("the device says nothing"))?;
    if bytes <= free {
        return Ok(());
    }
    let gigabytes = |bytes: usize| bytes as f64 * 1e-9;
    Err(Error::request(format!(
        "one matrix of all levels takes {:.1} GB, the device has {:.1} GB free",
        gigabytes(bytes),
        gigabytes(free)
    ))
    .with_help("ask for fewer levels, or refine level by level"))
}
