//! Quantities that follow from derivatives, by `kernels/solid/quantities.cu`.

use crate::backend::cuda::driver::constants::QUANTITY_THREADS as THREADS;
use crate::backend::cuda::driver::functions::Functions;
use crate::backend::cuda::driver::launch::{Argument, Launch};
use crate::backend::cuda::driver::program::Kernels;
use crate::backend::cuda::driver::sources::{QUANTITIES, Variant};
use crate::error::Result;
use crate::numbers::Real;
use crate::plan::Quantity;
use cudarc::driver::DeviceRepr;

/// What the kernels take; see `Inputs` there.
#[derive(Clone, Copy, Debug)]
pub(super) struct QuantityInputs {
    /// Addresses of the derivatives of the position by u, v, w.
    pub position: [u64; 3],
    /// The same for an attribute; 0 if the quantity depends on the position only.
    pub attribute: [u64; 3],
    /// Results in all.
    pub results: usize,
    /// Components of the attribute.
    pub components: usize,
    /// Results of an element; 0 for scattered samples.
    pub samples: usize,
}

/// The launch that evaluates a quantity into `rows` rows at `to`.
pub(in crate::backend::cuda) fn launch<T: Real + DeviceRepr>(
    functions: &Functions,
    quantity: Quantity,
    inputs: QuantityInputs,
    rows: usize,
    to: u64,
) -> Result<Launch> {
    let QuantityInputs { position, attribute, results, components, samples } = inputs;
    let words = position.into_iter().chain(attribute).chain([
        results as u64,
        // two words of 32 bits, the lower one first
        components as u64 | (samples as u64) << 32,
    ]);
    let blocks = if quantity.is_per_element() { rows } else { rows.div_ceil(THREADS as usize) };
    let kernels = Kernels::new(functions, Variant::new(&QUANTITIES, T::PRECISION));
    let arguments = vec![Argument::Words(words.collect()), Argument::Address(to)];
    let launch = kernels.blocks(quantity.kernel(), blocks as u32, THREADS, arguments)?;
    Ok(Launch { name: quantity.kernel().replace('_', " "), ..launch })
}
