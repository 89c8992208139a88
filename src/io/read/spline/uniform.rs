//! Splines as points of their knot spans and, where they are uniform, as control nets of a solid: a regular
//! net of Catmull-Clark is a uniform cubic B-spline, one ring of cells beyond the spline.

use super::{KnotVector, Row, TensorSpline};
use crate::numbers::counted;

/// Spans are of one length, and weights are equal, up to these parts of them.
const UNIFORM: f64 = 1e-9;
const EQUAL: f64 = 1e-14;

/// A grid of points of a spline.
pub(super) struct SplineGrid {
    /// Knot spans along the axes.
    pub spans: [usize; 3],
    /// [point, u fastest]: 2 n + 1 along an axis of n spans, or n + 3 of a control net.
    pub points: Vec<[f64; 3]>,
}

impl TensorSpline {
    /// The control net whose limit is the spline, the outer ring of cells beyond it.
    ///
    /// # Errors
    /// Why there is none.
    pub(super) fn net(&self) -> Result<SplineGrid, String> {
        let weights = self.controls.iter().map(|control| control[3]);
        let [least, most] =
            [weights.clone().fold(f64::MAX, f64::min), weights.fold(f64::MIN, f64::max)];
        if most - least > EQUAL * most {
            return Err("is rational".into());
        }
        let [u, v, w] = self.knots.each_ref().map(KnotVector::net_rows);
        let rows = [u?, v?, w?];
        let spans = rows.each_ref().map(|rows| rows.len() - 3);
        Ok(SplineGrid { spans, points: self.points(&rows) })
    }

    /// Points on the spline at the ends and in the middles of its knot spans.
    pub(super) fn nodes(&self) -> SplineGrid {
        let rows = self.knots.each_ref().map(KnotVector::node_rows);
        let spans = rows.each_ref().map(|rows| rows.len() / 2);
        SplineGrid { spans, points: self.points(&rows) }
    }

    /// Numbers of points along the axes that [`TensorSpline::nodes`] has.
    pub(super) fn node_counts(&self) -> [usize; 3] {
        self.knots.each_ref().map(|knots| 2 * knots.spans().len() + 1)
    }
}

impl KnotVector {
    /// Control points over uniform knots: blossoms at three of them. Of degrees below 3 the cubic
    /// blossom is the mean of those at parts of the three.
    fn net_rows(&self) -> Result<Vec<Row>, String> {
        let (spans, degree) = (self.spans(), self.degree);
        let count = spans.len();
        if degree > 3 || degree < 3 && count > 1 {
            return Err(format!("has degree {degree} in {}", counted(count, "span")));
        }
        if self.controls() - degree != count {
            return Err("has repeated knots".into());
        }
        let [start, end] = self.domain();
        let step = (end - start) / count as f64;
        let uniform = |i: usize| start + step * (i as f64 - 2.0);
        let is_off =
            |(i, &s): (usize, &usize)| (self.knots[s] - uniform(i + 2)).abs() > UNIFORM * step;
        if spans.iter().enumerate().any(is_off) {
            return Err("has knots that are not uniform".into());
        }
        let parts: &[&[usize]] = match degree {
            1 => &[&[0], &[1], &[2]],
            2 => &[&[0, 1], &[0, 2], &[1, 2]],
            _ => &[&[0, 1, 2]],
        };
        let row = |i: usize| {
            let span = spans[i.saturating_sub(2).min(count - 1)];
            let mut mean = Row { first: span - degree, weights: vec![0.0; degree + 1] };
            for part in parts {
                let arguments: Vec<f64> = part.iter().map(|k| uniform(i + k)).collect();
                let own = self.blossom(span, &arguments).weights;
                mean.weights
                    .iter_mut()
                    .zip(own)
                    .for_each(|(sum, w)| *sum += w / parts.len() as f64);
            }
            mean
        };
        Ok((0..count + 3).map(row).collect())
    }

    /// The ends and the middles of spans.
    fn node_rows(&self) -> Vec<Row> {
        let point = |span: usize, at: f64| self.blossom(span, &vec![at; self.degree]);
        let spans = self.spans();
        let mut rows = Vec::with_capacity(2 * spans.len() + 1);
        for &span in &spans {
            let [start, end] = [self.knots[span], self.knots[span + 1]];
            rows.extend([point(span, start), point(span, start + 0.5 * (end - start))]);
        }
        if let Some(&last) = spans.last() {
            rows.push(point(last, self.knots[last + 1]));
        }
        rows
    }
}
