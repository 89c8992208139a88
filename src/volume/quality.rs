//! Jacobians over all samples: the smallest, the largest, and where they fail.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use crate::backend::{Backend, Limit, Values};
use crate::error::{IdKind, Message, Result};
use crate::interrupt::stop_point;
use crate::mesh::Controls;
use crate::numbers::{Precision, significant};
use crate::plan::{Location, Plan, Quantity, rounding};

use super::location;

/// Samples evaluated at once.
const PIECE_RESULTS: usize = 1_000_000;

/// Jacobian determinants and scaled Jacobians of the samples seen so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Quality {
    /// Number of samples.
    pub samples: usize,
    /// Number of samples where the Jacobian does not exist, in the characteristic parametrization
    /// neither (on some extraordinary edges and vertices); they are not included in the other
    /// figures.
    pub undefined: usize,
    /// Number of samples where the Jacobian is 0 whatever the control points are: on a smooth edge
    /// of the boundary that one cell has. They are not included in the other figures.
    pub flat: usize,
    /// Least determinant of the Jacobian, in cubed length units.
    pub least_determinant: Option<Extreme>,
    /// Greatest determinant of the Jacobian, in cubed length units.
    pub greatest_determinant: Option<Extreme>,
    /// Smallest scaled Jacobian: the determinant over the product of the lengths of
    /// the three first derivatives, in [-1, 1]; on extraordinary edges and vertices in the
    /// characteristic parametrization.
    pub least_scaled_jacobian: Option<Extreme>,
    /// Greatest scaled Jacobian.
    pub greatest_scaled_jacobian: Option<Extreme>,
    /// Cells with folded samples, by id: their determinant is not positive. A scaled Jacobian
    /// within rounding of 0 counts as 0: its sign would be chance.
    pub non_positive: BTreeMap<u32, CellQuality>,
}

/// A value and where it occurs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Extreme {
    /// The value itself.
    pub value: f64,
    /// Cell of the mesh.
    pub cell: u32,
    /// Corner of the cell whose hexahedral child holds the sample, if the cell is no
    /// hexahedron.
    pub corner: Option<u8>,
    /// Parameters (u, v, w) in the cell.
    pub parameters: [f64; 3],
    /// Coordinates of the limit point.
    pub point: [f64; 3],
}

/// The folded samples of one cell.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct CellQuality {
    /// Number of samples.
    pub samples: usize,
    /// The sample with the least determinant.
    pub worst: Extreme,
}

/// The value and where it stands.
impl From<&Extreme> for Message {
    fn from(extreme: &Extreme) -> Self {
        let Extreme { value, cell, parameters: [u, v, w], point, corner } = extreme;
        let corner = corner.map(|corner| format!(" corner {corner}")).unwrap_or_default();
        let [x, y, z] = point.map(significant);
        message!(
            "{value:.6e} in ",
            IdKind::Cell.id(*cell),
            "{corner} at u {u} v {v} w {w}, x {x} y {y} z {z}"
        )
    }
}

impl fmt::Display for Extreme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Message::from(self).fmt(f)
    }
}

impl Extreme {
    /// Whether `sign` times the value is less, or the same in an earlier place.
    fn precedes(&self, other: &Self, sign: f64) -> bool {
        let place = |extreme: &Self| (extreme.cell, extreme.corner, extreme.parameters);
        let [value, known] = [self.value, other.value].map(|value| sign * value);
        value < known || value == known && place(self) < place(other)
    }
}

impl Quality {
    /// Adds the results of an evaluation with [`Want::QUALITY`](crate::Want::QUALITY);
    /// without it, nothing.
    pub fn add(&mut self, plan: &Plan<'_>, limit: &Limit) {
        let of = |quantity| limit.quantity(quantity, None);
        let (Some(determinants), Some(scaled)) =
            (of(Quantity::Determinant), of(Quantity::ScaledJacobian))
        else {
            return;
        };
        let extreme = |value: f64, i: usize| {
            let Location { element, parameters } = location(plan, limit, i);
            let element = plan.solid().elements()[element as usize];
            let point = limit.positions.triple(i);
            Extreme { value, cell: element.cell, corner: element.corner, parameters, point }
        };
        let rounding = rounding(match limit.positions {
            Values::F32(_) => Precision::F32,
            Values::F64(_) => Precision::F64,
        });
        for (i, (determinant, scaled)) in determinants.iter().zip(scaled.iter()).enumerate() {
            stop_point();
            if scaled.abs() <= rounding && is_flat(plan, location(plan, limit, i)) {
                (self.samples, self.flat) = (self.samples + 1, self.flat + 1);
                continue;
            }
            self.record(determinant, scaled, rounding, |value| extreme(value, i));
        }
    }

    /// Adds one sample: its determinant and scaled Jacobian, below which value the latter
    /// counts as 0, and how to say where it is.
    pub(crate) fn record(
        &mut self,
        determinant: f64,
        scaled: f64,
        rounding: f64,
        extreme: impl Fn(f64) -> Extreme,
    ) {
        self.samples += 1;
        if determinant.is_nan() {
            self.undefined += 1;
            return;
        }
        for (slot, value, sign) in [
            (&mut self.least_determinant, determinant, 1.0),
            (&mut self.greatest_determinant, determinant, -1.0),
            (&mut self.least_scaled_jacobian, scaled, 1.0),
            (&mut self.greatest_scaled_jacobian, scaled, -1.0),
        ] {
            if slot.is_none_or(|known| sign * value < sign * known.value) {
                *slot = Some(extreme(value));
            }
        }
        if determinant <= 0.0 || scaled <= rounding {
            let found = extreme(determinant);
            self.count(found.cell, CellQuality { samples: 1, worst: found });
        }
    }

    /// The quality of the limit over some control points, by a plan with
    /// [`Want::QUALITY`](crate::Want::QUALITY).
    ///
    /// # Errors
    /// The error of the backend.
    pub fn of_plan(plan: &Plan<'_>, controls: Controls<'_>, backend: &dyn Backend) -> Result<Self> {
        let (mut quality, mut limit) = (Self::default(), Limit::default());
        let mut evaluator = backend.prepare(plan)?;
        for range in plan.pieces(PIECE_RESULTS) {
            evaluator.evaluate(controls, range, &mut limit)?;
            quality.add(plan, &limit);
        }
        Ok(quality)
    }

    /// Adds samples that another report has seen. Of equal extremes the one in the first cell, or
    /// with the least parameters there, stays.
    pub fn merge(&mut self, other: &Self) {
        self.samples += other.samples;
        self.undefined += other.undefined;
        self.flat += other.flat;
        for (slot, found, sign) in [
            (&mut self.least_determinant, other.least_determinant, 1.0),
            (&mut self.greatest_determinant, other.greatest_determinant, -1.0),
            (&mut self.least_scaled_jacobian, other.least_scaled_jacobian, 1.0),
            (&mut self.greatest_scaled_jacobian, other.greatest_scaled_jacobian, -1.0),
        ] {
            if let Some(found) = found
                && slot.is_none_or(|known| found.precedes(&known, sign))
            {
                *slot = Some(found);
            }
        }
        other.non_positive.iter().for_each(|(&cell, &found)| self.count(cell, found));
    }

    fn count(&mut self, cell: u32, found: CellQuality) {
        let known = self.non_positive.entry(cell).or_insert(CellQuality { samples: 0, ..found });
        known.samples += found.samples;
        if found.worst.precedes(&known.worst, 1.0) {
            known.worst = found.worst;
        }
    }
}

/// Whether a Jacobian of 0 at a place says nothing of the control points: it is on an edge or
/// vertex of the boundary where the limit has no differential in any parametrization.
pub(crate) fn is_flat(plan: &Plan<'_>, place: Location) -> bool {
    let solid = plan.solid();
    let (leaf, local) = solid.locate(place.element as usize, place.parameters);
    let structure = solid.extraordinary(&solid.leaves()[leaf], local);
    structure.is_some_and(|structure| !structure.has_differential())
}
