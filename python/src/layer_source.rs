//! Where layers come from: the parts that are sliced.

use std::sync::Arc;

use pyo3::prelude::*;
use subsolid::Result;
use subsolid::backend::{Choice, Processor};
use subsolid::jobs::slice::{SliceModel, SliceRequest};
use subsolid::mesh::{Attribute, CellArray, Controls, SolidMesh};
use subsolid::plan::Cost;
use subsolid::slice::manifest::PartEntry;
use subsolid::slice::{
    Boundary, LayerSource, Placement, Setting, Slicer, SolidSource, SourcePart, fingerprint,
    plate_fingerprint,
};

use crate::cells::{Analyzed, SourceCell};
use crate::errors::IntoPython;
use crate::threads::{self, WithoutLock};

/// A solid or a surface that is sliced.
pub enum PartModel {
    /// With control points in place of those of the solid.
    Solid(Arc<Analyzed>, Option<Vec<[f64; 3]>>),
    Surface(Box<SliceModel>),
}

/// A part of what is sliced.
pub struct LayerPart {
    pub model: PartModel,
    pub name: Option<String>,
    place: Option<Placement>,
    // control points, if it is moved
    moved: Option<Vec<[f64; 3]>>,
}

/// The attributes and arrays of a part that layers have.
pub type PartArrays = (Vec<Attribute>, Vec<CellArray>);

impl LayerPart {
    pub fn new(model: PartModel, name: Option<String>, place: Option<Placement>) -> Self {
        let mut part = Self { model, name, place, moved: None };
        part.moved = place.map(|place| place.apply(part.points()));
        part
    }

    fn points(&self) -> &[[f64; 3]] {
        let own = || match &self.model {
            PartModel::Solid(shared, given) => given.as_deref().unwrap_or(&shared.mesh.points),
            PartModel::Surface(model) => model.points(),
        };
        self.moved.as_deref().unwrap_or_else(own)
    }

    fn boundary<'b>(&'b self) -> Boundary<'b> {
        match &self.model {
            PartModel::Solid(shared, _) => Boundary::Solid(&shared.solid, self.points()),
            PartModel::Surface(model) => model.boundary(self.points()),
        }
    }

    /// The mesh of a solid.
    pub fn solid(&self) -> Option<&SolidMesh> {
        if let PartModel::Solid(shared, _) = &self.model { Some(&shared.mesh) } else { None }
    }

    fn sha256(&self) -> String {
        match &self.model {
            PartModel::Surface(model) => model.sha256().to_owned(),
            PartModel::Solid(shared, None) => shared.fingerprint(),
            PartModel::Solid(shared, Some(points)) => {
                fingerprint(&SolidMesh { points: points.clone(), ..shared.mesh.clone() })
            }
        }
    }

    /// Says which models the layers of a setting are of, as the program does.
    pub fn identify(parts: &[Self], setting: &mut Setting) {
        let entry = |own: &Self| PartEntry {
            name: own.name.clone(),
            model_sha256: own.sha256(),
            place: own.place.unwrap_or_default(),
        };
        let entries: Vec<PartEntry> = parts.iter().map(entry).collect();
        if let ([Self { name: None, place: None, .. }], [entry]) = (parts, &entries[..]) {
            setting.model_sha256.clone_from(&entry.model_sha256);
        } else {
            setting.model_sha256 = plate_fingerprint(&entries);
            setting.parts = entries;
        }
    }
}

/// Parts ready to be cut.
pub struct ModelSource {
    cell: SourceCell,
}

/// The layers of parts, of which the `solids` are some.
fn source<'s>(
    solids: &'s [Arc<Analyzed>],
    parts: &[LayerPart],
    arrays: &[PartArrays],
    named: &(dyn Fn(&str) -> bool + Sync),
    request: &SliceRequest,
) -> Result<SolidSource<'s>> {
    let boundaries: Vec<Boundary<'_>> = parts.iter().map(LayerPart::boundary).collect();
    let slicer = Slicer::of_parts(&boundaries, request.options())?;
    let (mut insides, mut solids) = (Vec::with_capacity(parts.len()), solids.iter());
    for (part, (attributes, arrays)) in parts.iter().zip(arrays) {
        let own = match part.solid().and_then(|_| solids.next()) {
            None => SourcePart::outline(),
            Some(shared) => {
                let controls = Controls { positions: part.points(), attributes };
                request.inside(&shared.solid, controls, arrays)?
            }
        };
        insides.push(own.named(part.name.clone().filter(|name| named(name))));
    }
    request.source(slicer, insides, arrays.first().map_or(&[], |(attributes, _)| attributes))
}

impl ModelSource {
    /// Parts with the attributes and arrays of each, as a request has it; `named`: those that have
    /// channels of their own.
    pub fn new(
        py: Python<'_>,
        parts: &[LayerPart],
        arrays: &[PartArrays],
        named: &(dyn Fn(&str) -> bool + Sync),
        request: &SliceRequest,
    ) -> PyResult<Self> {
        let solids = parts.iter().filter_map(|part| match &part.model {
            PartModel::Solid(shared, _) => Some(shared.clone()),
            PartModel::Surface(_) => None,
        });
        let solids: Vec<Arc<Analyzed>> = solids.collect();
        let source =
            || SourceCell::try_new(solids, |own| source(own, parts, arrays, named, request));
        let cell = py.work(source).py()?;
        Ok(Self { cell })
    }

    pub fn with<T>(&self, ask: impl FnOnce(&SolidSource<'_>) -> T) -> T {
        self.cell.with_dependent(|_, source| ask(source))
    }

    /// Number of cells; 0 of surfaces.
    pub fn cells(&self) -> usize {
        self.cell.borrow_owner().iter().map(|shared| shared.mesh.cells.len()).sum()
    }

    /// Brings the source to the processor that a choice comes to, which makes the pixels.
    pub fn bring(&mut self, py: Python<'_>, choice: Choice, cost: &Cost) -> PyResult<()> {
        let bring = |source: &mut SolidSource<'_>| {
            let (_, backend) = Processor::open_for(choice, cost, threads::count())?;
            source.bring(&*backend)
        };
        py.work(|| self.cell.with_dependent_mut(|_, source| bring(source))).py()
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
