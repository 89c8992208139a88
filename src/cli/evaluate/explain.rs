//! `--explain`: what an evaluation would run, and the least time that its bytes take.

use std::fmt::Write;

use schemars::JsonSchema;
use serde::Serialize;
use subsolid::Result;
use subsolid::backend::{Backend, LaunchReport};
use subsolid::limit::Solid;
use subsolid::mesh::SolidMesh;
use subsolid::numbers::counted;
use subsolid::plan::Samples;

use super::{Arguments, Console, EvaluationRequest, Outcome, table};
use crate::cli::json::JsonReport;

#[derive(Serialize, JsonSchema)]
pub struct Report {
    /// Name of the processor.
    backend: String,
    /// Number of elements evaluated at once.
    elements: usize,
    /// Kernels in the order in which they run.
    launches: Vec<LaunchReport>,
}

impl JsonReport for Report {
    const SCHEMA: &'static str = "subsolid.explain/1";
}

pub fn run(
    a: &Arguments,
    backend: &dyn Backend,
    request: EvaluationRequest,
    mesh: &SolidMesh,
    solid: &Solid,
    console: &Console,
) -> Result<Outcome> {
    let elements = solid.elements().len();
    let widths: Vec<usize> = mesh.attributes.iter().map(|attribute| attribute.width).collect();
    let explain = |samples: &Samples, shape| {
        let plan = solid.plan(samples, a.want(shape)?)?;
        backend.prepare(&plan)?.explain(&widths, 0..elements)
    };
    let mut launches = Vec::new();
    match request {
        EvaluationRequest::Grid(request) => {
            launches = explain(&request.samples, Some(request.shape))?
        }
        EvaluationRequest::Table(mut table) => loop {
            let locations = table.read(solid, table::BLOCK_ROWS)?;
            if locations.is_empty() {
                break;
            }
            launches.extend(explain(&Samples::Points(locations), None)?);
        },
    }
    let report = Report { backend: backend.name(), elements, launches };
    console.report(&report, || text(&report, mesh))?;
    Ok(Outcome::Done)
}

fn text(report: &Report, mesh: &SolidMesh) -> String {
    let mut text = format!("{} on the {}\n", counted(report.elements, "element"), report.backend);
    let _ = writeln!(
        text,
        "{:<18} {:<12} {:>5} {:>7} {:>9} {:>11} {:>20} {:>10} {:>10} {:>17}",
        "kernel",
        "input",
        "width",
        "batches",
        "leaves",
        "samples",
        "grid",
        "written",
        "read",
        "at peak bandwidth"
    );
    for launch in &report.launches {
        let of = match launch.input.checked_sub(1).and_then(|index| mesh.attributes.get(index)) {
            Some(attribute) => &attribute.name,
            None => "positions",
        };
        let grid = launch.grid.map(|g| format!("{} x {}, {} B", g.blocks, g.threads, g.shared));
        let _ = writeln!(
            text,
            "{:<18} {:<12} {:>5} {:>7} {:>9} {:>11} {:>20} {:>10} {:>10} {:>17}",
            launch.kernel,
            of,
            launch.width,
            launch.batches,
            launch.leaves,
            launch.samples,
            grid.unwrap_or_else(|| "-".into()),
            bytes(launch.bytes_written),
            bytes(launch.bytes_read),
            launch.floor.map_or_else(|| "-".into(), time),
        );
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
