//! What files of solids leave out of a control mesh, in words: the caller tells the user.

use super::Format;
use crate::mesh::{CellArray, SolidMesh};
use crate::numbers::counted;

impl Format {
    /// What a file of this format leaves out of a control mesh that is written as it is; empty if
    /// nothing. No file keeps groups of faces that are empty; a table holds the points with their
    /// arrays and corners alone.
    pub fn losses(self, mesh: &SolidMesh) -> Vec<String> {
        if let Self::Exchange(format) = self {
            return format.losses(mesh);
        }
        if self != Self::Csv {
            let empty = mesh.face_groups.iter().filter(|group| group.faces.is_empty());
            let empty = listed("empty groups of faces", empty.map(|group| group.name.as_str()));
            return empty.into_iter().chain(lost_group_values(mesh)).collect();
        }
        let all = [(mesh.cells.len(), "cell"), (mesh.creases.edges.len(), "crease")];
        let lost = all.iter().filter(|(count, _)| *count > 0);
        let lost: Vec<String> = lost.map(|&(count, what)| counted(count, what)).collect();
        let mut losses = vec![lost.join(", ")];
        losses.extend(lost_data(mesh, false));
        losses
    }
}

/// The groups of faces that the result of a mesh has no place for, and its arrays and groups of
/// cells unless it `keeps_cell_arrays`; empty if there are none.
pub fn lost_data(mesh: &SolidMesh, keeps_cell_arrays: bool) -> Vec<String> {
    let of_faces = mesh.face_groups.iter().map(|group| group.name.as_str());
    let mut all: Vec<String> = listed("groups of faces", of_faces).into_iter().collect();
    if keeps_cell_arrays {
        all.extend(lost_group_values(mesh));
    } else {
        all.extend(lost_cell_data(mesh));
    }
    all
}

/// The groups and arrays of cells, where the result of a mesh has no place for them; empty if there
/// are none.
pub fn lost_cell_data(mesh: &SolidMesh) -> Vec<String> {
    let of_cells = mesh.cell_data.iter().filter_map(CellArray::group_name);
    let arrays = mesh.cell_data.iter().filter(|array| array.group_name().is_none());
    let arrays = arrays.map(|array| array.name.as_str());
    let all = [listed("groups of cells", of_cells), listed("arrays of cells", arrays)];
    all.into_iter().flatten().collect()
}

/// The groups of cells whose arrays have values other than 0 and 1: files have 1 for each member.
fn lost_group_values(mesh: &SolidMesh) -> Option<String> {
    let has_others = |array: &&CellArray| array.values.iter().any(|&x| x != 0.0 && x != 1.0);
    let groups = mesh.cell_data.iter().filter(|array| array.group_name().is_some());
    let names = groups.filter(has_others).filter_map(CellArray::group_name);
    listed("values other than 0 and 1 of the groups of cells", names)
}

/// What is left out, by its names; `None` without any.
pub(super) fn listed<'n>(what: &str, names: impl Iterator<Item = &'n str>) -> Option<String> {
    let names: Vec<&str> = names.collect();
    (!names.is_empty()).then(|| format!("the {what} {}", names.join(", ")))
}
