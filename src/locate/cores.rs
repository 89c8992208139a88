//! Points within inexact pieces, around extraordinary points and edges, exactly.
//!
//! # Theory
//! What an inexact piece stands for is a net, which splits into exact pieces and such a
//! net again, half as large ([`crate::bezier`]). The limit of a net stays within the net's
//! *radius* around its *core*, the limit at the extraordinary point or along the edge. So a
//! point goes down the rings: through the pieces of a ring that may hold it, then on, until
//! the core is farther away than the radius of the remainder. A ring shrinks at least by
//! some factor, so that few of them are gone through.
//!
//! # Practice
//! Splits are made when a point first asks for them, and kept as long as memory of some
//! bounded size is left: answers do not depend on that.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use nalgebra::Vector3;

use super::closest::ClosestPoint;
use super::frame::AffineFrame;
use super::hierarchy::diagonal;
use super::parameters;
use super::search::{self, Nearness, SHARED_PLACE_TOLERANCE};
use super::sides::{BestPlace, ElementSides};
use super::tricubic::{HalfPiece, TricubicPoints, bounds};
use crate::basis::{bernstein, closest_on_curve};
use crate::bezier::{LocalBox, Nest, NestSibling, Piece};
use crate::numbers::bounds::{Bounds, longest_side, squared_distance};

/// Deepest ring: parameters of points below equal the core's, to rounding.
const MAX_RING: u32 = 50;
/// How often the core's curve is halved, at most, for boxes around it.
const MAX_CURVE_HALVINGS: u32 = 6;
/// Memory of the splits that are kept.
const KEPT_BYTES: usize = 1 << 28;

/// An extraordinary point or edge and its surroundings.
#[derive(Debug)]
pub struct Core<'s> {
    // positions less `origin`
    nest: Nest<'s>,
    // a point of the core, less the origin of the box that this was split from
    origin: [f64; 3],
    // the core less `origin`: a point (0), or the Bézier points of a curve
    curve: Option<[[f64; 3]; 4]>,
    // how far from the core the limit is at most
    radius: f64,
    ring: OnceLock<Box<SplitRing<'s>>>,
}

/// One split.
#[derive(Debug)]
struct SplitRing<'s> {
    pieces: Vec<ExactPiece>,
    edges: Vec<Core<'s>>,
    inner: Core<'s>,
}

/// An exact piece of a ring.
#[derive(Debug)]
struct ExactPiece {
    points: TricubicPoints,
    // made when a point inside first asks for it
    frame: OnceLock<Option<AffineFrame>>,
    bounds: Bounds,
    part: LocalBox,
}

/// How much memory is left for splits.
#[derive(Debug)]
pub struct SplitMemory(AtomicUsize);

impl Default for SplitMemory {
    fn default() -> Self {
        Self(AtomicUsize::new(KEPT_BYTES))
    }
}

impl SplitMemory {
    /// Takes `bytes` bytes if they are left.
    fn take(&self, bytes: usize) -> bool {
        let less = |left: usize| left.checked_sub(bytes);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok()
    }
}

/// What is looked for.
#[derive(Clone, Copy, Debug)]
pub struct CoreQuery<'a> {
    /// The distance at which the search may end.
    pub nearness: Nearness,
    /// A point so near to the core is on it.
    pub rounding: f64,
    /// Memory that splits may take.
    pub memory: &'a SplitMemory,
}

/// A plane through an inexact piece.
#[derive(Clone, Copy, Debug)]
pub struct CoreCut {
    /// The coordinate that is constant on it, and its value.
    pub axis: usize,
    pub height: f64,
    /// What is no farther from the plane meets it.
    pub most: f64,
    /// Remainders that stay so near to their core are not split.
    pub radius: f64,
}

impl CoreCut {
    fn meets(&self, [low, high]: &Bounds, origin: [f64; 3]) -> bool {
        let height = self.height - origin[self.axis];
        low[self.axis] - self.most <= height && height <= high[self.axis] + self.most
    }
}

/// A part of an inexact piece that a plane meets.
#[derive(Debug)]
pub enum CorePart {
    /// An exact piece of a ring, in the element's parameters.
    Exact(Box<HalfPiece>, Option<AffineFrame>),
    /// The box around a remainder.
    Rest(Bounds),
}

impl<'s> Core<'s> {
    /// What an inexact piece stands for.
    pub fn new(mut nest: Nest<'s>) -> Self {
        let center = nest.center();
        let (points, _) = center.as_chunks::<3>();
        let origin = points[0];
        let curve = (points.len() == 4).then(|| {
            [0, 1, 2, 3].map(|i| (Vector3::from(points[i]) - Vector3::from(origin)).into())
        });
        nest.move_back(&origin);
        let radius = match &curve {
            Some(curve) => nest.radius(curve.as_flattened()),
            None => nest.radius(&[0.0; 3]),
        };
        Self { nest, origin, curve, radius, ring: OnceLock::new() }
    }

    /// A point of the core.
    pub fn origin(&self) -> [f64; 3] {
        self.origin
    }

    /// The place closest to `x` in the element's parameters, if it is nearer than
    /// `nearness.most`; the first found that is near enough.
    pub fn search(&self, x: [f64; 3], sought: &CoreQuery<'_>) -> Option<ClosestPoint> {
        let mut best = None;
        self.descend(x, sought, MAX_RING, &mut best);
        best
    }

    /// The parts that a plane meets to `take`.
    pub fn cut(&self, cut: &CoreCut, memory: &SplitMemory, take: &mut dyn FnMut(CorePart)) {
        self.descend_cut(cut, [0.0; 3], (MAX_RING, memory), take);
    }

    /// Whether `best` is near enough now.
    fn descend(
        &self,
        x: [f64; 3],
        sought: &CoreQuery<'_>,
        rings: u32,
        best: &mut Option<ClosestPoint>,
    ) -> bool {
        let x = (Vector3::from(x) - Vector3::from(self.origin)).into();
        let (on_core, away) = self.nearest_on_core(x);
        let Nearness { enough, most } = sought.nearness;
        // places farther than the best so far are of no use
        let within = |best: &Option<ClosestPoint>| best.map_or(most, |best| best.distance);
        if on_core.distance > self.radius + within(best) {
            return false;
        }
        offer(best, on_core, most);
        if on_core.distance <= sought.rounding {
            return true;
        }
        // the limit lies in the hull of its control points: all of it may be beyond a plane that is
        // as far as the best place
        let toward = away.try_normalize(0.0).unwrap_or_default();
        let beyond = self.nest.least_along(toward.into()) - toward.dot(&Vector3::from(x));
        if beyond >= within(best) - sought.rounding {
            return false;
        }
        if rings == 0 || self.radius <= sought.rounding {
            return on_core.distance <= enough;
        }
        let mut room = None;
        let ring = self.split_ring(sought.memory, &mut room);
        for piece in &ring.pieces {
            let within = within(best);
            if squared_distance(&piece.bounds, x) > within * within {
                continue;
            }
            // small pieces are told apart as their size allows
            let enough =
                enough.min(SHARED_PLACE_TOLERANCE * diagonal(&piece.bounds) + sought.rounding);
            let nearness = Nearness { enough, most: within };
            let frame = piece.frame.get_or_init(|| AffineFrame::of(&piece.points)).as_ref();
            let found = search::in_piece(&piece.points, frame, x, nearness);
            let Some(mut found) = found else { continue };
            let LocalBox { origin, size, exact } = piece.part;
            let header = Piece { element: 0, origin, size, exact };
            found.parameters = parameters::in_element(&header, found.parameters);
            offer(best, found, most);
            if found.distance <= enough {
                return true;
            }
        }
        // the nearest first: along an edge there are as many cores as places near the point
        let distance = |core: &&Core<'_>| {
            let x = (Vector3::from(x) - Vector3::from(core.origin)).into();
            core.nearest_on_core(x).0.distance
        };
        let mut below: Vec<_> = ring.edges.iter().chain([&ring.inner]).collect();
        below.sort_by_cached_key(|core| distance(core).to_bits());
        for core in below {
            if core.descend(x, sought, rings - 1, best) {
                return true;
            }
        }
        false
    }

    /// The parts of `rings` rings at most that a plane meets, to `take`; `origin`: of the core's own.
    fn descend_cut(
        &self,
        cut: &CoreCut,
        origin: [f64; 3],
        (rings, memory): (u32, &SplitMemory),
        take: &mut dyn FnMut(CorePart),
    ) {
        let origin = sum(origin, self.origin);
        let own = self.nest.bounds();
        if !cut.meets(&own, origin) {
            return;
        }
        if rings == 0 || self.radius <= cut.radius {
            match self.curve {
                None => self.rest([[0.0; 3]; 4], 0, (cut, origin), take),
                Some(curve) => self.rest(curve, MAX_CURVE_HALVINGS, (cut, origin), take),
            }
            return;
        }
        let mut room = None;
        let ring = self.split_ring(memory, &mut room);
        for piece in ring.pieces.iter().filter(|piece| cut.meets(&piece.bounds, origin)) {
            let LocalBox { origin: corner, size, .. } = piece.part;
            let points = piece.points.map(|point| sum(point, origin));
            let frame = piece.frame.get_or_init(|| AffineFrame::of(&piece.points));
            let frame = frame.map(|frame| frame.moved(origin));
            let part = HalfPiece { points, origin: corner, size };
            take(CorePart::Exact(Box::new(part), frame));
        }
        for core in ring.edges.iter().chain([&ring.inner]) {
            core.descend_cut(cut, origin, (rings - 1, memory), take);
        }
    }

    /// Boxes around a part of the core, as small as its surroundings, that the plane meets.
    fn rest(
        &self,
        curve: [[f64; 3]; 4],
        halvings: u32,
        (cut, origin): (&CoreCut, [f64; 3]),
        take: &mut dyn FnMut(CorePart),
    ) {
        let [low, high] = bounds(&curve);
        let around = [low.map(|x| x - self.radius), high.map(|x| x + self.radius)];
        if !cut.meets(&around, origin) {
            return;
        }
        if halvings == 0 || longest_side([low, high]) <= 2.0 * self.radius {
            return take(CorePart::Rest(around.map(|corner| sum(corner, origin))));
        }
        let middle = |a: [f64; 3], b: [f64; 3]| sum(a, b).map(|x| 0.5 * x);
        for half in bernstein::halves(curve, middle) {
            self.rest(half, halvings - 1, (cut, origin), take);
        }
    }

    /// Looks for a place that is nearer to `x` than the best, on these sides of the
    /// element where the piece has a side on them.
    pub fn nearest(
        &self,
        x: [f64; 3],
        sides: ElementSides,
        rounding: f64,
        memory: &SplitMemory,
        best: &mut BestPlace,
    ) {
        self.descend_nearest(x, sides, rounding, memory, MAX_RING, best);
    }

    fn descend_nearest(
        &self,
        x: [f64; 3],
        sides: ElementSides,
        rounding: f64,
        memory: &SplitMemory,
        rings: u32,
        best: &mut BestPlace,
    ) {
        let x = Vector3::from(x) - Vector3::from(self.origin);
        // the limit lies in the hull of its control points: all beyond a plane that is far enough
        let beyond = |n: Vector3<f64>| self.nest.least_along(n.into()) - n.dot(&x);
        let middle = self.curve.map_or(Vector3::zeros(), |[a, b, c, d]| {
            [a, b, c, d].map(Vector3::from).iter().sum::<Vector3<f64>>() / 4.0
        });
        let toward = (middle - x).try_normalize(0.0).unwrap_or_default();
        if best.rules_out(beyond(best.toward)) || best.rules_out(beyond(toward)) {
            return;
        }
        let (on_core, away) = self.nearest_on_core(x.into());
        if best.rules_out(on_core.distance - self.radius) {
            return;
        }
        best.offer(on_core, away);
        let toward = away.try_normalize(0.0).unwrap_or_default();
        if self.curve.is_some() && best.rules_out(beyond(toward)) {
            return;
        }
        if rings == 0 || self.radius <= rounding.max(best.slack) {
            return;
        }
        let mut room = None;
        let ring = self.split_ring(memory, &mut room);
        for piece in &ring.pieces {
            let LocalBox { origin, size, exact } = piece.part;
            let own = sides.of_box(origin, size);
            if best.rules_out(squared_distance(&piece.bounds, x.into()).sqrt()) {
                continue;
            }
            let header = Piece { element: 0, origin, size, exact };
            best.look_at(&piece.points, &header, own, x);
        }
        for core in ring.edges.iter().chain([&ring.inner]) {
            let LocalBox { origin, size, .. } = core.nest.part;
            let own = sides.of_box(origin, size);
            if own != ElementSides::default() {
                core.descend_nearest(x.into(), own, rounding, memory, rings - 1, best);
            }
        }
    }

    /// The split: kept if there is memory for it, else in `room`.
    fn split_ring<'a>(
        &'a self,
        memory: &SplitMemory,
        room: &'a mut Option<SplitRing<'s>>,
    ) -> &'a SplitRing<'s> {
        match self.ring.get() {
            Some(ring) => ring,
            None if memory.take(self.split_bytes()) => {
                self.ring.get_or_init(|| Box::new(self.split()))
            }
            None => room.insert(self.split()),
        }
    }

    /// The place of the core that is closest to `x`, which is less `origin`; and the vector from
    /// `x` to it.
    fn nearest_on_core(&self, x: [f64; 3]) -> (ClosestPoint, Vector3<f64>) {
        let mut parameters = self.nest.origin();
        let Some(curve) = &self.curve else {
            let away = -Vector3::from(x);
            return (ClosestPoint { parameters, distance: away.norm() }, away);
        };
        let (t, away) = closest_on_curve(curve, x);
        let (axis, against) = self.nest.edge_axis();
        let size = self.nest.part.size[axis];
        parameters[axis] += if against { -t * size } else { t * size };
        (ClosestPoint { parameters, distance: away.norm() }, away)
    }

    fn split(&self) -> SplitRing<'s> {
        let split = self.nest.split();
        let (mut pieces, mut edges) = (Vec::new(), Vec::new());
        for sibling in split.siblings {
            match sibling {
                NestSibling::Edge(nest) => edges.push(Core::new(nest)),
                NestSibling::Piece(part, points) => {
                    for points in points.as_chunks::<3>().0.as_chunks::<64>().0 {
                        let bounds = bounds(points);
                        pieces.push(ExactPiece {
                            points: *points,
                            frame: OnceLock::new(),
                            bounds,
                            part,
                        });
                    }
                }
            }
        }
        SplitRing { pieces, edges, inner: Core::new(split.inner) }
    }

    /// Memory of a split, roughly.
    fn split_bytes(&self) -> usize {
        let children = if self.nest.is_edge() { 4 } else { 8 };
        children * size_of::<ExactPiece>() + self.nest.bytes()
    }
}

fn sum(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|d| a[d] + b[d])
}

/// Takes a place that is nearer.
fn offer(best: &mut Option<ClosestPoint>, found: ClosestPoint, most: f64) {
    if found.distance <= best.map_or(most, |best| best.distance) {
        *best = Some(found);
    }
}
