//! `subsolid view`

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use subsolid::io::ControlMesh;
use subsolid::limit::Solid;
use subsolid::memory::gigabytes;
use subsolid::mesh::{SolidMesh, SurfaceMesh};
use subsolid::scheme::{Scheme, VertexRule};
use subsolid::slice::{fingerprint, refined_fingerprint};
use subsolid::view::{
    ColorMap, Page, Paint, SkinOptions, SkinPolygons, SliceImages, ViewOptions, WorstCell,
};
use subsolid::{Error, Result, io};

use super::gltf::{self, GlbArguments, is_glb};
use super::json::JsonReport;
use super::model::{ModelArguments, SOLID_OR_SURFACE};
use super::names::bare;
use super::surface::scheme_names;
use super::unused::{leave_out, refuse_for_solids, refuse_given};
use super::{Console, Outcome};

/// Write one HTML file that shows a solid or a surface in any browser, or glTF
///
/// The page needs no network: send it by email, open it from disk. It holds control points and
/// evaluates the limit as it draws, so that a close view stays smooth. Cut the solid by planes,
/// peel layers of cells off, move cells apart, color by class, Jacobian or any array, click for the
/// cell and (u, v, w) of a point, and step through the worst cells.
#[derive(Args)]
#[command(mut_arg("model", |model| model.help(SOLID_OR_SURFACE)))]
#[command(mut_arg("unit", |unit| unit.help(UNIT)), mut_arg("up", |up| up.help(UP)))]
#[command(after_help = "\
Examples:
  subsolid view model.vtk -o model.html
  subsolid view model.vtk --crease-angle 40 --color temperature -o model.html
  subsolid view model.obj -o surface.html
  subsolid view limit.vtu --linear -o limit.html
  subsolid view model.vtk --slices layers -o job.html
  subsolid view model.vtk --color temperature --unit mm -o model.glb")]
pub struct Arguments {
    #[command(flatten)]
    model: ModelArguments,
    /// Refine the model this many times first; surfaces by other schemes than Catmull-Clark are
    /// shown at this level [default: 0; of these surfaces 2]
    #[arg(long, value_name = "N")]
    levels: Option<usize>,
    /// Subdivision scheme of a surface
    #[arg(long, value_parser = scheme_names(), default_value = Scheme::default().option_name())]
    scheme: Scheme,
    /// Show cells and polygons as they are, not their limit: for files that evaluate, compare and
    /// distance wrote
    #[arg(long)]
    linear: bool,
    /// Array to color by first, by name (`velocity [1]` is a component), `class`, `scaled Jacobian` or
    /// another name in the page's list [default: the class of cells, or the scaled Jacobian if it is
    /// negative anywhere]
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
    /// Layers that slice --png wrote, beside the solid
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
    glb: GlbArguments,
    /// File to write: .html, or .glb (glTF) with the boundary alone
    #[arg(long, short, value_name = "OUT")]
    output: PathBuf,
}

/// Of a page; for .glb files `view` prints the report `surface`.
#[derive(Serialize, JsonSchema)]
pub struct Report {
    /// File written.
    output: PathBuf,
    /// Its bytes.
    bytes: u64,
    /// Largest estimated distance of the shown boundary from the limit, in length units: 0 with
    /// --linear, null for the triangles of surfaces by other schemes than Catmull-Clark.
    error_bound: Option<f64>,
    /// The cell with the least scaled Jacobian; none of surfaces.
    worst: Option<WorstCell>,
    /// Seconds of the whole job.
    seconds: f64,
}

impl JsonReport for Report {
    const SCHEMA: &'static str = "subsolid.view/3";
}

/// What `--unit` and `--up` do for pages too.
const UNIT: &str = "Length unit of the model: pages show it, .glb files are in meters [default: none on \
                    pages, m in .glb]";
const UP: &str = "Up axis of the model [default: z]";

/// Levels of surfaces that are shown refined.
const SURFACE_LEVELS: usize = 2;
/// Levels at which layers may be of the model.
const SLICED_LEVELS: usize = 6;

pub fn run(arguments: Arguments, console: &Console) -> Result<Outcome> {
    let a = &arguments;
    a.check()?;
    let start = Instant::now();
    if is_glb(&a.output) {
        let glb = a.glb.options(&a.output)?;
        return gltf::write_skin(&a.output, a.skin(console)?, glb, console);
    }
    let page = match a.open(console)? {
        ControlMesh::Surface(mesh) => a.surface(&mesh)?,
        ControlMesh::Solid(mesh) => {
            // the cells of an evaluation are another model than that of its layers
            let own = a.slices.as_ref().filter(|_| !a.linear).map(|_| fingerprint(&mesh));
            let mut page = a.solid(mesh, console)?;
            if let Some(folder) = &a.slices {
                a.say_layers(&page.add_slices(folder)?, own, console);
            }
            page
        }
    };
    if let Some(WorstCell { scaled_jacobian, cell, .. }) = page.worst() {
        let worst = format!("the least scaled Jacobian {scaled_jacobian:.4} in cell {cell}");
        console.status("Found", worst);
    }
    let bytes = page.write(&a.output)?;
    console.wrote(a.output.display(), gigabytes(bytes.into()), start);
    let report = Report {
        output: a.output.clone(),
        bytes,
        error_bound: page.error(),
        worst: page.worst(),
        seconds: start.elapsed().as_secs_f64(),
    };
    console.report_json(&report)?;
    Ok(Outcome::Done)
}

impl Arguments {
    fn check(&self) -> Result<()> {
        let ending = self.output.extension().unwrap_or_default().to_ascii_lowercase();
        if ending != "html" && ending != "htm" && !is_glb(&self.output) {
            return Err(Error::request(format!(
                "{}: unknown output format",
                self.output.display()
            ))
            .with_help("end its name in .html or .glb"));
        }
        if is_glb(&self.output) {
            refuse_given(
                &[
                    (self.slices.is_some(), "--slices"),
                    (self.title.is_some(), "--title"),
                    (self.no_interior, "--no-interior"),
                    (self.rings.is_some(), "--rings"),
                    (self.interior_rings.is_some(), "--interior-rings"),
                ],
                |option| format!("{option} is for pages"),
                |option| format!("leave {option} out, or write .html"),
            )?;
        } else if self.fineness.is_some() {
            return Err(Error::request(
                "--fineness is for .glb: pages evaluate the limit as they draw",
            )
            .with_help("leave --fineness out, or write .glb"));
        }
        let slices = self.slices.as_deref();
        self.model.check_no_input(&self.output, &slices.into_iter().collect::<Vec<&Path>>())?;
        io::atomic::check(&self.output)
    }

    /// Warns of layers of another model, and of images that are not shown.
    fn say_layers(&self, shown: &SliceImages, own: Option<String>, console: &Console) {
        let folder = self.slices.as_deref().unwrap_or(Path::new("")).display();
        let is_of = |own: &String| {
            (0..=SLICED_LEVELS)
                .any(|levels| refined_fingerprint(own.clone(), levels) == shown.model_sha256)
        };
        if own.is_some_and(|own| !is_of(&own)) {
            console.warn(format!(
                "{folder}: the layers are of another model, or of this one with other creases or arrays"
            ));
        }
        if let [first, others @ ..] = &shown.stacks[..]
            && !others.is_empty()
        {
            console.warn(format!(
                "{folder}: the images of {first} are shown; left out {}",
                others.join(", ")
            ));
        }
    }

    fn open(&self, console: &Console) -> Result<ControlMesh> {
        if self.linear { self.model.open_unjoined(console) } else { self.model.open(console) }
    }

    fn options(&self) -> ViewOptions {
        let file = self.model.model.file_name().unwrap_or_default().to_string_lossy();
        let quality = self.quality.then(|| "scaled Jacobian".to_owned());
        let defaults = ViewOptions::titled(self.title.clone().unwrap_or_else(|| file.into_owned()));
        ViewOptions {
            rings: self.rings.unwrap_or(defaults.rings),
            interior_rings: self.interior_rings.unwrap_or(defaults.interior_rings),
            interior: !self.no_interior,
            samples: self.samples.unwrap_or(defaults.samples),
            color: self.color.clone().or(quality),
            map: self.color_map,
            unit: self.glb.unit,
            up: self.glb.up.unwrap_or_default(),
            ..defaults
        }
    }

    /// What a .glb shows.
    fn skin(&self, console: &Console) -> Result<SkinPolygons> {
        let ViewOptions { color, samples: jacobian_samples, .. } = self.options();
        let options = SkinOptions {
            samples: self.fineness.unwrap_or(SkinOptions::default().samples),
            jacobian_samples,
            paint: color.map_or(Paint::First, Paint::Array),
            map: self.color_map,
        };
        match (self.open(console)?, self.linear) {
            (ControlMesh::Solid(mesh), true) => {
                SkinPolygons::of_cells(&self.prepare_solid(mesh, console)?, &options)
            }
            (ControlMesh::Solid(mesh), false) => {
                let mesh = self.prepare_solid(mesh, console)?;
                let topology = self.model.topology(&mesh, console)?;
                SkinPolygons::with_topology(&mesh, topology, &options)
            }
            (ControlMesh::Surface(mesh), true) => {
                self.surface_levels()?;
                SkinPolygons::of_polygons(mesh.without_holes().into_owned(), &options)
            }
            (ControlMesh::Surface(mesh), false) => {
                SkinPolygons::of_surface(&mesh, self.scheme, self.surface_levels()?, &options)
            }
        }
    }

    fn solid(&self, mesh: SolidMesh, console: &Console) -> Result<Page> {
        let mesh = self.prepare_solid(mesh, console)?;
        if self.linear {
            return Page::of_cells(&mesh, &self.options());
        }
        let solid = Solid::with_topology(&mesh, self.model.topology(&mesh, console)?)?;
        Page::of_analyzed(&mesh, &solid, &self.options())
    }

    fn prepare_solid(&self, mesh: SolidMesh, console: &Console) -> Result<SolidMesh> {
        if self.scheme != Scheme::default() {
            return Err(Error::request("--scheme is for surfaces").with_help("leave --scheme out"));
        }
        if !self.linear {
            if self.no_interior {
                let message = |option: &str| {
                    format!("--no-interior omits the interior: {option} has no effect")
                };
                refuse_given(
                    &[(self.interior_rings.is_some(), "--interior-rings")],
                    message,
                    leave_out,
                )?;
            }
            let levels = self.levels.unwrap_or(0);
            return self.model.prepare(mesh, levels, VertexRule::default(), console);
        }
        self.refuse_unused_of_linear("cells")?;
        Ok(mesh)
    }

    fn surface(&self, mesh: &SurfaceMesh) -> Result<Page> {
        let levels = self.surface_levels()?;
        if self.linear {
            Page::of_polygons(mesh, &self.options())
        } else {
            Page::of_surface(mesh, self.scheme, levels, &self.options())
        }
    }

    /// Refuses what only a limit has.
    fn refuse_unused_of_linear(&self, shown: &str) -> Result<()> {
        let options = [
            (self.levels.is_some(), "--levels"),
            (self.model.creases.is_some(), "--creases"),
            (self.model.crease_angle.is_some(), "--crease-angle"),
            (self.model.strict, "--strict"),
            (self.scheme != Scheme::default(), "--scheme"),
            (self.rings.is_some(), "--rings"),
            (self.interior_rings.is_some(), "--interior-rings"),
            (self.no_interior, "--no-interior"),
            (self.fineness.is_some(), "--fineness"),
        ];
        let message = |option: &str| {
            format!("--linear shows the {shown} of the file unchanged: {option} has no effect")
        };
        refuse_given(&options, message, leave_out)
    }

    /// How often a surface is refined; refuses options of solids and of other surfaces.
    fn surface_levels(&self) -> Result<usize> {
        refuse_for_solids(&[
            (self.quality, "--quality"),
            (self.slices.is_some(), "--slices"),
            (self.model.creases.is_some(), "--creases"),
            (self.model.crease_angle.is_some(), "--crease-angle"),
            (self.model.strict, "--strict"),
            (self.no_interior, "--no-interior"),
            (self.interior_rings.is_some(), "--interior-rings"),
            (self.samples.is_some(), "--samples"),
        ])?;
        if self.linear {
            self.refuse_unused_of_linear("polygons")?;
        }
        if !self.scheme.is_bicubic() {
            let of_patches =
                [(self.rings.is_some(), "--rings"), (self.fineness.is_some(), "--fineness")];
            let message = |option: &str| {
                let scheme = self.scheme.option_name();
                format!("--scheme {scheme} shows triangles: {option} has no effect")
            };
            refuse_given(&of_patches, message, leave_out)?;
        }
        if let (true, Some(levels @ 1..)) =
            (self.scheme == Scheme::default() && !self.linear, self.levels)
        {
            return Err(Error::request(format!(
                "--levels {levels} of a Catmull-Clark surface: its limit is shown"
            ))
            .with_help("leave --levels out"));
        }
        Ok(self.levels.unwrap_or(SURFACE_LEVELS))
    }
}
