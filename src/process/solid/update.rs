//! Distance of a vertex from what is known on the faces of its cells opposite to it.

use nalgebra::Vector3;

/// A vertex with its distance.
#[derive(Clone, Copy)]
pub(super) struct Node {
    pub at: Vector3<f64>,
    pub distance: f64,
    /// Gradient of the distance, of length 1; 0 if it is not known.
    pub direction: Vector3<f64>,
}

/// A distance, with its gradient.
#[derive(Clone, Copy)]
pub(super) struct Found {
    pub distance: f64,
    pub direction: Vector3<f64>,
}

impl Found {
    pub const NONE: Self = Self { distance: f64::INFINITY, direction: Vector3::new(0.0, 0.0, 0.0) };
}

/// How distances are interpolated between nodes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Between {
    /// Quadratically along edges, by the directions of their ends; a distance less than those that
    /// it is from does not count.
    Ascending,
    /// As that where it is above linear distances, else linearly. No result is below that of the
    /// linear scheme, so that repeated updates end.
    NotBelowLinear,
}

/// The least of distance + |x − y| over the points y of the triangle or edge that `nodes` span, if
/// it is inside; over an edge, its ends count as well.
pub(super) fn through<const N: usize>(
    x: &Vector3<f64>,
    nodes: [&Node; N],
    between: Between,
) -> Option<Found> {
    let weights = place(x, nodes)?;
    let y: Vector3<f64> = (0..N).map(|i| nodes[i].at * weights[i]).sum();
    let mut distance: f64 = (0..N).map(|i| nodes[i].distance * weights[i]).sum();
    let pairs = (0..N).flat_map(|i| (0..i).map(move |j| (i, j)));
    let bend: f64 =
        pairs.map(|(i, j)| 0.5 * weights[i] * weights[j] * bend(nodes[i], nodes[j])).sum();
    if between != Between::NotBelowLinear || bend < 0.0 {
        distance -= bend;
        // nowhere does a distance change faster than 1
        let reach = |i: usize| (nodes[i].at - y).norm();
        let low = (0..N).map(|i| nodes[i].distance - reach(i)).fold(f64::NEG_INFINITY, f64::max);
        let high = (0..N).map(|i| nodes[i].distance + reach(i)).fold(f64::INFINITY, f64::min);
        distance = distance.min(high).max(low);
    }
    let way = x - y;
    let distance = distance + way.norm();
    let latest = (0..N).filter(|&i| weights[i] > 0.0).map(|i| nodes[i].distance);
    if between == Between::Ascending && latest.fold(0.0, f64::max) > distance {
        return None;
    }
    Some(Found { distance, direction: way.try_normalize(0.0).unwrap_or_default() })
}

/// Second difference of the distance along an edge, from the slopes at its ends, or at one.
fn bend(a: &Node, b: &Node) -> f64 {
    let side = b.at - a.at;
    let rise = b.distance - a.distance;
    let [first, last] = [a, b].map(|node| node.direction.dot(&side));
    match [a, b].map(|node| node.direction != Vector3::zeros()) {
        [true, true] => last - first,
        [false, true] => 2.0 * (last - rise),
        [true, false] => 2.0 * (rise - first),
        [false, false] => 0.0,
    }
}

/// Weights of the nodes at the minimum of linear distances.
fn place<const N: usize>(x: &Vector3<f64>, nodes: [&Node; N]) -> Option<[f64; N]> {
    let origin = nodes[0];
    let way = x - origin.at;
    let mut weights = [0.0; N];
    match N {
        2 => {
            let side = nodes[1].at - origin.at;
            let length = side.norm();
            if length == 0.0 {
                return None;
            }
            let slope = (nodes[1].distance - origin.distance) / length;
            let foot = way.dot(&side) / length;
            let along = if slope.abs() < 1.0 {
                let height = (way.norm_squared() - foot * foot).max(0.0).sqrt();
                ((foot - slope * height / (1.0 - slope * slope).sqrt()) / length).clamp(0.0, 1.0)
            } else {
                f64::from(slope < 0.0)
            };
            (weights[0], weights[1]) = (1.0 - along, along);
        }
        3 => {
            let [s, t] = [1, 2].map(|i| nodes[i].at - origin.at);
            let [ds, dt] = [1, 2].map(|i| nodes[i].distance - origin.distance);
            let (ss, st, tt) = (s.norm_squared(), s.dot(&t), t.norm_squared());
            let determinant = ss * tt - st * st;
            if determinant <= 1e-12 * ss * tt {
                return None;
            }
            let solve =
                |a: f64, b: f64| [(tt * a - st * b) / determinant, (ss * b - st * a) / determinant];
            // gradient in the plane, and the foot of x
            let slope = solve(ds, dt);
            let square = slope[0] * ds + slope[1] * dt;
            if square >= 1.0 {
                return None;
            }
            let (a, b) = (way.dot(&s), way.dot(&t));
            let foot = solve(a, b);
            let height = (way.norm_squared() - foot[0] * a - foot[1] * b).max(0.0).sqrt();
            let back = height / (1.0 - square).sqrt();
            let [v, w] = [0, 1].map(|i| foot[i] - slope[i] * back);
            if v < 0.0 || w < 0.0 || v + w > 1.0 {
                return None;
            }
            (weights[0], weights[1], weights[2]) = (1.0 - v - w, v, w);
        }
        _ => return None,
    }
    Some(weights)
}
