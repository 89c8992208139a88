//! Solves the equations of heat conduction and linear elasticity on a Catmull-Clark solid.
//!
//! The unknowns are the control values of the solution. The matrix K of the limit is badly
//! conditioned on thin and graded cells; so conjugate gradients run with the preconditioner
//!
//! > M⁻¹ = L⁻¹ K₁⁻¹ L⁻ᵀ
//!
//! ([`LimitPreconditioner`]): L holds the limit masks of the vertices
//! ([`Solid::limit_matrix`](crate::Solid::limit_matrix)), and K₁ is the stiffness of linear elements
//! whose vertices are the limit points ([`assemble_linear`](crate::assembly::assemble_linear)). A
//! control value is taken to its limit, where linear elements with one unknown a vertex see the same
//! energies but for a factor: iterations depend little on the model, its valences and its
//! refinement. L⁻¹ is a Chebyshev polynomial, K₁⁻¹ a sparse Cholesky factor or, for large systems, a
//! cycle of [multigrid](VertexSolver).
//!
//! With ghosts the unknowns are values on the boundary and bends across it
//! ([`BoundaryBasis`](crate::assembly::BoundaryBasis), [`UnknownSystem`]). Where all bends are 0 the
//! space has natural ends, for which M is as above; beside it stands a factor of the rows and columns
//! of bends and of the cells that touch the boundary.
//!
//! ```
//! use subsolid::assembly::{Operator, assemble, body_load};
//! use subsolid::backend::Cpu;
//! use subsolid::quadrature::{Mapping, QuadratureScheme};
//! use subsolid::solve::{Constraints, LimitPreconditioner, VertexSolver, solve};
//! use subsolid::{Quadrature, Solid, Want};
//!
//! let mesh = subsolid::read("models/bracket.vtk")?;
//! let solid = Solid::new(&mesh)?;
//! let scheme = QuadratureScheme { gauss: 3, rings: Some(1) };
//! let quadrature = Quadrature::new(&solid, scheme, Want::FIRST)?;
//! let mapping = Mapping::new(&quadrature, mesh.controls())?;
//! let operator = Operator::Stiffness { conductivity: 1.0 };
//! let matrix =
//!     assemble(&Cpu::default(), &quadrature, mesh.controls(), &[operator])?.remove(0);
//! let load: Vec<f64> = body_load(&mapping, |_| [1.0, 0.0, 0.0])?.iter().map(|f| f[0]).collect();
//! let mut constraints = Constraints::none(&solid, 1);
//! (0..mesh.points.len() as u32)
//!     .filter(|&v| solid.topology().is_boundary_vertex(v))
//!     .for_each(|v| constraints.fix(v, 0, 0.0));
//! let mut preconditioner =
//!     LimitPreconditioner::new(&solid, &mesh.points, &operator.into(), &constraints, VertexSolver::Auto)?;
//! let found = solve(&matrix, &load, &constraints, &mut preconditioner, 1e-8)?;
//! assert!(found.iterations <= 30 && found.energy > 0.0);
//! # Ok::<(), subsolid::Error>(())
//! ```

mod aggregates;
mod constraints;
mod fields;
mod level;
mod multigrid;
mod operator;
mod preconditioner;
mod rigid;
mod system;
mod tentative;
mod vertex_solver;

pub use constraints::Constraints;
pub use fields::{FieldValues, point_fields};
pub use operator::{ControlOperator, DeviceOperator, LinearOperator, UnknownSystem};
pub use preconditioner::LimitPreconditioner;
pub use rigid::check_held;
pub use system::{Solution, on_device, solve};
pub use vertex_solver::VertexSolver;
