//! `subsolid locate`: a table of points in, a table of places out, block by block.

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use rayon::prelude::*;
use serde::Serialize;
use subsolid::backend::{Backend, Cpu, Limit};
use subsolid::io::atomic;
use subsolid::limit::Solid;
use subsolid::locate::{
    Answer, Located, Locator, LocatorOptions, PointTable, write_header, write_rows,
};
use subsolid::mesh::SolidMesh;
use subsolid::plan::{Location, Samples, Want};
use subsolid::refine::VertexRule;
use subsolid::{Error, Result, io};

use super::console::since;
use super::model::ModelArguments;
use super::{Console, Outcome};

/// Rows in memory at a time.
const BLOCK: usize = 1 << 16;

/// Find the cells and parameters of points in space
///
/// For every point: inside or outside, its cell and (u, v, w), and its distance from
/// the limit there. Of cells that share a point the first is named. Points outside get
/// the closest place of the solid and their distance from it. Attributes are taken at
/// the place.
#[derive(Args)]
#[command(after_help = "\
Examples:
  subsolid locate model.mesh --points points.csv -o places.csv
  subsolid locate model.mesh --points points.csv --json")]
pub struct Arguments {
    #[command(flatten)]
    model: ModelArguments,
    /// Table of points: CSV with the header x,y,z
    #[arg(long, value_name = "POINTS")]
    points: PathBuf,
    /// Refine the model so often first; cells are then those of the refined mesh
    #[arg(long, value_name = "N", default_value_t = 0)]
    levels: usize,
    /// Points so far outside count as inside, as a part of the size of the cell there
    #[arg(long, value_name = "T", default_value_t = 1e-9)]
    tolerance: f64,
    /// Table to write: .csv with x,y,z,status,cell,u,v,w,distance and attributes
    #[arg(long, short, value_name = "OUT")]
    output: Option<PathBuf>,
}

/// What was found.
#[derive(Serialize)]
struct Report {
    model: PathBuf,
    points: usize,
    inside: usize,
    outside: usize,
    /// Of points inside, from the limit at the place found.
    largest_residual: f64,
    /// Of points outside.
    largest_distance: f64,
    seconds: f64,
    output: Option<PathBuf>,
}

pub fn run(a: Arguments, console: &Console) -> Result<Outcome> {
    if let Some(output) = &a.output {
        let format = a.model.check_output(output, &[&a.points])?;
        if format != io::Format::Csv {
            return Err(Error::request("locate writes a table")
                .with_mend("end the name of the output in .csv"));
        }
    }
    let mut table = PointTable::open(&a.points)?;
    let mesh = a.model.load(a.levels, VertexRule::default(), console)?;
    let start = Instant::now();
    let solid = Solid::new(&mesh)?;
    let options = LocatorOptions { tolerance: a.tolerance, ..LocatorOptions::default() };
    let locator = Locator::with_options(&solid, mesh.controls(), options)?;
    let pieces = locator.pieces().len();
    console.status("Understood", format!("{pieces} Bézier pieces in {}", since(start)));
    let start = Instant::now();
    let mut report = Report {
        model: a.model.model.clone(),
        points: 0,
        inside: 0,
        outside: 0,
        largest_residual: 0.0,
        largest_distance: 0.0,
        seconds: 0.0,
        output: a.output.clone(),
    };
    match &a.output {
        Some(output) => atomic::write(output, |out| {
            let refused = |e| atomic::refused(output, e);
            write_header(out, &solid, &mesh.attributes).map_err(refused)?;
            answer(&mut table, &locator, &mut report, |answers| {
                let values = attributes(&solid, &mesh, answers)?;
                write_rows(out, &solid, answers, &mesh.attributes, &values).map_err(refused)
            })?;
            out.flush().map_err(refused)
        })?,
        None => answer(&mut table, &locator, &mut report, |_| Ok(()))?,
    }
    report.seconds = start.elapsed().as_secs_f64();
    console.status("Located", format!("{} points in {}", report.points, since(start)));
    console.report(&report, || {
        format!(
            "{} points: {} inside, at most {:.1e} from the limit; {} outside, at most {:.6} away",
            report.points,
            report.inside,
            report.largest_residual,
            report.outside,
            report.largest_distance
        )
    })?;
    Ok(Outcome::Done)
}

/// Answers the rows of a table block by block.
fn answer(
    table: &mut PointTable,
    locator: &Locator<'_>,
    report: &mut Report,
    mut take: impl FnMut(&[Answer]) -> Result<()>,
) -> Result<()> {
    loop {
        let points = table.read(BLOCK)?;
        if points.is_empty() {
            return Ok(());
        }
        let located = locator.locate(&points);
        let answers = points.par_iter().zip(located).map(|(&point, located)| {
            let (inside, place) = match located {
                Located::Inside(place) => (true, Some(place)),
                Located::Outside => (false, locator.nearest(point)),
            };
            place.map(|place| Answer { point, inside, place })
        });
        let answers: Option<Vec<Answer>> = answers.collect();
        let answers = answers.ok_or_else(|| Error::mesh("the model has no cells"))?;
        for Answer { inside, place, .. } in &answers {
            report.points += 1;
            let (count, largest) = match inside {
                true => (&mut report.inside, &mut report.largest_residual),
                false => (&mut report.outside, &mut report.largest_distance),
            };
            *count += 1;
            *largest = largest.max(place.residual);
        }
        take(&answers)?;
    }
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
