//! Voxels of a solid.

use pyo3::prelude::*;
use subsolid::backend::Choice;
use subsolid::jobs::slice::{SliceImages, SliceLattice, SliceRequest};
use subsolid::numbers::Length;
use subsolid::slice::Graded;

use crate::count;
use crate::layer_options;
use crate::layer_source::{LayerPart, PartModel};
use crate::slice::{LayerCut, PySlices};
use crate::solid::PySolid;

#[pymethods]
impl PySolid {
    /// Voxels of the limit: how much of each is material.
    ///
    /// Lengths are numbers of the model's length unit. The array is all that takes memory besides a few
    /// layers.
    ///
    /// Args:
    ///     pitch: Edge length of a voxel.
    ///     planes: Planes per layer of voxels over which coverage is averaged, 1 to 64.
    ///     lattice: Tiles of the cells that are the material: "schwarz-p", "iwp", "bcc", "octet" or
    ///         "cubic"; None for a solid.
    ///     per_cell: Tiles along each edge of a cell; None for 1.
    ///     thickness: Thickness of walls, or diameter of struts; or "attr:NAME".
    ///     level: Level up to which the function of a tile is material; or "attr:NAME".
    ///     density: Part of a tile that is material; or "attr:NAME".
    ///     skin: Thickness of a shell that stays whole; None for no shell.
    ///
    /// Returns:
    ///     An array (layers, rows, columns), uint16: 0 for nothing, 65535 for all of a voxel. Axes are
    ///     z, y and x: layers of the height pitch, of pixels of that size.
    ///
    /// Raises:
    ///     Error: For a pitch that is not above 0, sizes of a lattice out of range, and voxels that would
    ///         fill the memory.
    ///
    /// Example:
    ///     >>> box = subsolid.shape("box", 2, 2, 2).with_creases(crease_angle=40)
    ///     >>> voxels = box.voxels(0.125, lattice="schwarz-p", per_cell=2, level=0)
    ///     >>> voxels.shape, bool(abs(voxels.mean() / 65535 - 0.5) < 1e-4)
    ///     ((16, 16, 16), True)
    #[pyo3(signature = (pitch, *, planes=1, lattice=None, per_cell=None, thickness=None, level=None, density=None, skin=None))]
    #[allow(clippy::too_many_arguments)]
    fn voxels<'py>(
        &self,
        py: Python<'py>,
        pitch: f64,
        #[pyo3(from_py_with = count::planes)] planes: usize,
        lattice: Option<&str>,
        #[pyo3(from_py_with = count::per_cell)] per_cell: Option<usize>,
        #[pyo3(from_py_with = layer_options::thickness)] thickness: Option<Graded<Length>>,
        #[pyo3(from_py_with = layer_options::fill)] level: Option<Graded>,
        #[pyo3(from_py_with = layer_options::fill)] density: Option<Graded>,
        #[pyo3(from_py_with = layer_options::length)] skin: Option<Length>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let lattice = layer_options::tile(lattice)?;
        let images = SliceImages { pixel: Some(pitch.into()), ..SliceImages::default() };
        let request = SliceRequest {
            layer_height: Some(pitch.into()),
            images,
            lattice: SliceLattice { lattice, per_cell, thickness, level, density, skin },
            backend: Choice::Cpu,
            ..SliceRequest::default()
        };
        let cut = LayerCut::new(request, planes, true)?;
        let part = LayerPart::new(PartModel::Solid(self.shared.clone(), None), None, None);
        PySlices::new(py, vec![part], cut, Some(Vec::new()), false)?.voxels(py)
    }
}
