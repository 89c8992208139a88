//! Writing of files: whole or not at all, and read back as they were meant.
//!
//! The tests of [`readback`] leave files in `target/readback/`, which VTK itself
//! then reads: `cargo test --release --test io write`, then
//! `.ci/venv/bin/python tests/io/vtk_readback.py target/readback` (packages `vtk` and
//! `numpy`).

mod atomic;
mod exchange;
pub mod models;
mod pieces;
mod readback;
mod refusals;
mod single;
mod solver_formats;
mod tables;
