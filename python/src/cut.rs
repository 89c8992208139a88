//! How layers are cut, by the arguments of Python.

use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use subsolid::backend::Choice;
use subsolid::slice::{Axis, Channel, Pixels, Sampling, SliceOptions, check_planes};

use crate::errors::{IntoPython, refused};

/// How layers are cut.
#[derive(Clone, Copy)]
pub struct LayerCut {
    pub height: f64,
    pub origin: Option<f64>,
    pub axis: Axis,
    pub tolerance: Option<f64>,
    pub pixels: Option<Pixels>,
    pub planes: usize,
    pub sampling: Sampling,
    pub backend: Choice,
}

impl LayerCut {
    /// Refuses options that have no use or are out of range.
    pub fn check(&self) -> PyResult<()> {
        if self.backend.is_gpu() && self.pixels.is_none() {
            return Err(refused(
                "a GPU for layers without pixels",
                "give the size of a pixel, or leave backend out",
            ));
        }
        check_planes(self.planes).py()
    }

    pub fn options(&self) -> SliceOptions {
        SliceOptions { axis: self.axis, tolerance: self.tolerance }
    }
}

/// The pixels of layers, if they have some.
pub fn pixels(
    pixel: Option<f64>,
    size: Option<[usize; 2]>,
    origin: Option<[f64; 2]>,
    crop: bool,
) -> PyResult<Option<Pixels>> {
    let given =
        [("resolution", size.is_some()), ("pixel_origin", origin.is_some()), ("crop", crop)];
    match (pixel, given.iter().find(|(_, given)| *given)) {
        (None, Some((name, _))) => {
            Err(refused(format!("{name} without pixels"), "give the size of a pixel"))
        }
        _ => Ok(pixel.map(|pitch| Pixels { pitch, size, origin, crop })),
    }
}

/// Where the coverage of pixels is sampled.
pub fn sampling(antialias: bool) -> Sampling {
    if antialias { Sampling::Area } else { Sampling::Center }
}

/// Attributes that layers have at their pixels.
pub enum WantedAttributes {
    All,
    /// Attributes, arrays and groups of cells.
    Named(Vec<String>),
}

impl WantedAttributes {
    /// All unless something else is said; `false` for none.
    pub fn new(given: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let Some(given) = given else { return Ok(Self::All) };
        if let Ok(all) = given.extract::<bool>() {
            return Ok(if all { Self::All } else { Self::Named(Vec::new()) });
        }
        given.extract().map(Self::Named).map_err(|_| {
            refused(
                "attributes is neither a bool nor names",
                "give True, False, or the names of attributes and arrays of the cells",
            )
        })
    }

    pub fn has(&self, channel: &Channel) -> bool {
        let is_it = |name: &String| {
            channel.is_named(name)
                || name.strip_prefix("group:").is_some_and(|group| channel.is_named(group))
        };
        match self {
            Self::All => true,
            Self::Named(names) => names.iter().any(is_it),
        }
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
