//! `subsolid denoise`

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use subsolid::Result;
use subsolid::backend::Choice;
use subsolid::numbers::counted;
use subsolid::plan::{Cost, SurfaceJob};
use subsolid::process::check_steps;
use subsolid::process::surface::{DEFAULT_RINGS, DEFAULT_SWEEPS};

use super::console::since;
use super::gltf::GlbArguments;
use super::json::JsonReport;
use super::model::{ModelArguments, SURFACE};
use super::output::warn_of_losses;
use super::processor::for_surface;
use super::surface_model::read_surface;
use super::surface_output::write_file;
use super::{Console, Outcome};

/// Remove noise from a surface and keep its edges, by the bilateral filter
///
/// Normals in the file are recomputed.
#[derive(Args)]
#[command(after_help = "\
Examples:
  subsolid denoise scan.ply --sweeps 3 -o clean.ply
  subsolid denoise scan.stl --rings 3 -o clean.stl")]
pub struct Arguments {
    #[arg(help = SURFACE)]
    model: PathBuf,
    /// Sweeps over all vertices
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SWEEPS)]
    sweeps: usize,
    /// Neighbors: vertices up to K edges away, 1 or more
    #[arg(long, value_name = "K", default_value_t = DEFAULT_RINGS)]
    rings: usize,
    /// Processor: auto (the fastest for this job), cpu, cuda or cuda:N; points are
    /// equal up to rounding
    #[arg(long, value_name = "NAME", default_value = "auto")]
    backend: Choice,
    /// File to write: .obj, .ply, .vtp, .stl or .glb
    #[arg(long, short, value_name = "OUT")]
    output: PathBuf,
    #[command(flatten)]
    glb: GlbArguments,
}

#[derive(Serialize, JsonSchema)]
pub struct Report {
    /// Name of the file written.
    output: String,
    /// Number of sweeps done.
    sweeps: usize,
}

impl JsonReport for Report {
    const SCHEMA: &'static str = "subsolid.denoise/1";
}

pub fn run(arguments: Arguments, console: &Console) -> Result<Outcome> {
    let Arguments { model, sweeps, rings, backend, output, glb } = arguments;
    check_steps("sweeps", sweeps)?;
    let glb = glb.options(&output)?;
    let model = ModelArguments::new(model);
    let format = model.surface_output(&output)?;
    let mut mesh = read_surface(&model.model, None, console)?;
    let cost = Cost::processing(mesh.points.len(), SurfaceJob::Denoise, sweeps);
    let mut processor = for_surface(backend, &cost, &mesh, console)?;
    let start = Instant::now();
    let bar = console.bar(sweeps);
    for _ in 0..sweeps {
        processor.denoise(rings)?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    processor.update(&mut mesh)?;
    console.status("Denoised", format!("in {}, {}", counted(sweeps, "sweep"), since(start)));
    warn_of_losses(&format.losses(&mesh), &output, console);
    write_file(&output, &mesh, &glb, console)?;
    console.report_json(&Report { output: output.display().to_string(), sweeps })?;
    Ok(Outcome::Done)
}
