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

#[cfg(test)]
mod tests {
    use super::*;
    use rayon::prelude::*;

    /// Other tests would end, too.
    #[test]
    fn only_the_work_that_is_stopped_ends() {
        let tests = std::env::current_exe().unwrap();
        let options = ["ignored", "exact"].map(|name| ["-", "-", name].concat());
        let own = "interrupt::tests::in_a_process_of_its_own";
        let done = std::process::Command::new(tests).args(options).arg(own).output().unwrap();
        let said = String::from_utf8_lossy(&done.stdout);
        assert!(done.status.success() && said.contains("1 passed"), "{said}");
    }

    #[test]
    #[ignore = "run by the test above"]
    fn in_a_process_of_its_own() {
        let endless = || {
            (0..1_u32 << 16).into_par_iter().for_each(|_| {
                stop_point();
                thread::sleep(Duration::from_millis(1));
            });
        };
        let looks = || {
            let mut looks = 0;
            move || {
                looks += 1;
                if looks < 3 { Ok(()) } else { Err(looks) }
            }
        };
        assert_eq!(stoppable(endless, looks()), Err(3));
        assert_eq!(stoppable(|| 7, || Err("not asked")), Ok(7));
        // it waits for other work, which does not notice
        let (begun, begins) = channel();
        let other = thread::spawn(move || {
            unstoppable(|| {
                begun.send(()).unwrap();
                for _ in 0..100 {
                    stop_point();
                    thread::sleep(Duration::from_millis(2));
                }
            });
        });
        begins.recv().unwrap();
        assert_eq!(stoppable(endless, looks()), Err(3));
        other.join().unwrap();
        let panics = catch_unwind(|| stoppable(|| panic!("its own"), || Ok::<_, ()>(())));
        assert_eq!(panics.unwrap_err().downcast_ref(), Some(&"its own"));
    }
}
