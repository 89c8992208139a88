//! Where plans are run.

pub mod cpu;
