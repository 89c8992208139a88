//! Ending work that takes long, from outside: a signal in Python, for instance.
//!
//! Loops that take long pass `stop_point`s. Where work is to end these unwind, through all of its
//! threads, as a panic does but without its message; what the work has built is dropped.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::{self, Builder};
use std::time::Duration;

/// Time between two looks.
const PAUSE: Duration = Duration::from_millis(20);
/// Bytes of the stack of work, as of a main thread.
const STACK: usize = 8 << 20;

/// Twice the number of works that run, and 1 more where the only one of them is to end.
static WORKS: AtomicUsize = AtomicUsize::new(0);

/// Ends the work that this is part of, if it has been stopped.
#[inline(always)]
pub(crate) fn stop_point() {
    if WORKS.load(Ordering::Relaxed) & 1 == 1 {
        unwind();
    }
}

#[cold]
fn unwind() {
    if !thread::panicking() {
        resume_unwind(Box::new("stopped"));
    }
}

/// Does `work` that nothing stops. As long as it runs, other work is not stopped either.
pub fn unstoppable<T>(work: impl FnOnce() -> T) -> T {
    let _running = RunningWork::begin();
    work()
}

/// Does `work` on a thread of its own, and calls `look` on this one now and then; its error ends
/// the work. Work of other threads goes on, and is waited for.
///
/// # Errors
/// The error of `look`.
pub fn stoppable<T: Send, E>(
    work: impl FnOnce() -> T + Send,
    mut look: impl FnMut() -> Result<(), E>,
) -> Result<T, E> {
    let running = RunningWork::begin();
    let (ends, ended) = channel::<Result<T, Box<dyn Any + Send>>>();
    let mut stopped = None;
    let result = thread::scope(|scope| {
        let work = move || drop(ends.send(catch_unwind(AssertUnwindSafe(work))));
        let worker = Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        worker.unwrap_or_else(|e| panic!("no thread: {e}"));
        loop {
            match ended.recv_timeout(PAUSE) {
                Ok(result) => return result,
                Err(RecvTimeoutError::Disconnected) => unreachable!("the work sends its result"),
                Err(RecvTimeoutError::Timeout) if stopped.is_none() => stopped = look().err(),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if stopped.is_some() {
                running.stop();
            }
        }
    });
    drop(running);
    match (result, stopped) {
        (_, Some(error)) => Err(error),
        (Ok(value), None) => Ok(value),
        (Err(panic), None) => resume_unwind(panic),
    }
}

/// Forgets the works of the parent of a forked process, which do not run in it.
pub fn after_fork() {
    WORKS.store(0, Ordering::Relaxed);
}

/// One of the works that run.
struct RunningWork;

impl RunningWork {
    /// Waits while another is to end.
    fn begin() -> Self {
        let more = |works| (works & 1 == 0).then_some(works + 2);
        while WORKS.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_err() {
            thread::sleep(PAUSE);
        }
        Self
    }

    /// Stops this work, if it is the only one.
    fn stop(&self) {
        let _ = WORKS.compare_exchange(2, 3, Ordering::Relaxed, Ordering::Relaxed);
    }
}

impl Drop for RunningWork {
    fn drop(&mut self) {
        let fewer = |works: usize| Some(works.saturating_sub(2) & !1);
        let _ = WORKS.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fewer);
    }
}
