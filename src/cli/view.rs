//! `subsolid view`

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use serde::Serialize;
use subsolid::bezier::MOST_RINGS;
use subsolid::scheme::VertexRule;
use subsolid::view::{Page, ViewOptions, WorstCell};
use subsolid::{Error, Result, io};

use super::console::since;
use super::model::ModelArguments;
use super::surface::SchemeName;
use super::surface_model::{is_surface, read_surface};
use super::{Console, Outcome};

/// Write one HTML file that shows a solid or a surface in any browser
///
/// The page needs no network: send it by mail, open it from the disk. It holds control points and
/// evaluates the limit as it draws, so that a close view stays smooth. Cut the solid by planes,
/// peel layers of cells off, move cells apart, color by class, Jacobian or any array, click for the
/// cell and (u, v, w) of a point, and go through the worst cells.
#[derive(Args)]
#[command(after_help = "\
Examples:
  subsolid view model.vtk -o model.html
  subsolid view model.vtk --crease-angle 40 --color temperature -o model.html
  subsolid view model.obj -o surface.html
  subsolid view limit.vtu --linear -o limit.html
  subsolid view model.vtk --slices layers -o job.html")]
pub struct Arguments {
    #[command(flatten)]
    model: ModelArguments,
    /// Refine the model so often first; surfaces by other schemes than Catmull-Clark are shown at
    /// this level [default: 0; of these surfaces 2]
    #[arg(long, value_name = "N")]
    levels: Option<usize>,
    /// Rules of a surface
    #[arg(long, value_enum, default_value_t)]
    scheme: SchemeName,
    /// Show cells and polygons as they are, not their limit: for files that evaluate, compare and
    /// distance wrote
    #[arg(long)]
    linear: bool,
    /// Array to color by first, by name; `scaled Jacobian` is one [default: the class of cells, or
    /// the scaled Jacobian where one is below 0]
    #[arg(long, value_name = "NAME", visible_alias = "attribute")]
    color: Option<String>,
    /// Color by the scaled Jacobian first
    #[arg(long, conflicts_with = "color")]
    quality: bool,
    /// Samples along each axis of a cell at which Jacobians are looked at
    #[arg(long, value_name = "N", default_value_t = 5)]
    samples: usize,
    /// Most rings of exact patches towards extraordinary vertices of the boundary; there are fewer
    /// where what remains is near the limit
    #[arg(long, value_name = "K", default_value_t = MOST_RINGS)]
    rings: usize,
    /// Most rings of exact pieces towards extraordinary edges and vertices inside; fewer in large
    /// models
    #[arg(long, value_name = "K", default_value_t = 2)]
    interior_rings: usize,
    /// Leave the inside out: a smaller file, whose cuts are hollow
    #[arg(long)]
    no_interior: bool,
    /// Layers that slice --png wrote, beside the solid
    #[arg(long, value_name = "DIR")]
    slices: Option<PathBuf>,
    /// Title of the page [default: the name of the model's file]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// File to write: .html
    #[arg(long, short, value_name = "OUT")]
    output: PathBuf,
}

#[derive(Serialize)]
struct Report {
    output: PathBuf,
    bytes: u64,
    /// Largest estimated distance of the shown boundary from the limit, in length units.
    error: f64,
    worst: Option<WorstCell>,
    seconds: f64,
}

/// Levels of surfaces that are shown refined.
const SURFACE_LEVELS: usize = 2;

pub fn run(arguments: Arguments, console: &Console) -> Result<Outcome> {
    let a = &arguments;
    a.check()?;
    let start = Instant::now();
    let mut page = if is_surface(&a.model.model) { a.surface(console)? } else { a.solid(console)? };
    if let Some(folder) = &a.slices {
        page.add_slices(folder)?;
    }
    let html = page.to_html()?;
    io::atomic::write(&a.output, |out| {
        use std::io::Write;
        out.write_all(html.as_bytes()).map_err(|e| Error::file(&a.output, None, e.to_string()))
    })?;
    let bytes = html.len() as u64;
    let size = bytes as f64 / 1e6;
    console.status("Wrote", format!("{}: {size:.1} MB in {}", a.output.display(), since(start)));
    if let Some(worst) = page.worst() {
        console.status(
            "Worst",
            format!("scaled Jacobian {:.4} in cell {}", worst.scaled_jacobian, worst.cell),
        );
    }
    let report = Report {
        output: a.output.clone(),
        bytes,
        error: page.error(),
        worst: page.worst(),
        seconds: start.elapsed().as_secs_f64(),
    };
    if console.json() {
        console.report(&report, String::new)?;
    }
    Ok(Outcome::Done)
}

impl Arguments {
    fn check(&self) -> Result<()> {
        let ending = self.output.extension().unwrap_or_default().to_ascii_lowercase();
        if ending != "html" && ending != "htm" {
            return Err(Error::request(format!(
                "{}: unknown output format",
                self.output.display()
            ))
            .with_help("end its name in .html; .glb is written by boundary and surface"));
        }
        let slices = self.slices.as_deref();
        self.model.check_no_input(&self.output, &slices.into_iter().collect::<Vec<&Path>>())?;
        io::atomic::check(&self.output)
    }

    fn options(&self) -> ViewOptions {
        let file = self.model.model.file_name().unwrap_or_default().to_string_lossy();
        let quality = self.quality.then(|| "scaled Jacobian".to_owned());
        ViewOptions {
            rings: self.rings,
            interior_rings: self.interior_rings,
            interior: !self.no_interior,
            samples: self.samples,
            color: self.color.clone().or(quality),
            ..ViewOptions::titled(self.title.clone().unwrap_or_else(|| file.into_owned()))
        }
    }

    fn solid(&self, console: &Console) -> Result<Page> {
        if self.scheme != SchemeName::default() {
            return Err(Error::request("--scheme is for surfaces").with_help("leave --scheme out"));
        }
        if self.linear {
            if self.levels.is_some() || self.model.creases.is_some() {
                return Err(Error::request("--linear shows the cells of the file as they are")
                    .with_help("leave --levels and --creases out"));
            }
            return Page::of_hexahedra(&self.model.read(console)?, &self.options());
        }
        let levels = self.levels.unwrap_or(0);
        let mesh = self.model.load(levels, VertexRule::default(), console)?;
        Page::of_solid(&mesh, &self.options())
    }

    fn surface(&self, console: &Console) -> Result<Page> {
        for (given, option) in [
            (self.quality, "--quality"),
            (self.slices.is_some(), "--slices"),
            (self.model.creases.is_some(), "--creases"),
            (self.model.crease_angle.is_some(), "--crease-angle"),
            (self.model.strict, "--strict"),
            (self.no_interior, "--no-interior"),
        ] {
            if given {
                return Err(Error::request(format!("{option} is for solids"))
                    .with_help(format!("leave {option} out")));
            }
        }
        let mesh = read_surface(&self.model.model, console)?;
        if self.linear {
            return Page::of_polygons(&mesh, &self.options());
        }
        let scheme = self.scheme.into();
        if let (true, Some(levels @ 1..)) = (self.scheme == SchemeName::default(), self.levels) {
            return Err(Error::request(format!(
                "--levels {levels} of a Catmull-Clark surface: its limit is shown"
            ))
            .with_help("leave --levels out"));
        }
        Page::of_surface(&mesh, scheme, self.levels.unwrap_or(SURFACE_LEVELS), &self.options())
    }
}
