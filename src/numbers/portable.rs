//! Vectors in plain Rust, for processors without wider ones.

use super::{Lanes, Real, sealed::Sealed};

/// `[T; N]` in plain Rust; compilers make 128-bit vectors of it.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Portable<T, const N: usize>([T; N]);

/// [`Lanes::interleave`] on arrays.
#[inline(always)]
pub(super) fn interleave_arrays<T: Copy, const N: usize>(xyz: [[T; N]; 3]) -> [[T; N]; 3] {
    let mut out = xyz;
    for i in 0..3 * N {
        out[i / N][i % N] = xyz[i % 3][i / 3];
    }
    out
}

/// [`Lanes::repeat`] on arrays.
#[inline(always)]
pub(super) fn repeat_array<T: Copy, const N: usize>(xyz: [T; N]) -> [[T; N]; 3] {
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

impl<T, const N: usize> Sealed for Portable<T, N> {}

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
