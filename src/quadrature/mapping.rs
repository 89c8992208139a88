//! The map from parameters to space at the quadrature points: positions, Jacobians and
//! what follows from them.

use std::ops::Range;

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

use super::basis::SECOND_AXES;
use super::{Quadrature, Table, batch};
use crate::error::{Error, Result};
use crate::limit::Turn;
use crate::mesh::Controls;

/// Leaves multiplied with a table at once.
const LEAVES: usize = 8;
/// Samples of them at once: tables and products of a block stay in the cache.
const SAMPLES: usize = 32;

/// A quadrature with the positions of its control points.
#[derive(Debug)]
pub struct Mapping<'q> {
    quadrature: &'q Quadrature<'q>,
    // [point of all levels][3]
    points: Vec<f64>,
}

/// The physical quantities of some leaves of a batch, `[leaf][sample]` each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mapped {
    /// The batch.
    pub batch: usize,
    /// Which leaves of it.
    pub leaves: Range<usize>,
    /// Positions (x, y, z).
    pub points: Vec<[f64; 3]>,
    /// Jacobians d(x, y, z)/d(u, v, w) by the element's parameters: `[xyz][uvw]`.
    pub jacobians: Vec<[[f64; 3]; 3]>,
    /// Their determinants, in cubed length units.
    pub determinants: Vec<f64>,
    /// Weights of the physical quadrature: of the parameters' volume, times the
    /// determinant. They sum to the volume.
    pub measures: Vec<f64>,
    /// Inverse Jacobians d(u, v, w)/d(x, y, z): `[uvw][xyz]`. Not finite where the
    /// determinant is 0.
    pub inverse_jacobians: Vec<[[f64; 3]; 3]>,
    /// Second derivatives of the position by uu, vv, ww, uv, uw, vw: `[6][xyz]`; empty
    /// unless the quadrature has them.
    pub second: Vec<[[f64; 3]; 6]>,
}

impl<'q> Mapping<'q> {
    /// Takes control points: one for every vertex of the mesh.
    ///
    /// # Errors
    /// [`Error::Request`] for another number of them.
    pub fn new(quadrature: &'q Quadrature<'q>, controls: Controls<'_>) -> Result<Self> {
        let vertices = quadrature.solid.topology().vertex_count();
        if controls.positions.len() != vertices {
            let count = controls.positions.len();
            return Err(Error::request(format!("{count} control points for {vertices} vertices")));
        }
        let points = quadrature.solid.refined_points(controls.positions.as_flattened(), 3);
        Ok(Self { quadrature, points })
    }

    /// The quadrature.
    pub fn quadrature(&self) -> &'q Quadrature<'q> {
        self.quadrature
    }

    /// Evaluates a range of a batch's leaves into `mapped`, whose memory is used again.
    ///
    /// # Panics
    /// If there is no such batch or no such leaf in it.
    pub fn evaluate(&self, batch: usize, leaves: Range<usize>, mapped: &mut Mapped) {
        let table = self.quadrature.table(batch);
        let samples = table.nodes.len();
        mapped.begin(batch, leaves.clone(), samples, !table.basis.second.is_empty());
        let block = LEAVES * samples;
        let listed = &self.quadrature.batches[batch].leaves[leaves];
        (
            listed.par_chunks(LEAVES),
            mapped.points.par_chunks_mut(block),
            mapped.jacobians.par_chunks_mut(block),
            mapped.determinants.par_chunks_mut(block),
            mapped.measures.par_chunks_mut(block),
            mapped.inverse_jacobians.par_chunks_mut(block),
            pieces(&mut mapped.second, block, listed.len().div_ceil(LEAVES)),
        )
            .into_par_iter()
            .for_each(
                |(leaves, points, jacobians, determinants, measures, inverses, second)| {
                    let out = Block { points, jacobians, determinants, measures, inverses, second };
                    self.block(table, self.quadrature.batches[batch].turn, leaves, out);
                },
            );
    }

    fn block(&self, table: &Table, turn: Turn, leaves: &[u32], out: Block<'_>) {
        let controls = table.basis.controls;
        let width = 3 * leaves.len();
        // [control][leaf][3], relative to the first control point of each leaf
        let mut nets = vec![0.0; controls * width];
        let mut origins = Vec::with_capacity(leaves.len());
        for (l, &leaf) in leaves.iter().enumerate() {
            let net = batch::net(self.quadrature.solid, self.quadrature.leaf(leaf), &table.slots);
            let point =
                |at: u32| -> [f64; 3] { std::array::from_fn(|d| self.points[3 * at as usize + d]) };
            let origin = point(net[0]);
            for (row, &at) in nets.chunks_exact_mut(width).zip(&net) {
                let p = point(at);
                (0..3).for_each(|d| row[3 * l + d] = p[d] - origin[d]);
            }
            origins.push(origin);
        }
        let samples = table.nodes.len();
        let scale = f64::from(table.key.depth).exp2().powi(-3);
        let mut products = vec![0.0; 10 * SAMPLES * width];
        for first in (0..samples).step_by(SAMPLES) {
            let count = SAMPLES.min(samples - first);
            let (values, rest) = products.split_at_mut(SAMPLES * width);
            let (gradients, second) = rest.split_at_mut(3 * SAMPLES * width);
            let part = |table: &[f64], rows: usize, to: &mut [f64]| {
                let size = rows * controls;
                multiply(&table[first * size..(first + count) * size], &nets, width, to);
            };
            part(&table.basis.values, 1, values);
            part(&table.basis.gradients, 3, gradients);
            if !out.second.is_empty() {
                part(&table.basis.second, 6, second);
            }
            for (l, origin) in origins.iter().enumerate() {
                for s in 0..count {
                    let row = |of: &[f64], row: usize| -> [f64; 3] {
                        std::array::from_fn(|d| of[row * width + 3 * l + d])
                    };
                    let at = l * samples + first + s;
                    let p = row(values, s);
                    out.points[at] = std::array::from_fn(|d| origin[d] + p[d]);
                    let locals = [0, 1, 2].map(|d| row(gradients, 3 * s + d));
                    let jacobian = turned_jacobian(&locals, turn);
                    let (determinant, inverse) = invert(&jacobian);
                    out.jacobians[at] = jacobian;
                    out.determinants[at] = determinant;
                    out.measures[at] = scale * table.nodes.weights[first + s] * determinant;
                    out.inverses[at] = inverse;
                    if !out.second.is_empty() {
                        let locals = [0, 1, 2, 3, 4, 5].map(|k| row(second, 6 * s + k));
                        out.second[at] = turned_second(&locals, turn);
                    }
                }
            }
        }
    }
}

/// What a block of leaves is evaluated into, `[leaf][sample]`.
struct Block<'a> {
    points: &'a mut [[f64; 3]],
    jacobians: &'a mut [[[f64; 3]; 3]],
    determinants: &'a mut [f64],
    measures: &'a mut [f64],
    inverses: &'a mut [[[f64; 3]; 3]],
    second: &'a mut [[[f64; 3]; 6]],
}

impl Mapped {
    fn begin(&mut self, batch: usize, leaves: Range<usize>, samples: usize, second: bool) {
        let count = leaves.len() * samples;
        self.batch = batch;
        self.leaves = leaves;
        self.points.resize(count, [0.0; 3]);
        self.jacobians.resize(count, [[0.0; 3]; 3]);
        self.determinants.resize(count, 0.0);
        self.measures.resize(count, 0.0);
        self.inverse_jacobians.resize(count, [[0.0; 3]; 3]);
        self.second.resize(if second { count } else { 0 }, [[0.0; 3]; 6]);
    }
}

/// `count` chunks of `size` values, or as many of none if there are none.
fn pieces<T: Send>(values: &mut [T], size: usize, count: usize) -> Vec<&mut [T]> {
    if values.is_empty() {
        return std::iter::repeat_with(|| &mut [][..]).take(count).collect();
    }
    values.chunks_mut(size).collect()
}

/// `table: [row][control]` times `nets: [control][width]`, into `[row][width]`.
fn multiply(table: &[f64], nets: &[f64], width: usize, to: &mut [f64]) {
    let controls = nets.len() / width;
    let rows = table.len() / controls;
    let to = MatMut::from_row_major_slice_mut(&mut to[..rows * width], rows, width);
    let table = MatRef::from_row_major_slice(table, rows, controls);
    let nets = MatRef::from_row_major_slice(nets, controls, width);
    matmul(to, Accum::Replace, table, nets, 1.0, Par::Seq);
}

/// `[xyz][uvw]` from derivatives along local axes.
fn turned_jacobian(locals: &[[f64; 3]; 3], turn: Turn) -> [[f64; 3]; 3] {
    let mut jacobian = [[0.0; 3]; 3];
    for (d, local) in locals.iter().enumerate() {
        let sign = if turn.flips[d] { -1.0 } else { 1.0 };
        for (row, x) in jacobian.iter_mut().zip(local) {
            row[turn.axes[d] as usize] = sign * x;
        }
    }
    jacobian
}

/// `[uu, vv, ww, uv, uw, vw][xyz]` from derivatives along local axes.
fn turned_second(locals: &[[f64; 3]; 6], turn: Turn) -> [[f64; 3]; 6] {
    let mut second = [[0.0; 3]; 6];
    for (local, [d, e]) in locals.iter().zip(SECOND_AXES.map(|axes| axes.map(usize::from))) {
        let (a, b) = (turn.axes[d].min(turn.axes[e]), turn.axes[d].max(turn.axes[e]));
        let sign = if turn.flips[d] != turn.flips[e] { -1.0 } else { 1.0 };
        let row = SECOND_AXES.iter().position(|&axes| axes == [a, b]).unwrap_or(0);
        second[row] = local.map(|x| sign * x);
    }
    second
}

/// Determinant and inverse.
fn invert(j: &[[f64; 3]; 3]) -> (f64, [[f64; 3]; 3]) {
    let cofactor = |r: usize, c: usize| {
        let ([a, b], [d, e]) = ([(r + 1) % 3, (r + 2) % 3], [(c + 1) % 3, (c + 2) % 3]);
        j[a][d] * j[b][e] - j[a][e] * j[b][d]
    };
    let cofactors = [0, 1, 2].map(|r| [0, 1, 2].map(|c| cofactor(r, c)));
    let determinant: f64 = (0..3).map(|c| j[0][c] * cofactors[0][c]).sum();
    let scale = 1.0 / determinant;
    (determinant, [0, 1, 2].map(|c| [0, 1, 2].map(|r| scale * cofactors[r][c])))
}
