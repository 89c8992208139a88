//! `subsolid view`

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use subsolid::error::option_name;
use subsolid::io::ControlMesh;
use subsolid::jobs::surface_file::{GlbRequest, write_skin};
use subsolid::memory::decimal_bytes;
use subsolid::mesh::SolidMesh;
use subsolid::scheme::{Scheme, VertexRule};
use subsolid::slice::fingerprint;
use subsolid::view::{ColorMap, Page, SkinPolygons, ViewFormat, ViewRequest, WorstCell};
use subsolid::{Result, io};

use super::gltf::{axes, units};
use super::json::JsonReport;
use super::model::{ModelArguments, SOLID_OR_SURFACE};
use super::names::{bare, scheme_names};
use super::output::warn_of_lost_data;
use super::unused::refuse_for_solids;
use super::{Console, Outcome};

/// Write one HTML file that shows a solid or a surface in any browser, or glTF
///
/// The page needs no network: send it by email, open it from disk. It holds control points and
/// evaluates the limit as it draws, so that a close view stays smooth. Cut the solid by planes,
/// peel layers of cells off, move cells apart, color by class, Jacobian or any array, click for the
/// cell and (u, v, w) of a point, and step through the worst cells.
#[derive(Args)]
#[command(mut_arg("model", |model| model.help(SOLID_OR_SURFACE)))]
#[command(mut_arg("unit", |unit| units(unit).help(UNIT)), mut_arg("up", |up| axes(up).help(UP)))]
#[command(after_help = "\
Examples:
  subsolid view model.vtk -o model.html
  subsolid view model.vtk --crease-angle 40 --color temperature -o model.html
  subsolid view model.obj -o surface.html
  subsolid view limit.vtu --linear -o limit.html
  subsolid view part.stl --slices layers -o job.html
  subsolid view model.vtk --color temperature --unit mm -o model.glb")]
pub struct Arguments {
    #[command(flatten)]
    model: ModelArguments,
    /// Refine a solid this many times first; level at which a surface by another scheme than
    /// Catmull-Clark is shown. Not for Catmull-Clark surfaces, whose limit is shown [default: 0; of
    /// surfaces 2]
    #[arg(long, value_name = "N")]
    levels: Option<usize>,
    /// Subdivision scheme of a surface [default: none of .stl, whose triangles are shown as they
    /// are, else catmull-clark]
    #[arg(long, value_parser = scheme_names())]
    scheme: Option<Scheme>,
    /// Show cells and polygons as they are, not their limit: for files that evaluate, compare and
    /// distance wrote
    #[arg(long)]
    linear: bool,
    /// Array to color by first, by name (`velocity [1]` is a component), `class`, `scaled Jacobian`
    /// or another name in the page's list [default: the class of cells, or the scaled Jacobian if
    /// it is negative anywhere; one color of surfaces]
    #[arg(long, value_name = "NAME", visible_alias = "attribute")]
    color: Option<String>,
    /// Color by the scaled Jacobian first
    #[arg(long, conflicts_with = "color")]
    quality: bool,
    /// Samples along each axis of a cell at which Jacobians are evaluated, 2 to 64 [default: 5]
    #[arg(long, value_name = "N")]
    samples: Option<usize>,
    /// Maximum number of rings of exact patches toward extraordinary vertices of the boundary, 0 to
    /// 8; fewer are used where the rest is close enough to the limit [default: 8]
    #[arg(long, value_name = "K")]
    rings: Option<usize>,
    /// Maximum number of rings of exact pieces toward extraordinary edges and vertices inside, 0 to
    /// 8; fewer in large models [default: 2]
    #[arg(long, value_name = "K")]
    interior_rings: Option<usize>,
    /// Omit the interior: a smaller file whose cuts are hollow
    #[arg(long)]
    no_interior: bool,
    /// Layers that slice --png wrote, beside the model
    #[arg(long, value_name = "DIR")]
    slices: Option<PathBuf>,
    /// Title of the page [default: the name of the model's file]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Color map shown first
    #[arg(long, value_parser = bare::<ColorMap>(), value_name = "MAP",
          default_value = ColorMap::default().name())]
    color_map: ColorMap,
    /// Samples along each edge of a face in .glb, 2 to 32 [default: 9]
    #[arg(long, value_name = "N")]
    fineness: Option<usize>,
    #[command(flatten)]
    glb: GlbRequest,
    /// File to write: .html, or .glb (glTF) with the boundary alone
    #[arg(long, short, value_name = "OUT")]
    output: PathBuf,
}

/// The report on a page; for .glb files `view` prints the report `surface`.
#[derive(Serialize, JsonSchema)]
pub struct Report {
    /// Name of the file written.
    output: String,
    /// Size of the file in bytes.
    bytes: u64,
    /// Largest estimated distance of the shown boundary from the limit, in length units: 0 with
    /// --linear and of .stl files without --scheme, null for the triangles of surfaces by other schemes than Catmull-Clark.
    error_bound: Option<f64>,
    /// The cell with the least scaled Jacobian; null for surfaces.
    worst: Option<WorstCell>,
    /// Duration of the whole job, in seconds.
    seconds: f64,
}

impl JsonReport for Report {
    const SCHEMA: &'static str = "subsolid.view/3";
}

/// What `--unit` and `--up` do for pages too.
const UNIT: &str = "Length unit of the model: pages show it, .glb files are in meters [default: none on \
                    pages, m in .glb]";
const UP: &str = "Up axis of the model [default: z]";

/// What the console shows while a page is made.
const DRAWING: &str = "Drawing";

pub fn run(arguments: Arguments, console: &Console) -> Result<Outcome> {
    let a = &arguments;
    let format = a.check()?;
    let start = Instant::now();
    if format == ViewFormat::Glb {
        let glb = a.glb.options(&a.output)?;
        let written = write_skin(&a.output, a.skin(console)?, glb, &mut console.notes())?;
        console.report_json(&written)?;
        return Ok(Outcome::Done);
    }
    let page = match a.open(console)? {
        ControlMesh::Surface(mesh) => {
            a.check_of_surface()?;
            let request = a.request();
            let mut page = console.during(DRAWING, || request.page_of_surface(&mesh, &a.name()))?;
            request.notice_of_surface(&mesh).into_iter().for_each(|notice| console.warn(notice));
            let notices = request.add_slices_of_surface(&mut page, &mesh)?;
            notices.into_iter().for_each(|notice| console.warn(notice));
            page
        }
        ControlMesh::Solid(mesh) => {
            // the cells of an evaluation are another model than that of its layers
            let is_compared = a.slices.is_some() && !a.linear;
            let own = if is_compared { vec![fingerprint(&mesh)] } else { Vec::new() };
            let mut page = a.solid(mesh, console)?;
            let notices = a.request().add_slices(&mut page, || own)?;
            notices.into_iter().for_each(|notice| console.warn(notice));
            page
        }
    };
    if let Some(WorstCell { scaled_jacobian, cell, .. }) = page.worst() {
        let worst = format!("the least scaled Jacobian {scaled_jacobian:.4} in cell {cell}");
        console.status("Found", worst);
    }
    let bytes = console.during("Writing", || page.write(&a.output))?;
    console.wrote(a.output.display(), decimal_bytes(bytes.into()), start);
    let report = Report {
        output: a.output.display().to_string(),
        bytes,
        error_bound: page.error(),
        worst: page.worst(),
        seconds: start.elapsed().as_secs_f64(),
    };
    console.report_json(&report)?;
    Ok(Outcome::Done)
}

impl Arguments {
    /// The request; its scheme and levels are checked against the model later.
    fn request(&self) -> ViewRequest {
        ViewRequest {
            title: self.title.clone(),
            linear: self.linear,
            scheme: self.scheme,
            levels: self.levels,
            color: self.color.clone().or(self.quality.then(|| "scaled Jacobian".to_owned())),
            samples: self.samples,
            rings: self.rings,
            interior_rings: self.interior_rings,
            no_interior: self.no_interior,
            slices: self.slices.clone(),
            map: self.color_map,
            fineness: self.fineness,
            unit: self.glb.unit,
            up: self.glb.up,
        }
    }

    /// The title of a page that has no other.
    fn name(&self) -> Cow<'_, str> {
        self.model.model.file_name().unwrap_or_default().to_string_lossy()
    }

    fn check(&self) -> Result<ViewFormat> {
        let format = self.request().format(&self.output)?;
        let slices = self.slices.as_deref();
        self.model.check_no_input(&self.output, &slices.into_iter().collect::<Vec<&Path>>())?;
        io::atomic::check(&self.output)?;
        Ok(format)
    }

    fn open(&self, console: &Console) -> Result<ControlMesh> {
        if self.linear { self.model.open_unjoined(console) } else { self.model.open(console) }
    }

    /// What a .glb shows.
    fn skin(&self, console: &Console) -> Result<SkinPolygons> {
        let request = self.request();
        match self.open(console)? {
            ControlMesh::Surface(mesh) => {
                self.check_of_surface()?;
                let skin = console.during(DRAWING, || request.skin_of_surface(&mesh))?;
                let notice = request.notice_of_surface(&mesh);
                notice.into_iter().for_each(|notice| console.warn(notice));
                Ok(skin)
            }
            ControlMesh::Solid(mesh) => {
                let (mesh, options) = (self.prepare_solid(mesh, console)?, request.skin_options());
                warn_of_lost_data(&mesh, false, &self.output, console);
                if self.linear {
                    return console.during(DRAWING, || SkinPolygons::of_cells(&mesh, &options));
                }
                let topology = self.model.topology(&mesh, console)?;
                console.during(DRAWING, || SkinPolygons::with_topology(&mesh, topology, &options))
            }
        }
    }

    fn solid(&self, mesh: SolidMesh, console: &Console) -> Result<Page> {
        let mesh = self.prepare_solid(mesh, console)?;
        let options = self.request().options(&self.name());
        if self.linear {
            return console.during(DRAWING, || Page::of_cells(&mesh, &options));
        }
        let solid = self.model.analyze(&mesh, console)?;
        self.model.hint(&mesh, &solid, self.levels.unwrap_or(0), console);
        console.during(DRAWING, || Page::of_analyzed(&mesh, &solid, &options))
    }

    fn prepare_solid(&self, mesh: SolidMesh, console: &Console) -> Result<SolidMesh> {
        self.request().check_of_solid()?;
        if self.linear {
            for (is_given, name) in [
                (self.model.creases.is_some(), "creases"),
                (self.model.crease_angle.is_some(), "crease_angle"),
                (self.model.strict, "strict"),
            ] {
                if is_given {
                    return ViewRequest::refuse_of_linear(option_name(name), "cells");
                }
            }
            return Ok(mesh);
        }
        self.model.prepare(mesh, self.levels.unwrap_or(0), VertexRule::default(), console)
    }

    /// Refuses options of solids that the request does not know.
    fn check_of_surface(&self) -> Result<()> {
        refuse_for_solids(&[
            (self.quality, "--quality"),
            (self.model.creases.is_some(), "--creases"),
            (self.model.crease_angle.is_some(), "--crease-angle"),
            (self.model.strict, "--strict"),
        ])
    }
}
