//! Python bindings of [`subsolid`]: thin classes over the library.
//!
//! Arrays come in borrowed and go out moved or lent, never copied where that can be helped; work
//! runs without Python's lock. What depends on optional packages of Python is written in Python,
//! beside the compiled module.

mod adjoint;
mod arrays;
mod assemble;
mod backend;
mod cells;
mod changed;
/// The program: the same sources, so that one binary is both.
#[path = "../../src/cli/mod.rs"]
pub mod cli;
mod compare;
mod convert;
mod count;
mod dataset;
mod defaults;
mod errors;
mod evaluate;
mod extract;
mod fit;
mod integrate;
mod jobs;
mod layer_files;
mod layer_options;
mod layer_source;
mod limit;
mod limit_files;
mod locate;
mod matrix;
mod model;
mod notes;
mod operator;
mod page;
mod pickle;
mod plan;
mod plate;
mod process;
mod quadrature;
mod query;
mod request;
mod rules;
mod slice;
mod solid;
mod solve;
mod surface;
mod surface_rules;
mod threads;
mod viewer_cells;
mod voxels;

use pyo3::prelude::*;

#[global_allocator]
static ALLOCATOR: cli::Allocator = cli::Allocator;

/// The compiled part of the package; import subsolid instead.
#[pymodule]
mod _subsolid {
    use std::ffi::OsString;
    use std::path::PathBuf;
    use std::sync::Arc;

    use pyo3::prelude::*;
    use pyo3::types::PyTuple;
    use subsolid::backend::{Choice, check_threads};
    use subsolid::build_info;
    use subsolid::io::{self, ReadOptions};
    use subsolid::jobs::bench::BenchRequest;
    use subsolid::jobs::conform::ConformRequest;
    use subsolid::jobs::merge::{MergeReport, MergeRequest};
    use subsolid::jobs::output::check_page;
    use subsolid::jobs::refine::RefineRequest;
    use subsolid::mesh::shape::Shape;
    use subsolid::numbers::{by_count, counted};

    use crate::arrays::dictionary;
    use crate::errors::{IntoPython, warn, words};
    use crate::notes::PythonNotes;
    use crate::threads::{self, WithoutLock};
    use crate::{arrays, cli, count, model};

    #[pymodule_export]
    use crate::backend::{PyDeviceArray, PyDeviceLimit};
    #[pymodule_export]
    use crate::convert::{plain_array, solid};
    #[pymodule_export]
    use crate::limit::PyLimit;
    #[pymodule_export]
    use crate::locate::PyLocator;
    #[pymodule_export]
    use crate::operator::PyOperator;
    #[pymodule_export]
    use crate::plan::{PyPieces, PyPlan};
    #[pymodule_export]
    use crate::plate::slice_plate;
    #[pymodule_export]
    use crate::quadrature::{PyBatches, PyQuadrature};
    #[pymodule_export]
    use crate::slice::PySlices;
    #[pymodule_export]
    use crate::solid::PySolid;
    #[pymodule_export]
    use crate::surface::PySurface;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        arrays::import(module.py())?;
        threads::import(module)?;
        module.add("__version__", build_info::VERSION)
    }

    /// Reads a control mesh: .vtk, .vtu, .pvtu, MEDIT or MFEM .mesh, Gmsh .msh, .ovm, Abaqus or AVS
    /// .inp, Exodus .exo, .unv, splines of G+Smo .xml or splinepy .json, or a case of OpenFOAM.
    ///
    /// Spline volumes whose knots are uniform become control nets with ghost cells, others quadratic
    /// cells of their knot spans, which fit takes.
    ///
    /// What else the file holds is named in a UserWarning, and so are vertices in one place, and
    /// left-handed and folded hexahedra.
    ///
    /// Args:
    ///     path: Name of the file.
    ///     crease_angle: Makes boundary edges sharp where the normals of their faces differ by more than
    ///         this angle, in degrees.
    ///     creases_from: Curves and points of the file that become creases and corners: a name, sharp
    ///         at all levels, "NAME=SHARPNESS", or a sequence of these. They are Ridges, Corners,
    ///         RequiredEdges of MEDIT, physical curves and points of Gmsh, properties of edges of .ovm.
    ///     memory: Maximum size of the decompressed arrays with their numbers and grids of the file, in
    ///         GB; None for half of the machine's memory.
    ///     split_nonmanifold: Gives cells that meet in an edge or vertex only vertices of their own.
    ///
    /// Raises:
    ///     Error: For a file that cannot be read, is not a valid control mesh, or takes more memory.
    ///
    /// Returns:
    ///     The solid. Points of curved cells are kept for its `fit`; solids that are made from
    ///     it do not have them.
    ///
    /// Example:
    ///     >>> subsolid.shape("fan").write("fan.vtu")
    ///     >>> subsolid.read("fan.vtu", crease_angle=40)
    ///     <subsolid.Solid: 305 vertices, 180 cells>
    #[pyfunction]
    #[pyo3(signature = (path, *, crease_angle=None, creases_from=None, memory=None,
                        split_nonmanifold=false))]
    fn read(
        py: Python<'_>,
        path: PathBuf,
        crease_angle: Option<f64>,
        creases_from: Option<Bound<'_, PyAny>>,
        memory: Option<f64>,
        split_nonmanifold: bool,
    ) -> PyResult<PySolid> {
        let options = ReadOptions::of_memory(memory).py()?;
        let sources = model::crease_sources(creases_from.as_ref())?;
        let (mut mesh, mut report) = py.work(|| io::read_with_options(&path, options)).py()?;
        let features = report.take_features(&sources).py()?;
        if let Some(left_out) = report.left_out() {
            let message = format!("{}: left out: {left_out}", path.display());
            warn(py, &message)?;
        }
        let found = mesh.coincident_vertices();
        if let Some([a, b]) = found.first {
            let message = format!(
                "{}: {} {} exactly where another vertex lies (the first: vertices {a} and {b}). Cells \
                 are joined by shared vertex ids alone; Solid.weld joins them",
                path.display(),
                counted(found.count, "vertex"),
                by_count(found.count, "lies", "lie")
            );
            warn(py, &message)?;
        }
        for notice in mesh.crease_features(&features).left_out {
            warn(py, &format!("{}: {}", path.display(), words(&notice)))?;
        }
        if split_nonmanifold {
            let request = RefineRequest { split_nonmanifold, ..Default::default() };
            PythonNotes::hear(py, |notes| request.repair(&mut mesh, notes))?;
        }
        if let Some(degrees) = crease_angle {
            subsolid::refine::crease_by_angle(&mut mesh, degrees).py()?;
        }
        mesh.creases.drop_smooth();
        let mut made = PySolid::build_from(py, &format!("{}: ", path.display()), mesh)?;
        if let Some(own) = Arc::get_mut(&mut made.shared) {
            own.nodes = report.curved_nodes;
        }
        Ok(made)
    }

    /// Reads a mesh that is no solid yet and makes it one. That of `subsolid conform`.
    ///
    /// Layers of cells go between cells of two sizes, where four faces cover one; pyramids become
    /// tetrahedra, with wedges in columns of hexahedra beside them; cells with repeated corners
    /// become what they are; cells that touch in an edge or vertex only are taken apart.
    ///
    /// Args:
    ///     path: Name of the file.
    ///     layer_depth: Part of the smaller cells beside larger ones that the layers between them
    ///         take, above 0 and below 1.
    ///     weld: Merges vertices within this distance of one another first, in length units; 0 for
    ///         equal coordinates.
    ///     memory: As for `read`.
    ///
    /// Returns:
    ///     The solid, and a dictionary: numbers of cells and vertices before and after, the volume,
    ///     and counts of each defect and of what became of it.
    ///
    /// Raises:
    ///     Error: For a file that cannot be read, and naming what cannot be resolved.
    ///
    /// Example:
    ///     >>> subsolid.shape("fan").write("fan.vtu")
    ///     >>> solid, report = subsolid.conform("fan.vtu")
    ///     >>> report["covered_faces"], report["bad_cells"]
    ///     (0, 0)
    #[pyfunction]
    #[pyo3(signature = (path, *, layer_depth=0.6, weld=None, memory=None))]
    fn conform<'py>(
        py: Python<'py>,
        path: PathBuf,
        layer_depth: f64,
        weld: Option<f64>,
        memory: Option<f64>,
    ) -> PyResult<(PySolid, Bound<'py, PyAny>)> {
        let request = ConformRequest { layer_depth };
        let options = ReadOptions::of_memory(memory).py()?;
        let (mut mesh, read) = py.work(|| io::read_with_options(&path, options)).py()?;
        if let Some(left_out) = read.left_out() {
            warn(py, &format!("{}: left out: {left_out}", path.display()))?;
        }
        if let Some(distance) = weld {
            let welded = py.work(|| mesh.weld(distance)).py()?;
            welded.notices().iter().try_for_each(|notice| warn(py, notice))?;
        }
        let report = PythonNotes::hear(py, |notes| request.run(&mut mesh, notes))?;
        let solid = PySolid::build_from(py, &format!("{}: ", path.display()), mesh)?;
        Ok((solid, arrays::dictionary(py, &report)?))
    }

    /// Reads a surface: .obj (with crease tags), .ply, .off, .stl, .3mf, .vtp, and the faces of files
    /// without volume cells, as Gmsh and meshio write them.
    ///
    /// Args:
    ///     path: Name of the file.
    ///     creases_from: Curves and points of the file that become creases and corners: names, each
    ///         "NAME" (infinitely sharp) or "NAME=SHARPNESS", or one such string.
    ///     memory: Maximum size of the decompressed arrays with their numbers and grids of the file, in
    ///         GB; None for half of the machine's memory.
    ///
    /// Returns:
    ///     The surface.
    ///
    /// Raises:
    ///     Error: For a file that cannot be read, is not a valid surface, or takes more memory.
    ///
    /// Example:
    ///     >>> subsolid.shape("box", 2, 2, 2).boundary().write("box.obj")
    ///     >>> subsolid.read_surface("box.obj").n_faces
    ///     24
    #[pyfunction]
    #[pyo3(signature = (path, *, creases_from=None, memory=None))]
    fn read_surface(
        py: Python<'_>,
        path: PathBuf,
        creases_from: Option<Bound<'_, PyAny>>,
        memory: Option<f64>,
    ) -> PyResult<PySurface> {
        let options = ReadOptions::of_memory(memory).py()?;
        let sources = model::crease_sources(creases_from.as_ref())?;
        let read = || io::read_surface_with_options(&path, options);
        let (mut mesh, mut report) = py.work(read).py()?;
        let features = report.take_features(&sources).py()?;
        if let Some(left_out) = report.left_out() {
            let message = format!("{}: left out: {left_out}", path.display());
            warn(py, &message)?;
        }
        for notice in mesh.crease_features(&features).left_out {
            warn(py, &format!("{}: {}", path.display(), words(&notice)))?;
        }
        if let Some(seams) = mesh.seams() {
            let found = words(&seams.notice());
            warn(py, &format!("{}: {found}; Surface.weld joins them", path.display()))?;
        }
        Ok(PySurface { mesh })
    }

    /// Creases and corners of a table: CSV with the header kind,v0,v1,sharpness and rows
    /// edge,0,1,inf and corner,26,,1.5. Solid(...), Solid.with_creases and Surface.with_creases
    /// take them.
    ///
    /// Returns:
    ///     Sharp edges (n, 2) with their sharpness (n,), and sharp vertices (n,) with theirs. Columns
    ///     that are not read are named in a UserWarning.
    ///
    /// Args:
    ///     path: Name of the table.
    ///
    /// Raises:
    ///     Error: For a file that cannot be read, or is no such table.
    ///
    /// Example:
    ///     >>> with open("creases.csv", "w") as table:
    ///     ...     _ = table.write("kind,v0,v1,sharpness\nedge,0,1,inf\n")
    ///     >>> edges, corners = subsolid.read_creases("creases.csv")
    ///     >>> edges[0].tolist(), edges[1].tolist()
    ///     ([[0, 1]], [inf])
    #[pyfunction]
    fn read_creases(py: Python<'_>, path: PathBuf) -> PyResult<[Bound<'_, PyTuple>; 2]> {
        let table = py.work(|| io::read_creases(&path)).py()?;
        if !table.ignored.is_empty() {
            let names = table.ignored.join(", ");
            warn(py, &format!("{}: the columns {names} are not read", path.display()))?;
        }
        model::creases_of(py, &table.creases)
    }

    /// A procedural solid; those of `subsolid shape`.
    ///
    /// Args:
    ///     name: "box", "fan", "torus", "cylinder", "tripod", "bracket", or "link-tetrahedron",
    ///         "link-bipyramid3", "link-octahedron", "link-3444555", "link-bipyramid5" or
    ///         "link-icosahedron" around an interior vertex.
    ///     sizes: Those of a box: cells along x, y and z, 2, 2 and 6 unless given; of a fan: valence 5,
    ///         layers 4, rings 3; of a torus: cells around z 16, across the core 2, rings 2; of a
    ///         cylinder: cells across the core 4, rings 2, layers 8; of a link: rings 3.
    ///
    /// Raises:
    ///     Error: For another name, sizes out of range, and more than 2**27 cells.
    ///
    /// Returns:
    ///     The solid.
    ///
    /// Example:
    ///     >>> subsolid.shape("box", 2, 2, 2)
    ///     <subsolid.Solid: 27 vertices, 8 cells>
    #[pyfunction]
    #[pyo3(signature = (name, *sizes))]
    fn shape(py: Python<'_>, name: &str, sizes: Vec<Bound<'_, PyAny>>) -> PyResult<PySolid> {
        let sizes: Vec<usize> = sizes.iter().map(count::sizes).collect::<PyResult<_>>()?;
        let mesh = py.work(|| Shape::parse(name, &sizes)?.build()).py()?;
        PySolid::build(py, mesh)
    }

    /// Joins the parts of a job that several programs wrote, as `subsolid merge` does.
    ///
    /// Args:
    ///     path: The folder of layers that Slices.write was given with pieces=..., or the .pvtu that
    ///         `subsolid evaluate --pieces` was.
    ///
    /// Returns:
    ///     What was joined, as a dictionary.
    ///
    /// Raises:
    ///     Error: If parts are missing, not complete, or of other options than the rest.
    ///
    /// Example:
    ///     >>> layers = subsolid.shape("box", 2, 2, 2).slice(0.5, pixel=0.1)
    ///     >>> for part in (1, 2):
    ///     ...     _ = layers.write("layers", pieces=(part, 2))
    ///     >>> subsolid.merge("layers")["jobs"]
    ///     2
    #[pyfunction]
    fn merge(py: Python<'_>, path: PathBuf) -> PyResult<Bound<'_, PyAny>> {
        match PythonNotes::hear(py, |notes| MergeRequest { output: path }.run(notes))? {
            MergeReport::Pieces(merged) => dictionary(py, &merged),
            MergeReport::Layers(merged) => dictionary(py, &merged),
        }
    }

    /// Measures this machine: the experiments of the published GPU method, as `subsolid bench` does.
    ///
    /// Args:
    ///     models: Names of files with control meshes of solids.
    ///     samples: Numbers of samples along each axis of a cell, 2 to 64; None for 4 and 8.
    ///     levels: Levels of refinement, 0 to 8; None for 0, 1 and 2.
    ///     backend: Processor beside the CPU: "auto" (the first GPU that works), "cpu", "cuda" or
    ///         "cuda:N".
    ///     repeats: Number of runs, of which the median is reported, 1 to 10000.
    ///     report: Name of a page to write with the plots: .html.
    ///
    /// Returns:
    ///     A dictionary with the keys of the JSON report of `subsolid bench`: times in seconds, sizes
    ///     in bytes.
    ///
    /// Raises:
    ///     Error: For files that cannot be read or written, and numbers out of range.
    ///
    /// Example:
    ///     >>> subsolid.shape("box", 2, 2, 2).write("box.vtu")
    ///     >>> found = subsolid.bench(["box.vtu"], samples=[2], levels=[0], backend="cpu", repeats=1)
    ///     >>> found["models"][0]["cells"]
    ///     8
    #[pyfunction]
    #[pyo3(signature = (models, *, samples=None, levels=None, backend="auto", repeats=20, report=None))]
    fn bench<'py>(
        py: Python<'py>,
        models: Vec<PathBuf>,
        samples: Option<Vec<Bound<'_, PyAny>>>,
        levels: Option<Vec<Bound<'_, PyAny>>>,
        backend: &str,
        #[pyo3(from_py_with = count::repeats)] repeats: usize,
        report: Option<PathBuf>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut request = BenchRequest { models, ..BenchRequest::default() };
        if let Some(samples) = samples {
            request.samples = samples.iter().map(count::samples).collect::<PyResult<_>>()?;
        }
        if let Some(levels) = levels {
            request.levels = levels.iter().map(count::levels).collect::<PyResult<_>>()?;
        }
        request.backend = backend.parse::<Choice>().py()?;
        request.repeats = repeats.try_into().unwrap_or(u16::MAX);
        let found = PythonNotes::hear(py, |notes| {
            request.check()?;
            report.as_deref().map_or(Ok(()), check_page)?;
            let found = request.run("subsolid.bench", notes)?;
            report.as_deref().map_or(Ok(()), |path| found.write_page(path, notes))?;
            Ok(found)
        })?;
        dictionary(py, &found)
    }

    /// Names of the GPUs that backend="cuda:N" can take; empty without a driver.
    ///
    /// Returns:
    ///     A list of names.
    ///
    /// Example:
    ///     >>> isinstance(subsolid.devices(), list)
    ///     True
    #[pyfunction]
    fn devices() -> Vec<String> {
        let found = subsolid::backend::devices().unwrap_or_default();
        found.iter().map(|device| device.name.clone()).collect()
    }

    /// Runs the program with the texts of its command line, its own name first.
    ///
    /// It ends the process by itself where a signal or the command line says so, so it is for processes
    /// that do nothing else.
    ///
    /// Returns:
    ///     The exit code.
    #[pyfunction]
    fn main(py: Python<'_>, given: Vec<OsString>) -> u8 {
        py.detach(|| cli::main(given))
    }

    /// Sets the number of threads, 1 to 32 for each core, for all calls without threads=; call it before any of
    /// them.
    ///
    /// Args:
    ///     count: Number of threads.
    ///
    /// Raises:
    ///     Error: For a number out of range, and after another call.
    ///
    /// Example:
    ///     >>> try:
    ///     ...     subsolid.set_threads(0)
    ///     ... except subsolid.Error:
    ///     ...     print("refused")
    ///     refused
    #[pyfunction]
    fn set_threads(#[pyo3(from_py_with = count::count)] count: usize) -> PyResult<()> {
        check_threads(count).py()?;
        threads::set(count)
    }
}
