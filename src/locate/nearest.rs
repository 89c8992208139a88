//! The place of the solid that is closest to a point outside: best boxes first.
//!
//! The closest place of a point outside lies on the boundary. So the sides of pieces that are on
//! the boundary are searched, exact ones as bicubic [patches](super::patch), those around
//! extraordinary points and edges by [rings](super::cores) of such patches. Where cells are folded
//! the image of the inside may reach beyond that of the boundary; there the pieces are searched as
//! volumes too.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use nalgebra::Vector3;
use rayon::prelude::*;

use super::closest::{Closest, Domain, closest};
use super::hierarchy::{Box3, Hierarchy, squared_distance};
use super::patch::{self, Patch};
use super::tricubic::{Points, jet};
use super::{Locator, LocatorPieces, Place, diagonal, parameters};
use crate::bezier::Piece;
use crate::limit::boundary::boundary_faces;
use crate::topology::Orientation;

/// Samples along each axis of a piece that descents begin from, and where folds are looked for.
const STARTS: usize = 3;
/// No place is nearer than the one found by more than this part of the solid's size.
const SLACK: f64 = 1e-12;

/// Sides of an element, or of a box of its parameters: bit 2 · axis + side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sides(u8);

impl Sides {
    /// Those of these sides of an element on which a box of its parameters has a side.
    pub fn of_box(self, origin: [f64; 3], size: [f64; 3]) -> Self {
        let meets = |&(axis, side): &(usize, usize)| match side {
            0 => origin[axis] == 0.0,
            _ => origin[axis] + size[axis] == 1.0,
        };
        Self(self.iter().filter(meets).map(|(axis, side)| Self::bit(axis, side)).sum())
    }

    /// (axis, side) of each.
    pub fn iter(self) -> impl Iterator<Item = (usize, usize)> {
        (0..6).filter(move |bit| self.0 >> bit & 1 == 1).map(|bit| (bit / 2, bit % 2))
    }

    fn bit(axis: usize, side: usize) -> u8 {
        1 << (2 * axis + side)
    }
}

/// Pieces that may hold the closest place of a point outside.
#[derive(Debug)]
pub struct Boundary {
    // [item]
    items: Vec<Item>,
    boxes: Vec<Box3>,
    hierarchy: Hierarchy,
    // what is as good as nearest, in length units
    slack: f64,
}

#[derive(Clone, Copy, Debug)]
enum Item {
    /// Sides of a piece.
    Sides(u32, Sides),
    /// A piece that may be folded.
    Volume(u32),
}

impl Boundary {
    pub(super) fn new(pieces: &LocatorPieces<'_>) -> Self {
        let solid = pieces.solid();
        let mut of_element = vec![Sides::default(); solid.elements().len()];
        for face in boundary_faces(solid, &Orientation::default()) {
            of_element[face.element as usize].0 |= Sides::bit(face.axis, face.side);
        }
        let sides_of = |i: usize| {
            let Piece { element, origin, size, .. } = pieces.pieces[i];
            of_element[element as usize].of_box(origin, size)
        };
        let mut items = Vec::new();
        for i in 0..pieces.len() {
            let sides = sides_of(i);
            if sides != Sides::default() {
                items.push(Item::Sides(i as u32, sides));
            }
        }
        items.extend(folded(pieces).into_iter().map(Item::Volume));
        let bounds = |item: &Item| match *item {
            Item::Sides(i, sides) if pieces.core(i as usize).is_none() => {
                let points = &pieces.points[i as usize];
                let patches = sides.iter().map(|(axis, side)| patch_of(points, axis, side));
                patches.flatten().fold([[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]], |b, p| {
                    [0, 1].map(|end: usize| {
                        std::array::from_fn(|d| match end {
                            0 => b[0][d].min(p[d]),
                            _ => b[1][d].max(p[d]),
                        })
                    })
                })
            }
            Item::Sides(i, _) | Item::Volume(i) => pieces.boxes[i as usize],
        };
        let boxes: Vec<Box3> = items.par_iter().map(bounds).collect();
        let hierarchy = Hierarchy::new(&boxes);
        let size = hierarchy.nodes.first().map_or(0.0, |root| diagonal(&[root.low, root.high]));
        Self { items, boxes, hierarchy, slack: SLACK * size }
    }
}

/// Pieces whose Jacobian has, at some sample, not the sign that most samples of the solid have.
fn folded(pieces: &LocatorPieces<'_>) -> Vec<u32> {
    let counts = |points: &Points| {
        let mut signs = [0_usize; 2];
        for t in samples() {
            let [a, b, c] = jet(points, t).derivatives;
            let determinant = a.cross(&b).dot(&c);
            let rounding = 1e-9 * a.norm() * b.norm() * c.norm();
            signs[0] += usize::from(determinant < -rounding);
            signs[1] += usize::from(determinant > rounding);
        }
        signs
    };
    let signs: Vec<[usize; 2]> = pieces.points.par_iter().map(counts).collect();
    let total = signs.iter().fold([0; 2], |a, b| [a[0] + b[0], a[1] + b[1]]);
    let wrong = usize::from(total[0] >= total[1]);
    (0..signs.len() as u32).filter(|&i| signs[i as usize][wrong] > 0).collect()
}

fn samples() -> impl Iterator<Item = [f64; 3]> {
    (0..STARTS.pow(3)).map(|i| {
        let at = [i % STARTS, i / STARTS % STARTS, i / (STARTS * STARTS)];
        at.map(|i| i as f64 / (STARTS - 1) as f64)
    })
}

/// The side of a piece where `axis` is `side`, along its other axes in their order.
pub fn patch_of(points: &Points, axis: usize, side: usize) -> Patch {
    let fixed = (3 * side) << (2 * axis);
    let [s, t] = along(axis).map(|d| 2 * d);
    std::array::from_fn(|i| points[fixed | (i % 4) << s | (i / 4) << t].into())
}

/// The axes other than `axis`, in their order.
fn along(axis: usize) -> [usize; 2] {
    [[1, 2], [0, 2], [0, 1]][axis]
}

/// What is the closest so far, in the parameters of an element.
#[derive(Clone, Copy, Debug)]
pub struct Best {
    /// The place; none yet if its distance is infinite.
    pub place: Closest,
    /// A place that is nearer by less than this is as good.
    pub slack: f64,
}

impl Best {
    /// Whether a place at this distance, or farther, need not be looked at.
    pub fn rules_out(&self, distance: f64) -> bool {
        distance >= self.place.distance - self.slack
    }

    /// Takes a place that is nearer.
    pub fn offer(&mut self, place: Closest) {
        if place.distance < self.place.distance {
            self.place = place;
        }
    }

    /// Looks at sides of an exact piece, which is a box of its element's parameters.
    pub fn look_at(&mut self, points: &Points, piece: &Piece, sides: Sides, x: Vector3<f64>) {
        for (axis, side) in sides.iter() {
            let patch = patch_of(points, axis, side);
            let found = patch::closest(&patch, x, self.place.distance, self.slack);
            let Some(found) = found else { continue };
            let mut t = [0.0; 3];
            t[axis] = side as f64;
            let [first, second] = along(axis);
            [t[first], t[second]] = found.parameters;
            let parameters = parameters::in_element(piece, t);
            self.offer(Closest { parameters, distance: found.distance });
        }
    }
}

pub(super) fn nearest(locator: &Locator<'_>, x: [f64; 3]) -> Option<(u32, Place)> {
    if !x.iter().all(|x| x.is_finite()) {
        return None;
    }
    let boundary = &locator.boundary;
    let nodes = &boundary.hierarchy.nodes;
    let none = Closest { parameters: [0.0; 3], distance: f64::INFINITY };
    let slack = boundary.slack + locator.rounding;
    let mut best = Best { place: none, slack };
    let mut piece = None;
    let mut queue = BinaryHeap::new();
    // squared distances are ≥ 0, so that their bits are in their order
    let entry = |at: usize| Some(Reverse((nodes.get(at)?.squared_distance(x).to_bits(), at)));
    queue.extend(entry(0));
    while let Some(Reverse((bits, at))) = queue.pop() {
        if best.rules_out(f64::from_bits(bits).sqrt()) {
            break;
        }
        let node = &nodes[at];
        for &item in &boundary.hierarchy.items[node.first as usize..][..node.count as usize] {
            if best.rules_out(squared_distance(&boundary.boxes[item as usize], x).sqrt()) {
                continue;
            }
            let before = best.place.distance;
            let of = look_at(locator, boundary.items[item as usize], x, &mut best);
            if best.place.distance < before {
                piece = Some(of);
            }
        }
        if node.count == 0 {
            queue.extend(entry(at + 1));
            queue.extend(entry(nodes[at + 1].skip as usize));
        }
    }
    let piece = piece?;
    let Closest { parameters, distance } = best.place;
    let element = locator.pieces.pieces[piece as usize].element;
    Some((piece, Place { element, parameters, residual: distance }))
}

/// Looks at an item; its piece.
fn look_at(locator: &Locator<'_>, item: Item, x: [f64; 3], best: &mut Best) -> u32 {
    let pieces = &locator.pieces;
    match item {
        Item::Sides(i, sides) => {
            let piece = &pieces.pieces[i as usize];
            match pieces.core(i as usize) {
                None => best.look_at(&pieces.points[i as usize], piece, sides, x.into()),
                Some(core) => core.nearest(x, sides, locator.rounding, &locator.memory, best),
            }
            i
        }
        Item::Volume(i) => {
            best.offer(in_volume(locator, i as usize, x));
            i
        }
    }
}

/// A place of one piece, by descent from the nearest sample.
fn in_volume(locator: &Locator<'_>, piece: usize, x: [f64; 3]) -> Closest {
    let pieces = &locator.pieces;
    let header = &pieces.pieces[piece];
    let points = &pieces.points[piece];
    let samples = samples().map(|t| ((jet(points, t).point - Vector3::from(x)).norm(), t));
    let (_, start) = samples.fold((f64::INFINITY, [0.5; 3]), |a, b| if b.0 < a.0 { b } else { a });
    let mut found = closest(|t| jet(points, t), x, Domain::UNIT, start, 0.0);
    found.parameters = parameters::in_element(header, found.parameters);
    if !header.exact {
        let map = pieces.limit(piece);
        found = closest(|p| map.jet(p), x, map.domain(), found.parameters, 0.0);
    }
    found
}
