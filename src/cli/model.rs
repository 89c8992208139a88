//! The model that most subcommands start from.

use std::borrow::Borrow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use subsolid::io::ControlMesh;
use subsolid::mesh::{
    CellArray, CoincidentVertices, Creases, FoldedCorners, Handedness, SolidMesh, Welded,
};
use subsolid::numbers::counted;
use subsolid::parts::Inverted;
use subsolid::refine::{check_memory, crease_by_angle, refine_mesh};
use subsolid::scheme::VertexRule;
use subsolid::topology::{Sharpness, Topology};
use subsolid::{ElementKind, Error, Result, io, message};

use super::console::{Console, since};
use super::inputs::check_no_input;
use super::surface_model::{refuse, warn_of_skipped, warn_of_surface};

#[derive(Args)]
pub struct ModelArguments {
    /// Control mesh: .vtk, .vtu, .pvtu, MEDIT or MFEM .mesh, Gmsh .msh, .ovm or Abaqus .inp;
    /// surfaces (.obj, .ply, .off, .stl, .vtp, and the faces of a file without volume cells) for
    /// slice, view, distance, smooth and info
    pub model: PathBuf,
    /// Table of creases and corners: CSV with the header kind,v0,v1,sharpness and rows
    /// edge,0,1,inf and corner,26,,1.5; they take precedence over those of the model and of
    /// --crease-angle (sharpness 0 makes an edge or corner smooth)
    #[arg(long, value_name = "FILE")]
    pub creases: Option<PathBuf>,
    /// Tag boundary edges as sharp where the normals of their faces differ by more than this angle,
    /// in degrees, 0 to 180
    #[arg(long, value_name = "DEG", allow_hyphen_values = true)]
    pub crease_angle: Option<f64>,
    /// Maximum size of the decompressed arrays and the structured grids of the model, in GB
    /// [default: half of the machine's memory]
    #[arg(long, value_name = "GB", allow_hyphen_values = true)]
    pub memory: Option<f64>,
    /// Refuse left-handed and folded hexahedra, inverted cells of other kinds, and (slice)
    /// inward-facing surfaces, instead of warning about them
    #[arg(long)]
    pub strict: bool,
}

/// What is done about vertices in one place.
#[derive(Clone, Copy)]
enum Coincident {
    Warn,
    /// Joins those within a distance.
    Weld(f64),
    Leave,
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

    /// Checks the cells of a solid that was read and refines it `levels` times.
    pub fn prepare(
        &self,
        mesh: SolidMesh,
        levels: usize,
        rule: VertexRule,
        console: &Console,
    ) -> Result<SolidMesh> {
        self.check_cells(&mesh, console)?;
        refined(mesh, levels, rule, console)
    }

    /// Reads the model, of a solid or a surface; solids are tagged.
    pub fn open(&self, console: &Console) -> Result<ControlMesh> {
        self.open_with(Coincident::Warn, console)
    }

    /// The same of cells or polygons that are shown as they are, whose vertices need not be joined.
    pub fn open_unjoined(&self, console: &Console) -> Result<ControlMesh> {
        self.open_with(Coincident::Leave, console)
    }

    fn open_with(&self, coincident: Coincident, console: &Console) -> Result<ControlMesh> {
        self.check_creases()?;
        let start = Instant::now();
        match io::read_mesh(&self.model, self.read_options()?)? {
            (ControlMesh::Solid(mesh), report) => {
                let mesh = self.take(mesh, &report, start, coincident, console)?;
                Ok(ControlMesh::Solid(mesh))
            }
            (ControlMesh::Surface(mesh), report) => {
                match coincident {
                    Coincident::Leave => warn_of_skipped(&report, &self.model, console),
                    _ => warn_of_surface(&mesh, &report, &self.model, console),
                }
                Ok(ControlMesh::Surface(mesh))
            }
        }
    }

    fn read_options(&self) -> Result<io::ReadOptions> {
        let Some(gigabytes) = self.memory else { return Ok(io::ReadOptions::default()) };
        if !(gigabytes.is_finite() && gigabytes > 0.0) {
            return Err(Error::request(format!("--memory {gigabytes}"))
                .with_help("give a positive number of GB"));
        }
        Ok(io::ReadOptions { most_unpacked: (gigabytes * 1e9) as u64 })
    }

    /// Reads the model and tags it; warns of vertices in one place.
    pub fn read(&self, console: &Console) -> Result<SolidMesh> {
        self.read_with(Coincident::Warn, console)
    }

    /// Reads the model, joins its vertices within a distance, and tags it.
    pub fn read_welded(&self, distance: f64, console: &Console) -> Result<SolidMesh> {
        self.read_with(Coincident::Weld(distance), console)
    }

    fn read_with(&self, coincident: Coincident, console: &Console) -> Result<SolidMesh> {
        self.check_creases()?;
        let start = Instant::now();
        let (mesh, report) = io::read_with_options(&self.model, self.read_options()?)?;
        self.take(mesh, &report, start, coincident, console)
    }

    /// Tags a mesh that was read from `start` on, and says what there is to say of it.
    fn take(
        &self,
        mut mesh: SolidMesh,
        report: &io::ReadReport,
        start: Instant,
        coincident: Coincident,
        console: &Console,
    ) -> Result<SolidMesh> {
        self.say_read([mesh.points.len(), mesh.cells.len()], report, start, console);
        let (orphans, first) = orphans(&mesh);
        warn_of_orphans(orphans, first, console);
        if let Some(path) = &self.creases {
            mesh.creases = merged(self.read_creases(path, console)?, &mesh.creases);
        }
        match coincident {
            Coincident::Weld(distance) => {
                let welded = mesh.weld(distance)?;
                say_welded(&welded, mesh.points.len(), console);
            }
            Coincident::Warn => self.warn_of_coincident(mesh.coincident_vertices(), console),
            Coincident::Leave => {}
        }
        if self.creases.is_some() {
            // some jobs write the mesh and never ask for its edges
            let topology = Topology::build(mesh.cells.clone(), mesh.points.len())?;
            Sharpness::resolve(&mesh.creases, &topology)?;
        }
        if let Some(degrees) = self.crease_angle {
            let count = crease_by_angle(&mut mesh, degrees)?;
            console.status("Creased", format!("{count} edges that turn by more than {degrees}°"));
        }
        mesh.creases.drop_smooth();
        Ok(mesh)
    }

    /// The table of creases, and a warning of columns that are not read.
    pub fn read_creases(&self, path: &Path, console: &Console) -> Result<Creases> {
        let table = io::read_creases(path)?;
        warn_of_ignored(path, &table.ignored, console);
        Ok(table.creases)
    }

    /// Says what was read, and what of the file was not.
    pub fn say_read(
        &self,
        [vertices, cells]: [usize; 2],
        report: &io::ReadReport,
        start: Instant,
        console: &Console,
    ) {
        let (vertices, cells) = (counted(vertices, "vertex"), counted(cells, "cell"));
        let model = self.model.display();
        console.status("Read", format!("{model}: {vertices}, {cells} in {}", since(start)));
        if let Some(left_out) = report.left_out() {
            console.warn(format!("{model}: left out: {left_out}"));
        }
    }

    /// Warns of vertices in one place.
    pub fn warn_of_coincident(&self, found: CoincidentVertices, console: &Console) {
        let Some([a, b]) = found.first else { return };
        let model = self.model.display();
        console.warn(format!(
            "{model}: {} lie exactly where another vertex lies (the first: vertices {a} and {b}). \
             Cells are joined by shared vertex ids alone, so the solid is split there. Unless that is \
             intended, join them: subsolid refine {model} --levels 0 --weld -o joined.vtu",
            counted(found.count, "vertex")
        ));
    }

    /// Warns of left-handed and folded hexahedra and of inverted other cells; refuses them with
    /// `--strict`.
    pub fn check_cells(&self, mesh: &SolidMesh, console: &Console) -> Result<()> {
        let handedness = mesh.handedness();
        self.check_found(&handedness, &mesh.folded_corners(&handedness), console)?;
        if mesh.cells.all_hexahedra() {
            return Ok(());
        }
        // what is wrong with the cells the job itself says
        let topology = Topology::of_mesh(mesh).ok();
        let inverted = topology.as_ref().map_or(&[][..], Topology::inverted_cells);
        let inverted = Inverted { count: inverted.len(), first: inverted.first().copied() };
        self.check_inverted(inverted, mesh.cells.len(), console)
    }

    /// Warns of these hexahedra; refuses them with `--strict`.
    pub fn check_found(
        &self,
        handedness: &Handedness,
        corners: &FoldedCorners,
        console: &Console,
    ) -> Result<()> {
        let found = [
            (handedness.notice(), "list the corners as VTK does, or let refine --reorient do it"),
            (corners.notice(), "move their vertices, or let subsolid untangle do it"),
        ];
        for (found, help) in found {
            let Some(found) = found else { continue };
            let found = message!(self.model.display().to_string(), ": ", found);
            if self.strict {
                return Err(Error::mesh(found).with_help(help));
            }
            console.warn(found);
        }
        Ok(())
    }

    /// Warns of these cells of all; refuses them with `--strict`.
    pub fn check_inverted(&self, found: Inverted, cells: usize, console: &Console) -> Result<()> {
        let Inverted { count, first: Some(first) } = found else { return Ok(()) };
        let cells = counted(cells, "cell");
        let are = if count == 1 { "is" } else { "are" };
        let found = message!(
            self.model.display().to_string(),
            ": ",
            count.to_string(),
            " of {cells} {are} inverted (first: ",
            ElementKind::Cell.id(first),
            ")"
        );
        if self.strict {
            return Err(Error::mesh(found).with_help("move their vertices"));
        }
        console.warn(found);
        Ok(())
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
    pub fn surface_output(&self, output: &Path, levels: usize) -> Result<io::SurfaceFormat> {
        refuse(&[
            (levels > 0, "--levels"),
            (self.creases.is_some(), "--creases"),
            (self.crease_angle.is_some(), "--crease-angle"),
            (self.memory.is_some(), "--memory"),
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

/// The mesh refined `levels` times, unless its limit could then not be evaluated.
pub fn refined(
    mesh: SolidMesh,
    levels: usize,
    rule: VertexRule,
    console: &Console,
) -> Result<SolidMesh> {
    mesh.creases.check_evaluable(levels)?;
    if levels == 0 {
        return Ok(mesh);
    }
    check_memory(&mesh, levels)?;
    let start = Instant::now();
    let mesh = refine_mesh(&mesh, levels, rule)?;
    let counts =
        format!("{}, {}", counted(mesh.points.len(), "vertex"), counted(mesh.cells.len(), "cell"));
    let times = counted(levels, "time");
    console.status("Refined", format!("{times}: {counts} in {}", since(start)));
    Ok(mesh)
}

/// Whether an output can be a table alone: standard output is one if its name says nothing else.
pub fn takes_table(output: &Path, format: io::Format) -> bool {
    format == io::Format::Csv || output == Path::new("-")
}

/// Refuses attributes that the format of the output does not keep apart.
pub fn check_names(format: io::Format, mesh: &SolidMesh) -> Result<()> {
    if format == io::Format::Csv {
        io::check_table_attributes(&mesh.attributes)?;
    }
    io::check_names(format, mesh.attributes.iter().map(|attribute| attribute.name.as_str()))?;
    io::check_names(format, mesh.cell_data.iter().map(|array| array.name.as_str()))
}

/// Names the cell arrays whose names are those of the output's own arrays.
pub fn warn_left_out(names: &[&str], console: &Console) {
    if !names.is_empty() {
        console.warn(format!(
            "cell arrays {} are left out: the output's own arrays have these names; rename them",
            names.join(", ")
        ));
    }
}

/// Names the groups of faces that an output has no place for, and the arrays of cells where
/// `keeps_cell_arrays` is false.
pub fn warn_of_lost_data(
    mesh: &SolidMesh,
    keeps_cell_arrays: bool,
    output: &Path,
    console: &Console,
) {
    let of_faces = mesh.face_groups.iter().map(|group| group.name.as_str()).collect();
    let lost = if keeps_cell_arrays { &[] } else { mesh.cell_data.as_slice() };
    let of_cells: Vec<&str> = lost.iter().filter_map(CellArray::group_name).collect();
    let arrays = lost.iter().filter(|array| array.group_name().is_none());
    let arrays = arrays.map(|array| array.name.as_str()).collect();
    for (kind, names) in
        [("groups of faces", of_faces), ("groups of cells", of_cells), ("arrays of cells", arrays)]
    {
        if !names.is_empty() {
            let names = names.join(", ");
            console.warn(format!("{}: left out the {kind} {names}", output.display()));
        }
    }
}

/// Refuses `--compress` where the format of the output takes none.
pub fn check_compress(compress: bool, format: io::Format) -> Result<()> {
    if compress && matches!(format, io::Format::Vtk | io::Format::Csv) {
        let ending = format.extension();
        return Err(Error::request(format!("a .{ending} file is not compressed")).with_help(
            "leave --compress out, or end the name of the output in .vtu, .pvtu or .npz",
        ));
    }
    Ok(())
}

/// Says that a table of points holds no cells, nor the creases, of `mesh`.
pub fn warn_of_table(format: io::Format, output: &Path, mesh: &SolidMesh, console: &Console) {
    if format == io::Format::Csv {
        let SolidMesh { cells, creases, .. } = mesh;
        let all = [
            (cells.len(), "cell"),
            (creases.edges.len(), "crease"),
            (creases.corners.len(), "corner"),
        ];
        let lost = all.iter().filter(|(count, _)| *count > 0);
        let lost: Vec<String> = lost.map(|&(count, what)| counted(count, what)).collect();
        console.warn(format!("{}: left out {}", output.display(), lost.join(", ")));
        warn_of_lost_data(mesh, false, output, console);
    }
}

/// Names the columns of a table that are not read.
pub fn warn_of_ignored<S: Borrow<str>>(table: &Path, ignored: &[S], console: &Console) {
    if !ignored.is_empty() {
        let names = ignored.join(", ");
        console.warn(format!("{}: the columns {names} are not read", table.display()));
    }
}

/// Says what joining vertices did, of which so many are left.
pub fn say_welded(welded: &Welded, left: usize, console: &Console) {
    let (removed, left) = (counted(welded.removed, "vertex"), counted(left, "vertex"));
    console.status("Joined", format!("{removed} to others: {left} left"));
    welded.notices().into_iter().for_each(|notice| console.warn(notice));
}

/// Number of vertices that belong to no cell, and the first of them.
fn orphans(mesh: &SolidMesh) -> (usize, Option<u32>) {
    let mut used = vec![false; mesh.points.len()];
    for c in 0..mesh.cells.len() {
        for &v in mesh.cells.vertices(c) {
            if let Some(slot) = used.get_mut(v as usize) {
                *slot = true;
            }
        }
    }
    let mut orphans = (0..).zip(&used).filter(|(_, used)| !**used).map(|(v, _)| v);
    let first = orphans.next();
    (usize::from(first.is_some()) + orphans.count(), first)
}

/// Warns of so many vertices that belong to no cell.
pub fn warn_of_orphans(count: usize, first: Option<u32>, console: &Console) {
    if let Some(first) = first {
        let belong = if count == 1 { "belongs" } else { "belong" };
        let orphans = counted(count, "vertex");
        console.warn(format!("{orphans} {belong} to no cell (the first: vertex {first})"));
    }
}

/// The creases of a table, and those of the model that the table does not name.
pub fn merged(mut table: Creases, model: &Creases) -> Creases {
    let mut edges: Vec<_> = table.edges.iter().map(|crease| crease.edge).collect();
    let mut corners: Vec<_> = table.corners.iter().map(|corner| corner.vertex).collect();
    edges.sort_unstable();
    corners.sort_unstable();
    let new_edge = |edge| edges.binary_search(edge).is_err();
    let new_corner = |vertex| corners.binary_search(vertex).is_err();
    table.edges.extend(model.edges.iter().filter(|crease| new_edge(&crease.edge)));
    table.corners.extend(model.corners.iter().filter(|corner| new_corner(&corner.vertex)));
    table
}
