//! The vector instructions a kernel runs with, chosen at run time.

use std::sync::OnceLock;

use crate::numbers::{Lanes, Real};

/// A SIMD level: vector instructions of one width.
///
/// Asking for a level that the machine lacks is safe: the next lower one runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Simd {
    /// 512-bit vectors, 32 registers, fused multiply-add (x86-64-v4).
    Avx512,
    /// 256-bit vectors, 16 registers, fused multiply-add (x86-64-v3).
    Avx2,
    /// 128-bit vectors in plain Rust, on any processor.
    Portable,
}

impl Simd {
    /// All levels, widest first.
    pub const ALL: [Self; 3] = [Self::Avx512, Self::Avx2, Self::Portable];

    /// The widest level of this machine, looked up once a process.
    ///
    /// The environment variable `SUBSOLID_SIMD` = `portable`, `avx2` or `avx512`
    /// lowers it, for tests and comparisons; other values, and levels that the
    /// machine lacks, change nothing.
    pub fn detect() -> Self {
        static LEVEL: OnceLock<Simd> = OnceLock::new();
        *LEVEL.get_or_init(|| {
            let wish = std::env::var("SUBSOLID_SIMD").unwrap_or_default();
            let wish = Self::ALL.into_iter().find(|level| level.name() == wish);
            wish.filter(|level| level.is_available()).unwrap_or_else(Self::widest)
        })
    }

    /// The levels of this machine, widest first; the last is [`Simd::Portable`].
    pub fn available() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|level| level.is_available())
    }

    /// Name of the level, as the variable `SUBSOLID_SIMD` takes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Avx512 => "avx512",
            Self::Avx2 => "avx2",
            Self::Portable => "portable",
        }
    }

    fn widest() -> Self {
        Self::available().next().unwrap_or(Self::Portable)
    }

    #[cfg(target_arch = "x86_64")]
    fn is_available(self) -> bool {
        match self {
            Self::Avx512 => pulp::x86::V4::try_new().is_some(),
            Self::Avx2 => pulp::x86::V3::try_new().is_some(),
            Self::Portable => true,
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn is_available(self) -> bool {
        self == Self::Portable
    }

    /// Runs `kernel` compiled for this level.
    #[inline]
    pub(super) fn run<T: Real, K: SimdKernel<T>>(self, kernel: K) {
        #[cfg(target_arch = "x86_64")]
        {
            if self == Self::Avx512
                && let Some(level) = pulp::x86::V4::try_new()
            {
                // SAFETY: the token proves the instructions of this level.
                return level.vectorize(
                    #[inline(always)]
                    || unsafe { kernel.run::<T::Avx512>() },
                );
            }
            if self != Self::Portable
                && let Some(level) = pulp::x86::V3::try_new()
            {
                // SAFETY: as above.
                return level.vectorize(
                    #[inline(always)]
                    || unsafe { kernel.run::<T::Avx2>() },
                );
            }
        }
        // SAFETY: portable lanes run anywhere.
        unsafe { kernel.run::<T::Portable>() }
    }
}

/// A computation written once for lanes of any width.
///
/// Implementations are `#[inline(always)]`, and so is what they call with lanes,
/// so that all of it is compiled with the instructions of the level.
pub(super) trait SimdKernel<T: Real> {
    /// Runs it.
    ///
    /// # Safety
    /// The machine has the instructions of `L`.
    unsafe fn run<L: Lanes<T>>(self);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_machine_has_the_portable_level() {
        assert_eq!(Simd::available().last(), Some(Simd::Portable));
        assert!(Simd::detect().is_available());
    }

    /// Every operation of one level against plain arithmetic.
    struct Operations;

    impl<T: Real> SimdKernel<T> for Operations {
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
                let transposed = (0..count * count).map(|i| squares[i % count * count + i / count]);
                assert_eq!(list(&rows), transposed.collect::<Vec<T>>());
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
