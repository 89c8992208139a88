//! The point of a cubic Bézier curve that is closest to a point in space.

use nalgebra::Vector3;

use super::bernstein;
use crate::numbers::bounds::squared_distance;

/// Halvings before Newton's method.
const START_HALVINGS: u32 = 5;
/// Steps of Newton's method at most.
const MAX_NEWTON_STEPS: usize = 12;

/// The curve's parameter in [0, 1], and the vector from `x` to the curve there.
pub fn closest_on_curve(curve: &[[f64; 3]; 4], x: [f64; 3]) -> (f64, Vector3<f64>) {
    let away = Vector3::zeros();
    let mut search = CurveSearch { curve, x, squared: f64::INFINITY, away, parameter: 0.0 };
    search.offer(0.0);
    search.offer(1.0);
    search.halve(curve, 0.0, 1.0, START_HALVINGS);
    (search.parameter, search.away)
}

struct CurveSearch<'a> {
    curve: &'a [[f64; 3]; 4],
    x: [f64; 3],
    // the closest so far
    squared: f64,
    away: Vector3<f64>,
    parameter: f64,
}

impl CurveSearch<'_> {
    fn offer(&mut self, t: f64) {
        let [point, ..] = jet(self.curve, t);
        let away = point - Vector3::from(self.x);
        let squared = away.norm_squared();
        if squared < self.squared {
            (self.squared, self.away, self.parameter) = (squared, away, t);
        }
    }

    /// Looks at the part of the curve between `low` and `high`, which has these points.
    fn halve(&mut self, part: &[[f64; 3]; 4], low: f64, high: f64, halvings: u32) {
        let bounds = part.iter().fold([part[0]; 2], |[a, b], p| {
            [std::array::from_fn(|d| a[d].min(p[d])), std::array::from_fn(|d| b[d].max(p[d]))]
        });
        if squared_distance(&bounds, self.x) >= self.squared {
            return;
        }
        if halvings == 0 || converges(part, self.x.into()) {
            let t = self.descend(low, high);
            self.offer(t);
            return;
        }
        let middle = 0.5 * (low + high);
        self.offer(middle);
        let between = |a: [f64; 3], b: [f64; 3]| std::array::from_fn(|d| 0.5 * (a[d] + b[d]));
        let [before, after] = bernstein::halves(*part, between);
        let halves = [(before, low, middle), (after, middle, high)];
        // the half next to the closest so far may make the other one needless
        let first = usize::from(self.parameter > middle);
        for i in [first, 1 - first] {
            let (part, low, high) = &halves[i];
            self.halve(part, *low, *high, halvings - 1);
        }
    }

    /// Newton's method for a zero of the distance's derivative between `low` and `high`.
    fn descend(&self, low: f64, high: f64) -> f64 {
        let mut t = 0.5 * (low + high);
        for _ in 0..MAX_NEWTON_STEPS {
            let [point, first, second] = jet(self.curve, t);
            let away = point - Vector3::from(self.x);
            let slope = away.dot(&first);
            let bend = first.norm_squared() + away.dot(&second);
            // where the distance is not convex, as if the curve were straight
            let bend = if bend > 0.0 { bend } else { first.norm_squared() };
            let next = (t - slope / bend).clamp(low, high);
            let is_settled = (next - t).abs() <= 1e-16;
            if next.is_nan() || is_settled {
                break;
            }
            t = next;
        }
        t
    }
}

/// Whether Newton's method finds the closest place of this part from anywhere in it: the second
/// derivative of half the squared distance is positive and varies by less than a factor of 2.
fn converges(part: &[[f64; 3]; 4], x: Vector3<f64>) -> bool {
    let [a, b, c, d] = part.map(Vector3::from);
    let middle = (a + d) * 0.5;
    let radius = [a, b, c, d].map(|p| (p - middle).norm_squared()).into_iter().fold(0.0, f64::max);
    let (away, radius) = (middle - x, radius.sqrt());
    let mean = d - a;
    let off = [b - a, c - b, d - c].map(|first| (3.0 * first - mean).norm_squared());
    let (length, off) = (mean.norm(), off.into_iter().fold(0.0, f64::max).sqrt());
    let bends = [a - 2.0 * b + c, b - 2.0 * c + d].map(|second| {
        let (value, slack) = (6.0 * away.dot(&second), 6.0 * radius * second.norm());
        (value - slack, value + slack)
    });
    let least = (length - off).max(0.0).powi(2) + bends[0].0.min(bends[1].0);
    let most = (length + off).powi(2) + bends[0].1.max(bends[1].1);
    least > 0.0 && most < 2.0 * least
}

/// The curve and its first two derivatives.
fn jet(curve: &[[f64; 3]; 4], t: f64) -> [Vector3<f64>; 3] {
    bernstein::jet(t).map(|row| Vector3::from_fn(|d, _| (0..4).map(|i| row[i] * curve[i][d]).sum()))
}
