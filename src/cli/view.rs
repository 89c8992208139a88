//! `subsolid view`

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use subsolid::Result;
use subsolid::error::option_name;
use subsolid::io::ControlMesh;
use subsolid::jobs::view::{ViewFormat, ViewMesh, ViewModel, ViewReport, ViewRequest};
use subsolid::scheme::VertexRule;
use subsolid::slice::fingerprint;
use subsolid::view::ColorMap;

use super::gltf::{axes, units};
use super::model::{ModelArguments, SOLID_OR_SURFACE};
use super::names::{bare, scheme_names};
use super::unused::refuse_for_solids;
use super::{Console, Outcome};

/// Write one HTML file that shows a solid or a surface in any browser, or glTF
///
/// The page needs no network: send it by email, open it from disk. It holds control points and
/// evaluates the limit as it draws, so that a close view stays smooth. Cut the solid by planes,
/// peel layers of cells off, move cells apart, color by class, Jacobian or any array, click for the
/// cell and (u, v, w) of a point, and step through the worst cells.
#[derive(Args)]
#[command(mut_arg("model", |model| model.help(SOLID_OR_SURFACE)))]
#[command(mut_arg("scheme", |scheme| scheme.value_parser(scheme_names())))]
#[command(mut_arg("color_map", |map| map.value_parser(bare::<ColorMap>())))]
#[command(mut_arg("unit", |unit| units(unit).help(UNIT)), mut_arg("up", |up| axes(up).help(UP)))]
#[command(after_help = "\
Examples:
  subsolid view model.vtk -o model.html
  subsolid view model.vtk --crease-angle 40 --color temperature -o model.html
  subsolid view model.obj -o surface.html
  subsolid view limit.vtu --linear -o limit.html
  subsolid view part.stl --slices layers -o job.html
  subsolid view model.vtk --color temperature --unit mm -o model.glb")]
pub struct Arguments {
    #[command(flatten)]
    model: ModelArguments,
    #[command(flatten)]
    request: ViewRequest,
    /// Color by the scaled Jacobian first
    #[arg(long, conflicts_with = "color")]
    quality: bool,
    /// File to write: .html, or .glb (glTF) with the boundary alone
    #[arg(long, short, value_name = "OUT")]
    output: PathBuf,
}

/// What `--unit` and `--up` do for pages too.
const UNIT: &str = "Length unit of the model: pages show it, .glb files are in meters [default: none on \
                    pages, m in .glb]";
const UP: &str = "Up axis of the model [default: z]";

pub fn run(arguments: Arguments, console: &Console) -> Result<Outcome> {
    let Arguments { model, mut request, quality, output } = arguments;
    if quality {
        request.color = Some("scaled Jacobian".into());
    }
    let format = request.check(&output)?;
    let slices = request.slices.as_deref();
    model.check_no_input(&output, &slices.into_iter().collect::<Vec<&Path>>())?;
    let start = Instant::now();
    let title = &*model.model.file_name().unwrap_or_default().to_string_lossy();
    let mut notes = console.notes();
    let opened =
        if request.linear { model.open_unjoined(console)? } else { model.open(console)? };
    let report = match opened {
        ControlMesh::Surface(mesh) => {
            refuse_for_solids(&[(quality, "--quality")])?;
            refuse_for_solids(&model.of_solids())?;
            let shown = ViewModel { model: ViewMesh::Surface(&mesh), title, start };
            request.run(&shown, &output, &mut notes)?
        }
        ControlMesh::Solid(mut mesh) => {
            request.check_of_solid()?;
            let fingerprint = request.compares_layers().then(|| fingerprint(&mesh));
            let solid = if request.linear {
                check_linear(&model)?;
                None
            } else {
                let levels = request.levels.unwrap_or(0);
                mesh = model.prepare(mesh, levels, VertexRule::default(), console)?;
                let solid = model.analyze(&mesh, console)?;
                if format == ViewFormat::Html {
                    model.hint(&mesh, &solid, levels, console);
                }
                Some(solid)
            };
            let (mesh, solid) = (&mesh, solid.as_ref());
            let model = ViewMesh::Solid { mesh, solid, fingerprint };
            request.run(&ViewModel { model, title, start }, &output, &mut notes)?
        }
    };
    match report {
        ViewReport::Page(report) => console.report_json(&report)?,
        ViewReport::Glb(report) => console.report_json(&report)?,
    }
    Ok(Outcome::Done)
}

/// Refuses options of the limit where cells are shown as they are.
fn check_linear(model: &ModelArguments) -> Result<()> {
    for (is_given, name) in [
        (model.creases.is_some(), "creases"),
        (!model.creases_from.is_empty(), "creases_from"),
        (model.crease_angle.is_some(), "crease_angle"),
        (model.strict, "strict"),
    ] {
        if is_given {
            return ViewRequest::refuse_of_linear(option_name(name), "cells");
        }
    }
    Ok(())
}
