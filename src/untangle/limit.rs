//! Untangling the limit: inner vertices move until det J is positive on all of it.
//!
//! # Theory
//! The energy Σ w |J|² / χ(det J, ε)^(2/3) over points of the limit, with ε falling by the
//! rule of Garanzha et al., "Foldover-free maps in 50 lines of code" (2021), §3.2. J is linear in
//! the control points; its [adjoint](crate::plan::Adjoint) turns gradients by J into gradients by
//! control points. Bézier coefficients bound det J from below on all of an element: elements
//! without a positive bound get more points, until all have one or nothing changes. A round moves
//! the vertices within some rings of these elements, more rings each round.

use std::collections::BTreeSet;

use nalgebra::Matrix3;
use rayon::prelude::*;
use serde::Serialize;

use super::determinant_bound::{ElementBound, ElementBounds, LeastDeterminant};
use super::lbfgs::minimize;
use super::limit_folds::{GAUSS_POINTS, LimitFolds};
use super::region::{Region, UnknownMotion};
use crate::backend::{Backend, Cpu, Values};
use crate::error::Result;
use crate::limit::Solid;
use crate::mesh::{Controls, SolidMesh};
use crate::numbers::{Csr, median};
use crate::plan::{Adjoint, Location, Plan, Samples, Want};
use crate::refine::reorient;

/// Rounds of [`untangle_limit`] at most.
pub const MAX_LIMIT_ROUNDS: usize = 10;
/// Rounds without a gain after which it ends.
const MAX_IDLE_ROUNDS: usize = 3;
/// Rings of cells around those that may be folded whose vertices the first round moves; each
/// round after it adds [`MORE_RINGS`].
const RINGS: usize = 3;
const MORE_RINGS: usize = 2;
/// Steps of a round.
const ROUND_STEPS: usize = 40;
/// Places and weights of points along each axis, of all elements and of those without a positive
/// bound: Lobatto's, for det J is often least on faces, but for their ends: derivatives may not exist
/// on faces themselves.
const RULE: [(f64, f64); 4] = [
    (0.002, 1.0 / 12.0),
    (0.276_393_202_250_021, 5.0 / 12.0),
    (0.723_606_797_749_979, 5.0 / 12.0),
    (0.998, 1.0 / 12.0),
];
const EXTRA_RULE: [(f64, f64); 6] = [
    (0.002, 1.0 / 30.0),
    (0.117_472_338_035_268, 0.189_237_478_148_923),
    (0.357_384_241_759_677, 0.277_429_188_517_743),
    (0.642_615_758_240_323, 0.277_429_188_517_743),
    (0.882_527_661_964_732, 0.189_237_478_148_923),
    (0.998, 1.0 / 30.0),
];
/// Least determinant, as a part of the median, from which ε stays.
const SAFE_FRACTION: f64 = 0.02;
const LEAST_EPSILON: f64 = 1e-4;
/// Longest first step, in lengths of a cell.
const REACH: f64 = 0.1;

/// What untangling the limit did.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema), schemars(rename = "LimitUntangled"))]
pub struct LimitUntangleResult {
    /// Bound of det J before.
    pub before: LeastDeterminant,
    /// Bound of det J after.
    pub after: LeastDeterminant,
    /// Folded cells after.
    pub folds: LimitFolds,
    /// Number of vertices that moved.
    pub moved: usize,
    /// Rounds of minimization.
    pub rounds: usize,
}

/// Moves inner vertices of a mesh of any cells until det J of its limit is positive, as far as
/// that is found; the boundary stays, and so do elements beside smooth boundary edges of one cell,
/// where the boundary alone decides. The result is never worse: cells folded at 5³ Gauss points are
/// not more than before, then elements that may be folded.
///
/// `progress` is called after each of at most [`MAX_LIMIT_ROUNDS`] rounds with the number of
/// elements that may be folded; its error ends the work, and the mesh is as it was.
///
/// # Errors
/// As [`Solid::new`]; [`Error::Mesh`](crate::Error::Mesh) for cells without a common orientation;
/// the error of `progress`.
pub fn untangle_limit(
    mesh: &mut SolidMesh,
    progress: impl FnMut(usize) -> Result<()>,
) -> Result<LimitUntangleResult> {
    mesh.check_no_ghosts("untangling a solid")?;
    untangle(mesh, None, progress)
}

/// [`untangle_limit`] where control points follow from unknowns, as in a solid with ghosts: those that
/// are not held move.
///
/// # Errors
/// As [`untangle_limit`], ghosts apart.
pub fn untangle_unknowns(
    mesh: &mut SolidMesh,
    motion: UnknownMotion<'_>,
    progress: impl FnMut(usize) -> Result<()>,
) -> Result<LimitUntangleResult> {
    untangle(mesh, Some(motion), progress)
}

fn untangle(
    mesh: &mut SolidMesh,
    motion: Option<UnknownMotion<'_>>,
    mut progress: impl FnMut(usize) -> Result<()>,
) -> Result<LimitUntangleResult> {
    let mut oriented = mesh.clone();
    reorient(&mut oriented)?;
    let solid = Solid::new(&oriented)?;
    let bounds = ElementBounds::new(&solid, &oriented.creases)?;
    let start = oriented.points.clone();
    let plan = solid.plan(&Samples::gauss(GAUSS_POINTS)?, Want::QUALITY)?;
    let state = |points: &[[f64; 3]]| -> Result<State> {
        let found = bounds.of(points);
        let least = LeastDeterminant::of_elements(&found);
        let folds = LimitFolds::new(&plan, points)?;
        let those = |is: fn(&ElementBound) -> bool| -> Vec<u32> {
            (0..).zip(&found).filter(|(_, of)| is(of)).map(|(e, _)| e).collect()
        };
        let open = those(ElementBound::is_open);
        let negative = those(|of| of.least < 0.0);
        Ok(State { least, open, negative, folds })
    };
    let mut now = state(&start)?;
    let (before, folds) = (now.least, now.folds);
    let mut result = LimitUntangleResult { before, after: before, folds, moved: 0, rounds: 0 };
    if now.is_proven() {
        return Ok(result);
    }
    let mut points = start.clone();
    let mut best = (now.clone(), start.clone());
    let mut extra: BTreeSet<u32> = now.open.iter().copied().collect();
    let mut idle = 0; // rounds since the best
    while result.rounds < MAX_LIMIT_ROUNDS && idle < MAX_IDLE_ROUNDS {
        let rings = RINGS + MORE_RINGS * result.rounds;
        let region = Region::around(&oriented, &solid, (now.sought(), rings), motion)?;
        if !region.is_free.contains(&true) {
            break;
        }
        let own = region.part.solid()?;
        let mut moved = region.part.gather(points.as_flattened(), 3).as_chunks::<3>().0.to_vec();
        let sampled = region.own(extra.iter().copied());
        let energy = LimitEnergy::new(&own, &sampled, &moved)?;
        match &region.motion {
            None => energy.minimize(&region.is_free, &mut moved),
            Some(motion) => energy.minimize_unknowns(motion, &mut moved),
        }
        region.put_back(&moved, &mut points);
        result.rounds += 1;
        let next = state(&points)?;
        progress(next.open.len())?;
        idle += 1;
        if next.is_better_than(&best.0) {
            (best, idle) = ((next.clone(), points.clone()), 0);
        }
        if next.is_proven() {
            break;
        }
        now = next;
        extra.extend(now.open.iter().copied());
    }
    (result.after, result.folds) = (best.0.least, best.0.folds);
    for (v, point) in best.1.into_iter().enumerate().filter(|(v, point)| *point != start[*v]) {
        mesh.points[v] = point;
        result.moved += 1;
    }
    Ok(result)
}

/// What is known of a limit.
#[derive(Clone)]
struct State {
    least: LeastDeterminant,
    // elements that may be folded, other than those beside smooth edges of one cell
    open: Vec<u32>,
    // all elements that may be folded
    negative: Vec<u32>,
    folds: LimitFolds,
}

impl State {
    /// Elements around which vertices are moved: near smooth edges only where points are folded.
    fn sought(&self) -> &[u32] {
        if self.folds.folded > 0 { &self.negative } else { &self.open }
    }

    fn is_proven(&self) -> bool {
        self.open.is_empty() && self.folds.folded == 0
    }

    /// Fewer folded cells, or fewer elements that may be folded, or as many and less so.
    fn is_better_than(&self, other: &Self) -> bool {
        let counts = |state: &Self| (state.folds.folded, state.open.len());
        counts(self) < counts(other)
            || counts(self) == counts(other) && self.least.bound > other.least.bound
    }
}

/// The energy of a limit as a function of control points.
struct LimitEnergy<'a> {
    terms: Vec<PlanSamples<'a>>,
    /// Median of the determinants, to which ε is relative.
    scale: f64,
    epsilon: f64,
    reach: f64,
}

/// The points of [`EXTRA_RULE`] in each of the elements.
fn extra_points(elements: &[u32]) -> Samples {
    let n = EXTRA_RULE.len();
    let place = |&element: &u32| {
        (0..n.pow(3)).map(move |i| Location {
            element,
            parameters: [i % n, i / n % n, i / (n * n)].map(|k| EXTRA_RULE[k].0),
        })
    };
    Samples::Points(elements.iter().flat_map(place).collect())
}

/// Samples of one plan.
struct PlanSamples<'a> {
    plan: Plan<'a>,
    adjoint: Adjoint,
    // [result]
    weights: Vec<f64>,
    values: Vec<f64>,
}

impl<'a> LimitEnergy<'a> {
    fn new(solid: &'a Solid, extra: &[u32], points: &[[f64; 3]]) -> Result<Self> {
        let places = Samples::Tensor(RULE.map(|(place, _)| place).to_vec());
        let mut terms = vec![PlanSamples::new(solid, places, &RULE)?];
        if !extra.is_empty() {
            terms.push(PlanSamples::new(solid, extra_points(extra), &EXTRA_RULE)?);
        }
        let mut energy = Self { terms, scale: 1.0, epsilon: 0.0, reach: 0.0 };
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

    /// Moves the points that are free.
    fn minimize(&self, is_free: &[bool], points: &mut Vec<[f64; 3]>) {
        minimize(points, ROUND_STEPS, self.reach, |x| {
            let (value, mut slopes) = self.at(x);
            let held = slopes.iter_mut().zip(is_free).filter(|(_, is_free)| !**is_free);
            held.for_each(|(slope, _)| *slope = [0.0; 3]);
            (value, slopes)
        });
    }

    /// Moves the points by unknowns.
    fn minimize_unknowns(&self, motion: &Csr, points: &mut [[f64; 3]]) {
        let transposed = motion.transposed();
        let product = |matrix: &Csr, x: &[[f64; 3]]| -> Vec<[f64; 3]> {
            let mut y = vec![0.0; 3 * matrix.rows()];
            matrix.apply_wide(x.as_flattened(), 3, &mut y);
            y.as_chunks::<3>().0.to_vec()
        };
        let moved = |x: &[[f64; 3]]| -> Vec<[f64; 3]> {
            let sum = |(p, m): (&[f64; 3], [f64; 3])| [0, 1, 2].map(|d| p[d] + m[d]);
            points.iter().zip(product(motion, x)).map(sum).collect()
        };
        let mut unknowns = vec![[0.0; 3]; motion.width];
        minimize(&mut unknowns, ROUND_STEPS, self.reach, |x| {
            let (value, slopes) = self.at(&moved(x));
            (value, product(&transposed, &slopes))
        });
        let found = moved(&unknowns);
        points.copy_from_slice(&found);
    }

    /// The energy and its gradient; nothing in it can be refused: the plans were evaluated before.
    fn at(&self, points: &[[f64; 3]]) -> (f64, Vec<[f64; 3]>) {
        self.value_and_gradient(points).unwrap_or((f64::INFINITY, vec![[0.0; 3]; points.len()]))
    }

    fn value_and_gradient(&self, points: &[[f64; 3]]) -> Result<(f64, Vec<[f64; 3]>)> {
        let (mut value, mut gradient) = (0.0, vec![[0.0; 3]; points.len()]);
        for term in &self.terms {
            let (own, slopes) = term.value_and_gradient(points, self.scale, self.epsilon)?;
            value += own;
            for (sum, slope) in gradient.iter_mut().zip(&slopes) {
                *sum = std::array::from_fn(|d| sum[d] + slope[d]);
            }
        }
        Ok((value, gradient))
    }
}

impl<'a> PlanSamples<'a> {
    /// `rule`: places and weights of the samples along an axis.
    fn new(solid: &'a Solid, samples: Samples, rule: &[(f64, f64)]) -> Result<Self> {
        let plan = solid.plan(&samples, Want::FIRST)?;
        let adjoint = Adjoint::new(&plan)?;
        let n = rule.len();
        let results = plan.result_count(&(0..solid.elements().len()));
        let weight = |i: usize| rule[i % n].1 * rule[i / n % n].1 * rule[i / (n * n) % n].1;
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
            let mut column = vec![0.0; 3 * terms.len()];
            let rows = column.as_chunks_mut::<3>().0.par_iter_mut().zip(&terms);
            rows.for_each(|(row, (_, slope))| *row = [0, 1, 2].map(|i| slope[(i, d)]));
            column
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
