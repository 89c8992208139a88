//! What is asked of an evaluation.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::super::processor::ProcessorRequest;
use super::super::surface_file::GlbRequest;
use crate::backend::Limit;
use crate::error::{Error, Message, Result, option, option_name};
use crate::io::{JobPart, MeshFormat, WriteOptions};
use crate::plan::Want;
use crate::view::ColorMap;

/// Where the limit is evaluated: one of these says it. Lagrange and Bézier cells need none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args), group(multiple = false))]
#[serde(default)]
pub struct SampleRequest {
    /// N x N x N samples per cell, end points included, N from 1 to 64 (1: the center, with --cells
    /// points or .csv), for .glb from 2 to 32
    #[cfg_attr(feature = "cli", arg(long, value_name = "N"))]
    pub samples: Option<usize>,
    /// N x N x N Gauss points per cell, N from 1 to 32
    #[cfg_attr(feature = "cli", arg(long, value_name = "N"))]
    pub gauss: Option<usize>,
    /// Table of parameters: CSV with the header cell,u,v,w (cell: index in the file), or
    /// cell,corner,u,v,w where cells are not hexahedra; other columns are ignored; - reads standard
    /// input
    #[cfg_attr(feature = "cli", arg(long, value_name = "PARAMS"))]
    pub at: Option<PathBuf>,
}

/// What is evaluated besides positions and attributes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(default)]
pub struct QuantityRequest {
    /// Derivatives with respect to (u, v, w), up to this order: 0, 1 or 2
    #[cfg_attr(feature = "cli", arg(long, value_name = "ORDER", default_value_t = 0))]
    pub derivatives: usize,
    /// Derivatives of the attributes too, as d_u_NAME and so on; needs --derivatives 1 or 2
    #[cfg_attr(feature = "cli", arg(long))]
    pub attribute_derivatives: bool,
    /// Spatial gradients of the attributes, as grad_NAME: d/dx, d/dy, d/dz of each component
    #[cfg_attr(feature = "cli", arg(long))]
    pub gradients: bool,
    /// Write Jacobian determinants as det_j and, for hexahedra and Lagrange cells, their minimum
    /// over the samples of each cell as the cell array least_det_j. (--derivatives with --samples
    /// or --gauss writes det_j, too)
    #[cfg_attr(feature = "cli", arg(long))]
    pub jacobian: bool,
}

impl QuantityRequest {
    /// Refuses derivatives of attributes without derivatives.
    ///
    /// # Errors
    /// [`Error::Request`].
    pub fn check(&self) -> Result<()> {
        if self.attribute_derivatives && self.derivatives == 0 {
            return unused("attribute_derivatives", message!(option("derivatives", 1), " or 2"));
        }
        Ok(())
    }

    /// What a plan evaluates for this.
    ///
    /// # Errors
    /// As [`Want::derivatives`].
    pub fn want(&self) -> Result<Want> {
        let want = Want::derivatives(self.derivatives, self.attribute_derivatives)?;
        let parts = [(self.gradients, Want::GRADIENT), (self.jacobian, Want::DETERMINANT)];
        Ok(parts.into_iter().filter(|(given, _)| *given).fold(want, |all, (_, one)| all | one))
    }
}

/// Cells that are made from samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum LimitCells {
    /// A block of plain hexahedra between the samples of each cell
    Hexahedra,
    /// One Lagrange hexahedron per cell, of the order --order
    Lagrange,
    /// Tricubic Bézier hexahedra, exact except at extraordinary edges and vertices
    Bezier,
    /// The samples alone
    Points,
}

impl LimitCells {
    /// Whether a cell has values of its own, such as its least determinant.
    pub(super) fn is_block(self) -> bool {
        matches!(self, Self::Hexahedra | Self::Lagrange)
    }

    /// Whether cells have a number of nodes of their own.
    pub(super) fn has_order(self) -> bool {
        matches!(self, Self::Lagrange | Self::Bezier)
    }
}

/// What is asked of an evaluation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(default)]
pub struct EvaluateRequest {
    /// Where the limit is evaluated.
    #[cfg_attr(feature = "cli", command(flatten))]
    #[serde(flatten)]
    pub places: SampleRequest,
    /// What is evaluated there.
    #[cfg_attr(feature = "cli", command(flatten))]
    #[serde(flatten)]
    pub quantities: QuantityRequest,
    /// On what it is evaluated.
    #[cfg_attr(feature = "cli", command(flatten))]
    #[serde(flatten)]
    pub processor: ProcessorRequest,
    /// Cells to make from the samples [default: hexahedra; lagrange for --order, points for --gauss
    /// and .csv]
    #[cfg_attr(feature = "cli", arg(long, value_enum))]
    pub cells: Option<LimitCells>,
    /// Order of Lagrange cells, 1 to 10 [default: 3]; .msh holds 1 to 9, .inp and .exo 1 and 2, .mesh
    /// of MFEM and .vtu all
    #[cfg_attr(feature = "cli", arg(long, value_name = "P"))]
    pub order: Option<usize>,
    /// Rings of exact cells toward an extraordinary edge or vertex, 0 to 8, for --cells bezier
    /// [default: 3]
    #[cfg_attr(feature = "cli", arg(long, value_name = "K"))]
    pub rings: Option<usize>,
    /// Do not merge the points of neighboring hexahedra or Lagrange cells (always so with
    /// --derivatives and --jacobian, whose values belong to one cell's parameter axes; points, .csv
    /// and Bézier cells are never merged)
    #[cfg_attr(feature = "cli", arg(long, alias = "no-weld", requires = "output"))]
    pub separate_points: bool,
    /// Report Jacobian determinants at the samples, and the cells where they are not positive; exit
    /// code 1 if there are any
    #[cfg_attr(feature = "cli", arg(long))]
    pub quality: bool,
    /// Maximum memory for writing a single output file: for its buffers and for numbering shared
    /// points, in GB [default: half of the machine's memory]
    #[cfg_attr(
        feature = "cli",
        arg(
            long,
            alias = "max-memory",
            value_name = "GB",
            requires = "output",
            allow_hyphen_values = true
        )
    )]
    pub write_memory: Option<f64>,
    /// Do part I of N of a job that writes a .pvtu, for several machines at once: 1/N to N/N, in
    /// any order, then `subsolid merge`. Each reads the whole model. Until merge, a part that
    /// exists is not recomputed
    #[cfg_attr(
        feature = "cli",
        arg(
            long,
            value_name = "I/N",
            requires = "output",
            conflicts_with_all = ["quality", "explain"]
        )
    )]
    pub pieces: Option<JobPart>,
    /// Maximum number of points per piece of a .pvtu, exceeded only if one element alone has more
    /// [default: 2000000, of Bézier cells 524288]
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", requires = "output"))]
    pub piece_points: Option<usize>,
    /// Compress .vtu, .pvtu and .npz
    #[cfg_attr(feature = "cli", arg(long, requires = "output"))]
    pub compress: bool,
    /// Format of a .msh, msh (text) unless given, or of a .mesh, which needs one
    #[cfg_attr(feature = "cli", arg(long, value_enum, requires = "output"))]
    pub format: Option<MeshFormat>,
    /// Evaluate and write nothing; list what would run: kernels with their batches, leaves, samples
    /// and grids, the bytes that they move (an estimate), and the time for these bytes at
    /// the peak memory bandwidth of a GPU
    #[cfg_attr(feature = "cli", arg(long))]
    pub explain: bool,
    /// Vertex or cell array to color a .glb by, or `scaled Jacobian` [default: no colors]
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME"))]
    pub color: Option<String>,
    /// Colors of a .glb [default: viridis]
    #[cfg_attr(feature = "cli", arg(long, value_name = "MAP"))]
    pub color_map: Option<ColorMap>,
    /// What a `.glb` says of the model.
    #[cfg_attr(feature = "cli", command(flatten))]
    #[serde(flatten)]
    pub glb: GlbRequest,
    /// File to write: .vtu, .pvtu (any size), .vtk, .csv or .npz; .msh, .mesh, .inp and .exo for
    /// finite-element programs, with the groups of cells and faces; --at writes .csv; .glb has the
    /// boundary at the samples of --samples, with normals and the attributes, for viewers; required
    /// without --quality and --explain
    #[cfg_attr(
        feature = "cli",
        arg(
            long,
            short,
            value_name = "OUT",
            required_unless_present_any = ["quality", "explain"]
        )
    )]
    pub output: Option<PathBuf>,
}

impl EvaluateRequest {
    pub(super) fn write_options(&self) -> WriteOptions {
        WriteOptions { compress: self.compress, format: self.format }
    }

    /// Nodes of Lagrange and Bézier cells along each axis.
    pub(super) fn nodes(&self, cells: LimitCells) -> usize {
        1 + self.order.filter(|_| cells == LimitCells::Lagrange).unwrap_or(3)
    }

    /// What is written, in cells of a kind or, without one, in a table.
    pub(super) fn shown(&self, cells: Option<LimitCells>) -> Result<Want> {
        let QuantityRequest { derivatives, jacobian, .. } = self.quantities;
        let mut want = self.quantities.want()?;
        if derivatives > 0 && cells.is_some() {
            want = want | Want::DETERMINANT;
        }
        if jacobian && cells.is_some_and(LimitCells::is_block) {
            want = want | Want::LEAST_DETERMINANT;
        }
        Ok(want)
    }

    /// What is evaluated for this.
    pub(super) fn want(&self, cells: Option<LimitCells>) -> Result<Want> {
        let shown = self.shown(cells)?;
        Ok(if self.quality { shown | Want::QUALITY } else { shown })
    }

    /// Drops from a limit what only other results or the quality follow from.
    pub(super) fn keep_shown(&self, cells: Option<LimitCells>, limit: &mut Limit) -> Result<()> {
        if self.quantities.derivatives == 0 {
            limit.derivatives.clear();
        }
        if !self.quantities.attribute_derivatives {
            limit.attribute_derivatives.iter_mut().for_each(Vec::clear);
        }
        let shown = self.shown(cells)?;
        limit.quantities.retain(|derived| shown.contains(derived.wanted.quantity.want()));
        Ok(())
    }
}

/// Refuses an option that is `of` something else.
pub(super) fn unused<T>(name: &str, of: impl Into<Message>) -> Result<T> {
    let (name, of) = (option_name(name), of.into());
    let why = message!(name.clone(), " is for ", of.clone());
    wrong(why, message!("leave ", name, " out, or ask for ", of))
}

/// Refuses a request.
pub(super) fn wrong<T>(why: impl Into<Message>, help: impl Into<Message>) -> Result<T> {
    Err(Error::request(why).with_help(help))
}
