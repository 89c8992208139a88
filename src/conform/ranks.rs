//! At which shell of the layers each line across covered faces ends.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::interface::Interface;
use super::shells::{Shells, SideKey};
use crate::mesh::UnionFind;
use crate::topology::Topology;

/// The lines across covered faces: each goes from the middle of an edge to that of the opposite
/// edge, and on across the face behind it.
pub(super) struct Ranks {
    // [face][line]: from mids 0 to 2, and from 1 to 3
    ranks: Vec<[usize; 2]>,
    layers: Vec<usize>,
}

impl Ranks {
    /// Ranks of the two lines of a face, which differ: the line is in the shells up to it.
    pub fn of(&self, face: usize) -> [usize; 2] {
        self.ranks[face]
    }

    /// Number of layers on a face.
    pub fn layers(&self, face: usize) -> usize {
        self.layers[face]
    }
}

/// Ranks such that lines that cross differ, and the larger cells of faces that a line crosses
/// twice, which have to be split first.
pub(super) fn ranks(
    topology: &Topology,
    interface: &Interface,
    shells: &Shells,
) -> (Ranks, BTreeSet<u32>) {
    let faces = &interface.faces;
    let mut lines = UnionFind::new(2 * faces.len());
    let mut regions = UnionFind::new(faces.len());
    let mut at = BTreeMap::<SideKey, u32>::new();
    for (f, face) in faces.iter().enumerate() {
        for i in 0..4 {
            let key = shells.key(topology, face.mids[i], face.smaller[i]);
            let line = (2 * f + i % 2) as u32;
            let first = *at.entry(key).or_insert(line);
            lines.join(first, line);
        }
    }
    for side in shells.sides.values() {
        let first = side.faces.iter().next().copied().unwrap_or_default() as u32;
        side.faces.iter().for_each(|&f| _ = regions.join(first, f as u32));
    }
    let (lines, regions) = (lines.roots(), regions.roots());
    let mut crossed: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    let mut twice = BTreeSet::new();
    for (f, face) in faces.iter().enumerate() {
        let [a, b] = [lines[2 * f], lines[2 * f + 1]];
        if a == b {
            twice.insert(face.larger);
        }
        crossed.entry(a).or_default().insert(b);
        crossed.entry(b).or_default().insert(a);
    }
    let colors = colors(&crossed);
    let of_line = |line: usize| colors[&lines[line]];
    let ranks: Vec<[usize; 2]> =
        (0..faces.len()).map(|f| [of_line(2 * f), of_line(2 * f + 1)]).collect();
    let mut layers = BTreeMap::new();
    for (f, [a, b]) in ranks.iter().enumerate() {
        let most = layers.entry(regions[f]).or_insert(0);
        *most = (*most).max(a + 1).max(b + 1);
    }
    let layers = (0..faces.len()).map(|f| layers[&regions[f]]).collect();
    (Ranks { ranks, layers }, twice)
}

/// A color of each node, such that neighbors differ: that of the node with the most colors around
/// it first (Brélaz 1979), exact where two colors do.
fn colors(neighbors: &BTreeMap<u32, BTreeSet<u32>>) -> BTreeMap<u32, usize> {
    let mut around: BTreeMap<u32, BTreeSet<usize>> =
        neighbors.keys().map(|&node| (node, BTreeSet::new())).collect();
    let place = |node: u32, colors: usize| (Reverse(colors), Reverse(neighbors[&node].len()), node);
    let mut open: BTreeSet<_> = neighbors.keys().map(|&node| place(node, 0)).collect();
    let mut colors = BTreeMap::new();
    while let Some((_, _, node)) = open.pop_first() {
        let color = (0..).find(|color| !around[&node].contains(color)).unwrap_or_default();
        colors.insert(node, color);
        for &other in neighbors[&node].iter().filter(|other| !colors.contains_key(other)) {
            let seen = around.entry(other).or_default();
            open.remove(&place(other, seen.len()));
            seen.insert(color);
            open.insert(place(other, seen.len()));
        }
    }
    colors
}
