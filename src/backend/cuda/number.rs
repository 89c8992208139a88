//! The number that kernels compute with.

use cudarc::driver::DeviceRepr;

use crate::backend::Precision;
use crate::backend::limit::Stored;

/// `float` or `double`.
pub(super) trait Number: Stored + DeviceRepr + Default {
    const PRECISION: Precision;

    fn of(value: f64) -> Self;

    fn bytes(values: &mut [Self]) -> &mut [u8];
}

impl Number for f32 {
    const PRECISION: Precision = Precision::F32;

    fn of(value: f64) -> Self {
        value as f32
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

    fn bytes(values: &mut [Self]) -> &mut [u8] {
        bytemuck::cast_slice_mut(values)
    }
}
