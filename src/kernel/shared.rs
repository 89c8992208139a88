//! Writing from many threads to disjoint parts of one array.

/// Output shared by threads that write disjoint parts of it.
#[derive(Clone, Copy)]
pub(crate) struct Shared<T> {
    start: *mut T,
    len: usize,
}

// SAFETY: see `Shared::slice`: users write disjoint parts.
unsafe impl<T: Send> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for Shared<T> {}

impl<T> Shared<T> {
    /// Shares all of `values`.
    pub fn new(values: &mut [T]) -> Self {
        Self { start: values.as_mut_ptr(), len: values.len() }
    }

    /// The part at `at` of `len` numbers.
    ///
    /// # Safety
    /// While the result lives, nothing else touches these numbers.
    pub unsafe fn slice<'a>(self, at: usize, len: usize) -> &'a mut [T] {
        assert!(at + len <= self.len, "a part of the output");
        // SAFETY: inside the allocation; exclusive by the caller's promise.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(at), len) }
    }
}
