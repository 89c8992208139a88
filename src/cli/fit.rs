//! `subsolid fit`

use std::fmt::Write;
use std::path::Path;

use clap::Args;
use subsolid::Result;
use subsolid::io::ControlMesh;
use subsolid::jobs::fit::{FitReport, FitRequest, FitTarget, rounded_edges};
use subsolid::numbers::significant;
use subsolid::scheme::{Scheme, VertexRule};

use super::json::Written;
use super::mesh_output::MeshOutput;
use super::model::{ModelArguments, SOLID_OR_SURFACE};
use super::names::scheme_names;
use super::output::check_mesh_names;
use super::unused::refuse_for_solids;
use super::{Console, Outcome};

/// Fit a solid or a surface: control points whose limit is the part
///
/// The mesh of a part has its vertices on the part; used as a control mesh, its limit shrinks away
/// from them. Fitting moves control points until the limit passes through the vertices, or lies on
/// a target. Inner vertices of a solid follow, and are untangled if det J of the limit is not
/// positive. The exit code is 1 if a tolerance is missed or cells of the limit are folded.
#[derive(Args)]
#[command(mut_arg("model", |model| model.help(SOLID_OR_SURFACE)))]
#[command(mut_arg("target_scheme", |scheme| scheme.value_parser(scheme_names())))]
#[command(after_help = "\
Examples:
  subsolid fit part.msh -o part.vtu
  subsolid fit part.msh --crease-angle 40 --to facets -o part.vtu
  subsolid fit part.vtk --to scan.stl --tolerance 0.05 -o part.vtu
  subsolid fit cage.obj --to scan.stl -o fitted.obj")]
pub struct Arguments {
    #[command(flatten)]
    model: ModelArguments,
    #[command(flatten)]
    request: FitRequest,
    /// Subdivision scheme of a surface [default: catmull-clark]
    #[arg(long, value_parser = scheme_names())]
    scheme: Option<Scheme>,
    #[command(flatten)]
    output: MeshOutput,
}

pub fn run(arguments: Arguments, console: &Console) -> Result<Outcome> {
    let Arguments { model, request, output, scheme } = &arguments;
    request.check()?;
    let others: Vec<&Path> = match &request.to {
        FitTarget::File(path) => vec![path],
        _ => Vec::new(),
    };
    output.glb()?;
    let mut notes = console.notes();
    let (mesh, nodes) = model.open_curved(console)?;
    let fit = match mesh {
        ControlMesh::Solid(mesh) => {
            let format = output.of_solid(model, &others)?;
            let mut mesh = model.prepare(mesh, 0, VertexRule::default(), console)?;
            check_mesh_names(format, &mesh)?;
            console.hint(|| rounded_edges(&mesh));
            let target = request.read_target(&mut notes)?;
            request.take_nodes(&mut mesh, &nodes, &mut notes)?;
            let fit = request.run_solid(&mut mesh, target.as_ref(), &mut notes)?;
            output.write_solid(&mesh, format, console)?;
            fit
        }
        ControlMesh::Surface(mut mesh) => {
            refuse_for_solids(&[(request.no_untangle, "--no-untangle")])?;
            output.of_surface(model, &others)?;
            let target = request.read_target(&mut notes)?;
            let scheme = scheme.unwrap_or_default();
            let fit = request.run_surface(&mut mesh, scheme, target.as_ref(), &mut notes)?;
            output.write_surface(&mesh, console)?;
            fit
        }
    };
    let missed = fit.missed();
    let report = Written::of(&output.output, fit);
    console.report(&report, || text(&report.found))?;
    missed.iter().for_each(|missed| console.warn(missed));
    Ok(if missed.is_empty() { Outcome::Done } else { Outcome::PoorQuality })
}

fn text(fit: &FitReport) -> String {
    let mut text = format!("{:<34} {:>11} {:>11}\n", "", "rms", "max");
    let mut row = |name: &str, found: &subsolid::fit::Deviation| {
        let [rms, max] = [found.rms, found.max].map(|x| format!("{x:.3e}"));
        let _ = writeln!(text, "{name:<34} {rms:>11} {max:>11}");
    };
    row("limit from vertices, before", &fit.vertices[0]);
    row("limit from vertices, fitted", &fit.vertices[1]);
    if let Some([before, through, after]) = &fit.target {
        row("limit from target, before", before);
        row("limit from target, by vertices", through);
        row("limit from target, fitted", after);
    }
    if let Some(found) = &fit.target_from_limit {
        row("target from limit, fitted", found);
    }
    if let Some([before, after]) = &fit.creases {
        row("creases from feature lines, before", before);
        row("creases from feature lines, fitted", after);
    }
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "{name:<34} {value:>11}");
    };
    if fit.volume[1] > 0.0 {
        line("volume, before", significant(fit.volume[0]));
        line("volume, fitted", significant(fit.volume[1]));
        if let Some(volume) = fit.target_volume {
            line("volume of the target", significant(volume));
        }
    }
    if fit.target.is_some() {
        line("drift along the surface (edges)", format!("{:.3}", fit.drift));
        line("feature lines without a crease", significant(fit.unmatched_length));
    }
    if let Some(folds) = fit.folds {
        line("cells folded at 5³ Gauss points", folds.folded.to_string());
    }
    if let (Some(before), Some(after)) = (fit.determinant_before, fit.determinant) {
        line("bound of det J, before", significant(before.bound));
        line("bound of det J, fitted", significant(after.bound));
        line("elements without such a bound", after.negative.to_string());
        line("beside smooth edges of one cell", after.at_smooth_edges.to_string());
    }
    text
}
