//! Named arrays of the library as dictionaries of NumPy arrays.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use subsolid::io::{Array, ArrayData, Dataset, DatasetCells, Points};

use crate::arrays::moved;

fn array_of<'py>(py: Python<'py>, array: Array) -> PyResult<Bound<'py, PyAny>> {
    let entries = array.entries();
    let shape = if array.width == 1 { vec![entries] } else { vec![entries, array.width] };
    Ok(match array.data {
        ArrayData::F32(numbers) => moved(py, numbers, &shape)?.into_any(),
        ArrayData::F64(numbers) => moved(py, numbers, &shape)?.into_any(),
        ArrayData::I32(numbers) => moved(py, numbers, &shape)?.into_any(),
        ArrayData::I64(numbers) => moved(py, numbers, &shape)?.into_any(),
        ArrayData::U8(numbers) => moved(py, numbers, &shape)?.into_any(),
    })
}

/// Arrays by name.
pub fn arrays_of(py: Python<'_>, arrays: Vec<Array>) -> PyResult<Bound<'_, PyDict>> {
    let all = PyDict::new(py);
    for array in arrays {
        let name = array.name.clone();
        all.set_item(name, array_of(py, array)?)?;
    }
    Ok(all)
}

/// Points, cells in VTK's form, and arrays.
pub fn dataset_of(py: Python<'_>, dataset: Dataset) -> PyResult<Bound<'_, PyDict>> {
    let all = PyDict::new(py);
    let count = dataset.points.len();
    match dataset.points {
        Points::F32(points) => {
            all.set_item("points", moved(py, points.into_flattened(), &[count, 3])?)?
        }
        Points::F64(points) => {
            all.set_item("points", moved(py, points.into_flattened(), &[count, 3])?)?
        }
    }
    let (types, cells) = vtk_cells(&dataset.cells);
    let (n, ids) = (types.len(), cells.len());
    all.set_item("types", moved(py, types, &[n])?)?;
    all.set_item("cells", moved(py, cells, &[ids])?)?;
    all.set_item("point_data", arrays_of(py, dataset.point_arrays)?)?;
    all.set_item("cell_data", arrays_of(py, dataset.cell_arrays)?)?;
    all.set_item("field_data", arrays_of(py, dataset.field_arrays)?)?;
    Ok(all)
}

/// Types, and of each cell the number of ids that follow and these; of polyhedra their faces.
fn vtk_cells(cells: &DatasetCells) -> (Vec<u8>, Vec<i64>) {
    match cells {
        DatasetCells::Uniform { vtk_type, size, connectivity } => {
            let rows = connectivity.chunks_exact(*size);
            let types = vec![*vtk_type; rows.len()];
            let row = |row: &[u32]| {
                std::iter::once(row.len() as i64)
                    .chain(row.iter().map(|&id| i64::from(id)))
                    .collect::<Vec<_>>()
            };
            (types, rows.flat_map(row).collect())
        }
        DatasetCells::Mixed(mixed) => {
            let mut all = Vec::new();
            let (mut start, mut face_start) = (0, 0);
            for (c, &end) in mixed.ends.iter().enumerate() {
                let face_end = mixed.faces.as_ref().map_or(-1, |faces| faces.ends[c]);
                let ids = match (&mixed.faces, face_end) {
                    (Some(faces), 0..) => {
                        let stream = &faces.stream[face_start..face_end as usize];
                        face_start = face_end as usize;
                        stream
                    }
                    _ => &mixed.connectivity[start as usize..end as usize],
                };
                all.push(ids.len() as i64);
                all.extend(ids.iter().map(|&id| i64::from(id)));
                start = end;
            }
            (mixed.vtk_types.clone(), all)
        }
    }
}
