//! The physical quantities on a GPU.

use std::borrow::Cow;
use std::ops::Range;

use super::{Basis, Mapped, PhysicalDerivatives, Quadrature};
use crate::backend::device::{Device, MappingBatch, QuadratureMapping};
use crate::error::{Error, Result};
use crate::mesh::{Controls, check_coordinates};
use crate::numbers::Precision;

/// A quadrature at work on a GPU, in double precision.
pub struct DeviceQuadrature<'q> {
    quadrature: &'q Quadrature<'q>,
    mapping: Box<dyn QuadratureMapping>,
    last: Option<(usize, Range<usize>)>,
    left_handed: bool,
}

impl<'q> DeviceQuadrature<'q> {
    /// Brings all tables and the control points to a GPU.
    ///
    /// # Errors
    /// [`Error::Request`] if its memory is too small, or for control points that are not the
    /// mesh's.
    pub fn new(
        quadrature: &'q Quadrature<'q>,
        controls: Controls<'_>,
        device: &dyn Device,
    ) -> Result<Self> {
        let vertices = quadrature.solid().topology().vertex_count();
        if controls.positions.len() != vertices {
            let count = controls.positions.len();
            return Err(Error::request(format!("{count} control points for {vertices} vertices")));
        }
        check_coordinates(controls.positions, Precision::F64)?;
        if quadrature.is_boundary() {
            return Err(Error::request("a GPU has no quadrature of the boundary")
                .with_help("evaluate it on the CPU: --backend cpu"));
        }
        let left_handed = quadrature.is_left_handed(controls.positions);
        let side = if left_handed { -1.0 } else { 1.0 };
        let count = quadrature.batches().len();
        let bases: Vec<Cow<'_, Basis>> = (0..count).map(|b| quadrature.basis(b)).collect();
        let weights: Vec<Vec<f64>> = (0..count)
            .map(|b| {
                let scale = side * f64::from(quadrature.kind(b).1).exp2().powi(-3);
                quadrature.nodes(b).weights.iter().map(|w| scale * w).collect()
            })
            .collect();
        let batches: Vec<MappingBatch<'_>> = (0..count)
            .map(|b| MappingBatch {
                controls: bases[b].controls,
                values: &bases[b].values,
                gradients: &bases[b].gradients,
                second: &bases[b].second,
                weights: &weights[b],
                control_ids: &quadrature.batches()[b].control_ids,
            })
            .collect();
        let mapping = device.quadrature(&batches, controls.positions)?;
        Ok(Self { quadrature, mapping, last: None, left_handed })
    }

    /// The quadrature.
    pub fn quadrature(&self) -> &'q Quadrature<'q> {
        self.quadrature
    }

    /// Whether all cells were left-handed at the first control points.
    pub(super) fn left_handed(&self) -> bool {
        self.left_handed
    }

    /// Takes moved control points, of cells as left- or right-handed as the first ones.
    ///
    /// # Errors
    /// [`Error::Request`] for another number of them.
    pub fn move_controls(&mut self, controls: Controls<'_>) -> Result<()> {
        self.mapping.move_controls(controls.positions)
    }

    /// Evaluates a range of a batch's leaves, with the derivatives of the basis functions in
    /// space (second ones too, if the quadrature has them) if they are wanted, and returns the
    /// seconds that it took on the device. The results stay there until the next call.
    ///
    /// # Errors
    /// [`Error::Request`] if there are no such leaves, or too many for the memory.
    pub fn evaluate(
        &mut self,
        batch: usize,
        leaves: Range<usize>,
        derivatives: bool,
    ) -> Result<f64> {
        self.quadrature.check_leaves(batch, &leaves)?;
        self.last = Some((batch, leaves.clone()));
        self.mapping.evaluate(batch, leaves, derivatives)
    }

    /// Copies the results of the last evaluation to `mapped` and `derivatives`, in the form
    /// that the CPU gives them.
    ///
    /// # Errors
    /// [`Error::Request`] if the copy fails.
    pub fn read(&self, mapped: &mut Mapped, derivatives: &mut PhysicalDerivatives) -> Result<()> {
        let Some((batch, leaves)) = self.last.clone() else { return Ok(()) };
        let arrays = self.mapping.read()?;
        let rows = |values: &[f64]| values.as_chunks::<3>().0.to_vec();
        let matrices = |values: &[f64]| rows(values).as_chunks::<3>().0.to_vec();
        *mapped = Mapped {
            batch,
            points: rows(&arrays.points),
            jacobians: matrices(&arrays.jacobians),
            determinants: arrays.determinants,
            measures: arrays.measures,
            normals: Vec::new(),
            inverse_jacobians: matrices(&arrays.inverse_jacobians),
            second: rows(&arrays.second).as_chunks::<6>().0.to_vec(),
            leaves,
        };
        derivatives.gradients = arrays.derivatives;
        derivatives.second = arrays.second_derivatives;
        Ok(())
    }
}
