//! The model that most subcommands start from.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use subsolid::cluster::Ranks;
use subsolid::fit::VertexMiss;
use subsolid::io::{ControlMesh, CurvedNode};
use subsolid::jobs::output::warn_of_ignored;
use subsolid::jobs::refine::RefineRequest;
use subsolid::limit::Solid;
use subsolid::mesh::{Creases, SolidMesh};
use subsolid::numbers::{by_count, counted};
use subsolid::refine::crease_by_angle;
use subsolid::scheme::VertexRule;
use subsolid::topology::{InvertedCells, Sharpness, Topology};
use subsolid::{Error, Message, Result, io, message};

use super::console::Console;
use super::inputs::check_no_input;
use super::surface_model::{say_read, say_welded, weld_surface};
use super::unused::refuse_for_solids;
use super::wording::quoted;

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

/// What a subcommand reads that takes solids.
pub const SOLID: &str = "Control mesh of a solid: .vtk, .vtu, .pvtu, MEDIT or MFEM .mesh, Gmsh .msh, \
                         .ovm or Abaqus .inp; - reads standard input";
/// What a subcommand reads that takes surfaces too.
pub const SOLID_OR_SURFACE: &str = "Control mesh of a solid: .vtk, .vtu, .pvtu, MEDIT or MFEM .mesh, \
                                    Gmsh .msh, .ovm or Abaqus .inp; or of a surface: .obj, .ply, \
                                    .off, .stl, .vtp, or a file of faces without volume cells; - \
                                    reads standard input";
/// What a subcommand reads that takes surfaces.
pub const SURFACE: &str = "Control mesh of a surface: .obj, .ply, .off, .stl, .vtp, or a file of faces \
                           without volume cells (.vtu, .vtk, Gmsh .msh and so on); - reads standard \
                           input";

/// What is done about vertices in one place.
#[derive(Clone, Copy)]
enum CoincidentAction {
    Warn,
    /// Joins those within a distance.
    Weld(f64),
    Leave,
}

impl CoincidentAction {
    fn of(weld: Option<f64>) -> Self {
        weld.map_or(Self::Warn, Self::Weld)
    }
}

impl ModelArguments {
    /// A model as its file has it.
    pub fn new(model: PathBuf) -> Self {
        Self { model, creases: None, crease_angle: None, memory: None, strict: false }
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

    /// Reads the model, of a solid or a surface; solids are tagged.
    pub fn open(&self, console: &Console) -> Result<ControlMesh> {
        self.open_with(CoincidentAction::Warn, false, console).map(|(mesh, _)| mesh)
    }

    /// [`ModelArguments::open`], and points of its curved cells.
    pub fn open_curved(&self, console: &Console) -> Result<(ControlMesh, Vec<CurvedNode>)> {
        self.open_with(CoincidentAction::Warn, true, console)
    }

    /// [`ModelArguments::open`] that joins vertices within a distance, if there is one.
    pub fn open_welded(&self, weld: Option<f64>, console: &Console) -> Result<ControlMesh> {
        self.open_with(CoincidentAction::of(weld), false, console).map(|(mesh, _)| mesh)
    }

    /// Reads the model of cells or polygons that are shown as they are, whose vertices need not be
    /// joined.
    pub fn open_unjoined(&self, console: &Console) -> Result<ControlMesh> {
        self.open_with(CoincidentAction::Leave, false, console).map(|(mesh, _)| mesh)
    }

    fn open_with(
        &self,
        coincident: CoincidentAction,
        takes_nodes: bool,
        console: &Console,
    ) -> Result<(ControlMesh, Vec<CurvedNode>)> {
        self.check_creases()?;
        let start = Instant::now();
        let options = self.read_options()?;
        match console.during("Reading", || io::read_mesh(&self.model, options))? {
            (ControlMesh::Solid(mesh), mut report) => {
                let nodes = if takes_nodes { report.take_nodes() } else { Vec::new() };
                let mesh = self.take(mesh, &report, start, coincident, console)?;
                Ok((ControlMesh::Solid(mesh), nodes))
            }
            (ControlMesh::Surface(mut mesh), report) => {
                say_read(&mesh, &report, &self.model, start, console);
                match coincident {
                    CoincidentAction::Leave => {}
                    CoincidentAction::Warn => weld_surface(&mut mesh, None, &self.model, console)?,
                    CoincidentAction::Weld(d) => {
                        weld_surface(&mut mesh, Some(d), &self.model, console)?
                    }
                }
                Ok((ControlMesh::Surface(mesh), Vec::new()))
            }
        }
    }

    fn read_options(&self) -> Result<io::ReadOptions> {
        io::ReadOptions::of_memory(self.memory)
    }

    /// Reads the model and tags it; warns of vertices in one place.
    pub fn read(&self, console: &Console) -> Result<SolidMesh> {
        self.read_with(CoincidentAction::Warn, console)
    }

    /// Reads the model, joins its vertices within a distance, if there is one, and tags it.
    pub fn read_welded(&self, weld: Option<f64>, console: &Console) -> Result<SolidMesh> {
        self.read_with(CoincidentAction::of(weld), console)
    }

    fn read_with(&self, coincident: CoincidentAction, console: &Console) -> Result<SolidMesh> {
        self.check_creases()?;
        let start = Instant::now();
        let options = self.read_options()?;
        let (mesh, report) =
            console.during("Reading", || io::read_with_options(&self.model, options))?;
        self.take(mesh, &report, start, coincident, console)
    }

    /// Tags a mesh that was read from `start` on, and says what there is to say of it.
    fn take(
        &self,
        mut mesh: SolidMesh,
        report: &io::ReadReport,
        start: Instant,
        coincident: CoincidentAction,
        console: &Console,
    ) -> Result<SolidMesh> {
        let model = self.model.display();
        console.read(&model, mesh.counts(), start);
        if let Some(left_out) = report.left_out() {
            console.warn(format!("{model}: left out: {left_out}"));
        }
        if let Some(notice) = mesh.unused_vertices().notice() {
            console.warn(notice);
        }
        if let Some(path) = &self.creases {
            mesh.creases = self.read_creases(path, console)?.or(&mesh.creases);
        }
        match coincident {
            CoincidentAction::Weld(distance) => {
                let welded = mesh.weld(distance)?;
                say_welded(&welded, mesh.points.len(), console);
            }
            CoincidentAction::Warn => self.warn_of_coincident(&mesh, console),
            CoincidentAction::Leave => {}
        }
        if self.creases.is_some() {
            // some jobs write the mesh and never ask for its edges
            let topology = Topology::build(mesh.cells.clone(), mesh.points.len())?;
            Sharpness::resolve(&mesh.creases, &topology)?;
        }
        if let Some(degrees) = self.crease_angle {
            let count = crease_by_angle(&mut mesh, degrees)?;
            let turn = by_count(count, "turns", "turn");
            let edges = counted(count, "edge");
            console.status("Creased", format!("{edges} that {turn} by more than {degrees}°"));
        }
        mesh.creases.drop_smooth();
        Ok(mesh)
    }

    /// The table of creases, and a warning of columns that are not read.
    fn read_creases(&self, path: &Path, console: &Console) -> Result<Creases> {
        let table = io::read_creases(path)?;
        warn_of_ignored(path, &table.ignored, &mut console.notes());
        Ok(table.creases)
    }

    /// Warns of vertices in one place.
    fn warn_of_coincident(&self, mesh: &SolidMesh, console: &Console) {
        let found = mesh.coincident_vertices();
        let Some([a, b]) = found.first else { return };
        let (model, quoted) = (self.model.display(), quoted(&self.model));
        console.warn(format!(
            "{model}: {} {} exactly where another vertex lies (the first: vertices {a} and {b}). \
             Cells are joined by shared vertex ids alone, so the solid is split there. Unless that is \
             intended, join them: `subsolid refine {quoted} --levels 0 --weld -o joined.vtu` \
             (`--weld=1e-9` also joins vertices that lie within that distance of one another, such as \
             those of rotated copies)",
            counted(found.count, "vertex"),
            by_count(found.count, "lies", "lie")
        ));
    }

    /// Warns of left-handed hexahedra and, unless `fit` made the model, of folded ones; refuses them
    /// with `--strict`.
    pub fn check_hexahedra(&self, mesh: &SolidMesh, console: &Console) -> Result<()> {
        let handedness = mesh.handedness();
        let help = "list the corners as VTK does, or let `subsolid refine --reorient` do it";
        self.found(handedness.notice(), help, console)?;
        if mesh.is_fitted {
            // `fit` has looked at the limit, which counts: its control cells may fold
            return Ok(());
        }
        let help = "move their vertices, or let `subsolid untangle` do it";
        self.found(mesh.folded_corners(&handedness).notice(), help, console)
    }

    /// Warns of the inverted cells that a topology turned outward; refuses them with `--strict`.
    pub fn check_turned(&self, topology: &Topology, console: &Console) -> Result<()> {
        let notice = InvertedCells::of(topology).notice(topology.cell_count());
        self.found(notice, "move their vertices", console)
    }

    /// Both for a mesh whose topology the job has no need of, or may refuse later.
    pub fn check_cells(&self, mesh: &SolidMesh, console: &Console) -> Result<()> {
        self.check_hexahedra(mesh, console)?;
        if mesh.cells.all_hexahedra() {
            return Ok(());
        }
        Topology::of_mesh(mesh).map_or(Ok(()), |topology| self.check_turned(&topology, console))
    }

    /// Warns of defects found; refuses them with `--strict`.
    fn found(&self, notice: Option<Message>, help: &str, console: &Console) -> Result<()> {
        let Some(notice) = notice else { return Ok(()) };
        let notice = message!(self.model.display().to_string(), ": ", notice);
        if self.strict {
            return Err(Error::mesh(notice).with_help(help));
        }
        console.warn(notice);
        Ok(())
    }

    /// Refuses what ranks, which all read the model, cannot read.
    pub fn check_ranks(&self, ranks: Option<&Ranks<'_>>) -> Result<()> {
        let inputs = [Some(self.model.as_path()), self.creases.as_deref()];
        if ranks.is_none() || !inputs.contains(&Some(Path::new("-"))) {
            return Ok(());
        }
        Err(Error::request("ranks all read the model, and standard input is that of one")
            .with_help("write the model and its tables to files"))
    }

    /// Checks that `output` can be written and is none of the inputs.
    pub fn check_output(&self, output: &Path, others: &[&Path]) -> Result<io::Format> {
        self.check_no_input(output, others)?;
        io::check_output(output)
    }

    fn check_creases(&self) -> Result<()> {
        self.creases.as_deref().map_or(Ok(()), |table| self.check_table(table))
    }

    /// Refuses options of solids, and an output that no surface can be written to.
    pub fn surface_output(&self, output: &Path) -> Result<io::SurfaceFormat> {
        refuse_for_solids(&[
            (self.creases.is_some(), "--creases"),
            (self.crease_angle.is_some(), "--crease-angle"),
            (self.strict, "--strict"),
        ])?;
        check_no_input(output, [self.model.as_path()])?;
        io::check_surface_output(output)
    }

    /// Checks that the model and a table are not both standard input.
    pub fn check_table(&self, table: &Path) -> Result<()> {
        if table != Path::new("-") || self.model != table {
            return Ok(());
        }
        Err(Error::request("the model and the table are both standard input, `-`")
            .with_help("write one of them to a file"))
    }

    /// Checks that `output` replaces none of the inputs.
    pub fn check_no_input(&self, output: &Path, others: &[&Path]) -> Result<()> {
        let own = [self.model.as_path()].into_iter().chain(self.creases.as_deref());
        check_no_input(output, own.chain(others.iter().copied()))
    }
}
