//! Patches with ribbons: queries from 16-bit incidence that fits into fast memory.
//!
//! After RXMesh (Mahmoud et al. 2021, sections 5.2.3 to 6.2). A patch stores edges by
//! vertices and faces by edges, cells by faces, as local ids of 16 bits; a sign bit says that
//! an edge runs against the face's cycle (that a face's cycle runs inward). All other
//! relations are computed patch by patch. The *ribbon* makes the stars of all owned elements
//! complete: for a surface the faces at all vertices of the patch, as in the paper; for a
//! solid, where that would double the cells, the cells at owned vertices, edges and
//! faces, and those across a face from the patch's cells.

use super::Op;
use super::rows::rows;
use crate::error::{Error, Result};
use crate::numbers::sorted_unique;
use crate::topology::Rows;
use crate::topology::order::{DownwardIncidence, ElementOrder, EntityKind};

/// Local ids end here: one of 16 bits is the sign.
const LIMIT: usize = 1 << 15;

/// Incidence of a patch fits twice into the fast memory of a multiprocessor of a current GPU.
const BYTES: usize = 96 << 10;

/// Lists of 16-bit ids.
#[derive(Clone, Debug, Default)]
struct ShortRows {
    ends: Vec<u32>,
    // id << 1 | sign
    items: Vec<u16>,
}

impl ShortRows {
    fn row(&self, r: usize) -> &[u16] {
        let start = if r == 0 { 0 } else { self.ends[r - 1] as usize };
        &self.items[start..self.ends[r] as usize]
    }

    fn push(&mut self, row: impl Iterator<Item = u16>) {
        self.items.extend(row);
        self.ends.push(self.items.len() as u32);
    }
}

/// A patch and its ribbon in local ids: owned elements first, in order, then the ribbon's.
#[derive(Clone, Debug)]
pub(super) struct RibbonPatch {
    first: [u32; 4],
    owned: [u32; 4],
    // [kind]: ids of the elements that others own, ascending
    ribbon: [Vec<u32>; 4],
    edge_vertices: Vec<[u16; 2]>,
    face_edges: ShortRows,
    cell_faces: ShortRows,
}

/// A patch in flat arrays.
#[cfg(feature = "device")]
#[derive(Debug)]
pub(crate) struct PackedPatch {
    /// Vertices of edges; starts of faces, with the end of the last one, and their edges; starts of
    /// cells and their faces. Edges and faces: id << 1 | sign. Each part is filled up to 16 bytes.
    pub incidence: [Vec<u16>; 3],
    /// `[kind]`: elements, with the ribbon's.
    pub counts: [u32; 4],
    /// `[kind]`: those that the patch owns.
    pub owned: [u32; 4],
    /// `[kind]`: the first of them in the order.
    pub first: [u32; 4],
    /// `[kind]`: elements of the ribbon that come before it.
    pub before: [u32; 4],
    /// `[kind]`: ids of the ribbon's elements, ascending.
    pub ribbon: [Vec<u32>; 4],
    /// Vertices of all edges, edges of all faces, faces of all cells, sides of the faces of all
    /// cells.
    pub entries: [usize; 4],
}

/// Relations upward that tell what a ribbon has to hold.
pub(super) struct RibbonStars {
    // [kind]: faces or cells at each element
    tops: [Rows; 4],
}

impl RibbonStars {
    /// Stars of the vertices of a mesh in its order.
    pub fn new(mesh: &DownwardIncidence) -> Result<Self> {
        let of = |op: [Op; 2]| match mesh.top() {
            EntityKind::Cell => rows(mesh, op[1]),
            _ => rows(mesh, op[0]),
        };
        let faces =
            if mesh.top() == EntityKind::Cell { rows(mesh, Op::FC)? } else { Rows::default() };
        Ok(Self { tops: [of([Op::VF, Op::VC])?, of([Op::EF, Op::EC])?, faces, Rows::default()] })
    }

    /// Faces or cells of a patch and its ribbon, ascending.
    fn around(&self, mesh: &DownwardIncidence, order: &ElementOrder, patch: usize) -> Vec<u32> {
        let top = mesh.top();
        let mut tops: Vec<u32> = order.owned(top, patch).collect();
        for id in order.owned(top, patch) {
            mesh.closure(top, id, &mut |kind, element| {
                let complete = kind != top
                    && match top {
                        EntityKind::Cell => {
                            kind == EntityKind::Face || order.owned(kind, patch).contains(&element)
                        }
                        _ => kind == EntityKind::Vertex,
                    };
                if complete {
                    tops.extend(self.tops[kind as usize].row(element as usize));
                }
            });
        }
        sorted_unique(tops)
    }
}

impl RibbonPatch {
    /// Patch `patch` of a mesh in its order.
    ///
    /// # Errors
    /// [`Error::Request`] if the patch with its ribbon has too many elements for local ids.
    pub fn new(
        mesh: &DownwardIncidence,
        order: &ElementOrder,
        stars: &RibbonStars,
        patch: usize,
    ) -> Result<Self> {
        let top = mesh.top();
        let mut ribbon: [Vec<u32>; 4] = Default::default();
        for id in stars.around(mesh, order, patch) {
            mesh.closure(top, id, &mut |kind, element| {
                if !order.owned(kind, patch).contains(&element) {
                    ribbon[kind as usize].push(element);
                }
            });
        }
        let owned = EntityKind::ALL.map(|kind| order.owned(kind, patch).len() as u32);
        for (kind, ids) in EntityKind::ALL.into_iter().zip(&mut ribbon) {
            ids.sort_unstable();
            ids.dedup();
            let count = ids.len() + owned[kind as usize] as usize;
            if count > LIMIT {
                let id = order.originals(top)[order.owned(top, patch).start as usize];
                return Err(Error::request(message!(
                    "the patch of ",
                    top.id(id),
                    " has {count} elements of one kind, and {LIMIT} at most have local ids"
                ))
                .with_help("use stored rows: an element there has too many neighbors"));
            }
        }
        let first = EntityKind::ALL.map(|kind| order.owned(kind, patch).start);
        let mut new = Self {
            first,
            owned,
            ribbon,
            edge_vertices: Vec::new(),
            face_edges: ShortRows::default(),
            cell_faces: ShortRows::default(),
        };
        new.fill(mesh);
        match new.bytes() {
            0..=BYTES => Ok(new),
            bytes => {
                let id = order.originals(top)[order.owned(top, patch).start as usize];
                Err(Error::request(message!(
                    "the patch of ",
                    top.id(id),
                    " takes {bytes} bytes, {BYTES} at most fit"
                ))
                .with_help("use stored rows: an element there has too many neighbors"))
            }
        }
    }

    /// Bytes of the incidence.
    fn bytes(&self) -> usize {
        let rows = |rows: &ShortRows| 4 * rows.ends.len() + 2 * rows.items.len();
        4 * self.edge_vertices.len() + rows(&self.face_edges) + rows(&self.cell_faces)
    }

    fn fill(&mut self, mesh: &DownwardIncidence) {
        let this = &*self;
        let ids = |kind| (0..this.count(kind)).map(move |local| this.global(kind, local as u32));
        let local = |kind, id| this.local(kind, id);
        let ends = ids(EntityKind::Edge).map(|e| mesh.edge_vertices[e as usize]);
        let edge_vertices = ends.map(|ends| ends.map(|v| local(EntityKind::Vertex, v))).collect();
        let (mut face_edges, mut cell_faces) = (ShortRows::default(), ShortRows::default());
        for f in ids(EntityKind::Face) {
            let edges = mesh.face_edges.row(f as usize).iter();
            let sides = edges.zip(mesh.face_vertices.row(f as usize));
            face_edges.push(sides.map(|(&e, &v)| {
                let against = mesh.edge_vertices[e as usize][0] != v;
                local(EntityKind::Edge, e) << 1 | u16::from(against)
            }));
        }
        for c in ids(EntityKind::Cell) {
            let faces = mesh.cell_faces.row(c as usize).iter();
            let sides = faces.zip(&mesh.inward[mesh.cell_faces.start(c as usize)..]);
            cell_faces.push(
                sides.map(|(&f, &inward)| local(EntityKind::Face, f) << 1 | u16::from(inward)),
            );
        }
        (self.edge_vertices, self.face_edges, self.cell_faces) =
            (edge_vertices, face_edges, cell_faces);
    }

    /// Elements of a kind, with the ribbon's.
    pub fn count(&self, kind: EntityKind) -> usize {
        self.owned[kind as usize] as usize + self.ribbon[kind as usize].len()
    }

    fn local(&self, kind: EntityKind, id: u32) -> u16 {
        let k = kind as usize;
        let local = match id.checked_sub(self.first[k]) {
            Some(local) if local < self.owned[k] => local as usize,
            _ => self.owned[k] as usize + self.ribbon[k].partition_point(|&other| other < id),
        };
        local as u16
    }

    fn global(&self, kind: EntityKind, local: u32) -> u32 {
        let k = kind as usize;
        match local.checked_sub(self.owned[k]) {
            None => self.first[k] + local,
            Some(i) => self.ribbon[k][i as usize],
        }
    }

    /// Calls `visit` with each owned element and its row, by ids of the order.
    ///
    /// # Errors
    /// None in practice: a patch has too few elements for rows of 2³² entries.
    pub fn for_each(&self, op: Op, visit: &(impl Fn(u32, &[u32]) + Sync)) -> Result<()> {
        let found = rows(&self.unpacked(), op)?;
        let mut row = Vec::new();
        for local in 0..self.owned[op.from() as usize] {
            row.clear();
            row.extend(found.row(local as usize).iter().map(|&to| self.global(op.to(), to)));
            row.sort_unstable();
            visit(self.global(op.from(), local), &row);
        }
        Ok(())
    }

    /// The patch as devices have it.
    #[cfg(feature = "device")]
    pub fn packed(&self) -> PackedPatch {
        let with_starts = |rows: &ShortRows| {
            let starts = std::iter::once(0).chain(rows.ends.iter().map(|&end| end as u16));
            starts.chain(rows.items.iter().copied()).collect()
        };
        let edges = self.edge_vertices.as_flattened().to_vec();
        let mut incidence = [edges, with_starts(&self.face_edges), with_starts(&self.cell_faces)];
        incidence.iter_mut().for_each(|part| part.resize(part.len().next_multiple_of(8), 0));
        let sides = |f: &u16| self.face_edges.row(usize::from(f >> 1)).len();
        let sides = self.cell_faces.items.iter().map(sides).sum();
        PackedPatch {
            incidence,
            counts: EntityKind::ALL.map(|kind| self.count(kind) as u32),
            owned: self.owned,
            first: self.first,
            before: std::array::from_fn(|k| {
                self.ribbon[k].partition_point(|&id| id < self.first[k]) as u32
            }),
            ribbon: self.ribbon.clone(),
            entries: [
                2 * self.edge_vertices.len(),
                self.face_edges.items.len(),
                self.cell_faces.items.len(),
                sides,
            ],
        }
    }

    /// The patch as a mesh of its own.
    fn unpacked(&self) -> DownwardIncidence {
        let mut mesh = DownwardIncidence {
            vertex_count: self.count(EntityKind::Vertex),
            edge_vertices: self.edge_vertices.iter().map(|ends| ends.map(u32::from)).collect(),
            ..DownwardIncidence::default()
        };
        for f in 0..self.count(EntityKind::Face) {
            let edges = self.face_edges.row(f);
            mesh.face_edges.push(edges.iter().map(|&e| u32::from(e >> 1)));
            let vertex = |&e: &u16| self.edge_vertices[usize::from(e >> 1)][usize::from(e & 1)];
            mesh.face_vertices.push(edges.iter().map(vertex).map(u32::from));
        }
        for c in 0..self.count(EntityKind::Cell) {
            let faces = self.cell_faces.row(c);
            mesh.cell_faces.push(faces.iter().map(|&f| u32::from(f >> 1)));
            mesh.inward.extend(faces.iter().map(|&f| f & 1 == 1));
        }
        mesh
    }
}
