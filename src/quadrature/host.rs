//! The map from parameters to space on the CPU.

use std::ops::Range;

use nalgebra::Vector3;
use rayon::prelude::*;

use super::{LeafFace, Quadrature, QuadratureBatch, batch, physical_derivatives};
use crate::backend::operations::{LeafQuantities, PhysicalDerivatives, QuadratureMapping};
use crate::basis::{MissingLayers, gauss};
use crate::error::Result;
use crate::interrupt::stop_point;
use crate::limit::{LeafKind, LocalPoints};
use crate::mesh::check_point_count;
use crate::simd::{AxisWeights, LeafMap, LeafMapOutput, LeafMapScratch, LeafSource, Simd};
use crate::topology::Orientation;

/// Leaves of a work item: whole vectors of them.
const TASK_LEAVES: usize = 32;

/// A quadrature with control points for the CPU.
#[derive(Debug)]
pub(super) struct HostMapping<'q> {
    quadrature: &'q Quadrature<'q>,
    left_handed: bool,
    // [point of all levels][3], relative to the origin
    points: Vec<f64>,
    origin: [f64; 3],
    // of a quadrature of the boundary: the cells whose faces look inward as listed
    orientation: Option<Orientation>,
}

impl<'q> HostMapping<'q> {
    pub fn new(
        quadrature: &'q Quadrature<'q>,
        positions: &[[f64; 3]],
        left_handed: bool,
    ) -> Result<Self> {
        let solid = quadrature.layout.solid;
        let LocalPoints { points, origin } = solid.local_points(positions.as_flattened(), 3)?;
        let (points, origin) = (points.into_owned(), [origin[0], origin[1], origin[2]]);
        // without a common orientation there is no outside: by the hands of all cells
        let orientation =
            quadrature.is_boundary().then(|| Orientation::new(solid.topology(), positions).ok());
        let orientation = orientation.flatten();
        Ok(Self { quadrature, left_handed, points, origin, orientation })
    }

    fn map(&self, batch: usize, leaves: Range<usize>, mapped: &mut LeafQuantities) {
        let quadrature = self.quadrature;
        let table = quadrature.table(batch);
        let QuadratureBatch { permutation, depth, side, .. } = quadrature.batches()[batch];
        let basis = quadrature.table_basis(batch);
        let samples = table.points.len();
        mapped.begin(batch, leaves.clone(), samples, !basis.second.is_empty());
        let sign = if self.left_handed { -1.0 } else { 1.0 };
        // by the leaves' parameters
        let weights: Vec<f64> = table.points.weights.iter().map(|w| sign * w).collect();
        let axis = self.grid_axis(batch);
        let source = match &axis {
            Some((axis, ends)) => LeafSource::Grid { axis, ends: *ends },
            None => LeafSource::Table {
                controls: basis.controls,
                values: &basis.values,
                gradients: &basis.gradients,
                second: &basis.second,
            },
        };
        let map =
            LeafMap { source, weights: &weights, permutation, second: !basis.second.is_empty() };
        let block = TASK_LEAVES * samples;
        let listed = &quadrature.batches()[batch].leaves[leaves];
        let simd = Simd::detect();
        (
            listed.par_chunks(TASK_LEAVES),
            mapped.points.par_chunks_mut(block),
            mapped.jacobians.par_chunks_mut(block),
            mapped.determinants.par_chunks_mut(block),
            mapped.measures.par_chunks_mut(block),
            mapped.inverse_jacobians.par_chunks_mut(block),
            pieces(&mut mapped.second, block, listed.len().div_ceil(TASK_LEAVES)),
        )
            .into_par_iter()
            .for_each_init(
                || (LeafMapScratch::default(), Vec::new()),
                |(scratch, nets), (leaves, points, jacobians, determinants, measures, inverses, second)| {
                    stop_point();
                    self.gather_nets(batch, leaves, axis.is_some(), nets);
                    let jacobians = jacobians.as_flattened_mut().as_flattened_mut();
                    let inverses = inverses.as_flattened_mut().as_flattened_mut();
                    let second = second.as_flattened_mut().as_flattened_mut();
                    let out = LeafMapOutput {
                        points: points.as_flattened_mut(),
                        jacobians: &mut *jacobians,
                        determinants: &mut *determinants,
                        measures,
                        inverses: &mut *inverses,
                        second: &mut *second,
                    };
                    map.evaluate(simd, scratch, &self.points, nets, out);
                    speed_up(depth, [(1, jacobians), (3, determinants), (-1, inverses), (2, second)]);
                },
            );
        if let Some(face) = side {
            // by the elements' parameters
            let size = f64::from(depth).exp2().powi(-2);
            let weights: Vec<f64> = table.points.weights.iter().map(|w| size * w).collect();
            let inward: Vec<bool> = listed.iter().map(|&leaf| self.is_mirrored(leaf)).collect();
            mapped.turn_to(face, &weights, &inward, samples);
        }
        let origin = self.origin;
        if origin != [0.0; 3] {
            mapped.points.par_iter_mut().for_each(|p| (0..3).for_each(|d| p[d] += origin[d]));
        }
    }

    /// Whether the cell of a leaf is mirrored: its axes make a left hand.
    fn is_mirrored(&self, leaf: u32) -> bool {
        match &self.orientation {
            Some(orientation) => orientation.is_mirrored(self.quadrature.element(leaf).cell),
            None => self.left_handed,
        }
    }

    /// The samples along an axis of whole regular leaves, and which layers their nets lack; none
    /// where leaves take tables of their basis.
    fn grid_axis(&self, batch: usize) -> Option<(AxisWeights, MissingLayers)> {
        let key = &self.quadrature.table(batch).key;
        let LeafKind::Regular(ends) = key.kind else { return None };
        if key.face.is_some() {
            return None;
        }
        // schemes are checked, so that there is such a rule
        let rule = gauss::rule(self.quadrature.scheme().gauss).ok()?;
        Some((AxisWeights::new(&rule.points).ok()?, ends))
    }

    /// The control points of leaves of a batch: all of a grid, else those that the table has.
    fn gather_nets(&self, batch: usize, leaves: &[u32], is_grid: bool, nets: &mut Vec<u32>) {
        let quadrature = self.quadrature;
        let slots = &quadrature.table(batch).slots;
        nets.clear();
        for leaf in leaves.iter().map(|&leaf| quadrature.leaf(leaf)) {
            if is_grid {
                nets.extend_from_slice(quadrature.layout.solid.net(leaf))
            } else {
                nets.extend(batch::net(quadrature.layout.solid, leaf, slots))
            }
        }
    }
}

impl QuadratureMapping for HostMapping<'_> {
    fn move_controls(&mut self, positions: &[[f64; 3]]) -> Result<()> {
        check_point_count(positions.len(), self.quadrature.layout.solid.topology().vertex_count())?;
        *self = Self::new(self.quadrature, positions, self.left_handed)?;
        Ok(())
    }

    fn evaluate(
        &self,
        batch: usize,
        leaves: Range<usize>,
        mapped: &mut LeafQuantities,
        derivatives: Option<&mut PhysicalDerivatives>,
    ) -> Result<()> {
        self.map(batch, leaves, mapped);
        if let Some(derivatives) = derivatives {
            physical_derivatives(&self.quadrature.basis(batch), mapped, derivatives);
        }
        Ok(())
    }
}

impl LeafQuantities {
    fn begin(&mut self, batch: usize, leaves: Range<usize>, samples: usize, second: bool) {
        let count = leaves.len() * samples;
        self.batch = batch;
        self.leaves = leaves;
        self.points.resize(count, [0.0; 3]);
        self.jacobians.resize(count, [[0.0; 3]; 3]);
        self.determinants.resize(count, 0.0);
        self.measures.resize(count, 0.0);
        self.normals.clear();
        self.inverse_jacobians.resize(count, [[0.0; 3]; 3]);
        self.second.resize(if second { count } else { 0 }, [[0.0; 3]; 6]);
    }

    /// Normals and measures of the surface, on a face of the elements; `mirrored[leaf]`: its axes
    /// make a left hand.
    fn turn_to(&mut self, face: LeafFace, weights: &[f64], mirrored: &[bool], samples: usize) {
        let outward = if face.end == 1 { 1.0 } else { -1.0 };
        let [a, b] = [(face.axis + 1) % 3, (face.axis + 2) % 3].map(usize::from);
        self.normals.resize(self.points.len(), [0.0; 3]);
        let places = (&mut self.normals, &mut self.measures, &self.jacobians);
        places.into_par_iter().enumerate().for_each(|(i, (normal, measure, jacobian))| {
            stop_point();
            let column = |c: usize| Vector3::from([0, 1, 2].map(|d| jacobian[d][c]));
            let weight = weights[i % samples];
            let outward = if mirrored[i / samples] { -outward } else { outward };
            let area = column(a).cross(&column(b)) * (outward * weight);
            *measure = area.norm();
            *normal = (area / *measure).into();
        });
    }
}

/// From derivatives by the parameters of leaves to those by their elements', 2ᵈᵉᵖᵗʰ times as large:
/// by powers of 2, without rounding. Measures stay.
fn speed_up(depth: u8, arrays: [(i32, &mut [f64]); 4]) {
    if depth == 0 {
        return;
    }
    for (power, values) in arrays {
        let factor = f64::from(depth).exp2().powi(power);
        values.iter_mut().for_each(|x| *x *= factor);
    }
}

/// `count` chunks of `size` values, or as many of none if there are none.
fn pieces<T: Send>(values: &mut [T], size: usize, count: usize) -> Vec<&mut [T]> {
    if values.is_empty() {
        return std::iter::repeat_with(|| &mut [][..]).take(count).collect();
    }
    values.chunks_mut(size).collect()
}
