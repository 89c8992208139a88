//! Working memory of a kernel, and how results are written to their destination.

use super::level::{Simd, SimdKernel};
use crate::numbers::{Lanes, MAX_LANES, Real};

/// How results are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stores {
    /// Through the caches: for results that are read again soon.
    Cached,
    /// Past the caches, without reading the destination first: for results much
    /// larger than the caches.
    Streamed,
}

/// Results above this many bytes are streamed.
const STREAM_ABOVE_BYTES: usize = 16 << 20;

impl Stores {
    /// How `bytes` bytes of results are stored.
    pub fn of_bytes(bytes: usize) -> Self {
        if bytes > STREAM_ABOVE_BYTES { Self::Streamed } else { Self::Cached }
    }
}

/// Working memory of the kernels, one per thread, reused from call to call.
#[derive(Debug)]
pub struct Scratch<T> {
    /// How results are stored.
    pub(super) stores: Stores,
    /// Control points relative to the origin.
    pub(super) local: AlignedBuffer<T>,
    /// Intermediate results, by the kernel's own names.
    pub(super) stages: [AlignedBuffer<T>; 3],
    /// Results on their way to their destination.
    pub(super) out: AlignedBuffer<T>,
    /// Origins of the cells at hand.
    pub(super) origin: AlignedBuffer<T>,
}

impl<T: Real> Scratch<T> {
    /// Empty working memory for results stored that way.
    pub fn new(stores: Stores) -> Self {
        let [local, out, origin] = [(); 3].map(|()| AlignedBuffer::default());
        Self { stores, local, stages: [(); 3].map(|()| AlignedBuffer::default()), out, origin }
    }
}

/// Numbers that begin on a cache line and end with one vector to spare, so that
/// whole vectors may be loaded and stored at any valid index.
#[derive(Clone, Debug)]
pub(super) struct AlignedBuffer<T> {
    lines: Vec<Line<T>>,
}

#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
struct Line<T>([T; MAX_LANES]);

impl<T> Default for AlignedBuffer<T> {
    fn default() -> Self {
        Self { lines: Vec::new() }
    }
}

impl<T: Real> AlignedBuffer<T> {
    /// Zeros.
    pub fn zeros(len: usize) -> Self {
        let mut buffer = Self::default();
        buffer.reserve(len);
        buffer
    }

    /// Makes room for `len` numbers; old ones stay.
    pub fn reserve(&mut self, len: usize) {
        let lines = len.div_ceil(MAX_LANES) + 1;
        if self.lines.len() < lines {
            self.lines.resize(lines, Line::default());
        }
    }

    /// The first `len` numbers, with room made for them.
    pub fn numbers(&mut self, len: usize) -> &mut [T] {
        self.reserve(len);
        // SAFETY: lines are arrays without gaps, and there are enough of them.
        unsafe { std::slice::from_raw_parts_mut(self.as_mut_ptr(), len) }
    }

    /// Start of the numbers.
    pub fn as_ptr(&self) -> *const T {
        self.lines.as_ptr().cast()
    }

    /// Start of the numbers.
    pub fn as_mut_ptr(&mut self) -> *mut T {
        self.lines.as_mut_ptr().cast()
    }
}

/// `n` rounded up to whole widest vectors, so that rows begin on a cache line.
pub(super) const fn padded(n: usize) -> usize {
    n.next_multiple_of(MAX_LANES)
}

/// Copies `count` numbers to a destination of any alignment by streamed stores.
///
/// # Safety
/// The SIMD level of `L` is there; both arrays are valid for `count` numbers.
#[inline(always)]
pub(super) unsafe fn stream_copy<T: Real, L: Lanes<T>>(
    mut to: *mut T,
    mut from: *const T,
    mut count: usize,
) {
    // SAFETY: the parts add up to `count`; streamed ones are aligned.
    unsafe {
        let head = to.align_offset(size_of::<L>()).min(count);
        to.copy_from_nonoverlapping(from, head);
        (to, from, count) = (to.add(head), from.add(head), count - head);
        while count >= L::COUNT {
            L::load(from).stream(to);
            (to, from, count) = (to.add(L::COUNT), from.add(L::COUNT), count - L::COUNT);
        }
        to.copy_from_nonoverlapping(from, count);
    }
}

/// Copies numbers of which there are as many past the caches, for numbers that are not read again
/// soon; other threads see them when this returns.
pub fn stream(simd: Simd, to: &mut [f32], from: &[f32]) {
    assert_eq!(to.len(), from.len());
    simd.run(CopyKernel { to, from });
}

struct CopyKernel<'a> {
    to: &'a mut [f32],
    from: &'a [f32],
}

impl SimdKernel<f32> for CopyKernel<'_> {
    #[inline(always)]
    unsafe fn run<L: Lanes<f32>>(self) {
        // SAFETY: as many numbers; the level by the caller.
        unsafe { stream_copy::<f32, L>(self.to.as_mut_ptr(), self.from.as_ptr(), self.to.len()) };
        fence();
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
