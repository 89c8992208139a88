//! `subsolid evaluate`: options, and the code paths that they select.

mod boundary;
mod cluster;
mod explain;
mod precision;
mod run;
mod single;
mod table;
mod writer;

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Args, ValueEnum};
use subsolid::backend::{Backend, Cpu, Limit, Precision, start};
use subsolid::cluster::Ranks;
use subsolid::io::JobPart;
use subsolid::jobs::surface_file::GlbRequest;
use subsolid::mesh::SolidMesh;
use subsolid::numbers::counted;
use subsolid::plan::{Cost, MAX_SAMPLES, Samples, Want};
use subsolid::scheme::VertexRule;
use subsolid::view::ColorMap;
use subsolid::volume::ParameterTable;
use subsolid::{Error, Result, io};

use super::cluster::refuse_ranks;
use super::console::since;
use super::gltf::{axes, units};
use super::model::ModelArguments;
use super::names::bare;
use super::output::{check_ending, check_names, warn_of_lost_data};
use super::pieces::piece_size;
use super::processor::ProcessorArguments;
use super::unused::{leave_out, refuse_given};
use super::{Console, Outcome};
pub use explain::Report as Explanation;
use precision::{warn_of_not_finite, warn_of_single};
pub use run::Report;

/// Evaluate the limit volume of a control mesh
///
/// Every hexahedral cell has parameters (u, v, w) in [0, 1]: u along its corners 0-1,
/// v along 0-3, w along 0-4 (VTK order). Other cells evaluate on their hexahedral
/// children. With --levels, cells are those of the refined mesh. One of --samples, --gauss and --at
/// says where to evaluate; --cells lagrange and bezier need none.
#[derive(Args)]
#[command(mut_arg("unit", units), mut_arg("up", axes))]
#[command(after_help = "\
Examples:
  subsolid evaluate model.mesh --samples 8 -o limit.vtu
  subsolid evaluate model.mesh --cells bezier --rings 4 -o exact.vtu
  subsolid evaluate model.mesh --gauss 3 --derivatives 1 --quality -o points.csv
  subsolid evaluate model.mesh --at parameters.csv --derivatives 2 -o values.csv
  subsolid evaluate model.vtu --samples 8 --gradients --jacobian -o gradients.vtu
  subsolid evaluate model.mesh --samples 8 --quality --json
  subsolid evaluate model.vtu --samples 9 --color temperature --unit mm -o part.glb
  subsolid evaluate model.mesh --samples 8 --precision f32 --explain")]
pub struct Arguments {
    #[command(flatten)]
    model: ModelArguments,
    #[command(flatten)]
    samples: SampleArguments,
    /// Refine the model this many times first
    #[arg(long, value_name = "N", default_value_t = 0)]
    levels: usize,
    /// Derivatives with respect to (u, v, w), up to this order: 0, 1 or 2
    #[arg(long, value_name = "ORDER", default_value_t = 0)]
    derivatives: usize,
    /// Derivatives of the attributes too, as d_u_NAME and so on; needs --derivatives 1 or 2
    #[arg(long)]
    attribute_derivatives: bool,
    /// Spatial gradients of the attributes, as grad_NAME: d/dx, d/dy, d/dz of each component
    #[arg(long)]
    gradients: bool,
    /// Write Jacobian determinants as det_j and, for hexahedra and Lagrange cells, their minimum
    /// over the samples of each cell as the cell array least_det_j. (--derivatives with --samples
    /// or --gauss writes det_j, too)
    #[arg(long)]
    jacobian: bool,
    /// Precision of the arithmetic
    #[arg(long, value_enum, default_value_t)]
    precision: Precision,
    #[command(flatten)]
    processor: ProcessorArguments,
    /// Cells to make from the samples [default: hexahedra; points for --gauss and .csv]
    #[arg(long, value_enum)]
    cells: Option<CellShape>,
    /// Rings of exact cells toward an extraordinary edge or vertex, 0 to 8, for --cells bezier
    /// [default: 3]
    #[arg(long, value_name = "K")]
    rings: Option<usize>,
    /// Do not merge the points of neighboring hexahedra or Lagrange cells (always so with
    /// --derivatives and --jacobian, whose values belong to one cell's parameter axes; points, .csv
    /// and Bézier cells are never merged)
    #[arg(long, alias = "no-weld", requires = "output")]
    separate_points: bool,
    /// Report Jacobian determinants at the samples, and the cells where they are not positive; exit
    /// code 1 if there are any
    #[arg(long)]
    quality: bool,
    /// Maximum memory for writing a single output file: for its buffers and for numbering shared
    /// points, in GB [default: half of the machine's memory]
    #[arg(
        long,
        alias = "max-memory",
        value_name = "GB",
        requires = "output",
        allow_hyphen_values = true
    )]
    write_memory: Option<f64>,
    /// Do part I of N of a job that writes a .pvtu, for several machines at once: 1/N to N/N, in
    /// any order, then `subsolid merge`. Each reads the whole model. Until merge, a part that
    /// exists is not recomputed
    #[arg(long, value_name = "I/N", requires = "output",
          conflicts_with_all = ["quality", "explain"])]
    pieces: Option<JobPart>,
    /// Maximum number of points per piece of a .pvtu, exceeded only if one element alone has more
    /// [default: 2000000, of Bézier cells 524288]
    #[arg(long, value_name = "N", requires = "output", value_parser = piece_size)]
    piece_points: Option<usize>,
    /// Compress .vtu, .pvtu and .npz
    #[arg(long, requires = "output")]
    compress: bool,
    /// Evaluate and write nothing; list what would run: kernels with their batches, leaves, samples
    /// and grids, the bytes that they move (an estimate), and the time for these bytes at
    /// the peak memory bandwidth of a GPU
    #[arg(long)]
    explain: bool,
    /// Vertex or cell array to color a .glb by, or `scaled Jacobian` [default: no colors]
    #[arg(long, value_name = "NAME")]
    color: Option<String>,
    /// Colors of a .glb [default: viridis]
    #[arg(long, value_parser = bare::<ColorMap>(), value_name = "MAP")]
    color_map: Option<ColorMap>,
    #[command(flatten)]
    glb: GlbRequest,
    /// File to write: .vtu, .pvtu (any size), .vtk, .csv or .npz; --at writes .csv; .glb has the
    /// boundary at the samples of --samples, with normals and the attributes, for viewers; required
    /// without --quality and --explain
    #[arg(long, short, value_name = "OUT", required_unless_present_any = ["quality", "explain"])]
    output: Option<PathBuf>,
}

#[derive(Args)]
#[group(multiple = false)]
struct SampleArguments {
    /// N x N x N samples per cell, end points included, N from 1 to 64 (1: the center, with --cells
    /// points or .csv), for .glb from 2 to 32
    #[arg(long, value_name = "N")]
    samples: Option<usize>,
    /// N x N x N Gauss points per cell, N from 1 to 32
    #[arg(long, value_name = "N")]
    gauss: Option<usize>,
    /// Table of parameters: CSV with the header cell,u,v,w (cell: index in the file), or
    /// cell,corner,u,v,w where cells are not hexahedra; other columns are ignored; - reads standard
    /// input
    #[arg(long, value_name = "PARAMS")]
    at: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CellShape {
    /// A block of plain hexahedra between the samples of each cell
    Hexahedra,
    /// One cubic Lagrange hexahedron per cell
    Lagrange,
    /// Tricubic Bézier hexahedra, exact except at extraordinary edges and vertices
    Bezier,
    /// The samples alone
    Points,
}

pub fn run(arguments: Arguments, ranks: Option<&Ranks<'_>>, console: &Console) -> Result<Outcome> {
    let a = &arguments;
    if let Some(output) = a.output.as_deref().filter(|output| io::is_glb(output)) {
        refuse_ranks(ranks, "the boundary for viewers")?;
        return boundary::run(a, output, console);
    }
    if let Some(output) = &a.output {
        a.glb.options(output)?;
    }
    let format = match &a.output {
        Some(output) => {
            a.check_ending(output)?;
            let others: Vec<_> = a.samples.at.as_deref().into_iter().collect();
            Some(a.model.check_output(output, &others)?)
        }
        None => None,
    };
    let request = a.request(format, ranks, console)?;
    a.check_unused(request.shape(), format)?;
    a.model.check_ranks(ranks)?;
    if let Some(ranks) = ranks {
        return match request {
            EvaluationRequest::Grid(request) => cluster::run(arguments, ranks, &request, console),
            EvaluationRequest::Table(_) => {
                refuse_ranks(Some(ranks), "--at").map(|()| Outcome::Done)
            }
        };
    }
    let _starting = start(a.processor.backend)?;
    let mesh = a.model.load(a.levels, VertexRule::default(), console)?;
    // a table of places checks its columns itself
    let of_grid = format.filter(|_| request.shape().is_some());
    a.check_mesh(&mesh, 0, of_grid, console)?;
    let start = Instant::now();
    let solid = a.model.analyze(&mesh, console)?;
    let structures = solid.planar_structures().len() + solid.spatial_structures().len();
    let (cells, structures) = (counted(mesh.cells.len(), "cell"), counted(structures, "structure"));
    let time = since(start);
    console.status("Analyzed", format!("{cells}, {structures} in {time}"));
    a.model.hint(&mesh, &solid, a.levels, console);
    let cost = a.cost(request.results(solid.elements().len()), request.shape(), &mesh)?;
    let backend = a.backend(request.shape(), &cost, console)?;
    if a.explain {
        return explain::run(a, &*backend, request, &mesh, &solid, console);
    }
    match request {
        EvaluationRequest::Table(table) => table::run(a, &*backend, *table, &mesh, &solid, console),
        EvaluationRequest::Grid(request) => {
            run::run(a, &*backend, &request, &mesh, &solid, console)
        }
    }
}

/// What is asked for, once the options are known to agree.
enum EvaluationRequest {
    Table(Box<ParameterTable>),
    Grid(GridRequest),
}

/// The same samples in every cell, and what is made of them.
struct GridRequest {
    samples: Samples,
    shape: CellShape,
    // whether elements share points
    is_welded: bool,
    // of the output, if there is one
    format: Option<io::Format>,
}

impl EvaluationRequest {
    /// Cells to make; a table has none.
    fn shape(&self) -> Option<CellShape> {
        match self {
            Self::Table(_) => None,
            Self::Grid(request) => Some(request.shape),
        }
    }

    /// Results at `elements` elements; a table is taken for one block, which is about as much as is
    /// evaluated while the rest of it is read and written.
    fn results(&self, elements: usize) -> usize {
        match self {
            Self::Table(_) => table::BLOCK_ROWS,
            Self::Grid(request) => request.results(elements),
        }
    }
}

impl GridRequest {
    fn results(&self, elements: usize) -> usize {
        match &self.samples {
            Samples::Tensor(along) => along.len().pow(3) * elements,
            Samples::Points(points) => points.len(),
        }
    }
}

impl Arguments {
    /// Refuses an output of another format.
    fn check_ending(&self, output: &Path) -> Result<()> {
        if self.samples.at.is_some() {
            return check_ending(output, &["csv"], "--at writes a table of values");
        }
        let known = [io::Format::ALL.map(io::Format::extension).as_slice(), &["glb"]].concat();
        check_ending(output, &known, "unknown output format")
    }

    /// Checks the options that concern samples and cells against one another.
    fn request(
        &self,
        format: Option<io::Format>,
        ranks: Option<&Ranks<'_>>,
        console: &Console,
    ) -> Result<EvaluationRequest> {
        if let Some(path) = &self.samples.at {
            refuse_ranks(ranks, "--at")?;
            self.model.check_table(path)?;
            if self.cells.is_some() {
                return Err(Error::request("--at writes a table, which has no --cells")
                    .with_help("leave --cells out, or give --samples"));
            }
            return Ok(EvaluationRequest::Table(Box::new(ParameterTable::open(path)?)));
        }
        let plain = match (self.samples.gauss, format) {
            (Some(_), _) | (_, Some(io::Format::Csv)) => CellShape::Points,
            _ => CellShape::Hexahedra,
        };
        let shape = self.cells.unwrap_or(plain);
        let high_order = matches!(shape, CellShape::Lagrange | CellShape::Bezier);
        if self.samples.gauss.is_some() && shape != CellShape::Points {
            return Err(Error::request("Gauss points cannot be the corners of cells")
                .with_help("give --samples, or --cells points"));
        }
        let has_none = self.want(Some(shape))? == Want::POSITION;
        if shape == CellShape::Bezier && !has_none {
            return Err(Error::request(
                "Bézier cells hold control points, which have no derivatives, gradients, Jacobians or quality",
            )
            .with_help("give --cells lagrange, hexahedra or points"));
        }
        if shape == CellShape::Bezier && self.explain {
            return Err(Error::request("Bézier cells do not use the sampling kernels")
                .with_help("leave --explain out, or give other --cells"));
        }
        if high_order && self.samples.samples.is_some_and(|n| n != 4) {
            console.warn("cubic cells have 4 nodes along each axis: --samples is ignored");
        }
        let samples = match (self.samples.samples, self.samples.gauss) {
            _ if high_order => Samples::grid(4),
            (Some(n), _) if !(1..=MAX_SAMPLES).contains(&n) => {
                return Err(Error::request(format!("--samples {n} is out of range"))
                    .with_help(format!("ask for 1 to {MAX_SAMPLES} samples along each axis")));
            }
            (Some(1), _) if shape == CellShape::Hexahedra => {
                return Err(Error::request("one sample per cell cannot form hexahedra")
                    .with_help("ask for at least 2 samples, or give --cells points"));
            }
            (Some(n), _) => Samples::grid(n),
            (_, Some(n)) => Samples::gauss(n)?,
            _ => {
                return Err(Error::request("no samples are specified")
                    .with_help("give --samples N, --gauss N or --at PARAMS.csv"));
            }
        };
        // derivatives and Jacobians belong to the axes of one cell, gradients do not
        let is_block = matches!(shape, CellShape::Hexahedra | CellShape::Lagrange);
        let is_welded =
            is_block && !self.separate_points && self.derivatives == 0 && !self.jacobian;
        Ok(EvaluationRequest::Grid(GridRequest { samples, shape, is_welded, format }))
    }

    /// Refuses options that the request has no use for.
    fn check_unused(&self, shape: Option<CellShape>, format: Option<io::Format>) -> Result<()> {
        // before the model is read
        self.want(shape)?;
        let unused = |option: &str, of: &str| {
            Err(Error::request(format!("{option} is for {of}"))
                .with_help(format!("leave {option} out, or ask for {of}")))
        };
        if self.rings.is_some() && shape != Some(CellShape::Bezier) {
            return unused("--rings", "--cells bezier");
        }
        if shape == Some(CellShape::Bezier) {
            self.check_bezier()?;
        }
        if self.output.is_none() {
            refuse_given(
                &[(self.glb.unit.is_some(), "--unit"), (self.glb.up.is_some(), "--up")],
                |option| format!("{option} is for a .glb"),
                leave_out,
            )?;
        }
        refuse_given(
            &[(self.color.is_some(), "--color"), (self.color_map.is_some(), "--color-map")],
            |option| format!("{option} is for a .glb"),
            |option| format!("leave {option} out, or ask for a .glb"),
        )?;
        if self.separate_points
            && !matches!(shape, Some(CellShape::Hexahedra | CellShape::Lagrange))
        {
            return unused("--separate-points", "--cells hexahedra or lagrange");
        }
        if self.write_memory.is_some() && (shape.is_none() || format == Some(io::Format::Pvtu)) {
            return unused("--write-memory", "a single file of samples");
        }
        if format == Some(io::Format::Csv) && self.cells.is_some_and(|c| c != CellShape::Points) {
            return Err(Error::request("a .csv file holds points only, not cells")
                .with_help("leave --cells out, or end the name of the output in .vtu"));
        }
        if self.attribute_derivatives && self.derivatives == 0 {
            return unused("--attribute-derivatives", "--derivatives 1 or 2");
        }
        if self.piece_points.is_some() && (shape.is_none() || format != Some(io::Format::Pvtu)) {
            return unused("--piece-points", "a .pvtu of samples");
        }
        if self.pieces.is_some() && (shape.is_none() || format != Some(io::Format::Pvtu)) {
            return unused("--pieces", "a .pvtu of samples");
        }
        format.map_or(Ok(()), |format| format.check_compress(self.compress))
    }

    /// Refuses options that Bézier cells have no use for: they are made on the CPU in double
    /// precision.
    fn check_bezier(&self) -> Result<()> {
        if self.processor.backend.is_gpu() {
            return Err(Error::request("Bézier cells are made on the CPU")
                .with_help("leave --backend out, or give --backend cpu"));
        }
        refuse_given(
            &[
                (self.precision != Precision::default(), "--precision f32"),
                (self.processor.has_strategy(), "--strategy"),
            ],
            |option| format!("{option} is not for --cells bezier"),
            leave_out,
        )
    }

    /// Refuses what is asked of attributes where there are none, and names that a format does not
    /// hold; warns where results of the mesh, refined `levels` times, are not what they seem.
    fn check_mesh(
        &self,
        mesh: &SolidMesh,
        levels: usize,
        format: Option<io::Format>,
        console: &Console,
    ) -> Result<()> {
        let option = if self.gradients { "--gradients" } else { "--attribute-derivatives" };
        if mesh.attributes.is_empty() && (self.gradients || self.attribute_derivatives) {
            return Err(Error::request(format!("{option} of a model without attributes"))
                .with_help("give the model numeric point arrays, or leave the option out"));
        }
        if let (Some(format), Some(output)) = (format, &self.output) {
            check_names(format, mesh)?;
            warn_of_lost_data(mesh, true, output, console);
        }
        if self.precision == Precision::F32 {
            warn_of_single(mesh, levels, console);
        }
        warn_of_not_finite(mesh, console);
        Ok(())
    }

    /// What is written, of samples in cells of a shape or in a table.
    fn shown(&self, shape: Option<CellShape>) -> Result<Want> {
        let mut want = Want::derivatives(self.derivatives, self.attribute_derivatives)?;
        if self.gradients {
            want = want | Want::GRADIENT;
        }
        if self.jacobian || self.derivatives > 0 && shape.is_some() {
            want = want | Want::DETERMINANT;
        }
        if self.jacobian && matches!(shape, Some(CellShape::Hexahedra | CellShape::Lagrange)) {
            want = want | Want::LEAST_DETERMINANT;
        }
        Ok(want)
    }

    /// What is evaluated for this.
    fn want(&self, shape: Option<CellShape>) -> Result<Want> {
        let shown = self.shown(shape)?;
        Ok(if self.quality { shown | Want::QUALITY } else { shown })
    }

    /// Drops from a limit what only other results or the quality follow from.
    fn keep_shown(&self, shape: Option<CellShape>, limit: &mut Limit) -> Result<()> {
        if self.derivatives == 0 {
            limit.derivatives.clear();
        }
        if !self.attribute_derivatives {
            limit.attribute_derivatives.iter_mut().for_each(Vec::clear);
        }
        let shown = self.shown(shape)?;
        limit.quantities.retain(|derived| shown.contains(derived.wanted.quantity.want()));
        Ok(())
    }

    /// What `results` results cost.
    fn cost(&self, results: usize, shape: Option<CellShape>, mesh: &SolidMesh) -> Result<Cost> {
        let bytes = match self.precision {
            Precision::F32 => size_of::<f32>(),
            Precision::F64 => size_of::<f64>(),
        };
        let widths: Vec<usize> = mesh.attributes.iter().map(|attribute| attribute.width).collect();
        let values = 3 + self.want(shape)?.numbers_per_result(&widths);
        Ok(Cost::evaluation(results * values * bytes))
    }

    /// The processor of what costs so much.
    fn backend(
        &self,
        shape: Option<CellShape>,
        cost: &Cost,
        console: &Console,
    ) -> Result<Box<dyn Backend>> {
        match shape {
            Some(CellShape::Bezier) => Ok(Box::new(Cpu::new(self.precision))),
            _ => self.processor.choose(self.precision, cost, console),
        }
    }
}
