//! The vectors of AVX-512 and AVX2.

use std::arch::x86_64::*;

use super::portable::{interleave_arrays, repeat_array};
use super::{Lanes, sealed::Sealed};

macro_rules! lanes {
    ($name:ident($raw:ty), $real:ty, $count:literal, $registers:literal,
     $splat:ident $load:ident $store:ident $stream:ident
     $add:ident $sub:ident $mul:ident $div:ident $fused:ident,
     $first:expr, $interleave:expr, $repeat:expr $(, $transpose:expr)?) => {
        /// A vector of this processor family.
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub struct $name($raw);

        impl Sealed for $name {}

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
