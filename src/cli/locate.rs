//! `subsolid locate`: a table of points in, a table of places out, block by block.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use indicatif::ProgressBar;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use subsolid::backend::{Backend, Choice, Cpu, Limit, start};
use subsolid::io::{atomic, write_table_header};
use subsolid::limit::Solid;
use subsolid::locate::{
    Answer, DeviceLocator, Located, Locator, LocatorOptions, PointTable, columns, write_rows,
};
use subsolid::mesh::SolidMesh;
use subsolid::numbers::{counted, significant};
use subsolid::plan::{Cost, Location, Samples, Want};
use subsolid::scheme::VertexRule;
use subsolid::{Error, Result};

use super::console::since;
use super::json::JsonReport;
use super::model::{ModelArguments, warn_of_ignored};
use super::output::check_ending;
use super::processor::gpu_for;
use super::{Console, Outcome};

/// Rows worked on at a time by the CPU.
const BLOCK_ROWS: usize = 1 << 16;
/// Rows at a time on a GPU.
const DEVICE_BLOCK: usize = 1 << 20;
/// Tolerance of the library, as people write it.
const TOLERANCE: &str = "1e-9";
/// Bytes of a usual row of a table of points.
const ROW_BYTES: usize = 40;

/// Find the cells and parameters of points in space
///
/// For every point: inside or outside, its cell and (u, v, w), and its distance from
/// the limit there. If several cells share a point, the first is reported. For points outside, the
/// closest place of the solid and the distance to it are reported. Attributes are evaluated at
/// that place.
#[derive(Args)]
#[command(after_help = "\
Examples:
  subsolid locate model.mesh --points points.csv -o places.csv
  subsolid locate model.mesh --points points.csv --json")]
pub struct Arguments {
    #[command(flatten)]
    model: ModelArguments,
    /// Table of points: CSV with the columns x,y,z (or X;Y;Z, or tabs); other columns are ignored;
    /// - reads standard input
    #[arg(long, value_name = "POINTS")]
    points: PathBuf,
    /// Refine the model this many times first; cells are then those of the refined mesh
    #[arg(long, value_name = "N", default_value_t = 0)]
    levels: usize,
    /// Distance outside that still counts as inside, as a fraction of the diagonal of the box
    /// around the Bézier piece there, above 0 and at most 1e-3
    #[arg(long, value_name = "T", default_value = TOLERANCE, allow_hyphen_values = true)]
    tolerance: f64,
    /// Processor that looks points up: auto (the fastest for this job), cpu, cuda or
    /// cuda:N; cells are the same, parameters equal up to rounding
    #[arg(long, value_name = "NAME", default_value = "auto")]
    backend: Choice,
    /// Table to write: .csv with x,y,z,status,cell,u,v,w,distance and attributes, and corner after
    /// cell if the model has cells other than hexahedra
    #[arg(long, short, value_name = "OUT")]
    output: Option<PathBuf>,
}

/// What was found.
#[derive(Serialize, JsonSchema)]
pub struct Report {
    /// Name of the model's file.
    model: String,
    /// Number of points in the table.
    points: usize,
    /// Number of points inside the limit.
    inside: usize,
    /// Number of points outside the limit.
    outside: usize,
    /// Largest distance of a point inside from the limit at the parameters found, in length units.
    largest_residual: f64,
    /// Largest distance of a point outside from the solid, in length units.
    largest_distance: f64,
    /// Duration of the search, in seconds.
    seconds: f64,
    /// Number of points that the GPU left to the CPU; null without a GPU.
    left_to_cpu: Option<usize>,
    /// Name of the file written.
    output: Option<String>,
}

impl JsonReport for Report {
    const SCHEMA: &'static str = "subsolid.locate/1";
}

pub fn run(a: Arguments, console: &Console) -> Result<Outcome> {
    a.model.check_table(&a.points)?;
    if let Some(output) = &a.output {
        check_ending(output, &["csv"], "locate writes a table")?;
        a.model.check_output(output, &[&a.points])?;
    }
    let _starting = start(a.backend)?;
    let mut table = PointTable::open(&a.points)?;
    warn_of_ignored(&a.points, &table.ignored(), console);
    let mesh = a.model.load(a.levels, VertexRule::default(), console)?;
    let start = Instant::now();
    let solid = a.model.analyze(&mesh, console)?;
    let columns = columns(&solid, &mesh.attributes)?;
    let options = LocatorOptions { tolerance: a.tolerance, ..LocatorOptions::default() };
    let locator =
        console.during("Analyzing", || Locator::with_options(&solid, mesh.controls(), options))?;
    let pieces = locator.pieces().len();
    let pieces = counted(pieces, "Bézier piece");
    console.status("Analyzed", format!("{pieces} in {}", since(start)));
    let mut rows = PointTableRows { first: table.read(DEVICE_BLOCK)?, table };
    let estimate = rows.estimate(&a.points);
    let gpu = gpu_for(a.backend, &Cost::location(estimate), console)?;
    let device = gpu.as_ref().and_then(|gpu| gpu.device());
    let mut on_gpu = device.map(|device| DeviceLocator::new(&locator, device)).transpose()?;
    let bar = console.bar(estimate);
    let mut finder = Finder { locator: &locator, on_gpu: on_gpu.as_mut(), bar: &bar };
    let start = Instant::now();
    let mut report = Report {
        model: a.model.model.display().to_string(),
        points: 0,
        inside: 0,
        outside: 0,
        largest_residual: 0.0,
        largest_distance: 0.0,
        seconds: 0.0,
        left_to_cpu: gpu.is_some().then_some(0),
        output: a.output.as_ref().map(|path| path.display().to_string()),
    };
    match &a.output {
        Some(output) => atomic::write(output, |out| {
            let refused = |e| atomic::refused(output, e);
            write_table_header(out, &columns).map_err(refused)?;
            answer(&mut rows, &mut finder, &mut report, |answers| {
                let values = attributes(&solid, &mesh, answers)?;
                write_rows(out, &solid, answers, &mesh.attributes, &values).map_err(refused)
            })?;
            out.flush().map_err(refused)
        })?,
        None => answer(&mut rows, &mut finder, &mut report, |_| Ok(()))?,
    }
    bar.finish_and_clear();
    report.seconds = start.elapsed().as_secs_f64();
    let left = match report.left_to_cpu {
        Some(left) => format!(", {left} of them left to the CPU"),
        None => String::new(),
    };
    let points = counted(report.points, "point");
    console.status("Located", format!("{points} in {}{left}", since(start)));
    if let Some(output) = &a.output {
        console.wrote(output.display(), &points, start);
    }
    console.report(&report, || {
        format!(
            "{}: {} inside, at most {:.1e} from the limit; {} outside, at most {} away",
            points,
            report.inside,
            report.largest_residual,
            report.outside,
            significant(report.largest_distance)
        )
    })?;
    Ok(Outcome::Done)
}

/// The rows of a table, the first of which are read already.
struct PointTableRows {
    first: Vec<[f64; 3]>,
    table: PointTable,
}

impl PointTableRows {
    /// About how many rows there are in all.
    fn estimate(&self, table: &Path) -> usize {
        match std::fs::metadata(table) {
            Ok(file) if self.first.len() == DEVICE_BLOCK => file.len() as usize / ROW_BYTES,
            _ => self.first.len(),
        }
    }

    /// The next rows, at most `most`.
    fn read(&mut self, most: usize) -> Result<Vec<[f64; 3]>> {
        if self.first.is_empty() {
            return self.table.read(most);
        }
        let rest = self.first.split_off(most.min(self.first.len()));
        Ok(std::mem::replace(&mut self.first, rest))
    }
}

/// Who looks points up.
struct Finder<'a, 'l, 's> {
    locator: &'l Locator<'s>,
    on_gpu: Option<&'a mut DeviceLocator<'l, 's>>,
    bar: &'a ProgressBar,
}

impl Finder<'_, '_, '_> {
    /// Rows at a time.
    fn block(&self) -> usize {
        if self.on_gpu.is_some() { DEVICE_BLOCK } else { BLOCK_ROWS }
    }

    fn locate(&mut self, points: &[[f64; 3]], report: &mut Report) -> Result<Vec<Located>> {
        let Some(on_gpu) = &mut self.on_gpu else { return Ok(self.locator.locate(points)) };
        let found = on_gpu.locate(points)?;
        report.left_to_cpu = report.left_to_cpu.map(|left| left + found.left);
        Ok(found.located)
    }
}

/// Answers the rows of a table block by block.
fn answer(
    rows: &mut PointTableRows,
    finder: &mut Finder<'_, '_, '_>,
    report: &mut Report,
    mut take: impl FnMut(&[Answer]) -> Result<()>,
) -> Result<()> {
    let locator = finder.locator;
    loop {
        let points = rows.read(finder.block())?;
        if points.is_empty() {
            return Ok(());
        }
        let located = finder.locate(&points, report)?;
        let answers = points.par_iter().zip(located).map(|(&point, located)| {
            let (inside, place) = match located {
                Located::Inside(place) => (true, Some(place)),
                Located::Outside => (false, locator.nearest(point)),
            };
            place.map(|place| Answer { point, inside, place })
        });
        let answers: Option<Vec<Answer>> = answers.collect();
        let answers = answers.ok_or_else(|| without_place(locator, &points))?;
        for Answer { inside, place, .. } in &answers {
            report.points += 1;
            let (count, largest) = if *inside {
                (&mut report.inside, &mut report.largest_residual)
            } else {
                (&mut report.outside, &mut report.largest_distance)
            };
            *count += 1;
            *largest = largest.max(place.residual);
        }
        take(&answers)?;
        finder.bar.inc(answers.len() as u64);
    }
}

/// The error of a point that no place is nearest to.
fn without_place(locator: &Locator<'_>, points: &[[f64; 3]]) -> Error {
    let far = points.iter().find(|&&point| locator.nearest(point).is_none());
    let [x, y, z] = far.copied().unwrap_or_default();
    Error::request(format!("no place of the solid is nearest to the point {x:e}, {y:e}, {z:e}"))
        .with_help("check that the solid has a boundary")
}

/// The attributes at the places found.
fn attributes(
    solid: &Solid,
    mesh: &SolidMesh,
    answers: &[Answer],
) -> Result<Vec<subsolid::backend::Values>> {
    if mesh.attributes.is_empty() {
        return Ok(Vec::new());
    }
    let location = |answer: &Answer| Location {
        element: answer.place.element,
        parameters: answer.place.parameters,
    };
    let samples = Samples::Points(answers.iter().map(location).collect());
    let plan = solid.plan(&samples, Want::POSITION)?;
    let limit: Limit = Cpu::default().evaluate(&plan, mesh.controls())?;
    Ok(limit.attributes)
}

#[cfg(test)]
mod tests {
    use subsolid::locate::DEFAULT_TOLERANCE;

    use super::TOLERANCE;

    #[test]
    fn the_help_names_the_tolerance_of_the_library() {
        assert_eq!(TOLERANCE.parse(), Ok(DEFAULT_TOLERANCE));
    }
}
