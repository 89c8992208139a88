//! What a solver should know of a quadrature before it trusts it: volumes, remainders and
//! Jacobians.

use std::ops::Range;

use rayon::prelude::*;
use serde::Serialize;

use super::{Mapped, Physical, Quadrature};
use crate::error::Result;
use crate::volume::{Extreme, Quality};

/// Quadrature points that a work item evaluates at a time.
const PIECE: usize = 1 << 14;
/// Scaled Jacobians below this are rounding.
const ROUNDING: f64 = 1e-12;

/// Volumes, remainders and Jacobians of all cells.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
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
        let quadrature = mapping.quadrature();
        let side = if mapping.left_handed() { -1.0 } else { 1.0 };
        let parts: Vec<(Quality, Vec<(u32, CellReport)>)> = pieces
            .into_par_iter()
            .map_init(Mapped::default, |mapped, (batch, leaves)| {
                mapping.map(batch, leaves, mapped)?;
                Ok((quality(quadrature, mapped, side), volumes(quadrature, mapped)))
            })
            .collect::<Result<_>>()?;
        let cells = quadrature.solid().topology().cells().len();
        let mut report = Self { cells: vec![CellReport::default(); cells], ..Self::default() };
        let mut sum = CellReport::default();
        for (quality, volumes) in &parts {
            report.quality.merge(quality);
            for &(cell, found) in volumes {
                report.cells[cell as usize].add(found);
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
