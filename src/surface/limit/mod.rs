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
//! locally until their children are of these kinds.
//!
//! Edges that are infinitely sharp, boundaries among them, are walls: the limit on a face
//! depends only on faces that can be reached without crossing one, so that a crease is regular
//! where a boundary is.
//!
//! # Practice
//! ```
//! use subsolid::mesh::{CreaseRule, Creases, TriangleRule};
//! use subsolid::plan::Want;
//! use subsolid::surface::limit::{Faces, GridLimit, LimitSurface, Scheme, SurfaceLocation};
//!
//! let points: Vec<[f64; 3]> =
//!     (0..8).map(|k: u32| [k & 1, k >> 1 & 1, k >> 2].map(f64::from)).collect(); // a cube
//! let mut creases = Creases::default();
//! creases.push_edge(4, 5, 2.0); // sharp for two levels
//! let faces = Faces {
//!     vertex_count: points.len(),
//!     offsets: &[0, 4, 8, 12, 16, 20, 24],
//!     corners: &[0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4, 2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5],
//!     creases: &creases,
//!     crease_rule: CreaseRule::Uniform,
//!     triangle_rule: TriangleRule::Uniform,
//! };
//! let surface = LimitSurface::new(&faces, Scheme::default())?; // no points yet
//!
//! // Anywhere: element 1 is face 1, the top.
//! let place = SurfaceLocation { element: 1, parameters: [0.5, 0.9] };
//! let limit = surface.evaluate(&points, &[place], Want::FIRST | Want::SECOND)?;
//! assert!(limit.normals[0][2] > 0.5 && limit.curvature[0].gaussian > 0.0);
//!
//! // At the vertices.
//! let masks = surface.vertex_masks();
//! let normals = masks.limit_normals(&points)?;
//! assert!(normals[7].iter().all(|&x| x > 0.0));
//!
//! // On grids, again and again with moved points.
//! let grid = surface.grid(8, true)?;
//! let refined = surface.refined_points(&points)?;
//! let mut limit = GridLimit::default(); // its memory is used again
//! grid.evaluate(&refined, 0..surface.elements().len(), &mut limit)?;
//! assert_eq!(limit.positions.len(), 6 * 8 * 8 * 3);
//! # Ok::<(), subsolid::Error>(())
//! ```
//!
//! A [backend](crate::backend) evaluates the same grids, places and vertices on a GPU.

mod class;
pub(crate) mod connectivity;
mod evaluate;
mod faces;
pub(crate) mod finite;
mod frame;
mod geometry;
mod grid;
mod kernel;
mod leaf;
mod levels;
mod library;
mod masks;
mod net;
mod net_mesh;
mod refine;
mod rules;
mod spline_patches;
mod surface;
mod table;
mod tangents;
mod vertex_limit;
mod weights;

pub use crate::scheme::Scheme;
pub use class::{FaceClass, FaceReason};
pub use evaluate::{SurfaceLimit, SurfaceLocation};
pub use faces::Faces;
pub use geometry::{Curvature, curvature, normal};
pub use grid::{GridLimit, SurfaceGrid};
pub use leaf::{AffineMap, Placement, SurfaceElement, SurfaceLeaf, SurfaceLeafKind, split};

pub use levels::check_valences;
pub(super) use levels::duplicate_faces;
pub use library::ExtraordinaryLimit;
pub use masks::VertexMasks;
pub use spline_patches::PatchCounts;
pub use surface::LimitSurface;
pub use table::SurfaceTable;
pub use vertex_limit::{VertexLimits, vertex_limits};
pub(super) use vertex_limit::{limit_attributes, limit_surface, limit_topology};
pub use weights::{COUNTS, DERIVATIVES, Weights};
