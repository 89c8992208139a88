//! Weights of a leaf's control points at the vertices that further refinement makes of it:
//! places of a finite level, not of the limit.

use super::frame::FaceFrame;
use super::net::{irregular, regular_quad};
use super::net_mesh::net_mesh;
use super::refine::refine;
use super::surface::LimitSurface;
use crate::basis::{MissingLayers, bspline};

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
pub(crate) struct FiniteWeights {
    /// Faces along an edge: 2ˢ.
    pub size: usize,
    pub controls: usize,
    /// `[v size + 1][u size + 1][control]` along the structure's own axes.
    pub weights: Vec<f64>,
}

impl LimitSurface {
    /// The weights of a structure of a Catmull-Clark surface after the steps that `rows`
    /// ([`spline_rows`], by steps) reach; `None` if it does not refine, which no structure
    /// of a surface does.
    ///
    /// A step makes three regular leaves, whose vertices are splines of their own nets, and
    /// one around the extraordinary vertex, which the next step takes apart.
    pub(in crate::surface) fn finite_weights(
        &self,
        structure: usize,
        rows: &[Vec<[f64; 4]>],
    ) -> Option<FiniteWeights> {
        let steps = rows.len() - 1;
        let mut net = net_mesh(&self.structures[structure].key, self.scheme)?;
        let controls = net.vertex_count();
        let (size, side) = (1 << steps, (1 << steps) + 1);
        let mut weights = vec![0.0; side * side * controls];
        // [vertex of the net][control]
        let mut values = vec![0.0; controls * controls];
        (0..controls).for_each(|c| values[c * controls + c] = 1.0);
        for step in (0..steps).rev() {
            let refined = refine(&net, Some(&[0])).ok()?;
            let fine = &refined.connectivity;
            let fine_values = refined.stencils.apply(&values, controls);
            let value = |v: u32| &fine_values[v as usize * controls..][..controls];
            let frame = |number: u32| {
                let child = refined.parents.iter().position(|&at| at == (0, number))?;
                Some(FaceFrame::new(child as u32, 0))
            };
            for (number, u, v) in [(1, 1, 0), (2, 1, 1), (3, 0, 1)] {
                let (ids, ends) = regular_quad(fine, frame(number)?);
                let points: Vec<&[f64]> = ids.iter().map(|&id| value(id)).collect();
                let first = ((v * side + u) << step) * controls;
                spline_block(&rows[step], &points, ends, &mut weights[first..], side * controls);
            }
            let inner = irregular(fine, frame(0)?, |v| fine.rule(v));
            values = inner.vertices.iter().flat_map(|&v| value(v)).copied().collect();
            net = net_mesh(&inner.key, self.scheme)?;
        }
        for (&vertex, [u, v]) in net.face(0).iter().zip([[0, 0], [1, 0], [1, 1], [0, 1]]) {
            let value = &values[vertex as usize * controls..][..controls];
            weights[(v * side + u) * controls..][..controls].copy_from_slice(value);
        }
        Some(FiniteWeights { size, controls, weights })
    }
}

/// Weights at the vertices of a regular leaf, rows of them `stride` apart, from the weights of its
/// control points `[v 4][u 4]`.
fn spline_block(
    rows: &[[f64; 4]],
    points: &[&[f64]],
    ends: MissingLayers,
    weights: &mut [f64],
    stride: usize,
) {
    let controls = points[0].len();
    let fold = |row: &[f64; 4], ends: MissingLayers| bspline::end(*row, ends.low(), ends.high());
    let along_v: Vec<[f64; 4]> = rows.iter().map(|row| fold(row, ends.axis(1))).collect();
    let mut column = vec![0.0; 4 * controls];
    for (i, row) in rows.iter().enumerate() {
        let b = fold(row, ends.axis(0));
        for (v, sums) in column.chunks_exact_mut(controls).enumerate() {
            let line = &points[4 * v..4 * v + 4];
            for (c, sum) in sums.iter_mut().enumerate() {
                *sum = (0..4).map(|u| b[u] * line[u][c]).sum();
            }
        }
        for (j, b) in along_v.iter().enumerate() {
            let to = &mut weights[j * stride + i * controls..][..controls];
            for (c, to) in to.iter_mut().enumerate() {
                *to = (0..4).map(|v| b[v] * column[v * controls + c]).sum();
            }
        }
    }
}
