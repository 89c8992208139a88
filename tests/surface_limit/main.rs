//! Limit surfaces against explicit refinement and closed formulas.

#[path = "../models/mod.rs"]
#[allow(dead_code)] // the oracle reads the files
mod models;
#[path = "../oracle/mod.rs"]
mod oracle;
#[path = "../support/mod.rs"]
mod support;

mod catmull_clark;
mod geometry;
mod grid;
mod loop_scheme;
mod meshes;
