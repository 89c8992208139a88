//! `subsolid extract`

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use subsolid::bezier::{Extraction, OPERATOR_RINGS, Pieces};
use subsolid::io::{self, WriteOptions};
use subsolid::limit::Solid;
use subsolid::mesh::SolidMesh;
use subsolid::numbers::counted;
use subsolid::scheme::VertexRule;
use subsolid::{Error, Result};

use super::console::since;
use super::json::JsonReport;
use super::memory::{check_size, say_size};
use super::model::ModelArguments;
use super::output::warn_of_lost_data;
use super::{Console, Outcome};
use subsolid::memory::{bytes_of, physical_memory};

/// Write Bézier extraction operators
///
/// The limit on a regular cell is one tricubic Bézier piece; toward an extraordinary
/// edge or vertex it consists of rings of exact pieces and a last one that interpolates it. A
/// piece's operator maps control points to its 64 Bézier points. Bézier cells for
/// ParaView are written by `subsolid evaluate --cells bezier`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  subsolid extract model.mesh -o operators.npz
  subsolid extract model.mesh --rings 4 --refined-points -o compact.npz
  subsolid extract model.mesh --rings 2 -o model.bext")]
pub struct Arguments {
    #[command(flatten)]
    model: ModelArguments,
    /// Refine the model this many times first
    #[arg(long, value_name = "N", default_value_t = 0)]
    levels: usize,
    /// Rings of exact pieces toward an extraordinary edge or vertex, 0 to 8
    #[arg(long, value_name = "K", default_value_t = OPERATOR_RINGS)]
    rings: usize,
    /// Keep the refined points of cells that are refined first as control points, and write their
    /// weights over the vertices: smaller files
    #[arg(long)]
    refined_points: bool,
    /// Compress .npz
    #[arg(long)]
    compress: bool,
    /// Maximum size of the output, in GB before compression; a larger one is refused, and its size
    /// reported
    #[arg(long, value_name = "GB", default_value_t = 1.0)]
    max_size: f64,
    /// File to write: .npz, or .bext (Bézier extraction text, version 2.0)
    #[arg(long, short, value_name = "OUT")]
    output: PathBuf,
}

/// How much larger operators are as text, roughly.
const OF_TEXT: u64 = 3;

/// What is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Npz,
    Bext,
}

impl Format {
    /// Bytes of a file of arrays that take `bytes` in memory.
    fn written(self, bytes: u64) -> u64 {
        match self {
            Self::Npz => bytes,
            Self::Bext => bytes.saturating_mul(OF_TEXT),
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub struct Report {
    /// Name of the file written.
    output: String,
    /// Number of cells of the model.
    cells: usize,
    /// Number of Bézier pieces.
    pieces: usize,
    /// Number of pieces that represent the limit exactly.
    exact: usize,
    /// Largest estimated distance of a piece from the limit, in length units.
    error_bound: f64,
    /// Number of distinct extraction operators.
    operators: usize,
    /// Least and greatest number of control points of a piece.
    controls: [usize; 2],
    /// Number of control points added by cells that are refined first.
    refined_points: usize,
    /// Size of the operators in bytes.
    bytes: usize,
    /// Duration of the whole job, in seconds.
    seconds: f64,
}

impl JsonReport for Report {
    const SCHEMA: &'static str = "subsolid.extract/1";
}

pub fn run(arguments: Arguments, console: &Console) -> Result<Outcome> {
    let a = &arguments;
    let format = a.format()?;
    a.model.check_no_input(&a.output, &[])?;
    io::atomic::check(&a.output)?;
    bytes_of("max_size", a.max_size)?;
    let mesh = a.model.load(a.levels, VertexRule::default(), console)?;
    if format == Format::Npz {
        io::check_names(io::Format::Npz, mesh.attributes.iter().map(|a| a.name.as_str()))?;
    }
    warn_of_lost_data(&mesh, false, &a.output, console);
    let solid = a.model.analyze(&mesh, console)?;

    let start = Instant::now();
    let pieces = Pieces::new(&solid, a.rings)?;
    let bytes = Extraction::estimate(&pieces, !a.refined_points).min(u64::MAX.into()) as u64;
    check_size(&a.output, format.written(bytes), a.max_size)?;
    let mut extraction = console.during("Extracting", || Extraction::new(&pieces))?;
    if !a.refined_points {
        // the arrays of the file stand beside those of the extraction
        let most = physical_memory().map_or(usize::MAX, |bytes| (bytes / 4) as usize);
        extraction =
            console.during("Extracting", || extraction.expanded(most)).map_err(
                |e| match format {
                    Format::Npz => e.with_help("give --refined-points, or fewer --rings"),
                    Format::Bext => e.with_help("ask for fewer --rings"),
                },
            )?;
    }
    a.announce(format, &extraction, console)?;
    let error_bounds = pieces.error_bounds(&mesh.points)?;
    console.status(
        "Extracted",
        format!("{} in {}", counted(extraction.operator_count(), "operator"), since(start)),
    );
    let writing = Instant::now();
    console.during("Writing", || a.write(format, &extraction, &solid, &mesh, &error_bounds))?;
    let report = a.report(&extraction, &mesh, &error_bounds, start);
    say_exact([report.exact, report.pieces], "Bézier piece", report.error_bound, console);
    console.wrote(a.output.display(), counted(report.pieces, "piece"), writing);
    console.report_json(&report)?;
    Ok(Outcome::Done)
}

impl Arguments {
    fn format(&self) -> Result<Format> {
        let is = |name: &str| has_extension(&self.output, name);
        if is("bext") {
            if self.refined_points {
                return Err(Error::request("a .bext file has no rows for --refined-points")
                    .with_help("leave it out, or end the name of the output in .npz"));
            }
            if self.compress {
                return Err(Error::request("a .bext file is plain text")
                    .with_help("leave --compress out, or end the name of the output in .npz"));
            }
            return Ok(Format::Bext);
        }
        if is("npz") {
            return Ok(Format::Npz);
        }
        Err(Error::request(format!("{}: unknown output format", self.output.display()))
            .with_help("end its name in .npz or .bext"))
    }

    /// Says how much will be written, in bytes before compression; refuses more than
    /// `--max-size`.
    fn announce(&self, format: Format, extraction: &Extraction, console: &Console) -> Result<()> {
        let bytes = format.written(extraction.bytes() as u64);
        check_size(&self.output, bytes, self.max_size)?;
        say_size(&self.output, bytes, console);
        Ok(())
    }

    fn write(
        &self,
        format: Format,
        extraction: &Extraction,
        solid: &Solid,
        mesh: &SolidMesh,
        error_bounds: &[f64],
    ) -> Result<()> {
        match format {
            Format::Npz => {
                let arrays = extraction.arrays(solid, mesh.controls(), error_bounds)?;
                io::write_arrays(&self.output, &arrays, WriteOptions { compress: self.compress })
            }
            Format::Bext => io::write_bext(&self.output, &extraction.patch(&mesh.points)?),
        }
    }

    fn report(
        &self,
        extraction: &Extraction,
        mesh: &SolidMesh,
        error_bounds: &[f64],
        start: Instant,
    ) -> Report {
        let count = extraction.pieces().len();
        let columns = || (0..count).map(|piece| extraction.operator(piece).controls.len());
        Report {
            output: self.output.display().to_string(),
            cells: mesh.cells.len(),
            pieces: count,
            exact: extraction.pieces().iter().filter(|piece| piece.exact).count(),
            error_bound: error_bounds.iter().copied().fold(0.0, f64::max),
            operators: extraction.operator_count(),
            controls: [columns().min().unwrap_or(0), columns().max().unwrap_or(0)],
            refined_points: extraction.refined().len(),
            bytes: extraction.bytes(),
            seconds: start.elapsed().as_secs_f64(),
        }
    }
}

/// Says how many pieces are exact, and how near the others are.
pub fn say_exact([exact, all]: [usize; 2], what: &str, error_bound: f64, console: &Console) {
    let (all, rest) = (counted(all, what), all - exact);
    let bound =
        format!("{rest} interpolated with an error of at most {error_bound:.2e} (estimated)");
    console.status("Fitted", format!("{all}: {exact} exact, {bound}"));
}

fn has_extension(path: &Path, name: &str) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(name))
}
