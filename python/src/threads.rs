//! Threads that calls run on.
//!
//! A forked process (`os.fork`, `multiprocessing` by "fork") has none of the threads of its parent,
//! and would wait for them forever. So every pool belongs to a process: a child makes its own.

use std::process;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

use crate::errors::refused;

/// The process that imported the package: rayon's global pool is its own.
static IMPORTER: OnceLock<u32> = OnceLock::new();
/// The pool of a forked process instead of the global one.
static FORKED: Pool = Pool(Mutex::new(None));

/// Remembers the process that imports the package.
pub fn import() {
    IMPORTER.get_or_init(process::id);
}

/// Sets the number of threads of all calls that name none, before the first of them.
pub fn set(count: usize) -> PyResult<()> {
    let is_set = match is_forked() {
        true => !FORKED.is_made() && FORKED.get(count).is_ok(),
        false => ThreadPoolBuilder::new().num_threads(count).build_global().is_ok(),
    };
    if is_set {
        return Ok(());
    }
    Err(refused("the thread pool has already started", "set them before anything else is called"))
}

/// Number of threads of calls that name none.
pub fn count() -> usize {
    of_process(rayon::current_num_threads)
}

/// Work of the library.
pub trait Work {
    /// Runs `work` without Python's lock, on the threads of the process.
    fn work<T: Send>(self, work: impl FnOnce() -> T + Send) -> T;
}

impl Work for Python<'_> {
    fn work<T: Send>(self, work: impl FnOnce() -> T + Send) -> T {
        self.detach(|| of_process(work))
    }
}

fn of_process<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    match is_forked() {
        true => FORKED.get(0).expect("a process can start threads").install(work),
        false => work(),
    }
}

fn is_forked() -> bool {
    IMPORTER.get().is_some_and(|&id| id != process::id())
}

/// Threads of a call: those of the process, or so many of their own.
#[derive(Clone, Default)]
pub struct Threads(Option<(usize, Arc<Pool>)>);

impl Threads {
    pub fn new(count: Option<usize>) -> PyResult<Self> {
        let Some(count) = count else { return Ok(Self(None)) };
        if count == 0 || count > 4096 {
            return Err(refused(
                format!("threads={count} is out of range"),
                "ask for 1 to 4096 threads, or None",
            ));
        }
        let pool = Pool(Mutex::new(None));
        pool.get(count).map_err(|e| refused(format!("{count} threads: {e}"), "ask for fewer"))?;
        Ok(Self(Some((count, Arc::new(pool)))))
    }

    /// Runs `work` without Python's lock.
    pub fn run<T: Send>(&self, py: Python<'_>, work: impl FnOnce() -> T + Send) -> T {
        py.detach(|| self.here(work))
    }

    /// The same on what a mutex holds. It is locked before the threads are entered: one that
    /// waits for shared work takes up other work, which might lock it again.
    pub fn run_locked<M: Send, T: Send>(
        &self,
        py: Python<'_>,
        mutex: &Mutex<M>,
        work: impl FnOnce(&mut M) -> T + Send,
    ) -> T {
        py.detach(|| {
            let mut held = mutex.lock().unwrap_or_else(PoisonError::into_inner);
            let held = &mut *held;
            self.here(|| work(held))
        })
    }

    /// Runs `work` on these threads; Python's lock must not be held.
    pub fn here<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match &self.0 {
            Some((count, pool)) => {
                pool.get(*count).expect("a process can start threads").install(work)
            }
            None => of_process(work),
        }
    }
}

/// The threads of one process, made when they are first asked for.
struct Pool(Mutex<Option<(u32, Arc<ThreadPool>)>>);

impl Pool {
    fn is_made(&self) -> bool {
        let made = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        made.as_ref().is_some_and(|&(process, _)| process == process::id())
    }

    /// The pool of this process; a new one has `count` threads, one for each core if that is 0.
    fn get(&self, count: usize) -> Result<Arc<ThreadPool>, ThreadPoolBuildError> {
        let mut made = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((process, pool)) = &*made
            && *process == process::id()
        {
            return Ok(Arc::clone(pool));
        }
        let pool = Arc::new(ThreadPoolBuilder::new().num_threads(count).build()?);
        if let Some(before) = made.replace((process::id(), Arc::clone(&pool))) {
            // its threads are those of the parent
            std::mem::forget(before);
        }
        Ok(pool)
    }
}
