//! The place of the solid that is closest to a point outside: best-first search of boxes.
//!
//! Items are visited in the order of the distances of their boxes, equal ones in their own order,
//! whatever tree they are in: so the part of a solid that has all items near the point answers
//! bit by bit what the whole does.
//!
//! The closest place of a point outside lies on the boundary. So the sides of pieces that are on
//! the boundary are searched, exact ones as bicubic [patches](crate::basis::closest_on_patch),
//! those around extraordinary points and edges by [rings](super::cores) of such patches. Where
//! cells are folded the image of the inside may reach beyond the boundary's; there the pieces
//! are searched as volumes too.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use nalgebra::Vector3;

use super::boundary::{BoundaryPart, samples};
use super::closest::{ClosestPoint, SearchBox, closest_from_outside};
use super::hierarchy::Node;
use super::sides::BestPlace;
use super::tricubic::jet;
use super::{Locator, Place, parameters};
use crate::numbers::bounds::squared_distance;

impl Locator<'_> {
    /// The closest place of a point outside, and its piece.
    pub(super) fn nearest_on_boundary(&self, x: [f64; 3]) -> Option<(u32, Place)> {
        nearest(self, x, |_| true)
    }

    /// The place of the boundary, seen from inside or outside, that is closest to a point. `None`
    /// for a point that is not finite.
    pub(crate) fn nearest_on_sides(&self, x: [f64; 3]) -> Option<Place> {
        nearest(self, x, |item| matches!(item, BoundaryPart::Sides(..))).map(|(_, place)| place)
    }
}

/// What is visited next, at the same distance nodes before the items that they may hold.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum QueueEntry {
    Node(u32),
    Item(u32),
}

/// The closest place of the items that are `wanted`.
fn nearest(
    locator: &Locator<'_>,
    x: [f64; 3],
    wanted: impl Fn(BoundaryPart) -> bool,
) -> Option<(u32, Place)> {
    if !x.iter().all(|x| x.is_finite()) {
        return None;
    }
    let boundary = &locator.boundary;
    let nodes = &boundary.hierarchy.nodes;
    // rounding of x counts once it is far away
    let far = x.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let slack = boundary.slack + locator.rounding + 4.0 * f64::EPSILON * far;
    let mut best = BestPlace::none(slack);
    let mut piece = None;
    let mut queue = BinaryHeap::new();
    // squared distances are ≥ 0, so that their bits are in their order
    let entry = |square: f64, next: QueueEntry| (square.to_bits(), next);
    let mut nearest =
        nodes.first().map(|root| entry(root.squared_distance(x), QueueEntry::Node(0)));
    while let Some((bits, next)) = nearest.take().or_else(|| queue.pop().map(|Reverse(e)| e)) {
        if best.rules_out_square(f64::from_bits(bits)) {
            break;
        }
        match next {
            QueueEntry::Node(at) => {
                let Node { first, count, .. } = nodes[at as usize];
                if count == 0 {
                    let mut children = [at + 1, nodes[at as usize + 1].skip].map(|at| {
                        entry(nodes[at as usize].squared_distance(x), QueueEntry::Node(at))
                    });
                    children.sort_unstable();
                    let [near, far] = children.map(|entry| {
                        (!best.rules_out_square(f64::from_bits(entry.0))).then_some(entry)
                    });
                    queue.extend(far.map(Reverse));
                    // most often one child is as near as the node, and nothing else is nearer
                    nearest = near;
                    if let (Some(near), Some(mut top)) = (&mut nearest, queue.peek_mut())
                        && top.0 < *near
                    {
                        std::mem::swap(near, &mut top.0);
                    }
                }
                for leaf in first..first + count {
                    let item = boundary.hierarchy.items[leaf as usize];
                    if wanted(boundary.items[item as usize]) {
                        let square = squared_distance(&boundary.boxes[leaf as usize], x);
                        if !best.rules_out_square(square) {
                            queue.push(Reverse(entry(square, QueueEntry::Item(item))));
                        }
                    }
                }
            }
            QueueEntry::Item(item) => {
                let corners = boundary.corners_of(item).iter();
                let squares = corners.map(|&p| squared_distance(&[p, p], x));
                best.bound_by(squares.fold(f64::INFINITY, f64::min).sqrt());
                let before = best.place.distance;
                let of = look_at(locator, boundary.items[item as usize], x, &mut best);
                if best.place.distance < before {
                    piece = Some(of);
                }
            }
        }
    }
    let piece = piece?;
    let ClosestPoint { parameters, distance } = best.place;
    let element = locator.pieces.pieces[piece as usize].element;
    Some((piece, Place { element, parameters, residual: distance }))
}

/// Looks at an item; its piece.
fn look_at(locator: &Locator<'_>, item: BoundaryPart, x: [f64; 3], best: &mut BestPlace) -> u32 {
    let pieces = &locator.pieces;
    match item {
        BoundaryPart::Sides(i, sides) => {
            let piece = &pieces.pieces[i as usize];
            match pieces.core(i as usize) {
                None => best.look_at(&pieces.points[i as usize], piece, sides, x.into()),
                Some(core) => core.nearest(x, sides, locator.rounding, &locator.memory, best),
            }
            i
        }
        BoundaryPart::Volume(i) => {
            if !is_beyond(locator, i as usize, x.into(), best) {
                // it may be anywhere in the piece, and no plane through it has the others beyond it
                best.offer(in_volume(locator, i as usize, x, best), Vector3::zeros());
            }
            i
        }
    }
}

/// Whether a plane has all of a piece beyond it, no nearer than the best place: one across the way
/// to that place, or across the way to the middle of the piece.
fn is_beyond(locator: &Locator<'_>, piece: usize, x: Vector3<f64>, best: &BestPlace) -> bool {
    let points = &locator.pieces.points[piece];
    let [low, high] = locator.pieces.boxes[piece].map(Vector3::from);
    let middle = (0.5 * (low + high) - x).try_normalize(0.0).unwrap_or_default();
    [best.toward, middle].into_iter().any(|n| {
        let along = points.iter().map(|&p| n.dot(&(Vector3::from(p) - x)));
        let least = along.fold(f64::INFINITY, f64::min);
        best.rules_out(least - locator.pieces.errors[piece])
    })
}

/// A place of one piece, by descent from the nearest sample. Of an inexact piece none if the place
/// of its Bézier points is so far that the limit there is no nearer than the best.
fn in_volume(locator: &Locator<'_>, piece: usize, x: [f64; 3], best: &BestPlace) -> ClosestPoint {
    let pieces = &locator.pieces;
    let header = &pieces.pieces[piece];
    let points = &pieces.points[piece];
    let samples = samples().map(|t| ((jet(points, t).point - Vector3::from(x)).norm(), t));
    let (_, start) = samples.fold((f64::INFINITY, [0.5; 3]), |a, b| if b.0 < a.0 { b } else { a });
    let mut found = closest_from_outside(|t| jet(points, t), x, SearchBox::UNIT, start);
    found.parameters = parameters::in_element(header, found.parameters);
    if !header.exact {
        if best.rules_out(found.distance - pieces.errors[piece]) {
            return BestPlace::none(0.0).place;
        }
        let map = pieces.limit(piece);
        found = closest_from_outside(|p| map.jet(p), x, map.domain(), found.parameters);
    }
    found
}
