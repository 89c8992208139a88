//! Evaluation of solids into files and reports.

use std::path::PathBuf;

use pyo3::prelude::*;
use subsolid::io::JobPart;
use subsolid::jobs::evaluate::{EvaluateRequest, QuantityRequest, SampleRequest};
use subsolid::jobs::surface_file::GlbRequest;

use crate::arrays::dictionary;
use crate::cells::Analyzed;
use crate::count;
use crate::layer_options;
use crate::notes::PythonNotes;
use crate::request::{named, processor};
use crate::solid::PySolid;

#[pymethods]
impl PySolid {
    /// Writes the limit for ParaView and other programs, with attributes and the data of the cells,
    /// piece by piece, so that any size fits; or its boundary for viewers, or values at the places of
    /// a table. That of `subsolid evaluate`. Neighboring cells share points, except where derivatives
    /// or jacobian are asked for, in Bézier cells, and of hexahedra beside cells that are evaluated
    /// in parts (wedges, tetrahedra, polyhedra): a UserWarning counts them, and refine() joins them.
    /// What the file has no place for is left out, with a UserWarning.
    ///
    /// Args:
    ///     path: File to write, which appears under its name when it is complete: .vtu, .pvtu (any
    ///         size), .vtk, .csv or .npz; .msh, .mesh, .inp or .exo with groups for finite-element
    ///         programs; at writes .csv; .glb has the boundary at the samples, with
    ///         normals and the attributes. None for the report alone, with quality or explain.
    ///     samples: Number of samples along each axis of a cell, 1 to 64, end points included; for
    ///         .glb 2 to 32. cells="lagrange" and "bezier" need none.
    ///     gauss: Number of Gauss points along each axis instead, 1 to 32.
    ///     at: Name of a table of parameters instead: .csv with the header cell,u,v,w, or
    ///         cell,corner,u,v,w where cells are not hexahedra.
    ///     cells: "hexahedra" between the samples, "lagrange" for one curved cell each, "bezier" for
    ///         exact Bézier cells, or "points"; None for hexahedra, with order for Lagrange cells, of
    ///         gauss and .csv for points.
    ///     order: Order of Lagrange cells, 1 to 10; None for 3. .msh holds 1 to 9, .inp and .exo 1 and
    ///         2. The report has the "distance" of the cells from the limit, sampled between nodes.
    ///     rings: Rings of Bézier cells toward extraordinary edges and vertices, 0 to 8; None for 3.
    ///     derivatives: Highest order of the derivatives of positions, 0, 1 or 2.
    ///     attribute_derivatives: Differentiate attributes as well; needs derivatives=1 or 2.
    ///     gradients: Also gradients of attributes in space.
    ///     jacobian: Also determinants of the Jacobian, and their minimum over the samples of each
    ///         cell.
    ///     quality: Report Jacobian determinants at the samples, and the cells where they are not
    ///         positive.
    ///     explain: Evaluate and write nothing; list what would run.
    ///     precision: "f64" or "f32".
    ///     backend: "auto", "cpu", "cuda", "cuda:N", or several GPUs: "cuda:0,1", "cuda:all".
    ///     strategy: Kernels on a GPU: "auto", or those of the published method, "thread", "warp" and
    ///         "hybrid", whose last bits vary; on the CPU a UserWarning says that it has no effect.
    ///     separate_points: Do not merge the points of neighboring cells.
    ///     write_memory: Maximum memory for writing a single file, in GB; None for half of the
    ///         machine's memory.
    ///     pieces: Which of the parts of a .pvtu to write, (part, parts) from (1, n) to (n, n); then
    ///         subsolid.merge.
    ///     piece_points: Maximum number of points per piece of a .pvtu; None for 2000000, of Bézier
    ///         cells 524288.
    ///     compress: Compress; for .vtu, .pvtu and .npz.
    ///     format: "msh" or "msh-binary" of a .msh, "mfem" or "medit" of a .mesh, which needs one.
    ///     color: Vertex or cell array to color a .glb by, or "scaled Jacobian".
    ///     color_map: Colors of a .glb: "viridis", "cividis" or "turbo"; None for viridis.
    ///     unit: Length unit of the model, for .glb, which is in meters, and .3mf: "um", "mm", "cm", "m",
    ///         "in" or "ft"; None for "m", of .3mf "mm".
    ///     up: Axis of the model that points upward, for .glb: "y" or "z"; None for z.
    ///
    /// Returns:
    ///     A dictionary with the keys of the JSON report of `subsolid evaluate`: numbers of points
    ///     and cells, "quality" and others; with explain that of `--explain`, of a .glb that of
    ///     `subsolid surface`. None for a part that exists.
    ///
    /// Raises:
    ///     Error: For values out of range, options without effect, a processor that is not there,
    ///         files that cannot be written, and results that would fill the memory.
    ///
    /// Example:
    ///     >>> box = subsolid.shape("box", 2, 2, 2)
    ///     >>> report = box.write_limit("limit.vtu", 4, quality=True)
    ///     >>> report["points"], report["quality"]["samples"]
    ///     (343, 512)
    #[pyo3(signature = (path=None, samples=None, *, gauss=None, at=None, cells=None, order=None,
                        rings=None, derivatives=0, attribute_derivatives=false, gradients=false,
                        jacobian=false, quality=false, explain=false, precision="f64",
                        backend="auto", strategy="auto", separate_points=false, write_memory=None,
                        pieces=None, piece_points=None, compress=false, format=None, color=None,
                        color_map=None, unit=None, up=None))]
    #[allow(clippy::too_many_arguments, reason = "keywords")]
    fn write_limit<'py>(
        &self,
        py: Python<'py>,
        path: Option<PathBuf>,
        #[pyo3(from_py_with = count::samples)] samples: Option<usize>,
        #[pyo3(from_py_with = count::gauss)] gauss: Option<usize>,
        at: Option<PathBuf>,
        cells: Option<&str>,
        #[pyo3(from_py_with = count::order)] order: Option<usize>,
        #[pyo3(from_py_with = count::rings)] rings: Option<usize>,
        #[pyo3(from_py_with = count::derivatives)] derivatives: usize,
        attribute_derivatives: bool,
        gradients: bool,
        jacobian: bool,
        quality: bool,
        explain: bool,
        precision: &str,
        backend: &str,
        strategy: &str,
        separate_points: bool,
        write_memory: Option<f64>,
        #[pyo3(from_py_with = layer_options::part)] pieces: Option<JobPart>,
        #[pyo3(from_py_with = count::max_points)] piece_points: Option<usize>,
        compress: bool,
        format: Option<&str>,
        color: Option<String>,
        color_map: Option<&str>,
        unit: Option<&str>,
        up: Option<&str>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let request = EvaluateRequest {
            places: SampleRequest { samples, gauss, at },
            quantities: QuantityRequest { derivatives, attribute_derivatives, gradients, jacobian },
            processor: processor(precision, backend, strategy)?,
            cells: cells.map(|cells| named("cells", cells)).transpose()?,
            order,
            rings,
            separate_points,
            quality,
            write_memory,
            pieces,
            piece_points,
            compress,
            format: format.map(|format| named("format", format)).transpose()?,
            explain,
            color,
            color_map: color_map.map(|map| named("color_map", map)).transpose()?,
            glb: GlbRequest {
                unit: unit.map(|unit| named("unit", unit)).transpose()?,
                up: up.map(|up| named("up", up)).transpose()?,
            },
            output: path,
        };
        evaluated(py, &self.shared, &request)
    }
}

/// The report of a request, after its job.
fn evaluated<'py>(
    py: Python<'py>,
    shared: &Analyzed,
    request: &EvaluateRequest,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Analyzed { mesh, solid, .. } = shared;
    if request.is_of_boundary() {
        let written = PythonNotes::hear(py, |notes| {
            request.check(notes)?;
            request.run_boundary(mesh, solid.topology().clone(), notes)
        });
        return dictionary(py, &written?).map(Some);
    }
    let check = |notes: &mut PythonNotes| {
        request.check(notes)?;
        request.check_mesh(mesh, 0, notes)
    };
    if request.explain {
        let found = PythonNotes::hear(py, |notes| {
            check(notes)?;
            request.explain((mesh, solid), None, notes)
        });
        return dictionary(py, &found?).map(Some);
    }
    let report = PythonNotes::hear(py, |notes| {
        check(notes)?;
        request.run((mesh, solid), None, notes)
    });
    report?.map(|report| dictionary(py, &report)).transpose()
}
