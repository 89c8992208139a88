//! Memory that runs out ends the program like an error, not by an abort: what fits is checked
//! before, but no estimate is exact.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use std::time::Duration;

use subsolid::Error;
use subsolid::memory::decimal_bytes;

/// The system's allocator, for programs that run [`main`](super::main).
pub struct Allocator;

/// Whether this process is the program: Python alone is told of missing memory, and goes on.
static ENDS: AtomicBool = AtomicBool::new(false);

/// Bytes that could not be had first; 0 while all could.
static MISSING: AtomicUsize = AtomicUsize::new(0);

/// What is given back where memory runs out, so that the program can end in order.
static RESERVE: AtomicPtr<u8> = AtomicPtr::new(null_mut());
const RESERVE_LAYOUT: Layout = Layout::new::<[u8; 1 << 20]>();

/// Lays memory by for the end of the program.
pub fn reserve() {
    // SAFETY: the layout has a size.
    RESERVE.store(unsafe { System.alloc(RESERVE_LAYOUT) }, Ordering::Release);
    ENDS.store(true, Ordering::Release);
}

/// How long a thread waits for the one that ends the program; then it aborts.
const PATIENCE: Duration = Duration::from_secs(5);

/// The error of memory that ran out, if it did.
pub fn error() -> Option<Error> {
    let missing = MISSING.load(Ordering::Acquire);
    (missing > 0).then(|| {
        let bytes = decimal_bytes(missing as u128);
        Error::request(format!("memory ran out: {bytes} more could not be had")).with_help(
            "ask for less at once, take a coarser mesh, or allow the program more memory",
        )
    })
}

/// `pointer`, unless it is null: then the program tells the thread that waits for signals.
fn had(pointer: *mut u8, bytes: usize) -> *mut u8 {
    if pointer.is_null() && ENDS.load(Ordering::Acquire) {
        let _ = MISSING.compare_exchange(0, bytes, Ordering::AcqRel, Ordering::Relaxed);
        let reserve = RESERVE.swap(null_mut(), Ordering::AcqRel);
        if !reserve.is_null() {
            // SAFETY: `reserve` allocated it with this layout, and no one has it any more.
            unsafe { System.dealloc(reserve, RESERVE_LAYOUT) };
            #[cfg(not(unix))]
            end();
        }
        #[cfg(unix)]
        // SAFETY: a signal to this process; what handles it allocates nothing.
        unsafe {
            libc::kill(libc::getpid(), libc::SIGABRT)
        };
        std::thread::sleep(PATIENCE);
    }
    pointer
}

/// Ends the program where no thread waits for signals.
#[cfg(not(unix))]
fn end() {
    subsolid::io::remove_unfinished();
    if let Some(error) = error() {
        super::Console::new(false, false).error(&error);
    }
    std::process::exit(2);
}

// SAFETY: all is the system allocator's.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        had(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        had(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        had(unsafe { System.realloc(pointer, layout, size) }, size)
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}
