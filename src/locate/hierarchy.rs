//! A bounding-volume hierarchy as one flat array.
//!
//! Nodes are in depth-first order, so that the first child of a node follows it
//! and `skip` leads past all below it: a walk needs no stack, on the CPU or a GPU.
//! Halving by count makes the place of every node known beforehand, so that
//! subtrees are built in parallel and come out the same every time.

pub use crate::basis::tree::Node;
use nalgebra::Vector3;

use crate::interrupt::stop_point;
use crate::numbers::bounds::{self, Bounds};

/// Boxes of a leaf at most.
const MAX_LEAF_BOXES: usize = 4;
/// Boxes below which a subtree is built by one task.
const TASK_BOXES: usize = 4096;

/// Boxes in a tree.
#[derive(Debug)]
pub struct Hierarchy {
    /// Depth first.
    pub nodes: Vec<Node>,
    /// The boxes in the order of the leaves, by their ids.
    pub items: Vec<u32>,
}

impl Hierarchy {
    /// Builds the tree of `boxes`; ids are their indices.
    pub fn new(boxes: &[Bounds]) -> Self {
        let mut items: Vec<u32> = (0..boxes.len() as u32).collect();
        let mut nodes = vec![Node::default(); node_count(boxes.len())];
        if !boxes.is_empty() {
            build(boxes, &mut items, &mut nodes, 0, 0);
        }
        Self { nodes, items }
    }

    /// Calls `visit` with the id of every box whose leaf is within `distance` of `x`
    /// along every axis.
    pub fn around(&self, x: [f64; 3], distance: f64, mut visit: impl FnMut(u32)) {
        let near = |node: &Node| {
            (0..3).all(|d| x[d] >= node.low[d] - distance && x[d] <= node.high[d] + distance)
        };
        self.walk(near, &mut visit);
    }

    /// Calls `visit` with the id of every box whose leaf comes within `distance` of the
    /// plane where coordinate `axis` is `height`.
    pub fn across(&self, axis: usize, height: f64, distance: f64, mut visit: impl FnMut(u32)) {
        self.walk(
            |node| (node.low[axis] - distance..=node.high[axis] + distance).contains(&height),
            &mut visit,
        );
    }

    /// Visits the items of the leaves below nodes that are all `near`.
    fn walk(&self, near: impl Fn(&Node) -> bool, visit: &mut impl FnMut(u32)) {
        let mut at = 0;
        while let Some(node) = self.nodes.get(at) {
            let is_near = near(node);
            if is_near {
                let items = &self.items[node.first as usize..][..node.count as usize];
                items.iter().for_each(|&item| visit(item));
            }
            at = if is_near { at + 1 } else { node.skip as usize };
        }
    }
}

impl Node {
    /// Squared distance of the node's box from a point.
    #[inline]
    pub fn squared_distance(&self, x: [f64; 3]) -> f64 {
        bounds::squared_distance(&[self.low, self.high], x)
    }
}

/// Length of the diagonal of a box.
pub fn diagonal([low, high]: &Bounds) -> f64 {
    (Vector3::from(*high) - Vector3::from(*low)).norm()
}

/// Nodes of a tree of n boxes.
fn node_count(n: usize) -> usize {
    counts(n)[0]
}

/// Nodes of trees of n and of n + 1 boxes: halves of both have ⌊n/2⌋ or one more.
fn counts(n: usize) -> [usize; 2] {
    if n < MAX_LEAF_BOXES {
        return [usize::from(n > 0), 1];
    }
    let [a, b] = counts(n / 2);
    let inner = if n.is_multiple_of(2) { [2 * a, a + b] } else { [a + b, 2 * b] };
    [if n <= MAX_LEAF_BOXES { 1 } else { 1 + inner[0] }, 1 + inner[1]]
}

fn build(boxes: &[Bounds], items: &mut [u32], nodes: &mut [Node], first: usize, at: usize) {
    stop_point();
    let [low, high] = items.iter().map(|&i| boxes[i as usize]).fold(bounds::empty(), bounds::union);
    let [node, below @ ..] = nodes else { return };
    *node = Node {
        low,
        high,
        first: first as u32,
        count: if items.len() <= MAX_LEAF_BOXES { items.len() as u32 } else { 0 },
        skip: (at + 1 + below.len()) as u32,
        padding: 0,
    };
    if items.len() <= MAX_LEAF_BOXES {
        return;
    }
    let middle = |i: &u32, d: usize| boxes[*i as usize][0][d] + boxes[*i as usize][1][d];
    let spread = |d: usize| {
        let [low, high] = items
            .iter()
            .map(|i| middle(i, d))
            .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)]);
        high - low
    };
    let spreads = [spread(0), spread(1), spread(2)];
    let axis = (1..3).fold(0, |most, d| if spreads[d] > spreads[most] { d } else { most });
    let half = items.len().div_ceil(2);
    items.select_nth_unstable_by(half, |a, b| {
        middle(a, axis).total_cmp(&middle(b, axis)).then(a.cmp(b))
    });
    let (left, right) = items.split_at_mut(half);
    let count = node_count(half);
    let (left_nodes, right_nodes) = below.split_at_mut(count);
    let mut sides = (
        || build(boxes, left, left_nodes, first, at + 1),
        || build(boxes, right, right_nodes, first + half, at + 1 + count),
    );
    if half > TASK_BOXES {
        rayon::join(sides.0, sides.1);
    } else {
        sides.0();
        sides.1();
    }
}
