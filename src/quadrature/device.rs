//! The physical quantities on a GPU.

use std::borrow::Cow;
use std::ops::Range;

use super::{BasisValues, LeafQuantities, PhysicalDerivatives, Quadrature, QuadratureBatch};
use crate::backend::device::{Device, MappingBatch, QuadratureMapping};
use crate::error::{Error, Result, option};
use crate::memory::{self, decimal_bytes};
use crate::mesh::Controls;
use crate::plan::Want;

impl<'a> MappingBatch<'a> {
    /// Leaves with these control points, `[leaf][control]`, of a basis.
    pub(crate) fn new(basis: &'a BasisValues, weights: &'a [f64], control_ids: &'a [u32]) -> Self {
        Self {
            controls: basis.controls,
            values: &basis.values,
            gradients: &basis.gradients,
            second: &basis.second,
            weights,
            control_ids,
        }
    }
}

impl Quadrature<'_> {
    /// Weights of a batch's samples in the parameters of its elements, < 0 for left-handed ones.
    pub(crate) fn element_weights(&self, batch: usize, left_handed: bool) -> Vec<f64> {
        let side = if left_handed { -1.0 } else { 1.0 };
        let scale = side * f64::from(self.kind(batch).1).exp2().powi(-3);
        self.leaf_points(batch).weights.iter().map(|w| scale * w).collect()
    }

    /// Refuses bases of all batches at once that do not fit into a device's memory, or beside other
    /// data into host memory, where data of refined leaves are made.
    fn check_device_memory(&self, memory: u64) -> Result<()> {
        let rows: usize = if self.want().contains(Want::SECOND) { 10 } else { 4 };
        let bytes = |(b, batch): (usize, &QuadratureBatch)| {
            8 * (rows * self.samples(b) * batch.controls) as u128
        };
        let batches = || self.batches().iter().enumerate();
        let on_device: u128 = batches().map(bytes).sum();
        let made: u128 = batches().filter(|(_, batch)| batch.is_pulled).map(bytes).sum();
        let help = message!(
            option("backend", "cpu"),
            " makes them one by one; or ask for fewer Gauss points or rings"
        );
        if on_device > memory.into() {
            let [need, has] = [on_device, memory.into()].map(decimal_bytes);
            return Err(Error::request(format!(
                "the basis functions need about {need} of the device's memory, it has {has}"
            ))
            .with_help(help));
        }
        memory::check_half("the basis functions of refined cells need", made, |_| help)
    }
}

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
        let left_handed = quadrature.is_left_handed(controls.positions);
        Self::of_part(quadrature, controls, left_handed, device)
    }

    /// Brings the tables and control points of a part of a mesh to a GPU; all cells of the whole
    /// mesh are left-handed, or not.
    ///
    /// # Errors
    /// As [`DeviceQuadrature::new`].
    pub fn of_part(
        quadrature: &'q Quadrature<'q>,
        controls: Controls<'_>,
        left_handed: bool,
        device: &dyn Device,
    ) -> Result<Self> {
        quadrature.check_controls(controls)?;
        if quadrature.is_boundary() {
            return Err(Error::request("boundary quadrature runs on the CPU only")
                .with_help(message!("evaluate it on the CPU: ", option("backend", "cpu"))));
        }
        quadrature.check_device_memory(device.info().memory)?;
        let count = quadrature.batches().len();
        let bases: Vec<Cow<'_, BasisValues>> = (0..count).map(|b| quadrature.basis(b)).collect();
        let weights: Vec<Vec<f64>> =
            (0..count).map(|b| quadrature.element_weights(b, left_handed)).collect();
        let batches: Vec<MappingBatch<'_>> = (0..count)
            .map(|b| {
                MappingBatch::new(&bases[b], &weights[b], &quadrature.batches()[b].control_ids)
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
    pub fn read(
        &self,
        mapped: &mut LeafQuantities,
        derivatives: &mut PhysicalDerivatives,
    ) -> Result<()> {
        let Some((batch, leaves)) = self.last.clone() else { return Ok(()) };
        let arrays = self.mapping.read()?;
        let rows = |values: &[f64]| values.as_chunks::<3>().0.to_vec();
        let matrices = |values: &[f64]| rows(values).as_chunks::<3>().0.to_vec();
        *mapped = LeafQuantities {
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
