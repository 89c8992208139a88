//! How far one evaluation is from another: single precision from double, a GPU from
//! the CPU.
//!
//! # Theory
//! The error of a limit point is its Euclidean distance from the reference (Besler et
//! al. 2022, equation 4). It is given
//! - as it is, in length units;
//! - relative to the diagonal of the box around all reference points;
//! - in ulp: the distance between neighboring numbers, of the precision tested, at the
//!   largest coordinate of the cell's own limit points. Rounding the exact point alone
//!   may cost half of that in each coordinate, so √3/2 = 0.87 ulp.
//!
//! # Practice
//! [`Differences`] takes one range of results after the other, so that memory stays
//! bounded; [`compare`] does all of it in one call. Mean, rms and maximum are exact; the
//! 99th percentile comes from bins 0.8 % wide and is the upper end of its bin.

mod statistics;

use std::collections::BTreeMap;
use std::ops::Range;

use rayon::prelude::*;
use serde::Serialize;

use statistics::Tally;
pub use statistics::{Errors, Statistics};

use crate::backend::{Backend, Limit, Values};
use crate::basis::MissingLayers;
use crate::error::{Error, Result};
use crate::limit::{Class, LeafKind, Solid};
use crate::mesh::Controls;
use crate::numbers::bounds::{self, Bounds};
use crate::numbers::vector::distance;
use crate::plan::{Plan, Samples};
use crate::volume::{Extreme, location};

/// Results in memory at a time, of either evaluation.
const PIECE_RESULTS: usize = 1 << 20;

/// Cells whose errors are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ErrorClass {
    /// Regular with all 64 control points.
    Regular64,
    /// Regular with fewer: the cell lies at the boundary.
    RegularFewer,
    /// Layered.
    Layered,
    /// Irregular.
    Irregular,
    /// Refined before it is evaluated.
    Refined,
}

impl ErrorClass {
    /// All of them, in order.
    pub const ALL: [Self; 5] =
        [Self::Regular64, Self::RegularFewer, Self::Layered, Self::Irregular, Self::Refined];

    /// The class of an element of a solid.
    ///
    /// # Panics
    /// If there is no such element.
    pub fn of(solid: &Solid, element: usize) -> Self {
        match solid.classes()[solid.elements()[element].cell as usize] {
            Class::Regular => match solid.element_leaves(element)[0].kind {
                LeafKind::Regular(MissingLayers::NONE) => Self::Regular64,
                _ => Self::RegularFewer,
            },
            Class::Layered(_) => Self::Layered,
            Class::Irregular(_) => Self::Irregular,
            Class::Refined(_) => Self::Refined,
        }
    }

    /// Name of the class in words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Regular64 => "regular, 64 points",
            Self::RegularFewer => "regular, fewer",
            Self::Layered => "layered",
            Self::Irregular => "irregular",
            Self::Refined => "refined",
        }
    }
}

/// Errors of one evaluation against another, overall and by class.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Comparison {
    /// Diagonal of the box around all reference points, in length units.
    pub diagonal: f64,
    /// Errors of all cells.
    pub all: Errors,
    /// Errors by class; classes without cells are left out.
    pub classes: BTreeMap<ErrorClass, Errors>,
}

/// Errors gathered range by range.
#[derive(Clone, Debug, Default)]
pub struct Differences {
    tallies: [Tally; ErrorClass::ALL.len()],
    bounds: Option<Bounds>,
    // of the range added last
    errors: Vec<f64>,
}

/// What the points of one element are measured by.
struct ElementExtent {
    largest: f64,
    bounds: Bounds,
}

impl Differences {
    /// Adds the results of a range of elements, evaluated in two ways under the same
    /// plan. Returns the error of every result, in their order. A coordinate that is
    /// not a number makes its error infinite.
    ///
    /// # Errors
    /// [`Error::Request`] for scattered samples, or limits that are not of the same
    /// elements.
    pub fn add(&mut self, plan: &Plan<'_>, tested: &Limit, reference: &Limit) -> Result<&[f64]> {
        if matches!(plan.samples(), Samples::Points(_)) {
            return Err(Error::request("errors are gathered by cell, not at scattered samples")
                .with_help("compare at a grid or at Gauss points"));
        }
        let count = plan.result_count(&reference.elements);
        if tested.elements != reference.elements
            || [tested, reference].map(Limit::len) != [count; 2]
        {
            return Err(Error::request("two limits that are not of the same plan and elements")
                .with_help("evaluate both for the same elements of one plan"));
        }
        let samples = plan.samples_per_element();
        let digits = match tested.positions {
            Values::F32(_) => SINGLE,
            Values::F64(_) => DOUBLE,
        };
        self.errors.resize(count, 0.0);
        let errors = &mut self.errors;
        let extents: Vec<ElementExtent> = errors
            .par_chunks_exact_mut(samples)
            .enumerate()
            .map(|(at, errors)| measure(errors, at * samples, tested, reference))
            .collect();
        for (at, (extent, errors)) in extents.iter().zip(errors.chunks_exact(samples)).enumerate() {
            let around = self.bounds.get_or_insert(extent.bounds);
            *around = bounds::union(*around, extent.bounds);
            let class = ErrorClass::of(plan.solid(), reference.elements.start + at);
            let place =
                |sample: usize, value: f64| extreme(plan, reference, at * samples + sample, value);
            self.tallies[class as usize].add(errors, ulp(extent.largest, digits), place);
        }
        Ok(&self.errors)
    }

    /// The errors so far.
    pub fn summary(&self) -> Comparison {
        let diagonal = self.bounds.map_or(0.0, |[low, high]| distance(low, high));
        let mut all = Tally::default();
        self.tallies.iter().for_each(|tally| all.merge(tally));
        let with_cells = ErrorClass::ALL.into_iter().zip(&self.tallies);
        let with_cells = with_cells.filter(|(_, tally)| tally.cells > 0);
        Comparison {
            diagonal,
            all: all.errors(diagonal),
            classes: with_cells.map(|(class, tally)| (class, tally.errors(diagonal))).collect(),
        }
    }
}

/// Compares two processors, or two precisions of one, in chunks of bounded memory.
///
/// ```
/// use subsolid::backend::{Cpu, Precision};
/// use subsolid::{Samples, Solid, Want, compare::compare, mesh::shape::Shape};
/// let car = Shape::parse("box", &[2, 2, 6])?.build()?;
/// let solid = Solid::new(&car)?;
/// let plan = solid.plan(&Samples::grid(8), Want::POSITION)?;
/// let [single, double] = [Precision::F32, Precision::F64].map(Cpu::new);
/// let comparison = compare(&plan, car.controls(), &single, &double)?;
/// assert!(comparison.all.absolute.mean < 1e-7);
/// assert!(comparison.all.ulp.mean < 0.5);
/// # Ok::<(), subsolid::Error>(())
/// ```
///
/// # Errors
/// As [`Backend::evaluate`]; [`Error::Request`] for scattered samples.
pub fn compare(
    plan: &Plan<'_>,
    controls: Controls<'_>,
    tested: &dyn Backend,
    reference: &dyn Backend,
) -> Result<Comparison> {
    compare_with(plan, controls, tested, reference, |_, _| {})
}

/// [`compare`], which gives each range of elements, and the errors of its results in length units,
/// to `each`.
///
/// # Errors
/// As [`compare`].
pub fn compare_with(
    plan: &Plan<'_>,
    controls: Controls<'_>,
    tested: &dyn Backend,
    reference: &dyn Backend,
    mut each: impl FnMut(Range<usize>, &[f64]),
) -> Result<Comparison> {
    let controls = Controls { attributes: &[], ..controls };
    let [mut tested, mut reference] = [tested.prepare(plan)?, reference.prepare(plan)?];
    let (mut found, mut expected) = (Limit::default(), Limit::default());
    let mut differences = Differences::default();
    for range in plan.pieces(PIECE_RESULTS) {
        tested.evaluate(controls, range.clone(), &mut found)?;
        reference.evaluate(controls, range.clone(), &mut expected)?;
        each(range, differences.add(plan, &found, &expected)?);
    }
    Ok(differences.summary())
}

/// Errors of one element, whose results start at `first`.
fn measure(errors: &mut [f64], first: usize, tested: &Limit, reference: &Limit) -> ElementExtent {
    let start = reference.positions.triple(first);
    let mut extent = ElementExtent { largest: 0.0, bounds: [start; 2] };
    for (i, error) in errors.iter_mut().enumerate() {
        let expected = reference.positions.triple(first + i);
        let found = distance(tested.positions.triple(first + i), expected);
        *error = if found.is_nan() { f64::INFINITY } else { found };
        extent.bounds = bounds::extended(extent.bounds, expected);
        for x in expected {
            extent.largest = extent.largest.max(x.abs());
        }
    }
    extent
}

fn extreme(plan: &Plan<'_>, reference: &Limit, i: usize, value: f64) -> Extreme {
    let location = location(plan, reference, i);
    let element = plan.solid().elements()[location.element as usize];
    Extreme {
        value,
        cell: element.cell,
        corner: element.corner,
        parameters: location.parameters,
        point: reference.positions.triple(i),
    }
}

/// Digits behind the leading one, and the smallest exponent, of a precision.
type Digits = (i32, i32);
const SINGLE: Digits = (23, -126);
const DOUBLE: Digits = (52, -1022);

/// Distance between neighboring numbers at `value`.
fn ulp(value: f64, (digits, least): Digits) -> f64 {
    let exponent = (value.to_bits() >> 52 & 0x7ff) as i32 - 1023;
    let exponent = exponent.max(least);
    // in two factors, since the result may be subnormal
    2_f64.powi(exponent) * 2_f64.powi(-digits)
}
