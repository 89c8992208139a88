//! The number that kernels compute with.

use cudarc::driver::DeviceRepr;

use crate::backend::Precision;
use crate::backend::limit::Stored;

/// `float` or `double`.
pub(super) trait Number: Stored + DeviceRepr + Default {
    const PRECISION: Precision;

    fn of(value: f64) -> Self;

    /// The numbers' bytes, aligned to 8 and padded.
    fn words(values: &[Self]) -> Box<[u64]>;

    fn bytes(values: &mut [Self]) -> &mut [u8];
}

impl Number for f32 {
    const PRECISION: Precision = Precision::F32;

    fn of(value: f64) -> Self {
        value as f32
    }

    fn words(values: &[Self]) -> Box<[u64]> {
        let word = |pair: &[f32]| {
            let bits = |i: usize| u64::from(pair.get(i).map_or(0, |x| x.to_bits()));
            bits(0) | bits(1) << 32
        };
        values.chunks(2).map(word).collect()
    }

    fn bytes(values: &mut [Self]) -> &mut [u8] {
        bytemuck::cast_slice_mut(values)
    }
}

impl Number for f64 {
    const PRECISION: Precision = Precision::F64;

    fn of(value: f64) -> Self {
        value
    }

    fn words(values: &[Self]) -> Box<[u64]> {
        values.iter().map(|x| x.to_bits()).collect()
    }

    fn bytes(values: &mut [Self]) -> &mut [u8] {
        bytemuck::cast_slice_mut(values)
    }
}
