//! Catmull-Clark solids: hexahedral (and wedge, tet) control meshes whose limit
//! volume is evaluated exactly, in constant time per point.
//!
//! Data flows through folders of the same names; a folder imports only what
//! stands before it.
#![warn(missing_docs)]

pub mod backend;
pub mod basis;
mod error;
pub mod io;
pub mod limit;
pub mod mesh;
pub mod plan;
pub mod refine;
pub mod topology;
pub mod volume;

pub use error::{Error, Result};
