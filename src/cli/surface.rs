//! `subsolid surface`

use std::path::PathBuf;
use std::time::Instant;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use subsolid::backend::{Backend, Choice, Processor, SurfaceRefiner, start};
use subsolid::io::SurfaceFormat;
use subsolid::mesh::{CreaseRule, LinearInterpolation, SurfaceMesh, TriangleRule};
use subsolid::numbers::counted;
use subsolid::scheme::Split;
use subsolid::surface::limit::{PatchCounts, check_valences};
use subsolid::surface::{
    Method, NestedShells, Scheme, SurfaceOptions, SurfacePlan, VertexLimits, adaptive_limits,
    check_ids, check_memory, duplicate_triangles, orient,
};
use subsolid::{Error, Result, io};

use super::console::since;
use super::gltf::GlbArguments;
use super::inputs::check_no_input;
use super::model::SURFACE;
use super::names::scheme_names;
use super::output::warn_of_losses;
use super::processor::tell_gpu;
use super::surface_model::read_surface;
use super::surface_output::{counts, write};
use super::unused::refuse_given;
use super::wording::words;
use super::{Console, Outcome};

/// Refine a surface by Catmull-Clark, Loop, √3 or bilinear subdivision
///
/// Reads OBJ (polygons, texture coordinates, OpenSubdiv's crease, corner and hole tags), PLY, OFF,
/// STL, VTK's polygons, and the faces of files without volume cells. Edges where the surface ends
/// are creases that stay sharp.
#[derive(Args)]
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
    /// Subdivision scheme; polygons are triangulated if the scheme needs triangles
    #[arg(long, value_parser = scheme_names(), default_value = Scheme::default().option_name())]
    scheme: Scheme,
    /// Levels of refinement
    #[arg(long, value_name = "N", default_value_t = 2)]
    levels: usize,
    /// How points are computed; the results are equal up to rounding [default: matrix]
    #[arg(long, value_parser = method_names())]
    method: Option<MethodName>,
    /// Merge vertices with equal coordinates first, or those within DISTANCE of one another (in
    /// length units), so that faces that do not share vertices become one surface; the first vertex
    /// of each place keeps its attributes; use --levels 0 to do only this
    #[arg(long, value_name = "DISTANCE", num_args = 0..=1, require_equals = true,
          default_missing_value = "0")]
    weld: Option<f64>,
    /// Turn faces first, so that those of a shell agree and look outward; shells in the material of
    /// others keep their direction against these (keep), or become cavities. Shells are faces that
    /// edges connect; open ones keep the side of most of their faces. Use --levels 0 to do only this
    #[arg(long, value_enum, value_name = "NESTED", num_args = 0..=1, require_equals = true,
          default_missing_value = "keep")]
    orient: Option<NestedShells>,
    /// Average the sharpness along creases at each level (Chaikin's rule)
    #[arg(long)]
    chaikin: bool,
    /// Refine the edges of triangles by OpenSubdiv's smooth triangle rule for Catmull-Clark, which
    /// reduces ripples; same as the OBJ tag smoothtriangles
    #[arg(long)]
    smooth_triangles: bool,
    /// Where texture coordinates are linear; they are smooth elsewhere
    /// [default: the model's tag, or all]
    #[arg(long, value_enum, value_name = "WHERE")]
    uv_boundary: Option<LinearInterpolation>,
    /// Move the vertices and their attributes to the limit (not for
    /// √3)
    #[arg(long)]
    limit: bool,
    /// Processor: auto (the fastest for this job), cpu, cuda or cuda:N. GPUs
    /// refine by the mesh matrix (√3 on oriented manifolds), by edge-friend (from 2 levels on) and
    /// by stencils, with the same result
    #[arg(long, value_name = "NAME", default_value = "auto")]
    backend: Choice,
    /// Write the unit normals of the limit at the vertices, replacing those of the model. Normals
    /// that do not exist are omitted in .obj, NaN in .ply and .vtp, and replaced by face normals in
    /// .glb. On a crease the normal is that of one side: of the first face at the vertex
    #[arg(long)]
    normals: bool,
    /// File to write: .obj, .ply, .vtp, .stl or .glb (glTF, for web pages and viewers)
    #[arg(long, short, value_name = "OUT")]
    output: PathBuf,
    #[command(flatten)]
    glb: GlbArguments,
}

/// How points are computed.
#[derive(Clone, Copy)]
enum MethodName {
    Of(Method),
    Adaptive,
}

fn method_names() -> impl TypedValueParser<Value = MethodName> {
    let names = Method::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    let adaptive = PossibleValue::new("adaptive")
        .help("Limit: spline patches, refined around features only; with --limit");
    PossibleValuesParser::new(names.chain([adaptive]))
        .map(|name| Method::from_str(&name, false).map_or(MethodName::Adaptive, MethodName::Of))
}

impl Arguments {
    /// Refuses, before any work, options that do not go together.
    fn check(&self, format: SurfaceFormat) -> Result<()> {
        if matches!(self.method, Some(MethodName::Adaptive)) && !self.limit {
            return Err(Error::request("--method adaptive evaluates the limit only")
                .with_help("add --limit, or take another method"));
        }
        if self.normals && format == SurfaceFormat::Stl {
            return Err(Error::request("a .stl file has no place for --normals").with_help(
                "end the name of the output in .obj, .ply, .vtp or .glb, or leave --normals out",
            ));
        }
        if self.smooth_triangles && !self.scheme.rules().has_triangle_rule() {
            return Err(Error::request("--smooth-triangles is a rule of Catmull-Clark")
                .with_help("leave --smooth-triangles out, or take --scheme catmull-clark"));
        }
        let scheme = self.scheme;
        let (no_limit, no_creases) = (!scheme.has_limit(), !scheme.rules().has_creases());
        let name = scheme.rules().name();
        refuse_given(
            &[
                (self.limit && no_limit, "--limit"),
                (self.normals && no_limit, "--normals"),
                (self.chaikin && no_creases, "--chaikin"),
            ],
            |option| format!("{option} is not for {name}"),
            |option| format!("leave {option} out, or take another --scheme"),
        )
    }

    fn options(&self) -> SurfaceOptions {
        let scheme = self.scheme;
        SurfaceOptions {
            scheme,
            levels: self.levels,
            method: match self.method {
                Some(MethodName::Of(method)) => method,
                // of adaptive limits the topology and texture coordinates
                Some(MethodName::Adaptive) | None => Method::of(scheme),
            },
            crease_rule: self.chaikin.then_some(CreaseRule::Chaikin),
        }
    }
}

/// What refines, on either processor.
enum Planner {
    Cpu(Box<SurfacePlan>),
    Gpu(Box<dyn SurfaceRefiner>),
}

impl Planner {
    fn notices(&self) -> &[String] {
        match self {
            Self::Cpu(plan) => plan.notices(),
            Self::Gpu(surface) => surface.notices(),
        }
    }

    fn refine(&mut self, mesh: &SurfaceMesh) -> Result<SurfaceMesh> {
        match self {
            Self::Cpu(plan) => plan.refine(mesh),
            Self::Gpu(surface) => surface.refine(mesh),
        }
    }

    fn vertex_limits(&mut self, mesh: &SurfaceMesh, refined: &SurfaceMesh) -> Result<VertexLimits> {
        match self {
            Self::Cpu(plan) => plan.vertex_limits(mesh, refined),
            Self::Gpu(surface) => surface.vertex_limits(mesh, refined),
        }
    }
}

/// What the console shows while limit points are found.
const EVALUATING: &str = "Evaluating";

pub fn run(arguments: Arguments, console: &Console) -> Result<Outcome> {
    let (model, output) = (&arguments.model, &arguments.output);
    let glb = arguments.glb.options(output)?;
    check_no_input(output, [model.as_path()])?;
    let format = io::check_surface_output(output)?;
    arguments.check(format)?;
    let _starting = start(arguments.backend)?;
    let mut mesh = read_surface(model, arguments.weld, console)?;
    if let Some(nested) = arguments.orient {
        let shells = orient(&mut mesh, nested)?;
        let turned = shells.turned().map_or("no faces".to_owned(), |turned| words(&turned));
        console.status("Turned", turned);
        let warn = |notice| console.warn(format!("{}: {}", model.display(), words(&notice)));
        shells.notices().for_each(warn);
    }
    arguments.set_rules(&mut mesh)?;
    if arguments.limit || arguments.normals {
        check_valences(&mesh)?;
    }
    let options = arguments.options();
    check_memory(&mesh, &options)?;
    check_ids(&mesh, &options)?;
    let gpu = arguments.gpu(&mesh, &options, console)?;
    let start = Instant::now();
    let mut planner = console.during("Planning", || {
        Ok(match gpu {
            Some(gpu) => Planner::Gpu(gpu.refine_surface(&mesh, &options)?),
            None => Planner::Cpu(Box::new(SurfacePlan::new(&mesh, &options)?)),
        })
    })?;
    planner.notices().iter().for_each(|notice| console.warn(notice));
    arguments.warn_of_duplicate_triangles(&mesh, &options, console);
    console.status("Planned", format!("{} in {}", counted(options.levels, "level"), since(start)));
    let start = Instant::now();
    let mut refined = console.during("Refining", || planner.refine(&mesh))?;
    let patches = if arguments.limit || arguments.normals {
        arguments.take_to_limit(&mut refined, &mut planner, &mesh, console)?
    } else {
        None
    };
    if mesh.normals().is_some() && refined.normals().is_none() {
        console.warn(format!(
            "{}: left out the normals, which are those of the control mesh; --normals finds those of the \
             limit",
            model.display()
        ));
    }
    console.status("Refined", format!("{} in {}", counts(&refined), since(start)));
    warn_of_losses(&format.losses(&refined), output, console);
    write(output, &refined, &glb, patches, console)
}

impl Arguments {
    /// Sets the rules that options choose in place of the model's.
    fn set_rules(&self, mesh: &mut SurfaceMesh) -> Result<()> {
        if let Some(name) = self.uv_boundary {
            mesh.set_uv_boundary(name)?;
        }
        if self.smooth_triangles {
            mesh.triangle_rule = TriangleRule::Smooth;
        }
        Ok(())
    }

    /// The GPU to refine on, or none.
    fn gpu(
        &self,
        mesh: &SurfaceMesh,
        options: &SurfaceOptions,
        console: &Console,
    ) -> Result<Option<Box<dyn Backend>>> {
        match (&self.method, self.backend) {
            (Some(MethodName::Adaptive), Choice::Auto | Choice::Cpu) => Ok(None),
            (Some(MethodName::Adaptive), _) => {
                Err(Error::request("--method adaptive does not run on GPUs")
                    .with_help("take --backend cpu, or another method"))
            }
            _ => choose(self.backend, mesh, options, console),
        }
    }

    /// Warns of triangles that make refining in two runs differ from one.
    fn warn_of_duplicate_triangles(
        &self,
        mesh: &SurfaceMesh,
        options: &SurfaceOptions,
        console: &Console,
    ) {
        if options.scheme.split() == Split::FourTriangles
            && options.levels > 0
            && let Some([a, b]) = duplicate_triangles(mesh)
        {
            console.warn(format!(
                "faces {a} and {b} have the same vertices, and a file joins their refined edges: more \
                 levels from {} are not those of one run. Remove one of the two, or ask for all levels \
                 at once",
                self.output.display()
            ));
        }
    }

    /// Moves the vertices of a refined mesh to the limit, and gives it the limit's normals, as
    /// asked for; returns the patches that this took, if it took any.
    fn take_to_limit(
        &self,
        refined: &mut SurfaceMesh,
        planner: &mut Planner,
        mesh: &SurfaceMesh,
        console: &Console,
    ) -> Result<Option<PatchCounts>> {
        let (limits, patches) = match (&self.method, &planner) {
            (Some(MethodName::Adaptive), Planner::Cpu(plan)) => {
                let found =
                    console.during(EVALUATING, || adaptive_limits(plan, mesh, self.normals))?;
                let PatchCounts { regular, irregular } = found.patches;
                console.status(
                    "Isolated",
                    format!("{regular} regular, {}", counted(irregular, "irregular patch")),
                );
                (found.limits, Some(found.patches))
            }
            _ => (console.during(EVALUATING, || planner.vertex_limits(mesh, refined))?, None),
        };
        limits.apply(refined, self.limit, self.normals);
        Ok(patches)
    }
}

/// The GPU to refine on, or none; says which processor was found.
fn choose(
    choice: Choice,
    mesh: &SurfaceMesh,
    options: &SurfaceOptions,
    console: &Console,
) -> Result<Option<Box<dyn Backend>>> {
    let threads = rayon::current_num_threads();
    let processor = Processor::find_for_surface(choice, mesh, options, threads)?;
    let gpu = processor.gpu_backend()?;
    if choice == Choice::Auto {
        tell_gpu(&processor, gpu.as_deref(), console);
    }
    Ok(gpu)
}
