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
mod x86 {
    //! The vectors of AVX-512 and AVX2.

    use std::arch::x86_64::*;

    use super::{Lanes, interleave_arrays, repeat_array};

    macro_rules! lanes {
        ($name:ident($raw:ty), $real:ty, $count:literal, $registers:literal,
         $splat:ident $load:ident $store:ident $stream:ident
         $add:ident $sub:ident $mul:ident $div:ident $fused:ident,
         $first:expr, $interleave:expr, $repeat:expr $(, $transpose:expr)?) => {
            /// A vector of this processor family.
            #[derive(Clone, Copy)]
            #[repr(transparent)]
            pub struct $name($raw);

            // SAFETY of all below: making the first value asserts that the machine
            // has the instructions; pointers are valid by contract.
            impl Lanes<$real> for $name {
                const COUNT: usize = $count;
                const REGISTERS: usize = $registers;

                #[inline(always)]
                unsafe fn splat(x: $real) -> Self {
                    Self(unsafe { $splat(x) })
                }
                #[inline(always)]
                unsafe fn load(from: *const $real) -> Self {
                    Self(unsafe { $load(from) })
                }
                #[inline(always)]
                unsafe fn store(self, to: *mut $real) {
                    unsafe { $store(to, self.0) }
                }
                #[inline(always)]
                unsafe fn store_first(self, to: *mut $real, count: usize) {
                    unsafe { $first(to, self.0, count) }
                }
                #[inline(always)]
                unsafe fn stream(self, to: *mut $real) {
                    unsafe { $stream(to, self.0) }
                }
                #[inline(always)]
                fn add(self, other: Self) -> Self {
                    Self(unsafe { $add(self.0, other.0) })
                }
                #[inline(always)]
                fn sub(self, other: Self) -> Self {
                    Self(unsafe { $sub(self.0, other.0) })
                }
                #[inline(always)]
                fn mul(self, other: Self) -> Self {
                    Self(unsafe { $mul(self.0, other.0) })
                }
                #[inline(always)]
                fn div(self, other: Self) -> Self {
                    Self(unsafe { $div(self.0, other.0) })
                }
                #[inline(always)]
                fn mul_add(self, factor: Self, term: Self) -> Self {
                    Self(unsafe { $fused(self.0, factor.0, term.0) })
                }
                #[inline(always)]
                fn interleave(xyz: [Self; 3]) -> [Self; 3] {
                    let [x, y, z] = unsafe { $interleave([xyz[0].0, xyz[1].0, xyz[2].0]) };
                    [Self(x), Self(y), Self(z)]
                }
                #[inline(always)]
                fn repeat(self) -> [Self; 3] {
                    let [x, y, z] = unsafe { $repeat(self.0) };
                    [Self(x), Self(y), Self(z)]
                }
                $(
                    #[inline(always)]
                    fn transpose(rows: &mut [Self]) {
                        unsafe { $transpose(rows) }
                    }
                )?
            }
        };
    }

    lanes!(F64x8(__m512d), f64, 8, 32,
        _mm512_set1_pd _mm512_loadu_pd _mm512_storeu_pd _mm512_stream_pd
        _mm512_add_pd _mm512_sub_pd _mm512_mul_pd _mm512_div_pd _mm512_fmadd_pd,
        store_first_f64x8, interleave_f64x8, repeat_f64x8, transpose_f64x8);
    lanes!(F32x16(__m512), f32, 16, 32,
        _mm512_set1_ps _mm512_loadu_ps _mm512_storeu_ps _mm512_stream_ps
        _mm512_add_ps _mm512_sub_ps _mm512_mul_ps _mm512_div_ps _mm512_fmadd_ps,
        store_first_f32x16, interleave_f32x16, repeat_f32x16);
    lanes!(F64x4(__m256d), f64, 4, 16,
        _mm256_set1_pd _mm256_loadu_pd _mm256_storeu_pd _mm256_stream_pd
        _mm256_add_pd _mm256_sub_pd _mm256_mul_pd _mm256_div_pd _mm256_fmadd_pd,
        store_first_f64x4, interleave_f64x4, repeat_f64x4, transpose_f64x4);
    lanes!(F32x8(__m256), f32, 8, 16,
        _mm256_set1_ps _mm256_loadu_ps _mm256_storeu_ps _mm256_stream_ps
        _mm256_add_ps _mm256_sub_ps _mm256_mul_ps _mm256_div_ps _mm256_fmadd_ps,
        store_first_f32x8, interleave_f32x8, repeat_f32x8);

    // SAFETY of the functions below: called from the implementations above only.

    #[inline(always)]
    unsafe fn store_first_f64x8(to: *mut f64, x: __m512d, count: usize) {
        unsafe { _mm512_mask_storeu_pd(to, ((1u32 << count) - 1) as __mmask8, x) }
    }

    /// Pairs, then pairs of pairs, then halves change places.
    #[inline(always)]
    unsafe fn transpose_f64x8(rows: &mut [F64x8]) {
        unsafe {
            let mut pairs = [rows[0].0; 8];
            for i in 0..4 {
                let (even, odd) = (rows[2 * i].0, rows[2 * i + 1].0);
                pairs[2 * i] = _mm512_unpacklo_pd(even, odd);
                pairs[2 * i + 1] = _mm512_unpackhi_pd(even, odd);
            }
            // of pairs i and i + 2 of each four: their even, then their odd quarters
            let mut fours = pairs;
            for first in [0, 1, 4, 5] {
                let (a, b) = (pairs[first], pairs[first + 2]);
                fours[first] = _mm512_shuffle_f64x2::<0x88>(a, b);
                fours[first + 2] = _mm512_shuffle_f64x2::<0xdd>(a, b);
            }
            for i in 0..4 {
                let (a, b) = (fours[i], fours[i + 4]);
                rows[i].0 = _mm512_shuffle_f64x2::<0x88>(a, b);
                rows[i + 4].0 = _mm512_shuffle_f64x2::<0xdd>(a, b);
            }
        }
    }

    #[inline(always)]
    unsafe fn transpose_f64x4(rows: &mut [F64x4]) {
        unsafe {
            let (r0, r1, r2, r3) = (rows[0].0, rows[1].0, rows[2].0, rows[3].0);
            let (a, b) = (_mm256_unpacklo_pd(r0, r1), _mm256_unpackhi_pd(r0, r1));
            let (c, d) = (_mm256_unpacklo_pd(r2, r3), _mm256_unpackhi_pd(r2, r3));
            rows[0].0 = _mm256_permute2f128_pd::<0x20>(a, c);
            rows[1].0 = _mm256_permute2f128_pd::<0x20>(b, d);
            rows[2].0 = _mm256_permute2f128_pd::<0x31>(a, c);
            rows[3].0 = _mm256_permute2f128_pd::<0x31>(b, d);
        }
    }

    #[inline(always)]
    unsafe fn store_first_f32x16(to: *mut f32, x: __m512, count: usize) {
        unsafe { _mm512_mask_storeu_ps(to, ((1u32 << count) - 1) as __mmask16, x) }
    }

    #[inline(always)]
    unsafe fn store_first_f64x4(to: *mut f64, x: __m256d, count: usize) {
        static MASKS: [i64; 8] = [-1, -1, -1, -1, 0, 0, 0, 0];
        unsafe {
            let mask = _mm256_loadu_si256(MASKS.as_ptr().add(4 - count).cast());
            _mm256_maskstore_pd(to, mask, x);
        }
    }

    #[inline(always)]
    unsafe fn store_first_f32x8(to: *mut f32, x: __m256, count: usize) {
        static MASKS: [i32; 16] = [-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0];
        unsafe {
            let mask = _mm256_loadu_si256(MASKS.as_ptr().add(8 - count).cast());
            _mm256_maskstore_ps(to, mask, x);
        }
    }

    macro_rules! by_arrays {
        ($interleave:ident, $repeat:ident, $raw:ty, $array:ty) => {
            #[inline(always)]
            unsafe fn $interleave(xyz: [$raw; 3]) -> [$raw; 3] {
                // SAFETY: same size, every bit pattern valid.
                unsafe {
                    let arrays: [$array; 3] = std::mem::transmute(xyz);
                    std::mem::transmute(interleave_arrays(arrays))
                }
            }

            #[inline(always)]
            unsafe fn $repeat(xyz: $raw) -> [$raw; 3] {
                // SAFETY: as above.
                unsafe {
                    let array: $array = std::mem::transmute(xyz);
                    std::mem::transmute(repeat_array(array))
                }
            }
        };
    }
    by_arrays!(interleave_f64x4, repeat_f64x4, __m256d, [f64; 4]);
    by_arrays!(interleave_f32x8, repeat_f32x8, __m256, [f32; 8]);

    /// Lane choices for output vector `o` of an interleave over `N` lanes: first
    /// from (x, y), where z's places stay open, then from (that, z).
    const fn choices<const N: usize>(o: usize) -> [[usize; N]; 2] {
        let mut choice = [[0; N]; 2];
        let mut i = 0;
        while i < N {
            let (point, component) = ((o * N + i) / 3, (o * N + i) % 3);
            choice[0][i] = if component == 1 { N + point } else { point };
            choice[1][i] = if component == 2 { N + point } else { i };
            i += 1;
        }
        choice
    }

    macro_rules! by_permutations {
        ($interleave:ident, $repeat:ident, $raw:ty, $count:literal, $index:ty,
         $permute:ident $permute_two:ident) => {
            #[inline(always)]
            unsafe fn $interleave([x, y, z]: [$raw; 3]) -> [$raw; 3] {
                const CHOICES: [[[$index; $count]; 2]; 3] = {
                    let mut table = [[[0; $count]; 2]; 3];
                    let mut n = 0;
                    while n < 6 * $count {
                        let (o, step, i) = (n / (2 * $count), n / $count % 2, n % $count);
                        table[o][step][i] = choices::<$count>(o)[step][i] as $index;
                        n += 1;
                    }
                    table
                };
                let mut out = [x; 3];
                for (out, [first, second]) in out.iter_mut().zip(&CHOICES) {
                    // SAFETY: as above; the choices fill a vector.
                    unsafe {
                        let first = _mm512_loadu_si512(first.as_ptr().cast());
                        let second = _mm512_loadu_si512(second.as_ptr().cast());
                        *out = $permute_two($permute_two(x, first, y), second, z);
                    }
                }
                out
            }

            #[inline(always)]
            unsafe fn $repeat(xyz: $raw) -> [$raw; 3] {
                const CHOICES: [[$index; $count]; 3] = {
                    let mut table = [[0; $count]; 3];
                    let mut n = 0;
                    while n < 3 * $count {
                        table[n / $count][n % $count] = (n % 3) as $index;
                        n += 1;
                    }
                    table
                };
                let mut out = [xyz; 3];
                for (out, choice) in out.iter_mut().zip(&CHOICES) {
                    // SAFETY: as above.
                    unsafe {
                        *out = $permute(_mm512_loadu_si512(choice.as_ptr().cast()), xyz);
                    }
                }
                out
            }
        };
    }
    by_permutations!(interleave_f64x8, repeat_f64x8, __m512d, 8, i64,
        _mm512_permutexvar_pd _mm512_permutex2var_pd);
    by_permutations!(interleave_f32x16, repeat_f32x16, __m512, 16, i32,
        _mm512_permutexvar_ps _mm512_permutex2var_ps);
}

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
