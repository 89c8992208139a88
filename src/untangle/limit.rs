//! Untangling the limit: inner vertices move until det J is positive on all of it.
//!
//! # Theory
//! The energy Σ w |J|² / χ(det J, ε)^(2/3) over Gauss points of the limit, with ε falling by the
//! rule of Garanzha et al., "Foldover-free maps in 50 lines of code" (2021), §3.2. J is linear in
//! the control points; its [adjoint](crate::plan::Adjoint) turns gradients by J into gradients by
//! control points. Bézier coefficients bound det J from below on all of an element: elements
//! without a positive bound get more points, until all have one or nothing changes.

use nalgebra::Matrix3;
use rayon::prelude::*;
use serde::Serialize;

use super::determinant_bound::{ElementBound, ElementBounds, LeastDeterminant};
use super::lbfgs::minimize;
use crate::backend::{Backend, Cpu, Values};
use crate::basis::gauss;
use crate::error::Result;
use crate::limit::Solid;
use crate::mesh::{Controls, SolidMesh};
use crate::numbers::median;
use crate::plan::{Adjoint, Location, Plan, Samples, Want};
use crate::refine::reorient;
use crate::topology::Topology;

/// Rounds of [`untangle_limit`] at most.
pub const MAX_LIMIT_ROUNDS: usize = 10;
/// Steps of a round.
const ROUND_STEPS: usize = 40;
/// Gauss points along each axis, of all elements and of those without a positive bound.
const POINTS: usize = 3;
const EXTRA_POINTS: usize = 6;
/// Least determinant, as a part of the median, from which ε stays.
const SAFE_FRACTION: f64 = 0.02;
const LEAST_EPSILON: f64 = 1e-4;
/// Longest first step, in lengths of a cell.
const REACH: f64 = 0.1;

/// What untangling the limit did.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct LimitUntangled {
    /// Bound of det J before.
    pub before: LeastDeterminant,
    /// Bound of det J after.
    pub after: LeastDeterminant,
    /// Number of vertices that moved.
    pub moved: usize,
    /// Rounds of minimization.
    pub rounds: usize,
}

/// Moves inner vertices of a mesh of any cells until det J of its limit is positive, as far as
/// that is found; the boundary stays. The result is never worse: elements that may be
/// folded are not more than before, and where they are as many the bound is not lower.
///
/// `progress` is called after each of at most [`MAX_LIMIT_ROUNDS`] rounds with the number of
/// elements that may be folded; its error ends the work, and the mesh is as it was.
///
/// # Errors
/// Those of [`reorient`] and [`Solid::new`]; those of `progress`.
pub fn untangle_limit(
    mesh: &mut SolidMesh,
    mut progress: impl FnMut(usize) -> Result<()>,
) -> Result<LimitUntangled> {
    let mut oriented = mesh.clone();
    reorient(&mut oriented)?;
    let solid = Solid::new(&oriented)?;
    let bounds = ElementBounds::new(&solid)?;
    let start = oriented.points.clone();
    let found = bounds.of(&start);
    let before = LeastDeterminant::of_elements(&found);
    let mut result = LimitUntangled { before, after: before, moved: 0, rounds: 0 };
    let is_free = free_vertices(solid.topology());
    if before.negative == 0 || !is_free.contains(&true) {
        return Ok(result);
    }
    let mut best = (before, start.clone());
    let mut points = start.clone();
    let mut unproven = unproven(&found);
    let mut extra = Vec::new();
    while result.rounds < MAX_LIMIT_ROUNDS {
        let energy = LimitEnergy::new(&solid, &extra, &is_free, &points)?;
        energy.minimize(&mut points);
        result.rounds += 1;
        let found = bounds.of(&points);
        let now = LeastDeterminant::of_elements(&found);
        progress(now.negative)?;
        let rank = |least: &LeastDeterminant| (std::cmp::Reverse(least.negative), least.bound);
        let is_better = rank(&now) > rank(&best.0);
        if is_better {
            best = (now, points.clone());
        }
        let next = self::unproven(&found);
        if now.negative == 0 || !is_better && next == unproven && result.rounds > 3 {
            break;
        }
        unproven = next;
        let known: std::collections::BTreeSet<u32> = extra.iter().copied().collect();
        extra = known.into_iter().chain(unproven.iter().copied()).collect();
        extra.sort_unstable();
        extra.dedup();
    }
    result.after = best.0;
    for (v, point) in best.1.into_iter().enumerate().filter(|(v, point)| *point != start[*v]) {
        mesh.points[v] = point;
        result.moved += 1;
    }
    Ok(result)
}

/// Elements that may be folded.
fn unproven(bounds: &[ElementBound]) -> Vec<u32> {
    (0..bounds.len() as u32).filter(|&e| bounds[e as usize].least < 0.0).collect()
}

fn free_vertices(topology: &Topology) -> Vec<bool> {
    let is_inside = |v| !topology.is_boundary_vertex(v) && !topology.vertex_cells(v).is_empty();
    (0..topology.vertex_count() as u32).map(is_inside).collect()
}

/// The energy of the limit as a function of control points.
struct LimitEnergy<'a> {
    terms: Vec<Term<'a>>,
    is_free: &'a [bool],
    /// Median of the determinants, to which ε is relative.
    scale: f64,
    epsilon: f64,
    reach: f64,
}

/// Samples of one plan.
struct Term<'a> {
    plan: Plan<'a>,
    adjoint: Adjoint,
    // [result]
    weights: Vec<f64>,
    values: Vec<f64>,
}

impl<'a> LimitEnergy<'a> {
    fn new(
        solid: &'a Solid,
        extra: &[u32],
        is_free: &'a [bool],
        points: &[[f64; 3]],
    ) -> Result<Self> {
        let mut terms = vec![Term::new(solid, Samples::gauss(POINTS)?, POINTS)?];
        if !extra.is_empty() {
            let rule = gauss::rule(EXTRA_POINTS)?.points;
            let place = |element, i: usize| Location {
                element,
                parameters: [i % 6, i / 6 % 6, i / 36].map(|k| rule[k]),
            };
            let count = EXTRA_POINTS.pow(3);
            let places = extra.iter().flat_map(|&e| (0..count).map(move |i| (e, i)));
            let places = places.map(|(e, i)| place(e, i)).collect();
            terms.push(Term::new(solid, Samples::Points(places), EXTRA_POINTS)?);
        }
        let mut energy = Self { terms, is_free, scale: 1.0, epsilon: 0.0, reach: 0.0 };
        let determinants: Vec<Vec<f64>> = energy
            .terms
            .iter()
            .map(|term| {
                term.jacobians(points).map(|js| js.iter().map(Matrix3::determinant).collect())
            })
            .collect::<Result<_>>()?;
        energy.scale = median(determinants[0].clone()).abs();
        let least =
            determinants.iter().flatten().fold(f64::INFINITY, |a, &d| a.min(d)) / energy.scale;
        energy.epsilon = if least > SAFE_FRACTION {
            LEAST_EPSILON
        } else {
            (1e-6 + 0.04 * least.min(0.0).powi(2)).sqrt()
        };
        energy.reach = REACH * energy.scale.cbrt();
        Ok(energy)
    }

    fn minimize(&self, points: &mut Vec<[f64; 3]>) {
        // nothing in it can be refused: the plans were evaluated before
        minimize(points, ROUND_STEPS, self.reach, |x| {
            self.value_and_gradient(x).unwrap_or((f64::INFINITY, vec![[0.0; 3]; x.len()]))
        });
    }

    fn value_and_gradient(&self, points: &[[f64; 3]]) -> Result<(f64, Vec<[f64; 3]>)> {
        let (mut value, mut gradient) = (0.0, vec![[0.0; 3]; points.len()]);
        for term in &self.terms {
            let (own, slopes) = term.value_and_gradient(points, self.scale, self.epsilon)?;
            value += own;
            for ((sum, slope), &is_free) in gradient.iter_mut().zip(&slopes).zip(self.is_free) {
                if is_free {
                    *sum = std::array::from_fn(|d| sum[d] + slope[d]);
                }
            }
        }
        Ok((value, gradient))
    }
}

impl<'a> Term<'a> {
    fn new(solid: &'a Solid, samples: Samples, n: usize) -> Result<Self> {
        let plan = solid.plan(&samples, Want::FIRST)?;
        let adjoint = Adjoint::new(&plan)?;
        let rule = gauss::rule(n)?.weights;
        let results = plan.result_count(&(0..solid.elements().len()));
        let weight = |i: usize| rule[i % n] * rule[i / n % n] * rule[i / (n * n) % n];
        let weights = (0..results).map(weight).collect();
        Ok(Self { plan, adjoint, weights, values: vec![0.0; 3 * results] })
    }

    /// Derivatives by u, v, w as columns, `[result]`.
    fn jacobians(&self, points: &[[f64; 3]]) -> Result<Vec<Matrix3<f64>>> {
        let limit =
            Cpu::default().evaluate(&self.plan, Controls { positions: points, attributes: &[] })?;
        let column = |d: usize| match &limit.derivatives[d] {
            Values::F64(values) => &values[..],
            Values::F32(_) => &[],
        };
        let columns = [0, 1, 2].map(column);
        let at = |i: usize| Matrix3::from_fn(|row, column| columns[column][3 * i + row]);
        Ok((0..self.weights.len()).into_par_iter().map(at).collect())
    }

    fn value_and_gradient(
        &self,
        points: &[[f64; 3]],
        scale: f64,
        epsilon: f64,
    ) -> Result<(f64, Vec<[f64; 3]>)> {
        let unit = 1.0 / scale.cbrt();
        let terms: Vec<(f64, Matrix3<f64>)> = self
            .jacobians(points)?
            .into_par_iter()
            .zip(&self.weights)
            .map(|(j, &weight)| {
                let (value, slope) = energy(&(j * unit), epsilon);
                (weight * value, slope * (weight * unit))
            })
            .collect();
        let value = terms.iter().map(|term| term.0).sum();
        let along = |d: usize| -> Vec<f64> {
            terms.iter().flat_map(|(_, slope)| [0, 1, 2].map(|row| slope[(row, d)])).collect()
        };
        let [u, v, w] = [along(0), along(1), along(2)];
        let gradient = self.adjoint.apply(&[&self.values, &u, &v, &w], 3)?;
        Ok((value, gradient.as_chunks::<3>().0.to_vec()))
    }
}

/// |J|² / χ(det J)^(2/3) and its gradient.
fn energy(j: &Matrix3<f64>, epsilon: f64) -> (f64, Matrix3<f64>) {
    let determinant = j.determinant();
    let root = determinant.hypot(epsilon);
    // without cancellation where the determinant is negative
    let chi = if determinant >= 0.0 {
        0.5 * (determinant + root)
    } else {
        0.5 * epsilon * epsilon / (root - determinant)
    };
    let squared = j.norm_squared();
    let power = chi.powf(-2.0 / 3.0);
    let slope = 0.5 * (1.0 + determinant / root);
    let [u, v, w] = [0, 1, 2].map(|d| j.column(d).into_owned());
    let cofactors = Matrix3::from_columns(&[v.cross(&w), w.cross(&u), u.cross(&v)]);
    let gradient = j * (2.0 * power) - cofactors * (2.0 / 3.0 * squared * power / chi * slope);
    (squared * power, gradient)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::shape::Shape;

    #[test]
    fn slopes_are_differences_of_the_energy() {
        let mesh = Shape::Fan { valence: 5, layers: 2, rings: 2 }.build().unwrap();
        let solid = Solid::new(&mesh).unwrap();
        let is_free = free_vertices(solid.topology());
        let mut points = mesh.points.clone();
        for (v, point) in points.iter_mut().enumerate().filter(|(v, _)| is_free[*v]) {
            point[v % 3] += 0.1;
        }
        let energy = LimitEnergy::new(&solid, &[0], &is_free, &points).unwrap();
        let (_, slopes) = energy.value_and_gradient(&points).unwrap();
        let v = is_free.iter().position(|&free| free).unwrap();
        for d in 0..3 {
            let at = |h: f64| {
                let mut moved = points.clone();
                moved[v][d] += h;
                energy.value_and_gradient(&moved).unwrap().0
            };
            let difference = (at(1e-5) - at(-1e-5)) / 2e-5;
            let error = (difference - slopes[v][d]).abs();
            assert!(error < 1e-7 * slopes[v][d].abs().max(1.0), "{difference} {}", slopes[v][d]);
        }
    }
}
