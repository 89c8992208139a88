//! Finds the cells and parameters of points in space: a table of points in, a table of places out,
//! block by block.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::output::warn_of_ignored;
use super::{Notes, backend_for, since};
use crate::backend::{Backend, Choice, Cpu, Limit, Values};
use crate::error::{Error, Result};
use crate::io::{atomic, check_ending, check_output, write_table_header};
use crate::limit::Solid;
use crate::locate::{
    Answer, Containment, DEFAULT_TOLERANCE, Locations, Locator, LocatorOptions, PointTable,
    columns, write_rows,
};
use crate::mesh::{Controls, SolidMesh};
use crate::numbers::counted;
use crate::plan::{Cost, Location, Samples, Want};

/// Rows that are located at a time, and those of them answered between two notes.
const BLOCK_ROWS: usize = 1 << 20;
const NOTED_ROWS: usize = 1 << 16;
/// Tolerance of the library, as people write it.
#[cfg(feature = "cli")]
const TOLERANCE: &str = "1e-9";
/// Bytes of a usual row of a table of points.
const ROW_BYTES: usize = 40;

/// What is asked of location.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(default)]
pub struct LocateRequest {
    /// Table of points: CSV with the columns x,y,z (or X;Y;Z, or tabs); other columns are ignored;
    /// - reads standard input
    #[cfg_attr(feature = "cli", arg(long, value_name = "POINTS"))]
    pub points: PathBuf,
    /// Distance outside that still counts as inside, as a fraction of the diagonal of the box
    /// around the Bézier piece there, above 0 and at most 1e-3
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "T", default_value = TOLERANCE, allow_hyphen_values = true)
    )]
    pub tolerance: f64,
    /// Processor that looks points up: auto (the fastest for this job), cpu, cuda or
    /// cuda:N; cells are the same, parameters equal up to rounding
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME", default_value = "auto"))]
    pub backend: Choice,
}

impl Default for LocateRequest {
    fn default() -> Self {
        Self { points: PathBuf::new(), tolerance: DEFAULT_TOLERANCE, backend: Choice::default() }
    }
}

/// What was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct LocateReport {
    /// Number of points in the table.
    pub points: usize,
    /// Number of points inside the limit.
    pub inside: usize,
    /// Number of points outside the limit.
    pub outside: usize,
    /// Largest distance of a point inside from the limit at the parameters found, in length units.
    pub largest_residual: f64,
    /// Largest distance of a point outside from the solid, in length units.
    pub largest_distance: f64,
    /// Duration of the search, in seconds.
    pub seconds: f64,
    /// Number of points that the GPU left to the CPU; null without a GPU.
    pub left_to_cpu: Option<usize>,
}

impl LocateRequest {
    /// Opens the table of points; warns of columns that are not read.
    ///
    /// # Errors
    /// As [`PointTable::open`].
    pub fn open(&self, notes: &mut dyn Notes) -> Result<PointTable> {
        let table = PointTable::open(&self.points)?;
        warn_of_ignored(&self.points, &table.ignored(), notes);
        Ok(table)
    }

    /// Checks, before any work, that places can be written to a file.
    ///
    /// # Errors
    /// [`Error::Request`] for another ending; [`Error::Io`] or [`Error::File`] for a directory that
    /// does not take the file.
    pub fn check_output(output: &Path) -> Result<()> {
        check_ending(output, &["csv"], "locate writes a table")?;
        check_output(output).map(drop)
    }

    /// A locator of a solid at control points.
    ///
    /// # Errors
    /// As [`Locator::with_options`].
    pub fn locator<'s>(&self, solid: &'s Solid, controls: Controls<'_>) -> Result<Locator<'s>> {
        let options = LocatorOptions { tolerance: self.tolerance, ..LocatorOptions::default() };
        Locator::with_options(solid, controls, options)
    }

    /// Locates the points of a table; of points outside, finds the closest place of the solid.
    /// Writes the places and the attributes there to `output`, a .csv, if there is one.
    ///
    /// # Errors
    /// As [all jobs](crate::jobs#errors); [`Error::File`] with the line of a row that is not three
    /// finite numbers; [`Error::Request`] for columns of one name, and a point without a nearest
    /// place.
    pub fn run(
        &self,
        (mesh, solid): (&SolidMesh, &Solid),
        table: PointTable,
        output: Option<&Path>,
        notes: &mut dyn Notes,
    ) -> Result<LocateReport> {
        let columns = columns(solid, &mesh.attributes)?;
        let start = Instant::now();
        notes.begin("Analyzing");
        let locator = self.locator(solid, mesh.controls())?;
        let pieces = counted(locator.pieces().len(), "Bézier piece");
        notes.status("Analyzed", format!("{pieces} in {}", since(start)));
        let mut rows = PointTableRows::new(table)?;
        let estimate = rows.estimate(&self.points);
        let backend = backend_for(self.backend, &Cost::location(estimate), notes)?;
        let mut finder = Finder { locator: &locator, backend: &*backend, estimate, notes };
        let start = Instant::now();
        let mut report = LocateReport::default();
        match output {
            None => report = finder.answer(&mut rows, |_| Ok(()))?,
            Some(output) => atomic::write(output, |out| {
                let refused = |e| atomic::refused(output, e);
                write_table_header(out, &columns).map_err(refused)?;
                report = finder.answer(&mut rows, |answers| {
                    let values = attributes(solid, mesh, answers)?;
                    write_rows(out, solid, answers, &mesh.attributes, &values).map_err(refused)
                })?;
                out.flush().map_err(refused)
            })?,
        }
        report.seconds = start.elapsed().as_secs_f64();
        let left = match report.left_to_cpu {
            Some(left) => format!(", {left} of them left to the CPU"),
            None => String::new(),
        };
        let points = counted(report.points, "point");
        notes.status("Located", format!("{points} in {}{left}", since(start)));
        Ok(report)
    }
}

/// The rows of a table, the first of which are read already.
struct PointTableRows {
    first: Vec<[f64; 3]>,
    table: PointTable,
}

impl PointTableRows {
    fn new(mut table: PointTable) -> Result<Self> {
        Ok(Self { first: table.read(BLOCK_ROWS)?, table })
    }

    /// About how many rows there are in all.
    fn estimate(&self, table: &Path) -> usize {
        match std::fs::metadata(table) {
            Ok(file) if self.first.len() == BLOCK_ROWS => file.len() as usize / ROW_BYTES,
            _ => self.first.len(),
        }
    }

    /// The next rows; none at the end.
    fn read(&mut self) -> Result<Vec<[f64; 3]>> {
        match std::mem::take(&mut self.first) {
            first if first.is_empty() => self.table.read(BLOCK_ROWS),
            first => Ok(first),
        }
    }
}

/// Who looks points up.
struct Finder<'l, 's, 'n> {
    locator: &'l Locator<'s>,
    backend: &'l dyn Backend,
    /// About how many points there are.
    estimate: usize,
    notes: &'n mut dyn Notes,
}

impl Finder<'_, '_, '_> {
    /// Answers the rows of a table block by block.
    fn answer(
        &mut self,
        rows: &mut PointTableRows,
        mut take: impl FnMut(&[Answer]) -> Result<()>,
    ) -> Result<LocateReport> {
        let mut report = LocateReport::default();
        loop {
            let points = rows.read()?;
            let Locations { located, left, .. } = self.locator.locate_on(self.backend, &points)?;
            report.left_to_cpu = left.map(|left| report.left_to_cpu.unwrap_or(0) + left);
            if points.is_empty() {
                return Ok(report);
            }
            for (points, located) in points.chunks(NOTED_ROWS).zip(located.chunks(NOTED_ROWS)) {
                self.take(points, located, &mut report, &mut take)?;
            }
        }
    }

    /// Answers some points that were located.
    fn take(
        &mut self,
        points: &[[f64; 3]],
        located: &[Containment],
        report: &mut LocateReport,
        take: &mut impl FnMut(&[Answer]) -> Result<()>,
    ) -> Result<()> {
        let answers = answers(self.locator, points, located).collect::<Option<Vec<Answer>>>();
        let answers = answers.ok_or_else(|| without_place(self.locator, points))?;
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
        self.notes.progress(report.points, self.estimate.max(report.points))
    }
}

/// Answers about points that were located: of those outside the closest place, `None` where none is.
pub fn answers<'a>(
    locator: &'a Locator<'_>,
    points: &'a [[f64; 3]],
    located: &'a [Containment],
) -> impl IndexedParallelIterator<Item = Option<Answer>> + 'a {
    points.par_iter().zip(located).map(|(&point, &located)| {
        let (inside, place) = match located {
            Containment::Inside(place) => (true, Some(place)),
            Containment::Outside => (false, locator.nearest(point)),
        };
        place.map(|place| Answer { point, inside, place })
    })
}

/// The error of a point without a nearest place.
fn without_place(locator: &Locator<'_>, points: &[[f64; 3]]) -> Error {
    let far = points.iter().find(|&&point| locator.nearest(point).is_none());
    let [x, y, z] = far.copied().unwrap_or_default();
    Error::request(format!("no place of the solid is nearest to the point {x:e}, {y:e}, {z:e}"))
        .with_help("check that the solid has a boundary")
}

/// The attributes at the places found.
fn attributes(solid: &Solid, mesh: &SolidMesh, answers: &[Answer]) -> Result<Vec<Values>> {
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
