//! Where a plane crosses a patch.
//!
//! A point is *above* the plane if it is strictly higher. A plane crosses an edge
//! where the edge changes between above and not above, so that going around a patch,
//! crossings enter and leave the part above in turn. With u × v outward, a contour
//! that has the part above on its left in (u, v) has the material on its left in the
//! plane. An *arc* starts at a crossing that leaves the part above, going around
//! counter-clockwise, and ends at one that enters it; across the edge it is the other
//! way round, so arcs join to closed contours by the names of their crossings.
//!
//! In a simple patch an arc is a graph over one parameter. Its points come from safe
//! Newton steps in the other; there are as many as the tolerance asks for.

use super::root;
use crate::slice::boundary::{HEIGHT, Patch, Surface, curve_at};

/// Maximum number of halvings of an arc.
const MAX_ARC_HALVINGS: u32 = 40;

/// Name of a crossing: four times its edge plus its number on it.
pub type CrossingId = u32;

/// The curve of a plane in one patch, material on its left.
#[derive(Clone, Copy, Debug)]
pub struct Arc {
    pub start: CrossingId,
    pub end: CrossingId,
    /// Points of the arc but the last (which starts another arc): from, to.
    pub points: [u32; 2],
}

/// The arcs of a plane, in any number of patches.
#[derive(Debug, Default)]
pub struct Arcs {
    pub arcs: Vec<Arc>,
    /// Points of all arcs, see [`Arc::points`].
    pub points: Vec<[f64; 2]>,
    /// Last point of each arc.
    pub ends: Vec<[f64; 2]>,
    // memory for one patch
    crossings: Vec<Crossing>,
}

/// Where a plane crosses a side of a patch.
#[derive(Clone, Copy, Debug)]
struct Crossing {
    id: CrossingId,
    at: TracePoint,
    /// Whether the side is above after it.
    rising: bool,
}

/// A point of a contour in its patch.
#[derive(Clone, Copy, Debug)]
struct TracePoint {
    parameters: [f64; 2],
    point: [f64; 2],
}

impl Arcs {
    /// Forgets all arcs and keeps their memory.
    pub fn clear(&mut self) {
        self.arcs.clear();
        self.points.clear();
        self.ends.clear();
    }

    /// Adds the arcs of the plane at `height` (on the surface's grid of heights) in
    /// `patch`, chords within `tolerance`.
    pub fn add(&mut self, surface: &Surface, patch: &Patch, height: f64, tolerance: f64) {
        let mut crossings = std::mem::take(&mut self.crossings);
        crossings.clear();
        push_crossings(surface, patch, height, &mut crossings);
        if !crossings.is_empty() {
            let tracer = Tracer { patch, height, tolerance };
            let (starts, ends) = crossings.split_at(crossings.len() / 2);
            for (start, end) in starts.iter().zip(ends) {
                let first = self.points.len() as u32;
                tracer.trace(start.at, end.at, &mut self.points);
                let points = [first, self.points.len() as u32];
                self.arcs.push(Arc { start: start.id, end: end.id, points });
                self.ends.push(end.at.point);
            }
        }
        self.crossings = crossings;
    }

    /// All chords of all arcs, as (from, to).
    pub fn segments(&self) -> impl Iterator<Item = [[f64; 2]; 2]> {
        self.arcs.iter().zip(&self.ends).flat_map(|(arc, end)| {
            let points = &self.points[arc.points[0] as usize..arc.points[1] as usize];
            let next = points[1..].iter().chain(std::iter::once(end));
            points.iter().zip(next).map(|(&a, &b)| [a, b])
        })
    }
}

/// Crossings of the sides of a patch: first those that leave the part above, then as
/// many that enter it; an arc joins the k-th of the one to the k-th of the other.
fn push_crossings(surface: &Surface, patch: &Patch, height: f64, crossings: &mut Vec<Crossing>) {
    for side in 0..4 {
        for link in &surface.links[patch.links(side)] {
            let edge = &surface.edges[link.edge as usize];
            let heights = edge.map(|p| p[HEIGHT] - height);
            let from = crossings.len();
            for (number, (t, rising)) in root::roots(&heights).enumerate() {
                let [x, y, _] = curve_at(edge, t);
                let along = if link.reversed { 1.0 - t } else { t };
                let along = f64::from(link.start) + f64::from(link.length) * along;
                let parameters = match side {
                    0 => [along, 0.0],
                    1 => [1.0, along],
                    2 => [1.0 - along, 1.0],
                    _ => [0.0, 1.0 - along],
                };
                let id = 4 * link.edge + number as u32;
                let at = TracePoint { parameters, point: [x, y] };
                crossings.push(Crossing { id, at, rising: rising != link.reversed });
            }
            if link.reversed {
                crossings[from..].reverse();
            }
        }
    }
    if crossings.len() <= 2 {
        crossings.sort_by_key(|c| c.rising);
    } else if patch.slope.is_flat() {
        join_around(patch, height, crossings);
    } else {
        // along the graph, in the direction that has the part above on its left
        let (axis, sign) = match patch.slope.along_v {
            0 => (1, -patch.slope.along_u),
            along_v => (0, along_v),
        };
        let key = |c: &Crossing| f64::from(sign) * c.at.parameters[axis];
        crossings.sort_by(|a, b| a.rising.cmp(&b.rising).then(key(a).total_cmp(&key(b))));
    }
}

/// In a flat patch: chords around the parts below if the middle is above, else
/// around the parts above. Either way they do not cross.
fn join_around(patch: &Patch, height: f64, crossings: &mut [Crossing]) {
    let middle = patch.points.at([0.5; 2])[0][HEIGHT] > height;
    // (leaving, entering) around a part below, or (entering, leaving) around one above
    if crossings[0].rising == middle {
        crossings.rotate_left(1);
    }
    // stable: pairs stay pairs
    crossings.sort_by_key(|c| c.rising);
}

/// Traces arcs in one patch.
struct Tracer<'a> {
    patch: &'a Patch,
    height: f64,
    tolerance: f64,
}

/// A point of an arc with the arc's direction.
#[derive(Clone, Copy)]
struct ArcPoint {
    place: TracePoint,
    tangent: [f64; 2],
}

impl Tracer<'_> {
    /// Appends the points of an arc but the last.
    fn trace(&self, start: TracePoint, end: TracePoint, points: &mut Vec<[f64; 2]>) {
        points.push(start.point);
        if self.patch.slope.is_flat() {
            return;
        }
        let [a, b] = [start, end].map(|place| self.stop(place));
        self.halve(&a, &b, 0, points);
    }

    /// Appends points strictly between two stops.
    fn halve(&self, a: &ArcPoint, b: &ArcPoint, depth: u32, points: &mut Vec<[f64; 2]>) {
        let chord = [0, 1].map(|d| b.place.point[d] - a.place.point[d]);
        // not hypot, whose last bit differs between processors
        let length = (chord[0] * chord[0] + chord[1] * chord[1]).sqrt();
        if length <= self.tolerance || depth == MAX_ARC_HALVINGS {
            return;
        }
        // how far a curve with these directions at its ends leaves its chord
        let rise = tangent_of_angle(chord, a.tangent) + tangent_of_angle(chord, b.tangent);
        let near = length * rise * (4.0 / 27.0) <= self.tolerance;
        if near && depth > 0 {
            return;
        }
        let middle = self.between(&a.place, &b.place);
        if near && distance_from(chord, length, a.place.point, middle.point) <= self.tolerance {
            return;
        }
        let middle = self.stop(middle);
        self.halve(a, &middle, depth + 1, points);
        points.push(middle.place.point);
        self.halve(&middle, b, depth + 1, points);
    }

    /// A point of the arc about halfway.
    fn between(&self, a: &TracePoint, b: &TracePoint) -> TracePoint {
        let slope = self.patch.slope;
        let [du, dv] = [0, 1].map(|d| (b.parameters[d] - a.parameters[d]).abs());
        // the parameter that is given, the other is solved for
        let given = match (slope.along_u, slope.along_v) {
            (_, 0) => 1,
            (0, _) => 0,
            _ => usize::from(dv > du),
        };
        let along = if given == 0 { slope.along_v } else { slope.along_u };
        let t = 0.5 * (a.parameters[given] + b.parameters[given]);
        let heights = self.patch.points.heights_across(given, t).map(|z| z - self.height);
        let solved = root::solve(&heights, 0.0, 1.0, along > 0);
        let parameters = if given == 0 { [t, solved] } else { [solved, t] };
        let [x, y, _] = self.patch.points.at(parameters)[0];
        TracePoint { parameters, point: [x, y] }
    }

    fn stop(&self, place: TracePoint) -> ArcPoint {
        let [_, u, v] = self.patch.points.at(place.parameters);
        // the part above, up the slope, is on the left of (z_v, -z_u)
        let tangent = [0, 1].map(|d| u[d] * v[HEIGHT] - v[d] * u[HEIGHT]);
        ArcPoint { place, tangent }
    }
}

/// Absolute tangent of the angle between two directions; infinite from 90°, 0 if
/// there is no direction.
fn tangent_of_angle(chord: [f64; 2], direction: [f64; 2]) -> f64 {
    let along = chord[0] * direction[0] + chord[1] * direction[1];
    let across = (chord[0] * direction[1] - chord[1] * direction[0]).abs();
    if along > 0.0 {
        across / along
    } else if direction == [0.0; 2] {
        0.0
    } else {
        f64::INFINITY
    }
}

fn distance_from(chord: [f64; 2], length: f64, origin: [f64; 2], p: [f64; 2]) -> f64 {
    let [x, y] = [0, 1].map(|d| p[d] - origin[d]);
    (chord[0] * y - chord[1] * x).abs() / length
}
