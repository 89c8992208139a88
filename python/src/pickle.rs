//! Solids and surfaces as pickles: their control meshes as arrays, which pickle without copies of
//! their own. The analysis of a solid is not in the pickle; it is repeated on loading.
//!
//! Nothing else pickles. An error says what to pickle instead.

use numpy::Element;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use subsolid::SurfaceMesh;
use subsolid::mesh::{CellKind, Cells, FaceVarying, LinearInterpolation, Polygons, SolidMesh};

use crate::arrays::{dictionary, floats, moved, plain_ids, slice};
use crate::backend::{PyDeviceArray, PyDeviceLimit};
use crate::cells::Coarse;
use crate::errors::{IntoPython, refused};
use crate::limit::PyLimit;
use crate::locate::PyLocator;
use crate::model::{attributes, attributes_of, creases, creases_of, points};
use crate::plan::{PyPieces, PyPlan};
use crate::quadrature::{PyBatches, PyQuadrature};
use crate::request::named;
use crate::slice::PySlices;
use crate::solid::{PySolid, cell_data, cell_data_of};
use crate::surface::PySurface;

/// Of what a pickle has. Another number is of a version of this package that has something else.
const FORM: u32 = 1;

/// Kinds of cells in the order of their numbers in pickles.
const KINDS: [CellKind; 4] =
    [CellKind::Hexahedron, CellKind::Wedge, CellKind::Tetrahedron, CellKind::Polyhedron];

fn damaged(what: &str) -> PyErr {
    refused(format!("a pickle with {what}"), "write it again")
}

/// What a pickle has under a name.
fn item<'py>(state: &Bound<'py, PyDict>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    state.get_item(name)?.ok_or_else(|| damaged(&format!("no {name:?}")))
}

/// Refuses the pickles of other versions.
fn check_form(state: &Bound<'_, PyDict>) -> PyResult<()> {
    match item(state, "form")?.extract() {
        Ok(FORM) => Ok(()),
        _ => Err(refused(
            format!("a pickle of form {}, not {FORM}", item(state, "form")?),
            "load it with the version of subsolid that wrote it",
        )),
    }
}

fn array<'py, T: Element>(py: Python<'py>, numbers: Vec<T>) -> PyResult<Bound<'py, PyAny>> {
    let count = numbers.len();
    Ok(moved(py, numbers, &[count])?.into_any())
}

fn points_state<'py>(py: Python<'py>, points: &[[f64; 3]]) -> PyResult<Bound<'py, PyAny>> {
    Ok(moved(py, points.as_flattened().to_vec(), &[points.len(), 3])?.into_any())
}

/// Polygons as numbers of corners and the corners.
fn polygons_state<'py>(py: Python<'py>, faces: &Polygons) -> PyResult<Bound<'py, PyTuple>> {
    let sizes = faces.iter().map(|face| face.len() as u32).collect();
    (array(py, sizes)?, array(py, faces.vertices().to_vec())?).into_pyobject(py)
}

fn polygons_from(state: &Bound<'_, PyAny>) -> PyResult<Polygons> {
    let (sizes, vertices): (Bound<'_, PyAny>, Bound<'_, PyAny>) = state.extract()?;
    let (sizes, vertices) = (plain_ids(&sizes, "sizes")?.0, plain_ids(&vertices, "faces")?.0);
    let (mut faces, mut rest) = (Polygons::default(), &vertices[..]);
    for size in sizes {
        let cut = rest.split_at_checked(size as usize);
        let (face, others) = cut.ok_or_else(|| damaged("fewer corners than its faces have"))?;
        faces.push(face);
        rest = others;
    }
    match rest {
        [] => Ok(faces),
        _ => Err(damaged("more corners than its faces have")),
    }
}

/// Cells in their order: kinds, the corners of all but polyhedra, the numbers of faces of these and
/// their faces.
fn cells_state<'py>(py: Python<'py>, cells: &Cells) -> PyResult<Bound<'py, PyTuple>> {
    let (mut kinds, mut corners) = (Vec::with_capacity(cells.len()), Vec::new());
    let (mut counts, mut faces) = (Vec::new(), Polygons::default());
    for c in 0..cells.len() {
        let kind = cells.kind(c);
        kinds.push(KINDS.iter().position(|&known| known == kind).unwrap_or_default() as u8);
        if kind == CellKind::Polyhedron {
            let before = faces.len();
            cells.for_each_face(c, |face| faces.push(face));
            counts.push((faces.len() - before) as u32);
        } else {
            corners.extend_from_slice(cells.vertices(c));
        }
    }
    (array(py, kinds)?, array(py, corners)?, array(py, counts)?, polygons_state(py, &faces)?)
        .into_pyobject(py)
}

fn cells_from(state: &Bound<'_, PyAny>) -> PyResult<Cells> {
    type Parts<'py> = [Bound<'py, PyAny>; 4];
    let [kinds, corners, counts, faces]: Parts<'_> = state.extract()?;
    let kinds = plain_ids(&kinds, "kinds")?.0;
    let corners = plain_ids(&corners, "cells")?.0;
    let counts = plain_ids(&counts, "counts")?.0;
    let faces = polygons_from(&faces)?;
    let (mut cells, mut rest) = (Cells::default(), &corners[..]);
    let (mut counts, mut next) = (counts.into_iter(), 0);
    for kind in kinds {
        let kind = *KINDS.get(kind as usize).ok_or_else(|| damaged("a cell of unknown kind"))?;
        let size = match kind {
            CellKind::Hexahedron => 8,
            CellKind::Wedge => 6,
            CellKind::Tetrahedron => 4,
            CellKind::Polyhedron => {
                let count = counts.next().ok_or_else(|| damaged("a polyhedron without faces"))?;
                let own = next..next + count as usize;
                if own.end > faces.len() || count < 4 {
                    return Err(damaged("a polyhedron that lacks faces"));
                }
                next = own.end;
                cells.push_polyhedron(own.map(|face| faces.face(face)));
                continue;
            }
        };
        let cut = rest.split_at_checked(size);
        let (own, others) = cut.ok_or_else(|| damaged("fewer corners than its cells have"))?;
        cells.push(kind, own);
        rest = others;
    }
    if !rest.is_empty() || next != faces.len() || counts.next().is_some() {
        return Err(damaged("more corners or faces than its cells have"));
    }
    Ok(cells)
}

/// The function that makes objects of a class of their state, and the state.
fn reduced<'py>(state: Bound<'py, PyDict>, class: &str) -> PyResult<Bound<'py, PyTuple>> {
    let py = state.py();
    state.set_item("form", FORM)?;
    let restore = py.import("subsolid._pickle")?.getattr(class)?;
    (restore, (state,)).into_pyobject(py)
}

#[pymethods]
impl PySolid {
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let mesh = &self.shared.mesh;
        let state = PyDict::new(py);
        state.set_item("points", points_state(py, &mesh.points)?)?;
        state.set_item("cells", cells_state(py, &mesh.cells)?)?;
        let [edges, corners] = creases_of(py, &mesh.creases)?;
        state.set_item("creases", edges)?;
        state.set_item("corners", corners)?;
        state.set_item("attributes", attributes_of(py, &mesh.attributes)?)?;
        state.set_item("cell_data", cell_data_of(py, &mesh.cell_data)?)?;
        let groups = PyDict::new(py);
        for group in &mesh.face_groups {
            groups.set_item(&group.name, polygons_state(py, &group.faces)?)?;
        }
        state.set_item("face_groups", groups)?;
        state.set_item("is_fitted", mesh.is_fitted)?;
        state.set_item("periods", mesh.periods.clone())?;
        if let Some(Coarse { sha256, levels }) = &self.shared.refined_from {
            state.set_item("refined_from", (sha256, levels))?;
        }
        reduced(state, "solid")
    }

    /// The solid of a pickle.
    #[staticmethod]
    fn _restore(py: Python<'_>, state: &Bound<'_, PyDict>) -> PyResult<Self> {
        check_form(state)?;
        let mut mesh = SolidMesh {
            points: points(&item(state, "points")?, "points")?,
            cells: cells_from(&item(state, "cells")?)?,
            creases: creases(Some(&item(state, "creases")?), Some(&item(state, "corners")?))?,
            ..SolidMesh::default()
        };
        if let Some(is_fitted) = state.get_item("is_fitted")? {
            mesh.is_fitted = is_fitted.extract()?;
        }
        if let Some(periods) = state.get_item("periods")? {
            mesh.periods = periods.extract()?;
        }
        let own = item(state, "attributes")?;
        mesh.attributes = attributes(Some(own.cast()?), mesh.points.len(), false)?;
        mesh.cell_data = cell_data(Some(item(state, "cell_data")?.cast()?), mesh.cells.len())?;
        for (name, faces) in item(state, "face_groups")?.cast::<PyDict>()? {
            let name: String = name.extract()?;
            mesh.face_groups.push(subsolid::mesh::FaceGroup::new(name, polygons_from(&faces)?));
        }
        let refined_from = match state.get_item("refined_from")? {
            None => None,
            Some(coarse) => {
                let (sha256, levels) = coarse.extract()?;
                Some(Coarse { sha256, levels })
            }
        };
        Self::build_refined(py, mesh, refined_from)
    }

    // a solid does not change: a copy of it is the solid
    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf
    }
}

#[pymethods]
impl PySurface {
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let mesh = &self.mesh;
        let state = PyDict::new(py);
        state.set_item("points", points_state(py, &mesh.points)?)?;
        state.set_item("faces", polygons_state(py, &mesh.faces)?)?;
        let [edges, corners] = creases_of(py, &mesh.creases)?;
        state.set_item("creases", edges)?;
        state.set_item("corners", corners)?;
        state.set_item("attributes", attributes_of(py, &mesh.attributes)?)?;
        state.set_item("holes", array(py, mesh.holes.clone())?)?;
        state.set_item("crease_rule", dictionary(py, &mesh.crease_rule)?)?;
        state.set_item("boundary", dictionary(py, &mesh.boundary)?)?;
        state.set_item("triangles", dictionary(py, &mesh.triangle_rule)?)?;
        let uv = match &mesh.uv {
            None => None,
            Some(uv) => {
                let linear = LinearInterpolation::ALL.iter().position(|&rule| rule == uv.linear);
                let values = array(py, uv.values.as_flattened().to_vec())?;
                Some((values, array(py, uv.corners.clone())?, linear.unwrap_or_default()))
            }
        };
        state.set_item("uv", uv)?;
        state.set_item("faceted", mesh.faceted)?;
        reduced(state, "surface")
    }

    /// The surface of a pickle.
    #[staticmethod]
    fn _restore(state: &Bound<'_, PyDict>) -> PyResult<Self> {
        check_form(state)?;
        let name = |option: &str| item(state, option)?.extract::<String>();
        let mut mesh = SurfaceMesh::new(
            points(&item(state, "points")?, "points")?,
            polygons_from(&item(state, "faces")?)?,
        );
        let [edges, corners] = [item(state, "creases")?, item(state, "corners")?];
        mesh.creases = creases(Some(&edges), Some(&corners))?;
        let own = item(state, "attributes")?;
        mesh.attributes = attributes(Some(own.cast()?), mesh.points.len(), false)?;
        mesh.holes = plain_ids(&item(state, "holes")?, "holes")?.0;
        mesh.crease_rule = named("crease_rule", &name("crease_rule")?)?;
        mesh.boundary = named("boundary", &name("boundary")?)?;
        mesh.triangle_rule = named("triangles", &name("triangles")?)?;
        let uv = item(state, "uv")?;
        if !uv.is_none() {
            let (values, corners, linear): (Bound<'_, PyAny>, Bound<'_, PyAny>, usize) =
                uv.extract()?;
            let values = floats(&values, "uv")?;
            mesh.uv = Some(FaceVarying {
                values: slice(&values)?.as_chunks().0.to_vec(),
                corners: plain_ids(&corners, "uv")?.0,
                linear: *LinearInterpolation::ALL
                    .get(linear)
                    .ok_or_else(|| damaged("an unknown rule of uv"))?,
            });
        }
        // of earlier versions none was
        mesh.faceted = state.get_item("faceted")?.map_or(Ok(false), |own| own.extract())?;
        mesh.check().py()?;
        Ok(Self { mesh })
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf
    }
}

/// Gives classes an error that says what to pickle instead.
macro_rules! no_pickle {
    ($($class:ident: $instead:literal,)*) => {$(
        #[pymethods]
        impl $class {
            fn __reduce__(slf: &Bound<'_, Self>) -> PyResult<()> {
                let name = slf.get_type().name()?;
                Err(PyTypeError::new_err(format!("a {name} does not pickle: {}", $instead)))
            }
        }
    )*};
}

no_pickle! {
    PyPlan: "pickle its solid and plan again",
    PyPieces: "pickle the solid and plan again",
    PyLimit: "pickle its arrays",
    PyLocator: "pickle the solid and make the locator again",
    PySlices: "pickle its layers, or the solid or surface and slice again",
    PyQuadrature: "pickle the solid and make the quadrature again",
    PyBatches: "pickle its batches, or the solid and make the quadrature again",
    PyDeviceArray: "pickle its copy on the host, of its method numpy()",
    PyDeviceLimit: "pickle copies of its arrays on the host, of their method numpy()",
}
