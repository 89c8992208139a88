//! Catmull-Clark solids: hexahedral (and wedge, tetrahedral, polyhedral) control
//! meshes whose limit volume is evaluated exactly, in constant time per point.
//!
//! ```
//! # let directory = tempfile::tempdir().unwrap();
//! # let output = directory.path().join("limit.vtu");
//! use subsolid::{Backend, Samples, Solid, Want, WriteOptions, backend, volume};
//!
//! let mesh = subsolid::read("models/bracket.vtk")?;
//! let solid = Solid::new(&mesh)?; // topology, classes, structures
//! let plan = solid.plan(&Samples::grid(8), Want::POSITION | Want::FIRST)?;
//! let limit = backend::auto().evaluate(&plan, mesh.controls())?;
//! let cells = volume::hexahedra(&plan, &limit, &mesh.attributes, true)?;
//! subsolid::write(&output, cells, WriteOptions::default())?;
//! # Ok::<(), subsolid::Error>(())
//! ```
//!
//! Each of these steps is a module. They are told below in the order in which data
//! flows through them; a module imports only what stands before it.
//!
//! # The mathematics: [`basis`]
//!
//! Uniform cubic B-splines with the end condition of a boundary, Bernstein
//! polynomials and Gauss rules: functions of one variable from which the regular part
//! of every solid is a tensor product.
//!
//! ```
//! use subsolid::basis::gauss;
//! let rule = gauss::rule(3)?; // on [0, 1]
//! let cube: f64 = rule.points.iter().zip(&rule.weights).map(|(u, w)| w * u.powi(3)).sum();
//! assert!((cube - 0.25).abs() < 1e-15);
//! # Ok::<(), subsolid::Error>(())
//! ```
//!
//! # Control meshes: [`mesh`]
//!
//! A [`SolidMesh`] is plain data: points, cells in VTK's corner order, creases, and
//! attributes of any width that follow the points. The parameters of a hexahedron run
//! u along corners 0→1, v along 0→3, w along 0→4, each from 0 to 1.
//!
//! ```
//! use subsolid::SolidMesh;
//! let corners = [0, 1, 3, 2, 4, 5, 7, 6]; // of points with x fastest
//! let points = (0..8).map(|i| [i & 1, i >> 1 & 1, i >> 2].map(f64::from)).collect();
//! let mut cube = SolidMesh::from_hexahedra(points, &[corners]);
//! cube.creases.push_edge(0, 1, f64::INFINITY); // sharp for ever
//! cube.creases.push_corner(7, 1.5); // stays in place for 1.5 levels of refinement
//! cube.check()?;
//! # Ok::<(), subsolid::Error>(())
//! ```
//!
//! [`mesh::shape`] builds meshes to try things on.
//!
//! # Files: [`io`]
//!
//! [`read`] knows the format by the content, [`write()`] by the ending of the
//! name; an output file appears under its name when it is complete.
//! [`io::read_with_report`] also says what was left out.
//!
//! # Incidence and refinement: [`topology`], [`refine`]
//!
//! [`topology::Topology`] holds cells, faces, edges and vertices as flat arrays and
//! says which element breaks the rules. A step of refinement is a sparse matrix over
//! the control points, so attributes refine like positions, and moved control points
//! refine without a new set-up.
//!
//! ```
//! use subsolid::refine::{MeshRefinement, VertexRule};
//! let mesh = subsolid::read("models/bracket.vtk")?;
//! // In one call:
//! let fine = subsolid::refine_mesh(&mesh, 1, VertexRule::default())?;
//! assert_eq!(fine.cells.len(), 8 * mesh.cells.len()); // children of cell c: 8c to 8c + 7
//! // Kept, for positions that change:
//! let refinement = MeshRefinement::new(&mesh, 1, VertexRule::default())?;
//! assert_eq!(refinement.mesh(&mesh), fine);
//! # Ok::<(), subsolid::Error>(())
//! ```
//!
//! # The limit: [`limit`]
//!
//! A [`Solid`] sorts cells into classes by the stars of their vertices. *Regular* cells
//! are tricubic splines; *layered* ones a planar Catmull-Clark net times a spline;
//! *irregular* ones touch one extraordinary vertex and have a structure: the powers of
//! their local subdivision matrix, in closed form where that is safe. Cells that are
//! none of these are refined inside, locally, and still answer to their own (u, v, w).
//!
//! ```
//! use subsolid::{Solid, limit::Class};
//! let solid = Solid::new(&subsolid::read("models/bracket.vtk")?)?;
//! let regular = solid.classes().iter().filter(|&&class| class == Class::Regular).count();
//! assert!(0 < regular && regular < solid.classes().len());
//! # Ok::<(), subsolid::Error>(())
//! ```
//!
//! # Where to evaluate: [`plan`]
//!
//! [`Samples`] are grids, Gauss points, or any list of cells and parameters; [`Want`]
//! says which derivatives come along. A [`Plan`] batches what evaluates alike and holds
//! the weights that all cells of a batch share. Neither `Solid` nor `Plan` knows where
//! the control points are.
//!
//! # Evaluation: [`backend`]
//!
//! A [`Backend`] runs plans. Preparing once and evaluating often costs the evaluation
//! alone, range by range if the result is larger than memory.
//!
//! ```
//! use subsolid::{Backend, Limit, Samples, Solid, Want, backend};
//! let mut mesh = subsolid::read("models/bracket.vtk")?;
//! let solid = Solid::new(&mesh)?;
//! let plan = solid.plan(&Samples::gauss(3)?, Want::POSITION | Want::FIRST)?;
//! let processor = backend::auto();
//! let mut evaluator = processor.prepare(&plan)?;
//! let mut limit = Limit::default(); // its memory is used again
//! for _step in 0..3 {
//!     mesh.points.iter_mut().for_each(|p| p[2] *= 1.01);
//!     for range in plan.pieces(10_000) {
//!         evaluator.evaluate(mesh.controls(), range, &mut limit)?;
//!         let determinants = limit.jacobian_determinants().unwrap_or_default();
//!         assert!(determinants.iter().all(|&d| d > 0.0));
//!     }
//! }
//! # Ok::<(), subsolid::Error>(())
//! ```
//!
//! [`evaluate()`] does all of it in one call.
//!
//! # Polynomials: [`bezier`]
//!
//! What works on polynomials with a convex hull (planes that cut the solid, points
//! looked for in it, files of Bézier cells) takes the limit in tricubic
//! [`bezier::Pieces`]. Programs of isogeometric analysis take them as operators over
//! the control points: [`bezier::Extraction`].
//!
//! # Back to parameters: [`locate`]
//!
//! A [`locate::Locator`] says which element holds a point in space, and at which
//! (u, v, w); [`slice::InteriorFinder`] says so for all pixels of a layer.
//!
//! # Results as cells: [`volume`]
//!
//! Limit points become blocks of hexahedra or high-order cells that VTK and ParaView
//! read, tables of parameters, or a report on the Jacobian.
//!
//! # Layers: [`mod@slice`]
//!
//! A [`slice::Slicer`] cuts the boundary of the limit by planes, exactly: contours, and the
//! pixels that they cover. A [`slice::Job`] makes files of a stack of layers.
//!
//! # Integration: [`quadrature`]
//!
//! [`Quadrature`] holds what isogeometric analysis needs: basis functions of the mesh's
//! own vertices at quadrature points, in one table for all cells that share it, and what
//! follows from given control points: Jacobians, volumes, derivatives in space.
//!
//! # Surfaces: [`surface`]
//!
//! A [`SurfaceMesh`] of any polygons, read from a file or the boundary of a solid, refines
//! by Catmull-Clark, Loop or √3; its plan knows all levels and runs moved points.
//!
//! ```
//! use subsolid::surface::{SurfaceOptions, SurfacePlan, boundary_surface, refine_surface};
//! let skin = boundary_surface(&subsolid::read("models/bracket.vtk")?)?;
//! let options = SurfaceOptions { levels: 2, ..SurfaceOptions::default() };
//! let plan = SurfacePlan::new(&skin, &options)?;
//! let moved: Vec<[f32; 3]> = skin.points.iter().map(|p| p.map(|x| 2.0 * x as f32)).collect();
//! assert_eq!(plan.evaluate(&moved)?.len(), refine_surface(&skin, &options)?.points.len());
//! # Ok::<(), subsolid::Error>(())
//! ```
//!
//! [`surface::limit`] does for Catmull-Clark and Loop surfaces what [`limit`] does for
//! solids, and gives normals and curvature.
//!
//! # How exact: [`compare`]
//!
//! [`compare::compare`] holds one evaluation against another, say single precision
//! against double, or a GPU against the CPU: mean, rms, 99th percentile and maximum of
//! the distances, overall and by class, and where the worst one is.
//!
//! # Errors
//!
//! Whatever can be wrong with a file, a mesh or a request is an [`Error`] that names
//! the place and the mend; nothing panics on bad input.
#![warn(missing_docs)]

pub mod backend;
pub mod basis;
pub mod bezier;
pub mod compare;
mod error;
mod evaluate;
pub mod io;
pub mod limit;
pub mod locate;
pub mod mesh;
mod pages;
pub mod plan;
pub mod quadrature;
pub mod refine;
pub mod slice;
pub mod surface;
pub mod topology;
pub mod volume;

pub use backend::{Backend, Limit};
pub use error::{Error, Result};
pub use evaluate::evaluate;
pub use io::{WriteOptions, read, read_surface, write};
pub use limit::Solid;
pub use mesh::{SolidMesh, SurfaceMesh};
pub use plan::{Plan, Samples, Want};
pub use quadrature::Quadrature;
pub use refine::refine_mesh;
