//! `subsolid distance`

use std::str::FromStr;
use std::time::Instant;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use subsolid::IdKind::Vertex;
use subsolid::backend::Choice;
use subsolid::io::{ControlMesh, SurfaceFormat};
use subsolid::mesh::{Attribute, Creases, SolidMesh, SurfaceMesh};
use subsolid::message;
use subsolid::numbers::{counted, significant};
use subsolid::plan::Cost;
use subsolid::process::solid::{
    Seed, boundary_patches, boundary_seeds, crease_seeds, group_seeds, point_seeds, volume_distance,
};
use subsolid::process::surface::{DistanceMethod, missing_distances};
use subsolid::refine::{check_memory, refine_mesh, refined_marks};
use subsolid::scheme::VertexRule;
use subsolid::{Error, Result, io};

use super::console::since;
use super::json::JsonReport;
use super::mesh_output::MeshOutput;
use super::model::{ModelArguments, SOLID_OR_SURFACE};
use super::output::check_ending;
use super::processor::{check_of_solid, for_surface};
use super::unused::refuse_for_solids;
use super::{Console, Outcome};

/// Store distances as an attribute of the vertices
///
/// In a solid, distances run through the volume of the control mesh, around holes; on a surface of
/// triangles, along the surface. Evaluation and slicing carry the attribute.
#[derive(Args)]
#[command(mut_arg("model", |model| model.help(SOLID_OR_SURFACE)))]
#[command(mut_arg("output", |output| output.help(
    "File to write; of a solid .vtu, .pvtu, .vtk, .csv or .npz, of a surface .ply, .vtp or .glb")))]
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
    /// What distances are measured to: vertex:17,42 (on a surface, nothing else; there it must be
    /// given); in solids also boundary, creases, patch:17 (the part of the boundary around
    /// vertices, as creases bound it), group:NAME (named faces and cells of the file), point:x,y,z
    /// and attribute:NAME (vertices where it is not 0, and the edges, faces and cells between
    /// them). With --levels, creases and marks are those of the mesh before it is refined
    #[arg(long, value_name = "TARGET", default_value = "boundary")]
    to: DistanceTarget,
    /// Name of the attribute; an existing attribute of that name is replaced
    #[arg(long, value_name = "NAME", default_value = "distance")]
    name: String,
    /// Refine a solid this many times first: errors fall with the size of cells
    #[arg(long, value_name = "N", default_value_t = 0)]
    levels: usize,
    /// How distances on surfaces are found
    #[arg(long, value_enum, default_value_t)]
    method: DistanceMethod,
    /// Processor of a surface: auto (the fastest for this job), cpu, cuda or cuda:N; distances
    /// are equal up to rounding
    #[arg(long, value_name = "NAME", default_value = "auto")]
    backend: Choice,
    #[command(flatten)]
    output: MeshOutput,
}

#[derive(Clone, Debug)]
enum DistanceTarget {
    Boundary,
    Creases,
    Vertices(Vec<u32>),
    Patches(Vec<u32>),
    Group(String),
    Point([f64; 3]),
    Attribute(String),
}

impl FromStr for DistanceTarget {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            "give boundary, creases, vertex:IDS, patch:IDS, group:NAME, point:x,y,z or \
             attribute:NAME"
                .to_string()
        };
        fn list<T: FromStr>(text: &str) -> Option<Vec<T>> {
            text.split(',').map(|word| word.trim().parse().ok()).collect()
        }
        match text.split_once(':') {
            None if text == "boundary" => Ok(Self::Boundary),
            None if text == "creases" => Ok(Self::Creases),
            Some(("vertex", ids)) => {
                let mut ids: Vec<u32> = list(ids).ok_or_else(wrong)?;
                ids.sort_unstable();
                ids.dedup();
                Ok(Self::Vertices(ids))
            }
            Some(("patch", ids)) => list(ids).map(Self::Patches).ok_or_else(wrong),
            Some(("group", name)) if !name.is_empty() => Ok(Self::Group(name.into())),
            Some(("point", point)) => {
                let point = list(point).and_then(|x| <[f64; 3]>::try_from(x).ok());
                point.map(Self::Point).ok_or_else(wrong)
            }
            Some(("attribute", name)) if !name.is_empty() => Ok(Self::Attribute(name.into())),
            _ => Err(wrong()),
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub struct Report {
    /// Name of the file written.
    output: String,
    /// Name of the array of distances.
    name: String,
    /// Number of vertices that distances are measured from.
    targets: usize,
    /// Greatest distance, in length units.
    greatest: f64,
}

impl JsonReport for Report {
    const SCHEMA: &'static str = "subsolid.distance/1";
}

pub fn run(arguments: Arguments, console: &Console) -> Result<Outcome> {
    check_name(&arguments.name)?;
    arguments.output.glb()?;
    match arguments.model.open(console)? {
        ControlMesh::Surface(mesh) => along_surface(&arguments, mesh, console),
        ControlMesh::Solid(mesh) => through_solid(&arguments, mesh, console),
    }
}

fn through_solid(arguments: &Arguments, mesh: SolidMesh, console: &Console) -> Result<Outcome> {
    let output = &arguments.output;
    let format = output.of_solid(&arguments.model, &[])?;
    if arguments.method != DistanceMethod::Heat {
        return Err(Error::request("--method toplesets is for surfaces of triangles")
            .with_help("omit it for solids"));
    }
    check_of_solid(arguments.backend, "distances through solids are found")?;
    let rule = VertexRule::default();
    // refinement would spread the marks of an attribute to neighbors
    let marks = match &arguments.to {
        DistanceTarget::Attribute(name) => {
            refined_marks(&mesh, marks(&mesh, name)?, arguments.levels)?
        }
        _ => Vec::new(),
    };
    let creases = lasting_creases(&mesh, &arguments.to, arguments.levels)?;
    let mut mesh = arguments.model.prepare(mesh, arguments.levels, rule, console)?;
    let others = mesh.attributes.iter().map(|attribute| attribute.name.as_str());
    let others = others.filter(|other| *other != arguments.name);
    io::check_names(format, others.chain([arguments.name.as_str()]))?;
    let own = creases.map(|creases| std::mem::replace(&mut mesh.creases, creases));
    let seeds = seeds(&mesh, &arguments.to, &marks, console)?;
    mesh.creases = own.unwrap_or(mesh.creases);
    let start = Instant::now();
    let values = console.during("Measuring", || volume_distance(&mesh, &seeds))?;
    let report = report(arguments, seeds.len(), &values);
    report.say_measured(values.len(), start, console);
    put(&mut mesh.attributes, &arguments.name, values);
    output.write_solid(&mesh, format, console)?;
    console.report_json(&report)?;
    Ok(Outcome::Done)
}

/// The creases of the refined mesh if none were used up by its refinement; `None` if the target is
/// not a matter of creases, or the mesh has them all.
fn lasting_creases(
    mesh: &SolidMesh,
    target: &DistanceTarget,
    levels: usize,
) -> Result<Option<Creases>> {
    let is_used_up = |sharpness: f64| sharpness > 0.0 && sharpness <= levels as f64;
    let Creases { edges, corners } = &mesh.creases;
    let mut sharpness =
        edges.iter().map(|e| e.sharpness).chain(corners.iter().map(|c| c.sharpness));
    if !matches!(target, DistanceTarget::Creases | DistanceTarget::Patches(_))
        || !sharpness.any(is_used_up)
    {
        return Ok(None);
    }
    let mut sharp = mesh.clone();
    let make_sharp = |sharpness: &mut f64| {
        if *sharpness > 0.0 {
            *sharpness = f64::INFINITY;
        }
    };
    sharp.creases.edges.iter_mut().for_each(|edge| make_sharp(&mut edge.sharpness));
    sharp.creases.corners.iter_mut().for_each(|corner| make_sharp(&mut corner.sharpness));
    check_memory(&sharp, levels)?;
    Ok(Some(refine_mesh(&sharp, levels, VertexRule::default())?.creases))
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

/// The vertices of a target; of an attribute those with `marks`.
fn seeds(
    mesh: &SolidMesh,
    target: &DistanceTarget,
    marks: &[bool],
    console: &Console,
) -> Result<Vec<Seed>> {
    match target {
        DistanceTarget::Boundary => boundary_seeds(mesh),
        DistanceTarget::Creases => crease_seeds(mesh),
        DistanceTarget::Vertices(vertices) => Ok(vertices.iter().copied().map(Seed::on).collect()),
        DistanceTarget::Patches(vertices) => boundary_patches(mesh, vertices),
        DistanceTarget::Group(name) => group_seeds(mesh, name),
        DistanceTarget::Point(point) => {
            let (seeds, place) = point_seeds(mesh, *point)?;
            place.notice(*point).into_iter().for_each(|notice| console.warn(notice));
            Ok(seeds)
        }
        DistanceTarget::Attribute(_) => {
            let marked = (0..).zip(marks).filter(|(_, marked)| **marked);
            Ok(marked.map(|(v, _)| Seed::on(v)).collect())
        }
    }
}

/// Which vertices an attribute marks: those where it is not 0.
fn marks(mesh: &SolidMesh, name: &str) -> Result<Vec<bool>> {
    let attribute = &mesh.attributes[mesh.attribute_index(name)?];
    let rows = attribute.values.chunks_exact(attribute.width.max(1));
    if let Some(v) = rows.clone().position(|row| row.iter().any(|x| x.is_nan())) {
        return Err(Error::request(message!("attribute \"{name}\" is NaN at ", Vertex.id(v)))
            .with_help("mark target vertices by a nonzero number, and all others by 0"));
    }
    Ok(rows.map(|row| row.iter().any(|&x| x != 0.0)).collect())
}

fn along_surface(
    arguments: &Arguments,
    mut mesh: SurfaceMesh,
    console: &Console,
) -> Result<Outcome> {
    let output = &arguments.output;
    refuse_for_solids(&[(arguments.levels > 0, "--levels")])?;
    let along = "holds no distances along a surface";
    check_ending(&output.output, &["ply", "vtp", "glb"], along)?;
    let format = output.of_surface(&arguments.model, &[])?;
    if matches!(format, SurfaceFormat::Obj | SurfaceFormat::Stl) {
        // standard output of no other name
        return Err(Error::request(format!("a .{} file {along}", format.extension()))
            .with_help("name the output -.ply, -.vtp or -.glb"));
    }
    let DistanceTarget::Vertices(sources) = &arguments.to else {
        return Err(Error::request("on a surface, distances are measured to vertices only")
            .with_help("give --to vertex:17,42"));
    };
    let cost = Cost::processing(mesh.points.len(), arguments.method.into(), 1);
    let mut processor = for_surface(arguments.backend, &cost, &mesh, console)?;
    let start = Instant::now();
    let values = console.during("Measuring", || processor.distance(arguments.method, sources))?;
    if let Some(notice) = missing_distances(&values) {
        console.warn(notice);
    }
    let report = report(arguments, sources.len(), &values);
    report.say_measured(values.len(), start, console);
    put(&mut mesh.attributes, &arguments.name, values);
    output.write_surface(&mesh, format, console)?;
    console.report_json(&report)?;
    Ok(Outcome::Done)
}

fn put(attributes: &mut Vec<Attribute>, name: &str, values: Vec<f64>) {
    attributes.retain(|attribute| attribute.name != name);
    attributes.push(Attribute { name: name.into(), width: 1, values });
}

fn report(arguments: &Arguments, targets: usize, values: &[f64]) -> Report {
    let output = arguments.output.name();
    let greatest = values.iter().copied().fold(0.0, f64::max);
    Report { output, name: arguments.name.clone(), targets, greatest }
}

impl Report {
    fn say_measured(&self, count: usize, start: Instant, console: &Console) {
        let (values, targets) = (counted(count, "distance"), counted(self.targets, "vertex"));
        let greatest = significant(self.greatest);
        let time = since(start);
        console.status("Measured", format!("{values} to {targets}, at most {greatest}, in {time}"));
    }
}
