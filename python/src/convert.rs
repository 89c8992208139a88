//! Solids from the arrays of PyVista and meshio, which `_convert.py` takes from their meshes.

use numpy::{PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use subsolid::io::{CellBlock, GroupName, MeshParts, solid_of_parts};
use subsolid::mesh::Attribute;
use subsolid::refine::crease_by_angle;

use crate::arrays::{any_array, floats, ids, plain_ids, slice};
use crate::errors::{IntoPython, refused};
use crate::model::{attributes, points};
use crate::solid::{PySolid, cell_data};
use crate::threads::WithoutLock;

/// Cells of one `"kind"` by meshio's name, or of VTK's `"types"`, with their `"data"` and `"sets"`.
fn block(given: &Bound<'_, PyDict>) -> PyResult<CellBlock> {
    let numbers = |name: &str, least| match given.get_item(name)? {
        Some(value) => ids(&value, name, least),
        None => Ok((Vec::new(), Vec::new())),
    };
    let (vertices, shape) = numbers("vertices", 0)?;
    let mut block = match given.get_item("kind")? {
        Some(kind) => {
            let kind: String = kind.extract()?;
            let size = shape.get(1).copied().unwrap_or(0);
            CellBlock::named(&kind, vertices, size).ok_or_else(|| {
                refused(
                    format!("cells of the kind {kind}"),
                    "give hexahedra, wedges and tetrahedra, and faces of them alone",
                )
            })?
        }
        None => CellBlock {
            types: numbers("types", 0)?.0,
            vertices,
            ends: numbers("ends", 0)?.0,
            face_stream: numbers("face_stream", 0)?.0,
            face_ends: numbers("face_ends", -1)?.0,
            ..CellBlock::default()
        },
    };
    if let Some(data) = given.get_item("data")? {
        block.arrays = cell_data(Some(data.cast()?), block.types.len())?;
    }
    if let Some(sets) = given.get_item("sets")? {
        for (name, cells) in sets.cast::<PyDict>()? {
            block.sets.push((name.extract()?, plain_ids(&cells, "a set of cells")?.0));
        }
    }
    Ok(block)
}

fn field((name, values): (Bound<'_, PyAny>, Bound<'_, PyAny>)) -> PyResult<Attribute> {
    let name: String = name.extract()?;
    let array = floats(&values, name.as_str())?;
    let width = array.shape().get(1).copied().unwrap_or(1);
    Ok(Attribute { width, values: slice(&array)?.to_vec(), name })
}

/// An array as it is, none of whose entries are masked.
#[pyfunction]
pub fn plain_array<'py>(
    value: &Bound<'py, PyAny>,
    what: &str,
) -> PyResult<Bound<'py, PyUntypedArray>> {
    any_array(value, what)
}

/// The solid of a mesh of another package, and what is left out.
#[pyfunction]
#[pyo3(name = "solid_of_parts")]
#[allow(clippy::too_many_arguments)]
pub fn solid(
    py: Python<'_>,
    what: &str,
    points: &Bound<'_, PyAny>,
    blocks: Vec<Bound<'_, PyDict>>,
    point_data: &Bound<'_, PyDict>,
    field_data: &Bound<'_, PyDict>,
    names: Vec<(String, i64, usize)>,
    crease_angle: Option<f64>,
) -> PyResult<(PySolid, Vec<String>)> {
    let points = self::points(points, "points")?;
    let blocks = blocks.iter().map(block).collect::<PyResult<Vec<_>>>()?;
    if !blocks.iter().any(CellBlock::has_volume) {
        return Err(refused(
            format!("a surface, not a {what} of volume cells"),
            "give its points and faces to subsolid.Surface: Surface(mesh.points, mesh.regular_faces) \
             of a pyvista.PolyData of triangles",
        ));
    }
    let name = |(name, number, dimension)| GroupName { name, number, dimension };
    let parts = MeshParts {
        attributes: attributes(Some(point_data), points.len(), false)?,
        fields: field_data.iter().map(field).collect::<PyResult<_>>()?,
        names: names.into_iter().map(name).collect(),
        points,
        blocks,
    };
    let (mut mesh, report) = py.work(|| solid_of_parts(what, parts)).py()?;
    if let Some(degrees) = crease_angle {
        crease_by_angle(&mut mesh, degrees).py()?;
    }
    Ok((PySolid::build_from(py, "", mesh)?, report.skipped))
}
