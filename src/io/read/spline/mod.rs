//! Tensor product spline volumes, B-splines and NURBS, and what becomes of them ([`net`]): exact control
//! nets where knots are uniform, else quadratic cells of their knot spans.

pub(super) mod gismo;
pub(super) mod net;
pub(super) mod splinepy;
mod uniform;

use std::iter::zip;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

/// Maximum degree along an axis.
const MAX_DEGREE: usize = 16;

/// Knots of a spline along an axis. Control points do not have to be on its ends.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct KnotVector {
    degree: usize,
    knots: Vec<f64>,
}

/// A point along an axis: weights of the control points from `first` on.
struct Row {
    first: usize,
    weights: Vec<f64>,
}

impl KnotVector {
    /// The knots of a spline of a degree.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn new(degree: usize, knots: Vec<f64>) -> Result<Self, String> {
        if degree == 0 || degree > MAX_DEGREE {
            return Err(format!("degree {degree}, 1 to {MAX_DEGREE} are read"));
        }
        let (have, least) = (knots.len(), 2 * (degree + 1));
        if have < least {
            return Err(format!("{have} knots of degree {degree}, which needs {least} or more"));
        }
        if let Some(knot) = knots.iter().find(|knot| !knot.is_finite()) {
            return Err(format!("a knot {knot}"));
        }
        if let Some(pair) = knots.windows(2).find(|w| w[0] > w[1]) {
            return Err(format!("the knots decrease from {} to {}", pair[0], pair[1]));
        }
        let own = Self { degree, knots };
        let [start, end] = own.domain();
        // of a jump the two sides are different points
        let jumps = |w: &&[f64]| w[0] == w[degree] && w[0] > start && w[0] < end;
        let range = own.knots[have - 1] - own.knots[0];
        if start >= end || !range.is_finite() {
            return Err(format!("knots from {start} to {end} hold no span"));
        }
        if let Some(knots) = own.knots.windows(degree + 1).find(jumps) {
            return Err(format!(
                "more than {degree} knots at {}: the spline is cut there",
                knots[0]
            ));
        }
        Ok(own)
    }

    /// Knots of one span from 0 to 1.
    pub fn bezier(degree: usize) -> Result<Self, String> {
        Self::new(degree, [0.0, 1.0].map(|knot| vec![knot; degree + 1]).concat())
    }

    /// Number of control points.
    pub fn controls(&self) -> usize {
        self.knots.len() - self.degree - 1
    }

    /// The knots the other way round.
    pub fn reversed(&self) -> Self {
        let [first, last] = [self.knots[0], self.knots[self.knots.len() - 1]];
        let knots = self.knots.iter().rev().map(|knot| last - (knot - first)).collect();
        Self { degree: self.degree, knots }
    }

    /// Where the spline starts and ends.
    fn domain(&self) -> [f64; 2] {
        [self.knots[self.degree], self.knots[self.controls()]]
    }

    /// The first knot of each span that is not empty.
    fn spans(&self) -> Vec<usize> {
        let is_span = |&s: &usize| self.knots[s] < self.knots[s + 1];
        (self.degree..self.controls()).filter(is_span).collect()
    }

    /// The blossom of the polynomial of a span at as many arguments as its degree, which is the
    /// spline's point where all are the same (Ramshaw 1989; the recursion is that of Cox and de Boor
    /// with another argument at each step).
    fn blossom(&self, span: usize, arguments: &[f64]) -> Row {
        let knots = &self.knots;
        let mut weights = vec![1.0];
        for (j, argument) in (1..).zip(arguments) {
            let mut higher = vec![0.0; j + 1];
            for (r, weight) in weights.iter().enumerate() {
                let [low, high] = [knots[span + 1 + r - j], knots[span + 1 + r]];
                higher[r] += weight * (high - argument) / (high - low);
                higher[r + 1] += weight * (argument - low) / (high - low);
            }
            weights = higher;
        }
        Row { first: span - self.degree, weights }
    }
}

/// A spline volume.
pub(super) struct TensorSpline {
    /// Knots along u, v and w.
    knots: [KnotVector; 3],
    // [control point, u fastest]: w x, w y, w z and the weight w
    controls: Vec<[f64; 4]>,
}

impl TensorSpline {
    /// A spline of its control points, u fastest, and their weights.
    ///
    /// # Errors
    /// What is wrong with their number or with a weight.
    pub fn new(
        knots: [KnotVector; 3],
        points: &[[f64; 3]],
        weights: &[f64],
    ) -> Result<Self, String> {
        let need = control_count(&knots);
        for (have, what) in [(points.len(), "control points"), (weights.len(), "weights")] {
            if Some(have) != need {
                let sizes = knots.map(|knots| knots.controls().to_string()).join(" × ");
                return Err(format!("{have} {what}, the knots have {sizes}"));
            }
        }
        if let Some(i) = weights.iter().position(|w| !(w.is_finite() && *w > 0.0)) {
            return Err(format!(
                "control point {i} has the weight {}, which is not positive",
                weights[i]
            ));
        }
        let homogeneous = |([x, y, z], &w): (&[f64; 3], &f64)| [w * x, w * y, w * z, w];
        Ok(Self { knots, controls: zip(points, weights).map(homogeneous).collect() })
    }

    /// Points, u fastest, that rows of each axis weigh.
    fn points(&self, rows: &[Vec<Row>; 3]) -> Vec<[f64; 3]> {
        let mut size = self.knots.each_ref().map(KnotVector::controls);
        let mut values = self.controls.clone();
        for (axis, rows) in rows.iter().enumerate() {
            let [inner, own] = [size[..axis].iter().product(), size[axis]];
            let mut mapped = Vec::with_capacity(values.len() / own * rows.len());
            for block in values.chunks(inner * own) {
                for Row { first, weights } in rows {
                    let sum = |i: usize, d: usize| -> f64 {
                        zip(weights, *first..).map(|(w, k)| w * block[inner * k + i][d]).sum()
                    };
                    mapped.extend((0..inner).map(|i| [0, 1, 2, 3].map(|d| sum(i, d))));
                }
            }
            (size[axis], values) = (rows.len(), mapped);
        }
        values.into_iter().map(|[x, y, z, w]| [x / w, y / w, z / w]).collect()
    }
}

/// The number of control points of knots; `None` if it cannot be counted.
pub(super) fn control_count(knots: &[KnotVector; 3]) -> Option<usize> {
    knots.iter().try_fold(1, |count: usize, knots| count.checked_mul(knots.controls()))
}

/// Numbers of a text of base64, as G+Smo and splinepy write them: little-endian doubles.
fn decoded(text: &str) -> Result<Vec<f64>, String> {
    let text: String = text.chars().filter(|c| !c.is_ascii_whitespace()).collect();
    let bytes = BASE64_STANDARD.decode(text).map_err(|e| format!("malformed base64: {e}"))?;
    let (numbers, rest) = bytes.as_chunks();
    if rest.is_empty() {
        return Ok(numbers.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect());
    }
    Err(format!("{} bytes of doubles, which have 8 each", bytes.len()))
}

/// Points of their coordinates.
fn triples(values: &[f64]) -> Result<Vec<[f64; 3]>, String> {
    let (points, rest) = values.as_chunks();
    if rest.is_empty() {
        Ok(points.to_vec())
    } else {
        Err(format!("{} coordinates of points", values.len()))
    }
}
