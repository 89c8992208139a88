//! Distance of a vertex from known distances on the faces of its cells opposite to it.

use nalgebra::Vector3;

/// What rounding makes of equal distances, as a fraction of them.
const DISTANCE_TOLERANCE: f64 = 1e-9;

/// The cosine between directions that rounding makes of equal ones.
const PARALLEL_COSINE: f64 = 1.0 - 1e-9;

/// The cosine between directions of a vertex below which they are of different fronts.
const MAX_FRONT_COSINE: f64 = 0.5;

/// How much later than the first another front may come, as a fraction of its way.
const MAX_FRONT_DELAY: f64 = 0.5;

/// A vertex with its distance.
pub(super) struct FrontNode {
    pub at: Vector3<f64>,
    pub distance: f64,
    pub fronts: Fronts,
}

/// A minimum.
#[derive(Clone, Copy)]
pub(super) struct Minimum {
    pub distance: f64,
    /// Gradient of the distance, of length 1; 0 if it is not known.
    pub direction: Vector3<f64>,
    /// Length of its way.
    pub length: f64,
    /// The greatest distance that it is from.
    pub latest: f64,
    /// Whether it is inside a triangle, where distances fall in no direction: a front comes from
    /// there.
    pub is_inside: bool,
}

/// The minima at a vertex: of the least distance, and of other fronts that come soon after
/// it. Where fronts meet the distance is the least of theirs.
#[derive(Clone)]
pub(super) struct Fronts {
    pub least: f64,
    all: Vec<Minimum>,
}

impl Fronts {
    pub const NONE: Self = Self { least: f64::INFINITY, all: Vec::new() };

    pub fn offer(&mut self, found: Minimum) {
        if !found.is_inside && found.distance > self.least * (1.0 + DISTANCE_TOLERANCE) {
            return;
        }
        self.least = self.least.min(found.distance);
        let same = |f: &&mut Minimum| {
            f.is_inside == found.is_inside && f.direction.dot(&found.direction) > PARALLEL_COSINE
        };
        match self.all.iter_mut().find(same) {
            Some(front) if found.distance > front.distance * (1.0 + DISTANCE_TOLERANCE) => {}
            Some(front) if found.distance < front.distance * (1.0 - DISTANCE_TOLERANCE) => {
                *front = found
            }
            Some(front) => {
                front.distance = front.distance.min(found.distance);
                front.latest = front.latest.min(found.latest);
            }
            None if found.direction != Vector3::zeros() => self.all.push(found),
            None => {}
        }
    }

    pub fn offer_all(&mut self, others: Self) {
        self.least = self.least.min(others.least);
        others.all.into_iter().for_each(|found| self.offer(found));
    }

    /// Leaves out all but the least and what meets it. What is from vertices that are no nearer
    /// does not count: whether it was found depends on the order of equal ones.
    pub fn settle(&mut self) {
        let least = self.least;
        let is_least = |f: &Minimum| f.distance <= least * (1.0 + DISTANCE_TOLERANCE);
        let is_early = |f: &Minimum| f.latest < least * (1.0 - DISTANCE_TOLERANCE);
        if self.all.iter().any(|f| is_least(f) && is_early(f)) {
            self.all.retain(is_early);
        }
        let (first, mut rest): (Vec<Minimum>, Vec<Minimum>) =
            std::mem::take(&mut self.all).into_iter().partition(is_least);
        let are_one = |a: &Minimum, b: &Minimum| a.direction.dot(&b.direction) >= MAX_FRONT_COSINE;
        let is_soon = |f: &Minimum| f.distance - least < MAX_FRONT_DELAY * f.length;
        rest.retain(|f| f.is_inside && is_soon(f) && !first.iter().any(|a| are_one(a, f)));
        // one front, seen through different triangles, has the mean direction
        let mut groups: Vec<Vec<Minimum>> = Vec::new();
        for found in first {
            let (near, far): (Vec<_>, Vec<_>) =
                groups.into_iter().partition(|group| group.iter().any(|a| are_one(a, &found)));
            groups = far;
            groups.push(near.into_iter().flatten().chain([found]).collect());
        }
        for group in groups {
            let sum: Vector3<f64> = group.iter().map(|f| f.direction).sum();
            let direction = sum.try_normalize(0.0).unwrap_or_default();
            self.all.push(Minimum { direction, distance: least, ..group[0] });
        }
        self.all.extend(rest);
    }

    /// Slope of the distance toward a side.
    fn slope(&self, side: &Vector3<f64>) -> Option<f64> {
        let least =
            self.all.iter().filter(|f| f.distance <= self.least * (1.0 + DISTANCE_TOLERANCE));
        least.map(|f| f.direction.dot(side)).reduce(f64::min)
    }

    /// The least distance at a way from the vertex, of the planes of fronts that meet there.
    fn across(&self, way: &Vector3<f64>) -> f64 {
        if self.all.len() < 2 {
            return f64::INFINITY;
        }
        self.all.iter().map(|f| f.distance + f.direction.dot(way)).fold(f64::INFINITY, f64::min)
    }
}

/// How distances are interpolated between nodes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Interpolation {
    /// Quadratically along edges, by the directions of their ends; a distance less than those that
    /// it is from does not count.
    Ascending,
    /// As `Ascending` where that is above linear distances, else linearly. No result is below the
    /// linear scheme's, so that repeated updates end.
    NotBelowLinear,
}

/// The least of distance + |x − y| over the points y of the triangle or edge that `nodes` span, if
/// it is inside; over an edge, its ends count as well.
pub(super) fn through<const N: usize>(
    x: &Vector3<f64>,
    nodes: [&FrontNode; N],
    between: Interpolation,
) -> Option<Minimum> {
    let weights = place(x, nodes)?;
    let y: Vector3<f64> = (0..N).map(|i| nodes[i].at * weights[i]).sum();
    let mut distance: f64 = (0..N).map(|i| nodes[i].distance * weights[i]).sum();
    let pairs = (0..N).flat_map(|i| (0..i).map(move |j| (i, j)));
    let bend: f64 =
        pairs.map(|(i, j)| 0.5 * weights[i] * weights[j] * bend(nodes[i], nodes[j])).sum();
    if between != Interpolation::NotBelowLinear || bend < 0.0 {
        if bend < 0.0 {
            // above it, but not above fronts that meet at one of the vertices
            let planes = (0..N).map(|i| nodes[i].fronts.across(&(y - nodes[i].at)));
            distance = (distance - bend).min(planes.fold(f64::INFINITY, f64::min)).max(distance);
        } else {
            distance -= bend;
        }
        // nowhere does a distance change faster than 1
        let reach = |i: usize| (nodes[i].at - y).norm();
        let low = (0..N).map(|i| nodes[i].distance - reach(i)).fold(f64::NEG_INFINITY, f64::max);
        let high = (0..N).map(|i| nodes[i].distance + reach(i)).fold(f64::INFINITY, f64::min);
        distance = distance.min(high).max(low);
    }
    let way = x - y;
    let distance = distance + way.norm();
    let latest = (0..N).filter(|&i| weights[i] > 0.0).map(|i| nodes[i].distance);
    let latest = latest.fold(0.0, f64::max);
    if between == Interpolation::Ascending && latest > distance {
        return None;
    }
    let direction = way.try_normalize(0.0).unwrap_or_default();
    Some(Minimum { distance, direction, length: way.norm(), latest, is_inside: N == 3 })
}

/// Second difference of the distance along an edge, from the slopes at its ends, or at one.
fn bend(a: &FrontNode, b: &FrontNode) -> f64 {
    let side = b.at - a.at;
    let rise = b.distance - a.distance;
    match (a.fronts.slope(&side), b.fronts.slope(&-side).map(|back| -back)) {
        (Some(first), Some(last)) => last - first,
        (None, Some(last)) => 2.0 * (last - rise),
        (Some(first), None) => 2.0 * (rise - first),
        (None, None) => 0.0,
    }
}

/// Weights of the nodes at the minimum of linear distances.
fn place<const N: usize>(x: &Vector3<f64>, nodes: [&FrontNode; N]) -> Option<[f64; N]> {
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
