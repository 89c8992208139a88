//! Cells as flat index arrays, whatever their kinds.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::error::IdKind::Cell;
use crate::error::{Error, Result};
use crate::numbers::counted;

/// VTK corner order of hexahedra as offsets along (u, v, w).
pub const CORNERS: [[usize; 3]; 8] =
    [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]];

/// Whether fours of vertices look like the faces of a surface rather than like tetrahedra: some
/// follow each other along an edge, and no two have three vertices in common.
pub fn are_faces(fours: &[[u32; 4]]) -> bool {
    let (mut triangles, mut edges) = (HashSet::new(), HashMap::new());
    for four in fours {
        for skipped in 0..4 {
            let mut triangle: Vec<u32> =
                (0..4).filter(|&i| i != skipped).map(|i| four[i]).collect();
            triangle.sort_unstable();
            if !triangles.insert(triangle) {
                return false; // of a mesh of tetrahedra the first few
            }
            let ends = [four[skipped], four[(skipped + 1) % 4]];
            *edges.entry([ends[0].min(ends[1]), ends[0].max(ends[1])]).or_insert(0) += 1;
        }
    }
    edges.values().all(|&count| count <= 2) && edges.values().any(|&count| count == 2)
}

/// What polyhedron a cell is; the corner orders are VTK's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CellKind {
    /// 8 corners: bottom 0–3 counter-clockwise, top 4–7 above it.
    Hexahedron,
    /// 4 corners.
    Tetrahedron,
    /// 6 corners: triangle 0–2 counter-clockwise, triangle 3–5 above it, as VTK's shape functions
    /// and filters have it (the text of `vtkWedge` says the opposite).
    Wedge,
    /// Any polyhedron, given by its faces.
    Polyhedron,
}

impl CellKind {
    /// Number of corners; `None` for [`CellKind::Polyhedron`].
    pub(crate) const fn corners(self) -> Option<usize> {
        match self {
            Self::Hexahedron => Some(8),
            Self::Tetrahedron => Some(4),
            Self::Wedge => Some(6),
            Self::Polyhedron => None,
        }
    }

    /// Faces of the kind as local corner lists, outward for a cell of positive
    /// volume; empty for [`CellKind::Polyhedron`], which lists its own.
    pub const fn faces(self) -> &'static [&'static [u8]] {
        match self {
            Self::Hexahedron => &[
                &[0, 4, 7, 3],
                &[1, 2, 6, 5],
                &[0, 1, 5, 4],
                &[3, 7, 6, 2],
                &[0, 3, 2, 1],
                &[4, 5, 6, 7],
            ],
            Self::Tetrahedron => &[&[0, 1, 3], &[1, 2, 3], &[2, 0, 3], &[0, 2, 1]],
            Self::Wedge => &[&[0, 2, 1], &[3, 4, 5], &[0, 1, 4, 3], &[1, 2, 5, 4], &[2, 0, 3, 5]],
            Self::Polyhedron => &[],
        }
    }
}

/// The cells of a mesh. Indices are not checked here, nor the number of cells, [`Cells::MAX`] at
/// most; [`Topology::build`](crate::topology::Topology::build) checks both.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cells {
    kinds: Vec<CellKind>,
    // vertices of cell c: vertices[ends[c - 1]..ends[c]]
    ends: Vec<u32>,
    vertices: Vec<u32>,
    // Polyhedra only, in cell order:
    // faces of polyhedron p: face_ends[polyhedron_ends[p - 1]..polyhedron_ends[p]]
    polyhedra: Vec<u32>,
    polyhedron_ends: Vec<u32>,
    face_ends: Vec<u32>,
    face_vertices: Vec<u32>,
    // wedges and tetrahedra, ascending, whose corners are in another order than in the mesh that
    // they come from
    mirrored: Vec<u32>,
}

/// The order of corners that mirrors a wedge or tetrahedron. Applied twice, it gives the first
/// order.
fn mirrored(kind: CellKind) -> &'static [usize] {
    match kind {
        CellKind::Tetrahedron => &[1, 0, 2, 3],
        CellKind::Wedge => &[3, 4, 5, 0, 1, 2],
        CellKind::Hexahedron | CellKind::Polyhedron => &[],
    }
}

impl Cells {
    /// Maximum number of cells of a mesh, so that all ids of its topology fit into 32 bits.
    pub const MAX: usize = 1 << 28;

    /// Hexahedra of these corners.
    pub(crate) fn of_hexahedra(corners: Vec<[u32; 8]>) -> Self {
        Self {
            kinds: vec![CellKind::Hexahedron; corners.len()],
            ends: (1..=corners.len() as u32).map(|cell| 8 * cell).collect(),
            vertices: corners.into_flattened(),
            ..Self::default()
        }
    }

    /// Number of cells.
    #[inline]
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Whether there is no cell.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Appends a cell of a kind with a fixed corner order.
    ///
    /// # Panics
    /// If `kind` is [`CellKind::Polyhedron`]; see [`Cells::push_polyhedron`].
    pub fn push(&mut self, kind: CellKind, vertices: &[u32]) {
        assert!(kind != CellKind::Polyhedron, "a polyhedron is pushed by its faces");
        self.kinds.push(kind);
        self.vertices.extend_from_slice(vertices);
        self.ends.push(self.vertices.len() as u32);
    }

    /// Appends the mirror image of the wedge or tetrahedron with these corners.
    pub(crate) fn push_mirrored(&mut self, kind: CellKind, vertices: &[u32]) {
        self.mirrored.push(self.kinds.len() as u32);
        let corners: Vec<u32> = mirrored(kind).iter().map(|&i| vertices[i]).collect();
        self.push(kind, &corners);
    }

    /// Mirrors cells, of which these are the numbers; hexahedra stay.
    pub(crate) fn mirror(&mut self, cells: &[u32]) {
        let mut listed: BTreeSet<u32> = self.mirrored.drain(..).collect();
        for &cell in cells {
            let c = cell as usize;
            match self.kinds[c] {
                CellKind::Hexahedron => {}
                CellKind::Polyhedron => {
                    let Ok(p) = self.polyhedra.binary_search(&cell) else { continue };
                    for f in start(&self.polyhedron_ends, p)..self.polyhedron_ends[p] as usize {
                        let face = start(&self.face_ends, f)..self.face_ends[f] as usize;
                        self.face_vertices[face].reverse();
                    }
                }
                kind => {
                    let own = &mut self.vertices[start(&self.ends, c)..self.ends[c] as usize];
                    let corners: Vec<u32> = mirrored(kind).iter().map(|&i| own[i]).collect();
                    own.copy_from_slice(&corners);
                    if !listed.remove(&cell) {
                        listed.insert(cell);
                    }
                }
            }
        }
        self.mirrored.extend(listed);
    }

    /// The vertex at a corner of cell `c`, by its number in the mesh that the cell comes from.
    pub(crate) fn listed_vertex(&self, c: usize, corner: usize) -> u32 {
        let is_mirrored = self.mirrored.binary_search(&(c as u32)).is_ok();
        self.vertices(c)[if is_mirrored { mirrored(self.kinds[c])[corner] } else { corner }]
    }

    /// Appends a cell of other cells, whose vertices have the numbers `number` here.
    pub(crate) fn push_from(&mut self, cells: &Self, cell: usize, number: impl Fn(u32) -> u32) {
        let numbered = |vertices: &[u32]| vertices.iter().map(|&v| number(v)).collect::<Vec<_>>();
        match cells.kind(cell) {
            CellKind::Polyhedron => {
                let mut faces: Vec<Vec<u32>> = Vec::new();
                cells.for_each_face(cell, |face| faces.push(numbered(face)));
                self.push_polyhedron(faces.iter().map(Vec::as_slice));
            }
            kind => self.push(kind, &numbered(cells.vertices(cell))),
        }
    }

    /// Appends a polyhedron given by its faces (vertex cycles). Its vertices are
    /// listed in order of first appearance.
    pub fn push_polyhedron<'a>(&mut self, faces: impl IntoIterator<Item = &'a [u32]>) {
        self.push_polyhedron_of(&[], faces);
    }

    /// Appends a polyhedron given by its faces, with some vertices in this order before all others.
    pub(crate) fn push_polyhedron_of<'a>(
        &mut self,
        vertices: &[u32],
        faces: impl IntoIterator<Item = &'a [u32]>,
    ) {
        let start = self.vertices.len();
        self.vertices.extend_from_slice(vertices);
        self.polyhedra.push(self.kinds.len() as u32);
        for face in faces {
            for &v in face {
                if !self.vertices[start..].contains(&v) {
                    self.vertices.push(v);
                }
            }
            self.face_vertices.extend_from_slice(face);
            self.face_ends.push(self.face_vertices.len() as u32);
        }
        self.polyhedron_ends.push(self.face_ends.len() as u32);
        self.kinds.push(CellKind::Polyhedron);
        self.ends.push(self.vertices.len() as u32);
    }

    /// Gives every vertex another number.
    pub(crate) fn renumber(&mut self, new_id: impl Fn(u32) -> u32) {
        for vertex in self.vertices.iter_mut().chain(&mut self.face_vertices) {
            *vertex = new_id(*vertex);
        }
    }

    /// Kind of cell `c`.
    #[inline]
    pub fn kind(&self, c: usize) -> CellKind {
        self.kinds[c]
    }

    /// Vertices of cell `c` in its kind's corner order.
    #[inline]
    pub fn vertices(&self, c: usize) -> &[u32] {
        &self.vertices[start(&self.ends, c)..self.ends[c] as usize]
    }

    /// Corners of cell `c` if it is a hexahedron.
    #[inline]
    pub fn hexahedron(&self, c: usize) -> Option<&[u32; 8]> {
        match self.kinds[c] {
            CellKind::Hexahedron => self.vertices(c).try_into().ok(),
            _ => None,
        }
    }

    /// Checks that all ids and offsets fit into 32 bits, and that every cell has as many vertices
    /// as its kind.
    ///
    /// # Errors
    /// [`Error::Mesh`] with the number that is too large, or naming the first cell of another size.
    pub(crate) fn check_sizes(&self) -> Result<()> {
        check_counts(self.len(), self.vertices.len().max(self.face_vertices.len()))?;
        let is_wrong = |&c: &usize| {
            let corners = self.kinds[c].corners();
            corners.is_some_and(|corners| corners != self.vertices(c).len())
        };
        let Some(c) = (0..self.len()).find(is_wrong) else { return Ok(()) };
        let kind = format!("{:?}", self.kinds[c]).to_lowercase();
        let vertices = counted(self.vertices(c).len(), "vertex");
        let corners = self.kinds[c].corners().unwrap_or_default();
        Err(Error::mesh(message!(Cell.id(c), " has {vertices}, a {kind} has {corners}"))
            .with_help("give every cell as many vertices as its kind has"))
    }

    /// Whether every cell is a hexahedron.
    pub fn all_hexahedra(&self) -> bool {
        self.kinds.iter().all(|&k| k == CellKind::Hexahedron)
    }

    /// Corners of all cells if every one is a hexahedron.
    pub fn hexahedra(&self) -> Option<&[[u32; 8]]> {
        self.all_hexahedra().then(|| self.vertices.as_chunks().0)
    }

    /// Calls `visit` with each face of cell `c` as a vertex cycle.
    pub fn for_each_face(&self, c: usize, mut visit: impl FnMut(&[u32])) {
        if self.kinds[c] == CellKind::Polyhedron {
            let Ok(p) = self.polyhedra.binary_search(&(c as u32)) else { return };
            for f in start(&self.polyhedron_ends, p)..self.polyhedron_ends[p] as usize {
                visit(&self.face_vertices[start(&self.face_ends, f)..self.face_ends[f] as usize]);
            }
        } else {
            let vertices = self.vertices(c);
            let mut face = [0; 4];
            for corners in self.kinds[c].faces() {
                for (slot, &corner) in face.iter_mut().zip(*corners) {
                    *slot = vertices[corner as usize];
                }
                visit(&face[..corners.len()]);
            }
        }
    }
}

#[inline]
fn start(ends: &[u32], i: usize) -> usize {
    if i == 0 { 0 } else { ends[i - 1] as usize }
}

/// Checks that a mesh does not have too many cells, or corners of cells or of their faces.
///
/// # Errors
/// [`Error::Mesh`] with the number.
pub(crate) fn check_counts(cells: usize, corners: usize) -> Result<()> {
    let (what, count, most) = match cells {
        0..=Cells::MAX if u32::try_from(corners).is_ok() => return Ok(()),
        0..=Cells::MAX => ("corners of cells or faces", corners, u32::MAX as usize),
        _ => ("cells", cells, Cells::MAX),
    };
    Err(Error::mesh(format!("{count} {what}: a solid has at most {most}"))
        .with_help("split the model"))
}
