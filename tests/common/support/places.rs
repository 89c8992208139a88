//! Where in which cells to compare: a few cells of every kind, and parameters on
//! and close to their sides.

use std::collections::HashMap;

use subsolid::limit::{Leaf, LeafKind, Solid};

use crate::oracle::random::Random;
use crate::oracle::vector::Point;

/// Distances from a corner, an edge or a face that are near an extraordinary point.
const NEAR: [f64; 3] = [1e-3, 1e-6, 1e-9];

/// At most `each` leaves of every class, structure, set of missing layers and
/// depth, spread over the mesh.
pub fn leaves(solid: &Solid, each: usize, random: &mut Random) -> Vec<Leaf> {
    let key = |leaf: &Leaf| match leaf.kind {
        LeafKind::Regular(ends) => (0, 0, ends.bits(), leaf.depth),
        LeafKind::Layered(structure, _, ends) => (1, structure, ends.bits(), leaf.depth),
        LeafKind::Irregular(structure, _) => (2, structure, 0, leaf.depth),
    };
    let mut groups: HashMap<_, Vec<Leaf>> = HashMap::new();
    for leaf in solid.leaves() {
        groups.entry(key(leaf)).or_default().push(*leaf);
    }
    let mut keys: Vec<_> = groups.keys().copied().collect();
    keys.sort_unstable();
    let mut chosen = Vec::new();
    for key in keys {
        let group = &groups[&key];
        chosen.extend((0..each.min(group.len())).map(|_| group[random.below(group.len())]));
    }
    chosen
}

/// The element's parameters of a leaf's.
pub fn in_element(leaf: &Leaf, local: Point) -> Point {
    let scale = f64::from(1_u32 << leaf.depth);
    std::array::from_fn(|d| (f64::from(leaf.origin[d]) + local[d]) / scale)
}

/// One random place inside, on a face, on an edge and at a corner of a leaf, and
/// at each distance one close to a corner and one close to an edge of it.
pub fn local_parameters(random: &mut Random) -> Vec<Point> {
    let mut all = Vec::new();
    for sides in 0..4 {
        all.push(pulled(random, sides, 0.0));
    }
    for distance in NEAR {
        all.push(pulled(random, 3, distance));
        all.push(pulled(random, 2, distance));
    }
    all
}

/// Pulls the coordinates along `count` random axes toward random ends of them,
/// up to `distance` times a random number in [½, 1).
pub fn pulled(random: &mut Random, count: usize, distance: f64) -> Point {
    let mut p = random.parameters();
    let first = random.below(3);
    for axis in (0..count).map(|i| (first + i) % 3) {
        let off = distance * random.between(0.5, 1.0);
        p[axis] = if random.below(2) == 0 { off } else { 1.0 - off };
    }
    p
}
