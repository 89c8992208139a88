//! Subdivision surfaces.

pub mod limit;
