//! Evaluation in one call.

use crate::backend::{self, Limit};
use crate::error::Result;
use crate::limit::Solid;
use crate::mesh::SolidMesh;
use crate::plan::{Samples, Want};

/// Evaluates the limit of `mesh` once, on the best processor of this machine.
///
/// This is [`Solid::new`], [`Solid::plan`] and [`Backend::evaluate`](crate::Backend::evaluate) in a
/// row. Keep the solid and the plan instead if the control points move and the connectivity stays:
/// then only the last step is done again.
///
/// ```
/// use subsolid::{Samples, Want, mesh::shape::Shape};
/// let car = Shape::parse("box", &[2, 2, 6])?.build()?;
/// let limit = subsolid::evaluate(&car, &Samples::grid(3), Want::POSITION | Want::FIRST)?;
/// assert_eq!(limit.len(), 24 * 27); // u fastest, then v, w, cell
/// assert_eq!(limit.derivatives.len(), 3);
/// # Ok::<(), subsolid::Error>(())
/// ```
///
/// # Errors
/// [`Error::Mesh`](crate::Error::Mesh) for a mesh that is no Catmull-Clark solid (see
/// [`Solid::new`]), [`Error::Request`](crate::Error::Request) for samples out of range
/// (see [`Solid::plan`]).
pub fn evaluate(mesh: &SolidMesh, samples: &Samples, want: Want) -> Result<Limit> {
    let solid = Solid::new(mesh)?;
    let plan = solid.plan(samples, want)?;
    backend::auto().evaluate(&plan, mesh.controls())
}
