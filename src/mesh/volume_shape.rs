//! Shapes of volume cells in files, and what cells with repeated corners are.

use super::{CellKind, Cells};

/// How a file lists the corners of a volume cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VolumeShape {
    /// Bottom 0–3 counter-clockwise, top 4–7 above it.
    Hexahedron,
    /// As a hexahedron, but x runs fastest: 2 and 3, 6 and 7 swapped.
    Voxel,
    /// Base 0–2 counter-clockwise, 3 above it.
    Tetrahedron,
    /// Triangle 0–2 counter-clockwise, triangle 3–5 above it.
    Wedge,
    /// Base 0–3 counter-clockwise, apex 4 above it.
    Pyramid,
}

impl VolumeShape {
    /// Number of corners.
    pub fn corners(self) -> usize {
        match self {
            Self::Hexahedron | Self::Voxel => 8,
            Self::Tetrahedron => 4,
            Self::Wedge => 6,
            Self::Pyramid => 5,
        }
    }

    /// Appends a cell with these corners, which differ, to some cells. A pyramid has no kind of its
    /// own: it is pushed by its faces.
    pub fn push(self, cells: &mut Cells, corners: &[u32]) {
        match (self, corners) {
            (Self::Voxel, &[a, b, c, d, e, f, g, h]) => {
                cells.push(CellKind::Hexahedron, &[a, b, d, c, e, f, h, g]);
            }
            (Self::Wedge, _) => cells.push(CellKind::Wedge, corners),
            (Self::Tetrahedron, _) => cells.push(CellKind::Tetrahedron, corners),
            _ => cells.push(CellKind::Hexahedron, corners),
        }
    }

    /// Sides by their corners, as they look from within; in the order of Abaqus's sides S1, S2, …
    /// (Abaqus Analysis User's Guide, "Solid elements": element faces).
    pub const fn sides(self) -> &'static [&'static [usize]] {
        match self {
            Self::Tetrahedron => &[&[0, 1, 2], &[0, 3, 1], &[1, 3, 2], &[2, 3, 0]],
            Self::Pyramid => &[&[0, 1, 2, 3], &[0, 4, 1], &[1, 4, 2], &[2, 4, 3], &[3, 4, 0]],
            Self::Wedge => &[&[0, 1, 2], &[3, 5, 4], &[0, 3, 4, 1], &[1, 4, 5, 2], &[2, 5, 3, 0]],
            Self::Hexahedron => &[
                &[0, 1, 2, 3],
                &[4, 7, 6, 5],
                &[0, 4, 5, 1],
                &[1, 5, 6, 2],
                &[2, 6, 7, 3],
                &[3, 7, 4, 0],
            ],
            Self::Voxel => &[
                &[0, 1, 3, 2],
                &[4, 6, 7, 5],
                &[0, 4, 5, 1],
                &[1, 5, 7, 3],
                &[3, 7, 6, 2],
                &[2, 6, 4, 0],
            ],
        }
    }

    /// Faces of a cell, outward: those that repeated corners leave. Faces without area are left
    /// out, and two that have become one.
    pub fn faces(self, corners: &[u32]) -> Vec<Vec<u32>> {
        let outward = |side: &&[usize]| side.iter().rev().map(|&i| corners[i]).collect();
        let mut faces: Vec<Vec<u32>> = self.sides().iter().map(outward).collect();
        faces.iter_mut().for_each(drop_repeated);
        faces.retain(|face| face.len() > 2 && !has_repeated(face));
        let keys: Vec<Vec<u32>> = faces.iter().map(|face| sorted(face)).collect();
        let mut own = keys.iter();
        let is_double = |key| keys.iter().filter(|other| *other == key).count() > 1;
        faces.retain(|_| !own.next().is_some_and(is_double));
        faces
    }

    /// The shape with these outward faces, and its corners; `None` for other polyhedra.
    pub fn of_faces(faces: &[Vec<u32>]) -> Option<(Self, [u32; 8])> {
        let sizes = |n: usize| faces.iter().filter(|face| face.len() == n).count();
        let (shape, bottom) = match (faces.len(), sizes(3), sizes(4)) {
            (4, 4, 0) => (Self::Tetrahedron, 0),
            (5, 2, 3) => (Self::Wedge, faces.iter().position(|face| face.len() == 3)?),
            (6, 0, 6) => (Self::Hexahedron, 0),
            _ => return None,
        };
        // Seen from inside, the bottom runs counter-clockwise.
        let mut corners = [0; 8];
        let base = faces[bottom].len();
        for (corner, &v) in corners.iter_mut().zip(faces[bottom].iter().rev()) {
            *corner = v;
        }
        if shape == Self::Tetrahedron {
            corners[3] = *faces.iter().flatten().find(|v| !corners[..3].contains(v))?;
        } else {
            // The side at bottom edge a→b runs a, b, above b, above a.
            for i in 0..base {
                let (a, b) = (corners[i], corners[(i + 1) % base]);
                let side = faces.iter().enumerate().find_map(|(index, face)| {
                    let at = face.iter().position(|&v| v == a)?;
                    let next = |n: usize| face[(at + n) % face.len()];
                    (index != bottom && face.len() == 4 && next(1) == b).then(|| next(3))
                })?;
                corners[base + i] = side;
            }
        }
        let used = &corners[..shape.corners()];
        // All faces must be faces of the shape: no other vertex, and no shared edge twice.
        let closed = faces.iter().flatten().all(|v| used.contains(v));
        (!has_repeated(used) && closed).then_some((shape, corners))
    }
}

/// Takes corners of a cycle away that repeat the one before them.
pub(crate) fn drop_repeated(cycle: &mut Vec<u32>) {
    cycle.dedup();
    if cycle.len() > 1 && cycle.first() == cycle.last() {
        cycle.pop();
    }
}

/// Whether some of a few vertices are equal.
pub(crate) fn has_repeated(vertices: &[u32]) -> bool {
    (1..vertices.len()).any(|i| vertices[..i].contains(&vertices[i]))
}

/// The vertices of a face, ascending.
pub(crate) fn sorted(face: &[u32]) -> Vec<u32> {
    let mut sorted = face.to_vec();
    sorted.sort_unstable();
    sorted
}
