//! Quadrature points and basis functions in batches.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use subsolid::quadrature::{Mapped, Mapping, PhysicalDerivatives, Scheme, physical_derivatives};
use subsolid::{Quadrature, Want};

use crate::arrays::moved;
use crate::cells::{Analyzed, MappingCell, QuadratureCell};
use crate::errors::IntoPython;
use crate::model::Moved;
use crate::solid::PySolid;

/// Quadrature points and basis functions of a solid, for any control points; made by
/// Solid.quadrature.
#[pyclass(frozen, name = "Quadrature", module = "subsolid")]
pub struct PyQuadrature {
    cell: Arc<QuadratureCell>,
    solid: Py<PySolid>,
}

impl PyQuadrature {
    pub fn new(
        py: Python<'_>,
        shared: Arc<Analyzed>,
        solid: Py<PySolid>,
        scheme: Scheme,
        second: bool,
    ) -> PyResult<Self> {
        let want = if second { Want::FIRST | Want::SECOND } else { Want::FIRST };
        let made = py.detach(|| {
            QuadratureCell::try_new(shared, |shared| Quadrature::new(&shared.solid, scheme, want))
        });
        Ok(Self { cell: Arc::new(made.py()?), solid })
    }

    /// Calls the assembly of matrices in Python.
    fn assembled<'py>(
        slf: &Bound<'py, Self>,
        name: &str,
        points: Option<Bound<'py, PyAny>>,
        options: &[(&str, Option<f64>)],
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let all = PyDict::new(py);
        all.set_item("points", points)?;
        for (key, value) in options {
            all.set_item(key, value)?;
        }
        py.import("subsolid._assembly")?.call_method(name, (slf,), Some(&all))
    }
}

#[pymethods]
impl PyQuadrature {
    /// Batches of leaves with equal basis functions, in parts of bounded size. Ctrl-C ends the
    /// iteration between two of them.
    ///
    /// Args:
    ///     points: Control points, (vertices, 3); those of the solid if None.
    ///     max_points: Most quadrature points of a batch, but at least one leaf.
    ///
    /// Returns:
    ///     An iterator of QuadratureBatch.
    #[pyo3(signature = (points=None, *, max_points=20_000))]
    fn batches(
        &self,
        py: Python<'_>,
        points: Option<Bound<'_, PyAny>>,
        max_points: usize,
    ) -> PyResult<PyBatches> {
        let shared = self.cell.borrow_owner();
        let given = Moved::new(points.as_ref(), None, shared.mesh.points.len())?;
        let controls = given.controls(shared.mesh.controls())?;
        let cell = self.cell.clone();
        let mapping = py.detach(|| {
            MappingCell::try_new(cell, |cell| Mapping::new(cell.borrow_dependent(), controls))
        });
        let pieces = self.cell.borrow_dependent().pieces(max_points).into_iter();
        Ok(PyBatches { mapping: mapping.py()?, pieces: Mutex::new(pieces) })
    }

    /// Mass matrix Σ ρ N Nᵀ as a scipy.sparse.csr_matrix, (vertices, vertices).
    #[pyo3(signature = (*, points=None, density=1.0))]
    fn mass<'py>(
        slf: &Bound<'py, Self>,
        points: Option<Bound<'py, PyAny>>,
        density: f64,
    ) -> PyResult<Bound<'py, PyAny>> {
        Self::assembled(slf, "mass", points, &[("density", Some(density))])
    }

    /// Stiffness matrix Σ κ ∇N · ∇N as a scipy.sparse.csr_matrix, (vertices, vertices).
    #[pyo3(signature = (*, points=None, conductivity=1.0))]
    fn stiffness<'py>(
        slf: &Bound<'py, Self>,
        points: Option<Bound<'py, PyAny>>,
        conductivity: f64,
    ) -> PyResult<Bound<'py, PyAny>> {
        Self::assembled(slf, "stiffness", points, &[("conductivity", Some(conductivity))])
    }

    /// Matrix of linear isotropic elasticity as a scipy.sparse.csr_matrix,
    /// (3 vertices, 3 vertices); unknown 3 v + d is displacement d of vertex v.
    ///
    /// Args:
    ///     young: Young's modulus.
    ///     poisson: Poisson's ratio, above -1 and below 0.5.
    #[pyo3(signature = (*, points=None, young=1.0, poisson=0.3))]
    fn elasticity<'py>(
        slf: &Bound<'py, Self>,
        points: Option<Bound<'py, PyAny>>,
        young: f64,
        poisson: f64,
    ) -> PyResult<Bound<'py, PyAny>> {
        let options = [("young", Some(young)), ("poisson", Some(poisson))];
        Self::assembled(slf, "elasticity", points, &options)
    }

    /// The solid.
    #[getter]
    fn solid(&self, py: Python<'_>) -> Py<PySolid> {
        self.solid.clone_ref(py)
    }

    /// Number of control points.
    #[getter]
    fn n_vertices(&self) -> usize {
        self.cell.borrow_owner().mesh.points.len()
    }

    /// Number of quadrature points.
    fn __len__(&self) -> usize {
        self.cell.borrow_dependent().sample_count()
    }
}

/// Iterator of the batches of a quadrature.
#[pyclass(frozen, name = "Batches", module = "subsolid")]
pub struct PyBatches {
    mapping: MappingCell,
    pieces: Mutex<std::vec::IntoIter<(usize, Range<usize>)>>,
}

#[pymethods]
impl PyBatches {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __len__(&self) -> usize {
        self.pieces.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        py.check_signals()?;
        let next = self.pieces.lock().unwrap_or_else(PoisonError::into_inner).next();
        let Some((at, leaves)) = next else { return Ok(None) };
        let mapping = self.mapping.borrow_dependent();
        let quadrature = mapping.quadrature();
        let (basis, mapped, physical) = py
            .detach(|| -> subsolid::Result<_> {
                let (mut mapped, mut physical) =
                    (Mapped::default(), PhysicalDerivatives::default());
                mapping.evaluate(at, leaves.clone(), &mut mapped)?;
                let basis = quadrature.basis(at);
                physical_derivatives(&basis, &mapped, &mut physical);
                Ok((basis.into_owned(), mapped, physical))
            })
            .py()?;
        let batch = &quadrature.batches()[at];
        let solid = quadrature.solid();
        let (n, s, c) = (leaves.len(), basis.samples, basis.controls);
        let (mut cells, mut corners, mut parameters) = (Vec::new(), Vec::new(), Vec::new());
        let local = quadrature.parameters(at);
        for &leaf in &batch.leaves[leaves.clone()] {
            let own = &solid.leaves()[leaf as usize];
            let element = &solid.elements()[own.element as usize];
            cells.push(i64::from(element.cell));
            corners.push(element.corner.map_or(-1, i64::from));
            let (origin, size) = (quadrature.origin(leaf), 0.5_f64.powi(i32::from(own.depth)));
            for p in &local {
                parameters.extend((0..3).map(|d| origin[d] + size * p[d]));
            }
        }
        let ids: Vec<i64> = batch.control_ids[leaves.start * c..leaves.end * c]
            .iter()
            .map(|&id| i64::from(id))
            .collect();
        let all = PyDict::new(py);
        all.set_item("cells", moved(py, cells, &[n])?)?;
        all.set_item("corners", moved(py, corners, &[n])?)?;
        all.set_item("control_ids", moved(py, ids, &[n, c])?)?;
        all.set_item("parameters", moved(py, parameters, &[n, s, 3])?)?;
        all.set_item("values", moved(py, basis.values, &[s, c])?)?;
        all.set_item("gradients", moved(py, basis.gradients, &[s, 3, c])?)?;
        let second = (!basis.second.is_empty()).then(|| moved(py, basis.second, &[s, 6, c]));
        all.set_item("second", second.transpose()?)?;
        all.set_item("points", moved(py, mapped.points.into_flattened(), &[n, s, 3])?)?;
        all.set_item("weights", moved(py, mapped.measures, &[n, s])?)?;
        let jacobians = mapped.jacobians.into_flattened().into_flattened();
        all.set_item("jacobians", moved(py, jacobians, &[n, s, 3, 3])?)?;
        all.set_item("det_j", moved(py, mapped.determinants, &[n, s])?)?;
        let inverses = mapped.inverse_jacobians.into_flattened().into_flattened();
        all.set_item("inverse_jacobians", moved(py, inverses, &[n, s, 3, 3])?)?;
        all.set_item("physical_gradients", moved(py, physical.gradients, &[n, s, 3, c])?)?;
        py.import("subsolid._types")?.call_method("QuadratureBatch", (), Some(&all)).map(Some)
    }
}
