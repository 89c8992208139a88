//! From the mesh of a part to the solid that is the part.
//!
//! The mesh of a part has its vertices on the part. Taken as a *control* mesh its limit shrinks
//! away from them. Fitting finds control points whose limit is the part.
//!
//! # Theory
//! L is the sparse matrix of limit masks: L P are the limit points at the vertices of control
//! points P. Boundary rows of a solid equal its boundary surface's, so the boundary is fitted
//! as a surface.
//!
//! - *Interpolation* solves L P = V for the vertices V ([`LimitSystem`]). Its eigenvalues are known
//!   (1/9 to 1 on regular quads), so a Chebyshev iteration takes some 20 products with L; where
//!   others occur (high valence), conjugate gradients of the normal equations follow. They find the
//!   shortest move where L is singular: the smooth cube, whose limit does not change if vertices
//!   move in and out by turns.
//! - A *target* is approached by Gauss-Newton steps on n · (x − t): x limit points, t the closest
//!   points of the target and n its normals ([`fit_skin`]). What limit points at smooth vertices slide
//!   along the surface costs, so that vertices do not drift. A vertex of a crease moves across its
//!   curve: two unknowns, toward the feature polyline of the target. Corners move to feature vertices.
//!   What is kept small is the roughness of the *move*, not of the shape. Samples of the limit do not
//!   see what it misses at rounded edges: a Lagrange multiplier holds the volume of closed targets.
//! - *Inside*, the move of the boundary is extended harmonically ([`follow_boundary`]); then
//!   [`untangle_limit`](crate::untangle::untangle_limit) moves inner vertices until det J of the
//!   limit is positive.

mod deviation;
mod features;
mod feet;
mod inside;
mod miss;
mod nodes;
mod normal_equations;
mod patch_limit;
mod projection;
mod rounds;
mod skin;
mod skin_fit;
mod skin_limit;
mod skin_moves;
mod surface_limit;
mod system;
mod target;
mod volume_rule;

pub use deviation::Deviation;
pub use feet::TargetNotes;
pub use inside::follow_boundary;
pub use miss::VertexMiss;
pub use nodes::{refined_by_nodes, refined_values};
pub use patch_limit::PatchLimit;
pub use projection::project_attributes;
pub use rounds::{InsideMotion, SkinSteps};
pub use skin_fit::{PointRole, SkinFit, SkinOptions, fit_limit, fit_skin};
pub use skin_limit::{SkinLimit, SkinSamples};
pub use system::{LimitSolver, LimitSystem};
pub use target::Target;
