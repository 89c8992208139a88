//! Making parts of a mesh.

use super::{Cut, Part};
use crate::error::IdKind::{Cell, Vertex};
use crate::error::{Error, Result};
use crate::mesh::{Cells, Corner, Crease, Creases, FaceGroup, Polygons, SolidMesh, VertexId};
use crate::numbers::{counted, sorted_unique};
use crate::topology::Rows;

/// A mesh ready to be cut.
#[derive(Debug)]
pub struct Cutter<'m> {
    mesh: &'m SolidMesh,
    owned: Vec<Vec<u32>>,
    vertex_cells: Rows,
    /// Creases by their first vertex, and corners by theirs: `(vertex, index)`, ascending.
    creases: Vec<(u32, u32)>,
    corners: Vec<(u32, u32)>,
    /// Vertices that span the mesh and its attributes, some of them more than once.
    span: Vec<u32>,
}

impl<'m> Cutter<'m> {
    /// Finds the cells at every vertex.
    ///
    /// # Errors
    /// [`Error::Request`] if the cut is not of the mesh; [`Error::Mesh`] for cells and creases that
    /// name no vertex, creases that are no edge, and what [`SolidMesh::check`] finds.
    pub fn new(mesh: &'m SolidMesh, cut: &Cut) -> Result<Self> {
        let cells = mesh.cells.len();
        if cut.owners().len() != cells {
            let of = counted(cut.owners().len(), "cell");
            let text = format!("a cut of {of}, the mesh has {cells}");
            return Err(Error::request(text).with_help("cut this mesh"));
        }
        Ok(Self { owned: cut.owned(), ..Self::of_whole(mesh)? })
    }

    /// A cutter of a mesh without a cut, for [`Cutter::around`].
    ///
    /// # Errors
    /// [`Error::Mesh`] for a defect of the mesh or its creases.
    pub(super) fn of_whole(mesh: &'m SolidMesh) -> Result<Self> {
        let (cells, vertices) = (mesh.cells.len(), mesh.points.len());
        check(mesh)?;
        let corners = |c: u32| mesh.cells.vertices(c as usize).iter().copied();
        let vertex_cells = Rows::transposed(vertices, cells, corners);
        let edges = &mesh.creases.edges;
        for crease in edges {
            let [a, b] = crease.edge().map(|v| v.0);
            let known = (a.max(b) as usize) < vertices;
            let mut at = if known { vertex_cells.row(a as usize) } else { &[] }.iter();
            if !at.any(|&cell| has_edge(&mesh.cells, cell, [a, b])) {
                return Err(crease.no_edge());
            }
        }
        mesh.creases.check_corners(vertices)?;
        let sorted = |of: Vec<u32>| {
            let mut all: Vec<(u32, u32)> = of.into_iter().zip(0..).collect();
            all.sort_unstable();
            all
        };
        let span = spanning(mesh, |v| !vertex_cells.row(v).is_empty());
        Ok(Self {
            mesh,
            owned: Vec::new(),
            vertex_cells,
            creases: sorted(edges.iter().map(|crease| crease.edge()[0].0).collect()),
            corners: sorted(mesh.creases.corners.iter().map(|c| c.vertex.0).collect()),
            span,
        })
    }

    /// Number of parts.
    pub fn count(&self) -> usize {
        self.owned.len()
    }

    /// Part `index`, counted from 0.
    ///
    /// # Panics
    /// If `index` is not below [`Cutter::count`].
    pub fn part(&self, index: usize) -> Part {
        self.around(&self.owned[index])
    }

    /// The cells at a vertex.
    pub(super) fn cells_at(&self, vertex: u32) -> &[u32] {
        self.vertex_cells.row(vertex as usize)
    }

    /// The part that owns these cells, ascending.
    pub(super) fn around(&self, owned: &[u32]) -> Part {
        let mesh = self.mesh;
        let vertices_of = |cells: &[u32]| {
            let vertices = cells.iter().flat_map(|&c| mesh.cells.vertices(c as usize));
            sorted_unique(vertices.copied().collect())
        };
        let around = vertices_of(owned);
        let around = around.iter().flat_map(|&v| self.vertex_cells.row(v as usize));
        let cells = sorted_unique(around.copied().collect());
        let mut vertices = vertices_of(&cells);
        if !owned.is_empty() {
            vertices.extend(&self.span);
            vertices = sorted_unique(vertices);
        }

        let local = |v: u32| vertices.binary_search(&v).map_or(u32::MAX, |v| v as u32);
        let is_own = |cell: &&u32| cells.binary_search(cell).is_ok();
        let has = |face: &[u32]| {
            let first = face.first().map_or(&[][..], |&v| self.vertex_cells.row(v as usize));
            first.iter().filter(is_own).any(|&cell| has_face(&mesh.cells, cell, face))
        };
        let own = SolidMesh {
            creases: self.creases(&cells, &vertices),
            ..some_cells(mesh, &cells, &vertices, local, has)
        };
        let owned = owned.iter().filter_map(|cell| cells.binary_search(cell).ok());
        Part { mesh: own, owned: owned.map(|c| c as u32).collect(), cells, vertices }
    }

    /// The creases of edges of these cells, and corners, with the part's own vertices and in the
    /// mesh's order.
    fn creases(&self, cells: &[u32], vertices: &[u32]) -> Creases {
        let at = |all: &[(u32, u32)]| {
            let of = |v: u32| {
                let first = all.partition_point(|&(vertex, _)| vertex < v);
                let own = all[first..].iter().take_while(move |&&(vertex, _)| vertex == v);
                own.map(|&(_, index)| index).collect::<Vec<_>>()
            };
            sorted_unique(vertices.iter().flat_map(|&v| of(v)).collect())
        };
        let is_own = |cell: &u32| cells.binary_search(cell).is_ok();
        let is_used = |v: u32| self.vertex_cells.row(v as usize).iter().any(is_own);
        let local = |v: u32| VertexId(vertices.binary_search(&v).map_or(u32::MAX, |v| v as u32));
        let mut own = Creases::default();
        for index in at(&self.creases) {
            let crease = self.mesh.creases.edges[index as usize];
            let [a, b] = crease.edge().map(|v| v.0);
            let mut around = self.vertex_cells.row(a as usize).iter();
            if around.any(|&cell| is_own(&cell) && has_edge(&self.mesh.cells, cell, [a, b])) {
                own.edges.push(Crease::new([local(a), local(b)], crease.sharpness));
            }
        }
        for index in at(&self.corners) {
            let Corner { vertex, sharpness } = self.mesh.creases.corners[index as usize];
            if is_used(vertex.0) {
                own.corners.push(Corner { vertex: local(vertex.0), sharpness });
            }
        }
        own
    }
}

/// Some cells of a mesh and some of its vertices, which `local` numbers, with those faces of groups
/// that `has` takes; without creases and corners.
pub(super) fn some_cells(
    mesh: &SolidMesh,
    cells: &[u32],
    vertices: &[u32],
    local: impl Fn(u32) -> u32 + Copy,
    has: impl Fn(&[u32]) -> bool,
) -> SolidMesh {
    let mut own = Cells::default();
    cells.iter().for_each(|&c| own.push_from(&mesh.cells, c as usize, local));
    let group = |group: &FaceGroup| {
        let mut faces = Polygons::default();
        for face in group.faces.iter().filter(|face| has(face)) {
            faces.push(&face.iter().map(|&v| local(v)).collect::<Vec<_>>());
        }
        FaceGroup::new(&group.name, faces)
    };
    SolidMesh {
        points: vertices.iter().map(|&v| mesh.points[v as usize]).collect(),
        cells: own,
        attributes: mesh.attributes.iter().map(|a| a.of_vertices(vertices)).collect(),
        cell_data: mesh.cell_data.iter().map(|a| a.of_cells(cells.iter().copied())).collect(),
        face_groups: mesh.face_groups.iter().map(group).collect(),
        is_fitted: mesh.is_fitted,
        periods: mesh.periods.clone(),
        ..SolidMesh::default()
    }
}

/// Of the `used` vertices of a mesh the first, and those with the least and the largest of each
/// coordinate and component of an attribute, some more than once.
fn spanning(mesh: &SolidMesh, used: impl Fn(usize) -> bool) -> Vec<u32> {
    let mut span: Vec<u32> =
        (0..mesh.points.len()).find(|&v| used(v)).map(|v| v as u32).into_iter().collect();
    let attributes = mesh.attributes.iter().map(|a| (&a.values[..], a.width));
    for (values, width) in [(mesh.points.as_flattened(), 3)].into_iter().chain(attributes) {
        for component in 0..width {
            let along = values.iter().skip(component).step_by(width).zip(0_u32..);
            let along = || along.clone().filter(|&(x, v)| used(v as usize) && !x.is_nan());
            // the first of equal least ones, the last of equal largest ones
            span.extend(along().min_by(|a, b| a.0.total_cmp(b.0)).map(|(_, v)| v));
            span.extend(along().max_by(|a, b| a.0.total_cmp(b.0)).map(|(_, v)| v));
        }
    }
    span
}

/// Checks numbers and lengths of a mesh, and that its cells name vertices that it has.
fn check(mesh: &SolidMesh) -> Result<()> {
    mesh.check()?;
    let vertices = mesh.points.len();
    let unknown = |v: &&u32| **v as usize >= vertices;
    for c in 0..mesh.cells.len() {
        if let Some(v) = mesh.cells.vertices(c).iter().find(unknown) {
            return Err(Error::mesh(message!(
                Cell.id(c),
                " names ",
                Vertex.id(*v),
                ", but the mesh has ",
                counted(vertices, "vertex")
            ))
            .with_help("vertices are numbered from 0 to their count less 1"));
        }
    }
    Ok(())
}

/// Whether a cell has an edge between two vertices.
pub(super) fn has_edge(cells: &Cells, cell: u32, [a, b]: [u32; 2]) -> bool {
    let mut found = false;
    cells.for_each_face(cell as usize, |face| {
        let ends = face.iter().zip(face.iter().cycle().skip(1));
        found |= ends.into_iter().any(|(&x, &y)| [x, y] == [a, b] || [y, x] == [a, b]);
    });
    found
}

/// Whether a cell has a face of these vertices, in any order. One with a reflex corner may have all
/// of them and not the face.
pub(super) fn has_face(cells: &Cells, cell: u32, vertices: &[u32]) -> bool {
    let has_all = |own: &[u32]| vertices.iter().all(|v| own.contains(v));
    if !has_all(cells.vertices(cell as usize)) {
        return false;
    }
    let mut found = false;
    cells.for_each_face(cell as usize, |face| {
        found |= face.len() == vertices.len() && has_all(face);
    });
    found
}
