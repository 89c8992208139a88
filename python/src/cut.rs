//! How layers are cut, by the arguments of Python.

use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use subsolid::backend::Choice;
use subsolid::slice::{Axis, Channel, Sampling, SliceOptions, check_planes};

use crate::errors::{IntoPython, refused};
use crate::request::named;

/// How layers are cut.
#[derive(Clone, Copy)]
pub struct LayerCut {
    pub height: f64,
    pub origin: Option<f64>,
    pub axis: Axis,
    pub tolerance: Option<f64>,
    pub pixel: Option<f64>,
    pub resolution: Option<[usize; 2]>,
    pub planes: usize,
    pub sampling: Sampling,
    pub backend: Choice,
}

impl LayerCut {
    pub fn new(
        (height, origin, axis, tolerance): (f64, Option<f64>, &str, Option<f64>),
        (pixel, resolution): (Option<f64>, Option<[usize; 2]>),
        (planes, antialias): (usize, bool),
        backend: &str,
    ) -> PyResult<Self> {
        let axis = named("axis", axis)?;
        let backend: Choice = backend.parse().py()?;
        if backend.is_gpu() && pixel.is_none() {
            return Err(refused(
                "a GPU for layers without pixels",
                "give the size of a pixel, or leave backend out",
            ));
        }
        if resolution.is_some() && pixel.is_none() {
            return Err(refused("resolution without pixels", "give the size of a pixel"));
        }
        check_planes(planes).py()?;
        let sampling = if antialias { Sampling::Area } else { Sampling::Center };
        Ok(Self { height, origin, axis, tolerance, pixel, resolution, planes, sampling, backend })
    }

    pub fn options(&self) -> SliceOptions {
        SliceOptions { axis: self.axis, tolerance: self.tolerance }
    }
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
