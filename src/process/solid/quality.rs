//! Scaled Jacobians of control hexahedra.

use nalgebra::Vector3;
use rayon::prelude::*;
use serde::Serialize;

use super::energy::NEIGHBORS;

/// Scaled Jacobians of all hexahedra.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CellQuality {
    /// The least: at a corner, the determinant of its three edges over their lengths; 1 for a
    /// box, 0 where it is flat, −1 at the least.
    pub least: f64,
    /// The cell that has it.
    pub cell: u32,
    /// Mean over cells of the least of each.
    pub mean: f64,
    /// Cells whose least is not positive.
    pub non_positive: usize,
}

/// Scaled Jacobians at the corners of right-handed hexahedra.
pub fn cell_quality(points: &[[f64; 3]], hexes: &[[u32; 8]]) -> CellQuality {
    let all: Vec<f64> = hexes.par_iter().map(|hex| least(points, hex)).collect();
    let (mut worst, mut cell) = (1.0, 0);
    for (c, &value) in all.iter().enumerate() {
        if value < worst {
            (worst, cell) = (value, c as u32);
        }
    }
    CellQuality {
        least: worst,
        cell,
        mean: all.iter().sum::<f64>() / all.len().max(1) as f64,
        non_positive: all.iter().filter(|&&value| value <= 0.0).count(),
    }
}

/// The least scaled Jacobian at the corners of a hexahedron.
fn least(points: &[[f64; 3]], hex: &[u32; 8]) -> f64 {
    let at = |i: usize| Vector3::from(points[hex[i] as usize]);
    let scaled = |(corner, to): (usize, &[usize; 3])| {
        let [a, b, c] = to.map(|i| at(i) - at(corner));
        let determinant = a.cross(&b).dot(&c);
        let lengths = a.norm() * b.norm() * c.norm();
        if lengths > 0.0 { determinant / lengths } else { 0.0 }
    };
    NEIGHBORS.iter().enumerate().map(scaled).fold(1.0, f64::min)
}
