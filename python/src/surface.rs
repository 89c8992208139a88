//! Subdivision surfaces.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use subsolid::backend::Choice;
use subsolid::io::GlbOptions;
use subsolid::jobs::info::InfoRequest;
use subsolid::jobs::slice::{
    AdaptiveHeights, ElephantFoot, HeightsByRange, PixelSize, PixelWindow, PlateSize, SliceImages,
    SliceOrigin, SliceRequest,
};
use subsolid::jobs::surface::{SurfaceMethod, SurfaceNames, SurfaceRequest};
use subsolid::numbers::{Length, counted};
use subsolid::query::Query;
use subsolid::surface::limit::{GridLimit, LimitSurface};
use subsolid::surface::{Method, Scheme, SurfaceOptions, SurfacePlan, check_memory, vertex_limits};
use subsolid::topology::surface::SurfaceTopology;
use subsolid::{SurfaceMesh, memory};

use crate::arrays::{dictionary, lent, moved};
use crate::count;
use crate::errors::{IntoPython, refused, warn, warn_of_losses};
use crate::layer_options;
use crate::matrix::{product, sparse};
use crate::model::{attributes, attributes_of, creases, creases_of, faces_of, points, polygons};
use crate::notes::PythonNotes;
use crate::request::named;
use crate::rules;
use crate::slice::{LayerCut, PySlices};
use crate::threads::WithoutLock;

/// A subdivision surface: a control mesh of polygons, by Catmull-Clark, Loop, √3 or bilinear
/// subdivision.
///
/// Args:
///     points: Control points, (vertices, 3).
///     faces: (n, corners), or a list of lists of vertices.
///     creases: Sharp edges: a pair of edges (n, 2) and a sharpness for each, or one for all.
///     corners: Sharp vertices: a pair of vertices (n,) and sharpness.
///     attributes: Values at the control points by name, (vertices,) or (vertices, width).
///     holes: Faces that shape the limit next to them but are not part of the surface. Their refined
///         faces are holes, too; files omit them, except .obj, which tags them.
///     crease_rule: How sharpness passes on, "uniform" or "chaikin".
///     boundary: Where the surface ends, "edges" (sharp at all levels), "corners" (these, and
///         vertices of one face stay) or "holes" (faces at the boundary become holes when they are refined).
///     triangles: How Catmull-Clark refines edges of triangles, "uniform" or "smooth".
///     uv: Texture coordinates: a pair of values (n, 2) and their ids at the corners of the faces,
///         shaped as the faces. Faces may have different values at one vertex.
///     uv_boundary: Where texture coordinates are linear, "none", "corners-only", "corners-plus1",
///         "corners-plus2", "boundaries" or "all", which None stands for.
#[pyclass(frozen, name = "Surface", module = "subsolid")]
pub struct PySurface {
    pub mesh: SurfaceMesh,
}

impl PySurface {
    fn options(&self, scheme: Scheme, levels: usize) -> PyResult<SurfaceOptions> {
        if levels > 16 {
            return Err(refused(format!("{levels} levels"), "ask for at most 16"));
        }
        // a way that numbers the vertices as the stencils do
        Ok(SurfaceOptions { scheme, levels, method: Method::of(scheme), crease_rule: None })
    }
}

#[pymethods]
impl PySurface {
    #[new]
    #[pyo3(signature = (points, faces, *, creases=None, corners=None, attributes=None, holes=None,
                        crease_rule="uniform", boundary="edges", triangles="uniform", uv=None,
                        uv_boundary=None))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        points: &Bound<'_, PyAny>,
        faces: &Bound<'_, PyAny>,
        creases: Option<Bound<'_, PyAny>>,
        corners: Option<Bound<'_, PyAny>>,
        attributes: Option<Bound<'_, PyDict>>,
        holes: Option<Bound<'_, PyAny>>,
        crease_rule: &str,
        boundary: &str,
        triangles: &str,
        uv: Option<Bound<'_, PyAny>>,
        uv_boundary: Option<&str>,
    ) -> PyResult<Self> {
        let mut mesh = SurfaceMesh::new(self::points(points, "points")?, polygons(faces)?);
        mesh.creases = self::creases(creases.as_ref(), corners.as_ref())?;
        mesh.attributes = self::attributes(attributes.as_ref(), mesh.points.len(), false)?;
        if let Some(holes) = holes {
            mesh.holes = crate::arrays::plain_ids(&holes, "holes")?.0;
        }
        if let Some(uv) = uv {
            rules::set_uv(&mut mesh, &uv)?;
        }
        let names = [crease_rule, boundary, triangles].map(Some);
        rules::set_rules(&mut mesh, names, uv_boundary)?;
        mesh.check().py()?;
        if !mesh.creases.is_empty() {
            SurfaceTopology::of(&mesh).check_creases(&mesh.creases).py()?;
        }
        Ok(Self { mesh })
    }

    /// Control points, (vertices, 3), read-only.
    #[getter]
    fn points<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let points = &slf.get().mesh.points;
        // SAFETY: a surface never changes
        let array =
            unsafe { lent(slf.clone().into_any(), points.as_flattened(), [points.len(), 3]) };
        Ok(array?.into_any())
    }

    /// Faces: (n, corners) if all are of one size, else a list of lists; a copy.
    #[getter]
    fn faces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        faces_of(py, &self.mesh.faces, self.mesh.faces.vertices())
    }

    /// Sharp edges (n, 2) and their sharpness (n,).
    #[getter]
    fn creases<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let [edges, _] = creases_of(py, &self.mesh.creases)?;
        Ok(edges)
    }

    /// Sharp vertices (n,) and their sharpness (n,).
    #[getter]
    fn corners<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let [_, corners] = creases_of(py, &self.mesh.creases)?;
        Ok(corners)
    }

    /// Faces that are holes, (n,), ascending.
    #[getter]
    fn holes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mut ids: Vec<i64> = self.mesh.holes.iter().map(|&face| i64::from(face)).collect();
        ids.sort_unstable();
        ids.dedup();
        let count = ids.len();
        Ok(moved(py, ids, &[count])?.into_any())
    }

    /// Attributes of the control points by name; copies.
    #[getter]
    fn attributes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        attributes_of(py, &self.mesh.attributes)
    }

    /// Number of control points.
    #[getter]
    fn n_points(&self) -> usize {
        self.mesh.points.len()
    }

    /// Number of faces.
    #[getter]
    fn n_faces(&self) -> usize {
        self.mesh.faces.len()
    }

    /// Counts, valences, boundary, genus and what is not a manifold as a dictionary; that of
    /// `subsolid info --json`.
    ///
    /// Args:
    ///     report: Name of a page to write with the report and a picture of the surface: .html.
    ///
    /// Returns:
    ///     A dictionary.
    ///
    /// Raises:
    ///     Error: For a surface that is not valid, and a page that cannot be written.
    ///
    /// Example:
    ///     >>> faces = subsolid.shape("box", 2, 2, 2).boundary()
    ///     >>> isinstance(faces.info(), dict)
    ///     True
    #[pyo3(signature = (*, report=None))]
    fn info<'py>(&self, py: Python<'py>, report: Option<PathBuf>) -> PyResult<Bound<'py, PyAny>> {
        let request = InfoRequest { report, ..InfoRequest::default() };
        let run = |notes: &mut PythonNotes| request.run_surface(&self.mesh, "Surface", notes);
        dictionary(py, &PythonNotes::hear(py, run)?)
    }

    /// Refines the mesh, with creases and attributes except normals. One level by default;
    /// `subsolid surface` makes two. Loop and √3 cut larger faces into triangles first, with a
    /// UserWarning; levels=0 does this alone.
    ///
    /// Args:
    ///     levels: Number of refinements.
    ///     scheme: "catmull-clark", "loop", "sqrt3" or "bilinear" (also "linear").
    ///     method: How points are computed: "matrix" (level by level on the mesh matrix),
    ///         "edge-friend" (level by level in one pass each; Catmull-Clark), "auto" (the faster of
    ///         both), "single" (by one sparse matrix), "static" (by tables of weights;
    ///         Catmull-Clark), or "adaptive" (the limit on spline patches, refined around features
    ///         only; with limit=True). None for "matrix", or "single" where the scheme has no other.
    ///         The results are equal up to rounding.
    ///     limit: Move the vertices and their attributes to the limit, as `subsolid surface --limit`
    ///         does; not for √3. The mesh is then no control mesh: holes are left out, and rules are
    ///         the defaults.
    ///     normals: Unit normals of the limit as the attribute "normals", NaN where there is no
    ///         tangent plane, and on a crease those of one side; not for √3.
    ///     backend: "auto", "cpu", "cuda" or "cuda:N"; the results are the same.
    ///
    /// Returns:
    ///     A surface.
    ///
    /// Raises:
    ///     Error: For levels out of range, a limit that there is not, and too little memory.
    ///
    /// Example:
    ///     >>> faces = subsolid.shape("box", 2, 2, 2).boundary()
    ///     >>> faces.refine(2).n_faces
    ///     384
    #[pyo3(signature = (levels=1, *, scheme="catmull-clark", method=None, limit=false, normals=false,
                        backend="auto"))]
    #[allow(clippy::too_many_arguments, reason = "keywords")]
    fn refine(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = count::levels)] levels: usize,
        scheme: &str,
        method: Option<&str>,
        limit: bool,
        normals: bool,
        backend: &str,
    ) -> PyResult<Self> {
        let known = |name: &str| {
            name.parse::<SurfaceMethod>().map_err(|_| {
                let help = "give \"auto\", \"matrix\", \"edge-friend\", \"single\", \"static\" or \
                            \"adaptive\"";
                refused(format!("method={name:?}"), help)
            })
        };
        let method = method.map(known).transpose()?;
        let request = SurfaceRequest {
            scheme: Scheme::named(scheme).py()?,
            levels,
            method,
            limit,
            normals,
            backend: backend.parse::<Choice>().py()?,
            ..Default::default()
        };
        let run = |notes: &mut PythonNotes| {
            request.run(self.mesh.clone(), SurfaceNames::default(), notes)
        };
        let (mesh, _) = PythonNotes::hear(py, run)?;
        Ok(Self { mesh })
    }

    /// Weights of the control points in the vertices of a level: points = S @ controls, as a
    /// scipy.sparse.csr_matrix of shape (refined vertices, vertices).
    ///
    /// Args:
    ///     levels: Number of refinements, 0 to 16.
    ///     scheme: "catmull-clark", "loop", "sqrt3" or "bilinear" (also "linear").
    ///
    /// Returns:
    ///     The matrix.
    ///
    /// Raises:
    ///     Error: For levels out of range, too little memory, and without SciPy.
    ///
    /// Example:
    ///     >>> faces = subsolid.shape("box", 2, 2, 2).boundary()
    ///     >>> faces.stencils(1).shape
    ///     (98, 26)
    #[pyo3(signature = (levels=1, *, scheme="catmull-clark"))]
    fn stencils<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = count::levels)] levels: usize,
        scheme: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let options = self.options(Scheme::named(scheme).py()?, levels)?;
        sparse(py)?;
        check_memory(&self.mesh, &SurfaceOptions { method: Method::Single, ..options }).py()?;
        let made = py.work(|| -> subsolid::Result<_> {
            let plan = SurfacePlan::new(&self.mesh, &options)?;
            Ok((plan.single_matrix::<f64>()?, plan.notices().to_vec()))
        });
        let (matrix, notices) = made.py()?;
        notices.iter().try_for_each(|notice| warn(py, notice))?;
        product(py, &matrix, self.mesh.points.len())
    }

    /// Limit positions (vertices, 3) and unit normals (vertices, 3) of the vertices, by any scheme
    /// but √3; normals are NaN where there is no tangent plane.
    ///
    /// Raises:
    ///     Error: For √3, and for Loop if there are faces that are not triangles:
    ///         refine(0, scheme="loop") cuts them into triangles.
    ///
    /// Args:
    ///     scheme: "catmull-clark", "loop" or "bilinear" (also "linear").
    ///
    /// Returns:
    ///     Positions and normals.
    ///
    /// Example:
    ///     >>> faces = subsolid.shape("box", 2, 2, 2).boundary()
    ///     >>> positions, normals = faces.limit()
    ///     >>> positions.shape
    ///     (26, 3)
    #[pyo3(signature = (*, scheme="catmull-clark"))]
    fn limit<'py>(&self, py: Python<'py>, scheme: &str) -> PyResult<Bound<'py, PyTuple>> {
        let scheme = Scheme::named(scheme).py()?;
        let limits = py.work(|| vertex_limits(&self.mesh, scheme)).py()?;
        let n = limits.positions.len();
        (
            moved(py, limits.positions.into_flattened(), &[n, 3])?,
            moved(py, limits.normals.into_flattened(), &[n, 3])?,
        )
            .into_pyobject(py)
    }

    /// Limit points of a grid on every face, holes too, by any scheme but √3.
    ///
    /// Args:
    ///     samples: Samples along each edge, 1 to 64. On quads n × n, u fastest; on triangles
    ///         rows of n, n − 1, … 1. A polygon counts as one quad per corner.
    ///     scheme: "catmull-clark", "loop" or "bilinear" (also "linear").
    ///
    /// Returns:
    ///     Positions (quads, samples of one, 3) and unit normals of the same shape.
    ///
    /// Raises:
    ///     Error: For √3, for Loop if there are faces that are not triangles, and samples that would
    ///         fill the memory.
    ///
    /// Example:
    ///     >>> faces = subsolid.shape("box", 2, 2, 2).boundary()
    ///     >>> positions, normals = faces.evaluate(3)
    ///     >>> positions.shape
    ///     (24, 9, 3)
    #[pyo3(signature = (samples=8, *, scheme="catmull-clark"))]
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = count::samples)] samples: usize,
        scheme: &str,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let scheme = Scheme::named(scheme).py()?;
        let (limit, count) = py
            .work(|| -> subsolid::Result<_> {
                let mesh = &self.mesh;
                let surface = LimitSurface::of_mesh(mesh, scheme)?;
                let grid = surface.grid(samples, true)?;
                // positions and normals
                let points = mesh.faces.vertices().len().saturating_mul(samples.pow(2));
                memory::check_half(format!("{points} points need"), points as u128 * 48, |_| {
                    "ask for fewer samples".into()
                })?;
                let mut limit = GridLimit::default();
                let refined = surface.refined_points(&mesh.points)?;
                grid.evaluate(&refined, 0..surface.elements().len(), &mut limit)?;
                Ok((limit, surface.elements().len()))
            })
            .py()?;
        let each = limit.positions.len() / (3 * count.max(1));
        let shape = [count, each, 3];
        (moved(py, limit.positions, &shape)?, moved(py, limit.normals, &shape)?).into_pyobject(py)
    }

    /// Layers of what the surface bounds, cut from its smooth limit and not from its faces, unless
    /// the scheme is "linear", as it is for one of an .stl or .3mf. It must be closed. Faces are turned
    /// outward as by orient, with a UserWarning.
    ///
    /// Lengths are numbers of the model's length unit, or texts with a unit: "50um", "0.1 mm".
    ///
    /// Args:
    ///     layer_height: Height of a layer; or a text with others of layers whose bottom is at least z0
    ///         and below z1: "0.2,0.3@1:5".
    ///     adaptive: In place of layer_height (least, greatest, cusp): layers as high as the stairs of
    ///         the surface allow; cusp is the largest height of a layer times |n_z| of the normal.
    ///     first_layer: Height of layer 0; None for that of the others.
    ///     scheme: "catmull-clark", "loop", or "linear" (also "bilinear"), which slices triangles
    ///         as they are. None is "linear" for a surface that was read from an .stl or .3mf, else
    ///         "catmull-clark", with a UserWarning where all faces are triangles.
    ///     origin: Height of the bottom of layer 0, at or below the lowest point of the limit; None
    ///         for that point. With plate also (x, y, z).
    ///     axis: "x", "y" or "z": the axis that layers are stacked along.
    ///     pixel: Edge length of a pixel, or (width, height), or a text: "42um x 84um"; None for
    ///         contours alone.
    ///     dpi: Pixels per inch in place of pixel: a number, or those (across, up).
    ///     resolution: Columns and rows of pixels, with the model in the middle; None for those that
    ///         cover the model.
    ///     pixel_origin: Lower left corner of the pixels in the plane of the layers, the same for all
    ///         models of an assembly; None for the model in the middle.
    ///     window: Ends of the pixels in the plane of the layers, ((x0, x1), (y0, y1)), as those of a
    ///         build plate, in place of resolution and pixel_origin.
    ///     plate: (width, depth) of a build plate, all of which has pixels, in place of window. Its lower left
    ///         corner lies at the x and y of origin, a (x, y, z) then, or at (0, 0).
    ///     crop: Whether what lies outside the pixels is left out, which is refused otherwise.
    ///     planes: Number of planes per layer over which coverage is averaged, 1 to 64.
    ///     antialias: True for the covered fraction of each pixel; False for 1 if its center is
    ///         inside, else 0, as `subsolid slice` has it without --antialias for printers.
    ///     scale: Factors of x, y and z, or one for all, about the origin of coordinates, 0.1 to 10: for
    ///         material that shrinks.
    ///     offset: Distance that contours, and the edges of pixels with them, move away from the
    ///         material; into it if negative.
    ///     elephant_foot: Distance that contours of layer 0 move into the material, besides; or (distance,
    ///         n): it falls by equal steps to 0 over n layers.
    ///     join: "round" or "miter": corners of contours that move.
    ///     tolerance: Maximum distance of contours from the limit; None for 1e-5 of the longest side
    ///         of the bounding box.
    ///     unit: Length unit of the model, "um", "mm", "cm", "m", "in" or "ft", or the millimeters in
    ///         it; None for millimeters.
    ///     backend: Processor of the pixels: "auto", "cpu", "cuda" or "cuda:N"; coverage is bitwise
    ///         the same.
    ///
    /// Returns:
    ///     An iterable of Layers that holds one at a time; it also takes indices, and writes files.
    ///
    /// Raises:
    ///     Error: For a surface that is not closed, and pixels that would fill the memory.
    ///
    /// Example:
    ///     >>> faces = subsolid.shape("box", 2, 2, 2).boundary()
    ///     >>> faces.slice(0.5, scheme="linear")[0].area > 0
    ///     True
    #[pyo3(signature = (layer_height=None, *, adaptive=None, first_layer=None, scheme=None, origin=None, axis="z", pixel=None, dpi=None, resolution=None, pixel_origin=None, window=None, plate=None, crop=false, planes=1, antialias=true, scale=None, offset=None, elephant_foot=None, join=None, tolerance=None, unit=None, backend="auto"))]
    #[allow(clippy::too_many_arguments)]
    fn slice(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = layer_options::layer_heights)] layer_height: Option<HeightsByRange>,
        #[pyo3(from_py_with = layer_options::adaptive)] adaptive: Option<AdaptiveHeights>,
        #[pyo3(from_py_with = layer_options::length)] first_layer: Option<Length>,
        scheme: Option<&str>,
        #[pyo3(from_py_with = layer_options::origin)] origin: Option<SliceOrigin>,
        axis: &str,
        #[pyo3(from_py_with = layer_options::pixel)] pixel: Option<PixelSize>,
        #[pyo3(from_py_with = layer_options::dots)] dpi: Option<[f64; 2]>,
        #[pyo3(from_py_with = layer_options::resolution)] resolution: Option<[usize; 2]>,
        #[pyo3(from_py_with = layer_options::corner)] pixel_origin: Option<[Length; 2]>,
        #[pyo3(from_py_with = layer_options::window)] window: Option<PixelWindow>,
        #[pyo3(from_py_with = layer_options::plate)] plate: Option<PlateSize>,
        crop: bool,
        #[pyo3(from_py_with = count::planes)] planes: usize,
        antialias: bool,
        #[pyo3(from_py_with = layer_options::factors)] scale: Option<[f64; 3]>,
        #[pyo3(from_py_with = layer_options::length)] offset: Option<Length>,
        #[pyo3(from_py_with = layer_options::elephant_foot)] elephant_foot: Option<ElephantFoot>,
        join: Option<&str>,
        #[pyo3(from_py_with = layer_options::length)] tolerance: Option<Length>,
        unit: Option<Bound<'_, PyAny>>,
        backend: &str,
    ) -> PyResult<PySlices> {
        let request = SliceRequest {
            scheme: scheme.map(Scheme::named).transpose().py()?,
            layer_height,
            adaptive,
            first_layer,
            compensation: layer_options::compensation((scale, offset, elephant_foot), join)?,
            origin,
            axis: named("axis", axis)?,
            tolerance,
            unit: layer_options::millimeters(unit.as_ref())?,
            images: SliceImages {
                pixel,
                dpi,
                resolution,
                pixel_origin,
                window,
                plate,
                crop,
                ..SliceImages::default()
            },
            backend: backend.parse::<Choice>().py()?,
            ..SliceRequest::default()
        };
        let cut = LayerCut::new(request, planes, antialias)?;
        PySlices::of_surface(py, &self.mesh, cut)
    }

    /// Incident or adjacent elements: one row for each element of a kind.
    ///
    /// Args:
    ///     op: Two letters of V (vertices), E (edges), F (faces): "VF" has the faces of each vertex.
    ///     of: Ids of the elements to query, (n,), one row each; None for all. Edges are numbered by
    ///         their sorted vertices.
    ///     rings: For "VV": vertices up to this many edges away.
    ///     oriented: For "VE" and "VF": in cyclic order around the vertex.
    ///     strategy: How rows are found: stored in the mesh's own order ("unordered"), stored of
    ///         elements sorted by position ("rows"), or patch by patch ("patches"); the answers are
    ///         the same.
    ///
    /// Returns:
    ///     offsets (n + 1,) and ids: row r is ids[offsets[r]:offsets[r + 1]], ascending. With
    ///     oriented=True in cyclic order, and closed (n,), whether the row goes all the way around.
    ///
    /// Raises:
    ///     Error: For another query, an element that does not exist, and rings or an order that the
    ///         query does not have.
    ///
    /// Example:
    ///     >>> faces = subsolid.shape("box", 2, 2, 2).boundary()
    ///     >>> offsets, ids = faces.query("FV")
    ///     >>> offsets.shape, ids.shape
    ///     ((25,), (96,))
    #[pyo3(signature = (op=None, of=None, *, rings=None, oriented=false, strategy="unordered"))]
    fn query<'py>(
        &self,
        py: Python<'py>,
        op: Option<&str>,
        of: Option<Bound<'py, PyAny>>,
        #[pyo3(from_py_with = count::rings)] rings: Option<usize>,
        oriented: bool,
        strategy: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let asked = crate::query::request(op, of.as_ref(), rings, oriented, strategy)?;
        crate::query::answer(py, &asked, |strategy| Query::of_surface(&self.mesh, strategy))
    }

    /// Writes the mesh: .obj, .ply, .vtp, .stl, .glb or .3mf. What the format cannot hold raises a
    /// UserWarning.
    ///
    /// Args:
    ///     path: Name of the file.
    ///     unit: Length unit of the surface, for .glb, which is in meters, and .3mf: "um", "mm", "cm", "m",
    ///         "in" or "ft"; None for "m", of .3mf "mm".
    ///     up: Axis that points upward, for .glb, "y" or "z"; None for "z".
    ///
    /// Raises:
    ///     Error: For another ending, and a file that cannot be written.
    ///
    /// Example:
    ///     >>> faces = subsolid.shape("box", 2, 2, 2).boundary()
    ///     >>> faces.write("faces.ply")
    ///     >>> subsolid.read_surface("faces.ply").n_points
    ///     26
    #[pyo3(signature = (path, *, unit=None, up=None))]
    fn write(
        &self,
        py: Python<'_>,
        path: PathBuf,
        unit: Option<&str>,
        up: Option<&str>,
    ) -> PyResult<()> {
        let unit = unit.map(|unit| named("unit", unit)).transpose()?;
        let up = up.map(|up| named("up", up)).transpose()?;
        let glb = GlbOptions::of(&path, unit, up).py()?;
        let format = subsolid::io::check_surface_output(&path).py()?;
        warn_of_losses(py, &format!("{}: ", path.display()), &format.losses(&self.mesh))?;
        py.work(|| subsolid::io::write_surface_with(&path, &self.mesh, &glb)).py()
    }

    fn __repr__(&self) -> String {
        let [vertices, faces] =
            [counted(self.n_points(), "vertex"), counted(self.n_faces(), "face")];
        format!("<subsolid.Surface: {vertices}, {faces}>")
    }
}
