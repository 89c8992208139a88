//! Pages for browsers, and what they show first as glTF.

use std::path::PathBuf;
use std::time::Instant;

use pyo3::prelude::*;
use subsolid::jobs::surface_file::GlbRequest;
use subsolid::jobs::view::{ViewMesh, ViewModel, ViewRequest};
use subsolid::surface::Scheme;
use subsolid::view::Page;

use crate::cells::Analyzed;
use crate::count;
use crate::errors::IntoPython;
use crate::notes::PythonNotes;
use crate::request::named;
use crate::solid::PySolid;
use crate::surface::PySurface;
use crate::threads::WithoutLock;

/// A request with the options that have names.
fn with_names(
    request: ViewRequest,
    color_map: &str,
    unit: Option<&str>,
    up: &str,
) -> PyResult<ViewRequest> {
    let unit = unit.map(|unit| named("unit", unit)).transpose()?;
    let glb = GlbRequest { unit, up: Some(named("up", up)?) };
    Ok(ViewRequest { color_map: named("color_map", color_map)?, glb, ..request })
}

fn shown_solid<'m>(shared: &'m Analyzed, request: &ViewRequest) -> ViewModel<'m> {
    let fingerprint = request.compares_layers().then(|| shared.coarse().sha256);
    let model = ViewMesh::Solid { mesh: &shared.mesh, solid: Some(&shared.solid), fingerprint };
    ViewModel { model, title: "Solid", start: Instant::now() }
}

fn shown_surface(surface: &PySurface) -> ViewModel<'_> {
    let model = ViewMesh::Surface(&surface.mesh);
    ViewModel { model, title: "Surface", start: Instant::now() }
}

/// Writes a file, or opens a page in a browser.
fn view<'m>(
    py: Python<'_>,
    request: &ViewRequest,
    shown: impl FnOnce() -> ViewModel<'m> + Send,
    path: Option<PathBuf>,
) -> PyResult<()> {
    let Some(path) = path else {
        let html = to_html(py, request, shown)?;
        return py.import("subsolid._html")?.call_method1("show", (html,)).map(drop);
    };
    PythonNotes::hear(py, |notes| request.run(&shown(), &path, notes)).map(drop)
}

/// A page as text.
fn to_html<'m>(
    py: Python<'_>,
    request: &ViewRequest,
    shown: impl FnOnce() -> ViewModel<'m> + Send,
) -> PyResult<String> {
    let page: Page = PythonNotes::hear(py, |notes| request.page(&shown(), notes))?;
    py.work(|| page.to_html()).py()
}

#[pymethods]
impl PySolid {
    /// The page that view shows, as text: one HTML file that needs no network.
    ///
    /// Args:
    ///     color: Name of the array that is shown first, with the component of one of several ("v [1]"),
    ///         or "class", "scaled Jacobian", "layer of cells" or "number of cell"; None for the class
    ///         of the cells, or the scaled Jacobian where one is below 0.
    ///     title: Title of the page; "Solid" if None.
    ///     interior: Whether cuts show the inside; the page is smaller without.
    ///     samples: Samples along each axis of a cell at which Jacobians are evaluated, 2 to 64.
    ///     rings: Maximum number of rings of exact patches toward extraordinary vertices of the
    ///         boundary, 0 to 8; None for 8. Fewer are used where the rest is close to the limit.
    ///     interior_rings: Maximum number of rings of exact pieces toward extraordinary edges and
    ///         vertices inside, 0 to 8; None for 2. Fewer are used in large models.
    ///     linear: Shows the cells as they are, not their limit.
    ///     color_map: Color map that is shown first: "viridis", "cividis" or "turbo".
    ///     unit: Length unit that the page names: "um", "mm", "cm", "m", "in" or "ft"; None for none.
    ///     up: Axis that points upward, "y" or "z".
    ///     slices: Folder of layers that `subsolid slice --png` wrote, to show beside the solid. A
    ///         UserWarning says if they are of another model.
    ///
    /// Raises:
    ///     Error: If there is no array of that name, the inside is too large for a page, or an option
    ///         has no effect.
    ///
    /// Returns:
    ///     The page.
    ///
    /// Example:
    ///     >>> box = subsolid.shape("box", 2, 2, 2)
    ///     >>> box.page(interior=False)[:9].lower()
    ///     '<!doctype'
    #[pyo3(signature = (*, color=None, title=None, interior=true, samples=5, rings=None, interior_rings=None,
                        linear=false, color_map="viridis", unit=None, up="z", slices=None))]
    #[allow(clippy::too_many_arguments)]
    fn page(
        &self,
        py: Python<'_>,
        color: Option<String>,
        title: Option<String>,
        interior: bool,
        #[pyo3(from_py_with = count::samples)] samples: usize,
        #[pyo3(from_py_with = count::rings)] rings: Option<usize>,
        #[pyo3(from_py_with = count::interior_rings)] interior_rings: Option<usize>,
        linear: bool,
        color_map: &str,
        unit: Option<&str>,
        up: &str,
        slices: Option<PathBuf>,
    ) -> PyResult<String> {
        let request = ViewRequest {
            color,
            title,
            no_interior: !interior,
            samples: Some(samples),
            rings,
            interior_rings,
            linear,
            slices,
            ..ViewRequest::default()
        };
        let request = with_names(request, color_map, unit, up)?;
        to_html(py, &request, || shown_solid(&self.shared, &request))
    }

    /// Shows the limit in a browser, or writes the file that does.
    ///
    /// Args:
    ///     path: Name of a file to write: .html for the page, .glb (glTF) for the boundary alone, in
    ///         the colors that the page shows first. None opens a browser.
    ///     color: Name of the array that is shown first, with the component of one of several ("v [1]"),
    ///         or "class", "scaled Jacobian", "layer of cells" or "number of cell"; None for the class
    ///         of the cells, or the scaled Jacobian where one is below 0.
    ///     samples: Samples along each axis of a cell at which Jacobians are evaluated, 2 to 64.
    ///     linear: Shows the cells as they are, not their limit.
    ///     color_map: Color map that is shown first: "viridis", "cividis" or "turbo".
    ///     up: Axis that points upward, "y" or "z".
    ///     title: Title of the page; "Solid" if None. Not for .glb.
    ///     interior: Whether cuts show the inside; the page is smaller without. Not for .glb.
    ///     rings: Maximum number of rings of exact patches toward extraordinary vertices of the
    ///         boundary, 0 to 8; None for 8. Fewer are used where the rest is close to the limit.
    ///         Not for .glb.
    ///     interior_rings: Maximum number of rings of exact pieces toward extraordinary edges and
    ///         vertices inside, 0 to 8; None for 2. Fewer are used in large models. Not for .glb.
    ///     slices: Folder of layers that `subsolid slice --png` wrote, to show beside the solid. A
    ///         UserWarning says if they are of another model. Not for .glb.
    ///     unit: Length unit that the page names: "um", "mm", "cm", "m", "in" or "ft"; None for none. A
    ///         .glb is in meters: None says that the model is.
    ///     fineness: Samples along each edge of a face in a .glb, 2 to 32; None for 9.
    ///
    /// Raises:
    ///     Error: If there is no array of that name, the inside is too large for a page, an option has
    ///         no effect, or the file cannot be written. It appears under its name when it is complete.
    ///
    /// Example:
    ///     >>> box = subsolid.shape("box", 2, 2, 2)
    ///     >>> box.view("box.html")
    #[pyo3(signature = (path=None, *, color=None, title=None, interior=true, samples=5, rings=None,
                        interior_rings=None, linear=false, color_map="viridis", unit=None, up="z",
                        slices=None, fineness=None))]
    #[allow(clippy::too_many_arguments)]
    fn view(
        &self,
        py: Python<'_>,
        path: Option<PathBuf>,
        color: Option<String>,
        title: Option<String>,
        interior: bool,
        #[pyo3(from_py_with = count::samples)] samples: usize,
        #[pyo3(from_py_with = count::rings)] rings: Option<usize>,
        #[pyo3(from_py_with = count::interior_rings)] interior_rings: Option<usize>,
        linear: bool,
        color_map: &str,
        unit: Option<&str>,
        up: &str,
        slices: Option<PathBuf>,
        #[pyo3(from_py_with = count::fineness)] fineness: Option<usize>,
    ) -> PyResult<()> {
        let request = ViewRequest {
            color,
            title,
            no_interior: !interior,
            samples: Some(samples),
            rings,
            interior_rings,
            linear,
            slices,
            fineness,
            ..ViewRequest::default()
        };
        let request = with_names(request, color_map, unit, up)?;
        view(py, &request, || shown_solid(&self.shared, &request), path)
    }

    /// A table and, of small solids, a picture and the page of view for notebooks.
    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("subsolid._html")?.call_method1("table", (slf,))
    }
}

#[pymethods]
impl PySurface {
    /// The page that view shows, as text: one HTML file that needs no network.
    ///
    /// Args:
    ///     color: Name of the array that is shown first, with the component of one of several ("v [1]"),
    ///         or "class", "number of face" or "one color"; None for the first array of polygons, and one
    ///         color of other surfaces.
    ///     title: Title of the page; "Surface" if None.
    ///     scheme: "catmull-clark", "loop", "sqrt3" or "bilinear" (also "linear"); None for
    ///         "catmull-clark", whose limit is shown, and none of a surface that was read from an
    ///         .stl, whose triangles are shown as they are. By the others the surface is refined; Loop and
    ///         √3 cut polygons into triangles first, with a UserWarning.
    ///     levels: Number of these refinements; None for 2.
    ///     rings: Maximum number of rings of exact patches toward extraordinary vertices, 0 to 8;
    ///         None for 8. Fewer are used where the rest is close to the limit.
    ///     linear: Shows the polygons as they are, by no scheme.
    ///     color_map: Color map that is shown first: "viridis", "cividis" or "turbo".
    ///     unit: Length unit that the page names: "um", "mm", "cm", "m", "in" or "ft"; None for none.
    ///     up: Axis that points upward, "y" or "z".
    ///     slices: Folder of layers that `subsolid slice --png` wrote, to show beside the surface. A
    ///         UserWarning says if they are of another model.
    ///
    /// Raises:
    ///     Error: If there is no array of that name, or an option has no effect.
    ///
    /// Returns:
    ///     The page.
    ///
    /// Example:
    ///     >>> faces = subsolid.shape("box", 2, 2, 2).boundary()
    ///     >>> faces.page()[:9].lower()
    ///     '<!doctype'
    #[pyo3(signature = (*, color=None, title=None, scheme=None, levels=None, rings=None, linear=false,
                        color_map="viridis", unit=None, up="z", slices=None))]
    #[allow(clippy::too_many_arguments)]
    fn page(
        &self,
        py: Python<'_>,
        color: Option<String>,
        title: Option<String>,
        scheme: Option<&str>,
        #[pyo3(from_py_with = count::levels)] levels: Option<usize>,
        #[pyo3(from_py_with = count::rings)] rings: Option<usize>,
        linear: bool,
        color_map: &str,
        unit: Option<&str>,
        up: &str,
        slices: Option<PathBuf>,
    ) -> PyResult<String> {
        let scheme = scheme.map(Scheme::named).transpose().py()?;
        let request = ViewRequest {
            color,
            title,
            scheme,
            levels,
            rings,
            linear,
            slices,
            ..ViewRequest::default()
        };
        to_html(py, &with_names(request, color_map, unit, up)?, || shown_surface(self))
    }

    /// Shows the limit in a browser, or writes the file that does.
    ///
    /// Args:
    ///     path: Name of a file to write: .html for the page, .glb (glTF) for the surface in the colors
    ///         that the page shows first. None opens a browser.
    ///     color: Name of the array that is shown first, with the component of one of several ("v [1]"),
    ///         or "class", "number of face" or "one color"; None for the first array of polygons, and one
    ///         color of other surfaces.
    ///     scheme: "catmull-clark", "loop", "sqrt3" or "bilinear" (also "linear"); None for
    ///         "catmull-clark", whose limit is shown, and none of a surface that was read from an
    ///         .stl, whose triangles are shown as they are. By the others the surface is refined; Loop and
    ///         √3 cut polygons into triangles first, with a UserWarning.
    ///     levels: Number of these refinements; None for 2.
    ///     linear: Shows the polygons as they are, by no scheme.
    ///     color_map: Color map that is shown first: "viridis", "cividis" or "turbo".
    ///     up: Axis that points upward, "y" or "z".
    ///     title: Title of the page; "Surface" if None. Not for .glb.
    ///     rings: Maximum number of rings of exact patches toward extraordinary vertices, 0 to 8;
    ///         None for 8. Fewer are used where the rest is close to the limit. Not for .glb.
    ///     slices: Folder of layers that `subsolid slice --png` wrote, to show beside the surface. A
    ///         UserWarning says if they are of another model. Not for .glb.
    ///     unit: Length unit that the page names: "um", "mm", "cm", "m", "in" or "ft"; None for none. A
    ///         .glb is in meters: None says that the model is.
    ///     fineness: Samples along each edge of a face in a .glb, 2 to 32; None for 9.
    ///
    /// Raises:
    ///     Error: If there is no array of that name, an option has no effect, or the file cannot be
    ///         written. It appears under its name when it is complete.
    ///
    /// Example:
    ///     >>> faces = subsolid.shape("box", 2, 2, 2).boundary()
    ///     >>> faces.view("faces.glb")
    #[pyo3(signature = (path=None, *, color=None, title=None, scheme=None, levels=None, rings=None,
                        linear=false, color_map="viridis", unit=None, up="z", slices=None,
                        fineness=None))]
    #[allow(clippy::too_many_arguments)]
    fn view(
        &self,
        py: Python<'_>,
        path: Option<PathBuf>,
        color: Option<String>,
        title: Option<String>,
        scheme: Option<&str>,
        #[pyo3(from_py_with = count::levels)] levels: Option<usize>,
        #[pyo3(from_py_with = count::rings)] rings: Option<usize>,
        linear: bool,
        color_map: &str,
        unit: Option<&str>,
        up: &str,
        slices: Option<PathBuf>,
        #[pyo3(from_py_with = count::fineness)] fineness: Option<usize>,
    ) -> PyResult<()> {
        let scheme = scheme.map(Scheme::named).transpose().py()?;
        let request = ViewRequest {
            color,
            title,
            scheme,
            levels,
            rings,
            linear,
            slices,
            fineness,
            ..ViewRequest::default()
        };
        view(py, &with_names(request, color_map, unit, up)?, || shown_surface(self), path)
    }

    /// A table and, of small surfaces, a picture and the page of view for notebooks.
    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("subsolid._html")?.call_method1("table_of_surface", (slf,))
    }
}
