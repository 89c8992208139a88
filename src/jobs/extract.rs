//! Extracts Bézier pieces: operators that map control points to Bézier points.
//!
//! ```
//! use subsolid::jobs::extract::ExtractRequest;
//! use subsolid::limit::Solid;
//! use subsolid::mesh::shape::Shape;
//!
//! let mesh = Shape::Fan { valence: 5, layers: 2, rings: 1 }.build()?;
//! let arrays = ExtractRequest::default().arrays(&mesh, &Solid::new(&mesh)?, &mut ())?;
//! assert!(arrays.iter().any(|array| array.name == "operators"));
//! # Ok::<(), subsolid::Error>(())
//! ```

use std::path::Path;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::output::{announce, check_size, warn_of_lost_data, written};
use super::{Notes, since};
use crate::bezier::{Extraction, OPERATOR_RINGS, Pieces};
use crate::error::{Error, Message, Result, option, option_name};
use crate::io::{self, Array, WriteOptions};
use crate::limit::Solid;
use crate::memory::{bytes_of, physical_memory};
use crate::mesh::SolidMesh;
use crate::numbers::counted;

/// How much larger operators are as text, roughly.
const OF_TEXT: u64 = 3;

/// What is asked of an extraction.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(default)]
pub struct ExtractRequest {
    /// Rings of exact pieces toward an extraordinary edge or vertex, 0 to 8
    #[cfg_attr(feature = "cli", arg(long, value_name = "K", default_value_t = OPERATOR_RINGS))]
    pub rings: usize,
    /// Keep the refined points of cells that are refined first as control points, and write their
    /// weights over the vertices: smaller files
    #[cfg_attr(feature = "cli", arg(long))]
    pub refined_points: bool,
    /// Compress .npz
    #[cfg_attr(feature = "cli", arg(long))]
    pub compress: bool,
    /// Maximum size of the output, in GB before compression; a larger one is refused, and its size
    /// reported
    #[cfg_attr(feature = "cli", arg(long, value_name = "GB", default_value_t = 1.0))]
    pub max_size: f64,
}

impl Default for ExtractRequest {
    fn default() -> Self {
        Self { rings: OPERATOR_RINGS, refined_points: false, compress: false, max_size: 1.0 }
    }
}

/// What is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Npz,
    Bext,
}

impl Format {
    /// Bytes of a file of arrays that take `bytes` in memory.
    fn bytes(self, bytes: u64) -> u64 {
        match self {
            Self::Npz => bytes,
            Self::Bext => bytes.saturating_mul(OF_TEXT),
        }
    }
}

/// What an extraction has written.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct ExtractReport {
    /// Name of the file written.
    pub output: String,
    /// Number of cells of the model.
    pub cells: usize,
    /// Number of Bézier pieces.
    pub pieces: usize,
    /// Number of pieces that represent the limit exactly.
    pub exact: usize,
    /// Largest estimated distance of a piece from the limit, in length units.
    pub error_bound: f64,
    /// Number of distinct extraction operators.
    pub operators: usize,
    /// Least and greatest number of control points of a piece.
    pub controls: [usize; 2],
    /// Number of control points added by cells that are refined first.
    pub refined_points: usize,
    /// Size of the operators in bytes.
    pub bytes: usize,
    /// Duration of the whole job, in seconds.
    pub seconds: f64,
}

impl ExtractRequest {
    /// Checks the options and the output, a .npz or .bext.
    ///
    /// # Errors
    /// [`Error::Request`] for another ending, options that the format has no place for and a size
    /// that is not positive; [`Error::Io`] and [`Error::File`] for the output.
    pub fn check(&self, output: &Path) -> Result<()> {
        self.format(output)?;
        io::atomic::check(output)?;
        bytes_of("max_size", self.max_size).map(drop)
    }

    /// Refuses a mesh whose names the output does not keep apart, and says what the output leaves
    /// out; before the mesh is analyzed.
    ///
    /// # Errors
    /// [`Error::Request`] with the names.
    pub fn check_mesh(&self, mesh: &SolidMesh, output: &Path, notes: &mut dyn Notes) -> Result<()> {
        if self.format(output)? == Format::Npz {
            let names = mesh.attributes.iter().map(|attribute| attribute.name.as_str());
            io::check_names(io::Format::Npz, names)?;
        }
        warn_of_lost_data(mesh, false, Some(output), notes);
        Ok(())
    }

    /// Writes the operators of a solid to a file; after [`ExtractRequest::check_mesh`].
    ///
    /// # Errors
    /// As [all jobs](crate::jobs#errors).
    pub fn run(
        &self,
        mesh: &SolidMesh,
        solid: &Solid,
        output: &Path,
        notes: &mut dyn Notes,
    ) -> Result<ExtractReport> {
        self.check(output)?;
        let format = self.format(output)?;
        let start = Instant::now();
        let pieces = Pieces::new(solid, self.rings)?;
        let bytes = Extraction::estimate(&pieces, !self.refined_points).min(u64::MAX.into());
        check_size(output, format.bytes(bytes as u64), self.max_size)?;
        let fewer = message!("ask for fewer ", option_name("rings"));
        let extraction = match format {
            Format::Npz => self.extraction(&pieces, smaller(), notes)?,
            Format::Bext => self.extraction(&pieces, fewer, notes)?,
        };
        announce(output, format.bytes(extraction.bytes() as u64), self.max_size, notes)?;
        let error_bounds = pieces.error_bounds(&mesh.points)?;
        let operators = counted(extraction.operator_count(), "operator");
        notes.status("Extracted", format!("{operators} in {}", since(start)));
        let writing = Instant::now();
        notes.begin("Writing");
        match format {
            Format::Npz => {
                let arrays = extraction.arrays(solid, mesh.controls(), &error_bounds)?;
                io::write_arrays(
                    output,
                    &arrays,
                    WriteOptions { compress: self.compress, format: None },
                )?;
            }
            Format::Bext => io::write_bext(output, &extraction.patch(&mesh.points)?)?,
        }
        let count = extraction.pieces().len();
        let columns = || (0..count).map(|piece| extraction.operator(piece).controls.len());
        let report = ExtractReport {
            output: output.display().to_string(),
            cells: mesh.cells.len(),
            pieces: count,
            exact: extraction.pieces().iter().filter(|piece| piece.exact).count(),
            error_bound: error_bounds.iter().copied().fold(0.0, f64::max),
            operators: extraction.operator_count(),
            controls: [columns().min().unwrap_or(0), columns().max().unwrap_or(0)],
            refined_points: extraction.refined().len(),
            bytes: extraction.bytes(),
            seconds: start.elapsed().as_secs_f64(),
        };
        notes
            .status("Fitted", exactness([report.exact, count], "Bézier piece", report.error_bound));
        notes.status("Wrote", written(output.display(), counted(count, "piece"), writing));
        Ok(report)
    }

    /// The arrays that [`ExtractRequest::run`] writes to a .npz, without a limit on their size; says
    /// what they leave out.
    ///
    /// # Errors
    /// As [`Pieces::new`]; [`Error::Request`] for more than the memory holds.
    pub fn arrays(
        &self,
        mesh: &SolidMesh,
        solid: &Solid,
        notes: &mut dyn Notes,
    ) -> Result<Vec<Array>> {
        warn_of_lost_data(mesh, false, None, notes);
        let pieces = Pieces::new(solid, self.rings)?;
        let extraction = self.extraction(&pieces, smaller(), notes)?;
        extraction.arrays(solid, mesh.controls(), &pieces.error_bounds(&mesh.points)?)
    }

    /// Operators over the vertices, unless refined points are control points too; `help`: how to
    /// have smaller ones.
    fn extraction(
        &self,
        pieces: &Pieces<'_>,
        help: Message,
        notes: &mut dyn Notes,
    ) -> Result<Extraction> {
        notes.begin("Extracting");
        let extraction = Extraction::new(pieces)?;
        if self.refined_points {
            return Ok(extraction);
        }
        // their results stand beside them
        let most = physical_memory().map_or(usize::MAX, |bytes| (bytes / 4) as usize);
        extraction.expanded(most).map_err(|error| error.with_help(help))
    }

    fn format(&self, output: &Path) -> Result<Format> {
        let is = |name: &str| output.extension().is_some_and(|own| own.eq_ignore_ascii_case(name));
        if !is("bext") {
            let unknown = || format!("{}: unknown output format", output.display());
            return is("npz").then_some(Format::Npz).ok_or_else(|| {
                Error::request(unknown()).with_help("end its name in .npz or .bext")
            });
        }
        if self.refined_points {
            let rows = message!("a .bext file has no rows for ", option_name("refined_points"));
            return Err(Error::request(rows)
                .with_help("leave it out, or end the name of the output in .npz"));
        }
        if self.compress {
            return Err(Error::request("a .bext file is plain text").with_help(message!(
                "leave ",
                option_name("compress"),
                " out, or end the name of the output in .npz"
            )));
        }
        Ok(Format::Bext)
    }
}

fn smaller() -> Message {
    message!("give ", option("refined_points", true), ", or fewer ", option_name("rings"))
}

/// How many pieces are exact, and how near the others are.
pub fn exactness([exact, all]: [usize; 2], what: &str, error_bound: f64) -> String {
    let rest = all - exact;
    format!(
        "{}: {exact} exact, {rest} interpolated with an error of at most {error_bound:.2e} (estimated)",
        counted(all, what)
    )
}
