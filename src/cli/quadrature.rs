//! `subsolid quadrature`

mod boundary;
mod cluster;
mod pieces;

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Instant;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use subsolid::backend::{Backend, Choice, start};
use subsolid::cluster::Ranks;
use subsolid::io::{self, Format, JobPart, PieceWriter, WriteOptions};
use subsolid::limit::Solid;
use subsolid::memory::{self, bytes_of, decimal_bytes};
use subsolid::mesh::SolidMesh;
use subsolid::numbers::{counted, precise};
use subsolid::plan::{Cost, Want};
use subsolid::quadrature::{
    DEFAULT_GAUSS, DeviceQuadrature, ExportOptions, LEFT_HANDED, Mapping, PhysicalQuadrature,
    Quadrature, QuadratureLayout, QuadratureScheme, Report, Store, archive_bytes, check_positive,
    points, write_npz,
};
use subsolid::scheme::VertexRule;
use subsolid::volume::{Quality, add_cell_data};
use subsolid::{Error, Result};

use super::cluster::refuse_ranks;
use super::console::since;
use super::json::JsonReport;
use super::list::List;
use super::memory::{check_size, say_size};
use super::model::ModelArguments;
use super::names::bare;
use super::output::{check_ending, warn_left_out, warn_of_lost_data};
use super::pieces::{part, piece_size};
use super::processor::gpu_for;
use super::quality;
use super::{Console, Outcome};
pub use boundary::BoundarySummary;

/// Quadrature points of a piece of a .pvtu.
const PIECE_POINTS: usize = 1_000_000;
/// Bytes of a quadrature point in a .vtu, twice: as it is made and as it is written.
const BYTES_A_POINT: u128 = 2 * 180;
/// Points, and times those of regular cells, that are worth a warning, and the rings that it names.
const MANY_POINTS: usize = 10_000_000;
const MANY_POINTS_RATIO: usize = 8;
const FEW_RINGS: usize = 2;

/// Write quadrature points and basis functions for isogeometric analysis
///
/// For every cell: the control points that its basis functions belong to, Gauss points and weights,
/// values and derivatives of the basis functions, stored once for all cells that share them. Toward
/// extraordinary edges and vertices, the points lie in rings of boxes on which the basis is
/// tricubic; the region inside the last ring is reported as the remainder.
#[derive(Args)]
#[command(after_help = "\
Examples:
  subsolid quadrature model.mesh --gauss 4 -o quadrature.npz
  subsolid quadrature model.mesh --gauss 4 --store all -o quadrature.npz
  subsolid quadrature model.mesh --gauss 3 --rings 2 --second --physical-gradients -o all.npz
  subsolid quadrature model.mesh --gauss 4 --quality --json
  subsolid quadrature model.mesh --gauss 3 -o points.vtu
  subsolid quadrature model.mesh --gauss 5 --crease-angle 40 --boundary=0,3 --store all -o loads.npz")]
pub struct Arguments {
    #[command(flatten)]
    model: ModelArguments,
    /// Refine the model this many times first
    #[arg(long, value_name = "N", default_value_t = 0)]
    levels: usize,
    /// Gauss points along each axis of a box, 1 to 32
    #[arg(long, value_name = "N", default_value_t = DEFAULT_GAUSS)]
    gauss: usize,
    /// Rings of boxes toward an extraordinary edge or vertex, 0 to 20, with Gauss points in the
    /// remaining box; by default, as many as integrals accurate to 4e-9 need
    #[arg(long, value_name = "K")]
    rings: Option<usize>,
    /// Points on the boundary instead, with normals and the measure of the surface: on all of it,
    /// or on PARTS: sides between infinitely sharp edges, by number, and groups of faces, by name
    /// (listed by --boundary without PARTS), separated by commas; `\,` is a comma of a name. With
    /// PARTS, all figures are for these faces only
    #[arg(
        long,
        value_name = "PARTS",
        num_args = 0..=1,
        require_equals = true,
        conflicts_with = "quality"
    )]
    boundary: Option<Vec<List<String>>>,
    /// What a .npz holds: tables of basis functions; geometry: positions, measures and inverse
    /// Jacobians at all quadrature points; all: both [default: tables]
    #[arg(long, value_parser = bare::<Store>(), value_name = "WHAT", requires = "output")]
    store: Option<Store>,
    /// Write second derivatives of the basis functions too
    #[arg(long, requires = "output")]
    second: bool,
    /// Write dN/d(x,y,z) of every cell (and second ones with --second): by far the most
    /// data, 98 KB per regular cell with --gauss 4
    #[arg(long, requires = "output")]
    physical_gradients: bool,
    /// Report Jacobian determinants at the quadrature points, and the cells where they are not
    /// positive; exit code 1 if there are any
    #[arg(long)]
    quality: bool,
    /// Write even if some Jacobian determinants are not positive; the exit code is then 1
    #[arg(long, requires = "output")]
    force: bool,
    /// Do part I of N of a job that writes a .pvtu, for several machines at once: 1/N to N/N, in
    /// any order, then `subsolid merge`. Until merge, a part that exists is not recomputed. The
    /// report, and the check of Jacobian determinants, cover this part only
    #[arg(long, value_name = "I/N", value_parser = part, requires = "output",
          conflicts_with = "boundary")]
    pieces: Option<JobPart>,
    /// Maximum number of points per piece of a .pvtu, exceeded only if two leaves alone have more
    /// [default: 1000000]
    #[arg(long, value_name = "N", requires = "output", value_parser = piece_size,
          conflicts_with = "boundary")]
    piece_points: Option<usize>,
    /// Compress .npz, .vtu and .pvtu
    #[arg(long, requires = "output")]
    compress: bool,
    /// Maximum size of the output, in GB before compression; a larger one is refused, and its size
    /// reported
    #[arg(long, value_name = "GB", default_value_t = 1.0, requires = "output")]
    max_size: f64,
    /// Processor of positions, Jacobians and derivatives in space: auto (the fastest for this
    /// job), cpu, cuda or cuda:N; they are equal up to rounding
    #[arg(long, value_name = "NAME", default_value = "auto")]
    backend: Choice,
    /// File to write: .npz (what --store says), .vtu or .pvtu (the points with their weights
    /// and Jacobians); required without --quality and --boundary
    #[arg(long, short, value_name = "OUT", required_unless_present_any = ["quality", "boundary"])]
    output: Option<PathBuf>,
}

pub fn run(arguments: Arguments, ranks: Option<&Ranks<'_>>, console: &Console) -> Result<Outcome> {
    let a = &arguments;
    let format = a.output.as_ref().map(|output| a.check_output(output)).transpose()?;
    if a.boundary.is_some() {
        refuse_ranks(ranks, "--boundary")?;
    }
    let scheme = QuadratureScheme { gauss: a.gauss, rings: a.rings };
    scheme.check()?;
    bytes_of("max_size", a.max_size)?;
    if a.boundary.is_some() {
        boundary::check_backend(a.backend)?;
    }
    let _starting = if a.boundary.is_none() { Some(start(a.backend)?) } else { None };
    let want = if a.second { Want::FIRST | Want::SECOND } else { Want::FIRST };
    a.model.check_ranks(ranks)?;
    if let Some(ranks) = ranks {
        return cluster::run(a, ranks, format, scheme, want, console);
    }
    let mesh = a.model.load(a.levels, VertexRule::default(), console)?;
    if let Some(format) = format {
        let arrays = mesh.cell_data.iter().filter(|array| array.group_name().is_none());
        io::check_names(format, arrays.map(|array| array.name.as_str()))?;
    }
    if let (Some(output), None) = (&a.output, &a.boundary) {
        warn_of_lost_data(&mesh, true, output, console);
    }
    let start = Instant::now();
    let solid = a.model.analyze(&mesh, console)?;
    a.model.hint(&mesh, &solid, a.levels, console);
    if let Some(lists) = &a.boundary {
        let sides: Vec<String> = lists.iter().flat_map(|list| list.0.clone()).collect();
        return boundary::run(a, &sides, &mesh, &solid, scheme, want, console);
    }
    Quadrature::check_memory(&solid, scheme, want)?;
    warn_of_points(&solid, scheme, console);
    let layout = console.during("Preparing", || QuadratureLayout::new(&solid, scheme, want))?;
    let bytes = a.announce_output(&layout, &mesh, format, console)?;
    let quadrature = console.during("Preparing", || Quadrature::of(layout));
    let batches = counted(quadrature.batches().len(), "batch");
    let tables = decimal_bytes(quadrature.bytes() as u128);
    console.status("Prepared", format!("{batches}, {tables} of tables in {}", since(start)));

    if let (Some(part), Some(output)) = (a.pieces, &a.output) {
        return pieces::run(a, output, part, &quadrature, &mesh, bytes, console);
    }
    let start = Instant::now();
    let gpu = a.gpu(a.backend, quadrature.sample_count(), console)?;
    let mapping = mapping(&quadrature, &mesh, gpu.as_deref(), None)?;
    let report = console.during("Evaluating", || Report::new(&*mapping))?;
    let samples = counted(report.samples, "quadrature point");
    console.status("Evaluated", format!("{samples} in {}", since(start)));
    console.status("Integrated", volume(&report));
    if report.left_handed {
        console.warn(LEFT_HANDED);
    }
    let summary = QuadratureSummary::new(a, &quadrature, &report, bytes);
    if console.json() || a.quality {
        let left_handed = mesh.handedness().left_handed;
        console.report(&summary, || quality::text(&report.quality, left_handed, PLACES))?;
    }
    if let (Some(output), Some(format)) = (&a.output, format) {
        a.write_checked(output.display(), &report, console, || {
            write(a, output, format, &*mapping, &mesh, &report, console)
        })?;
    }
    Ok(outcome(&report))
}

/// What a quadrature with this report ends in.
fn outcome(report: &Report) -> Outcome {
    if report.quality.non_positive.is_empty() { Outcome::Done } else { Outcome::PoorQuality }
}

impl Arguments {
    /// The GPU for `samples` quadrature points, unless it is the CPU that is chosen; says which.
    fn gpu(
        &self,
        choice: Choice,
        samples: usize,
        console: &Console,
    ) -> Result<Option<Box<dyn Backend>>> {
        gpu_for(choice, &Cost::quadrature(samples), console)
    }

    /// Writes the points of `report` to the file `name` by `write`. Those that are not positive are
    /// refused, or only named with `--force`.
    fn write_checked(
        &self,
        name: impl Display,
        report: &Report,
        console: &Console,
        write: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        if !self.force {
            check_points(&report.quality)?;
        }
        let start = Instant::now();
        write()?;
        console.wrote(name, counted(report.samples, "quadrature point"), start);
        if let Err(refusal) = check_points(&report.quality) {
            console.warn(refusal);
        }
        Ok(())
    }

    fn export_options<'m>(&self, mesh: &'m SolidMesh) -> ExportOptions<'m> {
        ExportOptions {
            store: self.store.unwrap_or_default(),
            physical_derivatives: self.physical_gradients,
            compress: self.compress,
            cell_data: &mesh.cell_data,
        }
    }

    /// Says how much will be written, and refuses more than `--max-size`.
    fn announce_output(
        &self,
        layout: &QuadratureLayout<'_>,
        mesh: &SolidMesh,
        format: Option<Format>,
        console: &Console,
    ) -> Result<Option<u64>> {
        let (Some(output), Some(format)) = (&self.output, format) else { return Ok(None) };
        let options = self.export_options(mesh);
        let left_out = options.left_out();
        let names = mesh.cell_data.iter().map(|array| array.name.as_str());
        io::check_names(format, names.filter(|name| !left_out.contains(name)))?;
        let bytes = match format {
            Format::Npz => archive_bytes(layout, mesh.controls(), &options),
            _ => point_bytes(layout.sample_count()),
        };
        let own = bytes / self.pieces.map_or(1, |part| part.of as u64);
        self.announce(output, own, console).map(Some)
    }

    /// Says how many bytes will be written before compression; refuses more than `--max-size`.
    fn announce(&self, output: &Path, bytes: u64, console: &Console) -> Result<u64> {
        check_size(output, bytes, self.max_size)?;
        say_size(output, bytes, console);
        Ok(bytes)
    }

    fn check_output(&self, output: &Path) -> Result<Format> {
        check_ending(output, &["npz", "vtu", "pvtu"], "holds no quadrature")?;
        let format = self.model.check_output(output, &[])?;
        if format != Format::Pvtu && self.pieces.is_some() {
            return Err(Error::request("--pieces is for a .pvtu")
                .with_help("end the name of the output in .pvtu, or leave --pieces out"));
        }
        if format != Format::Pvtu && self.piece_points.is_some() {
            return Err(Error::request("--piece-points is for a .pvtu")
                .with_help("end the name of the output in .pvtu, or leave --piece-points out"));
        }
        if format != Format::Npz && (self.second || self.physical_gradients || self.store.is_some())
        {
            return Err(Error::request("basis functions are written to .npz only")
                .with_help("end the name of the output in .npz, or leave the options out"));
        }
        let without_basis = matches!(self.store, Some(Store::Geometry)) && !self.physical_gradients;
        if self.second && without_basis {
            return Err(Error::request(
                "--second applies to basis functions, which --store geometry does not store",
            )
            .with_help("give --store all or --physical-gradients, or leave --second out"));
        }
        Ok(format)
    }
}

/// The quadrature at the control points, on a GPU if there is one. For a part of a mesh,
/// `left_handed` says whether all cells of the whole are left-handed.
fn mapping<'q>(
    quadrature: &'q Quadrature<'q>,
    mesh: &SolidMesh,
    gpu: Option<&dyn Backend>,
    left_handed: Option<bool>,
) -> Result<Box<dyn PhysicalQuadrature<'q> + 'q>> {
    let left_handed = left_handed.unwrap_or_else(|| mesh.handedness().is_all_left());
    let controls = mesh.controls();
    let Some(device) = gpu.and_then(|gpu| gpu.device()) else {
        return Ok(Box::new(Mapping::of_part(quadrature, controls, left_handed)?));
    };
    let device = DeviceQuadrature::of_part(quadrature, controls, left_handed, device)?;
    Ok(Box::new(Mutex::new(device)))
}

/// Bytes of `samples` points in a .vtu.
fn point_bytes(samples: usize) -> u64 {
    (BYTES_A_POINT / 2) as u64 * samples as u64
}

fn write(
    a: &Arguments,
    output: &Path,
    format: Format,
    mapping: &dyn PhysicalQuadrature<'_>,
    mesh: &SolidMesh,
    report: &Report,
    console: &Console,
) -> Result<()> {
    let options = WriteOptions { compress: a.compress };
    match format {
        Format::Npz => {
            let options = a.export_options(mesh);
            warn_left_out(&options.left_out(), console);
            write_npz(output, mapping, mesh.controls(), report, options)
        }
        Format::Pvtu => write_pieces(a, output, mapping, mesh, console),
        _ => write_single(output, mapping, mesh, options, console),
    }
}

/// Writes all points, of the volume or of the boundary, to a file other than an archive.
fn write_single(
    output: &Path,
    mapping: &dyn PhysicalQuadrature<'_>,
    mesh: &SolidMesh,
    options: WriteOptions,
    console: &Console,
) -> Result<()> {
    let quadrature = mapping.quadrature();
    let need = BYTES_A_POINT * quadrature.sample_count() as u128;
    memory::check_half("a single file needs", need, |_| {
        "end its name in .pvtu, which is written in pieces, or in .npz".into()
    })?;
    let mut dataset = points(mapping, 0..quadrature.solid().leaves().len())?;
    warn_left_out(&add_cell_data(&mut dataset, &mesh.cell_data), console);
    io::write(output, dataset, options)
}

fn write_pieces(
    a: &Arguments,
    output: &Path,
    mapping: &dyn PhysicalQuadrature<'_>,
    mesh: &SolidMesh,
    console: &Console,
) -> Result<()> {
    let mut writer = PieceWriter::create(output, WriteOptions { compress: a.compress })?;
    let pieces = mapping.quadrature().file_pieces(a.piece_points.unwrap_or(PIECE_POINTS));
    for (index, leaves) in pieces.into_iter().enumerate() {
        let mut dataset = points(mapping, leaves)?;
        let left_out = add_cell_data(&mut dataset, &mesh.cell_data);
        if index == 0 {
            warn_left_out(&left_out, console);
        }
        writer.push(&dataset)?;
    }
    writer.finish()
}

/// Says beforehand that there will be many points, and how to have fewer.
pub fn warn_of_points(solid: &Solid, scheme: QuadratureScheme, console: &Console) {
    if scheme.rings.is_some() {
        return;
    }
    let points = Quadrature::point_count(solid, scheme);
    let times = points / (solid.elements().len() * scheme.gauss.pow(3)).max(1);
    if points < MANY_POINTS || times < MANY_POINTS_RATIO {
        return;
    }
    let fewer = QuadratureScheme { rings: Some(FEW_RINGS), ..scheme };
    console.warn(format!(
        "{points} quadrature points, {times} times those of regular cells, most of them beside \
         extraordinary edges and vertices; --rings {FEW_RINGS} has {}, with volumes accurate to about 1e-4",
        Quadrature::point_count(solid, fewer)
    ));
}

/// Where a quadrature samples Jacobians.
const PLACES: &str = "the quadrature points";

fn volume(report: &Report) -> String {
    // a flat model has no volume
    let share = match report.volume {
        0.0 => 0.0,
        volume => 100.0 * report.remainder_volume / volume,
    };
    format!(
        "volume {}, of which {:.3e} ({share:.2} %) in remainders, which cover {:.3e} cells in parameter space",
        precise(report.volume),
        report.remainder_volume,
        report.remainder_parameter_volume
    )
}

/// Refuses what is written with --force alone: points whose Jacobian is not positive.
fn check_points(quality: &Quality) -> Result<()> {
    check_positive(quality).map_err(|refusal| {
        refusal.with_help(
            "fix the control mesh there (refine --reorient, if cells are left-handed), or write \
             all the same with --force",
        )
    })
}

/// What was asked for, of cells and of the boundary alike.
#[derive(Serialize, JsonSchema)]
struct QuadratureRequest {
    /// File written; `null` without one.
    output: Option<String>,
    /// Number of Gauss points along each axis of a box.
    gauss: usize,
    /// Number of rings; `null` if it is chosen by the program.
    rings: Option<usize>,
    /// Number of batches: faces of leaves that share their tables; `null` on ranks.
    batches: Option<usize>,
    /// Bytes of the output before compression; `null` without one.
    output_bytes: Option<u64>,
}

impl QuadratureRequest {
    fn new(a: &Arguments, batches: Option<usize>, output_bytes: Option<u64>) -> Self {
        Self {
            output: a.output.as_ref().map(|path| path.display().to_string()),
            gauss: a.gauss,
            rings: a.rings,
            batches,
            output_bytes,
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub struct QuadratureSummary<'a> {
    #[serde(flatten)]
    asked: QuadratureRequest,
    /// Number of leaves: cells that are evaluated directly, and parts of cells that are refined
    /// first.
    leaves: usize,
    /// Size of the tables in memory, in bytes; `null` on ranks.
    table_bytes: Option<usize>,
    #[serde(flatten)]
    report: &'a Report,
}

impl JsonReport for QuadratureSummary<'_> {
    const SCHEMA: &'static str = "subsolid.quadrature/1";
}

impl<'a> QuadratureSummary<'a> {
    fn new(
        a: &Arguments,
        quadrature: &Quadrature<'_>,
        report: &'a Report,
        output_bytes: Option<u64>,
    ) -> Self {
        Self {
            asked: QuadratureRequest::new(a, Some(quadrature.batches().len()), output_bytes),
            leaves: quadrature.solid().leaves().len(),
            table_bytes: Some(quadrature.bytes()),
            report,
        }
    }
}
