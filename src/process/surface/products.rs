//! Conjugate gradients whose products find cotangent weights from the points.

use rayon::prelude::*;

use super::cotangent::triangle;
use crate::error::{Error, Result, option_name};
use crate::interrupt::stop_point;
use crate::topology::Rows;

type Position = [f64; 3];

/// Vertices whose products are summed one after another, so that sums are the same for any number
/// of threads.
const SUM_VERTICES: usize = 1 << 12;
/// The residual has fallen by this where iterations end.
const TOLERANCE: f64 = 1e-12;

/// Triangles, and those at each vertex.
pub(super) struct CotangentProducts<'m> {
    points: &'m [Position],
    faces: &'m [[u32; 3]],
    at_vertices: &'m Rows,
}

impl<'m> CotangentProducts<'m> {
    pub fn new(points: &'m [Position], faces: &'m [[u32; 3]], at_vertices: &'m Rows) -> Self {
        Self { points, faces, at_vertices }
    }

    /// The mass of a vertex, and calls `visit` with the two others of each triangle at it and the
    /// parts of their weights that it has.
    fn around(&self, v: usize, mut visit: impl FnMut(usize, f64)) -> f64 {
        let mut mass = 0.0;
        for &f in self.at_vertices.row(v) {
            let face = &self.faces[f as usize];
            let (cotangents, area) = triangle(self.points, face);
            let Some(i) = face.iter().position(|&corner| corner as usize == v) else { continue };
            mass += area / 3.0;
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            visit(face[j] as usize, 0.5 * cotangents[k]);
            visit(face[k] as usize, 0.5 * cotangents[j]);
        }
        mass
    }

    /// `mass` M + `stiffness` L times values, in the row of a vertex.
    fn row(&self, v: usize, mass: f64, stiffness: f64, of: &[Position]) -> Position {
        let mut sum = [0.0; 3];
        let own = self.around(v, |other, weight| {
            (0..3).for_each(|d| sum[d] += weight * (of[v][d] - of[other][d]));
        });
        std::array::from_fn(|d| mass * own * of[v][d] + stiffness * sum[d])
    }

    /// Points after a step of flow: (M + time L) d = -time L p for the displacements d of the
    /// points p.
    ///
    /// # Errors
    /// [`Error::Mesh`] if iterations do not end.
    pub fn flow(&self, time: f64, free: &[bool]) -> Result<Vec<Position>> {
        let count = self.points.len();
        let all = |row: &(dyn Fn(usize) -> Position + Sync)| -> Vec<Position> {
            let own = |v| if free[v] { row(v) } else { [0.0; 3] };
            (0..count).into_par_iter().map(own).collect()
        };
        // one over the diagonal
        let inverse: Vec<f64> = (0..count)
            .into_par_iter()
            .map(|v| {
                let mut sum = 0.0;
                let mass = self.around(v, |_, weight| sum += weight);
                1.0 / (mass + time * sum)
            })
            .collect();
        let mut residual = all(&|v| self.row(v, 0.0, -time, self.points));
        let mut direction = all(&|v| residual[v].map(|r| inverse[v] * r));
        let mut displacements = vec![[0.0; 3]; count];
        let mut square = dots(&residual, &direction);
        let limits = square.map(|square| square * TOLERANCE * TOLERANCE);
        let most = 10 * count + 1000;
        for _ in 0..most {
            stop_point();
            if (0..3).all(|d| square[d] <= limits[d]) {
                let moved = self.points.iter().zip(&displacements);
                return Ok(moved.map(|(p, d)| [0, 1, 2].map(|i| p[i] + d[i])).collect());
            }
            let product = all(&|v| self.row(v, 1.0, time, &direction));
            let along = dots(&direction, &product);
            let ratio = |a: f64, b: f64| if b > 0.0 { a / b } else { 0.0 };
            let step: Position = std::array::from_fn(|d| ratio(square[d], along[d]));
            let both =
                displacements.par_iter_mut().zip(&mut residual).zip(&direction).zip(&product);
            both.for_each(|(((d, r), p), q)| {
                (0..3).for_each(|i| {
                    d[i] += step[i] * p[i];
                    r[i] -= step[i] * q[i];
                });
            });
            let scaled = all(&|v| residual[v].map(|r| inverse[v] * r));
            let next = dots(&residual, &scaled);
            let keep: Position = std::array::from_fn(|d| ratio(next[d], square[d]));
            direction.par_iter_mut().zip(&scaled).for_each(|(p, z)| {
                (0..3).for_each(|d| p[d] = z[d] + keep[d] * p[d]);
            });
            square = next;
        }
        Err(Error::mesh(format!("conjugate gradients did not converge in {most} iterations"))
            .with_help(message!(
                "look for very thin triangles, or solve with stored weights (without ",
                option_name("matrix_free"),
                ")"
            )))
    }
}

/// Products of each column, summed in an order of their own.
fn dots(a: &[Position], b: &[Position]) -> Position {
    let of_chunk = |(a, b): (&[Position], &[Position])| {
        let mut sum = [0.0; 3];
        a.iter().zip(b).for_each(|(a, b)| (0..3).for_each(|d| sum[d] += a[d] * b[d]));
        sum
    };
    let sums: Vec<Position> =
        a.par_chunks(SUM_VERTICES).zip(b.par_chunks(SUM_VERTICES)).map(of_chunk).collect();
    sums.iter().fold([0.0; 3], |sum, part| std::array::from_fn(|d| sum[d] + part[d]))
}
