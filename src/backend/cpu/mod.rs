//! The CPU backend.

pub mod kernel;
