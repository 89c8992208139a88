//! The model that most subcommands start from.

mod checks;
mod reading;

use std::path::PathBuf;

use clap::Args;
use subsolid::Result;
use subsolid::fit::VertexMiss;
use subsolid::jobs::refine::RefineRequest;
use subsolid::limit::Solid;
use subsolid::mesh::{CreaseSource, SolidMesh};
use subsolid::scheme::VertexRule;
use subsolid::topology::Topology;

use super::console::Console;
use super::list::List;

#[derive(Args)]
pub struct ModelArguments {
    #[arg(help = SOLID)]
    pub model: PathBuf,
    /// Table of creases and corners: CSV with the header kind,v0,v1,sharpness and rows
    /// edge,0,1,inf and corner,26,,1.5; they take precedence over those of the model and of
    /// --crease-angle. Sharpness 0 makes an edge or corner smooth. Write inf for sharp at all
    /// levels: only OpenSubdiv and .obj treat 10 as infinite. - reads standard input
    #[arg(long, value_name = "FILE")]
    pub creases: Option<PathBuf>,
    /// Tag boundary edges as sharp where the normals of their faces differ by more than this angle,
    /// in degrees, 0 to 180
    #[arg(long, value_name = "DEG", allow_hyphen_values = true)]
    pub crease_angle: Option<f64>,
    /// Group of cells that are ghosts: they shape the limit of the cells beside them and are no part
    /// of the solid; in place of those of the model's cell array vtkGhostType
    #[arg(long, value_name = "GROUP")]
    pub ghosts: Option<String>,
    #[arg(long, value_name = "NAME[=SHARPNESS],…", help = CREASES_FROM)]
    pub creases_from: Vec<List<CreaseSource>>,
    /// Maximum memory for reading: for the decompressed arrays with their numbers and structured
    /// grids of the model, in GB
    /// [default: half of the machine's memory]
    #[arg(long, value_name = "GB", allow_hyphen_values = true)]
    pub memory: Option<f64>,
    /// Refuse left-handed and folded hexahedra and inverted cells of other kinds instead of warning
    /// about them
    #[arg(long)]
    pub strict: bool,
}

/// Which creases a file's own curves and points make.
pub const CREASES_FROM: &str = "Curves and points of the file that become creases and corners: Ridges, \
                                Corners and RequiredEdges of MEDIT, physical curves and points of \
                                Gmsh, properties of edges of .ovm, edge blocks of Exodus; sharp at all \
                                levels unless a sharpness is given. Rows of --creases take precedence";
/// What a subcommand reads that takes solids.
pub const SOLID: &str = "Control mesh of a solid: .vtk, .vtu, .pvtu, MEDIT or MFEM .mesh, Gmsh .msh, \
                         .ovm, Abaqus or AVS .inp, Exodus .exo, .unv, splines of G+Smo .xml or splinepy \
                         .json, or a case of OpenFOAM; - reads standard input";
/// What a subcommand reads that takes surfaces too.
pub const SOLID_OR_SURFACE: &str = "Control mesh of a solid: .vtk, .vtu, .pvtu, MEDIT or MFEM .mesh, \
                                    Gmsh .msh, .ovm, Abaqus or AVS .inp, Exodus .exo, .unv, splines \
                                    of G+Smo .xml or splinepy .json, or a case of OpenFOAM; or of a \
                                    surface: .obj, .ply, .off, .stl, .3mf, .vtp, or a file of \
                                    faces without volume cells; - reads standard input";
/// What a subcommand reads that takes surfaces.
pub const SURFACE: &str = "Control mesh of a surface: .obj, .ply, .off, .stl, .3mf, .vtp, or a file of faces \
                           without volume cells (.vtu, .vtk, Gmsh .msh and so on); - reads standard \
                           input";

impl ModelArguments {
    /// A model as its file has it.
    pub fn new(model: PathBuf) -> Self {
        let creases_from = Vec::new();
        Self {
            model,
            creases: None,
            crease_angle: None,
            creases_from,
            ghosts: None,
            memory: None,
            strict: false,
        }
    }

    /// Reads the model, tags it and refines it `levels` times.
    pub fn load(&self, levels: usize, rule: VertexRule, console: &Console) -> Result<SolidMesh> {
        let mesh = self.read(console)?;
        self.prepare(mesh, levels, rule, console)
    }

    /// Checks the hexahedra of a solid that was read and refines it `levels` times. Other cells
    /// that are left, [`ModelArguments::topology`] checks.
    pub fn prepare(
        &self,
        mesh: SolidMesh,
        levels: usize,
        rule: VertexRule,
        console: &Console,
    ) -> Result<SolidMesh> {
        self.check_hexahedra(&mesh, console)?;
        self.refined(mesh, levels, rule, console)
    }

    /// The mesh refined `levels` times, unless its limit could then not be evaluated.
    pub fn refined(
        &self,
        mesh: SolidMesh,
        levels: usize,
        rule: VertexRule,
        console: &Console,
    ) -> Result<SolidMesh> {
        let request = RefineRequest { levels, vertex_rule: rule, ..RefineRequest::default() };
        request.check(&mesh)?;
        if levels == 0 {
            return Ok(mesh);
        }
        let topology = self.topology(&mesh, console)?;
        request.run(&mesh, topology, &mut console.notes())
    }

    /// The topology of a mesh that the job goes on with; checks the cells that it turns outward.
    pub fn topology(&self, mesh: &SolidMesh, console: &Console) -> Result<Topology> {
        let topology = Topology::of_mesh(mesh)?;
        self.check_turned(&topology, console)?;
        Ok(topology)
    }

    /// What evaluation needs to know of a mesh; checks the cells that it turns outward.
    pub fn analyze(&self, mesh: &SolidMesh, console: &Console) -> Result<Solid> {
        let topology = self.topology(mesh, console)?;
        console.during("Analyzing", || Solid::with_topology(mesh, topology))
    }

    /// Says that the limit of a mesh is far from its vertices, unless it is of refined ones.
    pub fn hint(&self, mesh: &SolidMesh, solid: &Solid, levels: usize, console: &Console) {
        if levels == 0 && !mesh.is_fitted {
            console.hint(|| VertexMiss::new(mesh, solid.topology()).ok()?.notice(mesh));
        }
    }
}
