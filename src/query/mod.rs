//! Mesh queries: which elements are at, in or next to which.
//!
//! A [`Query`] answers every [`Op`] for all elements of a surface or a solid. Rows are sorted,
//! without repetitions, and the same for every [`QueryStrategy`] and any number of threads.
//! [`Query::for_each`] and its siblings visit elements in the order of the query
//! ([`ElementOrder`]), in which attributes stay plain arrays; single
//! answers ([`Query::row`], [`Query::fan`], [`Query::ring`]) take and give ids of the mesh.
//!
//! ```
//! use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
//! use subsolid::query::{Op, Query, QueryStrategy};
//!
//! let query = Query::of_solid(&subsolid::read("models/bracket.vtk")?, QueryStrategy::Rows)?;
//! let boundary = AtomicUsize::new(0);
//! query.for_each(Op::FC, |_, cells| {
//!     boundary.fetch_add(usize::from(cells.len() == 1), Relaxed);
//! })?;
//! assert!(boundary.into_inner() > 0);
//! # Ok::<(), subsolid::Error>(())
//! ```

mod fan;
mod neighbors;
mod op;
mod patch;
mod ring;
mod rows;

pub use fan::Fan;
pub use neighbors::{NeighborOrder, Neighbors};
pub use op::Op;
#[cfg(feature = "device")]
pub(crate) use patch::PackedPatch;
pub use ring::Rings;
#[cfg(feature = "device")]
pub(crate) use rows::too_many;

use std::sync::OnceLock;

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::mesh::{SolidMesh, SurfaceMesh};
use crate::topology::order::{DownwardIncidence, ElementOrder, EntityKind, PATCH_SIZE};
use crate::topology::surface::{Columns, SurfaceTopology};
use crate::topology::{Rows, Topology};
use fan::Sector;
use patch::{RibbonPatch, RibbonStars};

/// How queries are answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum QueryStrategy {
    /// Stored, of elements sorted by position.
    ///
    /// Rows of neighbors, stored when an operator is first used. The fastest.
    #[default]
    Rows,
    /// Computed patch by patch.
    ///
    /// RXMesh's: patches with ribbons in 16-bit ids, relations computed whenever they are used.
    Patches,
    /// Stored, in the file's order.
    ///
    /// The mesh's own numbering: the baseline of benchmarks.
    Unordered,
}

/// Answers queries about one mesh.
pub struct Query {
    // in the order
    mesh: DownwardIncidence,
    order: Option<ElementOrder>,
    patches: Vec<RibbonPatch>,
    // [op]
    rows: [OnceLock<Rows>; 16],
    strategy: QueryStrategy,
}

/// The topology that queries of a solid go by: its cells turned outward ([`Topology::of_mesh`])
/// where they can be, else as they are listed.
///
/// # Errors
/// As [`SolidMesh::check`] and [`Topology::build`].
pub fn topology(mesh: &SolidMesh) -> Result<Topology> {
    mesh.check()?;
    let listed = |_| Topology::build(mesh.cells.clone(), mesh.points.len());
    Topology::of_mesh(mesh).or_else(listed)
}

impl Query {
    /// Queries of a surface: manifold or not, of any polygons, holes included.
    ///
    /// # Errors
    /// As [`SurfaceMesh::check`]; [`Error::Request`] if an element has too many neighbors
    /// for [`QueryStrategy::Patches`].
    pub fn of_surface(mesh: &SurfaceMesh, strategy: QueryStrategy) -> Result<Self> {
        mesh.check()?;
        mesh.check_control()?;
        let faces = &mesh.faces;
        let surface = SurfaceTopology::build(
            mesh.points.len(),
            Columns::of(faces),
            faces.vertices().to_vec(),
        );
        Self::new(DownwardIncidence::of_surface(&surface), &mesh.points, strategy)
    }

    /// Queries of a solid of any cells, turned outward ([`Topology::of_mesh`]) where they can be.
    ///
    /// # Errors
    /// As [`SolidMesh::check`] and [`Topology::build`]; [`Error::Request`] if an element has
    /// too many neighbors for [`QueryStrategy::Patches`].
    pub fn of_solid(mesh: &SolidMesh, strategy: QueryStrategy) -> Result<Self> {
        Self::of_topology(mesh, &topology(mesh)?, strategy)
    }

    /// Queries of a solid whose topology is known.
    ///
    /// # Errors
    /// [`Error::Request`] as [`Query::of_solid`].
    pub fn of_topology(
        mesh: &SolidMesh,
        topology: &Topology,
        strategy: QueryStrategy,
    ) -> Result<Self> {
        Self::new(DownwardIncidence::of_solid(topology), &mesh.points, strategy)
    }

    /// Queries of any incidence over `points`.
    ///
    /// # Errors
    /// [`Error::Request`] if there is not one point for each vertex, or an element has too many
    /// neighbors for [`QueryStrategy::Patches`].
    pub fn new(
        mesh: DownwardIncidence,
        points: &[[f64; 3]],
        strategy: QueryStrategy,
    ) -> Result<Self> {
        let sorted = |size| -> Result<(DownwardIncidence, ElementOrder)> {
            let order = ElementOrder::new(&mesh, points, size)?;
            Ok((mesh.renumbered(&order), order))
        };
        let (mesh, order, patches) = match strategy {
            QueryStrategy::Unordered => (mesh, None, Vec::new()),
            QueryStrategy::Rows => {
                let (mesh, order) = sorted(PATCH_SIZE)?;
                (mesh, Some(order), Vec::new())
            }
            QueryStrategy::Patches => {
                let patched =
                    |size| -> Result<(Vec<RibbonPatch>, DownwardIncidence, ElementOrder)> {
                        let (mesh, order) = sorted(size)?;
                        let stars = RibbonStars::new(&mesh)?;
                        let all = (0..order.patch_count()).into_par_iter();
                        let patches: Result<Vec<RibbonPatch>> = all
                            .map(|patch| RibbonPatch::new(&mesh, &order, &stars, patch))
                            .collect();
                        Ok((patches?, mesh, order))
                    };
                let smaller = [PATCH_SIZE / 2, PATCH_SIZE / 4].into_iter();
                let (patches, mesh, order) = smaller.fold(patched(PATCH_SIZE), |done, size| {
                    done.or_else(|_: Error| patched(size))
                })?;
                (mesh, Some(order), patches)
            }
        };
        Ok(Self { mesh, order, patches, rows: Default::default(), strategy })
    }

    /// The patches as devices have them; none but for [`QueryStrategy::Patches`].
    #[cfg(feature = "device")]
    pub(crate) fn packed_patches(&self) -> impl Iterator<Item = PackedPatch> {
        self.patches.iter().map(RibbonPatch::packed)
    }

    /// The order of the elements; none for [`QueryStrategy::Unordered`], where it is the mesh's.
    pub fn order(&self) -> Option<&ElementOrder> {
        self.order.as_ref()
    }

    /// Number of elements of a kind; a surface has no cells.
    pub fn count(&self, kind: EntityKind) -> usize {
        self.mesh.count(kind)
    }

    /// The queries that the mesh has.
    pub fn ops(&self) -> &'static [Op] {
        Op::of_top(self.mesh.top())
    }

    /// Calls `visit(id, row)` for every element that `op` is of, in parallel, with ids of the
    /// order.
    ///
    /// # Errors
    /// [`Error::Request`] if the mesh has no such query, or its rows 2³² entries or more.
    pub fn for_each(&self, op: Op, visit: impl Fn(u32, &[u32]) + Sync) -> Result<()> {
        self.check_op(op)?;
        if self.strategy == QueryStrategy::Patches {
            return self.patches.par_iter().try_for_each(|patch| patch.for_each(op, &visit));
        }
        let rows = self.rows(op)?;
        let ids = (0..rows.len()).into_par_iter().with_min_len(1024);
        ids.for_each(|id| visit(id as u32, rows.row(id)));
        Ok(())
    }

    /// All rows of `op` by ids of the order, stored from the first call on.
    ///
    /// # Errors
    /// As [`Query::for_each`].
    pub fn rows(&self, op: Op) -> Result<&Rows> {
        self.check_op(op)?;
        let place = &self.rows[op as usize];
        if let Some(rows) = place.get() {
            return Ok(rows);
        }
        let rows = rows::rows(&self.mesh, op)?;
        Ok(place.get_or_init(|| rows))
    }

    /// The row of one element, by ids of the mesh.
    ///
    /// # Errors
    /// As [`Query::for_each`]; [`Error::Request`] if there is no such element.
    pub fn row(&self, op: Op, id: u32) -> Result<Vec<u32>> {
        self.check_op(op)?;
        self.check_id(op.from(), id)?;
        let id = self.inside(op.from(), id);
        let mut row = Vec::new();
        if let Some(order) = self.order.as_ref().filter(|_| self.strategy == QueryStrategy::Patches)
        {
            let found = std::sync::Mutex::new(Vec::new());
            self.patches[order.owner(op.from(), id)].for_each(op, &|other, row: &[u32]| {
                if other == id {
                    found.lock().unwrap_or_else(|e| e.into_inner()).extend_from_slice(row);
                }
            })?;
            row = found.into_inner().unwrap_or_else(|e| e.into_inner());
        } else {
            row.extend_from_slice(self.rows(op)?.row(id as usize));
        }
        row.iter_mut().for_each(|to| *to = self.outside(op.to(), *to));
        row.sort_unstable();
        Ok(row)
    }

    /// Kind of the elements that have a [`Fan`]: vertices of a surface, edges of a solid.
    pub fn fan_kind(&self) -> EntityKind {
        if self.mesh.top() == EntityKind::Cell { EntityKind::Edge } else { EntityKind::Vertex }
    }

    /// Edges and faces around a vertex of a surface, or faces and cells around an edge of a
    /// solid, in cyclic order, by ids of the mesh.
    ///
    /// Around a vertex they run counter-clockwise as seen from the side on which the faces do;
    /// around an edge, by the right hand along it from its smaller to its greater vertex, if the
    /// cells are right-handed. A ring starts at its least edge (face), an open fan where it
    /// begins. Where faces disagree on a direction the first one decides: the face at
    /// the lesser end of a fan, or of least id at the start of a ring.
    ///
    /// # Errors
    /// [`Error::Request`] if there is no such element, or what is around it is neither one
    /// ring nor one fan.
    pub fn fan(&self, id: u32) -> Result<Fan> {
        let (kind, spoke) = (self.fan_kind(), self.spoke_kind());
        self.check_id(kind, id)?;
        let sectors = self.sectors(self.inside(kind, id))?.map(|sectors| {
            let outside = |s: &Sector| Sector {
                start: self.outside(spoke, s.start),
                end: self.outside(spoke, s.end),
                id: self.outside(self.mesh.top(), s.id),
            };
            sectors.iter().map(outside).collect::<Vec<_>>()
        });
        sectors.and_then(|sectors| Fan::of(&sectors)).ok_or_else(|| {
            let top = self.mesh.top().name();
            Error::request(message!(
                kind.id(id),
                ": its {top}s form neither one ring nor one open fan"
            ))
            .with_help("ask for sorted rows, or separate the sheets that touch there")
        })
    }

    /// Calls `visit(id, fan)` for every vertex of a surface (edge of a solid), in parallel, with
    /// ids of the order; without a fan where [`Query::fan`] refuses one.
    ///
    /// # Errors
    /// As [`Query::for_each`].
    pub fn for_each_fan(&self, visit: impl Fn(u32, Option<&Fan>) + Sync) -> Result<()> {
        let ids = (0..self.count(self.fan_kind()) as u32).into_par_iter().with_min_len(256);
        ids.try_for_each(|id| {
            let sectors = self.sectors(id)?;
            visit(id, sectors.and_then(|sectors| Fan::of(&sectors)).as_ref());
            Ok(())
        })
    }

    fn spoke_kind(&self) -> EntityKind {
        if self.mesh.top() == EntityKind::Cell { EntityKind::Face } else { EntityKind::Edge }
    }

    /// What is around the center of a fan, in the order; none if a cell has an edge in other
    /// than two faces.
    fn sectors(&self, id: u32) -> Result<Option<Vec<Sector>>> {
        let mesh = &self.mesh;
        if mesh.top() == EntityKind::Face {
            let faces = self.rows(Op::VF)?.row(id as usize).iter();
            return Ok(faces.map(|&f| vertex_sector(mesh, f, id)).collect());
        }
        let cells = self.rows(Op::EC)?.row(id as usize).iter();
        Ok(cells.map(|&c| edge_sector(mesh, c, id)).collect())
    }

    fn check_op(&self, op: Op) -> Result<()> {
        op.check_of(self.mesh.top())
    }

    fn check_id(&self, kind: EntityKind, id: u32) -> Result<()> {
        let count = self.count(kind);
        if (id as usize) < count {
            return Ok(());
        }
        Err(Error::request(message!("no ", kind.id(id))).with_help(match count {
            0 => format!("the mesh has no {}", kind.name()),
            _ => format!("ids of this kind run from 0 to {}", count - 1),
        }))
    }

    /// Id in the order.
    fn inside(&self, kind: EntityKind, id: u32) -> u32 {
        self.order.as_ref().map_or(id, |order| order.new_id(kind, id))
    }

    /// Id of the mesh.
    fn outside(&self, kind: EntityKind, id: u32) -> u32 {
        self.order.as_ref().map_or(id, |order| order.originals(kind)[id as usize])
    }
}

/// A face between the edges that leave and reach a vertex.
fn vertex_sector(mesh: &DownwardIncidence, face: u32, vertex: u32) -> Option<Sector> {
    let cycle = mesh.face_vertices.row(face as usize);
    let edges = mesh.face_edges.row(face as usize);
    let k = cycle.iter().position(|&v| v == vertex)?;
    let before = if k == 0 { edges.len() - 1 } else { k - 1 };
    Some(Sector { start: edges[k], end: edges[before], id: face })
}

/// A cell between its two faces at an edge: it starts at the one whose cycle, as seen from
/// outside the cell, runs against the edge.
fn edge_sector(mesh: &DownwardIncidence, cell: u32, edge: u32) -> Option<Sector> {
    let first = mesh.cell_faces.start(cell as usize);
    let mut found = Vec::with_capacity(2);
    for (&face, inward) in mesh.cell_faces.row(cell as usize).iter().zip(&mesh.inward[first..]) {
        let edges = mesh.face_edges.row(face as usize);
        if let Some(k) = edges.iter().position(|&e| e == edge) {
            let from = mesh.face_vertices.row(face as usize)[k];
            let along = from == mesh.edge_vertices[edge as usize][0];
            found.push((along != *inward, face));
        }
    }
    found.sort_unstable();
    match found[..] {
        [(_, start), (_, end)] => Some(Sector { start, end, id: cell }),
        _ => None,
    }
}
