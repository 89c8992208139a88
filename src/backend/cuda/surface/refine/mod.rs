//! Surfaces on the mesh matrix: edges of a control mesh, levels refined from one another, points.
//!
//! ```text
//! corners ─sort─▶ SurfaceMatrix ─split─▶ levels ─▶ points
//!                 (level 0)  ▲
//! tags ─scan─▶ sharp edges, sharp vertices of all levels
//! ```
//!
//! All arrays stay on the device, and a run is one CUDA graph. No level after the control mesh
//! is sorted: edges are numbered from level to level.

mod boundary_edges;
mod creases;
mod four_triangles;
mod friends;
mod ghosts;
mod levels;
mod matrix;
mod quads;
mod rules;
mod sharp;
mod step;
mod three_triangles;

pub use creases::CreaseTags;
pub use friends::SurfaceFriends;
pub use levels::RefinedLevels;
pub use matrix::{FaceArrays, MatrixCounts, SurfaceMatrix};
pub use rules::MatrixScheme;

pub(in crate::backend::cuda) use boundary_edges::variant as boundary_edges_variant;
pub(in crate::backend::cuda) use creases::variant as creases_variant;
pub(in crate::backend::cuda) use four_triangles::variant as four_triangles_variant;
pub(in crate::backend::cuda) use friends::variant as first_friends_variant;
pub(in crate::backend::cuda) use ghosts::variant as ghosts_variant;
pub(in crate::backend::cuda) use matrix::variant as matrix_variant;
pub(in crate::backend::cuda) use quads::variant as quads_variant;
pub(in crate::backend::cuda) use sharp::variant as sharp_variant;
pub(in crate::backend::cuda) use three_triangles::variant as three_triangles_variant;

use crate::backend::cuda::driver::constants::REFINE_THREADS as THREADS;
