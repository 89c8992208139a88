//! Layers, one at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use pyo3::exceptions::{PyIndexError, PyOverflowError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use subsolid::mesh::{Attribute, CellArray, Controls, SolidMesh};
use subsolid::numbers::counted;
use subsolid::slice::{
    Axis, CellIds, Channel, ClosedSurface, Layer, LayerSource, MAX_PLANES_PER_LAYER, Materials,
    PixelGrid, Sampling, Setting, SliceOptions, Slicer, SolidSource, Stack, fingerprint,
    surface_fingerprint,
};
use subsolid::surface::{Scheme, separate_parts};
use subsolid::{SurfaceMesh, memory};

use crate::arrays::moved;
use crate::cells::{Analyzed, SourceCell};
use crate::errors::{IntoPython, refused, warn};
use crate::model::Moved;
use crate::request::named;
use crate::threads::Work;

/// Lower left corner, edge length of a pixel, columns and rows.
type Pixels = ((f64, f64), f64, (usize, usize));

/// Maximum number of pixels of a layer.
const MAX_LAYER_PIXELS: f64 = (1_u64 << 32) as f64;

/// Where layers come from.
pub enum Source {
    Solid(SourceCell),
    /// With its fingerprint.
    Surface(Box<SolidSource<'static>>, String),
}

impl Source {
    pub fn with<T>(&self, ask: impl FnOnce(&SolidSource<'_>) -> T) -> T {
        match self {
            Self::Solid(cell) => cell.with_dependent(|_, source| ask(source)),
            Self::Surface(source, _) => ask(source),
        }
    }
}

/// How layers are cut.
#[derive(Clone, Copy)]
pub struct Cut {
    height: f64,
    axis: Axis,
    tolerance: Option<f64>,
    pixel: Option<f64>,
    resolution: Option<[usize; 2]>,
    planes: usize,
    sampling: Sampling,
}

impl Cut {
    pub fn new(
        (height, axis, tolerance): (f64, &str, Option<f64>),
        (pixel, resolution): (Option<f64>, Option<[usize; 2]>),
        (planes, antialias): (usize, bool),
    ) -> PyResult<Self> {
        let axis = named("axis", axis)?;
        if resolution.is_some() && pixel.is_none() {
            return Err(refused("resolution without pixels", "give the size of a pixel"));
        }
        if !(1..=MAX_PLANES_PER_LAYER).contains(&planes) {
            return Err(refused(
                format!("planes={planes} is out of range"),
                &format!("ask for 1 to {MAX_PLANES_PER_LAYER} planes per layer"),
            ));
        }
        let sampling = if antialias { Sampling::Area } else { Sampling::Center };
        Ok(Self { height, axis, tolerance, pixel, resolution, planes, sampling })
    }

    fn options(&self) -> SliceOptions {
        SliceOptions { axis: self.axis, tolerance: self.tolerance }
    }
}

/// Columns and rows, for `from_py_with`.
pub fn resolution(value: &Bound<'_, PyAny>) -> PyResult<Option<[usize; 2]>> {
    if value.is_none() {
        return Ok(None);
    }
    let wrong = || {
        let given = value.repr().map_or_else(|_| String::new(), |given| given.to_string());
        refused(format!("resolution={given}"), "give columns and rows, both at least 1")
    };
    match value.extract::<[usize; 2]>() {
        Ok([columns, rows]) if columns > 0 && rows > 0 => Ok(Some([columns, rows])),
        Ok(_) => Err(wrong()),
        Err(error) if error.is_instance_of::<PyOverflowError>(value.py()) => Err(wrong()),
        Err(error) => Err(error),
    }
}

/// Where materials are.
pub enum WantedMaterials {
    /// Fractions of the volume: attributes, or arrays or groups of cells.
    Fractions(Vec<String>),
    /// Whole numbers of an array of the cells.
    Ids(String),
}

impl WantedMaterials {
    pub fn new(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(name) = given.extract::<String>() {
            return Ok(Self::Ids(name));
        }
        given.extract().map(Self::Fractions).map_err(|_| {
            refused(
                "materials is neither a name nor names",
                "give the names of fractions, or the name of an array of material ids",
            )
        })
    }

    fn names(&self) -> &[String] {
        match self {
            Self::Fractions(names) => names,
            Self::Ids(name) => std::slice::from_ref(name),
        }
    }

    /// Whether one of the names is that of an array of the cells or its group.
    fn has_array(&self, array: &CellArray) -> bool {
        self.names().iter().any(|name| array.is_named(name))
    }

    fn has_attribute(&self, attribute: &Attribute) -> bool {
        matches!(self, Self::Fractions(names) if names.contains(&attribute.name))
    }

    /// The materials among the channels of a source.
    fn choose(&self, channels: &[Channel], arrays: &[CellArray]) -> PyResult<Materials> {
        match self {
            Self::Ids(name) => match arrays.iter().find(|array| array.is_named(name)) {
                Some(array) => Materials::of_cells(channels, &CellIds::of(array)).py(),
                None => Err(refused(
                    format!("materials={name:?} is not a cell array"),
                    "give names of fractions in a list",
                )),
            },
            Self::Fractions(names) => {
                let mut chosen = Vec::new();
                for name in names {
                    let before = chosen.len();
                    let own = channels.iter().enumerate().filter(|(_, c)| c.attribute == *name);
                    chosen.extend(own.map(|(number, _)| (number, None)));
                    if chosen.len() == before {
                        return Err(refused(
                            format!("material {name:?} is neither an attribute nor a cell array"),
                            "give names of attributes, cell_data or groups of cells",
                        ));
                    }
                }
                Materials::fractions(channels, &chosen).py()
            }
        }
    }
}

/// The layers of a solid or a surface: an iterator that also has a length and takes indices. Made
/// by Solid.slice and Surface.slice.
#[pyclass(frozen, name = "Slices", module = "subsolid")]
pub struct PySlices {
    pub source: Source,
    pub setting: Setting,
    stack: Stack,
    pub grid: Option<PixelGrid>,
    pub planes: usize,
    pub sampling: Sampling,
    // control points in place of those of the solid
    points: Option<Vec<[f64; 3]>>,
    // whether layers have the channels of the source
    attributes: bool,
    pub materials: Option<Materials>,
    next: AtomicUsize,
}

impl PySlices {
    pub fn of_solid(
        py: Python<'_>,
        shared: &Arc<Analyzed>,
        given: &Moved<'_>,
        cut: Cut,
        (attributes, materials): (bool, Option<WantedMaterials>),
    ) -> PyResult<Self> {
        let mut controls = given.controls(shared.mesh.controls())?;
        let mut chosen = Vec::new();
        if !attributes {
            let wanted = |a: &&Attribute| materials.as_ref().is_some_and(|m| m.has_attribute(a));
            chosen.extend(controls.attributes.iter().filter(wanted).cloned());
            controls = Controls { attributes: &chosen, ..controls };
        }
        let arrays = shared.mesh.cell_data.iter();
        let arrays = arrays.filter(|array| materials.as_ref().is_some_and(|m| m.has_array(array)));
        let arrays: Vec<CellArray> = arrays.cloned().collect();
        let source = py.work(|| {
            SourceCell::try_new(shared.clone(), |shared| {
                let slicer = Slicer::new(&shared.solid, controls, cut.options())?;
                if arrays.is_empty() {
                    SolidSource::new(&shared.solid, controls, slicer)
                } else {
                    SolidSource::with_cell_data(&shared.solid, controls, &arrays, slicer)
                }
            })
        });
        let mut slices = Self::of(py, Source::Solid(source.py()?), cut)?;
        slices.attributes = attributes;
        slices.points = given.points()?.map(<[_]>::to_vec);
        if let Some(wanted) = materials {
            let choose = |source: &SolidSource<'_>| wanted.choose(source.channels(), &arrays);
            slices.materials = Some(slices.source.with(choose)?);
        }
        Ok(slices)
    }

    pub fn of_surface(
        py: Python<'_>,
        mesh: &SurfaceMesh,
        scheme: Scheme,
        cut: Cut,
    ) -> PyResult<Self> {
        let made = py.work(|| {
            let separate = if scheme.is_linear() { separate_parts(mesh) } else { None };
            let mesh = separate.as_ref().map_or(mesh, |(mesh, _)| mesh);
            let surface = ClosedSurface::new(mesh, scheme)?;
            let slicer = Slicer::of_surface(&surface, &mesh.points, cut.options())?;
            Ok((surface, slicer, surface_fingerprint(mesh, scheme)))
        });
        let (surface, slicer, sha256) = made.py()?;
        let warnings = py.import("warnings")?;
        for notice in surface.notices().chain(slicer.shells().notices()) {
            warnings.call_method1("warn", (notice,))?;
        }
        let source = Box::new(SolidSource::outlines(slicer));
        Self::of(py, Source::Surface(source, sha256), cut)
    }

    /// Identifies the model, as the program does.
    pub fn fingerprint(&self, py: Python<'_>) -> String {
        let cell = match &self.source {
            Source::Surface(_, sha256) => return sha256.clone(),
            Source::Solid(cell) => cell,
        };
        let shared = cell.borrow_owner();
        py.work(|| match &self.points {
            None => shared.fingerprint(),
            Some(points) => {
                fingerprint(&SolidMesh { points: points.clone(), ..shared.mesh.clone() })
            }
        })
    }

    fn of(py: Python<'_>, source: Source, cut: Cut) -> PyResult<Self> {
        let Cut { height, axis, pixel, planes, sampling, .. } = cut;
        let (heights, [low, high], tolerance) = source.with(|source| {
            let slicer = source.slicer();
            (slicer.heights(), slicer.plane_box(), slicer.tolerance())
        });
        let stack = Stack::new(heights, height).py()?;
        let setting = Setting {
            model: None,
            model_sha256: String::new(),
            unit_mm: 1.0,
            axis,
            stack,
            plane: [low, high],
            tolerance,
        };
        if let Some(pitch) = pixel.filter(|&pitch| pitch > 0.0) {
            let pixels = (high[0] - low[0]) / pitch * ((high[1] - low[1]) / pitch);
            if pixels.is_nan() || pixels > MAX_LAYER_PIXELS {
                return Err(refused(
                    format!("pixels of size {pitch} make layers of {pixels:.1e} pixels"),
                    "give larger pixels",
                ));
            }
        }
        let grid = pixel.map(|pitch| setting.grid(pitch, cut.resolution)).transpose().py()?;
        if let (Some(pitch), Some([columns, rows])) = (pixel, cut.resolution) {
            let [across, up] = setting.grid(pitch, None).py()?.size;
            if columns < across || rows < up {
                let message = format!(
                    "images of {columns} × {rows} pixels are too small for the model, which needs \
                     {across} × {up}"
                );
                warn(py, &message)?;
            }
        }
        if let Some(PixelGrid { size: [columns, rows], .. }) = grid {
            // coverage and material, and the channels twice: as the library has them and as images
            let channels = source.with(|source| source.channels().len());
            let need = columns as u128 * rows as u128 * (2 + 1 + 2 * 8 * channels as u128);
            memory::check_half(format!("layers of {columns} × {rows} pixels need"), need, |_| {
                "give larger pixels".into()
            })
            .py()?;
        }
        Ok(Self {
            source,
            setting,
            stack,
            grid,
            planes,
            sampling,
            points: None,
            attributes: true,
            materials: None,
            next: AtomicUsize::new(0),
        })
    }

    fn layer<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyAny>> {
        py.check_signals()?;
        let height = self.stack.middle(index);
        type Made = (Layer, Option<Vec<u16>>, Vec<f64>, Option<Vec<u8>>);
        let cut = |source: &SolidSource<'_>| -> subsolid::Result<Made> {
            let layer = source.contours(index, height)?;
            let Some(grid) = &self.grid else { return Ok((layer, None, Vec::new(), None)) };
            let planes = self.stack.planes(index, self.planes);
            let coverage = source.coverage(&planes, grid, self.sampling)?;
            let values = match source.channels() {
                [] => Vec::new(),
                _ => source.attributes(height, grid, &coverage)?,
            };
            let columns = grid.size[0];
            let channels = source.channels().len();
            let paint = |materials: &Materials| {
                let painted = materials.paint(index, (&coverage, columns), (&values, channels));
                painted.map_err(|unfit| unfit.error(source, (index, height), grid))
            };
            let painted = self.materials.as_ref().map(paint).transpose()?;
            Ok((layer, Some(coverage), values, painted))
        };
        let (layer, coverage, values, painted) = py.work(|| self.source.with(cut)).py()?;
        let area = layer.area();
        let (contours, depths) = (PyList::empty(py), PyList::empty(py));
        for contour in layer.contours {
            let n = contour.points.len();
            contours.append(moved(py, contour.points.into_flattened(), &[n, 2])?)?;
            depths.append(contour.depth)?;
        }
        let attributes = PyDict::new(py);
        let (mut image, mut materials) = (None, None);
        if let (Some(coverage), Some(grid)) = (coverage, &self.grid) {
            let shape = [grid.size[1], grid.size[0]];
            let channels: Vec<String> = self.source.with(|source| {
                source.channels().iter().map(|channel| channel.name.clone()).collect()
            });
            for (c, channel) in channels.iter().enumerate().filter(|_| self.attributes) {
                let mut own = values.iter().skip(c).step_by(channels.len());
                let pixel = |&covered: &u16| match covered {
                    0 => f64::NAN,
                    _ => own.next().copied().unwrap_or(f64::NAN),
                };
                let pixels = coverage.iter().map(pixel).collect();
                attributes.set_item(channel, moved(py, pixels, &shape)?)?;
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
        if index >= self.stack.count() {
            self.next.store(self.stack.count(), Ordering::Relaxed);
            return Ok(None);
        }
        self.layer(py, index).map(Some)
    }

    fn __len__(&self) -> usize {
        self.stack.count()
    }

    fn __getitem__<'py>(&self, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, count) = (index.py(), self.stack.count());
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
        let heights: Vec<f64> = (0..self.stack.count()).map(|k| self.stack.middle(k)).collect();
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
    fn pixels(&self) -> Option<Pixels> {
        let grid = self.grid?;
        Some(((grid.origin[0], grid.origin[1]), grid.pitch, (grid.size[0], grid.size[1])))
    }
}
