//! One set of tests that every backend and precision passes, for solids and for surfaces.
#![allow(dead_code)] // each test program uses a part of it

mod quantities;
#[macro_use]
pub mod solid;
#[macro_use]
pub mod surface;
