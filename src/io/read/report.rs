//! What readers leave out.

use super::curved::CurvedNode;

/// What a reader found in the file and left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadReport {
    /// One entry a kind of thing, with its count: `24 quad cells (VTK type 9)`; the first is that of
    /// the nodes of high-order cells, if there are any.
    pub skipped: Vec<String>,
    /// Nodes on edges, on faces and inside of quadratic hexahedra, which the mesh leaves out.
    pub curved_nodes: Vec<CurvedNode>,
}

impl ReadReport {
    /// Takes the nodes, which are not left out then.
    pub fn take_nodes(&mut self) -> Vec<CurvedNode> {
        if !self.curved_nodes.is_empty() {
            self.skipped.remove(0);
        }
        std::mem::take(&mut self.curved_nodes)
    }

    /// What was left out, in one line: `12 triangles, 4 lines, cell array x`; `None` if
    /// nothing was.
    pub fn left_out(&self) -> Option<String> {
        (!self.skipped.is_empty()).then(|| self.skipped.join(", "))
    }
}
