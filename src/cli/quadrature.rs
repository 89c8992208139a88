//! `subsolid quadrature`

use std::fmt::Display;

use clap::Args;
use subsolid::Result;
use subsolid::backend::start;
use subsolid::cluster::Ranks;
use subsolid::jobs::quadrature::{QuadratureBoundaryReport, QuadratureReport, QuadratureRequest};
use subsolid::numbers::significant;
use subsolid::quadrature::{BoundaryReport, Store, SurfaceSums};
use subsolid::scheme::VertexRule;

use super::cluster::refuse_ranks;
use super::list::List;
use super::model::ModelArguments;
use super::names::bare;
use super::pieces::piece_size;
use super::{Console, Outcome, quality};

/// Write quadrature points and basis functions for isogeometric analysis
///
/// For every cell: the control points that its basis functions belong to, Gauss points and weights,
/// values and derivatives of the basis functions, stored once for all cells that share them. Toward
/// extraordinary edges and vertices, the points lie in rings of boxes on which the basis is
/// tricubic; the region inside the last ring is reported as the remainder.
#[derive(Args)]
#[command(mut_arg("store", |own| own.value_parser(bare::<Store>())))]
#[command(mut_arg("pieces", |own| own.conflicts_with("boundary")))]
#[command(mut_arg("piece_points", |own| own.conflicts_with("boundary").value_parser(piece_size)))]
#[command(mut_arg("output", |own| own.required_unless_present_any(["quality", "boundary"])))]
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
    #[command(flatten)]
    request: QuadratureRequest,
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
    /// Report Jacobian determinants at the quadrature points, and the cells where they are not
    /// positive; exit code 1 if there are any
    #[arg(long)]
    quality: bool,
}

pub fn run(arguments: Arguments, ranks: Option<&Ranks<'_>>, console: &Console) -> Result<Outcome> {
    let Arguments { model, levels, mut request, boundary, quality } = arguments;
    let parts = boundary.map(|lists| lists.into_iter().flat_map(|list| list.0).collect::<Vec<_>>());
    request.boundary =
        parts.as_ref().map(|parts| parts.iter().map(|part| part.as_str().into()).collect());
    if parts.is_some() {
        refuse_ranks(ranks, "--boundary")?;
    }
    request.check()?;
    if let Some(output) = &request.output {
        model.check_no_input(output, &[])?;
    }
    let _starting = start(request.backend)?;
    model.check_ranks(ranks)?;
    let mut notes = console.notes();
    let said = |found: &QuadratureReport| {
        if !(console.json() || quality) {
            return Ok(());
        }
        console.report(found, || {
            quality::text(&found.report.quality, found.left_handed_cells, "the quadrature points")
        })
    };
    if let Some(ranks) = ranks {
        request.check_of_ranks()?;
        let mesh = model.read(console)?;
        model.check_cells(&mesh, console)?;
        let whole = (&mesh, levels);
        let found = request.run_on_ranks(whole, ranks, console.json(), said, &mut notes)?;
        return Ok(outcome(found.report.quality.non_positive.is_empty()));
    }
    let mesh = model.load(levels, VertexRule::default(), console)?;
    request.check_mesh(&mesh, &mut notes)?;
    let solid = model.analyze(&mesh, console)?;
    model.hint(&mesh, &solid, levels, console);
    if let Some(parts) = &parts {
        let said =
            |found: &QuadratureBoundaryReport| console.report(found, || text(&found.report, parts));
        return Ok(outcome(request.run_boundary(&mesh, &solid, said, &mut notes)?.is_positive));
    }
    let found = request.run(&mesh, &solid, said, &mut notes)?;
    Ok(outcome(found.is_none_or(|found| found.report.quality.non_positive.is_empty())))
}

fn outcome(is_positive: bool) -> Outcome {
    if is_positive { Outcome::Done } else { Outcome::PoorQuality }
}

fn text(report: &BoundaryReport, wanted: &[String]) -> String {
    let row = |name: &dyn Display, sums: &SurfaceSums| {
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
