//! Subdivision surfaces: control meshes of polygons refined by Catmull-Clark, Loop or √3.
//!
//! ```text
//! SurfaceMesh ─sort─▶ SurfaceTopology ─split─▶ matrices of all levels ─evaluate─▶ points
//!                     (level 0)           sharp edges and vertices
//! ```
//!
//! A [`SurfacePlan`] knows the topology of all levels; it depends on connectivity, creases
//! and options only. [`SurfacePlan::evaluate`] runs positions (or any three components a
//! vertex) through it, as often as they move. [`refine_surface`] does both, attributes and
//! texture coordinates included. Three methods give the same points up to rounding:
//!
//! - [`Method::Matrix`]: the [mesh matrix](refine), a face, edge and vertex pass a level,
//!   for every scheme;
//! - [`Method::Single`]: the product of all levels as one sparse matrix
//!   ([`SingleMatrix`]); set-up is expensive, evaluation one pass;
//! - [`Method::EdgeFriend`]: Catmull-Clark with one gather pass a level on the layout of
//!   [edge-friend](refine::edge_friend).
//!
//! Two more ways need no plan to evaluate: [`StaticRefinement`] takes control points to one
//! level at once by tables that faces share, and [`adaptive_limits`] evaluates the limit at
//! the vertices of a level on spline patches. [`limit`] evaluates it anywhere.
//!
//! A [backend](crate::backend) does the same on a GPU, with the same numbering and the same bits.
//!
//! All inner data are flat arrays of 32-bit ids; a *corner* is a face at one of its
//! vertices. The corners of the last level have no ids, so that the mesh matrix reaches 2³²
//! faces where memory does, and four times as many corners: faces of one size need no offsets.
//! Points are gathered in one documented order, so that results repeat bit by bit with any
//! number of threads.
//!
//! # Meshes that are no surfaces
//!
//! Catmull-Clark takes any polygons: an edge of three or more faces is sharp for ever, and
//! a vertex at which sheets only touch stays in place. Loop refines such an edge as one
//! edge of all its faces; its smooth rule sees the first two. √3 refuses such edges.
//! Faces may run in any direction, also on one-sided surfaces, except for edge-friend,
//! which refuses what is not an oriented manifold. Vertices of no face stay.

mod boundary;
mod holes;
pub mod limit;
pub(crate) mod options;
pub(crate) mod plan;
pub mod refine;
pub mod stencils;
pub(crate) mod triangulate;

pub use crate::scheme::Point;
pub use crate::scheme::Scheme;
pub use boundary::boundary_surface;
pub use limit::{VertexLimits, vertex_limits};
pub use options::{Method, SurfaceOptions};
pub use plan::{AdaptiveLimits, SurfacePlan, adaptive_limits};
pub use refine::Workspace;
pub use refine::memory::{Counts, check_ids, refined_counts, refinement_bytes};
pub use stencils::single::{GROUP, SingleMatrix};
pub use stencils::static_refinement::{StaticEvaluator, StaticRefinement, StaticWorkspace};
pub use stencils::{StencilEvaluator, Storage, SurfaceStencils};

use crate::Result;
use crate::mesh::SurfaceMesh;

/// Refines a mesh with its attributes, texture coordinates and creases, and leaves holes
/// out.
///
/// # Errors
/// Those of [`SurfacePlan::new`] and [`SurfacePlan::refine`].
pub fn refine_surface(mesh: &SurfaceMesh, options: &SurfaceOptions) -> Result<SurfaceMesh> {
    SurfacePlan::new(mesh, options)?.refine(mesh)
}
