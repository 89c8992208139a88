//! The limit as cells for viewers: grids of PyVista.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use subsolid::backend::{Backend, Cpu, Precision};
use subsolid::bezier::CELL_RINGS;
use subsolid::io::{self, Dataset};
use subsolid::limit::Solid;
use subsolid::mesh::{Attribute, SolidMesh};
use subsolid::plan::{Samples, Want};
use subsolid::volume::{self, Sharing, unjoined_hexahedra, unjoined_notice};
use subsolid::{Limit, Plan, memory};

use crate::cells::Analyzed;
use crate::count;
use crate::dataset::dataset_of;
use crate::errors::{IntoPython, refused, warn, warn_of_losses};
use crate::solid::PySolid;
use crate::threads::WithoutLock;

/// What cells are made.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ViewerCells {
    Lagrange,
    Bezier,
    Control,
    /// Hexahedra between so many samples along each axis.
    Samples(usize),
}

impl ViewerCells {
    fn of(cells: &Bound<'_, PyAny>) -> PyResult<Self> {
        let help = "give \"lagrange\", \"bezier\", \"control\", or samples along each axis";
        let Ok(name) = cells.extract::<String>() else {
            let samples: Result<usize, _> = cells.extract();
            return samples.map(Self::Samples).map_err(|_| refused("cells of another kind", help));
        };
        match name.as_str() {
            "lagrange" => Ok(Self::Lagrange),
            "bezier" => Ok(Self::Bezier),
            "control" => Ok(Self::Control),
            other => Err(refused(format!("cells={other:?}"), help)),
        }
    }
}

/// Refuses a grid of the results that would fill the memory.
fn check_grid(plan: &Plan<'_>, mesh: &SolidMesh) -> subsolid::Result<()> {
    let all = 0..plan.solid().elements().len();
    let widths: Vec<usize> = mesh.attributes.iter().map(|attribute| attribute.width).collect();
    let results = plan.result_count(&all);
    // the results, the arrays of the grid, and about one cell a result
    let ids = 9 * 8 + 4 * 9 + 1;
    let need = 2 * plan.result_bytes(&all, &widths, Precision::F64) + (results * ids) as u128;
    memory::check_half(format!("a grid of {results} points needs"), need, |_| {
        "ask for fewer samples, or refine the solid less".into()
    })
}

/// The cells, with the data of those that they are of, and the names of data that are left out.
fn dataset(
    shared: &Analyzed,
    shape: ViewerCells,
    rings: usize,
) -> subsolid::Result<(Dataset, Vec<&str>)> {
    let Analyzed { mesh, solid, .. } = shared;
    let mut dataset = match shape {
        ViewerCells::Control => return Ok((Dataset::from(mesh), Vec::new())),
        ViewerCells::Bezier => {
            let bezier = volume::Bezier::new(solid, rings)?;
            bezier.piece(mesh.controls(), 0..solid.elements().len())?.dataset
        }
        ViewerCells::Lagrange => sampled(solid, mesh, 4, volume::lagrange)?,
        ViewerCells::Samples(n) => sampled(solid, mesh, n, volume::hexahedra)?,
    };
    let left_out = volume::add_cell_data(&mut dataset, &mesh.cell_data);
    Ok((dataset, left_out))
}

/// Cells of `n` samples along each axis, as `make` makes them.
fn sampled(
    solid: &Solid,
    mesh: &SolidMesh,
    n: usize,
    make: impl Fn(&Plan<'_>, &Limit, &[Attribute], Sharing<'_>) -> subsolid::Result<Dataset>,
) -> subsolid::Result<Dataset> {
    let plan = solid.plan(&Samples::grid(n), Want::POSITION)?;
    check_grid(&plan, mesh)?;
    let limit = Cpu::default().evaluate(&plan, mesh.controls())?;
    make(&plan, &limit, &mesh.attributes, Sharing::Welded)
}

/// Warns of hexahedra whose points are not those of the cells beside them.
fn warn_of_unjoined(py: Python<'_>, solid: &Solid, shape: ViewerCells) -> PyResult<()> {
    if matches!(shape, ViewerCells::Bezier | ViewerCells::Control) {
        return Ok(());
    }
    let count = unjoined_hexahedra(solid, 0..solid.elements().len());
    unjoined_notice(count)
        .map_or(Ok(()), |notice| warn(py, &format!("{notice}; refine() joins them")))
}

#[pymethods]
impl PySolid {
    /// The limit as a pyvista.UnstructuredGrid, with attributes as point data and the data of the
    /// cells, except arrays named like the grid's own: "cell", "class", "error_bound".
    /// Neighboring cells share points, but for hexahedra beside cells that are evaluated in parts
    /// (wedges, tetrahedra, polyhedra): a UserWarning counts them, and refine() joins them. Bézier
    /// cells share none.
    ///
    /// Args:
    ///     cells: "lagrange" (also None) for one cubic cell each, "bezier" for exact Bézier cells,
    ///         "control" for the control mesh, or samples along each axis for plain hexahedra.
    ///     rings: Rings of Bézier cells toward extraordinary edges and vertices, 0 to 8; None for 3.
    ///
    /// Warns:
    ///     UserWarning: Of groups of faces and of cell arrays that the grid does not have.
    ///
    /// Raises:
    ///     Error: If PyVista is missing, and for rings of other cells.
    ///
    /// Returns:
    ///     A pyvista.UnstructuredGrid.
    ///
    /// Example:
    ///     >>> box = subsolid.shape("box", 2, 2, 2)
    ///     >>> box.to_pyvista().n_cells
    ///     8
    #[pyo3(signature = (cells=None, *, rings=None))]
    fn to_pyvista<'py>(
        slf: &Bound<'py, Self>,
        cells: Option<Bound<'py, PyAny>>,
        #[pyo3(from_py_with = count::rings)] rings: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let shape = cells.as_ref().map_or(Ok(ViewerCells::Lagrange), ViewerCells::of)?;
        if rings.is_some() && shape != ViewerCells::Bezier {
            let help = "leave rings out, or give cells=\"bezier\"";
            return Err(refused("rings are of Bézier cells", help));
        }
        let rings = rings.unwrap_or(CELL_RINGS);
        let module = slf.py().import("subsolid._pyvista")?;
        let grid = module.call_method1("to_pyvista", (slf, cells, rings, true))?;
        warn_of_unjoined(slf.py(), &slf.get().shared.solid, shape)?;
        Ok(grid)
    }

    /// Cells for a viewer, as arrays: what to_pyvista makes a grid of. If `warns`, of data that it
    /// does not have.
    fn _dataset<'py>(
        &self,
        py: Python<'py>,
        cells: &Bound<'py, PyAny>,
        #[pyo3(from_py_with = count::rings)] rings: usize,
        warns: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        let shape = ViewerCells::of(cells)?;
        let (dataset, left_out) = py.work(|| dataset(&self.shared, shape, rings)).py()?;
        if warns && shape != ViewerCells::Control {
            warn_of_losses(py, "", &io::lost_data(&self.shared.mesh, true))?;
            volume::left_out_notice(&left_out).map_or(Ok(()), |notice| warn(py, &notice))?;
        }
        dataset_of(py, dataset)
    }
}
