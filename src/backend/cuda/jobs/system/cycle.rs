//! The preconditioner L⁻¹ K₁⁻¹ L⁻ᵀ as launches.

use super::launches::{Launches, Place, Rows, Smoothed};
use crate::backend::operations::{LevelArrays, Polynomial, PreconditionerArrays};
use crate::error::Result;

/// A level on the device.
struct Level<'a> {
    smoothed: Smoothed,
    polynomial: &'a Polynomial,
    prolongation: Rows,
    restriction: Rows,
    load: Place,
    x: Place,
    // a residual, and two directions
    room: [Place; 3],
}

impl<'a> Level<'a> {
    fn new(all: &mut Launches, arrays: &'a LevelArrays<'_>) -> Result<Self> {
        let count = arrays.matrix.rows();
        let room = [all.vector(count)?, all.vector(count)?, all.vector(count)?];
        let inverses = all.values(arrays.inverse)?.address;
        let rows = all.rows(arrays.matrix, 1)?;
        Ok(Self {
            smoothed: Smoothed { rows, fixed: 0, inverses },
            polynomial: &arrays.polynomial,
            prolongation: all.rows(arrays.prolongation, 1)?,
            restriction: all.rows(arrays.restriction, 1)?,
            load: all.vector(count)?,
            x: all.vector(count)?,
            room,
        })
    }
}

/// Launches that make z the preconditioner times r.
pub(super) fn precondition(
    all: &mut Launches,
    arrays: &PreconditionerArrays<'_>,
    width: usize,
    (r, z): (Place, Place),
) -> Result<()> {
    let fixed = all.flags(arrays.is_fixed)?;
    let room = [all.vector(r.count)?, all.vector(r.count)?, all.vector(r.count)?];
    let [limit, transposed] = &arrays.limit;
    let smoothed = |rows| Smoothed { rows, fixed, inverses: 0 };
    let (limit, transposed) = (all.rows(limit, width)?, all.rows(transposed, width)?);
    let mut levels = Vec::with_capacity(arrays.levels.len());
    for level in &arrays.levels {
        levels.push(Level::new(all, level)?);
    }
    let inverse = all.values(&arrays.coarsest)?;
    let count = arrays.coarsest.len().isqrt();
    let coarsest = (inverse, all.vector(count)?, all.vector(count)?);

    let polynomial = &arrays.limit_polynomial;
    let load = levels.first().map_or(coarsest.1, |level| level.load);
    all.polynomial(smoothed(transposed), polynomial, r, room, (load, false))?;
    let solution = cycle(all, &levels, coarsest)?;
    all.polynomial(smoothed(limit), polynomial, solution, room, (z, false))
}

/// Launches from the load of the first level to its solution. The coarsest one: the inverse of its
/// matrix, its load and its solution.
fn cycle(
    all: &mut Launches,
    levels: &[Level<'_>],
    coarsest: (Place, Place, Place),
) -> Result<Place> {
    let Some((level, below)) = levels.split_first() else {
        let (inverse, load, x) = coarsest;
        all.dense(inverse, load, x)?;
        return Ok(x);
    };
    let &Level { smoothed, polynomial, prolongation, restriction, load, x, room } = level;
    let next = below.first().map_or(coarsest.1, |level| level.load);
    all.polynomial(smoothed, polynomial, load, room, (x, false))?;
    let residual = room[0];
    all.subtract(smoothed.rows, x, load, residual)?;
    all.multiply(restriction, residual, false, next)?;
    let correction = cycle(all, below, coarsest)?;
    all.multiply(prolongation, correction, true, x)?;
    all.subtract(smoothed.rows, x, load, residual)?;
    all.polynomial(smoothed, polynomial, residual, room, (x, true))?;
    Ok(x)
}
