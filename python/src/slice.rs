//! Layers, one at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use pyo3::exceptions::{PyIndexError, PyOverflowError};
use pyo3::prelude::*;
use pyo3::types::PyList;
use subsolid::mesh::{Attribute, CellArray, Controls, SolidMesh};
use subsolid::numbers::counted;
use subsolid::plan::{Cost, LayersJob};
use subsolid::slice::{
    Channel, ClosedSurface, Layer, LayerSource, Materials, PixelGrid, PreparedSurface, Sampling,
    Setting, Slicer, SolidSource, fingerprint, named_arrays, surface_fingerprint, thin_walls,
};
use subsolid::surface::Scheme;
use subsolid::{SurfaceMesh, memory};

use crate::arrays::{by_name, moved};
use crate::cells::Analyzed;
use crate::cut::{LayerCut, WantedAttributes};
use crate::errors::{IntoPython, refused, warn, words};
use crate::layer_source::{Layers, ModelSource};
use crate::materials::WantedMaterials;
use crate::model::Moved;
use crate::threads::WithoutLock;

/// Lower left corner, edge length of a pixel, columns and rows.
type PixelArguments = ((f64, f64), f64, (usize, usize));

/// Maximum number of pixels of a layer.
const MAX_LAYER_PIXELS: f64 = (1_u64 << 32) as f64;

/// The layers of a solid or a surface: an iterator that also has a length and takes indices. Made
/// by Solid.slice and Surface.slice.
#[pyclass(frozen, name = "Slices", module = "subsolid")]
pub struct PySlices {
    pub layers: Layers,
    pub setting: Setting,
    pub grid: Option<PixelGrid>,
    pub planes: usize,
    pub sampling: Sampling,
    cut: LayerCut,
    // control points in place of those of the solid
    points: Option<Vec<[f64; 3]>>,
    // whether layers have each channel of the source
    shown: Vec<bool>,
    pub materials: Option<Materials>,
    next: AtomicUsize,
}

/// Refuses layers of more pixels than can be listed, or than fit into memory.
fn check_size(grid: &PixelGrid, channels: usize) -> PyResult<()> {
    let [columns, rows] = grid.size;
    let pixels = columns as f64 * rows as f64;
    if pixels > MAX_LAYER_PIXELS {
        return Err(refused(
            format!("pixels of size {} make layers of {pixels:.1e} pixels", grid.pitch),
            "give larger pixels",
        ));
    }
    // coverage and material, and the channels twice: as the library has them and as images
    let need = columns as u128 * rows as u128 * (2 + 1 + 2 * 8 * channels as u128);
    memory::check_half(format!("layers of {columns} × {rows} pixels need"), need, |_| {
        "give larger pixels".into()
    })
    .py()
}

impl PySlices {
    pub fn of_solid(
        py: Python<'_>,
        shared: &Arc<Analyzed>,
        given: &Moved<'_>,
        cut: LayerCut,
        attributes: WantedAttributes,
        materials: Option<WantedMaterials>,
    ) -> PyResult<Self> {
        let mut controls = given.controls(shared.mesh.controls())?;
        let (mut wanted, mut wanted_arrays) = (Vec::new(), Vec::new());
        match &attributes {
            WantedAttributes::All if cut.pixels.is_none() => {}
            WantedAttributes::All => wanted = controls.attributes.to_vec(),
            WantedAttributes::Named(names) => {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                (wanted, wanted_arrays) = named_arrays(&names, &shared.mesh).py()?;
            }
        }
        if let Some(materials) = &materials {
            let new = |a: &&Attribute| {
                materials.has_attribute(a) && wanted.iter().all(|known| known.name != a.name)
            };
            let more: Vec<_> = controls.attributes.iter().filter(new).cloned().collect();
            wanted.extend(more);
            let new = |a: &&CellArray| {
                materials.has_array(a) && wanted_arrays.iter().all(|known| known.name != a.name)
            };
            let more: Vec<_> = shared.mesh.cell_data.iter().filter(new).cloned().collect();
            wanted_arrays.extend(more);
        }
        controls = Controls { attributes: &wanted, ..controls };
        let (arrays, options) = (&wanted_arrays[..], cut.options());
        let source = ModelSource::of_solid(py, shared, controls, arrays, false, options)?;
        let mut slices = Self::of(py, source, cut)?;
        let channels = slices.channels();
        slices.shown = channels.iter().map(|channel| attributes.has(channel)).collect();
        slices.points = given.points()?.map(<[_]>::to_vec);
        if let Some(wanted) = materials {
            slices.materials = Some(wanted.choose(&channels, &wanted_arrays)?);
        }
        Ok(slices)
    }

    pub fn of_surface(
        py: Python<'_>,
        mesh: &SurfaceMesh,
        scheme: Scheme,
        cut: LayerCut,
    ) -> PyResult<Self> {
        let made = py.work(|| {
            let prepared = ClosedSurface::prepare(mesh.clone(), scheme)?;
            let PreparedSurface { mesh, surface, .. } = &prepared;
            let slicer = Slicer::of_surface(surface, &mesh.points, cut.options())?;
            let sha256 = surface_fingerprint(mesh, scheme);
            Ok((prepared, slicer, sha256))
        });
        let (prepared, slicer, sha256) = made.py()?;
        prepared.notices().try_for_each(|notice| warn(py, &words(&notice)))?;
        let source = Box::new(SolidSource::outlines(slicer));
        Self::of(py, ModelSource::Surface(source, sha256), cut)
    }

    /// Identifies the model, as the program does.
    pub fn fingerprint(&self, py: Python<'_>) -> PyResult<String> {
        let cell = match &self.layers.source {
            ModelSource::Surface(_, sha256) => return Ok(sha256.clone()),
            ModelSource::Solid(cell) => cell,
        };
        let shared = cell.borrow_owner();
        py.work(|| match &self.points {
            None => shared.fingerprint(),
            Some(points) => {
                fingerprint(&SolidMesh { points: points.clone(), ..shared.mesh.clone() })
            }
        })
    }

    fn of(py: Python<'_>, source: ModelSource, cut: LayerCut) -> PyResult<Self> {
        let LayerCut { planes, sampling, .. } = cut;
        let (frame, channels) =
            source.with(|source| (source.slicer().frame(), source.channels().len()));
        let setting = Setting::new(frame, cut.height, cut.origin).py()?;
        let grid = cut.pixels.map(|pixels| setting.pixels(pixels)).transpose().py()?;
        let layers = match grid {
            None => Layers::outlines(source),
            Some(grid) => {
                check_size(&grid, channels)?;
                let (cells, layers) = (source.cells(), setting.stack.count());
                let pixels = layers.saturating_mul(grid.size[0]).saturating_mul(grid.size[1]);
                let job = LayersJob { cells, layers, pixels, attributes: channels };
                let made = Layers::new(py, source, cut.backend, &Cost::layers(job))?;
                if sampling == Sampling::Center {
                    let (stack, all) = (&setting.stack, 0..layers);
                    let walls =
                        made.ask(py, |source| thin_walls(source, stack, all, &grid)).py()?;
                    walls.map_or(Ok(()), |notice| warn(py, &words(&notice)))?;
                }
                made
            }
        };
        Ok(Self {
            layers,
            setting,
            grid,
            planes,
            sampling,
            cut,
            points: None,
            shown: Vec::new(),
            materials: None,
            next: AtomicUsize::new(0),
        })
    }

    /// The channels of the source.
    pub fn channels(&self) -> Vec<Channel> {
        self.layers.source.with(|source| source.channels().to_vec())
    }

    /// These layers with the places of their pixels, if they have none themselves.
    ///
    /// # Errors
    /// For a surface.
    pub fn placed(&self, py: Python<'_>) -> PyResult<Option<Self>> {
        let ModelSource::Solid(cell) = &self.layers.source else {
            return Err(refused(
                "a .pvtu needs the cells at the pixels: a surface has none inside",
                "slice a solid, or write another file",
            ));
        };
        if !self.channels().is_empty() {
            return Ok(None);
        }
        let shared = cell.borrow_owner();
        let positions = self.points.as_deref().unwrap_or(&shared.mesh.points);
        let controls = Controls { positions, attributes: &[] };
        let source = ModelSource::of_solid(py, shared, controls, &[], true, self.cut.options())?;
        let slices = Self::of(py, source, self.cut)?;
        Ok(Some(Self { points: self.points.clone(), ..slices }))
    }

    fn layer<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyAny>> {
        py.check_signals()?;
        let stack = &self.setting.stack;
        let height = stack.middle(index);
        type MadeLayer = (Layer, Option<Vec<u16>>, Vec<f64>, Option<Vec<u8>>);
        let cut = |source: &dyn LayerSource| -> subsolid::Result<MadeLayer> {
            let layer = source.contours(index, height)?.merged(self.setting.tolerance);
            let Some(grid) = &self.grid else { return Ok((layer, None, Vec::new(), None)) };
            let planes = stack.planes(index, self.planes);
            let coverage = source.coverage(&planes, grid, self.sampling)?;
            let values = match source.channels() {
                [] => Vec::new(),
                _ => source.attributes(height, grid, &coverage)?,
            };
            let columns = grid.size[0];
            let channels = source.channels().len();
            let paint = |materials: &Materials| {
                let painted = materials.paint(index, &coverage, columns, &values, channels);
                painted.map_err(|unfit| unfit.error(source, index, height, grid))
            };
            let painted = self.materials.as_ref().map(paint).transpose()?;
            Ok((layer, Some(coverage), values, painted))
        };
        let (layer, coverage, values, painted) = self.layers.ask(py, cut).py()?;
        let area = layer.area();
        let (contours, depths) = (PyList::empty(py), PyList::empty(py));
        for contour in layer.contours {
            let n = contour.points.len();
            contours.append(moved(py, contour.points.into_flattened(), &[n, 2])?)?;
            depths.append(contour.depth)?;
        }
        let attributes = by_name(py)?;
        let (mut image, mut materials) = (None, None);
        if let (Some(coverage), Some(grid)) = (coverage, &self.grid) {
            let shape = [grid.size[1], grid.size[0]];
            let channels = self.channels();
            let shown =
                channels.iter().zip(&self.shown).enumerate().filter(|(_, (_, shown))| **shown);
            for (c, (channel, _)) in shown {
                let mut own = values.iter().skip(c).step_by(channels.len());
                let pixel = |&covered: &u16| match covered {
                    0 => f64::NAN,
                    _ => own.next().copied().unwrap_or(f64::NAN),
                };
                let pixels = coverage.iter().map(pixel).collect();
                attributes.set_item(&channel.name, moved(py, pixels, &shape)?)?;
            }
            materials = painted.map(|painted| moved(py, painted, &shape)).transpose()?;
            image = Some(moved(py, coverage, &shape)?);
        }
        let class = py.import("subsolid._types")?.getattr("Layer")?;
        class.call1((index, height, contours, depths, area, image, attributes, materials))
    }
}

#[pymethods]
impl PySlices {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let index = self.next.fetch_add(1, Ordering::Relaxed);
        if index >= self.setting.stack.count() {
            self.next.store(self.setting.stack.count(), Ordering::Relaxed);
            return Ok(None);
        }
        self.layer(py, index).map(Some)
    }

    fn __len__(&self) -> usize {
        self.setting.stack.count()
    }

    fn __getitem__<'py>(&self, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, count) = (index.py(), self.setting.stack.count());
        let no_layer = || PyIndexError::new_err(format!("layer {index} of {count}"));
        let index: isize = index.extract().map_err(|error: PyErr| {
            if error.is_instance_of::<PyOverflowError>(py) { no_layer() } else { error }
        })?;
        let from_end =
            if index < 0 { count.checked_sub(index.unsigned_abs()) } else { Some(index as usize) };
        match from_end.filter(|&at| at < count) {
            Some(at) => self.layer(py, at),
            None => Err(no_layer()),
        }
    }

    fn __repr__(&self) -> String {
        let pixels =
            self.grid.map(|grid| format!(" of {} x {} pixels", grid.size[0], grid.size[1]));
        let layers = counted(self.__len__(), "layer");
        format!("<subsolid.Slices: {layers}{}>", pixels.unwrap_or_default())
    }

    /// Heights of the layers' middles, in length units, (n,).
    #[getter]
    fn heights<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let heights: Vec<f64> =
            (0..self.setting.stack.count()).map(|k| self.setting.stack.middle(k)).collect();
        let count = heights.len();
        Ok(moved(py, heights, &[count])?.into_any())
    }

    /// Names of the materials, that of number 1 first; empty without materials.
    #[getter]
    fn materials(&self) -> Vec<String> {
        let all = self.materials.iter().flat_map(Materials::list);
        all.map(|material| material.name.clone()).collect()
    }

    /// Lower left corner of the pixels in the plane's coordinates, edge length of a pixel, and
    /// (columns, rows); None without pixels.
    #[getter]
    fn pixels(&self) -> Option<PixelArguments> {
        let grid = self.grid?;
        Some(((grid.origin[0], grid.origin[1]), grid.pitch, (grid.size[0], grid.size[1])))
    }
}
