//! The numbers that everything is computed in, and vectors of them.
//!
//! [`Real`] is `f32` or `f64`: the one number trait of this crate. [`Lanes`] is a vector
//! register of them. Unsafe code relies on both, so no other type can implement them.

pub(crate) mod bounds;
pub(crate) mod chebyshev;
pub(crate) mod conjugate_gradients;
mod csr;
mod digits;
pub(crate) mod half_turn;
mod kinds;
mod length;
mod median;
mod portable;
mod sorted;
pub(crate) mod sum;
pub(crate) mod vector;
#[cfg(target_arch = "x86_64")]
mod x86;

use std::fmt::Debug;
use std::ops::{Add, Div, Mul, Sub};

pub use conjugate_gradients::{Iterated, Iterates, iterate};
pub use csr::Csr;
pub use digits::{by_count, counted, precise, significant};
pub use length::{Length, LengthUnit, NumberOrText};
pub use median::median;
pub use portable::Portable;
pub(crate) use sorted::sorted_unique;

/// Precision of an evaluation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Precision {
    /// Double.
    #[default]
    #[serde(alias = "float64")]
    F64,
    /// Single: cells are evaluated about their own origins, and the points are written with 24 bits
    /// relative to their distance from the origin, about 7 digits.
    #[serde(alias = "float32")]
    F32,
}

/// A number to compute with: `f32` or `f64`.
pub trait Real:
    sealed::Sealed
    + bytemuck::Pod
    + Default
    + Send
    + Sync
    + PartialEq
    + PartialOrd
    + Debug
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
{
    /// Precision of the number type.
    const PRECISION: Precision;

    /// Lanes of 512-bit vectors (x86-64-v4).
    type Avx512: Lanes<Self>;
    /// Lanes of 256-bit vectors (x86-64-v3).
    type Avx2: Lanes<Self>;
    /// Lanes of 128-bit vectors, on any processor.
    type Portable: Lanes<Self>;

    /// The nearest number to `x`.
    fn from_f64(x: f64) -> Self;
    /// The number itself.
    fn to_f64(self) -> f64;
}

/// Numbers of the widest vector, `[f32; 16]`: tables and buffers are padded to it.
pub(crate) const MAX_LANES: usize = 16;

/// A vector of `COUNT` numbers.
///
/// Values are made by `unsafe` functions only, under one condition: the machine
/// has the vector's instructions. So the arithmetic on them is safe.
pub trait Lanes<T>: sealed::Sealed + Copy {
    /// Numbers in the vector: 4, 8 or 16.
    const COUNT: usize;
    /// Vector registers of the processor; register tiles are chosen by it.
    const REGISTERS: usize;

    /// `x` in every lane.
    ///
    /// # Safety
    /// The machine has the instructions of this type.
    unsafe fn splat(x: T) -> Self;
    /// Loads `COUNT` numbers.
    ///
    /// # Safety
    /// As [`Lanes::splat`], and `from` is readable for them; no alignment is needed.
    unsafe fn load(from: *const T) -> Self;
    /// Stores all lanes.
    ///
    /// # Safety
    /// `to` is writable for `COUNT` numbers; no alignment is needed.
    unsafe fn store(self, to: *mut T);
    /// Stores the first `count` < `COUNT` lanes.
    ///
    /// # Safety
    /// `to` is writable for `count` numbers.
    unsafe fn store_first(self, to: *mut T, count: usize);
    /// Stores all lanes past the caches; `fence` makes them visible to other threads.
    ///
    /// # Safety
    /// As [`Lanes::store`], and `to` is aligned to the size of the vector.
    unsafe fn stream(self, to: *mut T);
    /// Lane by lane `self + other`.
    fn add(self, other: Self) -> Self;
    /// Lane by lane `self - other`.
    fn sub(self, other: Self) -> Self;
    /// Lane by lane `self · other`.
    fn mul(self, other: Self) -> Self;
    /// Lane by lane `self / other`.
    fn div(self, other: Self) -> Self;
    /// Lane by lane `self · factor + term`, fused where the level has that in hardware.
    fn mul_add(self, factor: Self, term: Self) -> Self;
    /// From x…, y…, z… to x₀ y₀ z₀ x₁ y₁ z₁ …
    fn interleave(xyz: [Self; 3]) -> [Self; 3];
    /// From x y z … (other lanes ignored) to three vectors of x y z x y z …, each
    /// going on where the one before it ends.
    fn repeat(self) -> [Self; 3];
    /// Lane i of vector j becomes lane j of vector i; of `COUNT` vectors.
    #[inline(always)]
    fn transpose(rows: &mut [Self])
    where
        T: Real,
    {
        let mut numbers = [[T::default(); MAX_LANES]; MAX_LANES];
        let mut transposed = numbers;
        // SAFETY: a vector is there to be stored, and a row holds the widest.
        unsafe {
            for (row, numbers) in rows.iter().zip(&mut numbers) {
                row.store(numbers.as_mut_ptr());
            }
            for i in 0..Self::COUNT {
                for j in 0..Self::COUNT {
                    transposed[i][j] = numbers[j][i];
                }
            }
            for (row, transposed) in rows.iter_mut().zip(&transposed) {
                *row = Self::load(transposed.as_ptr());
            }
        }
    }
}

/// Keeps [`Real`] and [`Lanes`] to the types of this folder.
mod sealed {
    pub trait Sealed {}
}
