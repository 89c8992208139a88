//! Products of element matrices on the device, by `kernels/solid/product.cu`.

use std::sync::Arc;

use cudarc::driver::CudaStream;

use crate::backend::Precision;
use crate::backend::cuda::Cuda;
use crate::backend::cuda::driver::buffer::Buffer;
use crate::backend::cuda::driver::constants::QUERY_THREADS as THREADS;
use crate::backend::cuda::driver::launch::Argument;
use crate::backend::cuda::driver::program::{Kernels, Program};
use crate::backend::cuda::driver::sources::{PRODUCT, Variant};
use crate::backend::cuda::driver::transfer::Transfer;
use crate::backend::cuda::resident::Resident;
use crate::backend::operations::{LeafProducts, MatrixForm, ProductArrays};
use crate::error::{Error, Result};
use crate::mesh::check_value_count;

/// Samples of an axis at most.
const MAX_SAMPLES: usize = 8;

fn variant(form: usize, samples: usize) -> Variant {
    Variant::new(&PRODUCT, Precision::F64).with("FORM", form).with("SAMPLES", samples)
}

/// All variants that are used.
pub(super) fn variants() -> Vec<Variant> {
    (0..4).flat_map(|form| (1..=MAX_SAMPLES).map(move |n| variant(form, n))).collect()
}

/// Regular leaves on the device.
pub(super) struct Products {
    stream: Arc<CudaStream>,
    program: Program,
    transfer: Transfer,
    x: Buffer<f64>,
    y: Buffer<f64>,
    // what the launches refer to
    _words: Vec<Buffer<u32>>,
    _nets: Buffer<u16>,
    _numbers: Vec<Buffer<f64>>,
}

impl Products {
    /// Brings leaves to a GPU.
    ///
    /// # Errors
    /// [`Error::Request`] for too many samples or numbers, and too little memory.
    pub fn new(gpu: &Cuda, arrays: &ProductArrays) -> Result<Self> {
        let form = arrays.form.unwrap_or(MatrixForm::Stiffness(0.0));
        let (form, width) = (form.number(), form.width());
        if arrays.samples > MAX_SAMPLES {
            return Err(Error::request(format!(
                "{} Gauss points along an axis are too many for matrix-free products on a GPU",
                arrays.samples
            ))
            .or_cpu());
        }
        let numbers = width * arrays.positions.len();
        let Ok(count) = u32::try_from(numbers) else {
            return Err(
                Error::request(format!("{numbers} unknowns are too many for one device")).or_cpu()
            );
        };
        let stream = gpu.functions.new_stream()?;
        let words = [
            &arrays.leaf_starts,
            &arrays.vertex_starts,
            &arrays.vertices,
            &arrays.kinds,
            &arrays.starts,
            &arrays.entries,
        ];
        let words: Vec<Buffer<u32>> =
            words.iter().map(|values| Buffer::of(&stream, values)).collect::<Result<_>>()?;
        let values = [
            &arrays.materials[..],
            &arrays.tables,
            &arrays.weights,
            arrays.positions.as_flattened(),
        ];
        let mut values: Vec<Buffer<f64>> =
            values.iter().map(|values| Buffer::of(&stream, values)).collect::<Result<_>>()?;
        values.push(Buffer::empty(&stream, width * arrays.vertices.len())?);
        let nets = Buffer::of(&stream, arrays.nets.as_flattened())?;
        let [x, y] = [Buffer::empty(&stream, numbers)?, Buffer::zeros(&stream, numbers)?];

        let kernels = Kernels::new(&gpu.functions, variant(form, arrays.samples));
        let threads = kernels.get("multiply")?.constant("product_threads")?;
        let word = |at: usize| words[at].address(0);
        let value = |at: usize| values[at].address(0);
        let parts =
            [nets.address(0), value(0), word(0), word(1), word(2), word(3), value(1), value(2)];
        let blocks = arrays.kinds.len() as u32;
        let arguments = vec![
            Argument::Words(Box::new(parts)),
            Argument::Address(value(3)),
            Argument::Address(x.address(0)),
            Argument::Address(value(4)),
        ];
        let multiply = kernels.blocks("multiply", blocks, threads, arguments)?;
        let arguments = vec![
            Argument::Address(word(4)),
            Argument::Address(word(5)),
            Argument::Address(value(4)),
            Argument::Address(y.address(0)),
            Argument::Number(count),
        ];
        let gather = kernels.items("gather", numbers, THREADS, arguments)?;
        Ok(Self {
            transfer: Transfer::new(stream.clone())?,
            program: Program::new(vec![multiply, gather]),
            stream,
            x,
            y,
            _words: words,
            _nets: nets,
            _numbers: values,
        })
    }
}

impl LeafProducts for Resident<Products> {
    fn multiply(&self, x: &[f64], y: &mut [f64]) -> Result<()> {
        let mut own = self.lock();
        let Products { stream, program, transfer, x: from, y: to, .. } = &mut *own;
        check_value_count(x, 1, from.len())?;
        check_value_count(y, 1, to.len())?;
        from.fill(stream, x)?;
        // SAFETY: the arrays are as large as the counts say, and live as long as the program.
        unsafe { program.run(stream) }?;
        transfer.copy(vec![(to.address(0), bytemuck::cast_slice_mut(y))])
    }
}
