//! Bringing a file to the disk while it is being written.
//!
//! Linux keeps written pages in memory until there are many. A file that is complete only once it
//! is on disk would wait for all of them at the end; flushing early overlaps this with the work.

use std::fs::File;
use std::io;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Between two requests.
const INTERVAL: Duration = Duration::from_millis(50);

/// Asks the system to store the written part of a file, again and again until it is dropped.
pub struct Writeback {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Writeback {
    /// Begins to ask so for `file`.
    ///
    /// # Errors
    /// If the system has no more handles or threads.
    pub fn begin(file: &File) -> io::Result<Self> {
        let file = file.try_clone()?;
        let (stop, stopped) = channel();
        let ask = move || {
            while stopped.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                ask(&file);
            }
        };
        let thread = thread::Builder::new().spawn(ask)?;
        Ok(Self { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Writeback {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // it only asks: whether it could is no concern of the file
            let _ = thread.join();
        }
    }
}

/// Starts the way of all pages to the disk that have changed, without waiting. A refusal changes
/// nothing but the time.
#[cfg(target_os = "linux")]
fn ask(file: &File) {
    use std::os::fd::AsRawFd;
    // SAFETY: the handle is open; the call touches no memory of the program.
    unsafe { libc::sync_file_range(file.as_raw_fd(), 0, 0, libc::SYNC_FILE_RANGE_WRITE) };
}

#[cfg(not(target_os = "linux"))]
fn ask(_: &File) {}
