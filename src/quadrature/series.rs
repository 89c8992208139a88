//! Sums over all the rings around an extraordinary point from a few of them.
//!
//! # Theory
//! One ring further in, a net is A times the net before, so that what ring n adds to an
//! integral of a product of basis functions, their derivatives and det J is
//! f(n) = Σ c λⁿ over products λ of eigenvalues of A: at most ρ, the product of two (at an
//! edge) or three (at a vertex) times the largest eigenvalue below 1. The sum over all n is
//! wanted. After K rings the others have the share ρᴷ; these *closing* rings are summed by
//! a rule of their own,
//!
//! Σ f(K + i) over all i ≥ 0 ≈ Σ ω f(K + j) over a few j, ω > 0,
//!
//! as a Gauss rule for sums of powers would do it: of Σ ω λʲ = 1 / (1 − λ) the least
//! squares over λ in [0, ρ], weighted by λᴷ. It is exact for the measure of parameters, of
//! which each ring has 1/4 or 1/8 of the one before. Four or five closing rings save about
//! as many as the rings that are left: to 4 · 10⁻⁹, ten rings do at ρ = 0.43 (an edge of
//! very high valence) in place of 22.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use faer::Mat;
use faer::linalg::solvers::SolveLstsq;

use super::scheme::RingAccuracy;

/// A ring that is in a sum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ring {
    /// Number of the ring, from 1 inward.
    pub number: usize,
    /// Weight of the ring in the sum, > 0.
    pub weight: f64,
    /// Share of the whole that it stands for, about.
    pub share: f64,
    /// Whether it stands for others too.
    pub is_closing: bool,
}

impl Ring {
    /// The first ring, for itself alone.
    pub const FIRST: Self = Self { number: 1, weight: 1.0, share: 1.0, is_closing: false };
}

/// The rings of sums, found once for all leaves that share them.
#[derive(Debug)]
pub(crate) struct RingRules {
    accuracy: RingAccuracy,
    // by ratios and tolerance, as bits, and the number of first steps
    found: RwLock<HashMap<[u64; 4], Arc<[Ring]>>>,
}

impl RingRules {
    /// Rules of sums that are as accurate as this.
    pub fn new(accuracy: RingAccuracy) -> Self {
        Self { accuracy, found: RwLock::default() }
    }

    /// How many Gauss points less than asked for a box takes along each axis.
    pub fn fewer(&self, share: f64, gauss: usize) -> usize {
        let RingAccuracy { shares, gauss: full, .. } = self.accuracy;
        let fewer = shares.iter().filter(|&&limit| share < limit).count();
        fewer.saturating_sub(full.saturating_sub(gauss))
    }

    /// [`rings`] of these, in a part that has this share of the leaf's integral.
    pub fn rings(&self, largest: f64, exact: f64, steps: usize, share: f64) -> Arc<[Ring]> {
        let tolerance = self.accuracy.tolerance / share;
        let key = [largest.to_bits(), exact.to_bits(), steps as u64, tolerance.to_bits()];
        // a poisoned lock only means that another thread panicked: the map is whole
        let found = self.found.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(rings) = found.get(&key) {
            return Arc::clone(rings);
        }
        drop(found);
        let rings: Arc<[Ring]> = rings(largest, exact, steps, tolerance).into();
        let mut found = self.found.write().unwrap_or_else(PoisonError::into_inner);
        found.insert(key, Arc::clone(&rings));
        rings
    }
}

/// Rings that close a sum, counted from the first that is left out.
const PATTERNS: [&[usize]; 6] =
    [&[0], &[0, 1], &[0, 1, 3], &[0, 1, 2, 4], &[0, 1, 3, 7], &[0, 1, 2, 4, 8]];
/// Maximum number of rings in front of the closing ones.
const MAX_PLAIN_RINGS: usize = 30;
/// Ratios at which a rule is fitted.
const FITTED: usize = 100;

/// The fewest rings whose sum is right to `tolerance` of the whole for all ratios in
/// [0, `largest`], and exact for the ratio `exact`. The first `steps` rings do not follow
/// the others and stand for themselves.
fn rings(largest: f64, exact: f64, steps: usize, tolerance: f64) -> Vec<Ring> {
    let largest = largest.clamp(exact, 0.9);
    let mut best: Option<(usize, &[usize], Vec<f64>)> = None;
    for pattern in PATTERNS {
        let fewest =
            best.as_ref().map_or(MAX_PLAIN_RINGS + 1, |(plain, pattern, _)| plain + pattern.len());
        for plain in 0..fewest.saturating_sub(pattern.len()) {
            let (weights, error) = closing(pattern, largest, exact, plain);
            if error <= tolerance && weights.iter().all(|&weight| weight > 0.0) {
                best = Some((plain, pattern, weights));
                break;
            }
        }
    }
    let (plain, pattern, weights) =
        best.unwrap_or((MAX_PLAIN_RINGS, PATTERNS[0], vec![1.0 / (1.0 - exact)]));
    let plain = plain + steps;
    let share = |after: usize| (1.0 - largest) * largest.powi(after.saturating_sub(steps) as i32);
    let front = (1..=plain).map(|number| Ring {
        number,
        weight: 1.0,
        share: share(number - 1),
        is_closing: false,
    });
    let closing = pattern.iter().zip(weights).map(|(&after, weight)| Ring {
        number: plain + 1 + after,
        weight,
        share: weight * share(plain + after),
        is_closing: true,
    });
    front.chain(closing).collect()
}

/// Weights of a pattern after `plain` rings, and the error of the whole sum.
fn closing(pattern: &[usize], largest: f64, exact: f64, plain: usize) -> (Vec<f64>, f64) {
    // the first weight follows from the others, so that the ratio `exact` is summed exactly
    let first = |others: &[f64]| {
        let sum: f64 = others.iter().zip(&pattern[1..]).map(|(w, &j)| w * power(exact, j)).sum();
        1.0 / (1.0 - exact) - sum
    };
    let ratio = |i: usize| {
        let angle = std::f64::consts::PI * (i as f64 + 0.5) / FITTED as f64;
        0.5 * largest * (1.0 - angle.cos())
    };
    let others = pattern.len() - 1;
    let mut weights = vec![0.0; others];
    if others > 0 {
        let matrix = Mat::from_fn(FITTED, others, |i, j| {
            let r = ratio(i);
            power(r, plain) * (power(r, pattern[j + 1]) - power(exact, pattern[j + 1]))
        });
        let sums = Mat::from_fn(FITTED, 1, |i, _| {
            let r = ratio(i);
            power(r, plain) * (1.0 / (1.0 - r) - 1.0 / (1.0 - exact))
        });
        let solution = matrix.qr().solve_lstsq(&sums);
        (0..others).for_each(|j| weights[j] = solution[(j, 0)]);
    }
    weights.insert(0, first(&weights));
    let error = |r: f64| {
        let sum: f64 = weights.iter().zip(pattern).map(|(w, &j)| w * power(r, j)).sum();
        power(r, plain) * (sum - 1.0 / (1.0 - r)).abs()
    };
    let worst = (0..FITTED).map(|i| error(ratio(i))).fold(error(largest), f64::max);
    (weights, if worst.is_finite() { worst } else { f64::INFINITY })
}

fn power(ratio: f64, exponent: usize) -> f64 {
    ratio.powi(exponent as i32)
}
