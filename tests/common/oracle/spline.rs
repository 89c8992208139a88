//! Uniform cubic B-splines by the Cox–de Boor recursion, on the one span [0, 1].
//!
//! Knots are the integers. The four basis functions that do not vanish on the
//! span start at the knots −3, −2, −1 and 0; they weigh control points 0 to 3.

use super::vector::{ORIGIN, Point, add, scale};

/// Values at `t` in the span of the basis functions of `degree` that start at the knots −`degree`
/// to 0; more of them are 0.
fn values(degree: usize, t: f64) -> [f64; 5] {
    // of degree 0: 1 on the span itself
    let mut values = [0.0; 5];
    values[0] = 1.0;
    for degree in 1..=degree {
        let lower = values;
        for (i, value) in values[..=degree].iter_mut().enumerate() {
            let knot = i as f64 - degree as f64;
            // the one that starts here, one degree lower, is the one before
            let rise = if i == 0 { 0.0 } else { (t - knot) * lower[i - 1] };
            let fall = (knot + degree as f64 + 1.0 - t) * lower[i];
            *value = (rise + fall) / degree as f64;
        }
    }
    values
}

/// Weights of four control points in the derivative of `order` at `t`.
pub fn weights(order: usize, t: f64) -> [f64; 4] {
    // a derivative is the difference of two functions one degree lower
    let mut weights = values(3 - order, t);
    for count in 4 - order..4 {
        let lower = weights;
        for (i, weight) in weights[..=count].iter_mut().enumerate() {
            *weight = if i == 0 { 0.0 } else { lower[i - 1] } - lower[i];
        }
    }
    [weights[0], weights[1], weights[2], weights[3]]
}

fn weighted(points: &[Point; 4], weights: &[f64; 4]) -> Point {
    weights.iter().zip(points).fold(ORIGIN, |sum, (&w, &p)| add(sum, scale(p, w)))
}

/// A curve's derivative of `order` at `t`.
pub fn cubic(points: &[Point; 4], order: usize, t: f64) -> Point {
    weighted(points, &weights(order, t))
}

/// A patch's derivative of `orders` at (u, v). `net[i][j]`: i along u, j along v.
pub fn bicubic(net: &[[Point; 4]; 4], orders: [usize; 2], [u, v]: [f64; 2]) -> Point {
    let across = weights(orders[1], v);
    cubic(&net.each_ref().map(|row| weighted(row, &across)), orders[0], u)
}

/// A volume's derivative of `orders` at (u, v, w). `net[i][j][k]`: i along u,
/// j along v, k along w.
pub fn tricubic(net: &[[[Point; 4]; 4]; 4], orders: [usize; 3], [u, v, w]: [f64; 3]) -> Point {
    let [across, along] = [weights(orders[1], v), weights(orders[2], w)];
    let slab = |slab: &[[Point; 4]; 4]| {
        weighted(&slab.each_ref().map(|row| weighted(row, &along)), &across)
    };
    cubic(&net.each_ref().map(slab), orders[0], u)
}
