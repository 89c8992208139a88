//! What is cut into layers: a solid, or what a closed surface bounds.

use std::path::Path;

use super::super::Notes;
use super::SliceRequest;
use crate::error::{Command, Error, Message, Result, option, option_name};
use crate::limit::Solid;
use crate::memory;
use crate::mesh::{Attribute, CellArray, Controls, SolidMesh, SurfaceMesh};
use crate::numbers::counted;
use crate::refine::refined_cell_count;
use crate::scheme::Scheme;
use crate::slice::{
    Boundary, CellIds, Channel, ClosedSurface, Materials, PreparedSurface, Slicer, SolidSource,
    SourcePart, fingerprint, named_arrays, refined_fingerprint, surface_fingerprint,
};

/// Bytes of memory that layers with places take for a cell, and for a number of an attribute at its
/// control points.
const CELL_BYTES: u128 = 2800;
const NUMBER_BYTES: u128 = 560;

/// What layers keep of a solid as it was read, before it is refined.
#[derive(Clone, Debug, PartialEq)]
pub struct UnrefinedSolid {
    /// [`fingerprint`](crate::slice::fingerprint()) of the mesh and its refinement.
    pub sha256: String,
    /// The ids of materials, if they are asked for and there are some.
    pub material_ids: Option<CellIds>,
}

/// The file that a model was read from.
#[derive(Clone, Copy, Debug, Default)]
pub struct ModelFile<'p> {
    /// Its path; `None` for a model that no file has.
    pub path: Option<&'p Path>,
    /// Whether a surface is refused whose faces look inward.
    pub strict: bool,
}

impl ModelFile<'_> {
    /// The name of the file in files of layers.
    pub(super) fn name(&self) -> Option<String> {
        Some(self.path?.file_name()?.to_string_lossy().into())
    }
}

/// A model that was read and analyzed.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "models are few, and each is in an Arc")]
pub enum SliceModel {
    /// A solid that was refined as often as asked for.
    Solid {
        /// Its control mesh.
        mesh: SolidMesh,
        /// What evaluation needs to know of it.
        solid: Solid,
        /// What is kept of it as it was read.
        unrefined: UnrefinedSolid,
    },
    /// A closed surface.
    Surface {
        /// The surface.
        prepared: PreparedSurface,
        /// [`surface_fingerprint`] of its mesh.
        sha256: String,
    },
}

impl SliceModel {
    /// Control points.
    pub fn points(&self) -> &[[f64; 3]] {
        match self {
            Self::Solid { mesh, .. } => &mesh.points,
            Self::Surface { prepared, .. } => &prepared.mesh.points,
        }
    }

    /// Identifies it.
    pub fn sha256(&self) -> &str {
        match self {
            Self::Solid { unrefined, .. } => &unrefined.sha256,
            Self::Surface { sha256, .. } => sha256,
        }
    }

    /// Number of cells; 0 of a surface.
    pub(super) fn cells(&self) -> usize {
        if let Self::Solid { mesh, .. } = self { mesh.cells.len() } else { 0 }
    }

    /// What bounds it, with other control points.
    pub fn boundary<'b>(&'b self, points: &'b [[f64; 3]]) -> Boundary<'b> {
        match self {
            Self::Solid { solid, .. } => Boundary::Solid(solid, points),
            Self::Surface { prepared, .. } => Boundary::Surface(&prepared.surface, points),
        }
    }

    /// The ids of materials of the cells, if there are some.
    pub(super) fn material_ids(&self) -> Option<&CellIds> {
        if let Self::Solid { unrefined, .. } = self {
            unrefined.material_ids.as_ref()
        } else {
            None
        }
    }
}

impl SliceRequest {
    /// Looks at a solid before it is refined [as often as asked for](SliceRequest::levels), one of
    /// several parts or the only one.
    ///
    /// # Errors
    /// As [`SliceRequest::arrays`]; [`Error::Request`] for attributes that would fill the memory.
    pub fn unrefined(&self, mesh: &SolidMesh, is_alone: bool) -> Result<UnrefinedSolid> {
        if !self.is_outline() {
            let cells = refined_cell_count(mesh, self.levels);
            check_memory(&self.arrays(mesh, is_alone)?.0, cells)?;
        }
        let sha256 = refined_fingerprint(fingerprint(mesh), self.levels);
        Ok(UnrefinedSolid { sha256, material_ids: self.material_ids(&mesh.cell_data) })
    }

    /// The attributes and cell arrays of a mesh that something is made of: all that are wanted, or, of
    /// one of several parts, those that it has.
    ///
    /// # Errors
    /// As [`named_arrays`].
    pub fn arrays(
        &self,
        mesh: &SolidMesh,
        is_alone: bool,
    ) -> Result<(Vec<Attribute>, Vec<CellArray>)> {
        let mut wanted = self.wanted();
        wanted.retain(|name| is_alone || has_array(name, mesh));
        named_arrays(&wanted, mesh)
    }

    /// Places of the attributes among the channels of a source, with the values that are black and
    /// white.
    ///
    /// # Errors
    /// As [`Channel::choose`].
    pub fn chosen(&self, channels: &[Channel]) -> Result<Vec<(usize, [f64; 2])>> {
        let wanted: Vec<_> = self.attribute.iter().map(|own| (&*own.name, own.range)).collect();
        Channel::choose(&wanted, channels)
    }

    /// The ids of materials, if they are asked for and one of the arrays has them.
    pub fn material_ids(&self, arrays: &[CellArray]) -> Option<CellIds> {
        let name = self.images.material_id.as_deref()?;
        arrays.iter().find(|array| array.is_named(name)).map(CellIds::of)
    }

    /// The materials among the channels of a source, whose `ids` are those of
    /// [`SliceRequest::material_ids`].
    ///
    /// # Errors
    /// As [`Materials`] and [`Channel::choose`]; [`Error::Request`] for an array of ids that is
    /// not there.
    pub fn materials(
        &self,
        channels: &[Channel],
        ids: Option<&CellIds>,
    ) -> Result<Option<Materials>> {
        if let Some(name) = &self.images.material_id {
            let Some(ids) = ids else {
                return Err(Error::request(format!("{name:?} is not a cell array")).with_help(
                    message!("name fractions at vertices by ", option_name("materials")),
                ));
            };
            return Materials::of_cells(channels, ids).map(Some);
        }
        let mut chosen = Vec::new();
        for material in &self.images.materials {
            let own = Channel::choose(&[(&material.name, None)], channels)?;
            chosen.extend(own.into_iter().map(|(channel, _)| (channel, material.color)));
        }
        if chosen.is_empty() { Ok(None) } else { Materials::fractions(channels, &chosen).map(Some) }
    }

    /// What is known inside a solid over some controls: attributes and
    /// [arrays](SliceRequest::arrays), and places where a `.pvtu` or a lattice needs them.
    ///
    /// # Errors
    /// As [`SourcePart::new`].
    pub fn inside<'s>(
        &self,
        solid: &'s Solid,
        controls: Controls<'_>,
        arrays: &[CellArray],
    ) -> Result<SourcePart<'s>> {
        let is_empty = controls.attributes.is_empty() && arrays.is_empty();
        if is_empty && self.outputs.pvtu.is_none() && self.lattice.lattice.is_none() {
            return Ok(SourcePart::outline());
        }
        SourcePart::new(solid, controls, arrays)
    }

    /// The layers of parts, or of the lattice in the one part, whose size may be one of its
    /// `attributes`.
    ///
    /// # Errors
    /// As [`SolidSource::of_parts`], [`SliceRequest::lattice`] and [`SolidSource::set_lattice`].
    pub fn source<'s>(
        &self,
        slicer: Slicer,
        parts: Vec<SourcePart<'s>>,
        attributes: &[Attribute],
    ) -> Result<SolidSource<'s>> {
        let mut source = SolidSource::of_parts(slicer, parts)?;
        if let Some(lattice) = self.lattice()? {
            source.set_lattice(lattice, attributes, self.lattice_pitch())?;
        }
        Ok(source)
    }

    /// A closed surface ready to be sliced; warns of what may not be meant.
    ///
    /// # Errors
    /// As [`ClosedSurface::prepare`]; [`Error::Mesh`] for faces that look inward where that is
    /// refused.
    pub fn surface(
        &self,
        mesh: SurfaceMesh,
        file: ModelFile<'_>,
        notes: &mut dyn Notes,
    ) -> Result<SliceModel> {
        let prefix = file.path.map(|path| format!("{}: ", path.display())).unwrap_or_default();
        if self.scheme.is_none() && !mesh.faceted && mesh.faces.uniform_size() == Some(3) {
            notes.warn(message!(
                prefix.as_str(),
                "the limit by Catmull-Clark is sliced; ",
                option("scheme", "linear"),
                " slices the triangles as they are"
            ));
        }
        let scheme = self.scheme.unwrap_or_else(|| Scheme::of_mesh(&mesh));
        let prepared = ClosedSurface::prepare(mesh, scheme)?;
        let PreparedSurface { shells, separated, .. } = &prepared;
        if *separated > 0 {
            let edges = counted(*separated, "edge");
            let what = format!("shells that meet at {edges} of more than two faces");
            notes.status("Separated", what);
        }
        if let (true, Some(turned)) = (file.strict, shells.reversed()) {
            return Err(Error::mesh(message!(prefix, "faces look inward: ", turned))
                .with_help(message!("turn them outward first (", Command::Orient, ")")));
        }
        let notices = prepared.notices();
        notices.for_each(|notice| notes.warn(message!(prefix.as_str(), notice)));
        let sha256 = surface_fingerprint(&prepared.mesh, scheme);
        Ok(SliceModel::Surface { prepared, sha256 })
    }
}

/// Whether a mesh has an attribute, array or group of a name.
fn has_array(name: &str, mesh: &SolidMesh) -> bool {
    let all = Channel::of(&mesh.attributes).into_iter().chain(Channel::of_cells(&mesh.cell_data));
    let group = name.strip_prefix("group:").unwrap_or(name);
    all.into_iter().any(|channel| channel.is_named(name) || channel.is_named(group))
}

/// Refuses `cells` cells with these attributes where they would fill the memory.
fn check_memory(wanted: &[Attribute], cells: u128) -> Result<()> {
    let numbers: usize = wanted.iter().map(|attribute| attribute.width).sum();
    let need = cells.saturating_mul(CELL_BYTES + NUMBER_BYTES * numbers as u128);
    let fewer = || -> Message {
        message!("take fewer ", option_name("levels"), ", or leave attributes out")
    };
    memory::check(format!("attributes of {cells} cells need"), need, |_| fewer())
}
