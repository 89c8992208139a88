//! What a solver should know of a quadrature before it trusts it: volumes, remainders and
//! Jacobians.

use std::collections::BTreeMap;
use std::ops::Range;

use rayon::prelude::*;
use serde::Serialize;

use super::{LeafQuantities, Mapping, Quadrature};
use crate::error::{Error, Result};
use crate::numbers::Precision;
use crate::plan::rounding;
use crate::volume::{Extreme, Quality};

/// Quadrature points that a work item evaluates at a time.
pub(super) const TASK_POINTS: usize = 1 << 14;
/// Cells of the mesh, from a multiple of this id on, whose volumes are summed first.
const SUM_CELLS: u32 = 4096;

/// Volumes, remainders and Jacobians of all cells.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Report {
    /// Number of quadrature points of all cells.
    pub samples: usize,
    /// Volume by quadrature, in cubed length units.
    pub volume: f64,
    /// Volume of all remainders (inside the last rings) in parameter space, where each hexahedron
    /// has 1.
    pub remainder_parameter_volume: f64,
    /// Volume of all remainders in space, in cubed length units, by their quadrature points.
    pub remainder_volume: f64,
    /// Reports of all cells of the mesh; empty in a report of shares.
    #[serde(skip)]
    pub cells: Vec<CellReport>,
    /// Volumes and remainders of the cells that have a remainder, by cell id.
    pub cells_with_remainder: BTreeMap<u32, CellReport>,
    /// Whether all cells are left-handed hexahedra: volumes are then integrals of |det J|, and the
    /// quality is then of −det J.
    pub left_handed: bool,
    /// Report on the Jacobians at the quadrature points.
    pub quality: Quality,
}

/// Volume and remainder of a cell; of a cell that is not a hexahedron, of all its
/// hexahedral children together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct CellReport {
    /// Volume by quadrature, in cubed length units.
    pub volume: f64,
    /// Volume of the remainder in parameter space, where the hexahedron, or each hexahedral child,
    /// has 1.
    pub remainder_parameter_volume: f64,
    /// Volume of the remainder in space, in cubed length units, by its quadrature points.
    pub remainder_volume: f64,
}

impl CellReport {
    fn add(&mut self, other: Self) {
        self.volume += other.volume;
        self.remainder_parameter_volume += other.remainder_parameter_volume;
        self.remainder_volume += other.remainder_volume;
    }
}

impl Report {
    /// Evaluates all quadrature points. The result does not depend on the number of
    /// threads.
    ///
    /// # Errors
    /// If a device fails.
    pub fn new(mapping: &Mapping<'_>) -> Result<Self> {
        Self::of_leaves(mapping, 0..mapping.quadrature().solid().leaves().len())
    }

    /// Evaluates the quadrature points of a run of leaves alone: values of other cells are 0.
    ///
    /// # Errors
    /// If a device fails.
    pub fn of_leaves(mapping: &Mapping<'_>, leaves: Range<usize>) -> Result<Self> {
        let share = ReportShare::new(mapping, leaves)?;
        let mut report = Self::of_shares([&share], mapping.left_handed());
        let cells = mapping.quadrature().solid().topology().cells().len();
        report.cells = vec![CellReport::default(); cells];
        share.cells.iter().for_each(|&(cell, found)| report.cells[cell as usize] = found);
        Ok(report)
    }

    /// The report of shares in the order of their cells, bitwise as of one program. Which
    /// cells have remainders is not known from numbers of shares without them.
    pub fn of_shares<'a>(
        shares: impl IntoIterator<Item = &'a ReportShare>,
        left_handed: bool,
    ) -> Self {
        let mut report = Self { left_handed, ..Self::default() };
        let mut sums: BTreeMap<u32, CellReport> = BTreeMap::new();
        for share in shares {
            report.quality.merge(&share.quality);
            let of_cells = share.cells.iter().map(|&(cell, found)| (cell / SUM_CELLS, found));
            let mut add = |(index, found)| sums.entry(index).or_default().add(found);
            share.sums.iter().copied().for_each(&mut add);
            of_cells.for_each(&mut add);
            let remains = |(_, found): &&(u32, CellReport)| found.remainder_parameter_volume > 0.0;
            report.cells_with_remainder.extend(share.remainders.iter().copied());
            report.cells_with_remainder.extend(share.cells.iter().filter(remains).copied());
        }
        let mut all = CellReport::default();
        sums.into_values().for_each(|sum| all.add(sum));
        report.samples = report.quality.samples;
        report.volume = all.volume;
        report.remainder_parameter_volume = all.remainder_parameter_volume;
        report.remainder_volume = all.remainder_volume;
        report
    }
}

/// What a run of cells adds to a [`Report`], for programs that share a mesh.
///
/// Volumes are summed in runs of 4,096 cells of the mesh first, so that the sum of all does not
/// depend on which program has which cells, and few numbers say it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReportShare {
    quality: Quality,
    // ascending, except those in the sums
    cells: Vec<(u32, CellReport)>,
    // of whole runs, by their number
    sums: Vec<(u32, CellReport)>,
    // cells in the sums that have one
    remainders: Vec<(u32, CellReport)>,
}

impl ReportShare {
    /// The share of a run of leaves.
    ///
    /// # Errors
    /// If a device fails.
    pub fn new(mapping: &Mapping<'_>, leaves: Range<usize>) -> Result<Self> {
        let quadrature = mapping.quadrature();
        quadrature.check_volume()?;
        let side = if mapping.left_handed() { -1.0 } else { 1.0 };
        let parts: Vec<(Quality, Vec<(u32, CellReport)>)> = quadrature
            .pieces_of(leaves.clone(), TASK_POINTS)
            .into_par_iter()
            .map_init(LeafQuantities::default, |mapped, (batch, leaves)| {
                mapping.evaluate(batch, leaves, mapped)?;
                Ok((quality(quadrature, mapped, side), volumes(quadrature, mapped)))
            })
            .collect::<Result<_>>()?;
        let mut share = Self::default();
        let mut of_leaves = vec![CellReport::default(); leaves.len()];
        for (quality, volumes) in parts {
            share.quality.merge(&quality);
            volumes.iter().for_each(|&(leaf, own)| of_leaves[leaf as usize - leaves.start] = own);
        }
        for (leaf, own) in leaves.zip(of_leaves) {
            let cell = quadrature.element(leaf as u32).cell;
            match share.cells.last_mut() {
                Some((last, sum)) if *last == cell => sum.add(own),
                _ => share.cells.push((cell, own)),
            }
        }
        Ok(share)
    }

    /// This share with the ids of the whole mesh: cell i is `cells[i]` there, ascending.
    #[must_use]
    pub fn of_whole(mut self, cells: &[u32]) -> Self {
        self.quality = self.quality.of_whole(cells);
        self.cells.iter_mut().for_each(|(cell, _)| *cell = cells[*cell as usize]);
        self
    }

    /// Adds the share of the cells that follow.
    pub fn append(&mut self, next: Self) {
        self.quality.merge(&next.quality);
        self.cells.extend(next.cells);
    }

    /// All of it as numbers, a few for many cells; without the remainders of each cell unless they
    /// are asked for.
    pub fn to_numbers(&self, with_remainders: bool) -> Vec<f64> {
        let mut small = Self { quality: self.quality.clone(), ..Self::default() };
        for cells in self.cells.chunk_by(|a, b| a.0 / SUM_CELLS == b.0 / SUM_CELLS) {
            if cells.len() < SUM_CELLS as usize {
                small.cells.extend_from_slice(cells);
                continue;
            }
            let mut sum = CellReport::default();
            cells.iter().for_each(|&(_, found)| sum.add(found));
            small.sums.push((cells[0].0 / SUM_CELLS, sum));
            if with_remainders {
                let remains =
                    |(_, found): &&(u32, CellReport)| found.remainder_parameter_volume > 0.0;
                small.remainders.extend(cells.iter().filter(remains));
            }
        }
        let lists = [&small.cells, &small.sums, &small.remainders];
        let counts = lists.map(|list| list.len() as f64);
        let rows = lists.into_iter().flatten().flat_map(|(id, found)| {
            let CellReport { volume, remainder_parameter_volume, remainder_volume } = *found;
            [f64::from(*id), volume, remainder_parameter_volume, remainder_volume]
        });
        counts.into_iter().chain(rows).chain(small.quality.to_numbers()).collect()
    }

    /// Reads the share that [`ReportShare::to_numbers`] has written.
    ///
    /// # Errors
    /// [`Error::Request`] for anything else.
    pub fn from_numbers(numbers: &[f64]) -> Result<Self> {
        let broken = Error::broken_message;
        let (counts, rest) = numbers.split_first_chunk::<3>().ok_or_else(broken)?;
        let rows = 4.0 * counts.iter().sum::<f64>();
        let (rows, quality) = rest.split_at_checked(rows as usize).ok_or_else(broken)?;
        let row = |n: &[f64; 4]| {
            let [id, volume, remainder_parameter_volume, remainder_volume] = *n;
            (id as u32, CellReport { volume, remainder_parameter_volume, remainder_volume })
        };
        let mut rows = rows.as_chunks().0.iter().map(row);
        let [cells, sums, remainders] =
            counts.map(|count| rows.by_ref().take(count as usize).collect());
        Ok(Self { quality: Quality::from_numbers(quality)?, cells, sums, remainders })
    }
}

/// Quality of `side` times the determinants.
pub(super) fn quality(quadrature: &Quadrature<'_>, mapped: &LeafQuantities, side: f64) -> Quality {
    let batch = &quadrature.batches()[mapped.batch];
    let (_, depth) = quadrature.kind(mapped.batch);
    let parameters = quadrature.parameters(mapped.batch);
    let leaves = &batch.leaves[mapped.leaves.clone()];
    let size = f64::from(depth).exp2().recip();
    let rounding = rounding(Precision::F64);
    let mut quality = Quality::default();
    for (row, &leaf) in leaves.iter().enumerate() {
        let (element, origin) = (quadrature.element(leaf), quadrature.origin(leaf));
        // apart, so that the place of equal extremes does not depend on the leaves beside it
        let mut of_leaf = Quality::default();
        for (sample, local) in parameters.iter().enumerate() {
            let i = row * parameters.len() + sample;
            let (jacobian, determinant) = (&mapped.jacobians[i], side * mapped.determinants[i]);
            let length = |c: usize| jacobian.iter().map(|row| row[c] * row[c]).sum::<f64>().sqrt();
            let lengths = length(0) * length(1) * length(2);
            let scaled = if determinant == 0.0 { 0.0 } else { determinant / lengths };
            of_leaf.record(determinant, scaled, rounding, |value| Extreme {
                value,
                cell: element.cell,
                corner: element.corner,
                parameters: std::array::from_fn(|d| origin[d] + size * local[d]),
                point: mapped.points[i],
            });
        }
        quality.merge(&of_leaf);
    }
    quality
}

/// Volumes of every leaf.
fn volumes(quadrature: &Quadrature<'_>, mapped: &LeafQuantities) -> Vec<(u32, CellReport)> {
    let points = quadrature.leaf_points(mapped.batch);
    let (_, depth) = quadrature.kind(mapped.batch);
    let leaves = &quadrature.batches()[mapped.batch].leaves[mapped.leaves.clone()];
    let measures = mapped.measures.chunks_exact(points.len());
    leaves
        .iter()
        .zip(measures)
        .map(|(&leaf, measures)| {
            let report = CellReport {
                volume: measures.iter().sum(),
                remainder_parameter_volume: points.remainder() * f64::from(depth).exp2().powi(-3),
                remainder_volume: measures[points.exact..].iter().sum(),
            };
            (leaf, report)
        })
        .collect()
}
