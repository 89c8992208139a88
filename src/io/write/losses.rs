//! What files of solids leave out of a control mesh, in words: the caller tells the user.

use super::Format;
use crate::mesh::{CellArray, SolidMesh};
use crate::numbers::counted;

impl Format {
    /// What a file of this format leaves out of a control mesh that is written as it is; empty if
    /// nothing. No file keeps groups of faces that are empty; a table holds the points with their
    /// arrays and corners alone.
    pub fn losses(self, mesh: &SolidMesh) -> Vec<String> {
        if self != Self::Csv {
            let empty = mesh.face_groups.iter().filter(|group| group.faces.is_empty());
            let names: Vec<&str> = empty.map(|group| group.name.as_str()).collect();
            return match names[..] {
                [] => Vec::new(),
                _ => vec![format!("the empty groups of faces {}", names.join(", "))],
            };
        }
        let all = [(mesh.cells.len(), "cell"), (mesh.creases.edges.len(), "crease")];
        let lost = all.iter().filter(|(count, _)| *count > 0);
        let lost: Vec<String> = lost.map(|&(count, what)| counted(count, what)).collect();
        let mut losses = vec![lost.join(", ")];
        losses.extend(lost_data(mesh, false));
        losses
    }
}

/// The groups of faces that what is made of a mesh has no place for, and its arrays and groups of
/// cells unless it `keeps_cell_arrays`; empty if there are none.
pub fn lost_data(mesh: &SolidMesh, keeps_cell_arrays: bool) -> Vec<String> {
    let of_faces: Vec<&str> = mesh.face_groups.iter().map(|group| group.name.as_str()).collect();
    let lost = if keeps_cell_arrays { &[] } else { mesh.cell_data.as_slice() };
    let of_cells: Vec<&str> = lost.iter().filter_map(CellArray::group_name).collect();
    let arrays = lost.iter().filter(|array| array.group_name().is_none());
    let arrays: Vec<&str> = arrays.map(|array| array.name.as_str()).collect();
    [("groups of faces", of_faces), ("groups of cells", of_cells), ("arrays of cells", arrays)]
        .into_iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(kind, names)| format!("the {kind} {}", names.join(", ")))
        .collect()
}
