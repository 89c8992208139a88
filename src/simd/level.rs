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
