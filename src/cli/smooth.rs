//! `subsolid smooth`

use std::time::Instant;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use subsolid::backend::Choice;
use subsolid::io::ControlMesh;
use subsolid::mesh::{SolidMesh, SurfaceMesh};
use subsolid::numbers::counted;
use subsolid::plan::{Cost, SurfaceJob};
use subsolid::process::surface::Cotangents;
use subsolid::process::{DEFAULT_FACTOR, check_steps, smooth_attribute};
use subsolid::query::{Query, QueryStrategy};
use subsolid::scheme::VertexRule;
use subsolid::{Error, Result};

use super::console::since;
use super::json::JsonReport;
use super::mesh_output::MeshOutput;
use super::model::{ModelArguments, SOLID_OR_SURFACE};
use super::output::check_names;
use super::processor::{check_of_solid, for_surface};
use super::unused::refuse_for_solids;
use super::{Console, Outcome};

/// Smooth a surface by curvature flow, or an attribute of a solid
///
/// A surface of triangles moves along its mean curvature; its boundary stays. Normals in the
/// file are recomputed. For a solid, --attribute is smoothed: every step moves values toward the
/// mean of their neighbors.
#[derive(Args)]
#[command(mut_arg("model", |model| model.help(SOLID_OR_SURFACE)))]
#[command(after_help = "\
Examples:
  subsolid smooth scan.ply --time 0.01 --steps 3 -o smooth.ply
  subsolid smooth part.vtu --attribute hardness --steps 10 -o smooth.vtu
  subsolid smooth part.vtu --attribute hardness --fix-boundary -o smooth.vtu")]
pub struct Arguments {
    #[command(flatten)]
    model: ModelArguments,
    /// Attribute to smooth, required for a solid
    #[arg(long, value_name = "NAME")]
    attribute: Option<String>,
    /// Number of steps
    #[arg(long, value_name = "N", default_value_t = 1)]
    steps: usize,
    /// Time of a step of curvature flow, in squared length units, required for a surface. A step is
    /// implicit, of first order in time: it takes a sphere of radius r to r / (1 + 2 time / r²).
    /// More and shorter steps come nearer to the flow, which takes it to √(r² − 4 · steps · time)
    #[arg(long, value_name = "T", conflicts_with = "attribute")]
    time: Option<f64>,
    /// Solve each step by conjugate gradients that recompute the cotangent weights in every
    /// product and store no matrix: less memory, more time, the same points up to rounding
    #[arg(long, conflicts_with = "attribute")]
    matrix_free: bool,
    /// Fraction of the way that values of a solid move toward the mean of their neighbors in a
    /// step, 0 to 1 [default: 0.5]
    #[arg(long, value_name = "F")]
    factor: Option<f64>,
    /// Keep the values of a solid on the boundary
    #[arg(long, requires = "attribute")]
    fix_boundary: bool,
    /// Processor of a surface: auto (the fastest for this job), cpu, cuda or cuda:N; points
    /// are equal up to rounding
    #[arg(long, value_name = "NAME", default_value = "auto")]
    backend: Choice,
    #[command(flatten)]
    output: MeshOutput,
}

#[derive(Serialize, JsonSchema)]
pub struct Report {
    /// Name of the file written.
    output: String,
    /// Number of steps done.
    steps: usize,
}

impl JsonReport for Report {
    const SCHEMA: &'static str = "subsolid.smooth/1";
}

pub fn run(arguments: Arguments, console: &Console) -> Result<Outcome> {
    let Arguments { output, steps, .. } = &arguments;
    output.glb()?;
    match arguments.model.open(console)? {
        ControlMesh::Surface(mesh) => flow(&arguments, mesh, console)?,
        ControlMesh::Solid(mesh) => smooth(&arguments, mesh, console)?,
    }
    console.report_json(&Report { output: output.name(), steps: *steps })?;
    Ok(Outcome::Done)
}

/// Moves a surface along its mean curvature.
fn flow(arguments: &Arguments, mut mesh: SurfaceMesh, console: &Console) -> Result<()> {
    let Arguments { output, steps, .. } = arguments;
    refuse_for_solids(&[
        (arguments.attribute.is_some(), "--attribute"),
        (arguments.factor.is_some(), "--factor"),
        (arguments.fix_boundary, "--fix-boundary"),
    ])?;
    check_steps("steps", *steps)?;
    let format = output.of_surface(&arguments.model, &[])?;
    let time = arguments.time.ok_or_else(|| {
        Error::request("curvature flow needs a time step")
            .with_help("give --time, in squared length units")
    })?;
    let (cotangents, job) = if arguments.matrix_free {
        (Cotangents::Recomputed, SurfaceJob::MatrixFreeFlow)
    } else {
        (Cotangents::Stored, SurfaceJob::Flow)
    };
    let cost = Cost::processing(mesh.points.len(), job, *steps);
    let mut processor = for_surface(arguments.backend, &cost, &mesh, console)?;
    let start = Instant::now();
    let bar = console.bar(*steps);
    for _ in 0..*steps {
        processor.flow(time, cotangents)?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    processor.update(&mut mesh)?;
    say_smoothed(*steps, start, console);
    output.write_surface(&mesh, format, console)
}

/// Smooths an attribute of a solid.
fn smooth(arguments: &Arguments, mesh: SolidMesh, console: &Console) -> Result<()> {
    let output = &arguments.output;
    check_of_solid(arguments.backend, "attributes of solids are smoothed")?;
    let format = output.of_solid(&arguments.model, &[])?;
    let name = arguments.attribute.as_deref().ok_or_else(|| {
        Error::request("curvature flow does not apply to solids")
            .with_help("give --attribute, or improve its cells by `subsolid untangle`")
    })?;
    let mut mesh = arguments.model.prepare(mesh, 0, VertexRule::default(), console)?;
    check_names(format, &mesh)?;
    let topology = arguments.model.topology(&mesh, console)?;
    let start = Instant::now();
    let query = Query::of_topology(&mesh, &topology, QueryStrategy::Rows)?;
    let index = mesh.attribute_index(name)?;
    let attribute = &mut mesh.attributes[index];
    let fixed = |v: u32| arguments.fix_boundary && topology.is_boundary_vertex(v);
    let (steps, factor) = (arguments.steps, arguments.factor.unwrap_or(DEFAULT_FACTOR));
    attribute.values =
        smooth_attribute(&query, &attribute.values, attribute.width, steps, factor, fixed)?;
    say_smoothed(arguments.steps, start, console);
    output.write_solid(&mesh, format, console)
}

fn say_smoothed(steps: usize, start: Instant, console: &Console) {
    console.status("Smoothed", format!("in {}, {}", counted(steps, "step"), since(start)));
}
