//! All levels as one sparse matrix on a GPU. The matrix is the product that the CPU makes.

use crate::backend::cuda::Cuda;
use crate::numbers::Real;
use cudarc::driver::DeviceRepr;

use super::blocks::row_blocks;
use crate::backend::cuda::surface::product::Product;
use crate::error::{Error, Result};
use crate::surface::stencils::single::SingleMatrix;

/// A [`SingleMatrix`] on a GPU, in `f32` or `f64`: products of any number of components, with the
/// bits of the CPU for finite control points.
pub struct SingleEvaluator<T> {
    product: Product<T>,
    rows: usize,
    bytes: usize,
}

impl<T: Real + DeviceRepr> SingleEvaluator<T> {
    /// Brings the matrix of `controls` control points to a GPU.
    ///
    /// # Errors
    /// [`Error::Request`] for a column past the control points, or more than the device has room
    /// for.
    pub fn new(matrix: &SingleMatrix<T>, controls: usize, gpu: &Cuda) -> Result<Self> {
        let blocks = row_blocks(matrix, controls);
        let most = blocks.columns.iter().flatten().max().map_or(0, |&most| most as usize + 1);
        if most > controls {
            return Err(Error::request(format!(
                "a matrix of {most} columns for {controls} control points"
            ))
            .with_help("give the control points of the mesh that the matrix was made of"));
        }
        let product = Product::new(gpu, &blocks)?;
        Ok(Self { product, rows: matrix.len(), bytes: blocks.bytes() })
    }

    /// Takes `width` components of every control point, `[point][component]`.
    ///
    /// # Errors
    /// [`Error::Request`] for another number of them, no component, or too little memory.
    pub fn set_controls(&mut self, values: &[T], width: usize) -> Result<()> {
        self.product.set_controls(values, width)
    }

    /// Multiplies; returns the seconds that it took on the device, where the results stay.
    ///
    /// # Errors
    /// [`Error::Request`] with the driver's words if a kernel fails.
    pub fn run(&mut self) -> Result<f64> {
        self.product.run()
    }

    /// The results of the last run, copied to the host, `[row][component]`.
    ///
    /// # Errors
    /// [`Error::Request`] if a copy fails.
    pub fn results(&self) -> Result<Vec<T>> {
        self.product.results()
    }

    /// Number of refined points.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Bytes that a product reads of the matrix.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}
