//! `--at`: a table of parameters in, a table of values out, block by block.

use std::io::Write;
use std::time::Instant;

use subsolid::Result;
use subsolid::backend::{Backend, Limit};
use subsolid::io::{atomic, write_table_header};
use subsolid::limit::Solid;
use subsolid::mesh::SolidMesh;
use subsolid::numbers::counted;
use subsolid::plan::Samples;
use subsolid::volume::{ParameterTable, Quality, columns as columns_of, write_rows};

use super::run::{Report, warn_of_undefined};
use super::{Arguments, Console, Outcome};
use crate::cli::console::since;
use crate::cli::model::warn_of_ignored;

/// Rows in memory at a time.
pub const BLOCK_ROWS: usize = 1 << 18;

pub fn run(
    a: &Arguments,
    backend: &dyn Backend,
    mut table: ParameterTable,
    mesh: &SolidMesh,
    solid: &Solid,
    console: &Console,
) -> Result<Outcome> {
    let name = table.path().display();
    console.status("Evaluating", format!("{name} on the {}", backend.name()));
    let start = Instant::now();
    warn_of_ignored(table.path(), &table.ignored(), console);
    let has_corners = table.has_corners();
    let mut report = Report::new(a, backend.name());
    report.left_handed_cells = mesh.handedness().left_handed;
    let mut quality = Quality::default();
    let widths: Vec<usize> = mesh.attributes.iter().map(|a| a.width).collect();
    let mut columns = Limit::of(a.want(None)?, &widths);
    a.keep_shown(None, &mut columns)?;
    let columns = columns_of(has_corners, &columns, &mesh.attributes)?;
    let mut evaluate =
        |out: &mut dyn Write, refused: &dyn Fn(std::io::Error) -> subsolid::Error| {
            let mut out = out;
            write_table_header(&mut out, &columns).map_err(refused)?;
            let mut limit = Limit::default();
            loop {
                let locations = table.read(solid, BLOCK_ROWS)?;
                if locations.is_empty() {
                    return Ok(());
                }
                let plan = solid.plan(&Samples::Points(locations), a.want(None)?)?;
                let all = 0..solid.elements().len();
                backend.prepare(&plan)?.evaluate(mesh.controls(), all, &mut limit)?;
                if a.quality {
                    quality.add(&plan, &limit);
                }
                a.keep_shown(None, &mut limit)?;
                report.count(&limit);
                let Samples::Points(locations) = plan.samples() else { continue };
                write_rows(&mut out, solid, has_corners, locations, &limit, &mesh.attributes)
                    .map_err(refused)?;
            }
        };
    match &a.output {
        Some(output) => {
            atomic::write(output, |out| evaluate(out, &|e| atomic::refused(output, e)))?;
            (report.points, report.pieces) = (report.evaluated, 1);
        }
        None => evaluate(&mut std::io::sink(), &|e| atomic::refused("the table", e))?,
    }
    let time = since(start);
    report.seconds = start.elapsed().as_secs_f64();
    let points = counted(report.evaluated, "point");
    console.status("Evaluated", format!("{points} in {time}"));
    if let Some(output) = &a.output {
        console.wrote(output.display(), points, start);
    }
    warn_of_undefined(a, report.undefined_derivatives, console);
    report.places = "the places of the table".into();
    report.quality = a.quality.then_some(quality);
    report.finish(console)
}
