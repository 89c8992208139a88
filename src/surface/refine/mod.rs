//! Refinement level by level, where topology may change.
//!
//! The passes of each split on the mesh matrix ([`SurfaceTopology`](crate::topology::surface::SurfaceTopology)), and
//! [edge-friend](edge_friend).

pub mod catmull_clark;
pub mod edge_friend;
pub(crate) mod memory;
pub mod reference;
pub mod sharpness;
pub(super) mod split;
pub mod sqrt3;
pub mod triangles;
mod workspace;

pub use workspace::Workspace;
