//! Jobs: what the program and the Python package do, one file each.
//!
//! A job has a request (plain data with defaults), a check of it, and a function that runs it and
//! returns a report. Doors (the command line, Python) fill the request, give [`Notes`], and print
//! or return the report; no rule of a job stands in a door.
//!
//! # Errors
//! What all jobs return; the comment of each says what else it does:
//! - [`Error::Request`](crate::Error::Request) for options that are out of range, contradict each
//!   other, have no effect, or name what the model lacks; a result that would fill the memory or
//!   exceed the maximum size; a processor that is missing or fails.
//! - [`Error::Mesh`](crate::Error::Mesh) for a defect of the model, by cell, face, edge or vertex.
//! - [`Error::File`](crate::Error::File) and [`Error::Io`](crate::Error::Io) for files that cannot
//!   be read or written.
//! - The error of [`Notes::progress`]: an interruption.

pub mod assemble;
pub mod bench;
pub mod boundary;
pub mod compare;
pub mod conform;
pub mod denoise;
pub mod distance;
pub mod evaluate;
pub mod extend;
pub mod extract;
pub mod fit;
pub mod info;
pub mod locate;
mod material_axes;
pub mod merge;
pub mod output;
mod processor;
pub mod quadrature;
pub mod query;
pub mod ranks;
pub mod refine;
pub mod shared_pieces;
pub mod slice;
pub mod smooth;
pub mod solve;
pub mod surface;
pub mod surface_file;
pub mod untangle;
pub mod view;

pub use material_axes::MaterialAxes;
pub use processor::{ProcessorRequest, backend_for, say_chosen};

use std::time::Instant;

use crate::error::{Message, Result};

/// What a job says while it runs. `()` says nothing.
pub trait Notes {
    /// Work of unknown length begins; the next note ends it.
    fn begin(&mut self, _verb: &'static str) {}

    /// What was done: a verb and its object.
    fn status(&mut self, verb: &'static str, what: String);

    /// A message with options in the words of the door.
    fn words(&self, what: &Message) -> String {
        what.to_string()
    }

    /// What the user should know although it does not stop the job.
    fn warn(&mut self, what: Message);

    /// A step of a long job, `done` of at most `of`. Its error ends the job.
    ///
    /// # Errors
    /// An interruption.
    fn progress(&mut self, done: usize, of: usize) -> Result<()>;
}

impl Notes for () {
    fn status(&mut self, _verb: &'static str, _what: String) {}

    fn warn(&mut self, _what: Message) {}

    fn progress(&mut self, _done: usize, _of: usize) -> Result<()> {
        Ok(())
    }
}

/// Time since `start` as people say it.
pub fn since(start: Instant) -> String {
    match start.elapsed().as_secs_f64() {
        s if s < 1.0 => format!("{:.1} ms", 1e3 * s),
        s => format!("{s:.2} s"),
    }
}
