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
//! use subsolid::mesh::{Polygons, SurfaceMesh};
//! use subsolid::plan::Want;
//! use subsolid::surface::limit::{GridLimit, LimitSurface, Scheme, SurfaceLocation};
//!
//! let points: Vec<[f64; 3]> =
//!     (0..8).map(|k: u32| [k & 1, k >> 1 & 1, k >> 2].map(f64::from)).collect(); // a cube
//! let corners = [0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4, 2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5];
//! let mut mesh = SurfaceMesh::new(points.clone(), Polygons::uniform(4, corners.into()));
//! mesh.creases.push_edge(4, 5, 2.0); // sharp for two levels
//! let surface = LimitSurface::of_mesh(&mesh, Scheme::default())?;
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
pub use class::FaceClass;
pub use evaluate::{SurfaceLimit, SurfaceLocation};
pub use geometry::{Curvature, curvature, normal};
pub use grid::{GridLimit, SurfaceGrid};
pub use leaf::{AffineMap, Placement, SurfaceElement, SurfaceLeaf, SurfaceLeafKind, split};

pub(super) use levels::{check_duplicates, limit_topology};
pub use levels::{check_valences, duplicate_triangles};
pub use library::ExtraordinaryLimit;
pub use masks::VertexMasks;
pub use spline_patches::PatchCounts;
pub use surface::LimitSurface;
pub use table::SurfaceTable;
pub(super) use vertex_limit::limit_attributes;
pub use vertex_limit::{VertexLimits, vertex_limits};
pub use weights::{COUNTS, DERIVATIVES, Weights};
