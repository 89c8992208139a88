//! The refinement rules of Catmull-Clark solids as stencil rows.
//!
//! Inside: Joy and MacCracken, "The refinement rules for Catmull-Clark solids"
//! (1999), with the layer-consistent vertex rule on straight extraordinary
//! edges. On the boundary: Catmull-Clark surface rules on the boundary alone,
//! with the creases and corners of DeRose, Kass and Truong (1998).

use super::crease::{ALONG_END, ALONG_OWN, VertexBlend, VertexSharpness, decayed};
use super::stencils::RowBuilder;
use crate::topology::{Sharpness, Star, Topology, straight_edges};

/// How an interior vertex point is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum VertexRule {
    /// Layers refine identically, so that the limit has a closed form.
    ///
    /// (Cavg + 3 Aavg + 3 Mavg + P)/8, except inside straight extraordinary edges, where the rule
    /// is the product of the planar Catmull-Clark rule across and (1, 6, 1)/8 along the edge. It
    /// holds for cells of all kinds.
    #[default]
    LayerConsistent,
    /// The original rule, for interchange with other programs.
    ///
    /// (Cavg + 3 Aavg + 3 Mavg + P)/8 everywhere (Joy and MacCracken).
    #[serde(rename = "joy-maccracken")]
    #[cfg_attr(feature = "cli", value(name = "joy-maccracken"))]
    JoyMacCracken,
}

/// Everything the rules look at.
pub(crate) struct Rules<'a> {
    pub topology: &'a Topology,
    pub sharpness: &'a Sharpness,
    pub stars: &'a [Star],
    pub vertex_rule: VertexRule,
}

impl Rules<'_> {
    /// Cell point: the mean C of the cell's vertices.
    pub(crate) fn cell_point(&self, cell: u32, row: &mut RowBuilder) {
        self.add_cell(cell, 1.0, row);
    }

    /// Face point: (C0 + 2A + C1)/4 inside, A on the boundary.
    pub fn face_point(&self, face: u32, row: &mut RowBuilder) {
        if self.topology.is_boundary_face(face) {
            return self.add_face(face, 1.0, row);
        }
        self.add_face(face, 0.5, row);
        for cell in self.topology.face_cells(face) {
            self.add_cell(cell, 0.25, row);
        }
    }

    /// Edge point: (Cavg + 2 Aavg + (n − 3) M)/n inside; on the boundary the
    /// smooth (v0 + v1 + f0 + f1)/4 blended toward the midpoint by the sharpness.
    pub fn edge_point(&self, edge: u32, row: &mut RowBuilder) {
        self.add_edge_point(edge, 1.0, row);
    }

    /// Vertex point; see [`VertexRule`] for the interior.
    pub fn vertex_point(&self, vertex: u32, row: &mut RowBuilder) {
        if self.topology.is_boundary_vertex(vertex) {
            self.boundary_vertex_point(vertex, row);
        } else {
            match (self.vertex_rule, self.stars[vertex as usize]) {
                (VertexRule::LayerConsistent, Star::Straight(axis)) => {
                    self.straight_vertex_point(vertex, axis, row);
                }
                // cells that are not hexahedra: layers of wedges and prisms refine alike too
                (VertexRule::LayerConsistent, Star::Transient) => {
                    match straight_edges(self.topology, vertex) {
                        Some(axis) => self.straight_vertex_point(vertex, axis, row),
                        None => self.interior_vertex_point(vertex, row),
                    }
                }
                _ => self.interior_vertex_point(vertex, row),
            }
        }
    }

    fn add_edge_point(&self, edge: u32, weight: f64, row: &mut RowBuilder) {
        let faces = self.topology.edge_faces(edge);
        if self.topology.is_boundary_edge(edge) {
            let sharp = self.sharpness.edge(edge).min(1.0);
            row.add_mean(&self.topology.edge_vertices(edge), weight * (0.5 + 0.5 * sharp));
            if sharp < 1.0 {
                for &f in faces.iter().filter(|&&f| self.topology.is_boundary_face(f)) {
                    self.add_face(f, weight * 0.25 * (1.0 - sharp), row);
                }
            }
            return;
        }
        // Every cell at an interior edge lies at two of its faces.
        let n = faces.len() as f64;
        for &f in faces {
            self.add_face(f, weight * 2.0 / (n * n), row);
            for cell in self.topology.face_cells(f) {
                self.add_cell(cell, weight * 0.5 / (n * n), row);
            }
        }
        row.add_mean(&self.topology.edge_vertices(edge), weight * (n - 3.0) / n);
    }

    /// (Cavg + 3 Aavg + 3 Mavg + P)/8.
    fn interior_vertex_point(&self, vertex: u32, row: &mut RowBuilder) {
        let (cells, faces, edges) = (
            self.topology.vertex_cells(vertex),
            self.topology.vertex_faces(vertex),
            self.topology.vertex_edges(vertex),
        );
        for &c in cells {
            self.add_cell(c, 0.125 / cells.len() as f64, row);
        }
        for &f in faces {
            self.add_face(f, 0.375 / faces.len() as f64, row);
        }
        for &e in edges {
            row.add_mean(&self.topology.edge_vertices(e), 0.375 / edges.len() as f64);
        }
        row.add(vertex, 0.125);
    }

    /// Q/2 + (E1 + E2)/4 with Q = (F0 + 2 R0 + (n − 3) P)/n over the n transverse
    /// faces and edges and the edge points E1, E2 of the axis.
    fn straight_vertex_point(&self, vertex: u32, axis: [u32; 2], row: &mut RowBuilder) {
        let n = self.topology.edge_faces(axis[0]).len() as f64;
        for &f in self.topology.vertex_faces(vertex) {
            if !self.topology.face_edges(f).iter().any(|e| axis.contains(e)) {
                self.add_face(f, 0.5 / (n * n), row);
            }
        }
        for &e in self.topology.vertex_edges(vertex) {
            if !axis.contains(&e) {
                row.add_mean(&self.topology.edge_vertices(e), 1.0 / (n * n));
            }
        }
        row.add(vertex, 0.5 * (n - 3.0) / n);
        for e in axis {
            self.add_edge_point(e, 0.25, row);
        }
    }

    /// The smooth (F + 2R + (n − 3) P)/n, the crease rule (e1 + 6P + e2)/8, P, or a blend.
    fn boundary_vertex_point(&self, vertex: u32, row: &mut RowBuilder) {
        let topology = self.topology;
        let boundary = || {
            let edges = topology.vertex_edges(vertex).iter().copied();
            edges.filter(|&e| topology.is_boundary_edge(e))
        };
        let mut sharp = VertexSharpness::default();
        sharp.tag(self.sharpness.vertex(vertex));
        let mut n = 0.0;
        for e in boundary() {
            n += 1.0;
            let s = self.sharpness.edge(e);
            sharp.edge(topology.other_end(e, vertex), s, decayed(s));
        }
        let VertexBlend { smooth, crease, corner, ends } = sharp.blend();
        if smooth > 0.0 {
            let faces = topology.vertex_faces(vertex).iter();
            for &f in faces.filter(|&&f| topology.is_boundary_face(f)) {
                self.add_face(f, smooth / (n * n), row);
            }
            for e in boundary() {
                row.add_mean(&topology.edge_vertices(e), 2.0 * smooth / (n * n));
            }
            row.add(vertex, smooth * (n - 3.0) / n);
        }
        if crease > 0.0 {
            row.add(vertex, ALONG_OWN * crease);
            ends.into_iter().for_each(|end| row.add(end, ALONG_END * crease));
        }
        if corner > 0.0 {
            row.add(vertex, corner);
        }
    }

    fn add_cell(&self, cell: u32, weight: f64, row: &mut RowBuilder) {
        row.add_mean(self.topology.cells().vertices(cell as usize), weight);
    }

    fn add_face(&self, face: u32, weight: f64, row: &mut RowBuilder) {
        row.add_mean(self.topology.face_vertices(face), weight);
    }
}
