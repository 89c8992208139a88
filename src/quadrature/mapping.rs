//! The map from parameters to space at the quadrature points: positions, Jacobians and
//! what follows from them.

use std::ops::Range;

use super::host::HostMapping;
use super::{Quadrature, QuadratureBatch};
use crate::backend::operations::{
    LeafQuantities, MappingBatch, MappingSource, PhysicalDerivatives, QuadratureMapping,
};
use crate::backend::{Backend, Cpu};
use crate::error::{Error, Result, option};
use crate::memory::{self, decimal_bytes};
use crate::mesh::Controls;
use crate::plan::Want;

/// A quadrature with the positions of its control points, on one processor. Results of processors
/// are equal to rounding.
#[derive(Debug)]
pub struct Mapping<'q> {
    quadrature: &'q Quadrature<'q>,
    left_handed: bool,
    positions: Vec<[f64; 3]>,
    own: Box<dyn QuadratureMapping + 'q>,
}

impl<'q> Mapping<'q> {
    /// Takes control points, one for every vertex of the mesh, to the CPU.
    ///
    /// # Errors
    /// [`Error::Request`] for another number of them.
    pub fn new(quadrature: &'q Quadrature<'q>, controls: Controls<'_>) -> Result<Self> {
        Self::on(&Cpu::default(), quadrature, controls, None)
    }

    /// Takes control points to a processor, in double precision: to a GPU with all tables. For a
    /// part of a mesh, `left_handed` says whether all cells of the whole mesh are left-handed.
    ///
    /// # Errors
    /// As [`Mapping::new`]; on a GPU, too little memory, and a quadrature of the boundary.
    pub fn on(
        backend: &dyn Backend,
        quadrature: &'q Quadrature<'q>,
        controls: Controls<'_>,
        left_handed: Option<bool>,
    ) -> Result<Self> {
        quadrature.check_controls(controls)?;
        let positions = controls.positions;
        let left_handed = left_handed.unwrap_or_else(|| quadrature.is_left_handed(positions));
        let own =
            backend.operations().quadrature(&Source { quadrature, positions, left_handed })?;
        Ok(Self { quadrature, left_handed, positions: positions.to_vec(), own })
    }

    /// Values of control points in place of positions: `points` are values then, and Jacobians their
    /// derivatives.
    pub(crate) fn of_values(quadrature: &'q Quadrature<'q>, values: Vec<[f64; 3]>) -> Result<Self> {
        let own = Box::new(HostMapping::new(quadrature, &values, false)?);
        Ok(Self { quadrature, left_handed: false, positions: values, own })
    }

    /// Takes moved control points, of cells as left- or right-handed as the first ones.
    ///
    /// # Errors
    /// As [`Mapping::new`].
    pub fn move_controls(&mut self, controls: Controls<'_>) -> Result<()> {
        self.quadrature.check_controls(controls)?;
        self.positions.copy_from_slice(controls.positions);
        self.own.move_controls(controls.positions)
    }

    /// The quadrature.
    pub fn quadrature(&self) -> &'q Quadrature<'q> {
        self.quadrature
    }

    /// Positions of the control points, `[vertex]`.
    pub fn positions(&self) -> &[[f64; 3]] {
        &self.positions
    }

    /// Whether all cells are left-handed hexahedra: measures are then weights times −det J.
    pub fn left_handed(&self) -> bool {
        self.left_handed
    }

    /// Evaluates a range of a batch's leaves into `mapped`, whose memory is used again.
    ///
    /// # Errors
    /// [`Error::Request`] if there is no such batch or no such leaf in it; if a device fails.
    pub fn evaluate(
        &self,
        batch: usize,
        leaves: Range<usize>,
        mapped: &mut LeafQuantities,
    ) -> Result<()> {
        self.quadrature.check_leaves(batch, &leaves)?;
        self.own.evaluate(batch, leaves, mapped, None)
    }

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
        self.quadrature.check_leaves(batch, &leaves)?;
        self.own.evaluate(batch, leaves, mapped, Some(derivatives))
    }

    /// Seconds of evaluating leaves of a batch, with derivatives in space or without them, results
    /// staying where the processor has them: device events on a GPU, the wall clock on the CPU.
    ///
    /// # Errors
    /// As [`Mapping::evaluate`].
    pub fn time(&self, batch: usize, leaves: Range<usize>, derivatives: bool) -> Result<f64> {
        self.quadrature.check_leaves(batch, &leaves)?;
        self.own.time(batch, leaves, derivatives)
    }
}

/// What a backend takes.
struct Source<'q, 'c> {
    quadrature: &'q Quadrature<'q>,
    positions: &'c [[f64; 3]],
    left_handed: bool,
}

impl<'q> MappingSource<'q> for Source<'q, '_> {
    fn here(&self) -> Result<Box<dyn QuadratureMapping + 'q>> {
        let Self { quadrature, positions, left_handed } = *self;
        Ok(Box::new(HostMapping::new(quadrature, positions, left_handed)?))
    }

    fn batches(&self, memory: u64) -> Result<Vec<MappingBatch<'_>>> {
        if self.quadrature.is_boundary() {
            return Err(Error::request("boundary quadrature runs on the CPU only")
                .with_help(message!("evaluate it on the CPU: ", option("backend", "cpu"))));
        }
        self.quadrature.check_device_memory(memory)?;
        let count = self.quadrature.batches().len();
        Ok((0..count).map(|b| self.quadrature.mapping_batch(b, self.left_handed)).collect())
    }

    fn positions(&self) -> &[[f64; 3]] {
        self.positions
    }
}

impl Quadrature<'_> {
    /// A batch, with all of its leaves.
    pub(crate) fn mapping_batch(&self, batch: usize, left_handed: bool) -> MappingBatch<'_> {
        MappingBatch {
            basis: self.basis(batch),
            weights: self.element_weights(batch, left_handed),
            control_ids: &self.batches()[batch].control_ids,
        }
    }

    /// Weights of a batch's samples in the parameters of its elements, < 0 for left-handed ones.
    fn element_weights(&self, batch: usize, left_handed: bool) -> Vec<f64> {
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
