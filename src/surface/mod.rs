//! Subdivision surfaces: control meshes of polygons by Catmull-Clark, Loop, √3 or bilinearly.
//!
//! ```text
//!                               ┌─ refine ────▶ meshes, level by level
//! SurfaceMesh ─▶ topology ──────┼─ stencils ──▶ points of one level
//!                (+ scheme)     └─ limit ─────▶ points anywhere
//! ```
//!
//! The [topology](crate::topology::surface) of a control mesh is built once; rules come from its
//! [scheme](crate::scheme). There are three ways to a point:
//!
//! - **refine**, where topology may change: level by level on the mesh matrix
//!   ([`Method::Matrix`], every scheme), or Catmull-Clark in one gather pass a level
//!   ([`Method::EdgeFriend`]); [`Method::Auto`] takes the faster that takes the mesh;
//! - **[`stencils`]**, where topology stays: the points of one level straight from the control
//!   points, by one sparse matrix ([`Method::Single`], every scheme) or by tables of weights that
//!   faces share ([`Method::Static`], Catmull-Clark);
//! - **[`limit`]**, at any place: grids, scattered places, vertices. [`adaptive_limits`] evaluates
//!   the vertices of a level on patches that are refined around features only.
//!
//! A [`SurfacePlan`] is the topology of all levels by one of the methods; it depends on
//! connectivity, creases and options only. [`SurfacePlan::evaluate`] runs positions (or any three
//! components per vertex) through it, as often as they move. [`refine_surface`] does both,
//! attributes and texture coordinates included. All methods give the same points up to rounding.
//!
//! A [backend](crate::backend) does the same on a processor: it refines with the same numbering
//! and the same bits, and evaluates stencils, grids, places and vertices.
//!
//! All inner data are flat arrays of 32-bit ids; a *corner* is a face at one of its
//! vertices. The corners of the last level have no ids, so that the mesh matrix reaches 2³²
//! faces where memory does, and four times as many corners: faces of one size need no offsets.
//! Points are gathered in one documented order, so that results repeat bit by bit with any
//! number of threads.
//!
//! # Meshes that are no surfaces
//!
//! An edge of three or more faces, or of two that run through it in the same direction, is
//! infinitely sharp, and a vertex at which sheets only touch stays in place
//! ([`guide::surfaces`](crate::guide::surfaces)). √3 refuses edges of three or more faces,
//! edge-friend any surface that is no oriented manifold. Vertices of no face stay.

mod boundary;
mod holes;
pub mod limit;
pub(crate) mod options;
mod orient;
pub(crate) mod plan;
pub mod refine;
mod separate;
pub mod stencils;
mod summary;
pub(crate) mod triangulate;

pub use crate::scheme::{Point, Scheme};
pub use boundary::{boundary_cells, boundary_groups, boundary_surface, boundary_with_topology};
pub use limit::{VertexLimits, duplicate_triangles, vertex_limits};
pub use options::{Method, SurfaceOptions};
pub use orient::{NestedShells, OrientedShell, OrientedShells, ShellKind, orient};
pub(crate) use orient::{inner_wall, t_junction};
pub use plan::{AdaptiveLimits, SurfacePlan, adaptive_limits};
pub use refine::Workspace;
pub use refine::refined_counts::{
    Counts, check_ids, check_memory, refined_counts, refinement_bytes,
};
pub(crate) use separate::separate_edges;
pub use separate::separate_parts;
pub use stencils::single::{GROUP, SingleMatrix};
pub use stencils::static_refinement::{StaticEvaluator, StaticRefinement, StaticWorkspace};
pub use stencils::{StencilEvaluator, Storage, SurfaceStencils};
pub use summary::SurfaceSummary;

use crate::error::Result;
use crate::mesh::SurfaceMesh;

/// Refines a mesh with its attributes, texture coordinates and creases. Holes stay holes, which
/// [`SurfaceMesh::without_holes`] leaves out; √3 leaves them out itself.
///
/// # Errors
/// As [`SurfacePlan::new`].
pub fn refine_surface(mesh: &SurfaceMesh, options: &SurfaceOptions) -> Result<SurfaceMesh> {
    SurfacePlan::new(mesh, options)?.refine(mesh)
}
