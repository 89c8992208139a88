//! Roots of cubics in Bernstein form in [0, 1].
//!
//! "Above" means strictly greater than zero; a root is where a cubic changes
//! between above and not above. So a zero at an end belongs to the side below, and
//! the number of roots always agrees with the signs of the ends.

use crate::basis::bernstein;

/// Roots of `c`, ascending, at most three, and whether the cubic is above after it.
pub fn roots(c: &[f64; 4]) -> impl Iterator<Item = (f64, bool)> {
    // above at the ends of up to three monotone spans
    let mut stops = [0.0, 1.0, 1.0, 1.0];
    let mut count = 1;
    let differences = [c[1] - c[0], c[2] - c[1], c[3] - c[2]];
    let crosses = c.iter().any(|&x| x > 0.0) && c.iter().any(|&x| x <= 0.0);
    let monotone = differences.iter().all(|&d| d >= 0.0) || differences.iter().all(|&d| d <= 0.0);
    if crosses && !monotone {
        for t in extrema(differences) {
            stops[count] = t;
            count += 1;
        }
        stops[count] = 1.0;
    }
    let c = *c;
    let spans = if crosses { count } else { 0 };
    let above = move |t: f64| value(&c, t) > 0.0;
    (0..spans).filter_map(move |span| {
        let [from, to] = [stops[span], stops[span + 1]];
        let (before, after) = (above(from), above(to));
        (before != after).then(|| (solve(&c, from, to, after), after))
    })
}

/// Where a cubic that is monotone on [from, to] changes to `above_after`. An end if
/// it does not.
pub fn solve(c: &[f64; 4], from: f64, to: f64, above_after: bool) -> f64 {
    let sign = if above_after { 1.0 } else { -1.0 };
    let (mut low, mut high) = (from, to);
    let (f_low, f_high) = (sign * value(c, low), sign * value(c, high));
    if f_low == 0.0 || f_high == 0.0 {
        return if f_low == 0.0 { low } else { high };
    }
    let mut t = if f_high > f_low { low - f_low / (f_high - f_low) * (high - low) } else { low };
    for _ in 0..64 {
        if !(t > low && t < high) {
            t = 0.5 * (low + high);
        }
        let (f, slope) = value_and_slope(c, t);
        let f = sign * f;
        if f > 0.0 {
            high = t;
        } else {
            low = t;
        }
        let step = f / (sign * slope);
        let next = t - step;
        if step.abs() <= 1e-15 || high - low <= 1e-15 {
            return if step.abs() <= 1e-15 { next.clamp(low, high) } else { high };
        }
        t = next;
    }
    t.clamp(low, high)
}

/// Value of a cubic; exact at 0 and 1.
pub fn value(c: &[f64; 4], t: f64) -> f64 {
    let b = bernstein::cubic(t);
    b[0] * c[0] + b[1] * c[1] + b[2] * c[2] + b[3] * c[3]
}

fn value_and_slope(c: &[f64; 4], t: f64) -> (f64, f64) {
    let s = 1.0 - t;
    let [a, b, d] = [s * c[0] + t * c[1], s * c[1] + t * c[2], s * c[2] + t * c[3]];
    let [a, b] = [s * a + t * b, s * b + t * d];
    (s * a + t * b, 3.0 * (b - a))
}

/// Where the quadratic with Bernstein coefficients `d` vanishes strictly inside,
/// ascending.
fn extrema([a, b, c]: [f64; 3]) -> impl Iterator<Item = f64> {
    // a (1-t)² + 2b t(1-t) + c t² = (a - 2b + c) t² + 2 (b - a) t + a
    let (square, half, constant) = (a - 2.0 * b + c, b - a, a);
    let discriminant = half * half - square * constant;
    let mut found = [f64::NAN; 2];
    if discriminant >= 0.0 {
        let q = -(half + discriminant.sqrt().copysign(half));
        found = [q / square, constant / q];
        if found[0] > found[1] {
            found.swap(0, 1);
        }
    }
    found.into_iter().filter(|t| *t > 0.0 && *t < 1.0)
}
