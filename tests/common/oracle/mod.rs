//! Independent oracles: what a Catmull-Clark solid or surface *is*, by explicit
//! refinement and nothing else.
//!
//! This code shares nothing with the library. It prefers the plainest statement
//! of a rule to speed (hash maps, no stencils, no eigenstructures), so that
//! agreement with it means something. `tests/oracle` checks it against
//! closed formulas and against itself.
//!
//! An integration test uses it by `mod oracle;`.
#![allow(dead_code)] // each test program uses a part of it

pub mod convert;
pub mod creases;
pub mod flux;
pub mod half_edge;
pub mod hash;
pub mod incidence;
pub mod limit;
pub mod loop_surface;
pub mod medit;
pub mod obj;
pub mod random;
pub mod shapes;
pub mod solid;
pub mod spline;
pub mod surface;
pub mod surface_limit;
pub mod vector;
