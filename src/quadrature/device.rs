//! The tables of a quadrature brought to a device, and what it finds.

use std::borrow::Cow;
use std::ops::Range;
use std::time::Instant;

use super::mapping::MappingPlace;
use super::{
    BasisValues, LeafQuantities, Mapping, PhysicalDerivatives, Quadrature, QuadratureBatch,
    physical_derivatives,
};
use crate::backend::device::{Device, MappingBatch, QuadratureMapping, Resident};
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

    /// Brings all tables and the control points of a mesh to a device with some bytes of memory.
    pub(super) fn bring(
        &self,
        controls: Controls<'_>,
        left_handed: bool,
        (device, memory): (&dyn Device, u64),
    ) -> Result<Box<dyn QuadratureMapping>> {
        if self.is_boundary() {
            return Err(Error::request("boundary quadrature runs on the CPU only")
                .with_help(message!("evaluate it on the CPU: ", option("backend", "cpu"))));
        }
        self.check_device_memory(memory)?;
        let count = self.batches().len();
        let bases: Vec<Cow<'_, BasisValues>> = (0..count).map(|b| self.basis(b)).collect();
        let weights: Vec<Vec<f64>> =
            (0..count).map(|b| self.element_weights(b, left_handed)).collect();
        let batches: Vec<MappingBatch<'_>> = (0..count)
            .map(|b| MappingBatch::new(&bases[b], &weights[b], &self.batches()[b].control_ids))
            .collect();
        device.quadrature(&batches, controls.positions)
    }
}

impl Mapping<'_> {
    /// [`Mapping::evaluate`] with derivatives of the basis functions in space; second ones, too, if
    /// the quadrature has them.
    ///
    /// # Errors
    /// As [`Mapping::evaluate`].
    pub fn evaluate_derivatives(
        &self,
        batch: usize,
        leaves: Range<usize>,
        mapped: &mut LeafQuantities,
        derivatives: &mut PhysicalDerivatives,
    ) -> Result<()> {
        match &self.place {
            MappingPlace::Host(_) => {
                self.evaluate(batch, leaves, mapped)?;
                physical_derivatives(&self.quadrature().basis(batch), mapped, derivatives);
            }
            MappingPlace::Device(device) => {
                self.quadrature().check_leaves(batch, &leaves)?;
                *derivatives = mapped.take_from(device, batch, leaves, true)?;
            }
        }
        Ok(())
    }

    /// Seconds of evaluating leaves of a batch, with derivatives in space or without them, results
    /// staying where the processor has them: device events on a GPU, the wall clock on the CPU.
    ///
    /// # Errors
    /// As [`Mapping::evaluate`].
    pub fn time(&self, batch: usize, leaves: Range<usize>, derivatives: bool) -> Result<f64> {
        self.quadrature().check_leaves(batch, &leaves)?;
        if let MappingPlace::Device(device) = &self.place {
            return device.lock().evaluate(batch, leaves, derivatives);
        }
        let (mut mapped, start) = (LeafQuantities::default(), Instant::now());
        if derivatives {
            let mut derivatives = PhysicalDerivatives::default();
            self.evaluate_derivatives(batch, leaves, &mut mapped, &mut derivatives)?;
        } else {
            self.evaluate(batch, leaves, &mut mapped)?;
        }
        Ok(start.elapsed().as_secs_f64())
    }
}

impl LeafQuantities {
    /// Takes what a device finds of leaves of a batch; returns derivatives in space, if they are
    /// wanted.
    pub(super) fn take_from(
        &mut self,
        device: &Resident<dyn QuadratureMapping>,
        batch: usize,
        leaves: Range<usize>,
        derivatives: bool,
    ) -> Result<PhysicalDerivatives> {
        let mut device = device.lock();
        device.evaluate(batch, leaves.clone(), derivatives)?;
        let arrays = device.read()?;
        drop(device);
        let rows = |values: &[f64]| values.as_chunks::<3>().0.to_vec();
        let matrices = |values: &[f64]| rows(values).as_chunks::<3>().0.to_vec();
        *self = Self {
            batch,
            leaves,
            points: rows(&arrays.points),
            jacobians: matrices(&arrays.jacobians),
            determinants: arrays.determinants,
            measures: arrays.measures,
            normals: Vec::new(),
            inverse_jacobians: matrices(&arrays.inverse_jacobians),
            second: rows(&arrays.second).as_chunks::<6>().0.to_vec(),
        };
        let (gradients, second) = (arrays.derivatives, arrays.second_derivatives);
        Ok(PhysicalDerivatives { gradients, second })
    }
}
