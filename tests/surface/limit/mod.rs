//! Limit surfaces against explicit refinement and closed formulas.

mod catmull_clark;
mod explicit;
mod geometry;
mod grid;
mod loop_scheme;
mod meshes;
