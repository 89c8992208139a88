//! Rules and texture coordinates of surfaces, as Python sees them.

use pyo3::prelude::*;

use crate::arrays::{dictionary, moved};
use crate::model::faces_of;
use crate::rules::set_rules;
use crate::surface::PySurface;

#[pymethods]
impl PySurface {
    /// The same surface by other rules; those that are None stay.
    ///
    /// Args:
    ///     crease_rule: How sharpness passes on, "uniform" or "chaikin".
    ///     boundary: Where the surface ends, "edges", "corners" or "holes".
    ///     triangles: How Catmull-Clark refines edges of triangles, "uniform" or "smooth".
    ///     uv_boundary: Where texture coordinates are linear: "none", "corners-only",
    ///         "corners-plus1", "corners-plus2", "boundaries" or "all".
    ///
    /// Raises:
    ///     Error: For another name, and for uv_boundary of a surface without texture coordinates.
    ///
    /// Returns:
    ///     A surface.
    ///
    /// Example:
    ///     >>> faces = subsolid.shape("box", 2, 2, 2).boundary()
    ///     >>> faces.with_rules(crease_rule="chaikin").crease_rule
    ///     'chaikin'
    #[pyo3(signature = (*, crease_rule=None, boundary=None, triangles=None, uv_boundary=None))]
    fn with_rules(
        &self,
        crease_rule: Option<&str>,
        boundary: Option<&str>,
        triangles: Option<&str>,
        uv_boundary: Option<&str>,
    ) -> PyResult<Self> {
        let mut mesh = self.mesh.clone();
        set_rules(&mut mesh, [crease_rule, boundary, triangles], uv_boundary)?;
        Ok(Self { mesh })
    }

    /// How sharpness passes on: "uniform" or "chaikin".
    #[getter]
    fn crease_rule<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        dictionary(py, &self.mesh.crease_rule)
    }

    /// Rule where the surface ends: "edges", "corners" or "holes".
    #[getter]
    fn boundary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        dictionary(py, &self.mesh.boundary)
    }

    /// How Catmull-Clark refines edges of triangles: "uniform" or "smooth".
    #[getter]
    fn triangles<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        dictionary(py, &self.mesh.triangle_rule)
    }

    /// Texture coordinates: values, (n, 2), and their ids at the corners of the faces, shaped as
    /// faces; copies. None if there are none.
    #[getter]
    fn uv<'py>(&self, py: Python<'py>) -> PyResult<Option<(Bound<'py, PyAny>, Bound<'py, PyAny>)>> {
        let Some(uv) = &self.mesh.uv else { return Ok(None) };
        let values = uv.values.as_flattened().to_vec();
        let values = moved(py, values, &[uv.values.len(), 2])?.into_any();
        Ok(Some((values, faces_of(py, &self.mesh.faces, &uv.corners)?)))
    }

    /// Where texture coordinates are linear: "none", "corners-only", "corners-plus1",
    /// "corners-plus2", "boundaries" or "all"; None if there are none.
    #[getter]
    fn uv_boundary<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.mesh.uv.as_ref().map(|uv| dictionary(py, &uv.linear)).transpose()
    }
}
