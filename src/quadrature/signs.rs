//! Signs of the Jacobian at quadrature points: integrals are right where it is positive, or
//! negative everywhere.

use rayon::prelude::*;

use super::report::{TASK_POINTS, quality};
use super::{LeafQuantities, Mapping};
use crate::error::{Command, IdKind};
use crate::error::{Error, Result};
use crate::numbers::{by_count, counted};
use crate::volume::Quality;

/// What to say of a quadrature whose cells are all left-handed.
pub const LEFT_HANDED: &str =
    "all cells are left-handed: weights and integrals are those of |det J|";

/// Jacobians at all quadrature points, of cells or of the boundary; of −det J if all cells are
/// left-handed. The result does not depend on the number of threads.
///
/// # Errors
/// If a device fails.
pub fn jacobians(mapping: &Mapping<'_>) -> Result<Quality> {
    let quadrature = mapping.quadrature();
    let side = if mapping.left_handed() { -1.0 } else { 1.0 };
    let parts: Vec<Quality> = quadrature
        .pieces(TASK_POINTS)
        .into_par_iter()
        .map_init(LeafQuantities::default, |mapped, (batch, leaves)| {
            mapping.evaluate(batch, leaves, mapped)?;
            Ok(quality(quadrature, mapped, side))
        })
        .collect::<Result<_>>()?;
    let mut all = Quality::default();
    parts.iter().for_each(|part| all.merge(part));
    Ok(all)
}

/// Refuses quadrature points whose Jacobian determinant is not positive: sums over them are no
/// integrals.
///
/// # Errors
/// [`Error::Request`] that names the cells.
pub fn check_positive(quality: &Quality) -> Result<()> {
    let cells = quality.non_positive.len();
    if cells == 0 {
        return Ok(());
    }
    let have = by_count(cells, "has", "have");
    let worst = quality.least_determinant.map(|worst| message!("; the least is ", &worst));
    Err(Error::request(message!(
        counted(cells, "cell"),
        " {have} quadrature points whose Jacobian determinant is not positive: ",
        IdKind::Cell.first_ids(quality.non_positive.keys().copied()),
        worst.unwrap_or_default()
    ))
    .with_help(message!(
        "put left-handed cells in right-handed order (",
        Command::Reorient,
        "), or untangle the mesh (",
        Command::Untangle,
        ")"
    )))
}
