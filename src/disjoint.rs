//! Writing from many threads to disjoint parts of one array.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU32, AtomicU64};

/// An array that threads write to, each at indices of its own.
pub(crate) struct DisjointArray<'a, T> {
    start: *mut T,
    len: usize,
    array: PhantomData<&'a mut [T]>,
}

// SAFETY: like `&mut [T]` cut into parts that go to threads: the callers of `slice` and `write`
// promise that no two of them overlap.
unsafe impl<T: Send> Sync for DisjointArray<'_, T> {}

impl<'a, T> DisjointArray<'a, T> {
    /// Write access to `array`, for as long as it lives.
    pub fn new(array: &'a mut [T]) -> Self {
        Self { start: array.as_mut_ptr(), len: array.len(), array: PhantomData }
    }

    /// The `len` elements from `at` on.
    ///
    /// # Safety
    /// While the result lives, nothing else touches these elements.
    pub unsafe fn slice(&self, at: usize, len: usize) -> &'a mut [T] {
        assert!(at <= self.len && len <= self.len - at, "a part of the array");
        // SAFETY: inside the array; exclusive by the caller's promise.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(at), len) }
    }
}

impl<T: Copy> DisjointArray<'_, T> {
    /// Writes element `i`; an index past the end writes nothing.
    ///
    /// # Safety
    /// Nothing else touches element `i` meanwhile.
    #[inline(always)]
    pub unsafe fn write(&self, i: usize, value: T) {
        debug_assert!(i < self.len);
        if i < self.len {
            // SAFETY: inside the array; exclusive by the caller's promise.
            unsafe { *self.start.add(i) = value }
        }
    }
}

/// Numbers that threads may store at once.
pub(crate) fn together(numbers: &mut [u32]) -> &[AtomicU32] {
    let numbers: *mut [u32] = numbers;
    // SAFETY: the same layout, and nothing else reaches the numbers while they are lent.
    unsafe { &*(numbers as *const [AtomicU32]) }
}

/// [`together`] of longer numbers.
pub(crate) fn together_long(numbers: &mut [u64]) -> &[AtomicU64] {
    const { assert!(align_of::<AtomicU64>() == align_of::<u64>()) };
    let numbers: *mut [u64] = numbers;
    // SAFETY: as there
    unsafe { &*(numbers as *const [AtomicU64]) }
}
