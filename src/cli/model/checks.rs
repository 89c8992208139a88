//! Checks of a model, and of files beside it.

use std::path::{Path, PathBuf};

use subsolid::cluster::Ranks;
use subsolid::io::MeshFormat;
use subsolid::mesh::SolidMesh;
use subsolid::topology::{InvertedCells, Topology};
use subsolid::{Error, Message, Result, io, message};

use super::ModelArguments;
use crate::cli::console::Console;
use crate::cli::inputs::check_no_input;
use crate::cli::unused::refuse_for_solids;

impl ModelArguments {
    /// Warns of left-handed and folded hexahedra, unless `fit` made the model; refuses them with
    /// `--strict`.
    pub fn check_hexahedra(&self, mesh: &SolidMesh, console: &Console) -> Result<()> {
        let [left_handed, folded] = mesh.hexahedron_notices();
        let help = "list the corners as VTK does, or let `subsolid refine --reorient` do it";
        self.found(left_handed, help, console)?;
        let help = "move their vertices, or let `subsolid untangle` do it";
        self.found(folded, help, console)
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
    pub fn check_output(
        &self,
        output: &Path,
        format: Option<MeshFormat>,
        others: &[&Path],
    ) -> Result<io::Format> {
        self.check_no_input(output, others)?;
        io::check_output_as(output, format)
    }

    pub(super) fn check_creases(&self) -> Result<()> {
        self.creases.as_deref().map_or(Ok(()), |table| self.check_table(table))
    }

    /// The options that surfaces do not have, and whether each is given.
    pub fn of_solids(&self) -> [(bool, &'static str); 4] {
        [
            (self.creases.is_some(), "--creases"),
            (self.crease_angle.is_some(), "--crease-angle"),
            (self.ghosts.is_some(), "--ghosts"),
            (self.strict, "--strict"),
        ]
    }

    /// Refuses options of solids, and an output that no surface can be written to.
    pub fn surface_output(&self, output: &Path) -> Result<io::SurfaceFormat> {
        refuse_for_solids(&self.of_solids())?;
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

    /// Checks that outputs replace none of the inputs, of which there are more.
    pub fn check_no_inputs<'a>(
        &self,
        mut outputs: impl Iterator<Item = &'a Path>,
        others: &[PathBuf],
    ) -> Result<()> {
        let others: Vec<&Path> = others.iter().map(PathBuf::as_path).collect();
        outputs.try_for_each(|output| self.check_no_input(output, &others))
    }

    /// Checks that `output` replaces none of the inputs.
    pub fn check_no_input(&self, output: &Path, others: &[&Path]) -> Result<()> {
        let own = [self.model.as_path()].into_iter().chain(self.creases.as_deref());
        check_no_input(output, own.chain(others.iter().copied()))
    }
}
