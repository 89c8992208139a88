//! Cells with repeated corners, and repeated cells.

use std::collections::HashMap;

use super::ConformResult;
use super::draft::{Draft, replace_group_faces};
use crate::mesh::{CellKind, Cells, SolidMesh, VolumeShape, drop_repeated, has_repeated, sorted};

/// Makes cells with repeated corners what they are, and leaves flat and repeated ones out.
pub(super) fn clean(mesh: &mut SolidMesh, done: &mut ConformResult) {
    let mut draft = Draft::default();
    // the first cell with these vertices
    let mut known = HashMap::<Vec<u32>, usize>::new();
    for c in 0..mesh.cells.len() {
        let corners = mesh.cells.vertices(c);
        let is_collapsed = match mesh.cells.kind(c) {
            CellKind::Polyhedron => {
                let mut is_collapsed = false;
                mesh.cells.for_each_face(c, |face| is_collapsed |= has_repeated(face));
                is_collapsed
            }
            _ => has_repeated(corners),
        };
        let faces = if is_collapsed { left_faces(&mesh.cells, c) } else { Vec::new() };
        if is_collapsed && faces.len() < 4 {
            done.flat += 1;
            continue;
        }
        let mut key = sorted(corners);
        key.dedup();
        let first = *known.entry(key).or_insert(c);
        if first != c && face_keys(&mesh.cells, first) == face_keys(&mesh.cells, c) {
            done.repeated += 1;
        } else if is_collapsed {
            done.collapsed += 1;
            draft.push_faces(c as u32, &faces);
        } else {
            draft.keep(&mesh.cells, c, |v| v);
        }
    }
    if done.flat + done.repeated + done.collapsed > 0 {
        draft.finish(mesh);
    }
    replace_group_faces(mesh, |face| {
        let mut left = face.to_vec();
        drop_repeated(&mut left);
        (left.len() < face.len())
            .then(|| Some(left).filter(|left| left.len() > 2).into_iter().collect())
    });
}

/// The faces of a cell that repeated corners leave.
fn left_faces(cells: &Cells, c: usize) -> Vec<Vec<u32>> {
    let shape = match cells.kind(c) {
        CellKind::Hexahedron => VolumeShape::Hexahedron,
        CellKind::Wedge => VolumeShape::Wedge,
        CellKind::Tetrahedron => VolumeShape::Tetrahedron,
        CellKind::Polyhedron => {
            let mut faces = Vec::new();
            cells.for_each_face(c, |face| faces.push(face.to_vec()));
            faces.iter_mut().for_each(drop_repeated);
            faces.retain(|face| face.len() > 2);
            return faces;
        }
    };
    shape.faces(cells.vertices(c))
}

/// The faces of a cell, each by its vertices in ascending order.
fn face_keys(cells: &Cells, c: usize) -> Vec<Vec<u32>> {
    let mut keys = Vec::new();
    cells.for_each_face(c, |face| keys.push(sorted(face)));
    keys.sort_unstable();
    keys
}
