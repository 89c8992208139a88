//! Writing from many threads to places that only they know: one array, every element
//! written by one thread at most.

use std::marker::PhantomData;

/// An array that threads write to.
pub(crate) struct Scatter<'a, T> {
    start: *mut T,
    len: usize,
    array: PhantomData<&'a mut [T]>,
}

// SAFETY: elements are only moved in, and the caller of `write` promises that no two
// threads write to one.
unsafe impl<T: Send> Sync for Scatter<'_, T> {}

impl<'a, T: Copy> Scatter<'a, T> {
    /// Write access to `array`, for as long as it lives.
    pub fn new(array: &'a mut [T]) -> Self {
        Self { start: array.as_mut_ptr(), len: array.len(), array: PhantomData }
    }

    /// Writes element `i`; an index past the end writes nothing.
    ///
    /// # Safety
    /// No other thread writes element `i` while this array is shared.
    #[inline(always)]
    pub unsafe fn write(&self, i: usize, value: T) {
        debug_assert!(i < self.len);
        if i < self.len {
            // SAFETY: in bounds, and no other thread writes here by the contract.
            unsafe { *self.start.add(i) = value }
        }
    }
}
