//! Weights of a leaf's control points at the vertices that further refinement makes of it:
//! places of a finite level, not of the limit.

use super::faces::Scheme;
use super::patch::patch;
use super::refine::refine;
use super::surface::LimitSurface;
use crate::topology::NONE;

/// Weights of the four control points along an axis at the 2ˢ + 1 vertices between the ends
/// of a segment after s `steps` of refinement, `[vertex][4]`.
///
/// A missing control point at an end is the phantom 2p₀ − p₁ at every level: its own
/// refinement is the phantom of the refined points.
pub(in crate::surface) fn spline_rows(steps: usize) -> Vec<[f64; 4]> {
    // vertices −1 to 2ˢ + 1
    let mut rows: Vec<[f64; 4]> =
        (0..4).map(|i| std::array::from_fn(|k| f64::from(u8::from(i == k)))).collect();
    for _ in 0..steps {
        let vertex = |k: usize| -> [f64; 4] {
            std::array::from_fn(|c| (rows[k - 1][c] + 6.0 * rows[k][c] + rows[k + 1][c]) / 8.0)
        };
        let edge = |k: usize| std::array::from_fn(|c| (rows[k][c] + rows[k + 1][c]) / 2.0);
        let mut fine = vec![edge(0)];
        for k in 1..rows.len() - 1 {
            fine.extend([vertex(k), edge(k)]);
        }
        rows = fine;
    }
    rows[1..rows.len() - 1].to_vec()
}

/// Weights of the control points of an irregular leaf at its vertices after some steps.
pub(in crate::surface) struct FiniteWeights {
    /// Vertices along an edge, less one: 2ˢ.
    pub size: usize,
    pub controls: usize,
    /// `[v size + 1][u size + 1][control]` along the structure's own axes.
    pub weights: Vec<f64>,
}

impl LimitSurface {
    /// The weights of a structure of a Catmull-Clark surface; `None` if it does not refine,
    /// which no structure of a surface does.
    pub(in crate::surface) fn finite_weights(
        &self,
        structure: usize,
        steps: usize,
    ) -> Option<FiniteWeights> {
        let mut level = patch(&self.structures[structure].key, Scheme::CatmullClark)?;
        let controls = level.vertex_count;
        let mut values = vec![0.0; controls * controls];
        (0..controls).for_each(|c| values[c * controls + c] = 1.0);
        // [v][u]: faces that the leaf has become
        let (mut faces, mut size) = (vec![0], 1);
        for _ in 0..steps {
            let step = refine(&level, Some(&faces)).ok()?;
            let mut places = vec![NONE; level.faces.len()];
            (0u32..).zip(&faces).for_each(|(place, &face)| places[face as usize] = place);
            let mut children = vec![NONE; 4 * faces.len()];
            for (child, &(parent, number)) in (0u32..).zip(&step.parents) {
                let place = places[parent as usize];
                if place != NONE {
                    let (u, v) = (place as usize % size, place as usize / size);
                    let [du, dv] = [[0, 0], [1, 0], [1, 1], [0, 1]][number as usize & 3];
                    children[(2 * v + dv) * 2 * size + 2 * u + du] = child;
                }
            }
            values = step.stencils.apply(&values, controls);
            (faces, size) = (children, 2 * size);
            level = step.connectivity;
        }
        let side = size + 1;
        let mut weights = vec![0.0; side * side * controls];
        for (place, &face) in faces.iter().enumerate() {
            let (u, v) = (place % size, place / size);
            let cycle = level.faces.row(face as usize);
            for (&vertex, [du, dv]) in cycle.iter().zip([[0, 0], [1, 0], [1, 1], [0, 1]]) {
                let at = ((v + dv) * side + u + du) * controls;
                let from = vertex as usize * controls;
                weights[at..at + controls].copy_from_slice(&values[from..from + controls]);
            }
        }
        Some(FiniteWeights { size, controls, weights })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_approach_the_spline() {
        for steps in 0..6 {
            let rows = spline_rows(steps);
            assert_eq!(rows.len(), (1 << steps) + 1);
            for (i, row) in rows.iter().enumerate() {
                assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-15);
                // lines stay in place
                let at = (0..4).map(|k| row[k] * (k as f64 - 1.0)).sum::<f64>();
                assert!((at - i as f64 / (rows.len() - 1) as f64).abs() < 1e-15);
            }
        }
        // the limit of vertex k is (p₋₁ + 4p + p₊₁)/6: the value of the spline there
        let rows = spline_rows(3);
        for k in 1..8 {
            let spline = crate::basis::bspline::cubic(k as f64 / 8.0);
            for c in 0..4 {
                let limit = (rows[k - 1][c] + 4.0 * rows[k][c] + rows[k + 1][c]) / 6.0;
                assert!((limit - spline[c]).abs() < 1e-15);
            }
        }
    }
}
