//! What `subsolid slice` cuts: a solid, or what a closed surface bounds.

use std::ops::Range;

use subsolid::cluster::Ranks;
use subsolid::io::ControlMesh;
use subsolid::limit::Solid;
use subsolid::memory;
use subsolid::mesh::{Attribute, CellArray, Controls, SolidMesh, SurfaceMesh};
use subsolid::numbers::counted;
use subsolid::parts::{DistributedMesh, Extent, RankPart};
use subsolid::refine::refined_cell_count;
use subsolid::scheme::VertexRule;
use subsolid::slice::{
    CellIds, ClosedSurface, LayerFrame, PreparedSurface, SharedBoundary, SharedInterior,
    SliceOptions, Slicer, SolidSource, Stack, fingerprint, named_arrays, refined_fingerprint,
    shared_fingerprint, surface_fingerprint,
};
use subsolid::{Error, Result, io, message};

use super::arguments::Arguments;
use crate::cli::Console;
use crate::cli::rank_model::blocks;
use crate::cli::surface_model::read_surface;
use crate::cli::unused::{refuse_for_solids, refuse_given};
use crate::cli::wording::words;

/// Bytes of memory that layers with places take for a cell, and for a number of an attribute at its
/// control points.
const CELL_BYTES: u128 = 2800;
const NUMBER_BYTES: u128 = 560;

/// A model ready to be cut.
pub struct Model {
    inside: InteriorModel,
    /// Attributes and arrays that something is made of.
    pub wanted: Vec<Attribute>,
    pub cell_data: Vec<CellArray>,
    /// The ids of materials, if they are asked for and there are some.
    pub material_ids: Option<CellIds>,
    /// Fingerprint of the control mesh.
    pub sha256: String,
    /// Number of cells; 0 of a surface.
    pub cells: usize,
}

/// Where the places of pixels come from.
enum InteriorModel {
    /// None of a surface, and of a solid whose outline alone is cut.
    None,
    Whole(Box<(Solid, SolidMesh)>),
    /// The cells that this rank's layers meet.
    Part(Box<SharedInterior>),
}

/// What contours are cut from.
pub enum Outline<'r, 'g> {
    /// All of it.
    Whole(Box<Slicer>),
    /// What this rank has of it.
    Shared(Box<RankOutline<'r, 'g>>),
}

/// What a rank has of a solid.
pub struct RankOutline<'r, 'g> {
    ranks: &'r Ranks<'g>,
    boundary: SharedBoundary,
    // of a solid whose inside is asked for: its mesh, the part of this rank and its refined extent
    inside: Option<(DistributedMesh, RankPart, Option<Extent>)>,
}

impl<'r, 'g> Outline<'r, 'g> {
    /// What all layers have in common.
    pub fn frame(&self) -> LayerFrame {
        match self {
            Self::Whole(slicer) => slicer.frame(),
            Self::Shared(shared) => shared.boundary.frame(),
        }
    }

    /// A slicer for some layers, and what `model` lacks inside them. Both know other layers only if
    /// they have all of the solid. `reach` is how far beyond a layer its pixels look for places.
    pub fn into_slicer(
        self,
        model: &mut Model,
        a: &Arguments,
        stack: &Stack,
        layers: &Range<usize>,
        reach: f64,
    ) -> Result<Slicer> {
        let shared = match self {
            Self::Whole(slicer) => return Ok(*slicer),
            Self::Shared(shared) => *shared,
        };
        let RankOutline { ranks, boundary, inside } = shared;
        let [first, last] = [layers.start, layers.end.saturating_sub(1)];
        let heights = [stack.slab(first)[0], stack.slab(last)[1]];
        let heights = (!layers.is_empty()).then_some(heights);
        if let Some((mesh, part, extent)) = inside {
            let extent = extent.as_ref();
            let part = SharedInterior::new(ranks, &mesh, &part, extent, &boundary, heights, reach)?;
            (model.wanted, model.cell_data) = named_arrays(&a.wanted(), part.mesh())?;
            model.inside = InteriorModel::Part(Box::new(part));
        }
        boundary.slicer(ranks, heights)
    }
}

impl Model {
    /// Reads and prepares the model of some arguments.
    pub fn load<'r, 'g>(
        a: &Arguments,
        ranks: &'r Ranks<'g>,
        console: &Console,
    ) -> Result<(Self, Outline<'r, 'g>)> {
        let options = SliceOptions { axis: a.axis, tolerance: a.tolerance };
        let mesh = if ranks.size() == 1 {
            a.model.open(console)?
        } else if io::is_surface(&a.model.model)? {
            ControlMesh::Surface(read_surface(&a.model.model, console)?)
        } else {
            check_solid(a)?;
            return Self::on_ranks(a, options, ranks, console, || a.model.read(console));
        };
        let mesh = match mesh {
            ControlMesh::Surface(mesh) => return Self::surface(a, mesh, options, console),
            ControlMesh::Solid(mesh) => mesh,
        };
        check_solid(a)?;
        if a.is_outline() {
            return Self::on_ranks(a, options, ranks, console, || Ok(mesh));
        }
        let names = a.wanted();
        let mesh = a.model.prepare(mesh, 0, VertexRule::default(), console)?;
        check_memory(&named_arrays(&names, &mesh)?.0, refined_cell_count(&mesh, a.levels))?;
        let sha256 = refined_fingerprint(fingerprint(&mesh), a.levels);
        let ids_of = |name| mesh.cell_data.iter().find(|array| array.is_named(name));
        let material_ids = a.images.material_array().and_then(ids_of).map(CellIds::of);
        let mesh = a.model.refined(mesh, a.levels, VertexRule::default(), console)?;
        let (wanted, cell_data) = named_arrays(&names, &mesh)?;
        let controls = Controls { positions: &mesh.points, attributes: &wanted };
        let solid = a.model.analyze(&mesh, console)?;
        let slicer = console.during("Preparing", || Slicer::new(&solid, controls, options))?;
        let cells = mesh.cells.len();
        let inside = InteriorModel::Whole(Box::new((solid, mesh)));
        let model = Self { inside, wanted, cell_data, material_ids, sha256, cells };
        Ok((model, Outline::Whole(Box::new(slicer))))
    }

    /// The boundary, of ranks that have a block of the cells each; what is inside follows once
    /// their layers are known.
    fn on_ranks<'r, 'g>(
        a: &Arguments,
        options: SliceOptions,
        ranks: &'r Ranks<'g>,
        console: &Console,
        whole: impl FnOnce() -> Result<SolidMesh>,
    ) -> Result<(Self, Outline<'r, 'g>)> {
        let mesh = a.model.load_on_ranks(ranks, true, console, whole)?;
        let sha256 = refined_fingerprint(shared_fingerprint(ranks, &mesh)?, a.levels);
        let cells = mesh.element_count(a.levels)?;
        let ids = a.images.material_array().map(|name| CellIds::shared(ranks, &mesh, name));
        let material_ids = ids.transpose()?.flatten();
        let own = mesh.own_elements(ranks, a.levels);
        let (mesh, part) = if a.is_outline() {
            (None, mesh.into_part(ranks, a.levels, own)?)
        } else {
            let part = mesh.part(ranks, a.levels, own)?;
            (Some(mesh), part)
        };
        a.model.check_cells_on_ranks(&part, ranks, console)?;
        let blocks = blocks(&part, cells, ranks, console)?;
        let boundary = SharedBoundary::new(ranks, &blocks, options)?;
        let extent = blocks.extent_of_all().cloned();
        let inside = mesh.map(|mesh| (mesh, part, extent));
        let model = Self { material_ids, ..Self::outline(sha256, cells) };
        Ok((model, Outline::Shared(Box::new(RankOutline { ranks, boundary, inside }))))
    }

    /// A model without an inside.
    fn outline(sha256: String, cells: usize) -> Self {
        Self {
            inside: InteriorModel::None,
            wanted: Vec::new(),
            cell_data: Vec::new(),
            material_ids: None,
            sha256,
            cells,
        }
    }

    fn surface(
        a: &Arguments,
        mesh: SurfaceMesh,
        options: SliceOptions,
        console: &Console,
    ) -> Result<(Self, Outline<'static, 'static>)> {
        check_surface(a)?;
        let path = &a.model.model;
        let scheme = a.scheme.unwrap_or_default();
        if a.scheme.is_none() && mesh.faces.uniform_size() == Some(3) {
            console.warn(format!(
                "{}: the limit by Catmull-Clark is sliced; --scheme linear slices the triangles as \
                 they are",
                path.display()
            ));
        }
        let prepared = ClosedSurface::prepare(mesh, scheme)?;
        let PreparedSurface { mesh, surface, shells, separated } = &prepared;
        if *separated > 0 {
            let edges = counted(*separated, "edge");
            console
                .status("Separated", format!("shells that meet at {edges} of more than two faces"));
        }
        if let (true, Some(turned)) = (a.model.strict, shells.turned()) {
            return Err(Error::mesh(message!(
                path.display().to_string(),
                ": faces look inward: ",
                turned
            ))
            .with_help("turn them outward first (`subsolid surface --orient`)"));
        }
        let notices = prepared.notices();
        notices.for_each(|notice| console.warn(format!("{}: {}", path.display(), words(&notice))));
        let slicer = Slicer::of_surface(surface, &mesh.points, options)?;
        let shells = slicer.shells();
        if shells.shells.len() > 1 {
            let count = counted(shells.shells.len(), "shell");
            console.status(
                "Found",
                format!("{count}, {} of them cavities", shells.cavities().count()),
            );
        }
        let sha256 = surface_fingerprint(mesh, scheme);
        Ok((Self::outline(sha256, 0), Outline::Whole(Box::new(slicer))))
    }

    /// The layers of the model on the CPU, with `places` of the pixels where these are asked for.
    pub fn source(&self, slicer: Slicer, places: bool) -> Result<SolidSource<'_>> {
        let (solid, mesh) = match &self.inside {
            InteriorModel::None => return Ok(SolidSource::outlines(slicer)),
            InteriorModel::Part(part) => {
                return SolidSource::of_part(part, &self.wanted, &self.cell_data, slicer);
            }
            InteriorModel::Whole(whole) => &**whole,
        };
        let controls = Controls { positions: &mesh.points, attributes: &self.wanted };
        if places || !self.cell_data.is_empty() {
            SolidSource::with_cell_data(solid, controls, &self.cell_data, slicer)
        } else {
            SolidSource::new(solid, controls, slicer)
        }
    }
}

/// Refuses `cells` cells with these attributes where they would fill the memory.
fn check_memory(wanted: &[Attribute], cells: u128) -> Result<()> {
    let numbers: usize = wanted.iter().map(|attribute| attribute.width).sum();
    let need = cells.saturating_mul(CELL_BYTES + NUMBER_BYTES * numbers as u128);
    memory::check(format!("attributes of {cells} cells need"), need, |_| {
        "take fewer --levels, leave attributes out, or share the job by --mpi".into()
    })
}

/// Refuses what a solid has no use for.
fn check_solid(a: &Arguments) -> Result<()> {
    match a.scheme {
        Some(_) => Err(Error::request("--scheme is for surfaces").with_help("leave --scheme out")),
        None => Ok(()),
    }
}

/// Refuses what a surface has no use for, and what is known inside solids alone.
fn check_surface(a: &Arguments) -> Result<()> {
    refuse_for_solids(&[
        (a.levels > 0, "--levels"),
        (a.model.creases.is_some(), "--creases"),
        (a.model.crease_angle.is_some(), "--crease-angle"),
    ])?;
    refuse_given(
        &[
            (a.attributes().next().is_some(), "--attribute"),
            (a.images.material_names().next().is_some(), "--materials and --material-id"),
            (a.outputs.pvtu.is_some(), "--pvtu"),
        ],
        |option| {
            format!("{option}: a surface has attributes on its boundary alone, and no cells inside")
        },
        |_| "leave it out, or slice a solid".into(),
    )
}
