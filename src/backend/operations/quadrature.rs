//! Positions, Jacobians and derivatives of basis functions in space, of the leaves of a batch
//! that share their basis.

use std::borrow::Cow;
use std::fmt::Debug;
use std::ops::Range;
use std::time::Instant;

use crate::error::Result;

/// Values and derivatives of basis functions; the same for all leaves of a batch.
///
/// Derivatives are with respect to the element's parameters; in a table, that leaves of any size
/// share, to the parameters of the leaf.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BasisValues {
    /// Number of control points.
    pub controls: usize,
    /// Number of quadrature points.
    pub samples: usize,
    /// N, `[sample][control]`; each row sums to 1.
    pub values: Vec<f64>,
    /// dN/du, dN/dv, dN/dw, `[sample][3][control]`; each row sums to 0.
    pub gradients: Vec<f64>,
    /// d²N by uu, vv, ww, uv, uw, vw, `[sample][6][control]`, each row summing to 0;
    /// empty unless asked for.
    pub second: Vec<f64>,
}

/// The physical quantities of some leaves of a batch, `[leaf][sample]` each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LeafQuantities {
    /// The batch.
    pub batch: usize,
    /// Range of the leaves in the batch.
    pub leaves: Range<usize>,
    /// Positions (x, y, z).
    pub points: Vec<[f64; 3]>,
    /// Jacobians d(x, y, z)/d(u, v, w) by the element's parameters: `[xyz][uvw]`.
    pub jacobians: Vec<[[f64; 3]; 3]>,
    /// Determinants of the Jacobians, in cubed length units.
    pub determinants: Vec<f64>,
    /// Weights of the physical quadrature: of the parameters' volume, times the
    /// determinant, or minus it if all cells are left-handed ([`Mapping::left_handed`](crate::quadrature::Mapping::left_handed)).
    /// They sum to the volume.
    pub measures: Vec<f64>,
    /// Outward unit normals of a quadrature of the boundary, whose measures sum to the area of the
    /// surface; not finite where the area element is 0. Empty otherwise.
    pub normals: Vec<[f64; 3]>,
    /// Inverse Jacobians d(u, v, w)/d(x, y, z): `[uvw][xyz]`. Not finite where the
    /// determinant is 0.
    pub inverse_jacobians: Vec<[[f64; 3]; 3]>,
    /// Second derivatives of the position by uu, vv, ww, uv, uw, vw: `[6][xyz]`; empty
    /// unless the quadrature has them.
    pub second: Vec<[[f64; 3]; 6]>,
}

/// Derivatives of the basis functions of some leaves with respect to space.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PhysicalDerivatives {
    /// dN/dx, dN/dy, dN/dz, `[leaf][sample][3][control]`, per length unit.
    pub gradients: Vec<f64>,
    /// d²N by xx, yy, zz, xy, xz, yz, `[leaf][sample][6][control]`, per squared length
    /// unit; empty unless the basis has second derivatives.
    pub second: Vec<f64>,
}

/// What the leaves of a batch share, and their control points.
#[derive(Clone, Debug)]
pub struct MappingBatch<'a> {
    /// The basis functions of a leaf's control points, by the parameters of its element.
    pub basis: Cow<'a, BasisValues>,
    /// Weights of the samples in the element's parameters, < 0 where all cells are left-handed.
    pub weights: Vec<f64>,
    /// Control points, `[leaf][control]`.
    pub control_ids: &'a [u32],
}

/// A quadrature with control points, for a [`Backend`](crate::Backend) to take.
pub trait MappingSource<'q> {
    /// The mapping on the CPU.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) for control points that are not the solid's.
    fn here(&self) -> Result<Box<dyn QuadratureMapping + 'q>>;

    /// All batches, for a device with so many bytes of memory.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) for batches that do not fit there or here, and for
    /// a quadrature that only the CPU evaluates.
    fn batches(&self, memory: u64) -> Result<Vec<MappingBatch<'_>>>;

    /// Positions of the control points.
    fn positions(&self) -> &[[f64; 3]];
}

/// Batches of a quadrature on a processor, for any positions of the control points. Made by
/// [`Operations::quadrature`](super::Operations::quadrature).
pub trait QuadratureMapping: Debug + Send + Sync {
    /// Takes other positions of as many control points.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) for another number of them.
    fn move_controls(&mut self, positions: &[[f64; 3]]) -> Result<()>;

    /// Evaluates leaves that a batch has into `mapped`, and derivatives of the basis functions in
    /// space if they are wanted, second ones if the basis has them; memory is used again.
    fn evaluate(
        &self,
        batch: usize,
        leaves: Range<usize>,
        mapped: &mut LeafQuantities,
        derivatives: Option<&mut PhysicalDerivatives>,
    ) -> Result<()>;

    /// Seconds of an evaluation whose results stay where the processor has them: device events on
    /// a GPU, the wall clock on the CPU.
    fn time(&self, batch: usize, leaves: Range<usize>, derivatives: bool) -> Result<f64> {
        let (mut mapped, mut own) = (LeafQuantities::default(), PhysicalDerivatives::default());
        let start = Instant::now();
        self.evaluate(batch, leaves, &mut mapped, derivatives.then_some(&mut own))?;
        Ok(start.elapsed().as_secs_f64())
    }
}
