//! Canonical local control nets.
//!
//! A net lists the control points that the limit on a cell depends on, in an
//! order that cells of equal topology share: walking breadth-first from the
//! cell in a fixed order of its local axes. The walk itself, written in local
//! labels, is the key by which cells find their common structure.

use std::cmp::Ordering;
use std::sync::Arc;

use super::axes::Pose;
use super::frame::{Frame, Walker};
use super::labels::Labels;
use super::memo::{LeastWalk, Memo};
use super::structure::NetKey;
use crate::basis::MissingLayers;
use crate::topology::Sharpness;

/// The cells that hold the net of a regular cell, at the low and high end of each axis
/// (binary): `poses[corner]`.
pub struct RegularNet {
    poses: [Pose; 8],
    /// Missing ends.
    pub ends: MissingLayers,
}

impl RegularNet {
    /// Finds the cells: one step down and one up along each axis; in place of a missing
    /// one, the cell itself.
    pub fn around(walker: &Walker, cell: u32) -> Self {
        let mut found = Self { poses: [Pose::parallel(cell); 8], ends: MissingLayers::NONE };
        for axis in 0..3 {
            for corner in 0..1 << axis {
                let from = found.poses[corner];
                for side in 0..2 {
                    let to = walker.step(from, axis, side);
                    if to.is_none() {
                        found.ends.insert(axis, side);
                    }
                    found.poses[corner | side << axis] = to.unwrap_or(from);
                }
            }
        }
        found
    }

    /// The 4 × 4 × 4 net `[w][v][u]`; a missing layer repeats its neighbor as a placeholder.
    pub fn write(&self, walker: &Walker, net: &mut [u32; 64]) {
        for (corner, &pose) in self.poses.iter().enumerate() {
            let low = 2 * ((corner & 1) + 4 * (corner >> 1 & 1) + 16 * (corner >> 2));
            for (bits, vertex) in walker.vertices(pose).into_iter().enumerate() {
                net[low + (bits & 1) + 4 * (bits >> 1 & 1) + 16 * (bits >> 2)] = vertex;
            }
        }
        if self.ends != MissingLayers::NONE {
            repeat_missing(net, self.ends);
        }
    }
}

/// Where a layer is missing the cell itself stands in for the one beyond, a layer too
/// far out: brings its own end there inward.
fn repeat_missing(net: &mut [u32; 64], ends: MissingLayers) {
    for d in 0..3 {
        let stride = 4_usize.pow(d as u32);
        for side in ends.sides(d) {
            for at in (0..64).filter(|at| at / stride % 4 == 1 + side) {
                net[at] = net[if side == 0 { at - stride } else { at + stride }];
            }
        }
    }
}

/// The planar net of a layered cell: lines of control points along local axis 2.
#[derive(Default)]
pub struct PlanarNet {
    /// Quads by line labels, then which of the first four lines is a sharp corner.
    pub key: NetKey,
    /// Vertices of each line at the low and high end of the cell.
    pub lines: Vec<[u32; 2]>,
    frames: Vec<Frame>,
}

/// Walks the slab of cells around `start` across local axes 0 and 1.
pub fn planar(walker: &Walker, sharpness: &Sharpness, start: &Frame) -> PlanarNet {
    let mut net = PlanarNet::default();
    net.walk(walker, start, None);
    net.finish(walker, sharpness, start);
    net
}

/// A layered cell's net from the start whose walk has the smallest key.
pub(crate) struct LeastPlanarNet {
    /// Start and key of the walk.
    pub least: Arc<LeastWalk>,
    /// `[layer 4][line]`.
    pub net: Vec<u32>,
    /// Missing layers, see [`PlanarNet::layers`].
    pub ends: MissingLayers,
}

/// The walk with the smaller key of those from two `starts`; `memo` has what came of such
/// walks before.
pub(crate) fn least_planar(
    walker: &Walker,
    sharpness: &Sharpness,
    starts: &[Frame; 2],
    memo: &Memo,
) -> LeastPlanarNet {
    let first = planar(walker, sharpness, &starts[0]);
    let (net, ends) = first.layers(walker);
    let least = memo.get(&first.key).unwrap_or_else(|| {
        let mut second = PlanarNet::default();
        if second.walk(walker, &starts[1], Some(&first.key)) {
            second.finish(walker, sharpness, &starts[1]);
            if second.key < first.key {
                let order = order(&first.lines, &second.lines);
                return memo.insert(first.key, 1, second.key, order);
            }
        }
        memo.insert(first.key.clone(), 0, first.key, Vec::new())
    });
    let net = net.chunks_exact(first.lines.len()).flat_map(|l| least.arrange(l.to_vec())).collect();
    LeastPlanarNet { least, net, ends }
}

/// Place in `first` of each item of `other`, which has the same items.
fn order<T: PartialEq>(first: &[T], other: &[T]) -> Vec<u16> {
    let place = |item: &T| first.iter().position(|x| x == item).unwrap_or_default() as u16;
    debug_assert!(first.len() == other.len() && other.iter().all(|item| first.contains(item)));
    other.iter().map(place).collect()
}

impl PlanarNet {
    /// Walks; `false` if it stopped because the key is above `bound`.
    fn walk(&mut self, walker: &Walker, start: &Frame, mut bound: Option<&NetKey>) -> bool {
        self.key.reserve(64);
        self.frames.reserve(16);
        self.frames.push(*start);
        let (mut lines, mut known) = (Labels::new(), Labels::new());
        known.label(start.cell);
        let mut next = 0;
        while next < self.frames.len() {
            let frame = self.frames[next];
            next += 1;
            let from = self.key.len();
            for bits in 0..4 {
                let line = [frame.vertices[bits], frame.vertices[bits + 4]];
                self.key.push(lines.label(line));
            }
            if exceeds(&self.key, from, &mut bound) {
                return false;
            }
            for face in 0..4 {
                let is_known = |cell| known.contains(cell);
                if let Some(other) = walker.beyond(&frame, face / 2, face % 2, is_known)
                    && touches(&other, start)
                {
                    self.frames.push(other);
                    known.label(other.cell);
                }
            }
        }
        self.lines = lines.into_items();
        true
    }

    /// Adds the sharp corners to the key.
    fn finish(&mut self, walker: &Walker, sharpness: &Sharpness, start: &Frame) {
        if sharpness.is_smooth() {
            return self.key.extend([0; 4]);
        }
        for bits in 0..4 {
            let edge = walker.topology.edge_between(start.vertices[bits], start.vertices[bits + 4]);
            self.key.push(u16::from(edge.is_some_and(|e| sharpness.edge(e) > 0.0)));
        }
    }

    /// The net `[layer 4][line]` and its ends (bit 0: low layer missing, bit 1:
    /// high), a missing layer repeating its neighbor as a placeholder.
    pub fn layers(&self, walker: &Walker) -> (Vec<u32>, MissingLayers) {
        let count = self.lines.len();
        let mut net = vec![0; 4 * count];
        for (line, [low, high]) in self.lines.iter().enumerate() {
            // placeholders, overwritten where the layers exist
            net[line] = *low;
            net[count + line] = *low;
            net[2 * count + line] = *high;
            net[3 * count + line] = *high;
        }
        let mut ends = MissingLayers::NONE;
        for (index, frame) in self.frames.iter().enumerate() {
            for side in 0..2 {
                let Some(other) = walker.across(frame, 2, side) else {
                    ends.insert(0, side);
                    continue;
                };
                for bits in 0..4 {
                    let line = self.key[4 * index + bits] as usize;
                    net[3 * side * count + line] = other.vertices[bits + 4 * side];
                }
            }
        }
        (net, ends)
    }
}

/// The net of an irregular cell.
pub struct SpatialNet {
    /// Cells by vertex labels, then sharp edges and fixed vertices.
    pub key: NetKey,
    /// Vertex of each label.
    pub vertices: Vec<u32>,
}

/// Separates the sections of a [`SpatialNet::key`].
const END: u16 = u16::MAX;

/// Number of vertices, or of lines in the plane, of a net by its key.
pub fn control_count(key: &NetKey) -> usize {
    key.iter().filter(|&&label| label != END).max().map_or(0, |&label| usize::from(label) + 1)
}

/// Walks all cells around the corners of `start`.
pub fn spatial(walker: &Walker, sharpness: &Sharpness, start: &Frame) -> SpatialNet {
    let mut walk = NetWalk::new();
    walk.run(walker, start, None);
    walk.finish(walker, sharpness, start)
}

/// An irregular cell's net from the start whose walk has the smallest key.
pub(crate) struct LeastSpatialNet {
    /// Start and key of the walk.
    pub least: Arc<LeastWalk>,
    /// Vertex of each label.
    pub vertices: Vec<u32>,
}

/// The walk with the smallest key among those from `starts`; walks that lose are left as soon
/// as they do. `memo` has what came of such walks before.
pub(crate) fn least_spatial(
    walker: &Walker,
    sharpness: &Sharpness,
    starts: &[Frame; 6],
    memo: &Memo,
) -> LeastSpatialNet {
    let first = spatial(walker, sharpness, &starts[0]);
    if let Some(least) = memo.get(&first.key) {
        return LeastSpatialNet { vertices: least.arrange(first.vertices), least };
    }
    let mut best: Option<(usize, SpatialNet)> = None;
    for (i, start) in starts.iter().enumerate().skip(1) {
        let least = best.as_ref().map_or(&first.key, |(_, best)| &best.key);
        let mut walk = NetWalk::new();
        if walk.run(walker, start, Some(least)) {
            let found = walk.finish(walker, sharpness, start);
            if found.key < *least {
                best = Some((i, found));
            }
        }
    }
    let Some((start, best)) = best else {
        let least = memo.insert(first.key.clone(), 0, first.key, Vec::new());
        return LeastSpatialNet { vertices: first.vertices, least };
    };
    let order = order(&first.vertices, &best.vertices);
    let least = memo.insert(first.key, start, best.key, order);
    LeastSpatialNet { vertices: best.vertices, least }
}

/// A breadth-first walk under way.
struct NetWalk {
    key: NetKey,
    vertices: Labels<u32>,
}

impl NetWalk {
    fn new() -> Self {
        Self { key: Vec::with_capacity(512), vertices: Labels::new() }
    }

    /// Walks; `false` if it stopped because the key is above `bound`.
    fn run(&mut self, walker: &Walker, start: &Frame, mut bound: Option<&NetKey>) -> bool {
        let mut frames = Vec::with_capacity(64);
        let mut known = Labels::new();
        frames.push(*start);
        known.label(start.cell);
        let mut next = 0;
        while next < frames.len() {
            let frame = frames[next];
            next += 1;
            let from = self.key.len();
            for v in frame.vertices {
                self.key.push(self.vertices.label(v));
            }
            if exceeds(&self.key, from, &mut bound) {
                return false;
            }
            for face in 0..6 {
                let is_known = |cell| known.contains(cell);
                if let Some(other) = walker.beyond(&frame, face / 2, face % 2, is_known)
                    && touches(&other, start)
                {
                    frames.push(other);
                    known.label(other.cell);
                }
            }
        }
        true
    }

    /// Adds the creases around the cell to the key.
    fn finish(self, walker: &Walker, sharpness: &Sharpness, start: &Frame) -> SpatialNet {
        let Self { mut key, mut vertices } = self;
        key.push(END);
        if !sharpness.is_smooth() {
            let topology = walker.topology;
            let mut sharp = Vec::new();
            for (corner, &v) in start.vertices.iter().enumerate() {
                for &e in topology.vertex_edges(v).iter().filter(|&&e| sharpness.edge(e) > 0.0) {
                    let other = vertices.label(topology.other_end(e, v));
                    sharp.push([(corner as u16).min(other), (corner as u16).max(other)]);
                }
            }
            sharp.sort_unstable();
            sharp.dedup();
            key.extend(sharp.iter().flatten());
            key.push(END);
            let fixed = |&corner: &u16| sharpness.vertex(start.vertices[corner as usize]) > 0.0;
            key.extend((0..8).filter(fixed));
        } else {
            key.push(END);
        }
        SpatialNet { key, vertices: vertices.into_items() }
    }
}

/// A spatial key taken apart: cells (binary corners), sharp edges, fixed vertices.
pub(crate) fn spatial_sections(key: &NetKey) -> (Vec<[u16; 8]>, Vec<[u16; 2]>, Vec<u16>) {
    let mut sections = key.split(|&x| x == END);
    let mut section = || sections.next().unwrap_or(&[]);
    let cells = section().chunks_exact(8).map(|c| std::array::from_fn(|i| c[i])).collect();
    let edges = section().chunks_exact(2).map(|e| [e[0], e[1]]).collect();
    (cells, edges, section().to_vec())
}

fn touches(frame: &Frame, start: &Frame) -> bool {
    // without shortcuts: all comparisons at once are quicker
    let is_corner = |v: u32| start.vertices.iter().fold(false, |any, &s| any | (s == v));
    frame.vertices.iter().fold(false, |any, &v| any | is_corner(v))
}

/// Whether a key that equals `bound` before `from` is above it; a
/// key found to be below is no longer bounded.
fn exceeds(key: &NetKey, from: usize, bound: &mut Option<&NetKey>) -> bool {
    let Some(other) = *bound else { return false };
    let end = key.len().min(other.len());
    match key[from..].cmp(&other[from.min(end)..end]) {
        Ordering::Less => *bound = None,
        Ordering::Equal => {}
        Ordering::Greater => return true,
    }
    false
}
