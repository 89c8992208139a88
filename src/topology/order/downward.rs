//! What each element is made of, for surfaces and solids alike.

use rayon::prelude::*;

use super::ElementOrder;
use crate::error::{IdKind, Message};
use crate::topology::surface::SurfaceTopology;
use crate::topology::{Rows, Topology};

/// A kind of mesh entity: what queries call an element of the mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntityKind {
    /// A vertex, with or without cells or faces.
    Vertex,
    /// An edge.
    Edge,
    /// A face.
    Face,
    /// A cell of a solid; surfaces have none.
    Cell,
}

impl EntityKind {
    /// All kinds, by dimension.
    pub const ALL: [Self; 4] = [Self::Vertex, Self::Edge, Self::Face, Self::Cell];

    /// The kind in words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Vertex => "vertex",
            Self::Edge => "edge",
            Self::Face => "face",
            Self::Cell => "cell",
        }
    }

    /// An element in a message. [`Error::elements`](crate::Error::elements) has no edges, which
    /// other messages name by their vertices.
    pub(crate) fn id(self, id: u32) -> Message {
        match self {
            Self::Vertex => IdKind::Vertex.id(id),
            Self::Edge => format!("edge {id}").into(),
            Self::Face => IdKind::Face.id(id),
            Self::Cell => IdKind::Cell.id(id),
        }
    }
}

/// Downward incidence of a mesh in one numbering: cells to faces to edges to vertices.
///
/// All other relations are transposes and products of these.
#[derive(Clone, Debug, Default)]
pub struct DownwardIncidence {
    /// Number of vertices.
    pub vertex_count: usize,
    /// `[edge][2]`: its ends, in the topology's own numbering the smaller first.
    pub edge_vertices: Vec<[u32; 2]>,
    /// Vertex cycle of each face.
    pub face_vertices: Rows,
    /// Edges of each face; edge `k` joins vertices `k` and `k + 1` of its cycle.
    pub face_edges: Rows,
    /// Faces of each cell; no rows for a surface.
    pub cell_faces: Rows,
    /// `[item of cell_faces]`: whether the face's cycle runs clockwise as seen from outside
    /// the cell.
    pub inward: Vec<bool>,
}

impl DownwardIncidence {
    /// The incidence of a surface.
    pub fn of_surface(surface: &SurfaceTopology) -> Self {
        let rows = |items: &[u32]| {
            let ends = (0..surface.face_count).map(|f| surface.columns.corners(f as u32).end);
            Rows::from_parts(ends.collect(), items.to_vec())
        };
        let edges = (0..surface.edge_count() as u32).into_par_iter();
        Self {
            vertex_count: surface.vertex_count,
            edge_vertices: edges.map(|e| surface.edge_ends(e)).collect(),
            face_vertices: rows(&surface.vertices),
            face_edges: rows(&surface.edges),
            ..Self::default()
        }
    }

    /// The incidence of a solid.
    pub fn of_solid(solid: &Topology) -> Self {
        let cells = 0..solid.cell_count() as u32;
        let mut inward = Vec::new();
        for c in cells {
            inward.extend(solid.cell_faces(c).iter().map(|&f| solid.face_cells(f)[0] != c));
        }
        Self {
            vertex_count: solid.vertex_count(),
            edge_vertices: solid.edge_vertices.clone(),
            face_vertices: solid.face_vertices.clone(),
            face_edges: solid.face_edges.clone(),
            cell_faces: solid.cell_faces.clone(),
            inward,
        }
    }

    /// Number of elements of a kind.
    pub fn count(&self, kind: EntityKind) -> usize {
        match kind {
            EntityKind::Vertex => self.vertex_count,
            EntityKind::Edge => self.edge_vertices.len(),
            EntityKind::Face => self.face_vertices.len(),
            EntityKind::Cell => self.cell_faces.len(),
        }
    }

    /// The kind of the highest dimension: cells of a solid, faces of a surface.
    pub fn top(&self) -> EntityKind {
        if self.cell_faces.is_empty() { EntityKind::Face } else { EntityKind::Cell }
    }

    /// Calls `visit` with every element that element `id` of `kind` has, itself included; with
    /// some more than once.
    pub(crate) fn closure(
        &self,
        kind: EntityKind,
        id: u32,
        visit: &mut impl FnMut(EntityKind, u32),
    ) {
        visit(kind, id);
        match kind {
            EntityKind::Vertex => {}
            EntityKind::Edge => {
                self.edge_vertices[id as usize].iter().for_each(|&v| visit(EntityKind::Vertex, v));
            }
            EntityKind::Face => {
                self.face_edges.row(id as usize).iter().for_each(|&e| visit(EntityKind::Edge, e));
                self.face_vertices
                    .row(id as usize)
                    .iter()
                    .for_each(|&v| visit(EntityKind::Vertex, v));
            }
            EntityKind::Cell => {
                for &f in self.cell_faces.row(id as usize) {
                    self.closure(EntityKind::Face, f, visit);
                }
            }
        }
    }

    /// This incidence in the numbering of `order`; cycles keep their starts and directions, edges
    /// the order of their ends.
    #[must_use]
    pub(crate) fn renumbered(&self, order: &ElementOrder) -> Self {
        let rows = |rows: &Rows, of: EntityKind, to: EntityKind| {
            let mut new = Rows::with_capacity(rows.len(), rows.items().len());
            for &old in order.originals(of) {
                new.push(rows.row(old as usize).iter().map(|&id| order.new_id(to, id)));
            }
            new
        };
        let edges = order.originals(EntityKind::Edge).par_iter();
        let vertex = |v| order.new_id(EntityKind::Vertex, v);
        let mut inward = Vec::with_capacity(self.inward.len());
        for &c in order.originals(EntityKind::Cell) {
            let start = self.cell_faces.start(c as usize);
            inward
                .extend_from_slice(&self.inward[start..][..self.cell_faces.row(c as usize).len()]);
        }
        Self {
            vertex_count: self.vertex_count,
            edge_vertices: edges.map(|&e| self.edge_vertices[e as usize].map(vertex)).collect(),
            face_vertices: rows(&self.face_vertices, EntityKind::Face, EntityKind::Vertex),
            face_edges: rows(&self.face_edges, EntityKind::Face, EntityKind::Edge),
            cell_faces: rows(&self.cell_faces, EntityKind::Cell, EntityKind::Face),
            inward,
        }
    }
}
