//! Which options go together, what outputs hold, and what the mesh must have.

use std::path::Path;

use super::super::Notes;
use super::super::output::{check_ending, check_mesh_names, warn_of_losses, warn_of_lost_data};
use super::request::{EvaluateRequest, LimitCells, SampleRequest, unused, wrong};
use crate::error::{Message, Result, option, option_name};
use crate::io::{self, Format, MeshFormat};
use crate::mesh::SolidMesh;
use crate::numbers::Precision;
use crate::plan::{MAX_SAMPLES, Samples, Strategy, Want};
use crate::volume::MAX_ORDER;

/// The same samples in every cell, and what is made of them.
pub(super) struct SampleGrid {
    pub(super) samples: Samples,
    pub(super) cells: LimitCells,
    // whether elements share points
    pub(super) is_welded: bool,
    // of the output, if there is one
    pub(super) format: Option<Format>,
}

impl SampleGrid {
    /// Results at `elements` elements.
    pub(super) fn results(&self, elements: usize) -> usize {
        self.samples.per_element() * elements
    }
}

impl EvaluateRequest {
    /// Checks the options by themselves, and the output; says what has no effect.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) for numbers out of range, for options that exclude one another or have no
    /// effect, and for other outputs; what the system refuses.
    pub fn check(&self, notes: &mut dyn Notes) -> Result<()> {
        let nodes = self.grid()?.filter(|grid| grid.cells.has_order());
        let nodes = nodes.map(|grid| self.nodes(grid.cells));
        if let (Some(nodes), Some(samples)) = (nodes, self.places.samples)
            && nodes != samples
        {
            let why = format!("these cells have {nodes} nodes along each axis: ");
            notes.warn(message!(why, option_name("samples"), " is ignored"));
        }
        Ok(())
    }

    /// Whether the boundary is written, for viewers: a `.glb`.
    pub fn is_of_boundary(&self) -> bool {
        self.output.as_deref().is_some_and(io::is_glb)
    }

    /// Refuses what is asked of attributes where there are none, and names that the output does not
    /// hold; warns where results of the mesh, refined `levels` times, are not what they seem. Not
    /// for the boundary.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request).
    pub fn check_mesh(&self, mesh: &SolidMesh, levels: usize, notes: &mut dyn Notes) -> Result<()> {
        let of_attributes = [
            (self.quantities.gradients, "gradients"),
            (self.quantities.attribute_derivatives, "attribute_derivatives"),
        ];
        let asked = of_attributes.into_iter().find(|(is_given, _)| *is_given);
        if let (true, Some((_, name))) = (mesh.attributes.is_empty(), asked) {
            let help = "give the model numeric point arrays, or leave the option out";
            return wrong(message!(option_name(name), " of a model without attributes"), help);
        }
        // a table of places checks its columns itself
        if let (Some(output), None) = (&self.output, &self.places.at) {
            let format = io::check_output_as(output, self.format)?;
            check_mesh_names(format, mesh)?;
            match format {
                Format::Exchange(format) => warn_of_losses(&format.losses(mesh), output, notes),
                _ => warn_of_lost_data(mesh, true, Some(output), notes),
            }
        }
        self.processor.warn_of_rounding(mesh, levels, notes);
        for attribute in &mesh.attributes {
            if attribute.values.iter().any(|x| !x.is_finite()) {
                let name = &attribute.name;
                let place = "at some vertices, and so are the results near them";
                notes.warn(format!("`{name}` is NaN or infinite {place}").into());
            }
        }
        Ok(())
    }

    /// Refuses what ranks do not share.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) for a table of places, the boundary, an
    /// explanation, a part of a job and another output than pieces.
    pub fn check_of_ranks(&self) -> Result<()> {
        self.grid_of_ranks().map(drop)
    }

    /// The samples of ranks, and what is made of them.
    pub(super) fn grid_of_ranks(&self) -> Result<SampleGrid> {
        let [at, explain, pieces, mpi] = ["at", "explain", "pieces", "mpi"].map(option_name);
        let help = message!("leave them out, or leave ", mpi, " out");
        if self.explain || self.pieces.is_some() {
            return wrong(message!(explain, " and ", pieces, " are for one program"), help);
        }
        match self.grid()? {
            None => wrong(message!(at, " and a .glb are for one program"), help),
            Some(grid) if grid.format.is_none_or(|format| format == Format::Pvtu) => Ok(grid),
            Some(_) => wrong("ranks write a .pvtu", "end the name of the output in .pvtu"),
        }
    }

    /// The samples and what is made of them, of options that agree; `None` for a table and for the
    /// boundary.
    pub(super) fn grid(&self) -> Result<Option<SampleGrid>> {
        self.check_given()?;
        let format = match self.output.as_deref() {
            Some(output) if io::is_glb(output) => {
                self.check_boundary(output)?;
                return Ok(None);
            }
            Some(output) => Some(self.format(output)?),
            None => None,
        };
        let grid = match &self.places.at {
            Some(_) if self.cells.is_some() => {
                let [at, cells, samples] = ["at", "cells", "samples"].map(option_name);
                let why = message!(at, " writes a table, which has no ", cells.clone());
                return wrong(why, message!("leave ", cells, " out, or give ", samples));
            }
            Some(_) => None,
            None => Some(self.samples(format)?),
        };
        self.check_unused(grid.as_ref().map(|grid| grid.cells), format)?;
        Ok(grid)
    }

    /// Refuses what the program's command line refuses by itself: places that are given twice, and
    /// options of a file without a file.
    fn check_given(&self) -> Result<()> {
        let SampleRequest { samples, gauss, at } = &self.places;
        if [samples.is_some(), gauss.is_some(), at.is_some()].iter().filter(|is| **is).count() > 1 {
            let [samples, gauss, at] = ["samples", "gauss", "at"].map(option_name);
            let help = message!("give one of ", samples, ", ", gauss, " and ", at);
            return wrong("places are given in several ways", help);
        }
        if self.piece_points == Some(0) {
            let why = message!(option("piece_points", 0), " is out of range");
            return wrong(why, "give a number above 0");
        }
        let is_written = self.separate_points || self.compress || self.pieces.is_some();
        let is_written = is_written || self.format.is_some();
        let is_written = is_written || self.piece_points.is_some() || self.write_memory.is_some();
        let [output, pieces, quality, explain] =
            ["output", "pieces", "quality", "explain"].map(option_name);
        if self.pieces.is_some() && (self.quality || self.explain) {
            let why = message!(pieces, " is not for ", quality, " and ", explain);
            return wrong(why, "leave one of them out");
        }
        if self.output.is_none() && (is_written || !(self.quality || self.explain)) {
            let help = message!("give ", output, ", or ", quality, " or ", explain, " alone");
            return wrong("an evaluation without a file", help);
        }
        Ok(())
    }

    /// The format of an output of cells or of a table.
    fn format(&self, output: &Path) -> Result<Format> {
        self.glb.options(output)?;
        if self.places.at.is_some() {
            let why = message!(option_name("at"), " writes a table of values");
            check_ending(output, &["csv"], why)?;
        } else {
            let known = [&Format::extensions()[..], &["glb"]].concat();
            check_ending(output, &known, "unknown output format")?;
        }
        io::check_output_as(output, self.format)
    }

    /// The samples of cells for an output of a format, if there is one.
    fn samples(&self, format: Option<Format>) -> Result<SampleGrid> {
        let plain = match (self.places.gauss, format) {
            (Some(_), _) | (_, Some(Format::Csv)) => LimitCells::Points,
            _ if self.order.is_some() => LimitCells::Lagrange,
            _ => LimitCells::Hexahedra,
        };
        let cells = self.cells.unwrap_or(plain);
        if self.places.gauss.is_some() && cells != LimitCells::Points {
            let [samples, points] = [option_name("samples"), option("cells", "points")];
            let help = message!("give ", samples, ", or ", points);
            return wrong("Gauss points cannot be the corners of cells", help);
        }
        if cells == LimitCells::Bezier && self.want(Some(cells))? != Want::POSITION {
            let why = "Bézier cells hold control points, which have no derivatives, gradients, \
                       Jacobians or quality";
            let lagrange = option("cells", "lagrange");
            return wrong(why, message!("give ", lagrange, ", hexahedra or points"));
        }
        if cells == LimitCells::Bezier && self.explain {
            let [explain, cells] = ["explain", "cells"].map(option_name);
            let help = message!("leave ", explain, " out, or give other ", cells);
            return wrong("Bézier cells do not use the sampling kernels", help);
        }
        if let Some(order) = self.order.filter(|order| !(1..=MAX_ORDER).contains(order)) {
            let help = format!("give an order from 1 to {MAX_ORDER}");
            return wrong(message!(option("order", order), " is out of range"), help);
        }
        if let Some(Format::Exchange(format)) = format {
            self.check_exchange(format, cells)?;
        }
        let samples = self.samples_of(cells)?;
        // derivatives and Jacobians belong to the axes of one cell, gradients do not
        let of_axes = self.quantities.derivatives > 0 || self.quantities.jacobian;
        let is_welded = cells.is_block() && !self.separate_points && !of_axes;
        Ok(SampleGrid { samples, cells, is_welded, format })
    }

    /// Refuses what files of finite-element programs do not hold.
    fn check_exchange(&self, format: MeshFormat, cells: LimitCells) -> Result<()> {
        let ending = format.extension();
        if !cells.is_block() {
            let lagrange = option("cells", "lagrange");
            let help = message!("give ", lagrange, " or hexahedra, or write a .vtu");
            return wrong(format!("a .{ending} file holds finite elements only"), help);
        }
        if cells == LimitCells::Lagrange {
            format.check_order(self.nodes(cells) - 1)?;
        }
        let quantities = &self.quantities;
        let results = [
            given(quantities.derivatives > 0, "derivatives"),
            given(quantities.gradients, "gradients"),
            given(quantities.jacobian, "jacobian"),
        ];
        let results =
            if format.holds_arrays() { results.map(|(_, name)| (false, name)) } else { results };
        let why = format!(": a .{ending} file holds no values at points");
        refuse(results, why, |option| {
            message!("leave ", option, " out, or write .msh, .exo or .vtu")
        })
    }

    fn samples_of(&self, cells: LimitCells) -> Result<Samples> {
        match (self.places.samples, self.places.gauss) {
            _ if cells.has_order() => Ok(Samples::grid(self.nodes(cells))),
            (Some(n), _) if !(1..=MAX_SAMPLES).contains(&n) => {
                let help = format!("ask for 1 to {MAX_SAMPLES} samples along each axis");
                wrong(message!(option("samples", n), " is out of range"), help)
            }
            (Some(1), _) if cells == LimitCells::Hexahedra => {
                let points = option("cells", "points");
                let help = message!("ask for at least 2 samples, or give ", points);
                wrong("one sample per cell cannot form hexahedra", help)
            }
            (Some(n), _) => Ok(Samples::grid(n)),
            (_, Some(n)) => Samples::gauss(n),
            _ => {
                let [n, gauss, at] = ["samples", "gauss", "at"].map(option_name);
                let help = message!("give ", n, " N, ", gauss, " N or ", at, " PARAMS.csv");
                wrong("no samples are specified", help)
            }
        }
    }

    /// Refuses options that an evaluation in cells of a kind, or in a table, has no use for.
    fn check_unused(&self, cells: Option<LimitCells>, format: Option<Format>) -> Result<()> {
        self.want(cells)?;
        let is_block = cells.is_some_and(LimitCells::is_block);
        let is_pvtu = format == Some(Format::Pvtu);
        let [in_pieces, in_one] = [is_pvtu, !is_pvtu].map(|own| own && cells.is_some());
        let [bezier, hexahedra, lagrange] =
            ["bezier", "hexahedra", "lagrange"].map(|name| option("cells", name));
        let lagrange = message!(lagrange);
        let of_rings = self.rings.is_some() && cells != Some(LimitCells::Bezier);
        let [glb, pvtu] = ["a .glb", "a .pvtu of samples"].map(Message::from);
        for (is_unused, name, of) in [
            (of_rings, "rings", message!(bezier)),
            (self.color.is_some(), "color", glb.clone()),
            (self.color_map.is_some(), "color_map", glb),
            (self.order.is_some() && cells != Some(LimitCells::Lagrange), "order", lagrange),
            (
                self.separate_points && !is_block,
                "separate_points",
                message!(hexahedra, " or lagrange"),
            ),
            (
                self.write_memory.is_some() && !in_one,
                "write_memory",
                "a single file of samples".into(),
            ),
            (self.piece_points.is_some() && !in_pieces, "piece_points", pvtu.clone()),
            (self.pieces.is_some() && !in_pieces, "pieces", pvtu),
        ] {
            if is_unused {
                return unused(name, of);
            }
        }
        if cells == Some(LimitCells::Bezier) {
            self.check_bezier()?;
        }
        // an output other than .glb has been checked for them
        let of_glb = [given(self.glb.unit.is_some(), "unit"), given(self.glb.up.is_some(), "up")];
        refuse(of_glb, " is for a .glb", |option| message!("leave ", option, " out"))?;
        let of_points = self.cells.is_none_or(|cells| cells == LimitCells::Points);
        if format == Some(Format::Csv) && !of_points {
            let cells = option_name("cells");
            let help = message!("leave ", cells, " out, or end the name of the output in .vtu");
            return wrong("a .csv file holds points only, not cells", help);
        }
        self.quantities.check()?;
        format.map_or(Ok(()), |format| format.check_compress(self.compress))
    }

    /// Refuses options that Bézier cells have no use for: they are made on the CPU in double
    /// precision.
    fn check_bezier(&self) -> Result<()> {
        if !self.processor.backend.allows_cpu() {
            let [name, cpu] = [option_name("backend"), option("backend", "cpu")];
            let help = message!("leave ", name, " out, or give ", cpu);
            return wrong("Bézier cells are made on the CPU", help);
        }
        let why = message!(" is not for ", option("cells", "bezier"));
        let of_samples = [self.single_precision(), self.kernels()];
        refuse(of_samples, why, |option| message!("leave ", option, " out"))
    }

    /// Refuses options that a picture of the boundary has no use for, and one that cannot be
    /// written.
    fn check_boundary(&self, output: &Path) -> Result<()> {
        let quantities = &self.quantities;
        let backend = message!(option_name("backend"), " of a GPU");
        let of_cells = [
            given(self.places.gauss.is_some(), "gauss"),
            given(self.places.at.is_some(), "at"),
            given(quantities.derivatives > 0, "derivatives"),
            given(quantities.attribute_derivatives, "attribute_derivatives"),
            given(quantities.gradients, "gradients"),
            given(quantities.jacobian, "jacobian"),
            given(self.cells.is_some(), "cells"),
            given(self.order.is_some(), "order"),
            given(self.format.is_some(), "format"),
            given(self.rings.is_some(), "rings"),
            given(self.separate_points, "separate_points"),
            given(self.quality, "quality"),
            given(self.write_memory.is_some(), "write_memory"),
            given(self.pieces.is_some(), "pieces"),
            given(self.piece_points.is_some(), "piece_points"),
            given(self.compress, "compress"),
            given(self.explain, "explain"),
            (!self.processor.backend.allows_cpu(), backend),
            self.kernels(),
            self.single_precision(),
        ];
        let help = "leave it out, or end the name of the output in .vtu";
        refuse(of_cells, " is not for .glb", |_| help.into())?;
        let color = option_name("color");
        let why = message!(" is for the colors of ", color.clone());
        let of_colors = [given(self.color_map.is_some() && self.color.is_none(), "color_map")];
        refuse(of_colors, why, |map| message!("leave ", map, " out, or give ", color, " NAME"))?;
        io::check_surface_output(output)?;
        self.boundary_samples().map(drop)
    }

    /// Samples along each axis of a face of the boundary.
    pub(super) fn boundary_samples(&self) -> Result<usize> {
        let help = message!("give ", option_name("samples"), " N");
        let missing = || wrong("a .glb shows the boundary at a grid of samples", help);
        self.places.samples.map_or_else(missing, Ok)
    }

    fn single_precision(&self) -> (bool, Message) {
        (self.processor.precision == Precision::F32, option("precision", "f32").into())
    }

    fn kernels(&self) -> (bool, Message) {
        given(self.processor.strategy != Strategy::Auto, "strategy")
    }
}

/// Whether an option is given, and its name.
fn given(is_given: bool, name: &str) -> (bool, Message) {
    (is_given, option_name(name).into())
}

/// Refuses the first of the options that are given: its name and `why`.
fn refuse<const N: usize>(
    options: [(bool, Message); N],
    why: impl Into<Message>,
    help: impl FnOnce(Message) -> Message,
) -> Result<()> {
    match options.into_iter().find(|(is_given, _)| *is_given) {
        None => Ok(()),
        Some((_, option)) => wrong(message!(option.clone(), why), help(option)),
    }
}
