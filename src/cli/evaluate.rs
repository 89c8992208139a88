//! `subsolid evaluate`

use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

use clap::Args;
use subsolid::Result;
use subsolid::backend::{LaunchReport, start};
use subsolid::cluster::Ranks;
use subsolid::jobs::evaluate::{EvaluateReport, EvaluateRequest, ExplainReport};
use subsolid::mesh::SolidMesh;
use subsolid::numbers::counted;
use subsolid::scheme::VertexRule;
use subsolid::view::ColorMap;

use super::cluster::refuse_ranks;
use super::console::since;
use super::gltf::{axes, units};
use super::model::ModelArguments;
use super::names::bare;
use super::pieces::piece_size;
use super::{Console, Outcome, quality};

/// Evaluate the limit volume of a control mesh
///
/// Every hexahedral cell has parameters (u, v, w) in [0, 1]: u along its corners 0-1,
/// v along 0-3, w along 0-4 (VTK order). Other cells evaluate on their hexahedral
/// children. With --levels, cells are those of the refined mesh. One of --samples, --gauss and --at
/// says where to evaluate; --cells lagrange and bezier need none.
#[derive(Args)]
#[command(mut_arg("unit", units), mut_arg("up", axes))]
#[command(mut_arg("color_map", |map| map.value_parser(bare::<ColorMap>())))]
#[command(mut_arg("piece_points", |points| points.value_parser(piece_size)))]
#[command(after_help = "\
Examples:
  subsolid evaluate model.mesh --samples 8 -o limit.vtu
  subsolid evaluate model.mesh --cells bezier --rings 4 -o exact.vtu
  subsolid evaluate model.mesh --gauss 3 --derivatives 1 --quality -o points.csv
  subsolid evaluate model.mesh --at parameters.csv --derivatives 2 -o values.csv
  subsolid evaluate model.vtu --samples 8 --gradients --jacobian -o gradients.vtu
  subsolid evaluate model.mesh --samples 8 --quality --json
  subsolid evaluate model.vtu --samples 9 --color temperature --unit mm -o part.glb
  subsolid evaluate model.mesh --samples 8 --precision f32 --explain")]
pub struct Arguments {
    #[command(flatten)]
    model: ModelArguments,
    /// Refine the model this many times first
    #[arg(long, value_name = "N", default_value_t = 0)]
    levels: usize,
    #[command(flatten)]
    request: EvaluateRequest,
}

pub fn run(arguments: Arguments, ranks: Option<&Ranks<'_>>, console: &Console) -> Result<Outcome> {
    let Arguments { model, levels, request } = &arguments;
    let levels = *levels;
    let at = request.places.at.as_deref();
    if request.is_of_boundary() {
        refuse_ranks(ranks, "the boundary for viewers")?;
    } else if at.is_some() {
        refuse_ranks(ranks, "--at")?;
    }
    let mut notes = console.notes();
    request.check(&mut notes)?;
    if let Some(output) = &request.output {
        model.check_no_input(output, &at.into_iter().collect::<Vec<&Path>>())?;
    }
    if request.is_of_boundary() {
        let mesh = model.load(levels, VertexRule::default(), console)?;
        let topology = model.topology(&mesh, console)?;
        console.report_json(&request.run_boundary(&mesh, topology, &mut notes)?)?;
        return Ok(Outcome::Done);
    }
    at.map_or(Ok(()), |table| model.check_table(table))?;
    let table = request.open()?;
    model.check_ranks(ranks)?;
    if let Some(ranks) = ranks {
        request.check_of_ranks()?;
        let mesh = model.read(console)?;
        model.check_cells(&mesh, console)?;
        let report = request.run_on_ranks((&mesh, levels), ranks, &mut notes)?;
        return finish(&report, console);
    }
    let _starting = start(request.processor.backend)?;
    let mesh = model.load(levels, VertexRule::default(), console)?;
    request.check_mesh(&mesh, 0, &mut notes)?;
    let start = Instant::now();
    let topology = model.topology(&mesh, console)?;
    let solid = console.during("Analyzing", || request.analyze(&mesh, topology))?;
    let structures = solid.planar_structures().len() + solid.spatial_structures().len();
    let (cells, structures) = (counted(mesh.cells.len(), "cell"), counted(structures, "structure"));
    console.status("Analyzed", format!("{cells}, {structures} in {}", since(start)));
    model.hint(&mesh, &solid, levels, console);
    if request.explain {
        let report = request.explain((&mesh, &solid), table, &mut notes)?;
        console.report(&report, || text(&report, &mesh))?;
        return Ok(Outcome::Done);
    }
    match request.run((&mesh, &solid), table, &mut notes)? {
        Some(report) => finish(&report, console),
        None => Ok(Outcome::Done),
    }
}

/// Reports, and says how the program ends.
fn finish(report: &EvaluateReport, console: &Console) -> Result<Outcome> {
    if console.json() || report.quality.is_some() {
        let text = |found| quality::text(found, report.left_handed_cells, &report.places);
        console.report(report, || report.quality.as_ref().map(text).unwrap_or_default())?;
    }
    Ok(match &report.quality {
        Some(quality) if !quality.non_positive.is_empty() => Outcome::PoorQuality,
        _ => Outcome::Done,
    })
}

fn text(report: &ExplainReport, mesh: &SolidMesh) -> String {
    let mut text = format!("{} on the {}\n", counted(report.elements, "element"), report.backend);
    let mut row = |columns: [String; 10]| {
        let [kernel, input, width, batches, leaves, samples, grid, written, read, floor] = columns;
        let _ = writeln!(
            text,
            "{kernel:<18} {input:<12} {width:>5} {batches:>7} {leaves:>9} {samples:>11} {grid:>20} {written:>10} {read:>10} {floor:>17}"
        );
    };
    row([
        "kernel",
        "input",
        "width",
        "batches",
        "leaves",
        "samples",
        "grid",
        "written",
        "read",
        "at peak bandwidth",
    ]
    .map(String::from));
    for launch in &report.launches {
        let of = launch.input.checked_sub(1).and_then(|index| mesh.attributes.get(index));
        let grid = launch.grid.map(|g| format!("{} x {}, {} B", g.blocks, g.threads, g.shared));
        row([
            launch.kernel.to_string(),
            of.map_or("positions", |attribute| &attribute.name).to_owned(),
            launch.width.to_string(),
            launch.batches.to_string(),
            launch.leaves.to_string(),
            launch.samples.to_string(),
            grid.unwrap_or_else(|| "-".into()),
            bytes(launch.bytes_written),
            bytes(launch.bytes_read),
            launch.floor.map_or_else(|| "-".into(), time),
        ]);
    }
    let sum = |of: fn(&LaunchReport) -> u64| bytes(report.launches.iter().map(of).sum());
    let (written, read) = (sum(|l| l.bytes_written), sum(|l| l.bytes_read));
    let _ = write!(text, "total: {written} written, {read} read");
    let floor: Option<f64> = report.launches.iter().map(|launch| launch.floor).sum();
    if let Some(floor) = floor.filter(|&floor| floor > 0.0) {
        let _ = write!(text, ", {} at peak bandwidth", time(floor));
    }
    text
}

fn bytes(count: u64) -> String {
    match count as f64 {
        b if b < 1e3 => format!("{b} B"),
        b if b < 1e6 => format!("{:.1} kB", b / 1e3),
        b if b < 1e9 => format!("{:.1} MB", b / 1e6),
        b => format!("{:.1} GB", b / 1e9),
    }
}

fn time(seconds: f64) -> String {
    if seconds < 1e-3 {
        format!("{:.1} µs", 1e6 * seconds)
    } else {
        format!("{:.2} ms", 1e3 * seconds)
    }
}
