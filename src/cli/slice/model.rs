//! What `subsolid slice` cuts: a solid, or what a closed surface bounds.

use subsolid::io::ControlMesh;
use subsolid::limit::Solid;
use subsolid::memory;
use subsolid::mesh::{Attribute, CellArray, Controls, SolidMesh, SurfaceMesh};
use subsolid::numbers::counted;
use subsolid::refine::refined_cell_count;
use subsolid::scheme::{Scheme, VertexRule};
use subsolid::slice::{
    CellIds, ClosedSurface, PreparedSurface, SliceOptions, Slicer, SolidSource, fingerprint,
    named_arrays, refined_fingerprint, surface_fingerprint,
};
use subsolid::{Error, Result, message};

use super::arguments::Arguments;
use crate::cli::Console;
use crate::cli::unused::{refuse_for_solids, refuse_given};
use crate::cli::wording::words;

/// Bytes of memory that layers with places take for a cell, and for a number of an attribute at its
/// control points.
const CELL_BYTES: u128 = 2800;
const NUMBER_BYTES: u128 = 560;

/// A model ready to be cut.
pub struct Model {
    // none of a surface, and of a solid whose outline alone is cut
    inside: Option<Box<(Solid, SolidMesh)>>,
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

impl Model {
    /// Reads and prepares the model of some arguments, and what cuts it.
    pub fn load(a: &Arguments, console: &Console) -> Result<(Self, Slicer)> {
        let options = SliceOptions { axis: a.axis, tolerance: a.tolerance };
        let mesh = match a.model.open_welded(a.weld, console)? {
            ControlMesh::Surface(mesh) => return Self::surface(a, mesh, options, console),
            ControlMesh::Solid(mesh) => mesh,
        };
        check_solid(a)?;
        let (names, rule) = (a.wanted(), VertexRule::default());
        let mesh = a.model.prepare(mesh, 0, rule, console)?;
        if !a.is_outline() {
            check_memory(&named_arrays(&names, &mesh)?.0, refined_cell_count(&mesh, a.levels))?;
        }
        let sha256 = refined_fingerprint(fingerprint(&mesh), a.levels);
        let ids_of = |name| mesh.cell_data.iter().find(|array| array.is_named(name));
        let material_ids = a.images.material_array().and_then(ids_of).map(CellIds::of);
        let mesh = a.model.refined(mesh, a.levels, rule, console)?;
        let (wanted, cell_data) = named_arrays(&names, &mesh)?;
        let controls = Controls { positions: &mesh.points, attributes: &wanted };
        let solid = a.model.analyze(&mesh, console)?;
        a.model.hint(&mesh, &solid, a.levels, console);
        let slicer = console.during("Preparing", || Slicer::new(&solid, controls, options))?;
        let cells = mesh.cells.len();
        let inside = (!a.is_outline()).then(|| Box::new((solid, mesh)));
        Ok((Self { inside, wanted, cell_data, material_ids, sha256, cells }, slicer))
    }

    fn surface(
        a: &Arguments,
        mesh: SurfaceMesh,
        options: SliceOptions,
        console: &Console,
    ) -> Result<(Self, Slicer)> {
        check_surface(a)?;
        let path = &a.model.model;
        let scheme = a.scheme.unwrap_or_else(|| Scheme::of_mesh(&mesh));
        if a.scheme.is_none() && !mesh.faceted && mesh.faces.uniform_size() == Some(3) {
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
        if let (true, Some(turned)) = (a.model.strict, shells.reversed()) {
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
        let model = Self {
            inside: None,
            wanted: Vec::new(),
            cell_data: Vec::new(),
            material_ids: None,
            sha256: surface_fingerprint(mesh, scheme),
            cells: 0,
        };
        Ok((model, slicer))
    }

    /// The layers of the model on the CPU, with `places` of the pixels where these are asked for.
    pub fn source(&self, slicer: Slicer, places: bool) -> Result<SolidSource<'_>> {
        let Some((solid, mesh)) = self.inside.as_deref() else {
            return Ok(SolidSource::outlines(slicer));
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
        "take fewer --levels, or leave attributes out".into()
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
