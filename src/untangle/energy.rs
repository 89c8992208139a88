//! The regularized mean-ratio energy of hexahedra.
//!
//! Garanzha et al., "Foldover-free maps in 50 lines of code" (2021), eq. (2) and (4): at each
//! corner, with the edges over their wanted lengths as columns of J,
//! f = |J|² / (3 χ(det J, ε)^(2/3)), χ(D, ε) = (D + √(ε² + D²)) / 2. f is 1 for a box of the
//! wanted lengths. The sum of f^p over all corners is minimized; p > 1 stresses the worst.

use nalgebra::Vector3;
use rayon::prelude::*;

use crate::mesh::folded::NEIGHBORS;
use crate::topology::Rows;

/// Axes of the edges to [`NEIGHBORS`].
const AXES: [[usize; 3]; 8] =
    [[0, 1, 2], [1, 0, 2], [0, 1, 2], [1, 0, 2], [1, 0, 2], [0, 1, 2], [1, 0, 2], [0, 1, 2]];
/// Terms that are summed together; sums of these are added in their order.
const SUM_TERMS: usize = 1024;

/// Where a vertex may move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Freedom {
    /// Not at all.
    None,
    /// Anywhere.
    All,
    /// Across a unit normal: in a plane.
    Across(Vector3<f64>),
    /// Along a unit vector: on a line.
    Along(Vector3<f64>),
}

impl Freedom {
    /// The part of a gradient that it may follow.
    fn project(self, gradient: Vector3<f64>) -> Vector3<f64> {
        match self {
            Self::None => Vector3::zeros(),
            Self::All => gradient,
            Self::Across(normal) => gradient - normal * normal.dot(&gradient),
            Self::Along(direction) => direction * direction.dot(&gradient),
        }
    }
}

/// The energy of a mesh as a function of its points.
pub(super) struct Energy<'a> {
    /// Right-handed hexahedra.
    pub hexes: &'a [[u32; 8]],
    /// For each vertex the corners of cells, `8 cell + corner`, that it is.
    pub places: Rows,
    /// Directions in which each vertex may move.
    pub freedoms: &'a [Freedom],
    /// Wanted lengths of the edges of each cell, by axis.
    pub lengths: Vec<[f64; 3]>,
    /// ε; 0: the energy is infinite where a determinant is not positive.
    pub epsilon: f64,
    /// p.
    pub power: i32,
}

impl<'a> Energy<'a> {
    /// The energy with the mean lengths of each cell's edges as the wanted ones.
    pub fn new(hexes: &'a [[u32; 8]], freedoms: &'a [Freedom], points: &[[f64; 3]]) -> Self {
        let corners: Vec<u32> = hexes.as_flattened().to_vec();
        let places = Rows::uniform(corners, 1).transpose(points.len());
        let mut energy =
            Self { hexes, places, freedoms, lengths: Vec::new(), epsilon: 0.0, power: 1 };
        energy.set_lengths(points);
        energy
    }

    /// Takes the mean lengths of each cell's edges as the wanted ones.
    fn set_lengths(&mut self, points: &[[f64; 3]]) {
        let lengths = |hex: &[u32; 8]| {
            let mut sums = [0.0; 3];
            for (i, (to, axes)) in NEIGHBORS.iter().zip(&AXES).enumerate() {
                for (&j, &axis) in to.iter().zip(axes) {
                    sums[axis] += (at(points, hex, j) - at(points, hex, i)).norm() / 8.0;
                }
            }
            let longest = sums.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
            sums.map(|length| length.max(1e-3 * longest))
        };
        self.lengths = self.hexes.par_iter().map(lengths).collect();
    }

    /// The least determinant at all corners, of edges over their wanted lengths.
    pub fn least_determinant(&self, points: &[[f64; 3]]) -> f64 {
        let cells = self.hexes.par_iter().zip(&self.lengths);
        let least = cells.map(|(hex, lengths)| {
            let corners = (0..8).map(|i| {
                let [a, b, c] = columns(points, hex, i, lengths);
                a.cross(&b).dot(&c)
            });
            corners.fold(f64::INFINITY, f64::min)
        });
        least.reduce(|| f64::INFINITY, f64::min)
    }

    /// The energy, infinite where it does not exist, and its gradient `[vertex]`, the part of it
    /// along which they may move.
    pub(crate) fn value_and_gradient(&self, points: &[[f64; 3]]) -> (f64, Vec<[f64; 3]>) {
        let cells: Vec<(f64, [Vector3<f64>; 8])> = self
            .hexes
            .par_iter()
            .zip(&self.lengths)
            .map(|(hex, lengths)| self.cell(points, hex, lengths))
            .collect();
        let sums: Vec<f64> = cells
            .par_chunks(SUM_TERMS)
            .map(|chunk| chunk.iter().map(|cell| cell.0).sum())
            .collect();
        let value: f64 = sums.iter().sum();
        let gather = |v: usize| -> [f64; 3] {
            if self.freedoms[v] == Freedom::None {
                return [0.0; 3];
            }
            let places = self.places.row(v).iter().map(|&place| place as usize);
            let sum: Vector3<f64> = places.map(|place| cells[place / 8].1[place % 8]).sum();
            self.freedoms[v].project(sum).into()
        };
        let gradient = (0..points.len()).into_par_iter().map(gather).collect();
        (if value.is_finite() { value } else { f64::INFINITY }, gradient)
    }

    /// Energy of a cell and its gradients at the corners.
    fn cell(
        &self,
        points: &[[f64; 3]],
        hex: &[u32; 8],
        lengths: &[f64; 3],
    ) -> (f64, [Vector3<f64>; 8]) {
        let mut value = 0.0;
        let mut gradients = [Vector3::zeros(); 8];
        for (i, (to, axes)) in NEIGHBORS.iter().zip(&AXES).enumerate() {
            let [a, b, c] = columns(points, hex, i, lengths);
            let determinant = a.cross(&b).dot(&c);
            let square = a.norm_squared() + b.norm_squared() + c.norm_squared();
            let root = self.epsilon.hypot(determinant);
            // without cancellation where the determinant is negative
            let chi = if determinant > 0.0 {
                (determinant + root) / 2.0
            } else {
                self.epsilon.powi(2) / (2.0 * (root - determinant))
            };
            if chi.is_nan() || chi <= 0.0 {
                return (f64::INFINITY, gradients);
            }
            let slope =
                if determinant > 0.0 { (1.0 + determinant / root) / 2.0 } else { chi / root };
            let shrink = chi.cbrt().powi(-2);
            let f = square * shrink / 3.0;
            value += f.powi(self.power);
            let outer = f64::from(self.power) * f.powi(self.power - 1);
            let cofactors = [b.cross(&c), c.cross(&a), a.cross(&b)];
            for (k, column) in [a, b, c].into_iter().enumerate() {
                let inner =
                    column * (2.0 * shrink / 3.0) - cofactors[k] * (2.0 / 3.0 * f * slope / chi);
                let gradient = inner * (outer / lengths[axes[k]]);
                gradients[to[k]] += gradient;
                gradients[i] -= gradient;
            }
        }
        (value, gradients)
    }
}

fn at(points: &[[f64; 3]], hex: &[u32; 8], corner: usize) -> Vector3<f64> {
    Vector3::from(points[hex[corner] as usize])
}

/// Edges at a corner over their wanted lengths.
fn columns(
    points: &[[f64; 3]],
    hex: &[u32; 8],
    corner: usize,
    lengths: &[f64; 3],
) -> [Vector3<f64>; 3] {
    let from = at(points, hex, corner);
    std::array::from_fn(|k| {
        (at(points, hex, NEIGHBORS[corner][k]) - from) / lengths[AXES[corner][k]]
    })
}
