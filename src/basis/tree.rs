//! A node of a tree of boxes, as one flat record that processors of all kinds read.

/// A node; nodes are in depth-first order, so that the first child of a node follows it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Node {
    /// Least coordinates of all that is below.
    pub low: [f64; 3],
    /// Largest coordinates of all that is below.
    pub high: [f64; 3],
    /// First of its boxes among the items of the tree.
    pub first: u32,
    /// Number of boxes in a leaf; 0 for an inner node.
    pub count: u32,
    /// The node after all below this one.
    pub skip: u32,
    /// Keeps the size a multiple of 16 bytes.
    pub padding: u32,
}
