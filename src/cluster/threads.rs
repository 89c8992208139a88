//! Ranks that are threads of one program.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::Group;

/// Runs ranks as threads.
#[derive(Debug)]
pub struct Threads;

impl Threads {
    /// Runs `job` on `size` ranks; returns their results, `[rank]`. If one panics, so do all.
    pub fn run<T: Send>(size: usize, job: impl Fn(&ThreadGroup) -> T + Sync) -> Vec<T> {
        let shared = SharedExchange::of(size);
        std::thread::scope(|scope| {
            let start = |rank| {
                let (group, job) = (ThreadGroup { rank, shared: shared.clone() }, &job);
                scope.spawn(move || job(&group))
            };
            let threads: Vec<_> = (0..size).map(start).collect();
            let result = |thread: std::thread::ScopedJoinHandle<'_, T>| match thread.join() {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            threads.into_iter().map(result).collect()
        })
    }
}

impl ThreadGroup {
    /// The group of one rank, this thread.
    pub fn alone() -> Self {
        Self { rank: 0, shared: SharedExchange::of(1) }
    }
}

/// A rank that is a thread.
#[derive(Debug)]
pub struct ThreadGroup {
    rank: usize,
    shared: Arc<SharedExchange>,
}

#[derive(Debug)]
struct SharedExchange {
    state: Mutex<ExchangeState>,
    changed: Condvar,
    size: usize,
}

impl SharedExchange {
    fn of(size: usize) -> Arc<Self> {
        let state = ExchangeState { sent: vec![Vec::new(); size], ..ExchangeState::default() };
        Arc::new(Self { state: Mutex::new(state), changed: Condvar::new(), size })
    }
}

#[derive(Debug, Default)]
struct ExchangeState {
    // [rank], of the exchange at work
    sent: Vec<Vec<u8>>,
    waiting: usize,
    // of barriers passed
    passed: u64,
    // ranks that have warned
    warned: Vec<usize>,
    // a rank has panicked: no other may wait for it
    broken: bool,
}

impl ThreadGroup {
    fn state(&self) -> MutexGuard<'_, ExchangeState> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn barrier(&self) {
        let mut state = self.state();
        let round = state.passed;
        state.waiting += 1;
        if state.waiting == self.shared.size {
            state.waiting = 0;
            state.passed += 1;
            self.shared.changed.notify_all();
            return;
        }
        while state.passed == round && !state.broken {
            state = self.shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let broken = state.passed == round;
        drop(state);
        assert!(!broken, "another rank has panicked");
    }
}

impl Drop for ThreadGroup {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.state().broken = true;
            self.shared.changed.notify_all();
        }
    }
}

impl Group for ThreadGroup {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.shared.size
    }

    fn all_gather(&self, own: &[u8]) -> Vec<Vec<u8>> {
        self.state().sent[self.rank] = own.to_vec();
        self.barrier();
        let all = self.state().sent.clone();
        self.barrier();
        all
    }

    fn warn(&self) {
        self.state().warned.push(self.rank);
    }

    fn is_warned(&self) -> bool {
        self.state().warned.iter().any(|&rank| rank != self.rank)
    }

    fn abort(&self, code: i32) -> ! {
        std::process::exit(code)
    }
}
