//! Corner orders that are right-handed.

use crate::error::Result;
use crate::mesh::{CellKind, Cells, SolidMesh};
use crate::topology::{Orientation, Topology};

/// Lists the corners of all cells in right-handed order; returns how many cells changed.
///
/// Cells that share a face come to agree, and the volume inside their common boundary is
/// positive. A mirrored hexahedron swaps u and v: its corners 1 and 3, 5 and 7. Folded
/// cells whose order agrees with their neighbors stay folded. Vertices, and so
/// creases and attributes, keep their ids.
///
/// # Errors
/// [`Error::Mesh`](crate::Error::Mesh) for cells that are not valid, or without a common
/// orientation.
pub fn reorient(mesh: &mut SolidMesh) -> Result<usize> {
    let topology = Topology::of_mesh(mesh)?;
    let orientation = Orientation::new(&topology, &mesh.points)?;
    let mut cells = Cells::default();
    let mut changed = 0;
    for c in 0..mesh.cells.len() {
        let (kind, v) = (topology.cells().kind(c), topology.cells().vertices(c));
        let mirrored = orientation.is_mirrored(c as u32);
        match kind {
            CellKind::Polyhedron => {
                let mut faces: Vec<Vec<u32>> = Vec::new();
                topology.cells().for_each_face(c, |face| faces.push(face.to_vec()));
                if mirrored {
                    faces.iter_mut().for_each(|face| face.reverse());
                }
                cells.push_polyhedron(faces.iter().map(Vec::as_slice));
            }
            CellKind::Hexahedron if mirrored => {
                cells.push(kind, &[0, 3, 2, 1, 4, 7, 6, 5].map(|i| v[i]));
            }
            CellKind::Wedge if mirrored => cells.push(kind, &[3, 4, 5, 0, 1, 2].map(|i| v[i])),
            CellKind::Tetrahedron if mirrored => cells.push(kind, &[1, 0, 2, 3].map(|i| v[i])),
            _ => cells.push(kind, v),
        }
        changed += usize::from(differs(&cells, &mesh.cells, c));
    }
    mesh.cells = cells;
    Ok(changed)
}

/// Whether cell `c` is listed in another way.
fn differs(a: &Cells, b: &Cells, c: usize) -> bool {
    let cycles = |cells: &Cells| {
        let mut all: Vec<Vec<u32>> = Vec::new();
        cells.for_each_face(c, |face| all.push(face.to_vec()));
        all
    };
    a.vertices(c) != b.vertices(c) || a.kind(c) == CellKind::Polyhedron && cycles(a) != cycles(b)
}
