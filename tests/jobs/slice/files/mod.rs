//! Files of layers: opened by readers that share nothing with the writers, and the same
//! whatever the threads, the range and the interruptions.
//!
//! The tests of [`vectors`] leave `target/readback/layers.vtp`, which VTK itself then
//! reads: see `tests/io/vtk_layers.py`.

mod cone;
mod dither;
mod images;
mod jobs;
mod materials;
mod paint;
mod vectors;
