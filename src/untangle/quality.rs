//! Scaled Jacobians of control hexahedra.

use rayon::prelude::*;
use serde::Serialize;

use crate::mesh::folded::least_corner;

/// Scaled Jacobians of all hexahedra.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
// schemas of reports keep its earlier name
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema), schemars(rename = "CellQuality"))]
pub struct ScaledJacobians {
    /// Least scaled Jacobian: at a corner, the determinant of its three edges divided by their
    /// lengths; from −1 to 1, 1 for a box, 0 where flat.
    pub least: f64,
    /// The cell with the least scaled Jacobian.
    pub cell: u32,
    /// Mean, over cells, of the least scaled Jacobian of each.
    pub mean: f64,
    /// Number of folded cells: their least scaled Jacobian is not positive.
    pub non_positive: usize,
}

/// Scaled Jacobians at the corners of right-handed hexahedra.
pub fn cell_quality(points: &[[f64; 3]], hexes: &[[u32; 8]]) -> ScaledJacobians {
    let all: Vec<f64> = hexes.par_iter().map(|hex| least_corner(points, hex, 1.0)).collect();
    let (mut worst, mut cell) = (1.0, 0);
    for (c, &value) in all.iter().enumerate() {
        if value < worst {
            (worst, cell) = (value, c as u32);
        }
    }
    ScaledJacobians {
        least: worst,
        cell,
        mean: all.iter().sum::<f64>() / all.len().max(1) as f64,
        non_positive: all.iter().filter(|&&value| value <= 0.0).count(),
    }
}
