//! `subsolid untangle`

use std::fmt::Write;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use subsolid::Result;
use subsolid::numbers::{by_count, counted, significant};
use subsolid::process::solid::hexahedra;
use subsolid::scheme::VertexRule;
use subsolid::untangle::{
    BoundaryMotion, LeastDeterminant, MAX_ROUNDS, Untangled, least_determinant, untangle,
};

use super::console::since;
use super::json::JsonReport;
use super::model::ModelArguments;
use super::output::{check_names, write_mesh};
use super::{Console, Outcome};

/// Untangle folded control cells of a solid, and improve the worst
///
/// Moves inner vertices; the boundary, its creases and corners stay, or slide on the limit as it
/// was. The least scaled Jacobian of the control cells never falls, and no more cells of the limit
/// are folded than before, at 5³ Gauss points of each. The report also bounds det J over the whole
/// limit from below, by its Bézier coefficients. The exit code is 1 if control cells are still
/// folded.
#[derive(Args)]
#[command(after_help = "\
Examples:
  subsolid untangle part.vtk -o better.vtu
  subsolid untangle part.vtk --crease-angle 40 --boundary slide -o better.vtu
  subsolid untangle part.vtk --json -o better.vtu")]
pub struct Arguments {
    #[command(flatten)]
    model: ModelArguments,
    /// Refine the model this many times first; models with other cells than hexahedra need at least
    /// 1
    #[arg(long, value_name = "N", default_value_t = 0)]
    levels: usize,
    /// How vertices of the boundary move
    #[arg(long, value_enum, default_value_t)]
    boundary: BoundaryMotion,
    /// File to write: .vtu, .pvtu, .vtk, .csv or .npz
    #[arg(long, short, value_name = "OUT")]
    output: PathBuf,
    /// Compress .vtu, .pvtu and .npz
    #[arg(long)]
    compress: bool,
}

#[derive(Serialize, JsonSchema)]
pub struct Report {
    /// Name of the file written.
    output: String,
    /// Result for the cells of the control mesh.
    control: Untangled,
    /// The limit before untangling.
    limit_before: LeastDeterminant,
    /// The limit after untangling.
    limit_after: LeastDeterminant,
}

impl JsonReport for Report {
    const SCHEMA: &'static str = "subsolid.untangle/1";
}

pub fn run(arguments: Arguments, console: &Console) -> Result<Outcome> {
    let output = &arguments.output;
    let format = arguments.model.check_output(output, &[])?;
    format.check_compress(arguments.compress)?;
    let mut mesh = arguments.model.load(arguments.levels, VertexRule::default(), console)?;
    check_names(format, &mesh)?;
    hexahedra(&mesh)?; // before the limit is set up
    let limit_before = least_determinant(&mesh)?;
    let start = Instant::now();
    let bar = console.bar(MAX_ROUNDS);
    let progress = |_| {
        bar.inc(1);
        Ok(())
    };
    let control = untangle(&mut mesh, arguments.boundary, progress)?;
    bar.finish_and_clear();
    let slid = match arguments.boundary {
        BoundaryMotion::Fixed => String::new(),
        BoundaryMotion::Slide => {
            let Untangled { slid, can_slide, stay, .. } = control;
            format!("; of the boundary {slid} of {can_slide} that can slide, {stay} stay")
        }
    };
    let moved = counted(control.moved, "vertex");
    console.status("Moved", format!("{moved} in {}{slid}", since(start)));
    control.notices(arguments.boundary).for_each(|notice| console.warn(notice));
    let limit_after = if control.moved > 0 { least_determinant(&mesh)? } else { limit_before };
    write_mesh(&mesh, output, format, arguments.compress, console)?;
    let output = output.display().to_string();
    let report = Report { output, control, limit_before, limit_after };
    console.report(&report, || text(&report))?;
    let Some(folded) = still_folded(&control, arguments.boundary) else { return Ok(Outcome::Done) };
    console.warn(folded);
    Ok(Outcome::PoorQuality)
}

/// How many control cells are still folded, and the likely reason.
fn still_folded(control: &Untangled, boundary: BoundaryMotion) -> Option<String> {
    let Untangled { after, fixed, .. } = control;
    if after.non_positive == 0 {
        return None;
    }
    let are = |count| by_count(count, "is", "are");
    let slide = match boundary {
        BoundaryMotion::Fixed => "; try --boundary slide",
        BoundaryMotion::Slide => "",
    };
    let why = match fixed {
        0 => {
            format!("the boundary may leave no room{slide}, or --levels 1 for more inner vertices")
        }
        _ => format!(
            "{fixed} of them {} so at corners whose vertices all stay{slide}, or move them in the model",
            are(*fixed)
        ),
    };
    Some(format!(
        "{} {} still folded or flat (the worst: cell {}): {why}",
        counted(after.non_positive, "cell"),
        are(after.non_positive),
        after.cell
    ))
}

fn text(report: &Report) -> String {
    let mut text = format!("{:<32} {:>12} {:>12}\n", "", "before", "after");
    let Untangled { before, after, limit_before, limit_after, .. } = report.control;
    let (first, last) = (report.limit_before, report.limit_after);
    for (name, a, b) in [
        ("least scaled Jacobian", before.least, after.least),
        ("mean over cells of their least", before.mean, after.mean),
        ("bound of det J of the limit", first.bound, last.bound),
    ] {
        let [a, b] = [a, b].map(significant);
        let _ = writeln!(text, "{name:<32} {a:>12} {b:>12}");
    }
    for (name, a, b) in [
        ("control cells folded or flat", before.non_positive, after.non_positive),
        ("limit cells folded at 5³ points", limit_before.folded, limit_after.folded),
        ("limit cells without positive bound", first.non_positive, last.non_positive),
    ] {
        let _ = writeln!(text, "{name:<34} {a:>10} {b:>12}");
    }
    let Untangled { slid, deviation, .. } = report.control;
    if slid > 0 {
        let slid = counted(slid, "vertex");
        let _ = writeln!(
            text,
            "{slid} of the boundary slid, and the limit with them by {deviation:.1e}"
        );
    }
    text
}
