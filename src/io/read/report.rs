//! What readers leave out.

use super::curved::CurvedNode;
use crate::error::Result;
use crate::mesh::{CreaseSource, Feature};
use crate::numbers::counted;

/// What a reader found in the file and left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadReport {
    /// One entry a kind of thing, with its count: `24 quad cells (VTK type 9)`; the first is of
    /// the nodes of high-order cells, if there are any.
    pub skipped: Vec<String>,
    /// Points in the middles of edges, faces and insides of curved cells, which the mesh leaves out.
    pub curved_nodes: Vec<CurvedNode>,
    /// Number of high-order cells whose nodes have no known order: none of these points is theirs.
    pub straight: usize,
    /// Named curves and points, which the mesh leaves out unless they become
    /// [creases](crate::mesh::SolidMesh::crease_features).
    pub features: Vec<Feature>,
    /// Spline patches whose control net the mesh is, if it is one: `1 spline patch exactly, with 56
    /// ghost cells around`.
    pub exact: Option<String>,
}

impl ReadReport {
    /// Takes the points of curved cells, which are not left out then.
    pub fn take_nodes(&mut self) -> Vec<CurvedNode> {
        if !self.curved_nodes.is_empty() {
            self.skipped.remove(0);
            if self.straight > 0 {
                let cells = counted(self.straight, "high-order cell");
                self.skipped.push(format!("the curvature of {cells} of other kinds"));
            }
        }
        std::mem::take(&mut self.curved_nodes)
    }

    /// Takes the features that become creases, which are not left out then.
    ///
    /// # Errors
    /// As [`CreaseSource::take`].
    pub fn take_features(&mut self, sources: &[CreaseSource]) -> Result<Vec<(Feature, f64)>> {
        CreaseSource::take(sources, &mut self.features)
    }

    /// What was left out, in one line: `12 triangles, 4 lines, cell array x`; `None` if
    /// nothing was.
    pub fn left_out(&self) -> Option<String> {
        let features = (!self.features.is_empty())
            .then(|| format!("the curves and points {}", Feature::list(&self.features)));
        let all: Vec<_> = self.skipped.iter().cloned().chain(features).collect();
        (!all.is_empty()).then(|| all.join(", "))
    }
}
