//! `subsolid denoise`

use std::path::PathBuf;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use subsolid::Result;
use subsolid::jobs::denoise::{DenoiseReport, DenoiseRequest};

use super::gltf::GlbArguments;
use super::json::JsonReport;
use super::model::{ModelArguments, SURFACE};
use super::output::warn_of_losses;
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
    #[command(flatten)]
    request: DenoiseRequest,
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
    #[serde(flatten)]
    denoised: DenoiseReport,
}

impl JsonReport for Report {
    const SCHEMA: &'static str = "subsolid.denoise/1";
}

pub fn run(arguments: Arguments, console: &Console) -> Result<Outcome> {
    let Arguments { model, request, output, glb } = arguments;
    request.check()?;
    let glb = glb.options(&output)?;
    let model = ModelArguments::new(model);
    let format = model.surface_output(&output)?;
    let mut mesh = read_surface(&model.model, None, console)?;
    let denoised = request.run(&mut mesh, &mut console.notes())?;
    warn_of_losses(&format.losses(&mesh), &output, console);
    write_file(&output, &mesh, &glb, console)?;
    console.report_json(&Report { output: output.display().to_string(), denoised })?;
    Ok(Outcome::Done)
}
