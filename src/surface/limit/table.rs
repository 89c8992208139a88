//! Weights that the leaves of one structure share.

/// Weights of a leaf's control points at the samples that lie in it.
#[derive(Clone, Debug, PartialEq)]
pub struct SurfaceTable {
    /// Sample of the element of each sample of the table.
    pub samples: Vec<u32>,
    /// Control points of the leaf.
    pub controls: usize,
    /// `[quantity][control point][sample]`: the position, then, if normals are wanted,
    /// the derivatives by u and v; NaN where a derivative does not exist.
    pub weights: Vec<f64>,
    /// Samples (of the table) at an extraordinary point, and the weights of the tangents
    /// there, `[2][control point]`, NaN if there is no tangent plane; derivatives may
    /// vanish there where tangents do not.
    pub tangents: Vec<(u32, Vec<f64>)>,
}
