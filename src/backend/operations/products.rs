//! Products of element matrices of regular leaves with vectors, without the matrices.

use std::fmt::Debug;

use super::{MatrixForm, SystemArrays};
use crate::error::{Error, Result};
use crate::numbers::Iterates;

/// Maximum number of leaves of a part.
pub const MAX_PART_LEAVES: usize = 64;
/// Maximum number of control points of a part.
pub const MAX_PART_VERTICES: usize = 640;

/// Regular leaves in parts of at most [`MAX_PART_LEAVES`] and [`MAX_PART_VERTICES`], which lack the
/// same layers.
#[derive(Clone, Debug, Default)]
pub struct ProductArrays {
    /// Control points of each leaf, `[leaf][w 4][v 4][u 4]`, as places among those of its part; of
    /// missing layers any of the leaf.
    pub nets: Vec<[u16; 64]>,
    /// What is integrated, of one of the leaves; `None` without any.
    pub form: Option<MatrixForm>,
    /// Its constants in each leaf, `[leaf][constant]`.
    pub materials: Vec<f64>,
    /// First leaf of each part, and the end of the last one.
    pub leaf_starts: Vec<u32>,
    /// First control point of each part, and the end of the last one.
    pub vertex_starts: Vec<u32>,
    /// Control points of the parts.
    pub vertices: Vec<u32>,
    /// Which tables a part has.
    pub kinds: Vec<u32>,
    /// Splines and their derivatives at the samples of an axis, `[kind][axis][order][sample][4]`.
    pub tables: Vec<f64>,
    /// Weights of the samples, `[w][v][u]`.
    pub weights: Vec<f64>,
    /// Samples of an axis.
    pub samples: usize,
    /// First entry of each vertex, and the end of the last one.
    pub starts: Vec<u32>,
    /// Where the vertices are among the control points of the parts.
    pub entries: Vec<u32>,
    /// Positions of the vertices.
    pub positions: Vec<[f64; 3]>,
}

/// Leaves on a device.
pub trait LeafProducts: Debug + Send + Sync {
    /// Writes the product with `x`, `[vertex][width]`, into `y`; the same bits on every call.
    ///
    /// # Errors
    /// If the device fails.
    fn multiply(&self, x: &[f64], y: &mut [f64]) -> Result<()>;

    /// Brings all else of a system with these leaves to the device, whose vectors stay there.
    ///
    /// # Errors
    /// [`Error::Request`] if the device's memory is too small.
    fn system<'a>(
        &'a self,
        arrays: &SystemArrays<'a>,
    ) -> Result<Box<dyn Iterates<Error = Error> + 'a>>;
}
