//! `subsolid untangle`

use std::fmt::Write;

use clap::Args;
use subsolid::Result;
use subsolid::jobs::untangle::{UntangleReport, UntangleRequest};
use subsolid::numbers::{counted, significant};
use subsolid::process::solid::hexahedra;
use subsolid::scheme::VertexRule;
use subsolid::untangle::UntangleResult;

use super::json::Written;
use super::model::ModelArguments;
use super::output::{SolidOutput, check_mesh_names};
use super::wording::words;
use super::{Console, Outcome};

/// Untangle folded control cells of a solid, or its limit, and improve the worst
///
/// Moves inner vertices; the boundary, its creases and corners stay, or slide on the limit as it
/// was. The least scaled Jacobian of the control cells never falls, and no more cells of the limit
/// are folded than before, at 5³ Gauss points of each. The report also bounds det J over the whole
/// limit from below, by its Bézier coefficients. With --limit that bound is what is made positive,
/// whatever the control cells are. The exit code is 1 if control cells are still folded, or with
/// --limit if elements of the limit have no positive bound.
#[derive(Args)]
#[command(after_help = "\
Examples:
  subsolid untangle part.vtk -o better.vtu
  subsolid untangle part.vtk --crease-angle 40 --boundary slide -o better.vtu
  subsolid untangle part.vtk --limit -o better.vtu
  subsolid untangle part.vtk --json -o better.vtu")]
pub struct Arguments {
    #[command(flatten)]
    model: ModelArguments,
    /// Refine the model this many times first; models with other cells than hexahedra need at least
    /// 1
    #[arg(long, value_name = "N", default_value_t = 0)]
    levels: usize,
    #[command(flatten)]
    request: UntangleRequest,
    #[command(flatten)]
    output: SolidOutput,
}

pub fn run(arguments: Arguments, console: &Console) -> Result<Outcome> {
    let Arguments { output, request, .. } = &arguments;
    request.check()?;
    let format = output.check(&arguments.model)?;
    let mut mesh = arguments.model.load(arguments.levels, VertexRule::default(), console)?;
    check_mesh_names(format, &mesh)?;
    if !request.limit {
        hexahedra(&mesh)?; // before the limit is set up
    }
    let untangled = request.run(&mut mesh, &mut console.notes())?;
    output.write(&mesh, format, console)?;
    console.report(&Written::of(&output.path, untangled), || text(&untangled))?;
    let Some(missed) = untangled.missed(request) else { return Ok(Outcome::Done) };
    console.warn(words(&missed));
    Ok(Outcome::PoorQuality)
}

fn text(report: &UntangleReport) -> String {
    let mut text = format!("{:<34} {:>11} {:>11}\n", "", "before", "after");
    let mut row = |name: &str, [before, after]: [String; 2]| {
        let _ = writeln!(text, "{name:<34} {before:>11} {after:>11}");
    };
    if let Some(UntangleResult { before, after, limit_before, limit_after, .. }) = report.control {
        row("least scaled Jacobian", [before.least, after.least].map(significant));
        row("mean over cells of their least", [before.mean, after.mean].map(significant));
        let counts = [before.non_positive, after.non_positive].map(|n| n.to_string());
        row("control cells folded or flat", counts);
        let counts = [limit_before.folded, limit_after.folded].map(|n| n.to_string());
        row("limit cells folded at 5³ points", counts);
    }
    let limits = [report.limit_before, report.limit_after];
    row("bound of det J of the limit", limits.map(|limit| significant(limit.bound)));
    let counts = limits.map(|limit| limit.non_positive.to_string());
    row("limit cells without positive bound", counts);
    row("limit cells with a folded point", limits.map(|limit| limit.folded.to_string()));
    if let Some(UntangleResult { slid, deviation, .. }) =
        report.control.filter(|done| done.slid > 0)
    {
        let slid = counted(slid, "vertex");
        let _ = writeln!(
            text,
            "{slid} of the boundary slid, and the limit with them by {deviation:.1e}"
        );
    }
    text
}
