//! Sparse matrices on the device: element matrices of a batch, and their sum by rows, by
//! `kernels/solid/assembly.cu`.

use std::sync::Arc;

use cudarc::driver::{CudaEvent, CudaStream};

use super::mapping::Mapping;
use crate::backend::Precision;
use crate::backend::cuda::Cuda;
use crate::backend::cuda::driver::buffer::{Buffer, timed_event};
use crate::backend::cuda::driver::constants::ASSEMBLY_TILE as TILE;
use crate::backend::cuda::driver::device::failed;
use crate::backend::cuda::driver::functions::Functions;
use crate::backend::cuda::driver::launch::{Argument, Launch};
use crate::backend::cuda::driver::program::Kernels;
use crate::backend::cuda::driver::sources::{ASSEMBLY, Variant};
use crate::backend::cuda::driver::transfer::Transfer;
use crate::backend::operations::{
    AddedRows, AssembledMatrices, MappingBatch, MatrixForm, MatrixSource, SparsePattern,
};
use crate::error::{Error, Result};

/// Matrices of one pattern on the device.
struct Assembly {
    functions: Arc<Functions>,
    stream: Arc<CudaStream>,
    mapping: Mapping,
    transfer: Transfer,
    starts: Buffer<u64>,
    columns: Buffer<u32>,
    sums: Vec<Sum>,
    // element matrices of one form
    matrices: Buffer<f64>,
    // before and after the kernels of every batch
    times: Vec<[CudaEvent; 2]>,
}

/// A matrix.
struct Sum {
    form: MatrixForm,
    values: Buffer<f64>,
}

impl Sum {
    fn variant(&self) -> Variant {
        variant(self.form.number())
    }

    /// See `Material` in the kernels.
    fn material(&self) -> Argument {
        Argument::Words(self.form.constants().iter().map(|x| x.to_bits()).collect())
    }
}

fn variant(form: usize) -> Variant {
    Variant::new(&ASSEMBLY, Precision::F64).with("FORM", form)
}

/// All variants that are used.
pub(in crate::backend::cuda) fn variants() -> [Variant; 4] {
    [0, 1, 2, 3].map(variant)
}

/// Sums matrices.
pub(super) fn assemble(gpu: &Cuda, source: &mut dyn MatrixSource) -> Result<AssembledMatrices> {
    let mut sums = Assembly::new(gpu, source.pattern(), source.forms(), source.positions())?;
    let memory = gpu.functions.device().info.memory;
    source.add_batches(memory, &mut |batch, rows| sums.add(batch, rows))?;
    Ok(AssembledMatrices { values: sums.read()?, seconds: sums.seconds()? })
}

impl Assembly {
    /// Brings a pattern and positions to a GPU, with matrices of zeros.
    fn new(
        gpu: &Cuda,
        pattern: SparsePattern<'_>,
        forms: &[MatrixForm],
        positions: &[[f64; 3]],
    ) -> Result<Self> {
        let mapping = Mapping::new(gpu, &[], positions)?;
        let stream = mapping.stream().clone();
        let starts: Vec<u64> = pattern.starts.iter().map(|&start| start as u64).collect();
        let sum = |&form: &MatrixForm| {
            let numbers = pattern.columns.len() * form.width().pow(2);
            Ok(Sum { form, values: Buffer::zeros(&stream, numbers)? })
        };
        Ok(Self {
            functions: gpu.functions.clone(),
            transfer: Transfer::new(stream.clone())?,
            starts: Buffer::of(&stream, &starts)?,
            columns: Buffer::of(&stream, pattern.columns)?,
            sums: forms.iter().map(sum).collect::<Result<_>>()?,
            matrices: Buffer::empty(&stream, 0)?,
            times: Vec::new(),
            mapping,
            stream,
        })
    }

    /// The kernels of a form.
    fn launches(
        &self,
        sum: &Sum,
        [leaves, controls, samples]: [usize; 3],
        rows: [&Buffer<u32>; 3],
    ) -> Result<[Launch; 2]> {
        let Some(mapped) = self.mapping.mapped() else {
            return Err(Error::request("nothing is mapped").with_help("map the leaves first"));
        };
        let tiles = controls.div_ceil(TILE);
        let Ok(blocks) = i32::try_from(leaves * tiles * (tiles + 1) / 2) else {
            return Err(Error::request("too many element matrices for one launch")
                .with_help("assemble fewer leaves at a time"));
        };
        let width = sum.form.width();
        let threads = if width == 3 { 256 } else { 128 };
        let [ids, starts, entries] = rows.map(|buffer| buffer.address(0));
        let matrices = || Argument::Address(self.matrices.address(0));
        let sizes = controls as u64 | (samples as u64) << 32;
        let kernels = Kernels::new(&self.functions, sum.variant());
        let mapped_arrays = [mapped.table, mapped.measures, mapped.inverses, sizes];
        let element_matrices = kernels.blocks(
            "element_matrices",
            blocks as u32,
            threads,
            vec![Argument::Words(mapped_arrays.into()), sum.material(), matrices()],
        )?;
        let sparse = [self.starts.address(0), self.columns.address(0), sum.values.address(0)];
        let added = [ids, starts, entries, mapped.control_ids, controls as u64];
        let add_rows = kernels.blocks(
            "add_rows",
            rows[0].len() as u32,
            32 * width as u32,
            vec![Argument::Words(sparse.into()), Argument::Words(added.into()), matrices()],
        )?;
        Ok([element_matrices, add_rows])
    }

    /// Adds the matrices of all leaves of a batch to `rows`, the rows of its control points. Sums go
    /// in the order of calls, rows and entries: the same for any batches.
    fn add(&mut self, batch: &MappingBatch<'_>, rows: &AddedRows) -> Result<()> {
        let (controls, samples) = (batch.basis.controls, batch.weights.len());
        let leaves = batch.control_ids.len() / controls.max(1);
        if leaves == 0 {
            return Ok(());
        }
        let widest = self.sums.iter().map(|sum| sum.form.width().pow(2)).max().unwrap_or(0);
        let numbers = leaves * controls * controls * widest;
        if self.matrices.len() < numbers {
            self.matrices = Buffer::empty(&self.stream, 0)?; // gives its memory back first
            self.matrices = Buffer::empty(&self.stream, numbers)?;
        }
        self.mapping.load(batch)?;
        let rows = [&rows.rows, &rows.starts, &rows.entries];
        let [ids, starts, entries] = rows.map(|values| Buffer::of(&self.stream, values));
        let (ids, starts, entries) = (ids?, starts?, entries?);
        let mut launches = self.mapping.prepare(0, 0..leaves, false)?;
        for sum in &self.sums {
            launches.extend(self.launches(
                sum,
                [leaves, controls, samples],
                [&ids, &starts, &entries],
            )?);
        }
        let start = timed_event(&self.stream)?;
        for launch in &launches {
            // SAFETY: the arrays are as large as the counts say; those that are dropped are given
            // back in the order of the stream.
            unsafe { launch.enqueue(&self.stream) }
                .map_err(failed("a kernel cannot be launched"))?;
        }
        self.times.push([start, timed_event(&self.stream)?]);
        Ok(())
    }

    /// The values of all matrices.
    fn read(&mut self) -> Result<Vec<Vec<f64>>> {
        let read = |sum: &Sum| {
            let mut values = vec![0.0; sum.values.len()];
            let to = bytemuck::cast_slice_mut(&mut values);
            self.transfer.copy(vec![(sum.values.address(0), to)])?;
            Ok(values)
        };
        self.sums.iter().map(read).collect()
    }

    /// Seconds that kernels took so far.
    fn seconds(&self) -> Result<f64> {
        self.stream.synchronize().map_err(failed("the assembly failed"))?;
        let elapsed = self.times.iter().map(|[start, end]| start.elapsed_ms(end));
        let milliseconds: Result<Vec<f32>, _> = elapsed.collect();
        let milliseconds = milliseconds.map_err(failed("the assembly failed"))?;
        Ok(milliseconds.into_iter().map(f64::from).sum::<f64>() * 1e-3)
    }
}
