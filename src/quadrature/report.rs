//! What a solver should know of a quadrature before it trusts it: volumes, remainders and
//! Jacobians.

use std::ops::Range;

use rayon::prelude::*;
use serde::Serialize;

use super::{Mapped, Physical, Quadrature};
use crate::error::{Error, Result};
use crate::volume::{Extreme, Quality};

/// Quadrature points that a work item evaluates at a time.
const PIECE: usize = 1 << 14;
/// Scaled Jacobians below this are rounding.
const ROUNDING: f64 = 1e-12;

/// Volumes, remainders and Jacobians of all cells.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Report {
    /// Quadrature points of all cells.
    pub samples: usize,
    /// Volume by quadrature, in cubed length units.
    pub volume: f64,
    /// Remainders at extraordinary edges and vertices, in parameter space; a cell has 1.
    pub remainder_parameter_volume: f64,
    /// The same in space, by the quadrature points in them.
    pub remainder_volume: f64,
    /// Of every cell of the mesh.
    #[serde(skip)]
    pub cells: Vec<CellReport>,
    /// Whether all cells are left-handed hexahedra: volumes are then those of |det J|, and the
    /// quality is that of −det J.
    pub left_handed: bool,
    /// Jacobians at the quadrature points.
    pub quality: Quality,
}

/// Volume and remainder of a cell; of a cell that is no hexahedron, of all its
/// hexahedral children together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct CellReport {
    /// Volume by quadrature, in cubed length units.
    pub volume: f64,
    /// Remainder in parameter space; the hexahedron, or each hexahedral child, has 1.
    pub remainder_parameter_volume: f64,
    /// Remainder in space, by the quadrature points in it.
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
    pub fn new<'q>(mapping: &(impl Physical<'q> + ?Sized)) -> Result<Self> {
        Self::of_pieces(mapping, mapping.quadrature().pieces(PIECE))
    }

    /// The same of some leaves alone, a batch and a range of its leaves each: what other cells have
    /// is 0.
    ///
    /// # Errors
    /// If there are no such leaves, or a device fails.
    pub fn of_pieces<'q>(
        mapping: &(impl Physical<'q> + ?Sized),
        pieces: Vec<(usize, Range<usize>)>,
    ) -> Result<Self> {
        Self::of_shares(mapping, &[ReportShare::of_pieces(mapping, pieces)?])
    }

    /// The report of all shares, in their order: bit by bit that of one program.
    ///
    /// # Errors
    /// [`Error::Request`] for a cell that the mesh does not have.
    pub fn of_shares<'q>(
        mapping: &(impl Physical<'q> + ?Sized),
        shares: &[ReportShare],
    ) -> Result<Self> {
        let cells = mapping.quadrature().solid().topology().cells().len();
        let mut report = Self { cells: vec![CellReport::default(); cells], ..Self::default() };
        let mut sum = CellReport::default();
        for share in shares {
            report.quality.merge(&share.quality);
            for &(cell, found) in &share.volumes {
                let known = report.cells.get_mut(cell as usize);
                known.ok_or_else(|| Error::request(format!("a report of cell {cell}")))?.add(found);
                sum.add(found);
            }
        }
        report.left_handed = mapping.left_handed();
        report.samples = report.quality.samples;
        report.volume = sum.volume;
        report.remainder_parameter_volume = sum.remainder_parameter_volume;
        report.remainder_volume = sum.remainder_volume;
        Ok(report)
    }
}

/// What some leaves add to a [`Report`], for programs that share a quadrature.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReportShare {
    quality: Quality,
    // of every leaf, in order
    volumes: Vec<(u32, CellReport)>,
}

impl ReportShare {
    /// The share `index` of `count` of all leaves.
    ///
    /// # Errors
    /// If a device fails.
    pub fn new<'q>(
        mapping: &(impl Physical<'q> + ?Sized),
        (index, count): (usize, usize),
    ) -> Result<Self> {
        let mut pieces = mapping.quadrature().pieces(PIECE);
        let at = |index: usize| pieces.len() * index / count.max(1);
        let own = at(index)..at(index + 1);
        Self::of_pieces(mapping, pieces.drain(own).collect())
    }

    fn of_pieces<'q>(
        mapping: &(impl Physical<'q> + ?Sized),
        pieces: Vec<(usize, Range<usize>)>,
    ) -> Result<Self> {
        let quadrature = mapping.quadrature();
        let side = if mapping.left_handed() { -1.0 } else { 1.0 };
        let parts: Vec<(Quality, Vec<(u32, CellReport)>)> = pieces
            .into_par_iter()
            .map_init(Mapped::default, |mapped, (batch, leaves)| {
                mapping.map(batch, leaves, mapped)?;
                Ok((quality(quadrature, mapped, side), volumes(quadrature, mapped)))
            })
            .collect::<Result<_>>()?;
        let mut share = Self::default();
        for (quality, volumes) in parts {
            share.quality.merge(&quality);
            share.volumes.extend(volumes);
        }
        Ok(share)
    }

    /// All of it as numbers.
    pub fn to_numbers(&self) -> Vec<f64> {
        let volumes = self.volumes.iter().flat_map(|(cell, found)| {
            let CellReport { volume, remainder_parameter_volume, remainder_volume } = *found;
            [f64::from(*cell), volume, remainder_parameter_volume, remainder_volume]
        });
        let count = std::iter::once(self.volumes.len() as f64);
        count.chain(volumes).chain(self.quality.to_numbers()).collect()
    }

    /// From [`ReportShare::to_numbers`]; nothing of anything else.
    pub fn from_numbers(numbers: &[f64]) -> Self {
        let Some((&count, rest)) = numbers.split_first() else { return Self::default() };
        let Some((volumes, quality)) = rest.split_at_checked(4 * count as usize) else {
            return Self::default();
        };
        let volume = |n: &[f64]| {
            let [volume, remainder_parameter_volume, remainder_volume] = [n[1], n[2], n[3]];
            let found = CellReport { volume, remainder_parameter_volume, remainder_volume };
            (n[0] as u32, found)
        };
        Self {
            volumes: volumes.chunks_exact(4).map(volume).collect(),
            quality: Quality::from_numbers(quality),
        }
    }
}

/// Quality of `side` times the determinants.
fn quality(quadrature: &Quadrature<'_>, mapped: &Mapped, side: f64) -> Quality {
    let batch = &quadrature.batches()[mapped.batch];
    let (_, depth) = quadrature.kind(mapped.batch);
    let parameters = quadrature.parameters(mapped.batch);
    let leaves = &batch.leaves[mapped.leaves.clone()];
    let mut quality = Quality::default();
    for (i, (jacobian, &determinant)) in
        mapped.jacobians.iter().zip(&mapped.determinants).enumerate()
    {
        let determinant = side * determinant;
        let length = |c: usize| jacobian.iter().map(|row| row[c] * row[c]).sum::<f64>();
        let lengths = (length(0) * length(1) * length(2)).sqrt();
        let scaled = if determinant == 0.0 { 0.0 } else { determinant / lengths };
        quality.record(determinant, scaled, ROUNDING, |value| {
            let leaf = leaves[i / parameters.len()];
            let element = quadrature.element(leaf);
            let (origin, local) = (quadrature.origin(leaf), parameters[i % parameters.len()]);
            let size = f64::from(depth).exp2().recip();
            Extreme {
                value,
                cell: element.cell,
                corner: element.corner,
                parameters: std::array::from_fn(|d| origin[d] + size * local[d]),
                point: mapped.points[i],
            }
        });
    }
    quality
}

/// Cell and volumes of every leaf.
fn volumes(quadrature: &Quadrature<'_>, mapped: &Mapped) -> Vec<(u32, CellReport)> {
    let nodes = quadrature.nodes(mapped.batch);
    let (_, depth) = quadrature.kind(mapped.batch);
    let leaves = &quadrature.batches()[mapped.batch].leaves[mapped.leaves.clone()];
    let measures = mapped.measures.chunks_exact(nodes.len());
    leaves
        .iter()
        .zip(measures)
        .map(|(&leaf, measures)| {
            let report = CellReport {
                volume: measures.iter().sum(),
                remainder_parameter_volume: nodes.remainder() * f64::from(depth).exp2().powi(-3),
                remainder_volume: measures[nodes.exact..].iter().sum(),
            };
            (quadrature.element(leaf).cell, report)
        })
        .collect()
}
