//! Refinement level by level, where topology may change.
//!
//! Each [split](crate::scheme::Split) has its passes on the mesh matrix
//! ([`SurfaceTopology`](crate::topology::surface::SurfaceTopology)): [`matrix`] for quads and four
//! triangles, [`three_triangles`]; [`edge_friend`] refines quads in one pass. They
//! gather points in one order of sums, by the masks of the [scheme](crate::scheme).
//! [`mod@reference`] has the same rules as products of sparse matrices.

pub mod edge_friend;
mod four_triangles;
pub mod matrix;
mod quads;
pub mod reference;
pub(crate) mod refined_counts;
pub mod sharpness;
pub(super) mod split;
pub mod three_triangles;
pub(in crate::surface) mod workspace;

pub use workspace::Workspace;
