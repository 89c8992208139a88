//! Matrices of finite elements as their products with vectors.

use std::sync::Arc;

use numpy::PyUntypedArrayMethods;
use pyo3::prelude::*;
use subsolid::assembly::{MatrixFree, Operator};
use subsolid::jobs::MaterialAxes;
use subsolid::jobs::solve::{SolveRequest, ThermalMaterial};
use subsolid::numbers::counted;
use subsolid::quadrature::{Mapping, QuadratureScheme, check_positive, jacobians};
use subsolid::{Quadrature, Want};

use crate::arrays::{floats, moved, slice};
use crate::cells::{MappingCell, OperatorCell, QuadratureCell};
use crate::count;
use crate::errors::{IntoPython, refused};
use crate::solid::PySolid;
use crate::solve::{by_groups, elastic_materials};
use crate::threads::WithoutLock;

/// A matrix of finite elements as its products with vectors, made by Solid.operator: what
/// scipy.sparse.linalg takes for a LinearOperator.
#[pyclass(frozen, name = "Operator", module = "subsolid")]
pub struct PyOperator {
    cell: OperatorCell,
}

impl PyOperator {
    fn own(&self) -> &MatrixFree<'_> {
        self.cell.borrow_dependent()
    }
}

#[pymethods]
impl PySolid {
    /// A matrix of finite elements as its products with vectors, which take a twentieth of the memory
    /// of the matrix where cells are regular. One of mass, heat and elasticity is given.
    ///
    /// Args:
    ///     mass: The density; or
    ///     heat: The conductivity, or a dictionary of it by groups of cells, None for all others; or
    ///     elasticity: Young's modulus and Poisson's ratio, or (E1, E2, E3, G12, G23, G13, nu12,
    ///         nu23, nu13), or a dictionary of these by groups of cells.
    ///     material_axes: Names of two attributes or cell arrays, axis 1 and a vector beside it; x, y, z
    ///         unless given.
    ///     gauss: Gauss points along each axis of a box, 1 to 32.
    ///     rings: Rings of boxes toward extraordinary edges and vertices; None for as many as
    ///         integrals accurate to 1e-10 need.
    ///
    /// Returns:
    ///     The operator; unknown 3 v + d of elasticity is displacement d of vertex v.
    ///
    /// Raises:
    ///     Error: For values out of range and groups that the solid does not have, and where the
    ///         Jacobian determinant is not positive at quadrature points.
    ///
    /// Example:
    ///     >>> box = subsolid.shape("box", 4, 4, 4).with_creases(crease_angle=40)
    ///     >>> operator = box.operator(heat=2.0)
    ///     >>> operator.shape
    ///     (125, 125)
    ///     >>> bool(abs(operator @ np.ones(125)).max() < 1e-12)
    ///     True
    #[pyo3(signature = (*, mass=None, heat=None, elasticity=None, material_axes=None, gauss=5,
                        rings=None))]
    #[allow(clippy::too_many_arguments, reason = "keywords")]
    fn operator(
        &self,
        py: Python<'_>,
        mass: Option<f64>,
        heat: Option<&Bound<'_, PyAny>>,
        elasticity: Option<&Bound<'_, PyAny>>,
        material_axes: Option<[String; 2]>,
        #[pyo3(from_py_with = count::gauss)] gauss: usize,
        #[pyo3(from_py_with = count::rings)] rings: Option<usize>,
    ) -> PyResult<PyOperator> {
        let given = [mass.is_some(), heat.is_some(), elasticity.is_some()];
        if given.iter().filter(|is_given| **is_given).count() != 1 {
            return Err(refused("one operator is made at a time", "give mass, heat or elasticity"));
        }
        let shared = self.shared.clone();
        let scheme = QuadratureScheme { gauss, rings };
        scheme.check().py()?;
        let operators = match mass {
            Some(density) => Operator::Mass { density }.into(),
            None => {
                let request = SolveRequest {
                    elasticity: elastic_materials(elasticity)?,
                    material_axes: material_axes.map(MaterialAxes),
                    heat: by_groups(heat, |group, conductivity| ThermalMaterial {
                        group,
                        conductivity,
                    })
                    .ok_or_else(|| refused("heat is wrong", "give a number or {group: number}"))?,
                    ..SolveRequest::default()
                };
                request.operators(&shared.mesh).py()?
            }
        };
        let cell = py.work(|| {
            Quadrature::check_memory(&shared.solid, scheme, Want::FIRST)?;
            let quadrature = QuadratureCell::try_new(shared, |shared| {
                Quadrature::new(&shared.solid, scheme, Want::FIRST)
            })?;
            let mapping = MappingCell::try_new(Arc::new(quadrature), |cell| {
                Mapping::new(cell.borrow_dependent(), cell.borrow_owner().mesh.controls())
            })?;
            check_positive(&jacobians(mapping.borrow_dependent())?)?;
            OperatorCell::try_new(Arc::new(mapping), |mapping| {
                MatrixFree::new(mapping.borrow_dependent(), &operators, |_| ())
            })
        });
        Ok(PyOperator { cell: cell.py()? })
    }
}

#[pymethods]
impl PyOperator {
    /// Numbers of rows and columns.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        (self.own().size(), self.own().size())
    }

    /// Type of the numbers: float64.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> Bound<'py, numpy::PyArrayDescr> {
        numpy::dtype::<f64>(py)
    }

    /// Bytes that it takes in memory, beside the solid.
    #[getter]
    fn nbytes(&self) -> usize {
        self.own().bytes()
    }

    /// The product with a vector, or with each column of an array.
    ///
    /// Args:
    ///     x: Numbers, (n,) or (n, columns).
    ///
    /// Returns:
    ///     The product, of the same shape.
    ///
    /// Raises:
    ///     Error: For another number of rows.
    ///
    /// Example:
    ///     >>> mass = subsolid.shape("box", 2, 2, 2).operator(mass=1.0)
    ///     >>> mass.matvec(np.ones(27)).shape
    ///     (27,)
    fn matvec<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let x = floats(x, "x")?;
        let (size, shape) = (self.own().size(), x.shape().to_vec());
        if !matches!(shape[..], [n] | [n, _] if n == size) {
            return Err(refused(
                format!("x has the shape {shape:?}"),
                &format!("give {}: an array of shape ({size},)", counted(size, "row")),
            ));
        }
        let columns = shape.get(1).copied().unwrap_or(1);
        let numbers = slice(&x)?;
        let product = py.work(|| {
            let mut product = vec![0.0; numbers.len()];
            let mut y = vec![0.0; size];
            for column in 0..columns {
                let own: Vec<f64> = numbers.iter().skip(column).step_by(columns).copied().collect();
                self.own().apply(&own, &mut y);
                let to = product.iter_mut().skip(column).step_by(columns);
                to.zip(&y).for_each(|(to, y)| *to = *y);
            }
            product
        })?;
        Ok(moved(py, product, &shape)?.into_any())
    }

    /// The product of the transposed, which is the same: the operator is symmetric.
    ///
    /// Args:
    ///     x: Numbers, (n,) or (n, columns).
    ///
    /// Returns:
    ///     The product, of the same shape.
    ///
    /// Raises:
    ///     Error: For another number of rows.
    ///
    /// Example:
    ///     >>> mass = subsolid.shape("box", 2, 2, 2).operator(mass=1.0)
    ///     >>> bool((mass.rmatvec(np.ones(27)) == mass.matvec(np.ones(27))).all())
    ///     True
    fn rmatvec<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.matvec(py, x)
    }

    /// The products with the columns of an array.
    ///
    /// Args:
    ///     x: Numbers, (n,) or (n, columns).
    ///
    /// Returns:
    ///     The product, of the same shape.
    ///
    /// Raises:
    ///     Error: For another number of rows.
    ///
    /// Example:
    ///     >>> mass = subsolid.shape("box", 2, 2, 2).operator(mass=1.0)
    ///     >>> mass.matmat(np.ones((27, 2))).shape
    ///     (27, 2)
    fn matmat<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.matvec(py, x)
    }

    fn __matmul__<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.matvec(py, x)
    }

    /// The entries of the diagonal, (n,).
    ///
    /// Returns:
    ///     The entries, for preconditioners.
    ///
    /// Raises:
    ///     Error: Where the Jacobian of the limit overflows.
    ///
    /// Example:
    ///     >>> mass = subsolid.shape("box", 2, 2, 2).operator(mass=1.0)
    ///     >>> bool((mass.diagonal() > 0).all())
    ///     True
    fn diagonal<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let diagonal = py.work(|| self.own().diagonal())?.py()?;
        let count = diagonal.len();
        Ok(moved(py, diagonal, &[count])?.into_any())
    }

    fn __repr__(&self) -> String {
        let size = self.own().size();
        format!("<subsolid.Operator: {size} x {size}>")
    }
}
