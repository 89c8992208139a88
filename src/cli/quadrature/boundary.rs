//! `subsolid quadrature --boundary`

use std::path::Path;
use std::time::Instant;

use schemars::JsonSchema;
use serde::Serialize;
use subsolid::backend::Choice;
use subsolid::io::{self, Format, WriteOptions};
use subsolid::limit::Solid;
use subsolid::mesh::SolidMesh;
use subsolid::numbers::{counted, precise, significant};
use subsolid::plan::Want;
use subsolid::quadrature::{
    BoundaryReport, Mapping, Quadrature, QuadratureLayout, QuadratureScheme, Regions, SurfaceSums,
    jacobians, write_boundary_npz,
};
use subsolid::{Error, Result};

use super::super::Outcome;
use super::super::console::{Console, since};
use super::super::output::warn_left_out;
use super::{Arguments, QuadratureRequest, check_points, write_pieces, write_single};
use crate::cli::json::JsonReport;

#[derive(Serialize, JsonSchema)]
pub struct BoundarySummary<'a> {
    #[serde(flatten)]
    asked: QuadratureRequest,
    #[serde(flatten)]
    report: &'a BoundaryReport,
}

impl JsonReport for BoundarySummary<'_> {
    const SCHEMA: &'static str = "subsolid.quadrature-boundary/1";
}

/// Refuses a processor that has no quadrature of the boundary.
pub fn check_backend(backend: Choice) -> Result<()> {
    match backend {
        Choice::Auto | Choice::Cpu => Ok(()),
        _ => Err(Error::request("boundary quadrature runs on the CPU only")
            .with_help("leave --backend out, or give cpu")),
    }
}

/// Writes the quadrature of some sides and groups, or of all.
pub fn run(
    a: &Arguments,
    wanted: &[String],
    mesh: &SolidMesh,
    solid: &Solid,
    scheme: QuadratureScheme,
    want: Want,
    console: &Console,
) -> Result<Outcome> {
    let regions = Regions::new(solid.topology(), mesh)?;
    let mut kept = vec![wanted.is_empty(); solid.topology().face_count()];
    for part in wanted {
        regions.find(part)?.into_iter().for_each(|face| kept[face as usize] = true);
    }
    let keep = |face: u32| kept[face as usize];
    let start = Instant::now();
    let layout = QuadratureLayout::boundary(solid, scheme, want, keep)?;
    let format = a.output.as_ref().map(|output| a.check_output(output)).transpose()?;
    if let Some(format) = format {
        io::check_names(format, regions.groups().map(|(name, _)| name))?;
    }
    let output_bytes = a.announce_output(&layout, mesh, format, console)?;
    let quadrature = console.during("Preparing", || Quadrature::of(layout));
    let mapping = Mapping::new(&quadrature, mesh.controls())?;
    let mut outcome = Outcome::Done;
    match check_points(&jacobians(&mapping)?) {
        Err(refusal) if a.force || a.output.is_none() => {
            console.warn(refusal);
            outcome = Outcome::PoorQuality;
        }
        signs => signs?,
    }
    let origin = mesh.points.first().copied().unwrap_or_default();
    for (group, count) in regions.faces_inside().filter(|group| group.1 > 0) {
        let faces = counted(count, "face");
        console.warn(format!("group \"{group}\" has {faces} between cells: left out here"));
    }
    let report =
        console.during("Evaluating", || BoundaryReport::new(&mapping, &regions, origin))?;
    let samples = counted(report.samples, "quadrature point");
    console.status("Evaluated", format!("{samples} in {}", since(start)));
    let (area, sides) = (precise(report.area), counted(report.sides.len(), "side"));
    console.status("Integrated", format!("area {area} on {sides}"));
    let summary = BoundarySummary {
        asked: QuadratureRequest::new(a, Some(quadrature.batches().len()), output_bytes),
        report: &report,
    };
    console.report(&summary, || text(&report, wanted))?;
    if let Some(output) = &a.output {
        let start = Instant::now();
        write(a, output, &mapping, mesh, &report, &regions, console)?;
        console.wrote(output.display(), samples, start);
    }
    Ok(outcome)
}

fn write(
    a: &Arguments,
    output: &Path,
    mapping: &Mapping<'_>,
    mesh: &SolidMesh,
    report: &BoundaryReport,
    regions: &Regions,
    console: &Console,
) -> Result<()> {
    match a.check_output(output)? {
        Format::Npz => {
            let options = a.export_options(mesh);
            warn_left_out(&options.left_out(), console);
            write_boundary_npz(output, mapping, mesh.controls(), report, regions, options)
        }
        Format::Pvtu => write_pieces(a, output, mapping, mesh, console),
        _ => write_single(output, mapping, mesh, WriteOptions { compress: a.compress }, console),
    }
}

fn text(report: &BoundaryReport, wanted: &[String]) -> String {
    let row = |name: &dyn std::fmt::Display, sums: &SurfaceSums| {
        let [x, y, z] = sums.centroid;
        let [x, y, z] = [x, y, z].map(significant);
        format!("{name:<7} {:<6} {:<14} {x} {y} {z}\n", sums.faces, significant(sums.area))
    };
    let mut text = String::new();
    if !wanted.is_empty() {
        text += &format!("only the faces of {}\n", wanted.join(", "));
    }
    text += "side    faces  area           centroid\n";
    report.sides.iter().for_each(|side| text += &row(&side.side, &side.sums));
    if !report.groups.is_empty() {
        text += "group\n";
        report.groups.iter().for_each(|group| text += &row(&group.group, &group.sums));
    }
    text
}
