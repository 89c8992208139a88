//! `subsolid surface`

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use subsolid::backend::start;
use subsolid::io::SurfaceFormat;
use subsolid::jobs::surface::{SurfaceMethod, SurfaceNames, SurfaceRequest};
use subsolid::jobs::surface_file::{GlbRequest, WrittenSurface, write_surface};
use subsolid::mesh::CreaseSource;
use subsolid::surface::{Method, NestedShells, orient};
use subsolid::{Error, Result, io};

use super::gltf::{axes, units};
use super::inputs::check_no_input;
use super::list::List;
use super::model::{CREASES_FROM, SURFACE};
use super::names::scheme_names;
use super::surface_model::read_surface;
use super::wording::words;
use super::{Console, Outcome};

/// Refine a surface by Catmull-Clark, Loop, √3 or bilinear subdivision
///
/// Reads OBJ (polygons, texture coordinates, OpenSubdiv's crease, corner and hole tags), PLY, OFF,
/// STL, VTK's polygons, and the faces of files without volume cells. Edges where the surface ends
/// are creases that stay sharp.
#[derive(Args)]
#[command(mut_arg("scheme", |scheme| scheme.value_parser(scheme_names())))]
#[command(mut_arg("method", |method| method.value_parser(method_names())))]
#[command(mut_arg("unit", units), mut_arg("up", axes))]
#[command(after_help = "\
Examples:
  subsolid surface model.obj --levels 3 -o fine.obj
  subsolid surface scan.stl --scheme loop --levels 2 -o fine.ply
  subsolid surface soup.ply --weld=1e-6 --levels 0 -o joined.ply
  subsolid surface part.stl --orient --levels 0 -o outward.stl
  subsolid surface model.obj --method edge-friend --chaikin -o fine.vtp
  subsolid surface model.obj --levels 4 --method static -o fine.vtp
  subsolid surface model.obj --levels 3 --limit --normals -o limit.vtp
  subsolid surface model.obj --levels 4 --method adaptive --limit -o limit.obj
  subsolid surface model.obj --levels 5 --backend cuda -o fine.ply")]
pub struct Arguments {
    #[arg(help = SURFACE)]
    model: PathBuf,
    #[command(flatten)]
    request: SurfaceRequest,
    /// Merge vertices with equal coordinates first, or those within DISTANCE of one another (in
    /// length units), so that faces that do not share vertices become one surface; the first vertex
    /// of each place keeps its attributes; use --levels 0 to do only this
    #[arg(long, value_name = "DISTANCE", num_args = 0..=1, require_equals = true,
          default_missing_value = "0")]
    weld: Option<f64>,
    #[arg(long, value_name = "NAME[=SHARPNESS],…", help = CREASES_FROM)]
    creases_from: Vec<List<CreaseSource>>,
    /// Turn faces first, so that those of a shell agree and look outward; shells in the material of
    /// others keep their direction against these (keep), or become cavities. Shells are faces that
    /// edges connect; open ones keep the side of most of their faces. Use --levels 0 to do only this
    #[arg(long, value_enum, value_name = "NESTED", num_args = 0..=1, require_equals = true,
          default_missing_value = "keep")]
    orient: Option<NestedShells>,
    /// File to write: .obj, .ply, .vtp, .stl, .glb or .3mf (glTF, for web pages and viewers)
    #[arg(long, short, value_name = "OUT")]
    output: PathBuf,
    #[command(flatten)]
    glb: GlbRequest,
}

fn method_names() -> impl TypedValueParser<Value = SurfaceMethod> {
    let names = Method::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    let adaptive = PossibleValue::new("adaptive")
        .help("Limit: spline patches, refined around features only; with --limit");
    PossibleValuesParser::new(names.chain([adaptive])).try_map(|name| name.parse())
}

pub fn run(arguments: Arguments, console: &Console) -> Result<Outcome> {
    let Arguments { model, request, weld, creases_from, orient: nested, output, glb } = arguments;
    let glb = glb.options(&output)?;
    check_no_input(&output, [model.as_path()])?;
    let format = io::check_surface_output(&output)?;
    request.check()?;
    if request.normals && matches!(format, SurfaceFormat::Stl | SurfaceFormat::ThreeMf) {
        let why = format!("a .{} file has no place for --normals", format.extension());
        return Err(Error::request(why).with_help(
            "end the name of the output in .obj, .ply, .vtp or .glb, or leave --normals out",
        ));
    }
    let _starting = start(request.backend)?;
    let mut mesh = read_surface(&model, &creases_from, weld, console)?;
    let [model, name] = [&model, &output].map(|path| path.display().to_string());
    if let Some(nested) = nested {
        let shells = orient(&mut mesh, nested)?;
        let reversed = shells.reversed().map_or("no faces".to_owned(), |reversed| words(&reversed));
        console.status("Turned", reversed);
        let warn = |notice| console.warn(format!("{model}: {}", words(&notice)));
        shells.notices().for_each(warn);
    }
    let names = SurfaceNames { model: Some(&model), output: Some(&name) };
    let (refined, patches) = request.run(mesh, names, &mut console.notes())?;
    let written = write_surface(&output, &refined, &glb, &mut console.notes())?;
    console.report_json(&WrittenSurface { patches, ..written })?;
    Ok(Outcome::Done)
}
