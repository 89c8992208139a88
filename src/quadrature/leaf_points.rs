//! Quadrature points of a leaf, or of one of its faces: Gauss points in boxes that shrink
//! toward its extraordinary edge or vertex.

use super::boxes::{GaussBox, LeafFace, boxes, face_boxes};
use super::scheme::QuadratureScheme;
use super::series::RingRules;
use crate::basis::gauss::{self, Rule};
use crate::error::Result;
use crate::limit::{AxisPermutation, LeafKind, Solid};

/// What the leaves of a table share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TableKey {
    /// Kind of the leaves, with their local axes as the element's.
    pub kind: LeafKind,
    /// Face of the leaves that has the points; `None` for whole leaves.
    pub face: Option<LeafFace>,
}

/// Quadrature points of all leaves of one kind, or of one face of each.
#[derive(Clone, Debug, PartialEq)]
pub struct LeafPoints {
    /// Parameters within the leaf, `[sample][axis]`, each in (0, 1) but for one that is 0 or 1
    /// all over a face, by its local axes, which have the extraordinary edge or vertex at the
    /// origin. Box by box; in a box the first axis fastest.
    pub parameters: Vec<[f64; 3]>,
    /// Weights in the parameter space of the leaf or of the face, `[sample]`; they are > 0 and
    /// sum to 1.
    pub weights: Vec<f64>,
    /// Number of the samples that lie in boxes that stand for themselves alone and on which the
    /// limit is one tricubic polynomial. Those that follow integrate the remainder, all that lies
    /// further in.
    pub exact: usize,
}

impl LeafPoints {
    /// The points of a leaf of this kind.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) for a number of Gauss points out of range.
    pub(super) fn new(
        solid: &Solid,
        key: TableKey,
        scheme: QuadratureScheme,
        ring_rules: &RingRules,
    ) -> Result<Self> {
        let rules: Result<Vec<Rule>> = (1..=scheme.gauss).map(gauss::rule).collect();
        let rules = rules?;
        let mut boxes = boxes_of(solid, key, scheme, ring_rules);
        boxes.sort_by_key(|b| b.is_remainder); // stable: inward
        let samples = |b: &GaussBox| samples(b, key.face);
        let count = boxes.iter().map(samples).sum();
        let mut points = Self {
            parameters: Vec::with_capacity(count),
            weights: Vec::with_capacity(count),
            exact: boxes.iter().filter(|b| !b.is_remainder).map(samples).sum(),
        };
        for GaussBox { part, weight, gauss: n, .. } in boxes {
            let rule = &rules[n - 1];
            // a face has no extent along its axis
            let flat = |d: usize| key.face.filter(|face| usize::from(face.axis) == d);
            let counts = [0, 1, 2].map(|d| if flat(d).is_some() { 1 } else { n });
            for i in 0..counts.iter().product() {
                let at = [i % counts[0], i / counts[0] % counts[1], i / (counts[0] * counts[1])];
                let place = |d: usize| match flat(d) {
                    Some(face) => f64::from(face.end),
                    None => part.origin[d] + part.size[d] * rule.points[at[d]],
                };
                points.parameters.push(std::array::from_fn(place));
                let along = (0..3).filter(|&d| flat(d).is_none());
                let own: f64 = along.map(|d| part.size[d] * rule.weights[at[d]]).product();
                points.weights.push(weight * own);
            }
        }
        Ok(points)
    }

    /// Number of samples.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// The parameters by the axes of an element in which the leaf lies as `permutation` says.
    pub fn permuted(&self, permutation: AxisPermutation) -> Vec<[f64; 3]> {
        let place = |local: &[f64; 3]| {
            let mut p = [0.0; 3];
            for d in 0..3 {
                p[permutation.axes[d] as usize] =
                    if permutation.flips[d] { 1.0 - local[d] } else { local[d] };
            }
            p
        };
        self.parameters.iter().map(place).collect()
    }

    /// Volume of the remainder in the leaf's parameter space, from 0 to 1.
    pub fn remainder(&self) -> f64 {
        self.weights[self.exact..].iter().sum()
    }
}

/// Number of quadrature points of a leaf, or of a face of it.
pub(super) fn sample_count(
    solid: &Solid,
    key: TableKey,
    scheme: QuadratureScheme,
    rules: &RingRules,
) -> usize {
    boxes_of(solid, key, scheme, rules).iter().map(|b| samples(b, key.face)).sum()
}

fn boxes_of(
    solid: &Solid,
    key: TableKey,
    scheme: QuadratureScheme,
    rules: &RingRules,
) -> Vec<GaussBox> {
    match key.face {
        Some(face) => face_boxes(solid, key.kind, face, scheme, rules),
        None => boxes(solid, key.kind, scheme, rules),
    }
}

fn samples(b: &GaussBox, face: Option<LeafFace>) -> usize {
    b.gauss.pow(if face.is_some() { 2 } else { 3 })
}
