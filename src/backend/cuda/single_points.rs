//! Single points as the kernels take them, of surfaces and of solids; see
//! `kernels/common/single_points.cuh`.

use cudarc::driver::DeviceRepr;

/// A point of a regular leaf.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct RegularPoint<const AXES: usize> {
    /// Parameters within the leaf.
    pub local: [f64; AXES],
    /// Index of the control net of the leaf.
    pub net: u32,
    /// Result.
    pub row: u32,
    /// Missing control points, two bits per axis for its low and its high end.
    pub ends: u32,
    /// Depth of the leaf.
    pub depth: u32,
}

/// A point by weights, `[quantity][control]`.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct WeightedPoint {
    /// First weight.
    pub weights: u64,
    /// First control point.
    pub net: u64,
    /// Number of control points of the point.
    pub controls: u32,
    /// Result.
    pub row: u32,
}

impl<const AXES: usize> Default for RegularPoint<AXES> {
    fn default() -> Self {
        Self { local: [0.0; AXES], net: 0, row: 0, ends: 0, depth: 0 }
    }
}

// SAFETY: plain numbers, laid out as in CUDA C++.
unsafe impl<const AXES: usize> DeviceRepr for RegularPoint<AXES> {}
// SAFETY: as above.
unsafe impl DeviceRepr for WeightedPoint {}
