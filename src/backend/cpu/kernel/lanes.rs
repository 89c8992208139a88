//! Vectors of numbers: one trait, three widths for each of `f32` and `f64`.

use std::ops::{Add, Div, Mul, Sub};

/// A number the kernels compute with: `f32` or `f64`.
pub trait Real:
    Copy
    + Default
    + Send
    + Sync
    + std::fmt::Debug
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + 'static
{
    /// Lanes of [`Simd::Avx512`](super::Simd::Avx512).
    type Avx512: Lanes<Self>;
    /// Lanes of [`Simd::Avx2`](super::Simd::Avx2).
    type Avx2: Lanes<Self>;
    /// Lanes of [`Simd::Portable`](super::Simd::Portable).
    type Portable: Lanes<Self>;

    /// The nearest number to `x`.
    fn from_f64(x: f64) -> Self;
    /// The number itself.
    fn to_f64(self) -> f64;
}

/// Numbers of the widest vector, `[f32; 16]`: tables and buffers are padded to it.
pub const MAX_LANES: usize = 16;

/// A vector of `COUNT` numbers.
///
/// Values are made by `unsafe` functions only, under one condition: the machine
/// has the vector's instructions. So the arithmetic on them is safe.
pub trait Lanes<T>: Copy {
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
        let mut turned = numbers;
        // SAFETY: a vector is there to be stored, and a row holds the widest.
        unsafe {
            for (row, numbers) in rows.iter().zip(&mut numbers) {
                row.store(numbers.as_mut_ptr());
            }
            for i in 0..Self::COUNT {
                for j in 0..Self::COUNT {
                    turned[i][j] = numbers[j][i];
                }
            }
            for (row, turned) in rows.iter_mut().zip(&turned) {
                *row = Self::load(turned.as_ptr());
            }
        }
    }
}

/// Completes streamed stores of this thread before anything it stores later.
#[inline(always)]
pub(super) fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: part of SSE, which every x86-64 processor has.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}

/// `[T; N]` in plain Rust; compilers make 128-bit vectors of it.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Portable<T, const N: usize>([T; N]);

/// [`Lanes::interleave`] on arrays.
#[inline(always)]
fn interleave_arrays<T: Copy, const N: usize>(xyz: [[T; N]; 3]) -> [[T; N]; 3] {
    let mut out = xyz;
    for i in 0..3 * N {
        out[i / N][i % N] = xyz[i % 3][i / 3];
    }
    out
}

/// [`Lanes::repeat`] on arrays.
#[inline(always)]
fn repeat_array<T: Copy, const N: usize>(xyz: [T; N]) -> [[T; N]; 3] {
    let mut out = [xyz; 3];
    for i in 0..3 * N {
        out[i / N][i % N] = xyz[i % 3];
    }
    out
}

impl<T: Real, const N: usize> Portable<T, N> {
    #[inline(always)]
    fn zip(mut self, other: Self, op: impl Fn(T, T) -> T) -> Self {
        for i in 0..N {
            self.0[i] = op(self.0[i], other.0[i]);
        }
        self
    }
}

impl<T: Real, const N: usize> Lanes<T> for Portable<T, N> {
    const COUNT: usize = N;
    // Sixteen of 128 bits on the common processors.
    const REGISTERS: usize = 16 * 16 / size_of::<Self>();

    #[inline(always)]
    unsafe fn splat(x: T) -> Self {
        Self([x; N])
    }
    #[inline(always)]
    unsafe fn load(from: *const T) -> Self {
        // SAFETY: by contract readable; read without alignment.
        Self(unsafe { from.cast::<[T; N]>().read_unaligned() })
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut T) {
        // SAFETY: by contract writable; written without alignment.
        unsafe { to.cast::<[T; N]>().write_unaligned(self.0) }
    }
    #[inline(always)]
    unsafe fn store_first(self, to: *mut T, count: usize) {
        // SAFETY: by contract writable for `count` < N numbers.
        unsafe { to.copy_from_nonoverlapping(self.0.as_ptr(), count) }
    }
    #[inline(always)]
    unsafe fn stream(self, to: *mut T) {
        // SAFETY: by contract.
        unsafe { self.store(to) }
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b| a * b)
    }
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self.zip(other, |a, b| a / b)
    }
    #[inline(always)]
    fn mul_add(self, factor: Self, term: Self) -> Self {
        self.mul(factor).add(term)
    }
    #[inline(always)]
    fn interleave(xyz: [Self; 3]) -> [Self; 3] {
        let [x, y, z] = interleave_arrays([xyz[0].0, xyz[1].0, xyz[2].0]);
        [Self(x), Self(y), Self(z)]
    }
    #[inline(always)]
    fn repeat(self) -> [Self; 3] {
        let [x, y, z] = repeat_array(self.0);
        [Self(x), Self(y), Self(z)]
    }
}

impl Real for f64 {
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

#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(test)]
mod tests {
    use super::super::simd::{Kernel, Simd};
    use super::*;

    /// Every operation of one level against plain arithmetic.
    struct Operations;

    impl<T: Real + PartialEq> Kernel<T> for Operations {
        #[inline(always)]
        unsafe fn run<L: Lanes<T>>(self) {
            let number = |i: usize| T::from_f64(i as f64 + 0.5);
            let count = L::COUNT;
            let numbers: Vec<T> = (0..3 * count).map(number).collect();
            // SAFETY: the level is there; all accesses stay in the arrays.
            unsafe {
                let x: [L; 3] = [0, 1, 2].map(|i| L::load(numbers.as_ptr().add(i * count)));
                let list = |vectors: &[L]| {
                    let mut out = vec![T::default(); vectors.len() * count];
                    for (i, v) in vectors.iter().enumerate() {
                        v.store(out.as_mut_ptr().add(i * count));
                    }
                    out
                };
                let expect = |f: &dyn Fn(usize) -> T| (0..count).map(f).collect::<Vec<T>>();
                let n = |i: usize| numbers[i];
                assert_eq!(list(&[x[0].add(x[1])]), expect(&|i| n(i) + n(count + i)));
                assert_eq!(list(&[x[0].sub(x[1])]), expect(&|i| n(i) - n(count + i)));
                assert_eq!(list(&[x[0].mul(x[1])]), expect(&|i| n(i) * n(count + i)));
                assert_eq!(list(&[x[0].div(x[1])]), expect(&|i| n(i) / n(count + i)));
                let squares: Vec<T> = (0..count * count).map(number).collect();
                let mut rows: Vec<L> =
                    squares.chunks(count).map(|row| L::load(row.as_ptr())).collect();
                L::transpose(&mut rows);
                let turned = (0..count * count).map(|i| squares[i % count * count + i / count]);
                assert_eq!(list(&rows), turned.collect::<Vec<T>>());
                let sum = x[0].mul_add(x[1], L::splat(number(3)));
                assert_eq!(list(&[sum]), expect(&|i| n(i) * n(count + i) + number(3)));
                let mixed = list(&L::interleave(x));
                let repeated = list(&x[0].repeat());
                for i in 0..3 * count {
                    assert_eq!(mixed[i], numbers[i % 3 * count + i / 3]);
                    assert_eq!(repeated[i], numbers[i % 3]);
                }
                for first in 1..count {
                    let mut out = vec![number(99); count];
                    x[1].store_first(out.as_mut_ptr(), first);
                    assert_eq!(out, expect(&|i| if i < first { n(count + i) } else { number(99) }));
                }
            }
        }
    }

    #[test]
    fn lanes_compute_what_numbers_compute() {
        for level in Simd::available() {
            level.run::<f64, _>(Operations);
            level.run::<f32, _>(Operations);
        }
    }
}
