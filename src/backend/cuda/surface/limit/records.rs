//! What a device gets of the limits of a surface: leaves, tables, and the records that kernels
//! read.

use cudarc::driver::DeviceRepr;

use crate::backend::cuda::driver::buffer::Buffer;
use crate::backend::cuda::surface::points::PointRows;
use crate::scheme::Stencils;

/// Regular leaves with the same grid of samples; each writes `samples`² results, u fastest.
#[derive(Clone, Debug)]
pub struct PatchBatch<T> {
    /// Samples along an edge, 1 to `MAX_LEAF_SAMPLES`.
    pub samples: usize,
    /// `[order][sample][4]`: weights of the four control points along an axis, and, if
    /// normals are wanted, of the derivative.
    pub weights: Vec<T>,
    /// `[leaf][v 4][u 4]`: control points of any level.
    pub nets: Vec<u32>,
    /// `[leaf]`: missing control points, bits 0 and 1 for the ends of u, 2 and 3 of v.
    pub ends: Vec<u8>,
    /// `[leaf]`: first result, a multiple of `samples`².
    pub starts: Vec<u32>,
}

/// Leaves that are the product of one table with their control points.
#[derive(Clone, Debug)]
pub struct TableBatch<T> {
    /// Control points of a leaf.
    pub controls: usize,
    /// Weights of the control points of each leaf.
    pub weights: TableWeights<T>,
    /// `[leaf][control]`: control points of any level.
    pub nets: Vec<u32>,
    /// `[leaf]`: first result.
    pub starts: Vec<u32>,
    /// Samples whose normals come from tangents, and the weights `[2][control]` of these.
    pub tangents: Vec<(u32, Vec<f64>)>,
}

/// Weights of the control points of leaves at their samples.
#[derive(Clone, Debug)]
pub enum TableWeights<T> {
    /// Weights of any samples.
    Own {
        /// `[quantity][control][sample]`: positions and, if normals are wanted, derivatives
        /// by u and v.
        weights: Vec<T>,
        /// `[sample]`: result, counted from the leaf's first; ascending.
        places: Vec<u32>,
    },
    /// All samples of a square with i, j below its size; positions only.
    Square {
        /// Index of the square of samples.
        square: usize,
        /// u and v in the square of the leaf's (0, 0), of a step along i, along j.
        start: [i32; 2],
        /// See above.
        along: [[i32; 2]; 2],
    },
}

/// Weights that leaves share however their axes lie.
#[derive(Clone, Copy, Debug)]
pub struct SquareWeights<'a> {
    /// Steps along an edge.
    pub size: usize,
    /// `[v size + 1][u size + 1][control]`.
    pub weights: &'a [f64],
}

/// All that is evaluated in one go.
#[derive(Clone, Debug)]
pub struct SurfaceLayout<'a, T> {
    /// Control points of the mesh.
    pub controls: usize,
    /// Local levels of refinement.
    pub levels: &'a [Stencils],
    /// Regular leaves.
    pub patches: Vec<PatchBatch<T>>,
    /// Leaves that are products of tables with their control points.
    pub tables: Vec<TableBatch<T>>,
    /// Weights that some of them share.
    pub squares: Vec<SquareWeights<'a>>,
    /// Single points; positions alone.
    pub rows: PointRows<T>,
    /// Number of results.
    pub results: usize,
    /// Whether derivatives and normals come along.
    pub normals: bool,
}

/// See `Batch` in `kernels/surface/table.cu`.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct TableBatchRecord {
    pub net: u64,
    pub weights: u64,
    pub leaf: u32,
    pub places: u32,
    pub controls: u32,
    pub samples: u32,
    pub stride: u32,
    pub leaves: u32,
}

/// See `Item` in `kernels/surface/table.cu`.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct TableItem {
    pub batch: u32,
    pub leaf: u32,
    pub leaves: u32,
    pub sample: u32,
    pub threads: u32,
    pub padding: u32,
}

/// See `Square` in `kernels/surface/table.cu`.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct SquareBatch {
    pub from: u64,
    pub to: u64,
    pub controls: u32,
    pub size: u32,
    pub stride: u32,
    pub unused: u32,
    pub start: [i32; 2],
    pub along: [[i32; 2]; 2],
}

/// See `Tangents` in `kernels/surface/table.cu`.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Tangents {
    pub net: u64,
    pub weights: u64,
    pub controls: u32,
    pub result: u32,
    pub stride: u32,
    pub unused: u32,
}

// SAFETY: plain numbers, laid out as in CUDA C++.
unsafe impl DeviceRepr for TableBatchRecord {}

// SAFETY: as above.
unsafe impl DeviceRepr for TableItem {}

// SAFETY: as above.
unsafe impl DeviceRepr for SquareBatch {}

// SAFETY: as above.
unsafe impl DeviceRepr for Tangents {}

pub struct Tables<T> {
    pub nets: Buffer<u32>,
    pub starts: Buffer<u32>,
    pub weights: Buffer<T>,
    pub places: Buffer<u32>,
    pub batches: Buffer<TableBatchRecord>,
    pub items: Buffer<TableItem>,
    pub tangents: Buffer<Tangents>,
    pub tangent_weights: Buffer<f64>,
}
