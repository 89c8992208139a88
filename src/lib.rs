//! Catmull-Clark solids: hexahedral (and wedge, tetrahedral, polyhedral) control meshes
//! whose limit volume is evaluated exactly, in constant time per point; and the
//! subdivision surfaces that bound them.
//!
//! [`guide::architecture`] says what is where. The [`guide`] explains each job, what is exact, and
//! how to extend the engine. This page lists the modules in the order of their imports: each
//! imports only modules above it, and those that all use, at the end (`tests/source/imports.py`
//! checks that).
//!
//! ```
//! # let directory = tempfile::tempdir().unwrap();
//! # let output = directory.path().join("limit.vtu");
//! use subsolid::{Backend, Samples, Solid, Want, WriteOptions, backend, volume::{self, Sharing}};
//!
//! let mesh = subsolid::read("models/bracket.vtk")?;
//! let solid = Solid::new(&mesh)?; // topology, classes, structures
//! let plan = solid.plan(&Samples::grid(8), Want::POSITION | Want::FIRST)?;
//! let limit = backend::auto().evaluate(&plan, mesh.controls())?;
//! let cells = volume::hexahedra(&plan, &limit, &mesh.attributes, Sharing::Welded)?;
//! subsolid::write(&output, cells, WriteOptions::default())?;
//! # Ok::<(), subsolid::Error>(())
//! ```
//!
//! # [`basis`]: functions of one variable
//!
//! Uniform cubic B-splines with the end condition of a boundary, Bernstein polynomials
//! and Gauss rules. The regular part of every solid is a tensor product of these.
//!
//! ```
//! use subsolid::basis::gauss;
//! let rule = gauss::rule(3)?; // on [0, 1]
//! let cube: f64 = rule.points.iter().zip(&rule.weights).map(|(u, w)| w * u.powi(3)).sum();
//! assert!((cube - 0.25).abs() < 1e-15);
//! # Ok::<(), subsolid::Error>(())
//! ```
//!
//! # [`mesh`]: control meshes
//!
//! A [`SolidMesh`] is plain data: points, cells in VTK's corner order, creases, attributes of any
//! width on the points, and arrays of the cells. The parameters of a hexahedron run u along corners
//! 0→1, v along 0→3, w along 0→4, each from 0 to 1. [`mesh::shape`] builds sample meshes.
//!
//! ```
//! use subsolid::SolidMesh;
//! let corners = [0, 1, 3, 2, 4, 5, 7, 6]; // of points with x fastest
//! let points = (0..8).map(|i| [i & 1, i >> 1 & 1, i >> 2].map(f64::from)).collect();
//! let mut cube = SolidMesh::from_hexahedra(points, &[corners]);
//! cube.creases.push_edge(0, 1, f64::INFINITY); // sharp at all levels
//! cube.creases.push_corner(7, 1.5); // stays in place for 1.5 levels of refinement
//! cube.check()?;
//! # Ok::<(), subsolid::Error>(())
//! ```
//!
//! # [`cluster`]: programs that do one job together
//!
//! [`cluster::Ranks`] are programs that MPI has started, or threads: they exchange bytes, and an
//! error on one rank is returned on all.
//!
//! # [`io`]: files
//!
//! [`read`] recognizes the format by the content, [`write()`] by the ending of the name.
//! An output file appears under its name when it is complete. [`io::read_with_report`]
//! also returns what was ignored. Formats: [`guide::files`].
//!
//! # [`topology`], [`scheme`], [`refine`]: incidence and refinement
//!
//! [`topology::Topology`] holds cells, faces, edges and vertices as flat arrays and names
//! the element that breaks a rule. [`scheme`] holds the rules of refinement: masks and creases. A
//! refinement step is a sparse matrix over the control points. So attributes are refined like
//! positions, and moved control points need no new setup. See [`refine::MeshRefinement`],
//! [`refine_mesh`] and [`guide::solids`].
//!
//! # [`query`]: neighbors
//!
//! A [`query::Query`] answers which vertices, edges, faces and cells are incident or adjacent to
//! which, from stored rows of elements sorted by position. See [`guide::queries`].
//!
//! # [`limit`]: classes and structures
//!
//! A [`Solid`] sorts cells into classes by the stars of their vertices. *Regular* cells are
//! tricubic splines. *Layered* cells are a planar Catmull-Clark net times a spline.
//! *Irregular* cells touch one extraordinary vertex; they have a structure, the powers of
//! their local subdivision matrix, in closed form where that is numerically safe. All other
//! cells are refined locally first; their results still belong to their own (u, v, w).
//!
//! ```
//! use subsolid::{Solid, limit::Class};
//! let solid = Solid::new(&subsolid::read("models/bracket.vtk")?)?;
//! let regular = solid.classes().iter().filter(|&&class| class == Class::Regular).count();
//! assert!(0 < regular && regular < solid.classes().len());
//! # Ok::<(), subsolid::Error>(())
//! ```
//!
//! # [`simd`]: inner loops of the CPU
//!
//! Control points in, samples out, at the vector width of the processor: what the CPU evaluates
//! cells, surface grids and quadrature points with.
//!
//! # [`plan`]: what to evaluate where
//!
//! [`Samples`] are grids, Gauss points, or any list of cells and parameters. [`Want`]
//! selects derivatives and the [quantities](plan::Quantity) that follow from them. A [`Plan`]
//! groups leaves that evaluate alike into batches and holds the weights that all cells of a
//! batch share. Neither `Solid` nor `Plan` depends on the positions of the control points.
//!
//! # [`parts`]: a mesh for several programs
//!
//! A [`parts::Cutter`] makes parts of a mesh with one layer of ghost cells each; their results are
//! bitwise the results of the whole. See [`guide::scaling`].
//!
//! # [`surface`]: subdivision surfaces
//!
//! A [`SurfaceMesh`] of any polygons, read from a file or taken from the boundary of a solid,
//! is evaluated in three ways, by Catmull-Clark, Loop, √3 or bilinear subdivision:
//! [refined](surface::refine) level by level, by [stencils](surface::stencils) straight from the
//! control points, and at the [limit](surface::limit), with normals and curvature. All share one
//! [topology](topology::surface). See [`guide::surfaces`].
//!
//! # [`bezier`]: polynomial pieces
//!
//! Algorithms that need polynomials with a convex hull (slicing, location, files of Bézier
//! cells) take the limit as tricubic [`bezier::Pieces`]. Isogeometric programs take them as
//! operators over the control points: [`bezier::Extraction`].
//!
//! # [`process`]: distances and smoothing
//!
//! Distances, curvature flow, smoothing and denoising on control meshes and surfaces, using the
//! adjacency of queries and sparse factorizations. See [`guide::processing`].
//!
//! # [`backend`]: evaluation
//!
//! A [`Backend`] executes plans. Prepare once and evaluate often, range by range if the
//! result is larger than memory; [`guide::solids`] has an example. [`evaluate()`] does all
//! of it in one call. Other operations take a backend and run there, too, whatever it is:
//! [`locate::Locator::locate_on`], [`slice::SolidSource::bring`], [`quadrature::Mapping::on`],
//! [`assembly::assemble`].
//!
//! # [`locate`], [`mod@untangle`], [`mod@slice`], [`volume`], [`quadrature`], [`assembly`], [`compare`]: jobs
//!
//! [`untangle::untangle`] moves vertices until no control cell is folded.
//! A [`locate::Locator`] finds the element and (u, v, w) of a point in space;
//! [`slice::InteriorFinder`] does so for all pixels of a layer. A [`slice::Slicer`] cuts the
//! boundary of the limit by planes, exactly: contours, and the pixels that they cover. A
//! [`slice::Job`] makes files of a stack of layers. [`Quadrature`] holds the basis functions
//! of the mesh's vertices at quadrature points, one table for all cells that share it, and
//! computes Jacobians, volumes and derivatives in space from control points.
//! [`assembly`] sums them up to the matrices and load vectors of finite elements.
//! [`compare::compare`] compares two evaluations, for example single with double precision:
//! mean, rms, 99th percentile and maximum of the distances, overall and by class. [`volume`]
//! turns limit points into cells that VTK and ParaView read, tables, or a quality report.
//!
//! # [`fit`], [`mod@solve`], [`jobs`]: from the mesh of a part to its solid, and its stresses
//!
//! [`jobs::fit::FitRequest`] finds control points whose limit passes through the vertices of a mesh, or
//! lies on a target ([`guide::fitting`]). [`solve::solve`] solves for temperatures and displacements ([`guide::solving`]).
//!
//! # [`view`]: pages
//!
//! A [`view::Page`] is one HTML file that shows the limit of a solid or a surface in a browser:
//! [`guide::viewing`].
//!
//! # [`numbers`], [`memory`], [`error`]: what all modules use
//!
//! The number types that evaluation is generic over, checks that refuse what would not fit into
//! memory, and errors.
//!
//! # Errors
//!
//! Every problem of a file, a mesh or a request is an [`Error`] that names the place and how
//! to fix it. Bad input never panics. Options and commands in its texts are [`error::Term`]s,
//! which Rust, Python and the program spell each in its own way.
#![warn(missing_docs)]

// first: its macro `message!` is in scope of all below
#[macro_use]
pub mod error;

pub mod assembly;
pub mod backend;
pub mod basis;
pub mod bezier;
pub mod build_info;
pub mod cluster;
pub mod compare;
pub mod conform;
mod disjoint;
mod evaluate;
pub mod extend;
pub mod fit;
pub mod guide;
pub mod interrupt;
pub mod io;
pub mod jobs;
pub mod limit;
pub mod locate;
pub mod memory;
pub mod mesh;
pub mod numbers;
mod pages;
pub mod parts;
pub mod plan;
pub mod process;
pub mod quadrature;
pub mod query;
pub mod refine;
mod result_buffer;
pub mod scheme;
pub mod simd;
pub mod slice;
pub mod solve;
pub mod surface;
pub mod topology;
pub mod untangle;
pub mod view;
pub mod volume;

pub use backend::{Backend, Limit};
pub use error::{Error, FileAccess, IdKind, Message, Result};
pub use evaluate::evaluate;
pub use io::{WriteOptions, read, read_surface, write};
pub use limit::Solid;
pub use memory::physical_memory;
pub use mesh::{SolidMesh, SurfaceMesh};
pub use plan::{Plan, Samples, Want};
pub use quadrature::Quadrature;
pub use refine::refine_mesh;
