//! Execution plans: batches of leaves that one kernel evaluates with one set of tables.
//!
//! # Practice
//! [`Solid::plan`] sorts the leaves of a solid into [`Batch`]es of equal class,
//! structure, orientation and sample pattern, and builds each weight table once,
//! in double precision. A plan depends on connectivity and samples only; backends
//! evaluate it for any control points, as often as wanted.
//!
//! Samples of an element are ordered u fastest, then v, then w.

pub(crate) mod adjoint;
mod batch;
pub(crate) mod cost;
mod pattern;
mod quantity;
mod route;
mod rows;
mod samples;
mod share;
mod table;
mod want;

pub use crate::simd::MAX_SAMPLES;
pub use adjoint::Adjoint;
pub use batch::{Batch, BatchKind, TableId};
pub use cost::{Cost, LayersJob, SurfaceJob};
pub use pattern::{AxisId, AxisSamples, Patterns, SampleOrder};
pub use quantity::{
    Inputs as QuantityInputs, Quantity, WantedQuantity, rounding, wanted_quantities,
};
pub use route::{Kernel, LARGE_GRID_SHARED_BYTES, MatrixUnits, RouteFacts, Strategy};
pub use samples::{Location, Samples};
pub use share::shares;
pub use table::Table;
pub(crate) use want::evaluated_orders;
pub use want::{Want, wanted_orders};

use std::ops::Range;

use crate::error::{Error, Result};
use crate::interrupt::stop_point;
use crate::limit::{Leaf, LeafKind, Solid};
use crate::numbers::Precision;

/// A solid's evaluation at given samples, ready to be run by a backend.
#[derive(Debug)]
pub struct Plan<'s> {
    solid: &'s Solid,
    samples: Samples,
    want: Want,
    patterns: Patterns,
    batches: Vec<Batch>,
    tables: Vec<Table>,
    points: Vec<PointLocation>,
}

/// A scattered sample found in its leaf.
#[derive(Clone, Copy, Debug)]
pub struct PointLocation {
    /// Leaf, as an index into [`Solid::leaves`].
    pub leaf: u32,
    /// Row of the result.
    pub row: u32,
    /// Parameters within the leaf.
    pub local: [f64; 3],
}

impl Solid {
    /// Plans the evaluation of all elements at `samples`.
    ///
    /// # Errors
    /// [`Error::Request`] for no samples, more than 64 per axis, a location whose
    /// element does not exist, or parameters outside [0, 1]; for a quantity of whole elements
    /// at scattered samples; for weights that need more than half of the machine's memory.
    pub fn plan(&self, samples: &Samples, want: Want) -> Result<Plan<'_>> {
        samples.check(self)?;
        let parameters = match samples {
            Samples::Tensor(parameters) => Some(&parameters[..]),
            Samples::Points(_) => None,
        };
        self.check_reach(parameters, want == Want::POSITION)?;
        let of_elements = |q: &Quantity| q.is_per_element() && want.contains(q.want());
        if let (Samples::Points(_), Some(quantity)) =
            (samples, Quantity::ALL.into_iter().find(of_elements))
        {
            let name = quantity.name(None);
            return Err(Error::request(format!("{name} of scattered samples"))
                .with_help("it belongs to whole elements: give tensor samples"));
        }
        let mut plan = self.plan_without_work(samples, want);
        match samples {
            Samples::Points(locations) => plan.points = locate(self, locations),
            Samples::Tensor(parameters) => {
                (plan.patterns, plan.batches) = batch::collect(self, parameters, want);
                plan.tables = table::build(self, &plan.patterns, &mut plan.batches, want)?;
            }
        }
        Ok(plan)
    }

    /// Samples of all elements without what evaluates them.
    fn plan_without_work(&self, samples: &Samples, want: Want) -> Plan<'_> {
        let (patterns, batches, tables, points) = Default::default();
        Plan { solid: self, samples: samples.clone(), want, patterns, batches, tables, points }
    }

    /// [`Solid::plan`] of an outline: for the shape of results that others evaluate.
    pub(crate) fn plan_outline(&self, samples: &Samples, want: Want) -> Result<Plan<'_>> {
        samples.check(self)?;
        Ok(self.plan_without_work(samples, want))
    }
}

impl<'s> Plan<'s> {
    /// The solid planned for.
    pub fn solid(&self) -> &'s Solid {
        self.solid
    }

    /// The samples planned for.
    pub fn samples(&self) -> &Samples {
        &self.samples
    }

    /// What is evaluated.
    pub fn want(&self) -> Want {
        self.want
    }

    /// Batches of leaves, for tensor samples.
    pub fn batches(&self) -> &[Batch] {
        &self.batches
    }

    /// Axis patterns and sample orders that the batches refer to.
    pub fn patterns(&self) -> &Patterns {
        &self.patterns
    }

    /// Weight tables that the batches refer to.
    pub fn tables(&self) -> &[Table] {
        &self.tables
    }

    /// Scattered samples in the order of their leaves.
    pub fn points(&self) -> &[PointLocation] {
        &self.points
    }

    /// Samples of one element; 0 for scattered samples.
    pub fn samples_per_element(&self) -> usize {
        self.samples.per_element()
    }

    /// Number of results of the elements in `range` (tensor samples), or of all
    /// scattered samples.
    pub fn result_count(&self, range: &Range<usize>) -> usize {
        match &self.samples {
            Samples::Tensor(_) => range.len() * self.samples_per_element(),
            Samples::Points(locations) => locations.len(),
        }
    }

    /// Bytes of these results in memory, with attributes of these widths.
    pub fn result_bytes(
        &self,
        range: &Range<usize>,
        widths: &[usize],
        precision: Precision,
    ) -> u128 {
        let number = match precision {
            Precision::F32 => 4,
            Precision::F64 => 8,
        };
        let results = self.result_count(range) as u128;
        results * (number * self.want.numbers_per_result(widths)) as u128
    }

    /// Number of rows of a quantity for the elements in `range`.
    pub(crate) fn row_count(&self, quantity: Quantity, range: &Range<usize>) -> usize {
        if quantity.is_per_element() { range.len() } else { self.result_count(range) }
    }

    /// The samples on extraordinary edges and vertices whose derivatives are wanted and not those
    /// that quantities follow from; their rows are among the results of the elements in `range`.
    pub(crate) fn replaced(&self, range: &Range<usize>) -> Vec<PointLocation> {
        let is_both = self.want.has_quantities() && self.want.contains(Want::FIRST);
        let solid = self.solid;
        let is_extraordinary = |point: &PointLocation| {
            solid.extraordinary(&solid.leaves()[point.leaf as usize], point.local).is_some()
        };
        let mut replaced = Vec::new();
        match &self.samples {
            _ if !is_both => {}
            Samples::Points(_) => {
                replaced.extend(self.points.iter().filter(|point| is_extraordinary(point)));
            }
            Samples::Tensor(parameters) => {
                let [n, count] = [parameters.len(), self.samples_per_element()];
                for batch in &self.batches {
                    let Some(&first) = batch.leaves.first() else { continue };
                    let indices = &self.patterns.orders[batch.order as usize].indices;
                    // of all leaves of a batch the same
                    let points = indices.iter().map(|&row| {
                        let at = row as usize;
                        let p = [at % n, at / n % n, at / (n * n)].map(|i| parameters[i]);
                        PointLocation {
                            leaf: first,
                            row,
                            local: solid.leaves()[first as usize].local(p),
                        }
                    });
                    let points: Vec<_> = points.filter(is_extraordinary).collect();
                    for &leaf in batch.leaves_in(solid, range) {
                        let element = solid.leaves()[leaf as usize].element as usize - range.start;
                        let row = |own: u32| (element * count) as u32 + own;
                        let points =
                            points.iter().map(|p| PointLocation { leaf, row: row(p.row), ..*p });
                        replaced.extend(points);
                    }
                }
            }
        }
        replaced
    }

    /// Splits the elements into ranges of at most `results` results (at least one
    /// element each), for output of bounded size.
    pub fn pieces(&self, results: usize) -> impl Iterator<Item = Range<usize>> + use<> {
        element_pieces(self.solid.elements().len(), self.samples.per_element(), results)
    }

    /// The plan of some of its scattered samples alone, by their indices among all.
    pub(crate) fn of_rows(&self, rows: Range<usize>) -> Self {
        let samples = match &self.samples {
            Samples::Points(locations) => Samples::Points(locations[rows.clone()].to_vec()),
            tensor => tensor.clone(),
        };
        let own = self.points.iter().filter(|point| rows.contains(&(point.row as usize)));
        let points = own.map(|p| PointLocation { row: p.row - rows.start as u32, ..*p }).collect();
        let (patterns, batches, tables) = Default::default();
        Self { solid: self.solid, samples, want: self.want, patterns, batches, tables, points }
    }

    /// Drops the leaves that `keep` refuses, with their scattered samples: for instance to time one
    /// class alone. An evaluation leaves the results of dropped leaves unchanged in reused memory,
    /// and 0 in new memory.
    pub fn retain(&mut self, keep: impl Fn(&Solid, &Leaf) -> bool) {
        let solid = self.solid;
        let keep = |leaf: u32| keep(solid, &solid.leaves()[leaf as usize]);
        self.batches.iter_mut().for_each(|batch| batch.leaves.retain(|&leaf| keep(leaf)));
        self.batches.retain(|batch| !batch.leaves.is_empty());
        self.points.retain(|point| keep(point.leaf));
    }

    /// Checks that `range` names elements of the solid.
    ///
    /// # Errors
    /// [`Error::Request`] if it does not, or if scattered samples are asked for a part.
    pub(crate) fn check_range(&self, range: &Range<usize>) -> Result<()> {
        let count = self.solid.elements().len();
        let whole = *range == (0..count);
        if range.start > range.end
            || range.end > count
            || matches!(self.samples, Samples::Points(_)) && !whole
        {
            return Err(Error::request(format!(
                "elements {range:?} of a plan over {count} elements"
            ))
            .with_help(
                "ask for elements of the plan, for all of them if its samples are scattered",
            ));
        }
        Ok(())
    }
}

/// Splits `0..elements` into ranges of at most `results` results, of `per_element` each (at
/// least one element a range).
pub fn element_pieces(
    elements: usize,
    per_element: usize,
    results: usize,
) -> impl Iterator<Item = Range<usize>> + use<> {
    let step = (results / per_element.max(1)).max(1);
    (0..elements).step_by(step).map(move |start| start..(start + step).min(elements))
}

/// Finds the leaves of scattered samples and sorts them by class, structure and
/// leaf.
fn locate(solid: &Solid, locations: &[Location]) -> Vec<PointLocation> {
    use rayon::prelude::*;
    let mut points: Vec<PointLocation> = locations
        .par_iter()
        .enumerate()
        .map(|(row, location)| {
            stop_point();
            let (leaf, local) = solid.locate(location.element as usize, location.parameters);
            PointLocation { leaf: leaf as u32, row: row as u32, local }
        })
        .collect();
    let rank = |leaf: u32| match solid.leaves()[leaf as usize].kind {
        LeafKind::Regular(_) => (0, 0),
        LeafKind::Layered(structure, ..) => (1, structure),
        LeafKind::Irregular(structure, _) => (2, structure),
    };
    points.par_sort_by_key(|p| (rank(p.leaf), p.leaf, p.row));
    points
}
