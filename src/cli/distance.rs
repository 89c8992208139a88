//! `subsolid distance`

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use subsolid::io::{ControlMesh, SurfaceFormat};
use subsolid::jobs::distance::{DistanceReport, DistanceRequest};
use subsolid::mesh::{Attribute, SolidMesh, SurfaceMesh};
use subsolid::scheme::VertexRule;
use subsolid::{Error, Result, io};

use super::mesh_output::MeshOutput;
use super::model::{ModelArguments, SOLID_OR_SURFACE};
use super::output::check_ending;
use super::{Console, Outcome};

/// Store distances as an attribute of the vertices
///
/// In a solid, distances run through the volume of the control mesh, around holes; on a surface of
/// triangles, along the surface. Evaluation and slicing carry the attribute.
#[derive(Args)]
#[command(mut_arg("model", |model| model.help(SOLID_OR_SURFACE)))]
#[command(mut_arg("output", |output| output.help(
    "File to write; of a solid .vtu, .pvtu, .vtk, .csv, .npz, .msh, .mesh, .inp or .exo, of a surface .ply, .vtp or .glb")))]
#[command(after_help = "\
Examples:
  subsolid distance part.vtk --to boundary --name depth -o graded.vtu
  subsolid distance part.vtk --crease-angle 40 --to patch:17 -o bore.vtu
  subsolid distance part.msh --to group:bore --name depth -o bore.vtu
  subsolid distance part.vtk --levels 1 --to point:0,0,5 -o far.vtu
  subsolid distance skin.ply --to vertex:17,42 --method toplesets -o far.vtp")]
pub struct Arguments {
    #[command(flatten)]
    model: ModelArguments,
    #[command(flatten)]
    request: DistanceRequest,
    /// Name of the attribute; an existing attribute of that name is replaced
    #[arg(long, value_name = "NAME", default_value = "distance")]
    name: String,
    #[command(flatten)]
    output: MeshOutput,
}

#[derive(Serialize, JsonSchema)]
pub struct Report {
    /// Name of the file written.
    output: String,
    /// Name of the array of distances.
    name: String,
    #[serde(flatten)]
    measured: DistanceReport,
}

pub fn run(arguments: Arguments, console: &Console) -> Result<Outcome> {
    let Arguments { model, name, output, .. } = &arguments;
    check_name(name)?;
    output.glb()?;
    let measured = match model.open(console)? {
        ControlMesh::Surface(mesh) => along_surface(&arguments, mesh, console)?,
        ControlMesh::Solid(mesh) => through_solid(&arguments, mesh, console)?,
    };
    console.report_json(&Report { output: output.name(), name: name.clone(), measured })?;
    Ok(Outcome::Done)
}

fn through_solid(
    arguments: &Arguments,
    mesh: SolidMesh,
    console: &Console,
) -> Result<DistanceReport> {
    let Arguments { model, request, name, output } = arguments;
    let format = output.of_solid(model, &[])?;
    request.check_solid()?;
    let target = request.target(&mesh)?;
    let mut mesh = model.prepare(mesh, request.levels, VertexRule::default(), console)?;
    let others = mesh.attributes.iter().map(|attribute| attribute.name.as_str());
    let others = others.filter(|other| other != name);
    io::check_names(format, others.chain([name.as_str()]))?;
    let found = request.run_solid(&mesh, &target, &mut console.notes())?;
    put(&mut mesh.attributes, name, found.values);
    output.write_solid(&mesh, format, console)?;
    Ok(found.report)
}

fn along_surface(
    arguments: &Arguments,
    mut mesh: SurfaceMesh,
    console: &Console,
) -> Result<DistanceReport> {
    let Arguments { model, request, name, output } = arguments;
    request.check_surface()?;
    let along = "holds no distances along a surface";
    check_ending(&output.output, &["ply", "vtp", "glb"], along)?;
    let format = output.of_surface(model, &[])?;
    if !matches!(format, SurfaceFormat::Ply | SurfaceFormat::Vtp | SurfaceFormat::Glb) {
        // standard output of no other name
        return Err(Error::request(format!("a .{} file {along}", format.extension()))
            .with_help("name the output -.ply, -.vtp or -.glb"));
    }
    let found = request.run_surface(&mesh, &mut console.notes())?;
    put(&mut mesh.attributes, name, found.values);
    output.write_surface(&mesh, console)?;
    Ok(found.report)
}

/// Refuses names that readers take for something else than an attribute.
fn check_name(name: &str) -> Result<()> {
    let reserved = [io::CORNER_SHARPNESS, io::CREASE_EDGES, io::CREASE_SHARPNESS];
    let why = if name.is_empty() {
        "an attribute needs a name".to_string()
    } else if reserved.contains(&name) {
        format!("\"{name}\" is the name of an array of creases and corners")
    } else {
        return Ok(());
    };
    Err(Error::request(why).with_help("give another --name, for instance distance"))
}

fn put(attributes: &mut Vec<Attribute>, name: &str, values: Vec<f64>) {
    attributes.retain(|attribute| attribute.name != name);
    attributes.push(Attribute { name: name.into(), width: 1, values });
}
