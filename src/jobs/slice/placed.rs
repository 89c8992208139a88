//! Parts at their places, with what is known inside.

use std::borrow::Cow;

use super::model::SliceModel;
use super::plate::SlicePart;
use super::request::SliceRequest;
use crate::error::Result;
use crate::mesh::{Attribute, CellArray, Controls};
use crate::slice::manifest::PartEntry;
use crate::slice::{
    Boundary, CellIds, Setting, Slicer, SolidSource, SourcePart, plate_fingerprint,
};

/// The parts that a request slices.
pub(super) struct Plate<'p> {
    parts: Vec<SlicePart<'p>>,
    // control points where parts are moved
    moved: Vec<Option<Vec<[f64; 3]>>>,
    // what is wanted of each inside
    wanted: Vec<(Vec<Attribute>, Vec<CellArray>)>,
}

/// Which models layers are of.
pub(super) struct PlateIdentity {
    model: Option<String>,
    parts: Vec<PartEntry>,
    sha256: String,
}

impl PlateIdentity {
    /// Says it in a setting.
    pub fn name(self, setting: &mut Setting) {
        (setting.model, setting.parts, setting.model_sha256) =
            (self.model, self.parts, self.sha256);
    }
}

impl<'p> Plate<'p> {
    pub fn new(request: &SliceRequest, parts: Vec<SlicePart<'p>>) -> Result<Self> {
        let is_alone = parts.len() == 1;
        let wanted = parts.iter().map(|part| match &*part.model {
            SliceModel::Solid { mesh, .. } => request.arrays(mesh, is_alone && part.name.is_none()),
            SliceModel::Surface { .. } => Ok((Vec::new(), Vec::new())),
        });
        let moved = parts.iter().map(|part| match part.points() {
            Cow::Owned(points) => Some(points),
            Cow::Borrowed(_) => None,
        });
        Ok(Self { wanted: wanted.collect::<Result<_>>()?, moved: moved.collect(), parts })
    }

    fn points(&self, part: usize) -> &[[f64; 3]] {
        self.moved[part].as_deref().unwrap_or_else(|| self.parts[part].model.points())
    }

    /// What cuts them.
    pub fn slicer(&self, request: &SliceRequest) -> Result<Slicer> {
        let boundary = |part: usize| self.parts[part].model.boundary(self.points(part));
        let boundaries: Vec<Boundary<'_>> = (0..self.parts.len()).map(boundary).collect();
        Slicer::of_parts(&boundaries, request.options())
    }

    /// Which models the layers are of.
    pub fn identity(&self) -> PlateIdentity {
        let parts = SlicePart::entries(&self.parts);
        let sha256 = match &parts[..] {
            [] => self.parts[0].model.sha256().to_owned(),
            parts => plate_fingerprint(parts),
        };
        PlateIdentity { model: SlicePart::files(&self.parts), parts, sha256 }
    }

    /// Names of the parts, and whether what is doubtful is refused.
    pub fn names(&self) -> (Vec<Option<String>>, bool) {
        let strict = self.parts.iter().any(|part| part.file.strict);
        (self.parts.iter().map(|part| part.name.clone()).collect(), strict)
    }

    /// Cells, and numbers of attributes at a pixel.
    pub fn counts(&self) -> [usize; 2] {
        let cells = self.parts.iter().map(|part| part.model.cells()).sum();
        let widths = self.wanted.iter().flat_map(|own| &own.0).map(|own| own.width);
        [cells, widths.sum()]
    }

    /// The ids of materials of the one solid, if it has some.
    pub fn material_ids(&self) -> Option<&CellIds> {
        self.parts.first().and_then(|part| part.model.material_ids())
    }

    /// Forgets the models: nothing inside is asked for.
    pub fn clear(&mut self) {
        self.parts.clear();
        self.moved.clear();
        self.wanted.clear();
    }

    /// The layers, with what is wanted inside.
    pub fn source(&self, request: &SliceRequest, slicer: Slicer) -> Result<SolidSource<'_>> {
        if self.parts.is_empty() {
            return Ok(SolidSource::outlines(slicer));
        }
        let wanted = request.wanted();
        let mut parts = Vec::with_capacity(self.parts.len());
        for (at, part) in self.parts.iter().enumerate() {
            let name = part.name.clone().filter(|name| wanted.contains(&name.as_str()));
            let (attributes, arrays) = &self.wanted[at];
            let inside = match &*part.model {
                SliceModel::Solid { solid, .. } => {
                    let controls = Controls { positions: self.points(at), attributes };
                    request.inside(solid, controls, arrays)?
                }
                SliceModel::Surface { .. } => SourcePart::outline(),
            };
            parts.push(inside.named(name));
        }
        request.source(slicer, parts, &self.wanted[0].0)
    }
}
