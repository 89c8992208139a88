//! Room for results, in whatever memory their processor reaches best.

use std::fmt;
use std::ops::{Deref, DerefMut};

use bytemuck::Pod;

use crate::pages;

/// Numbers in a row: a vector of the program's own, memory of the host that a device lends
/// because it copies there without help, or memory of the caller. Reads as a slice; a clone is a
/// vector.
pub struct ResultBuffer<T>(BufferMemory<T>);

enum BufferMemory<T> {
    /// A vector of the program's own, from this number on.
    Own(Vec<T>, usize),
    /// So many numbers at the front.
    #[allow(dead_code, reason = "backends for devices use it")]
    Lent(Box<dyn DeviceBytes>, usize),
    /// So many numbers at the front.
    Borrowed(BorrowedMemory<T>, usize),
}

/// Memory of the caller.
struct BorrowedMemory<T> {
    start: *mut T,
    len: usize,
}

// SAFETY: used as a mutable slice would be, by the promise of `ResultBuffer::over`.
unsafe impl<T: Send> Send for BorrowedMemory<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for BorrowedMemory<T> {}

/// Where new numbers begin, in bytes: results that begin on a cache line are streamed there
/// at once, others on a detour.
const LINE: usize = 64;

/// Bytes that a device lends, aligned for any number.
pub(crate) trait DeviceBytes: Send + Sync {
    fn bytes(&self) -> &[u8];

    fn bytes_mut(&mut self) -> &mut [u8];
}

impl<T> ResultBuffer<T> {
    /// Room for `len` numbers in memory of the caller, which results are written to as long as
    /// they fit there, whatever the processor.
    ///
    /// # Safety
    /// `start` is aligned, and `len` initialized numbers there may be read and written by this
    /// value alone until it is dropped.
    pub unsafe fn over(start: *mut T, len: usize) -> Self {
        Self(BufferMemory::Borrowed(BorrowedMemory { start, len }, len))
    }
}

impl<T: Pod> ResultBuffer<T> {
    /// Makes room for `len` numbers, old contents unspecified: in lent memory that is here
    /// already and large enough, else in a vector, from a cache line on.
    pub(crate) fn reserve(&mut self, len: usize) -> &mut [T] {
        match &mut self.0 {
            BufferMemory::Own(vector, first) if *first + len <= vector.capacity() => {
                vector.resize(*first + len, T::zeroed());
            }
            BufferMemory::Lent(bytes, used) if len * size_of::<T>() <= bytes.bytes().len() => {
                *used = len
            }
            BufferMemory::Borrowed(memory, used) if len <= memory.len => *used = len,
            _ => {
                // the old ones are given back first
                self.0 = BufferMemory::default();
                let mut vector: Vec<T> = pages::zeros(len + LINE / size_of::<T>());
                let first = vector.as_ptr().align_offset(LINE);
                vector.truncate(first + len);
                self.0 = BufferMemory::Own(vector, first);
            }
        }
        self
    }

    /// Like [`Self::reserve`], in memory that `lend` lends, given the number of bytes, unless it
    /// refuses or the caller's memory is large enough; also returns whether the memory is lent.
    #[allow(dead_code, reason = "backends for devices use it")]
    pub(crate) fn reserve_lent(
        &mut self,
        len: usize,
        lend: impl FnOnce(usize) -> Option<Box<dyn DeviceBytes>>,
    ) -> (&mut [T], bool) {
        let bytes = len * size_of::<T>();
        let enough = match &self.0 {
            BufferMemory::Own(..) => false,
            BufferMemory::Lent(lent, _) => bytes <= lent.bytes().len(),
            BufferMemory::Borrowed(memory, _) => len <= memory.len,
        };
        if !enough && bytes > 0 {
            // the old memory is given back first
            self.0 = BufferMemory::default();
            if let Some(lent) = lend(bytes) {
                self.0 = BufferMemory::Lent(lent, len);
            }
        }
        let lent = matches!(self.0, BufferMemory::Lent(..));
        (self.reserve(len), lent)
    }
}

impl<T: Pod> Deref for ResultBuffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match &self.0 {
            BufferMemory::Own(vector, first) => &vector[*first..],
            BufferMemory::Lent(lent, len) => {
                bytemuck::cast_slice(&lent.bytes()[..len * size_of::<T>()])
            }
            // SAFETY: by the caller of `over`; no more is in use than there is.
            BufferMemory::Borrowed(memory, len) => unsafe {
                std::slice::from_raw_parts(memory.start, *len)
            },
        }
    }
}

impl<T: Pod> DerefMut for ResultBuffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.0 {
            BufferMemory::Own(vector, first) => &mut vector[*first..],
            BufferMemory::Lent(lent, len) => {
                bytemuck::cast_slice_mut(&mut lent.bytes_mut()[..*len * size_of::<T>()])
            }
            // SAFETY: as above.
            BufferMemory::Borrowed(memory, len) => unsafe {
                std::slice::from_raw_parts_mut(memory.start, *len)
            },
        }
    }
}

impl<T> Default for BufferMemory<T> {
    fn default() -> Self {
        Self::Own(Vec::new(), 0)
    }
}

impl<T> Default for ResultBuffer<T> {
    fn default() -> Self {
        Self(BufferMemory::default())
    }
}

impl<T> From<Vec<T>> for ResultBuffer<T> {
    fn from(vector: Vec<T>) -> Self {
        Self(BufferMemory::Own(vector, 0))
    }
}

impl<T> FromIterator<T> for ResultBuffer<T> {
    fn from_iter<I: IntoIterator<Item = T>>(numbers: I) -> Self {
        numbers.into_iter().collect::<Vec<_>>().into()
    }
}

impl<T: Pod> Clone for ResultBuffer<T> {
    fn clone(&self) -> Self {
        self.to_vec().into()
    }
}

impl<T: Pod + fmt::Debug> fmt::Debug for ResultBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: Pod + PartialEq> PartialEq for ResultBuffer<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}
