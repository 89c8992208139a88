//! Reads a model and says what there is to say of it.

use std::path::Path;
use std::time::Instant;

use subsolid::io::{ControlMesh, CurvedNode};
use subsolid::jobs::output::warn_of_ignored;
use subsolid::mesh::{Creases, SolidMesh};
use subsolid::numbers::{by_count, counted};
use subsolid::refine::crease_by_angle;
use subsolid::topology::{Sharpness, Topology};
use subsolid::{Result, io};

use super::ModelArguments;
use crate::cli::console::Console;
use crate::cli::surface_model::{
    named_features, say_creased, say_read, say_welded, take_surface, weld_surface,
};
use crate::cli::wording::quoted;

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
                let mesh = self.take(mesh, &mut report, start, coincident, console)?;
                Ok((ControlMesh::Solid(mesh), nodes))
            }
            (ControlMesh::Surface(mut mesh), report) => {
                let from = (&*self.model, &*self.creases_from);
                take_surface(&mut mesh, report, from, start, console)?;
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
        let (mesh, mut report) =
            console.during("Reading", || io::read_with_options(&self.model, options))?;
        self.take(mesh, &mut report, start, coincident, console)
    }

    /// Tags a mesh that was read from `start` on, and says what there is to say of it.
    fn take(
        &self,
        mut mesh: SolidMesh,
        report: &mut io::ReadReport,
        start: Instant,
        coincident: CoincidentAction,
        console: &Console,
    ) -> Result<SolidMesh> {
        let features = named_features(report, &self.creases_from)?;
        say_read(mesh.counts(), report, &self.model, start, console);
        if let Some(notice) = mesh.unused_vertices().notice() {
            console.warn(notice);
        }
        if let Some(group) = &self.ghosts {
            mesh.set_ghost_group(group)?;
        }
        if let Some(path) = &self.creases {
            mesh.creases = self.read_creases(path, console)?.or(&mesh.creases);
        }
        say_creased(mesh.crease_features(&features), &self.model, console);
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
        self.crease(&mut mesh, console)?;
        mesh.creases.drop_smooth();
        Ok(mesh)
    }

    /// Tags edges of a mesh by their angle, if asked for.
    pub fn crease(&self, mesh: &mut SolidMesh, console: &Console) -> Result<()> {
        if let Some(degrees) = self.crease_angle {
            let count = crease_by_angle(mesh, degrees)?;
            let turn = by_count(count, "turns", "turn");
            let edges = counted(count, "edge");
            console.status("Creased", format!("{edges} that {turn} by more than {degrees}°"));
        }
        Ok(())
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
}
