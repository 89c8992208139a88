//! Threads that calls run on.
//!
//! A forked process (`os.fork`, `multiprocessing` by "fork") has none of the threads of its parent,
//! and would wait for them forever. So every pool belongs to a process: a child makes its own. The
//! thread that forked is one of that pool, so that all that it calls runs there.

use std::process;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::IntoPyDict;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use subsolid::backend::check_threads;
use subsolid::interrupt::{self, stoppable, unstoppable};

use crate::errors::{IntoPython, refused};

/// Threads of calls that name none; 0 for one for each core.
static COUNT: AtomicUsize = AtomicUsize::new(0);
/// The pool of a forked process instead of the global one.
static FORKED: Pool = Pool(Mutex::new(None));

/// Hears of forks.
pub fn import(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    let os = py.import("os")?;
    if os.hasattr("register_at_fork")? {
        let hook = [("after_in_child", wrap_pyfunction!(after_fork, module)?)].into_py_dict(py)?;
        os.call_method("register_at_fork", (), Some(&hook))?;
    }
    Ok(())
}

/// Gives a forked process threads, besides the one that forked.
#[pyfunction]
fn after_fork() {
    interrupt::after_fork();
    let count = match COUNT.load(Ordering::Relaxed) {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        count => count,
    };
    // the one that forked is Python's, and does not work for others
    let builder = || ThreadPoolBuilder::new().num_threads(count.max(2));
    // it is in a pool already if its own process was forked, too
    let made = FORKED.make(builder().use_current_thread());
    // a process that can start no threads cannot compute either
    let _ = made.or_else(|_| FORKED.make(builder()));
}

/// Sets the number of threads of all calls that name none, before the first of them.
pub fn set(count: usize) -> PyResult<()> {
    let builder = ThreadPoolBuilder::new().num_threads(count);
    let made = match FORKED.get() {
        Some(_) => FORKED.make(builder).map(drop),
        None => builder.build_global(),
    };
    made.map_err(|_| {
        refused("the thread pool has already started", "set them before anything else is called")
    })?;
    COUNT.store(count, Ordering::Relaxed);
    Ok(())
}

/// Number of threads of calls that name none.
pub fn count() -> usize {
    FORKED.get().map_or_else(rayon::current_num_threads, |pool| pool.current_num_threads())
}

/// Work of the library.
pub trait WithoutLock {
    /// Runs `work` without Python's lock, on the threads of the process, until it is done or a
    /// signal raises an exception.
    fn work<T: Send>(self, work: impl FnOnce() -> T + Send) -> PyResult<T>;
}

impl WithoutLock for Python<'_> {
    fn work<T: Send>(self, work: impl FnOnce() -> T + Send) -> PyResult<T> {
        until_signal(self, || of_process(work))
    }
}

/// Runs `work` without Python's lock until a signal raises an exception; Python hears signals on
/// its main thread alone.
fn until_signal<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let threads = py.import("threading")?;
    let main = threads.call_method0("main_thread")?.getattr("ident")?;
    if !main.eq(threads.call_method0("get_ident")?)? {
        return Ok(py.detach(|| unstoppable(work)));
    }
    py.check_signals()?;
    py.detach(|| stoppable(work, || Python::attach(|py| py.check_signals())))
}

fn of_process<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    match FORKED.get() {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

/// Threads of a call: those of the process, or so many of their own.
#[derive(Clone, Default)]
pub struct CallThreads(Option<(usize, Arc<Pool>)>);

impl CallThreads {
    pub fn new(count: Option<usize>) -> PyResult<Self> {
        let Some(count) = count else { return Ok(Self(None)) };
        check_threads(count).py()?;
        let pool = Pool(Mutex::new(None));
        pool.make(ThreadPoolBuilder::new().num_threads(count))
            .map_err(|e| refused(format!("{count} threads: {e}"), "ask for fewer"))?;
        Ok(Self(Some((count, Arc::new(pool)))))
    }

    /// Runs `work` as [`WithoutLock::work`] does.
    pub fn run<T: Send>(&self, py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
        until_signal(py, || self.here(work))
    }

    /// Like [`Self::run`], without Python's lock, of work that takes no time that anybody notices.
    pub fn run_quick<T: Send>(&self, py: Python<'_>, work: impl FnOnce() -> T + Send) -> T {
        py.detach(|| unstoppable(|| self.here(work)))
    }

    /// Runs `work` on these threads; Python's lock must not be held.
    pub fn here<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match &self.0 {
            Some((count, pool)) => {
                // a plan of the parent
                let made = || pool.make(ThreadPoolBuilder::new().num_threads(*count)).ok();
                match pool.get().or_else(made) {
                    Some(pool) => pool.install(work),
                    None => of_process(work),
                }
            }
            None => of_process(work),
        }
    }
}

/// What a mutex holds; others may need Python's lock to give it back. It is locked before the threads
/// are entered: one that waits for shared work takes up other work, which might lock it again.
pub fn locked<'m, M: Send>(py: Python<'_>, mutex: &'m Mutex<M>) -> MutexGuard<'m, M> {
    mutex.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
}

/// The threads of one process.
struct Pool(Mutex<Option<(u32, Arc<ThreadPool>)>>);

impl Pool {
    /// The threads, if they are of this process.
    fn get(&self) -> Option<Arc<ThreadPool>> {
        let made = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (process, pool) = made.as_ref()?;
        (*process == process::id()).then(|| Arc::clone(pool))
    }

    /// Makes new ones.
    fn make(&self, builder: ThreadPoolBuilder) -> Result<Arc<ThreadPool>, ThreadPoolBuildError> {
        let pool = Arc::new(builder.build()?);
        let mut made = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // the threads of a parent cannot be ended, and a pool with the calling thread need not be
        std::mem::forget(made.replace((process::id(), Arc::clone(&pool))));
        Ok(pool)
    }
}
