//! Layers, one at a time.

use std::sync::atomic::{AtomicUsize, Ordering};

use pyo3::exceptions::{PyIndexError, PyOverflowError};
use pyo3::prelude::*;
use pyo3::types::PyList;
use subsolid::jobs::slice::{ModelFile, ModelLayers, SliceRequest};
use subsolid::numbers::counted;
use subsolid::slice::{
    Channel, Layer, LayerPixels, LayerSource, Materials, PixelGrid, Sampling, check_planes,
    thin_walls,
};
use subsolid::{SurfaceMesh, memory};

use crate::arrays::{by_name, moved};
use crate::errors::{IntoPython, refused, warn, words};
use crate::layer_source::{LayerPart, ModelSource, PartArrays, PartModel};
use crate::notes::PythonNotes;
use crate::threads::WithoutLock;

/// Lower left corner, size of a pixel, columns and rows.
type PixelArguments<'py> = ((f64, f64), Bound<'py, PyAny>, (usize, usize));

/// Maximum number of pixels of a layer.
const MAX_LAYER_PIXELS: f64 = (1_u64 << 32) as f64;

/// How layers are cut.
pub struct LayerCut {
    pub request: SliceRequest,
    /// Planes that coverage is averaged over.
    pub planes: usize,
}

impl LayerCut {
    /// Layers of pixels that are gray or sampled at their centers.
    pub fn new(mut request: SliceRequest, planes: usize, antialias: bool) -> PyResult<Self> {
        request.check_cut().py()?;
        check_planes(planes).py()?;
        request.images.antialias = antialias.then_some(planes);
        Ok(Self { request, planes })
    }

    pub fn sampling(&self) -> Sampling {
        self.request.images.antialias.map_or(Sampling::Center, |_| Sampling::Area)
    }
}

/// The layers of a solid or a surface: an iterator that also has a length and takes indices. Made
/// by Solid.slice and Surface.slice.
#[pyclass(frozen, name = "Slices", module = "subsolid")]
pub struct PySlices {
    pub layers: ModelSource,
    pub model: ModelLayers,
    pub cut: LayerCut,
    parts: Vec<LayerPart>,
    // the channels of the source that layers have
    shown: Vec<usize>,
    next: AtomicUsize,
}

/// Refuses layers of more pixels than can be listed, or than fit into memory.
fn check_size(grid: &PixelGrid, channels: usize) -> PyResult<()> {
    let [columns, rows] = grid.size;
    let pixels = columns as f64 * rows as f64;
    if pixels > MAX_LAYER_PIXELS {
        return Err(refused(
            format!("pixels of size {:?} make layers of {pixels:.1e} pixels", grid.pitch),
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

/// The layers of a source on the processor of their pixels, if they have some.
fn layers_of(
    py: Python<'_>,
    mut source: ModelSource,
    model: &ModelLayers,
    request: &SliceRequest,
) -> PyResult<ModelSource> {
    let Some(grid) = &model.grid else { return Ok(source) };
    let channels = source.with(|source| source.channels().len());
    check_size(grid, channels)?;
    let layers = model.setting.stack.count();
    let cost = request.cost([source.cells(), channels], layers, model.grid);
    source.bring(py, request.backend, &cost)?;
    Ok(source)
}

/// A surface ready to be sliced.
pub fn surface_model(
    py: Python<'_>,
    mesh: &SurfaceMesh,
    request: &SliceRequest,
) -> PyResult<PartModel> {
    PythonNotes::hear(py, |notes| request.surface(mesh.clone(), ModelFile::default(), notes))
        .map(|model| PartModel::Surface(Box::new(model)))
}

impl PySlices {
    /// Layers with some attributes, arrays, groups and parts, or all of them, at their pixels; parts
    /// that overlap are refused if `strict`.
    pub fn new(
        py: Python<'_>,
        parts: Vec<LayerPart>,
        cut: LayerCut,
        attributes: Option<Vec<String>>,
        strict: bool,
    ) -> PyResult<Self> {
        let request = &cut.request;
        let wants_all = attributes.is_none() && request.images.pixel_size().is_some();
        let is_alone = matches!(&parts[..], [LayerPart { name: None, .. }]);
        let arrays = |part: &LayerPart| -> PyResult<PartArrays> {
            let Some(mesh) = part.solid() else { return Ok((Vec::new(), Vec::new())) };
            let (wanted, arrays) = request.arrays(mesh, is_alone).py()?;
            Ok((if wants_all { mesh.attributes.clone() } else { wanted }, arrays))
        };
        let arrays: Vec<PartArrays> = parts.iter().map(arrays).collect::<PyResult<_>>()?;
        let named = |name: &str| wants_all || request.wants(name);
        let source = ModelSource::new(py, &parts, &arrays, &named, request)?;
        let model = PythonNotes::hear(py, |notes| {
            source.with(|source| {
                let layers = request.layers_of(source, notes)?;
                let names: Vec<Option<String>> =
                    parts.iter().map(|part| part.name.clone()).collect();
                let (slicer, setting) = (source.slicer(), &layers.setting);
                request.check_overlaps(slicer, setting, (&names, strict), notes)?;
                Ok(layers)
            })
        })?;
        let layers = layers_of(py, source, &model, request)?;
        if let (Some(grid), Sampling::Center) = (model.grid, cut.sampling()) {
            let (stack, all) = (&model.setting.stack, 0..model.setting.stack.count());
            let look = |source: &dyn LayerSource| thin_walls(source, stack, all, &grid);
            let walls = layers.ask(py, |source| model.setting.ask(source, look)).py()?;
            walls.map_or(Ok(()), |notice| warn(py, &words(&notice)))?;
        }
        let lost = |source: &dyn LayerSource| {
            model.setting.compensated(source).map_or(Ok(None), |own| own.lost_walls())
        };
        let walls = layers.ask(py, lost).py()?;
        walls.map_or(Ok(()), |notice| warn(py, &words(&notice)))?;
        let next = AtomicUsize::new(0);
        let mut slices = Self { layers, model, cut, parts, shown: Vec::new(), next };
        let channels = slices.channels();
        let request = &slices.cut.request;
        slices.shown = (0..channels.len()).collect();
        if attributes.is_some() {
            let chosen = request.chosen(&channels).py()?;
            slices.shown.retain(|channel| chosen.iter().any(|(own, _)| own == channel));
        }
        let ids = arrays.first().and_then(|(_, arrays)| request.material_ids(arrays));
        slices.model.materials = request.materials(&channels, ids.as_ref()).py()?;
        Ok(slices)
    }

    /// Layers of a surface.
    pub fn of_surface(py: Python<'_>, mesh: &SurfaceMesh, cut: LayerCut) -> PyResult<Self> {
        let part = LayerPart::new(surface_model(py, mesh, &cut.request)?, None, None);
        Self::new(py, vec![part], cut, None, false)
    }

    /// The layers as their files have them, of length units of `unit_mm` millimeters.
    pub fn identified(&self, py: Python<'_>, unit_mm: f64) -> PyResult<ModelLayers> {
        let mut layers = self.model.clone();
        layers.setting.unit_mm = unit_mm;
        py.work(|| LayerPart::identify(&self.parts, &mut layers.setting))?;
        Ok(layers)
    }

    /// Numbers of solids and of surfaces.
    pub fn counts(&self) -> [usize; 2] {
        let solids = self.parts.iter().filter(|part| part.solid().is_some()).count();
        [solids, self.parts.len() - solids]
    }

    /// The channels of the source.
    fn channels(&self) -> Vec<Channel> {
        self.layers.with(|source| source.channels().to_vec())
    }

    /// These layers with the places of their pixels, if a request needs them and they have none.
    ///
    /// # Errors
    /// For a surface.
    pub fn placed(&self, py: Python<'_>, request: &SliceRequest) -> PyResult<Option<ModelSource>> {
        if request.outputs.pvtu.is_none() {
            return Ok(None);
        }
        if self.parts.iter().all(|part| part.solid().is_none()) {
            return Err(refused(
                "a .pvtu needs the cells at the pixels: a surface has none inside",
                "slice a solid, or write another file",
            ));
        }
        if !self.channels().is_empty() {
            return Ok(None);
        }
        let arrays = [(Vec::new(), Vec::new())];
        let source = ModelSource::new(py, &self.parts, &arrays, &|_| false, request)?;
        layers_of(py, source, &self.model, request).map(Some)
    }

    /// The coverage of all layers, (layers, rows, columns).
    pub fn voxels<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let stack = &self.model.setting.stack;
        let grid = self.model.grid.as_ref().ok_or_else(|| refused("no pixels", "give a pitch"))?;
        let (layers, [columns, rows]) = (stack.count(), grid.size);
        let need = 2 * (layers as u128) * (columns as u128) * (rows as u128);
        let what = format!("{layers} × {rows} × {columns} voxels need");
        memory::check_half(what, need, |_| "give larger voxels".into()).py()?;
        let mut voxels = vec![0_u16; layers * rows * columns];
        for (index, own) in voxels.chunks_exact_mut((rows * columns).max(1)).enumerate() {
            py.check_signals()?;
            let planes = stack.planes(index, self.cut.planes);
            let cut =
                |source: &dyn LayerSource| source.coverage(&planes, grid, self.cut.sampling());
            own.copy_from_slice(&self.layers.ask(py, cut)?.py()?);
        }
        Ok(moved(py, voxels, &[layers, rows, columns])?.into_any())
    }

    fn layer<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyAny>> {
        py.check_signals()?;
        let stack = &self.model.setting.stack;
        let height = stack.middle(index);
        type MadeLayer = (Layer, Option<Vec<u16>>, Vec<f64>, Option<Vec<u8>>);
        let cut = |source: &dyn LayerSource| -> subsolid::Result<MadeLayer> {
            let layer = source.contours(index, height)?.merged(self.model.setting.tolerance);
            let Some(grid) = &self.model.grid else { return Ok((layer, None, Vec::new(), None)) };
            let planes = stack.planes(index, self.cut.planes);
            let pixels =
                LayerPixels { grid, height, planes: &planes, sampling: self.cut.sampling() };
            let coverage = source.coverage(&planes, grid, pixels.sampling)?;
            let values = match source.channels() {
                [] => Vec::new(),
                _ => source.attributes(&pixels, &coverage)?,
            };
            let columns = grid.size[0];
            let channels = source.channels().len();
            let paint = |materials: &Materials| {
                let painted = materials.paint(index, &coverage, columns, &values, channels);
                painted.map_err(|unfit| unfit.error(source, index, height, grid))
            };
            let painted = self.model.materials.as_ref().map(paint).transpose()?;
            Ok((layer, Some(coverage), values, painted))
        };
        let (layer, coverage, values, painted) =
            self.layers.ask(py, |source| self.model.setting.ask(source, cut)).py()?;
        let area = layer.area();
        let (contours, depths) = (PyList::empty(py), PyList::empty(py));
        for contour in layer.contours {
            let n = contour.points.len();
            contours.append(moved(py, contour.points.into_flattened(), &[n, 2])?)?;
            depths.append(contour.depth)?;
        }
        let attributes = by_name(py)?;
        let (mut image, mut materials) = (None, None);
        if let (Some(coverage), Some(grid)) = (coverage, &self.model.grid) {
            let shape = [grid.size[1], grid.size[0]];
            let channels = self.channels();
            for &c in &self.shown {
                let mut own = values.iter().skip(c).step_by(channels.len());
                let pixel = |&covered: &u16| match covered {
                    0 => f64::NAN,
                    _ => own.next().copied().unwrap_or(f64::NAN),
                };
                let pixels = coverage.iter().map(pixel).collect();
                attributes.set_item(&channels[c].name, moved(py, pixels, &shape)?)?;
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
        if index >= self.model.setting.stack.count() {
            self.next.store(self.model.setting.stack.count(), Ordering::Relaxed);
            return Ok(None);
        }
        self.layer(py, index).map(Some)
    }

    fn __len__(&self) -> usize {
        self.model.setting.stack.count()
    }

    fn __getitem__<'py>(&self, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, count) = (index.py(), self.model.setting.stack.count());
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
            self.model.grid.map(|grid| format!(" of {} x {} pixels", grid.size[0], grid.size[1]));
        let layers = counted(self.__len__(), "layer");
        format!("<subsolid.Slices: {layers}{}>", pixels.unwrap_or_default())
    }

    /// Heights of the layers' middles, in length units, (n,).
    #[getter]
    fn heights<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let heights: Vec<f64> = (0..self.model.setting.stack.count())
            .map(|k| self.model.setting.stack.middle(k))
            .collect();
        let count = heights.len();
        Ok(moved(py, heights, &[count])?.into_any())
    }

    /// Heights of the layers themselves, in length units, (n,).
    #[getter]
    fn thicknesses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let stack = &self.model.setting.stack;
        let heights: Vec<f64> = (0..stack.count()).map(|k| stack.height_of(k)).collect();
        let count = heights.len();
        Ok(moved(py, heights, &[count])?.into_any())
    }

    /// Names of the materials, that of number 1 first; empty without materials.
    #[getter]
    fn materials(&self) -> Vec<String> {
        let all = self.model.materials.iter().flat_map(Materials::list);
        all.map(|material| material.name.clone()).collect()
    }

    /// Lower left corner of the pixels in the plane's coordinates; edge length of a pixel, or its
    /// (width, height) if it is no square; and (columns, rows). None without pixels.
    #[getter]
    fn pixels<'py>(&self, py: Python<'py>) -> PyResult<Option<PixelArguments<'py>>> {
        let Some(grid) = self.model.grid else { return Ok(None) };
        let [width, height] = grid.pitch;
        let pitch = if width == height {
            width.into_pyobject(py)?.into_any()
        } else {
            (width, height).into_pyobject(py)?.into_any()
        };
        Ok(Some(((grid.origin[0], grid.origin[1]), pitch, (grid.size[0], grid.size[1]))))
    }
}
