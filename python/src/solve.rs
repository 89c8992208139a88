//! Linear elasticity and heat conduction in one call.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use subsolid::assembly::PartLoad;
use subsolid::backend::Choice;
use subsolid::jobs::MaterialAxes;
use subsolid::jobs::solve::{
    ElasticMaterial, PartFix, PartForce, PartValue, SolveRequest, ThermalMaterial,
};
use subsolid::quadrature::{BoundaryPart, QuadratureScheme};

use crate::arrays::dictionary;
use crate::assemble::{boundary_part, part_loads};
use crate::count;
use crate::errors::{IntoPython, refused};
use crate::notes::PythonNotes;
use crate::request::{elastic_constants, named};
use crate::solid::PySolid;

/// Materials of all cells, or by groups; None stands for the cells of no group.
pub fn by_groups<'py, V: for<'a> FromPyObject<'a, 'py>, M>(
    given: Option<&Bound<'py, PyAny>>,
    material: impl Fn(Option<String>, V) -> M,
) -> Option<Vec<M>> {
    let Some(given) = given else { return Some(Vec::new()) };
    let Ok(given) = given.cast::<PyDict>() else {
        return Some(vec![material(None, given.extract().ok()?)]);
    };
    let own = |(group, value): (Bound<'py, PyAny>, Bound<'py, PyAny>)| {
        Some(material(group.extract().ok()?, value.extract().ok()?))
    };
    given.iter().map(own).collect()
}

/// Elastic materials of all cells, or by groups.
pub fn elastic_materials(given: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<ElasticMaterial>> {
    let material = |group, numbers: Vec<f64>| {
        Ok(ElasticMaterial { group, constants: elastic_constants(&numbers)? })
    };
    let found = by_groups(given, material).ok_or_else(|| {
        refused("elasticity is wrong", "give (E, nu), nine constants, or {group: constants}")
    })?;
    found.into_iter().collect()
}

/// Parts that are held: names, or a dictionary of displacements.
fn fixes(given: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<PartFix>> {
    let Some(given) = given else { return Ok(Vec::new()) };
    let wrong =
        |_| refused("fix is wrong", "give [side or group, …], or {side or group: (x, y, z)}");
    if let Ok(given) = given.cast::<PyDict>() {
        let fix = |(part, values): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
            let values = values.extract::<[Option<f64>; 3]>().map_err(wrong)?;
            Ok(PartFix { part: boundary_part(&part).map_err(wrong)?, values })
        };
        return given.iter().map(fix).collect();
    }
    let hold = |part: PyResult<Bound<'_, PyAny>>| {
        let part = boundary_part(&part?).map_err(wrong)?;
        Ok(PartFix { part, values: [Some(0.0); 3] })
    };
    given.try_iter().map_err(wrong)?.map(hold).collect()
}

/// Numbers by side or group.
fn part_values(name: &str, given: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<PartValue>> {
    let value = |(part, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        let wrong = |_| refused(format!("{name} is wrong"), "give {side or group: number}");
        let part: BoundaryPart = boundary_part(&part).map_err(wrong)?;
        Ok(PartValue { part, value: value.extract().map_err(wrong)? })
    };
    given.map_or(Ok(Vec::new()), |given| given.iter().map(value).collect())
}

#[pymethods]
impl PySolid {
    /// Solves linear elasticity or heat conduction, at rest. That of `subsolid solve`. Parts are
    /// sides, by number, as the method sides counts them, groups of faces, by name, or the faces whose
    /// vertices have their limit points in a place: "where:x<1e-6", "where:0<=z<2 and y>1".
    ///
    /// Args:
    ///     elasticity: Young's modulus and Poisson's ratio, or nine constants of an orthotropic
    ///         material, (E1, E2, E3, G12, G23, G13, nu12, nu23, nu13), where nu12 is the contraction
    ///         along axis 2 under stress along axis 1; or a dictionary of these by groups of cells,
    ///         None for all others; or
    ///     heat: the conductivity, or a dictionary.
    ///     material_axes: Axes of orthotropic materials, by default x, y, z: names of two attributes
    ///         of vertices or arrays of cells, of vectors along axis 1 and in the plane of axes 1 and
    ///         2. A cell has the mean over its vertices.
    ///     fix: Parts that are held, in a list; or by part a displacement (x, y, z), None where it
    ///         is free.
    ///     temperature: Temperatures by part.
    ///     load: Forces per unit area, (3,), by part.
    ///     total_force: Forces on whole parts, (3,), spread evenly over them.
    ///     pressure: Forces per unit area against the outward normal, by part.
    ///     body: Force per unit volume, (3,).
    ///     flux: Power per unit area into parts.
    ///     source: Power per unit volume.
    ///     tolerance: Error of the linear system's solution, 1e-14 to 0.1.
    ///     gauss: Gauss points along each axis of a box, 1 to 32.
    ///     rings: Rings of boxes toward extraordinary edges and vertices; None for as many as
    ///         integrals accurate to 1e-7 need.
    ///     operator: How the stiffness is multiplied: "matrix-free", regular cells by their control
    ///         points in every product, "matrix", by the assembled one, or "auto", by the matrix where
    ///         it takes an eighth of the memory or less.
    ///     backend: Processor of the operator, "auto", "cpu", "cuda" or "cuda:N".
    ///
    /// Returns:
    ///     The solid with the results as attributes: "displacement", "stress" (xx, yy, zz, xy, yz,
    ///     xz), "von_mises" and "strain_energy" (a density), or "temperature" and "flux"; and a
    ///     dictionary with the keys of the JSON report of `subsolid solve`.
    ///
    /// Raises:
    ///     Error: For values out of range, parts that the boundary does not have, a solid that can
    ///         still move, and quadrature points whose Jacobian determinant is not positive.
    ///
    /// Example:
    ///     >>> box = subsolid.shape("box", 2, 2, 6).with_creases(crease_angle=40)
    ///     >>> solved, report = box.solve(elasticity=(210e9, 0.3), fix=[0], total_force={5: (0, 100, 0)})
    ///     >>> round(report["reactions"][0]["reaction"][1], 4)
    ///     -100.0
    #[pyo3(signature = (*, elasticity=None, heat=None, material_axes=None, fix=None, temperature=None, load=None,
                        total_force=None, pressure=None, body=None, flux=None, source=None,
                        tolerance=1e-10, gauss=5, rings=None, operator="auto",
                        backend="auto"))]
    #[allow(clippy::too_many_arguments, reason = "keywords")]
    fn solve<'py>(
        &self,
        py: Python<'py>,
        elasticity: Option<&Bound<'py, PyAny>>,
        heat: Option<&Bound<'py, PyAny>>,
        material_axes: Option<[String; 2]>,
        fix: Option<&Bound<'py, PyAny>>,
        temperature: Option<&Bound<'py, PyDict>>,
        load: Option<&Bound<'py, PyDict>>,
        total_force: Option<&Bound<'py, PyDict>>,
        pressure: Option<&Bound<'py, PyDict>>,
        body: Option<[f64; 3]>,
        flux: Option<&Bound<'py, PyDict>>,
        source: Option<f64>,
        tolerance: f64,
        #[pyo3(from_py_with = count::gauss)] gauss: usize,
        #[pyo3(from_py_with = count::rings)] rings: Option<usize>,
        operator: &str,
        backend: &str,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let whole = |PartLoad { part, traction }| PartForce { part, force: traction };
        let request = SolveRequest {
            scheme: QuadratureScheme { gauss, rings },
            elasticity: elastic_materials(elasticity)?,
            material_axes: material_axes.map(MaterialAxes),
            heat: by_groups(heat, |group, conductivity| ThermalMaterial { group, conductivity })
                .ok_or_else(|| refused("heat is wrong", "give a number or {group: number}"))?,
            fix: fixes(fix)?,
            temperature: part_values("temperature", temperature)?,
            load: part_loads("load", load)?,
            total_force: part_loads("total_force", total_force)?.into_iter().map(whole).collect(),
            pressure: part_values("pressure", pressure)?,
            body,
            flux: part_values("flux", flux)?,
            source,
            tolerance,
            operator: named("operator", operator)?,
            backend: backend.parse::<Choice>().py()?,
            ..SolveRequest::default()
        };
        let (mesh, solid) = (&self.shared.mesh, &self.shared.solid);
        let (solved, report) = PythonNotes::hear(py, |notes| request.run(mesh, solid, notes))?;
        (PySolid::build(py, solved)?, dictionary(py, &report)?).into_pyobject(py)
    }
}
