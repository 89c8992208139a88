//! Regular leaves on the device, and launches that multiply their element matrices, by
//! `kernels/solid/product.cu`.

use std::sync::Arc;

use cudarc::driver::CudaStream;

use crate::backend::Precision;
use crate::backend::cuda::Cuda;
use crate::backend::cuda::driver::buffer::Buffer;
use crate::backend::cuda::driver::constants::QUERY_THREADS as THREADS;
use crate::backend::cuda::driver::functions::Functions;
use crate::backend::cuda::driver::launch::{Argument, Launch};
use crate::backend::cuda::driver::program::Kernels;
use crate::backend::cuda::driver::sources::{PRODUCT, Variant};
use crate::backend::operations::{MatrixForm, ProductArrays};
use crate::error::{Error, Result};

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
pub(super) struct Leaves {
    pub functions: Arc<Functions>,
    pub stream: Arc<CudaStream>,
    variant: Variant,
    parts: usize,
    // numbers of a vector
    pub count: usize,
    // `Parts` in the kernels
    nets: Buffer<u16>,
    words: Vec<Buffer<u32>>,
    values: Vec<Buffer<f64>>,
    // of all parts
    results: Buffer<f64>,
}

impl Leaves {
    /// Brings leaves to a GPU.
    ///
    /// # Errors
    /// [`Error::Request`] for too many samples or numbers, and too little memory.
    pub fn new(gpu: &Cuda, arrays: &ProductArrays) -> Result<Self> {
        let form = arrays.form.unwrap_or(MatrixForm::Stiffness(0.0));
        if arrays.samples > MAX_SAMPLES {
            return Err(Error::request(format!(
                "{} Gauss points along an axis are too many for matrix-free products on a GPU",
                arrays.samples
            ))
            .or_cpu());
        }
        let count = form.width() * arrays.positions.len();
        if u32::try_from(count).is_err() {
            return Err(
                Error::request(format!("{count} unknowns are too many for one device")).or_cpu()
            );
        }
        let stream = gpu.functions.new_stream()?;
        let words = [
            &arrays.leaf_starts,
            &arrays.vertex_starts,
            &arrays.vertices,
            &arrays.kinds,
            &arrays.starts,
            &arrays.entries,
        ];
        let values = [
            &arrays.materials[..],
            &arrays.tables,
            &arrays.weights,
            arrays.positions.as_flattened(),
        ];
        Ok(Self {
            variant: variant(form.number(), arrays.samples),
            parts: arrays.kinds.len(),
            count,
            nets: Buffer::of(&stream, arrays.nets.as_flattened())?,
            words: words.map(|own| Buffer::of(&stream, own)).into_iter().collect::<Result<_>>()?,
            values: values
                .map(|own| Buffer::of(&stream, own))
                .into_iter()
                .collect::<Result<_>>()?,
            results: Buffer::empty(&stream, form.width() * arrays.vertices.len())?,
            functions: gpu.functions.clone(),
            stream,
        })
    }

    /// Launches that make the vector at y the product with that at x.
    pub fn launches(&self, x: u64, y: u64) -> Result<[Launch; 2]> {
        let kernels = Kernels::new(&self.functions, self.variant.clone());
        let threads = kernels.get("multiply")?.constant("product_threads")?;
        let word = |at: usize| self.words[at].address(0);
        let value = |at: usize| self.values[at].address(0);
        let parts = [
            self.nets.address(0),
            value(0),
            word(0),
            word(1),
            word(2),
            word(3),
            value(1),
            value(2),
        ];
        let results = self.results.address(0);
        let arguments = vec![
            Argument::Words(Box::new(parts)),
            Argument::Address(value(3)),
            Argument::Address(x),
            Argument::Address(results),
        ];
        let multiply = kernels.blocks("multiply", self.parts as u32, threads, arguments)?;
        let arguments = vec![
            Argument::Address(word(4)),
            Argument::Address(word(5)),
            Argument::Address(results),
            Argument::Address(y),
            Argument::Number(self.count as u32),
        ];
        Ok([multiply, kernels.items("gather", self.count, THREADS, arguments)?])
    }
}
