//! `subsolid solve`

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use subsolid::Result;
use subsolid::backend::start;
use subsolid::jobs::solve::{FieldExtreme, LoadedPart, SolveReport, SolveRequest};
use subsolid::numbers::{counted, significant};
use subsolid::scheme::VertexRule;

use super::model::ModelArguments;
use super::output::{check_mesh_names, write_mesh};
use super::{Console, Outcome};

/// Solve linear elasticity or heat conduction: displacements and stresses, temperatures and fluxes
///
/// Parts of the boundary are groups of faces, by the names that the file gives them, sides between
/// infinitely sharp edges, by the numbers of `subsolid quadrature --boundary`, or faces whose
/// vertices lie in a place: bore, side:3, "where:x<1e-6", "where:0<=z<2 and y>1".
/// Units are those of the model: with mm and MPa forces are N. The output has the limit with the
/// results; --control-mesh writes the control points with them, for view, slice and evaluate.
#[derive(Args)]
#[command(after_help = "\
Examples:
  subsolid solve part.vtu --elasticity 210e3,0.3 --fix foot --total-force bore=0,0,-500 -o u.vtu
  subsolid solve plate.vtu --elasticity 210e3,0.3 --fix left=0,, --fix base=,,0 --fix side:2=,0, \\
    --load right=1,0,0 --cells lagrange -o u.vtu --control-mesh solved.vtu
  subsolid solve part.vtu --elasticity 210e3,0.3 --fix 'where:z<1e-6' --load 'where:z>9.9=0,0,1' \\
    -o u.vtu
  subsolid solve pipe.vtu --elasticity 210e3,0.3 --fix ends --pressure inside=16 --json
  subsolid solve part.vtu --heat 45 --temperature base=20 --flux top=1000 -o heat.vtu")]
pub struct Arguments {
    #[command(flatten)]
    model: ModelArguments,
    /// Refine the model this many times first
    #[arg(long, value_name = "N", default_value_t = 0)]
    levels: usize,
    #[command(flatten)]
    request: SolveRequest,
    /// File to write the control mesh to, with the results as attributes: .vtu, .pvtu, .vtk, .csv or
    /// .npz
    #[arg(long, value_name = "OUT")]
    control_mesh: Option<PathBuf>,
}

#[derive(Serialize, JsonSchema)]
pub struct Report {
    /// Name of the file of the control mesh, or null.
    control_mesh: Option<String>,
    #[serde(flatten)]
    found: SolveReport,
}

pub fn run(arguments: Arguments, console: &Console) -> Result<Outcome> {
    let Arguments { model, levels, request, control_mesh } = &arguments;
    request.check()?;
    let outputs: Vec<&Path> = control_mesh.iter().map(PathBuf::as_path).collect();
    if let Some(output) = &request.output {
        model.check_no_input(output, &outputs)?;
    }
    let format = match control_mesh {
        Some(path) => {
            let format = model.check_output(path, None, &[])?;
            format.check_compress(request.compress)?;
            Some((path, format))
        }
        None => None,
    };
    let _starting = start(request.backend)?;
    let mesh = model.load(*levels, VertexRule::default(), console)?;
    let solid = model.analyze(&mesh, console)?;
    model.hint(&mesh, &solid, *levels, console);
    let (solved, found) = request.run(&mesh, &solid, &mut console.notes())?;
    if let Some((path, format)) = format {
        check_mesh_names(format, &solved)?;
        write_mesh(&solved, path, format, request.compress, console)?;
    }
    let control_mesh = control_mesh.as_ref().map(|path| path.display().to_string());
    let report = Report { control_mesh, found };
    console.report(&report, || text(&report.found))?;
    Ok(Outcome::Done)
}

fn text(found: &SolveReport) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "{name:<24} {value}");
    };
    line("unknowns", found.unknowns.to_string());
    line("iterations", format!("{}, residual {:.1e}", found.iterations, found.residual));
    line("volume", significant(found.volume));
    line("energy", significant(found.energy));
    let is_elastic = found.problem == "elasticity";
    let sum = |[x, y, z]: [f64; 3]| {
        let [x, y, z] = [x, y, z].map(significant);
        if is_elastic { format!("{x}, {y}, {z}") } else { x }
    };
    line("load", sum(found.load));
    for LoadedPart { part, faces, area } in &found.loaded {
        line(
            &format!("area of {part}"),
            format!("{} in {}", significant(*area), counted(*faces, "face")),
        );
    }
    for held in &found.reactions {
        let faces = counted(held.faces, "face");
        line(&format!("reaction of {}", held.part), format!("{} on {faces}", sum(held.reaction)));
    }
    let place = |at: &FieldExtreme| {
        let [x, y, z] = at.point.map(significant);
        format!("{} at ({x}, {y}, {z}) in cell {}", significant(at.value), at.cell)
    };
    for field in &found.fields {
        line(&format!("least {}", field.name), place(&field.least));
        line(&format!("greatest {}", field.name), place(&field.greatest));
    }
    text
}
