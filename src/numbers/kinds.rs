//! The two number types: their precision and their vectors.

use super::sealed::Sealed;
#[cfg(target_arch = "x86_64")]
use super::x86;
use super::{Portable, Precision, Real};

impl Sealed for f32 {}
impl Sealed for f64 {}

impl Real for f64 {
    const PRECISION: Precision = Precision::F64;

    #[cfg(target_arch = "x86_64")]
    type Avx512 = x86::F64x8;
    #[cfg(target_arch = "x86_64")]
    type Avx2 = x86::F64x4;
    #[cfg(not(target_arch = "x86_64"))]
    type Avx512 = Portable<f64, 4>;
    #[cfg(not(target_arch = "x86_64"))]
    type Avx2 = Portable<f64, 4>;
    type Portable = Portable<f64, 4>;

    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        x
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self
    }
}

impl Real for f32 {
    const PRECISION: Precision = Precision::F32;

    #[cfg(target_arch = "x86_64")]
    type Avx512 = x86::F32x16;
    #[cfg(target_arch = "x86_64")]
    type Avx2 = x86::F32x8;
    #[cfg(not(target_arch = "x86_64"))]
    type Avx512 = Portable<f32, 4>;
    #[cfg(not(target_arch = "x86_64"))]
    type Avx2 = Portable<f32, 4>;
    type Portable = Portable<f32, 4>;

    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        x as f32
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
}
