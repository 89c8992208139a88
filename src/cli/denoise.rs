//! `subsolid denoise`

use std::path::PathBuf;

use clap::Args;
use subsolid::Result;
use subsolid::jobs::denoise::DenoiseRequest;
use subsolid::jobs::surface_file::{GlbRequest, write_surface};

use super::gltf::{axes, units};
use super::json::Written;
use super::model::{ModelArguments, SURFACE};
use super::surface_model::read_surface;
use super::{Console, Outcome};

/// Remove noise from a surface and keep its edges, by the bilateral filter
///
/// Normals in the file are recomputed.
#[derive(Args)]
#[command(mut_arg("unit", units), mut_arg("up", axes))]
#[command(after_help = "\
Examples:
  subsolid denoise scan.ply --sweeps 3 -o clean.ply
  subsolid denoise scan.stl --rings 3 -o clean.stl")]
pub struct Arguments {
    #[arg(help = SURFACE)]
    model: PathBuf,
    #[command(flatten)]
    request: DenoiseRequest,
    /// File to write: .obj, .ply, .vtp, .stl, .glb or .3mf
    #[arg(long, short, value_name = "OUT")]
    output: PathBuf,
    #[command(flatten)]
    glb: GlbRequest,
}

pub fn run(arguments: Arguments, console: &Console) -> Result<Outcome> {
    let Arguments { model, request, output, glb } = arguments;
    request.check()?;
    let glb = glb.options(&output)?;
    let model = ModelArguments::new(model);
    model.surface_output(&output)?;
    let mut mesh = read_surface(&model.model, &[], None, console)?;
    let mut notes = console.notes();
    let denoised = request.run(&mut mesh, &mut notes)?;
    write_surface(&output, &mesh, &glb, &mut notes)?;
    console.report_json(&Written::of(&output, denoised))?;
    Ok(Outcome::Done)
}
