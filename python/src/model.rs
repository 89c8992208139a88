//! Control meshes from the arguments of Python.

use std::str::FromStr;

use numpy::PyUntypedArrayMethods;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use subsolid::IdKind;
use subsolid::mesh::{
    Attribute, CellKind, Cells, Controls, CreaseSource, Creases, Polygons, SolidMesh, WeldResult,
    are_faces,
};
use subsolid::numbers::counted;
use subsolid::topology::{InvertedCells, Topology};

use crate::arrays::{Role, by_name, floats, floats_warned, moved, plain_ids, rows, slice};
use crate::errors::{IntoPython, refused, warn};
use crate::threads::WithoutLock;

/// Warns of what joining vertices left out.
pub fn warn_of_welded(py: Python<'_>, welded: &WeldResult) -> PyResult<()> {
    welded.notices().iter().try_for_each(|message| warn(py, message))
}

/// Warns of left-handed and folded hexahedra, inverted cells of other kinds and vertices of no
/// cell; `of`: of what, with a colon.
pub fn warn_of_cells(
    py: Python<'_>,
    of: &str,
    mesh: &SolidMesh,
    topology: &Topology,
) -> PyResult<()> {
    let found = py.work(|| {
        let [left_handed, folded] = mesh.hexahedron_notices();
        [
            mesh.unused_vertices().notice(),
            left_handed,
            folded,
            InvertedCells::of(topology).notice(mesh.cells.len()),
        ]
    })?;
    found.into_iter().flatten().try_for_each(|notice| warn(py, &format!("{of}{notice}")))
}

/// Names of cell kinds, which are meshio's, with their corners.
const KINDS: [(&str, CellKind, usize); 3] = [
    ("hexahedron", CellKind::Hexahedron, 8),
    ("wedge", CellKind::Wedge, 6),
    ("tetra", CellKind::Tetrahedron, 4),
];

/// Points `[n][3]`.
pub fn points(value: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<[f64; 3]>> {
    let array = floats(value, Role::of(what, IdKind::Vertex))?;
    Ok(rows::<3>(&array, what)?.to_vec())
}

/// Cells: an array of hexahedra, wedges or tetrahedra, or a dictionary of such arrays by the
/// names of kinds, `"polyhedron"` for lists of faces. Cells are numbered in that order.
pub fn cells(value: &Bound<'_, PyAny>) -> PyResult<Cells> {
    let mut cells = Cells::default();
    let Ok(kinds) = value.cast::<PyDict>() else {
        push(&mut cells, value, None)?;
        return Ok(cells);
    };
    for (name, value) in kinds {
        let name: String = name.extract()?;
        match &*name {
            "polyhedron" => push_polyhedra(&mut cells, &value)?,
            _ => push(&mut cells, &value, Some(&name))?,
        }
    }
    Ok(cells)
}

fn push(cells: &mut Cells, value: &Bound<'_, PyAny>, name: Option<&str>) -> PyResult<()> {
    let (ids, shape) = plain_ids(value, "cells")?;
    let width = if shape.len() == 2 { shape[1] } else { 0 };
    let fits = |kind: &&(&str, CellKind, usize)| match name {
        Some(name) => kind.0 == name,
        None => kind.2 == width,
    };
    let Some(&(_, kind, corners)) = KINDS.iter().find(fits) else {
        return Err(refused(
            match name {
                Some(name) => format!("cells of the kind {name:?}"),
                None => format!("cells have the shape {shape:?}"),
            },
            "give an array of shape (n, 8) for hexahedra, (n, 6) for wedges or (n, 4) for \
             tetrahedra, or a dictionary of arrays by \"hexahedron\", \"wedge\", \"tetra\" and \
             \"polyhedron\"",
        ));
    };
    if width != corners {
        return Err(refused(
            format!("cells of the kind {:?} have the shape {shape:?}", name.unwrap_or_default()),
            &format!("give an array of shape (n, {corners})"),
        ));
    }
    if name.is_none() && corners == 4 && are_faces(ids.as_chunks().0) {
        return Err(refused(
            "cells (n, 4) would be tetrahedra, no two of which share a triangle: are they faces?",
            "give the faces of a surface to subsolid.Surface; for tetrahedra give {\"tetra\": cells}",
        ));
    }
    ids.chunks_exact(corners).for_each(|corners| cells.push(kind, corners));
    Ok(())
}

fn push_polyhedra(cells: &mut Cells, value: &Bound<'_, PyAny>) -> PyResult<()> {
    for (c, polyhedron) in value.try_iter()?.enumerate() {
        let mut faces = Vec::new();
        for face in polyhedron?.try_iter()? {
            faces.push(plain_ids(&face?, "a face of a polyhedron")?.0);
        }
        if faces.len() < 4 || faces.iter().any(|face| face.len() < 3) {
            return Err(refused(
                format!(
                    "polyhedron {c} has {}, or one of fewer than 3 vertices",
                    counted(faces.len(), "face")
                ),
                "give each polyhedron as a list of faces, each a list of vertices",
            ));
        }
        cells.push_polyhedron(faces.iter().map(Vec::as_slice));
    }
    Ok(())
}

/// The cells as an array of hexahedra, or a dictionary by kinds, the kind of the first cell first:
/// cells that are sorted by kind keep their numbers.
pub fn cells_of<'py>(py: Python<'py>, cells: &Cells) -> PyResult<Bound<'py, PyAny>> {
    let listed = |kind: CellKind| -> Vec<i64> {
        let own = (0..cells.len()).filter(|&c| cells.kind(c) == kind);
        own.flat_map(|c| cells.vertices(c)).map(|&v| i64::from(v)).collect()
    };
    if cells.all_hexahedra() {
        let ids = listed(CellKind::Hexahedron);
        return Ok(moved(py, ids, &[cells.len(), 8])?.into_any());
    }
    let mut kinds = Vec::new();
    for kind in (0..cells.len()).map(|c| cells.kind(c)) {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    let all = by_name(py)?;
    for kind in kinds {
        if let Some((name, _, corners)) = KINDS.into_iter().find(|known| known.1 == kind) {
            let ids = listed(kind);
            let count = ids.len() / corners;
            all.set_item(name, moved(py, ids, &[count, corners])?)?;
            continue;
        }
        let polyhedra = PyList::empty(py);
        for c in (0..cells.len()).filter(|&c| cells.kind(c) == kind) {
            let mut faces: Vec<Vec<u32>> = Vec::new();
            cells.for_each_face(c, |face| faces.push(face.to_vec()));
            polyhedra.append(faces)?;
        }
        all.set_item("polyhedron", polyhedra)?;
    }
    Ok(all.into_any())
}

/// Attributes by name, each `(count,)` or `(count, width)`.
pub fn attributes(
    value: Option<&Bound<'_, PyDict>>,
    count: usize,
    warn: bool,
) -> PyResult<Vec<Attribute>> {
    values_of(value, "attribute", IdKind::Vertex, count, warn)
}

/// Values by name, each `(count,)` or `(count, width)`: `what` they are, and of which elements.
pub fn values_of(
    value: Option<&Bound<'_, PyDict>>,
    what: &str,
    element: IdKind,
    count: usize,
    warn: bool,
) -> PyResult<Vec<Attribute>> {
    let mut all = Vec::new();
    for (name, values) in value.into_iter().flatten() {
        let name: String = name.extract()?;
        let called = format!("the {what} {name:?}");
        let array = floats_warned(&values, Role::of(&called, element), warn)?;
        let shape = array.shape();
        let width = shape.get(1).copied().unwrap_or(1);
        if shape.is_empty() || shape.len() > 2 || shape[0] != count || width == 0 {
            return Err(refused(
                format!("{called} has the shape {shape:?} for {}", counted(count, element.name())),
                &format!("give an array of shape ({count},) or ({count}, width)"),
            ));
        }
        all.push(Attribute { name, width, values: slice(&array)?.to_vec() });
    }
    Ok(all)
}

/// Attributes as a dictionary of copies.
pub fn attributes_of<'py>(
    py: Python<'py>,
    attributes: &[Attribute],
) -> PyResult<Bound<'py, PyDict>> {
    let all = by_name(py)?;
    for Attribute { name, width, values } in attributes {
        let rows = values.len() / (*width).max(1);
        let shape = if *width == 1 { vec![rows] } else { vec![rows, *width] };
        all.set_item(name, moved(py, values.clone(), &shape)?)?;
    }
    Ok(all)
}

/// Creases `(edges (n, 2), sharpness)` and corners `(vertices (n,), sharpness)`.
pub fn creases(
    edges: Option<&Bound<'_, PyAny>>,
    corners: Option<&Bound<'_, PyAny>>,
) -> PyResult<Creases> {
    let mut creases = Creases::default();
    if let Some(value) = edges {
        let (ids, shape, sharpness) =
            tagged(value, "creases", "(edges of shape (n, 2), sharpness)")?;
        if ids.is_empty() {
        } else if shape.len() != 2 || shape[1] != 2 {
            return Err(refused(
                format!("the edges of creases have the shape {shape:?}"),
                "give an array of shape (n, 2): the end vertices of each edge",
            ));
        }
        for (pair, sharpness) in ids.as_chunks::<2>().0.iter().zip(sharpness(ids.len() / 2)?) {
            creases.push_edge(pair[0], pair[1], sharpness);
        }
    }
    if let Some(value) = corners {
        let (ids, _, sharpness) = tagged(value, "corners", "(vertices of shape (n,), sharpness)")?;
        for (&vertex, sharpness) in ids.iter().zip(sharpness(ids.len())?) {
            creases.push_corner(vertex, sharpness);
        }
    }
    Ok(creases)
}

/// Features that become creases: `NAME` or `NAME=SHARPNESS`, or a sequence of these.
pub fn crease_sources(value: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<CreaseSource>> {
    parsed(value, "creases_from", "give a name, or a list of names: \"Ridges=2\"")
}

/// What a text means, or each of a sequence of texts; nothing for none.
pub fn parsed<T: FromStr<Err = subsolid::Error>>(
    value: Option<&Bound<'_, PyAny>>,
    what: &str,
    help: &str,
) -> PyResult<Vec<T>> {
    let Some(value) = value else { return Ok(Vec::new()) };
    let texts = value.extract().map(|text: String| vec![text]).or_else(|_| value.extract());
    let texts: Vec<String> = texts.map_err(|_| refused(format!("{what} of another form"), help))?;
    texts.iter().map(|text| text.parse::<T>().py()).collect()
}

type Tagged<'a> = (Vec<u32>, Vec<usize>, Box<dyn Fn(usize) -> PyResult<Vec<f64>> + 'a>);

/// Elements with a sharpness each, or one for all.
fn tagged<'a>(value: &'a Bound<'_, PyAny>, what: &'a str, form: &'a str) -> PyResult<Tagged<'a>> {
    let pair = value.cast::<PyTuple>().ok().filter(|pair| pair.len() == 2);
    let wrong = || refused(format!("{what} of another form"), &format!("give a pair {form}"));
    let pair = pair.ok_or_else(wrong)?;
    let (ids, shape) = plain_ids(&pair.get_item(0)?, what)?;
    let values = pair.get_item(1)?;
    let sharpness = move |count: usize| -> PyResult<Vec<f64>> {
        let array = floats(&values, "a sharpness")?;
        let numbers = slice(&array)?.to_vec();
        if array.shape().is_empty() {
            return Ok(vec![numbers[0]; count]);
        }
        if numbers.len() != count {
            return Err(refused(
                format!("{} sharpnesses for {count} {what}", numbers.len()),
                "give one for each, or one for all",
            ));
        }
        Ok(numbers)
    };
    Ok((ids, shape, Box::new(sharpness)))
}

/// Creases and corners as pairs of arrays.
pub fn creases_of<'py>(py: Python<'py>, creases: &Creases) -> PyResult<[Bound<'py, PyTuple>; 2]> {
    let edges: Vec<i64> =
        creases.edges.iter().flat_map(|c| c.edge().map(|v| i64::from(v.0))).collect();
    let count = creases.edges.len();
    let sharpness = creases.edges.iter().map(|c| c.sharpness).collect();
    let edges = (moved(py, edges, &[count, 2])?, moved(py, sharpness, &[count])?);
    let count = creases.corners.len();
    let vertices: Vec<i64> = creases.corners.iter().map(|c| i64::from(c.vertex.0)).collect();
    let sharpness = creases.corners.iter().map(|c| c.sharpness).collect();
    let corners = (moved(py, vertices, &[count])?, moved(py, sharpness, &[count])?);
    Ok([edges.into_pyobject(py)?, corners.into_pyobject(py)?])
}

/// Faces: an array (n, corners), or a list of lists of vertices.
pub fn polygons(value: &Bound<'_, PyAny>) -> PyResult<Polygons> {
    let is_list = value.cast::<PyList>().is_ok() || value.cast::<PyTuple>().is_ok();
    if is_list {
        let mut faces = Polygons::default();
        for face in value.try_iter()? {
            faces.push(&plain_ids(&face?, "a face")?.0);
        }
        return Ok(faces);
    }
    let (ids, shape) = plain_ids(value, "faces")?;
    if shape.len() != 2 {
        return Err(refused(
            format!("faces have the shape {shape:?}"),
            "give an array of shape (n, corners), or a list of lists of vertices",
        ));
    }
    Ok(Polygons::uniform(shape[1], ids))
}

/// Ids at the corners of faces, as an array (n, corners) or, of several sizes, a list of lists.
pub fn faces_of<'py>(
    py: Python<'py>,
    faces: &Polygons,
    ids: &[u32],
) -> PyResult<Bound<'py, PyAny>> {
    match faces.uniform_size() {
        Some(size) => {
            let ids = ids.iter().map(|&id| i64::from(id)).collect();
            Ok(moved(py, ids, &[faces.len(), size])?.into_any())
        }
        None => {
            let lists = (0..faces.len()).map(|f| ids[faces.corners(f)].to_vec());
            Ok(PyList::new(py, lists.collect::<Vec<_>>())?.into_any())
        }
    }
}

/// Control points of a call: those given, or those of the mesh.
pub struct Moved<'py> {
    points: Option<numpy::PyReadonlyArrayDyn<'py, f64>>,
    attributes: Option<Vec<Attribute>>,
}

impl<'py> Moved<'py> {
    pub fn new(
        points: Option<&Bound<'py, PyAny>>,
        attributes_given: Option<&Bound<'py, PyDict>>,
        count: usize,
    ) -> PyResult<Self> {
        let points = points
            .map(|p| floats_warned(p, Role::of("points", IdKind::Vertex), true))
            .transpose()?;
        if let Some(points) = &points {
            let given = rows::<3>(points, "points")?.len();
            if given != count {
                return Err(refused(
                    format!("{} for {}", counted(given, "point"), counted(count, "vertex")),
                    "give one for each vertex of the control mesh, in their order",
                ));
            }
        }
        let attributes =
            attributes_given.map(|given| attributes(Some(given), count, true)).transpose()?;
        Ok(Self { points, attributes })
    }

    /// Positions, if some are given.
    pub fn points(&self) -> PyResult<Option<&[[f64; 3]]>> {
        self.points.as_ref().map(|points| rows::<3>(points, "points")).transpose()
    }

    pub fn controls<'a>(&'a self, own: Controls<'a>) -> PyResult<Controls<'a>> {
        Ok(Controls {
            positions: match &self.points {
                Some(points) => rows::<3>(points, "points")?,
                None => own.positions,
            },
            attributes: self.attributes.as_deref().unwrap_or(own.attributes),
        })
    }
}
