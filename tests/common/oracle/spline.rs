//! Uniform cubic B-splines by the Cox–de Boor recursion, on the one span [0, 1].
//!
//! Knots are the integers. The four basis functions that do not vanish on the
//! span start at the knots −3, −2, −1 and 0; they weigh control points 0 to 3.

use super::vector::{ORIGIN, Point, add, scale};

/// The span's polynomial piece of the basis function of `degree` that starts at
/// `knot`, differentiated `order` times.
fn piece(knot: i32, degree: i32, order: usize, t: f64) -> f64 {
    if order > 0 {
        return piece(knot, degree - 1, order - 1, t) - piece(knot + 1, degree - 1, order - 1, t);
    }
    if degree == 0 {
        return if knot == 0 { 1.0 } else { 0.0 };
    }
    let rise = (t - f64::from(knot)) * piece(knot, degree - 1, 0, t);
    let fall = (f64::from(knot + degree + 1) - t) * piece(knot + 1, degree - 1, 0, t);
    (rise + fall) / f64::from(degree)
}

/// Weights of four control points in the derivative of `order` at `t`.
pub fn weights(order: usize, t: f64) -> [f64; 4] {
    std::array::from_fn(|point| piece(point as i32 - 3, 3, order, t))
}

/// A curve's derivative of `order` at `t`.
pub fn cubic(points: &[Point; 4], order: usize, t: f64) -> Point {
    weights(order, t).iter().zip(points).fold(ORIGIN, |sum, (&w, &p)| add(sum, scale(p, w)))
}

/// A patch's derivative of `orders` at (u, v). `net[i][j]`: i along u, j along v.
pub fn bicubic(net: &[[Point; 4]; 4], orders: [usize; 2], [u, v]: [f64; 2]) -> Point {
    cubic(&net.map(|row| cubic(&row, orders[1], v)), orders[0], u)
}

/// A volume's derivative of `orders` at (u, v, w). `net[i][j][k]`: i along u,
/// j along v, k along w.
pub fn tricubic(net: &[[[Point; 4]; 4]; 4], orders: [usize; 3], [u, v, w]: [f64; 3]) -> Point {
    cubic(&net.map(|slab| bicubic(&slab, [orders[1], orders[2]], [v, w])), orders[0], u)
}
