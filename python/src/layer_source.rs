//! Where layers come from: a solid or a surface, with its pixels on the CPU or on a GPU.

use std::sync::{Arc, Mutex};

use pyo3::prelude::*;
use subsolid::backend::{Choice, Processor};
use subsolid::jobs::slice::SliceRequest;
use subsolid::mesh::{CellArray, Controls};
use subsolid::plan::Cost;
use subsolid::slice::{DetachedLayers, DeviceSource, LayerSource, Slicer, SolidSource};

use crate::cells::{Analyzed, SourceCell};
use crate::errors::IntoPython;
use crate::threads::{self, CallThreads, WithoutLock};

/// A model ready to be cut.
pub enum ModelSource {
    Solid(SourceCell),
    /// With its fingerprint.
    Surface(Box<SolidSource<'static>>, String),
}

impl ModelSource {
    /// A solid with the attributes of `controls` and some arrays of its cells, as a request has it.
    pub fn of_solid(
        py: Python<'_>,
        shared: &Arc<Analyzed>,
        controls: Controls<'_>,
        arrays: &[CellArray],
        request: &SliceRequest,
    ) -> PyResult<Self> {
        let source = py.work(|| {
            SourceCell::try_new(shared.clone(), |shared| {
                let slicer = Slicer::new(&shared.solid, controls, request.options())?;
                request.source(&shared.solid, controls, arrays, slicer)
            })
        });
        source.py().map(Self::Solid)
    }

    pub fn with<T>(&self, ask: impl FnOnce(&SolidSource<'_>) -> T) -> T {
        match self {
            Self::Solid(cell) => cell.with_dependent(|_, source| ask(source)),
            Self::Surface(source, _) => ask(source),
        }
    }

    /// Number of cells; 0 of a surface.
    pub fn cells(&self) -> usize {
        match self {
            Self::Solid(cell) => cell.borrow_owner().mesh.cells.len(),
            Self::Surface(..) => 0,
        }
    }
}

/// A source at work on the processor of its pixels.
pub struct Layers {
    pub source: ModelSource,
    // of a GPU; taken while it works
    device: Option<Mutex<Option<DetachedLayers>>>,
}

impl Layers {
    /// Layers without pixels.
    pub fn outlines(source: ModelSource) -> Self {
        Self { source, device: None }
    }

    /// Layers whose pixels are made on the processor that a choice comes to.
    pub fn new(py: Python<'_>, source: ModelSource, choice: Choice, cost: &Cost) -> PyResult<Self> {
        let brought = py.work(|| -> subsolid::Result<_> {
            let (_, gpu) = Processor::find_device(choice, cost, threads::count())?;
            let Some(device) = gpu.as_ref().and_then(|gpu| gpu.device()) else { return Ok(None) };
            let bring = |source: &SolidSource<'_>| {
                DeviceSource::new(source, device).map(DeviceSource::detach)
            };
            source.with(bring).map(Some)
        });
        let device = brought.py()?.map(|layers| Mutex::new(Some(layers)));
        Ok(Self { source, device })
    }

    /// Asks the source, without Python's lock.
    pub fn ask<T: Send>(
        &self,
        py: Python<'_>,
        ask: impl FnOnce(&dyn LayerSource) -> T + Send,
    ) -> PyResult<T> {
        let Some(device) = &self.device else {
            return py.work(|| self.source.with(|source| ask(source)));
        };
        CallThreads::default().run_locked(py, device, |held| {
            self.source.with(|source| match held.take() {
                None => ask(source),
                Some(layers) => {
                    let on_gpu = DeviceSource::attach(source, layers);
                    let answer = ask(&on_gpu);
                    *held = Some(on_gpu.detach());
                    answer
                }
            })
        })
    }
}
