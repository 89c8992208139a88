//! Limit surfaces: positions, derivatives, normals and curvature of Catmull-Clark and Loop
//! surfaces, exact and in constant time at any place.
//!
//! ```text
//! faces, creases ─▶ connectivity ─▶ rules of vertices ─▶ classes ─▶ leaves, nets
//!                       ▲                                   │          │
//!                       └── refine (locally) ◀── refined ◀──┘          ▼
//!                                               structures ─▶ weights ─▶ limit
//! ```
//!
//! # Theory
//! A face all of whose corners are regular is one polynomial patch: a bicubic spline or a
//! quartic box spline. A face with one extraordinary corner refines to itself there, and
//! the powers of its local subdivision matrix give the limit at any depth (Stam 1998,
//! 1999): the [`Structure`](crate::limit::Structure) of solids, with two parameters. All
//! other faces (several extraordinary corners, semi-sharp creases, polygons) are refined
//! locally until their parts are of these kinds.
//!
//! Edges that are sharp for ever, boundaries among them, are walls: the limit on a face
//! depends only on what can be reached without crossing one, so that a crease is regular
//! where a boundary is.

mod connectivity;
mod evaluate;
mod faces;
mod geometry;
mod grid;
mod kernel;
mod leaf;
mod levels;
mod masks;
mod net;
mod patch;
mod patches;
mod refine;
mod rules;
mod surface;
mod tangents;
mod walk;
mod weights;

pub use evaluate::{SurfaceLimit, SurfaceLocation};
pub use faces::{Faces, Scheme};
pub use geometry::{Curvature, curvature, normal};
pub use grid::{GridLimit, SurfaceGrid, Table};
pub use leaf::{Affine, Element, Leaf, LeafKind, Placement, split};
pub use levels::{Class, Reason};
pub use masks::VertexMasks;
pub use net::Ends;
pub use patch::Extraordinary;
pub use patches::PatchCounts;
pub use surface::LimitSurface;
pub use weights::{COUNTS, DERIVATIVES, Weights};
