//! Bézier extraction.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use subsolid::bezier::{Extraction, Pieces};
use subsolid::{io, memory};

use crate::cells::Analyzed;
use crate::count;
use crate::dataset::arrays_of;
use crate::errors::{IntoPython, refused, warn_of_losses};
use crate::solid::PySolid;
use crate::threads::WithoutLock;

/// Operators over the vertices, unless refined points are control points too.
fn operators(
    pieces: &Pieces<'_>,
    refined_points: bool,
    help: &'static str,
) -> subsolid::Result<Extraction> {
    let extraction = Extraction::new(pieces)?;
    if refined_points {
        return Ok(extraction);
    }
    // what is made of them stands beside them
    let most = memory::physical_memory().map_or(usize::MAX, |all| (all / 4) as usize);
    extraction.expanded(most).map_err(|e| e.with_help(help))
}

#[pymethods]
impl PySolid {
    /// Bézier extraction operators as arrays by name; those of `subsolid extract`. Groups and data
    /// of cells are left out, with a UserWarning.
    ///
    /// Args:
    ///     rings: Rings of pieces toward extraordinary edges and vertices, 0 to 8.
    ///     refined_points: Keep refined points as control points, with rows over the vertices.
    ///
    /// Returns:
    ///     Arrays by name.
    ///
    /// Raises:
    ///     Error: For rings out of range.
    ///
    /// Example:
    ///     >>> box = subsolid.shape("box", 2, 2, 2)
    ///     >>> arrays = box.extract(1)
    #[pyo3(signature = (rings=2, *, refined_points=false))]
    fn extract<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = count::rings)] rings: usize,
        refined_points: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        let Analyzed { mesh, solid, .. } = &*self.shared;
        warn_of_losses(py, "", &io::lost_data(mesh, false))?;
        let arrays = py.work(|| -> subsolid::Result<_> {
            let pieces = Pieces::new(solid, rings)?;
            let help = "give refined_points=True, or fewer rings";
            let extraction = operators(&pieces, refined_points, help)?;
            let bounds = pieces.error_bounds(&mesh.points)?;
            extraction.arrays(solid, mesh.controls(), &bounds)
        });
        arrays_of(py, arrays.py()?)
    }

    /// Writes the Bézier extraction operators as a .bext file (Bézier extraction text, version
    /// 2.0), as `subsolid extract` does. numpy.savez(path, **extract()) writes their arrays. Groups
    /// and data of cells are left out, with a UserWarning.
    ///
    /// Args:
    ///     path: Name of the file.
    ///     rings: Rings of pieces toward extraordinary edges and vertices, 0 to 8.
    ///
    /// Raises:
    ///     Error: For another ending, rings out of range, and a file that cannot be written. It appears
    ///         under its name when it is complete.
    ///
    /// Example:
    ///     >>> box = subsolid.shape("box", 2, 2, 2)
    ///     >>> box.write_bext("box.bext", rings=0)
    #[pyo3(signature = (path, *, rings=2))]
    fn write_bext(
        &self,
        py: Python<'_>,
        path: PathBuf,
        #[pyo3(from_py_with = count::rings)] rings: usize,
    ) -> PyResult<()> {
        if !path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("bext")) {
            let message = format!("{}: not a .bext file", path.display());
            return Err(refused(message, "end its name in .bext"));
        }
        io::atomic::check(&path).py()?;
        let Analyzed { mesh, solid, .. } = &*self.shared;
        warn_of_losses(py, &format!("{}: ", path.display()), &io::lost_data(mesh, false))?;
        let write = || -> subsolid::Result<()> {
            let pieces = Pieces::new(solid, rings)?;
            let extraction = operators(&pieces, false, "give fewer rings")?;
            io::write_bext(&path, &extraction.patch(&mesh.points)?)
        };
        py.work(write).py()
    }
}
