//! Matrices and loads of finite elements in one call.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use subsolid::assembly::PartLoad;
use subsolid::backend::Choice;
use subsolid::jobs::MaterialAxes;
use subsolid::jobs::assemble::AssembleRequest;
use subsolid::quadrature::{BoundaryPart, QuadratureScheme};

use crate::arrays::{by_name, dictionary, moved};
use crate::cells::Analyzed;
use crate::count;
use crate::errors::{IntoPython, refused};
use crate::matrix::{assembled, rows, sparse};
use crate::notes::PythonNotes;
use crate::request::{elastic_constants, named};
use crate::solid::PySolid;

/// A side, by number, or a group, by name.
pub fn boundary_part(given: &Bound<'_, PyAny>) -> PyResult<BoundaryPart> {
    match given.is_instance_of::<PyString>() {
        true => Ok(BoundaryPart::Group(given.extract()?)),
        false => Ok(BoundaryPart::Side(given.extract()?)),
    }
}

/// Forces by side or group, of the keyword `name`.
pub fn part_loads(name: &str, given: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<PartLoad>> {
    let load = |(part, traction): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        let wrong = |_| refused(format!("{name} is wrong"), "give {side or group: (fx, fy, fz)}");
        let part = boundary_part(&part).map_err(wrong)?;
        Ok(PartLoad { part, traction: traction.extract().map_err(wrong)? })
    };
    given.map_or(Ok(Vec::new()), |given| given.iter().map(load).collect())
}

#[pymethods]
impl PySolid {
    /// Matrices and loads of finite elements, in one call. Those of `subsolid assemble`;
    /// Solid.quadrature has them for moved control points, and for forces that vary.
    ///
    /// Args:
    ///     path: Folder to write them to, with model.npz, as the program does; or None.
    ///     gauss: Gauss points along each axis of a box, 1 to 32.
    ///     rings: Rings of boxes toward extraordinary edges and vertices; None for as many as
    ///         integrals accurate to 1e-10 need.
    ///     mass: Density of the mass matrix, above 0; None for no such matrix.
    ///     stiffness: Conductivity of the stiffness matrix, above 0.
    ///     elasticity: Young's modulus and Poisson's ratio of the matrix of linear elasticity, or nine
    ///         constants of an orthotropic material, (E1, E2, E3, G12, G23, G13, nu12, nu23, nu13).
    ///     material_axes: Names of two attributes or cell arrays, axis 1 and a vector beside it; x, y, z
    ///         unless given.
    ///     load: Forces per unit area, (3,), by number of a side, as the method sides counts
    ///         them, name of a group of faces, or place, "where:x<1e-6"; those on the same faces
    ///         add up.
    ///     body: Force per unit volume, (3,).
    ///     format: Files of matrices: "npz" (scipy.sparse.load_npz) or "mtx" (Matrix Market).
    ///     compress: Compress .npz.
    ///     backend: "auto", "cpu", "cuda" or "cuda:N"; values are equal up to rounding.
    ///
    /// Returns:
    ///     A dictionary of what is asked for: "mass", "stiffness" (vertices, vertices) and
    ///     "elasticity" (3 vertices, 3 vertices) as scipy.sparse.csr_matrix, and "load",
    ///     (vertices, 3); of a solid with ghost cells "constraints" (vertices, vertices), control
    ///     values over values on the boundary and bends; and "report" with the keys of the JSON
    ///     report of `subsolid assemble`.
    ///
    /// Raises:
    ///     Error: For values out of range, parts that the boundary does not have, quadrature points
    ///         whose Jacobian determinant is not positive, a folder with matrices of another job,
    ///         and without SciPy.
    ///
    /// Example:
    ///     >>> box = subsolid.shape("box", 2, 2, 2).with_creases(crease_angle=40)
    ///     >>> found = box.assemble(elasticity=(210e9, 0.3), load={0: (0, 0, -1e5)})
    ///     >>> found["elasticity"].shape, found["load"].shape
    ///     ((81, 81), (27, 3))
    #[pyo3(signature = (path=None, *, gauss=5, rings=None, mass=None, stiffness=None,
                        elasticity=None, material_axes=None, load=None, body=None, format="npz",
                        compress=false, backend="auto"))]
    #[allow(clippy::too_many_arguments, reason = "keywords")]
    fn assemble<'py>(
        &self,
        py: Python<'py>,
        path: Option<PathBuf>,
        #[pyo3(from_py_with = count::gauss)] gauss: usize,
        #[pyo3(from_py_with = count::rings)] rings: Option<usize>,
        mass: Option<f64>,
        stiffness: Option<f64>,
        elasticity: Option<Vec<f64>>,
        material_axes: Option<[String; 2]>,
        load: Option<&Bound<'py, PyDict>>,
        body: Option<[f64; 3]>,
        format: &str,
        compress: bool,
        backend: &str,
    ) -> PyResult<Bound<'py, PyDict>> {
        sparse(py)?; // before the work
        let request = AssembleRequest {
            scheme: QuadratureScheme { gauss, rings },
            mass,
            stiffness,
            elasticity: elasticity.map(|own| elastic_constants(&own)).transpose()?,
            material_axes: material_axes.map(MaterialAxes),
            load: part_loads("load", load)?,
            body,
            format: named("format", format)?,
            compress,
            backend: backend.parse::<Choice>().py()?,
        };
        let Analyzed { mesh, solid, .. } = &*self.shared;
        let run = |notes: &mut PythonNotes| request.run(mesh, solid, path.as_deref(), notes);
        let assembly = PythonNotes::hear(py, run)?;
        let all = by_name(py)?;
        for (operator, matrix) in &assembly.matrices {
            all.set_item(operator.name(), assembled(py, matrix)?)?;
        }
        if let Some(load) = assembly.load {
            let count = load.len();
            all.set_item("load", moved(py, load.into_flattened(), &[count, 3])?)?;
        }
        if let Some(own) = &assembly.constraints {
            all.set_item("constraints", rows(py, own.basis.matrix())?)?;
        }
        all.set_item("report", dictionary(py, &assembly.report)?)?;
        Ok(all)
    }
}
