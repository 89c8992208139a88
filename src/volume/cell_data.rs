//! Arrays of the control mesh's cells at what was evaluated in them.

use crate::io::{Array, ArrayData, Dataset};
use crate::mesh::CellArray;

/// Adds the arrays of the mesh's cells to a dataset of [`hexahedra`](super::hexahedra()),
/// [`lagrange`](super::lagrange), [`Bezier`](super::Bezier) cells or [`points`](super::points()),
/// which names the cell of each in an array `cell`. Returns the names of those that are left out
/// because the dataset has an array of that name. What is evaluated are no ghosts: their array stays
/// with the mesh.
pub fn add_cell_data<'a>(dataset: &mut Dataset, cell_data: &'a [CellArray]) -> Vec<&'a str> {
    let cells = |arrays: &[Array]| {
        arrays.iter().find(|a| a.name == "cell").and_then(|a| match &a.data {
            ArrayData::I32(cells) => Some(cells.clone()),
            _ => None,
        })
    };
    let (cells, arrays) = match cells(&dataset.cell_arrays) {
        Some(cells) => (cells, &mut dataset.cell_arrays),
        None => (cells(&dataset.point_arrays).unwrap_or_default(), &mut dataset.point_arrays),
    };
    let mut left_out = Vec::new();
    for array in cell_data.iter().filter(|array| !array.is_ghosts()) {
        if arrays.iter().any(|known| known.name == array.name) {
            left_out.push(&array.name[..]);
        } else {
            let cells = cells.iter().map(|&cell| cell as u32);
            arrays.push(Array::from(&array.of_cells(cells)));
        }
    }
    left_out
}

/// Names the arrays that [`add_cell_data`] left out, for people; `None` if it took all.
pub fn left_out_notice(names: &[&str]) -> Option<String> {
    let listed = names.join(", ");
    (!names.is_empty()).then(|| {
        format!(
            "cell arrays {listed} are left out: the output's own arrays have these names; rename them"
        )
    })
}

/// Names the cells of the whole in the array `cell` of a dataset of some of its cells, whose cell i
/// is `cells[i]`; after [`add_cell_data`], which takes the cells of the part.
pub fn name_cells(dataset: &mut Dataset, cells: &[u32]) {
    let arrays = dataset.cell_arrays.iter_mut().chain(&mut dataset.point_arrays);
    if let Some(ArrayData::I32(ids)) =
        arrays.into_iter().find(|array| array.name == "cell").map(|array| &mut array.data)
    {
        ids.iter_mut().for_each(|id| *id = cells[*id as usize] as i32);
    }
}
