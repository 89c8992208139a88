//! Refinement level by level, where topology may change.
//!
//! Each split has its passes on the mesh matrix
//! ([`SurfaceTopology`](crate::topology::surface::SurfaceTopology)): [`catmull_clark`],
//! [`triangles`], [`sqrt3`]; [`edge_friend`] has Catmull-Clark's in one pass. They gather points
//! in one order of sums, by the masks of the [scheme](crate::scheme). [`mod@reference`] has the
//! same rules as products of sparse matrices.

pub mod catmull_clark;
pub mod edge_friend;
pub(crate) mod memory;
pub mod reference;
pub mod sharpness;
pub(super) mod split;
pub mod sqrt3;
pub mod triangles;
pub(in crate::surface) mod workspace;

pub use workspace::Workspace;
