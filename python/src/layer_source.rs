//! Where layers come from: a solid or a surface.

use std::sync::Arc;

use pyo3::prelude::*;
use subsolid::backend::{Choice, Processor};
use subsolid::jobs::slice::SliceRequest;
use subsolid::mesh::{CellArray, Controls};
use subsolid::plan::Cost;
use subsolid::slice::{LayerSource, Slicer, SolidSource};

use crate::cells::{Analyzed, SourceCell};
use crate::errors::IntoPython;
use crate::threads::{self, WithoutLock};

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

    /// Brings the source to the processor that a choice comes to, which makes the pixels.
    pub fn bring(&mut self, py: Python<'_>, choice: Choice, cost: &Cost) -> PyResult<()> {
        let bring = |source: &mut SolidSource<'_>| {
            let (_, backend) = Processor::open_for(choice, cost, threads::count())?;
            source.bring(&*backend)
        };
        py.work(|| match self {
            Self::Solid(cell) => cell.with_dependent_mut(|_, source| bring(source)),
            Self::Surface(source, _) => bring(source),
        })?
        .py()
    }

    /// Asks the source, without Python's lock.
    pub fn ask<T: Send>(
        &self,
        py: Python<'_>,
        ask: impl FnOnce(&dyn LayerSource) -> T + Send,
    ) -> PyResult<T> {
        py.work(|| self.with(|source| ask(source)))
    }
}
