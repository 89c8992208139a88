//! Rows of a child's net over the control points of its parent's.

use faer::Mat;

use crate::scheme::Stencils;

/// Stencils of refined vertices as dense rows over the `controls` coarse ones.
pub(crate) fn dense_rows(stencils: &Stencils, vertices: &[u32], controls: usize) -> Mat<f64> {
    let mut rows = Mat::zeros(vertices.len(), controls);
    for (i, &v) in vertices.iter().enumerate() {
        for (column, weight) in stencils.row(v as usize) {
            rows[(i, column as usize)] = weight;
        }
    }
    rows
}

/// Replaces missing layers of a tensor net's rows by p₋₁ = 2p₀ − p₁ (u, then v, then w).
/// Bit 2 d + side of `ends`: the layer at that side of axis d is missing.
pub(crate) fn fold_phantoms(rows: &mut Mat<f64>, dimension: usize, ends: u8) {
    for d in 0..dimension {
        let stride = 4_usize.pow(d as u32);
        for side in (0..2).filter(|side| ends >> (2 * d + side) & 1 == 1) {
            for at in (0..rows.nrows()).filter(|at| at / stride % 4 == 3 * side) {
                let inward =
                    |steps| if side == 0 { at + steps * stride } else { at - steps * stride };
                for j in 0..rows.ncols() {
                    rows[(at, j)] = 2.0 * rows[(inward(1), j)] - rows[(inward(2), j)];
                }
            }
        }
    }
}
