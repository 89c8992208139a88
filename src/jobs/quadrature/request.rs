//! What is asked of a quadrature, and what outputs allow.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::super::Notes;
use super::super::output::{announce, check_ending, warn_of_lost_data};
use crate::backend::Choice;
use crate::error::{Error, Result, option, option_name};
use crate::io::{self, Format, JobPart, WriteOptions};
use crate::memory::bytes_of;
use crate::mesh::SolidMesh;
use crate::plan::Want;
use crate::quadrature::{
    BoundaryPart, ExportOptions, QuadratureLayout, QuadratureScheme, Store, archive_bytes,
};

/// Bytes of a quadrature point in a .vtu.
pub(super) const BYTES_A_POINT: u64 = 180;

/// What is asked of a quadrature.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(default)]
pub struct QuadratureRequest {
    /// Where the quadrature points are.
    #[cfg_attr(feature = "cli", command(flatten))]
    #[serde(flatten)]
    pub scheme: QuadratureScheme,
    /// Points on these parts of the boundary instead, on all of it if none is named; `None` for
    /// points of the volume
    #[cfg_attr(feature = "cli", arg(skip))]
    pub boundary: Option<Vec<BoundaryPart>>,
    /// What a .npz holds: tables of basis functions; geometry: positions, measures and inverse
    /// Jacobians at all quadrature points; all: both [default: tables]
    #[cfg_attr(feature = "cli", arg(long, value_name = "WHAT", requires = "output"))]
    pub store: Option<Store>,
    /// Write second derivatives of the basis functions too
    #[cfg_attr(feature = "cli", arg(long, requires = "output"))]
    pub second: bool,
    /// Write dN/d(x,y,z) of every cell (and second ones with --second): by far the most
    /// data, 98 KB per regular cell with --gauss 4
    #[cfg_attr(feature = "cli", arg(long, requires = "output"))]
    pub physical_gradients: bool,
    /// Write even if some Jacobian determinants are not positive; the exit code is then 1
    #[cfg_attr(feature = "cli", arg(long, requires = "output"))]
    pub force: bool,
    /// Do part I of N of a job that writes a .pvtu, for several machines at once: 1/N to N/N, in
    /// any order, then `subsolid merge`. Until merge, a part that exists is not recomputed. The
    /// report, and the check of Jacobian determinants, cover this part only
    #[cfg_attr(feature = "cli", arg(long, value_name = "I/N", requires = "output"))]
    pub pieces: Option<JobPart>,
    /// Maximum number of points per piece of a .pvtu, exceeded only if two leaves alone have more
    /// [default: 1000000]
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", requires = "output"))]
    pub piece_points: Option<usize>,
    /// Compress .npz, .vtu and .pvtu
    #[cfg_attr(feature = "cli", arg(long, requires = "output"))]
    pub compress: bool,
    /// Maximum size of the output, in GB before compression; a larger one is refused, and its size
    /// reported
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "GB", default_value_t = 1.0, requires = "output")
    )]
    pub max_size: f64,
    /// Processor of positions, Jacobians and derivatives in space: auto (the fastest for this
    /// job), cpu, cuda or cuda:N; they are equal up to rounding
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME", default_value = "auto"))]
    pub backend: Choice,
    /// File to write: .npz (what --store says), .vtu or .pvtu (the points with their weights
    /// and Jacobians); required without --quality and --boundary
    #[cfg_attr(feature = "cli", arg(long, short, value_name = "OUT"))]
    pub output: Option<PathBuf>,
}

impl Default for QuadratureRequest {
    fn default() -> Self {
        Self {
            scheme: QuadratureScheme::default(),
            boundary: None,
            store: None,
            second: false,
            physical_gradients: false,
            force: false,
            pieces: None,
            piece_points: None,
            compress: false,
            max_size: 1.0,
            backend: Choice::default(),
            output: None,
        }
    }
}

/// What was asked for, of cells and of the boundary alike.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct QuadratureSetting {
    /// File written; `null` without one.
    pub output: Option<String>,
    /// Number of Gauss points along each axis of a box.
    pub gauss: usize,
    /// Number of rings; `null` if it is chosen by the program.
    pub rings: Option<usize>,
    /// Number of batches: faces of leaves that share their tables; `null` on ranks.
    pub batches: Option<usize>,
    /// Bytes of the output before compression; `null` without one.
    pub output_bytes: Option<u64>,
}

impl QuadratureRequest {
    /// Checks the options by themselves, and the output.
    ///
    /// # Errors
    /// [`Error::Request`] for numbers out of range, and for options that have no effect; what the
    /// system refuses.
    pub fn check(&self) -> Result<()> {
        self.format()?;
        self.scheme.check()?;
        bytes_of("max_size", self.max_size)?;
        if self.piece_points == Some(0) {
            return Err(Error::request(message!(option("piece_points", 0), " is out of range"))
                .with_help("give a number above 0"));
        }
        for (is_given, name) in [
            (self.boundary.is_some() && self.pieces.is_some(), "pieces"),
            (self.boundary.is_some() && self.piece_points.is_some(), "piece_points"),
        ] {
            if is_given {
                let what = message!(option_name(name), " is not for ", option_name("boundary"));
                return Err(Error::request(what).with_help("leave one of them out"));
            }
        }
        if self.boundary.is_none() || self.backend.allows_cpu() {
            return Ok(());
        }
        Err(Error::request("boundary quadrature runs on the CPU only").with_help(message!(
            "leave ",
            option_name("backend"),
            " out, or give cpu"
        )))
    }

    /// Refuses a mesh whose names the output does not keep apart, and says what the output leaves
    /// out; before the mesh is analyzed.
    ///
    /// # Errors
    /// [`Error::Request`] with the names.
    pub fn check_mesh(&self, mesh: &SolidMesh, notes: &mut dyn Notes) -> Result<()> {
        let (Some(output), Some(format)) = (&self.output, self.format()?) else { return Ok(()) };
        let arrays = mesh.cell_data.iter().filter(|array| array.group_name().is_none());
        io::check_names(format, arrays.map(|array| array.name.as_str()))?;
        if self.boundary.is_none() {
            warn_of_lost_data(mesh, true, Some(output), notes);
        }
        Ok(())
    }

    pub(super) fn want(&self) -> Want {
        if self.second { Want::FIRST | Want::SECOND } else { Want::FIRST }
    }

    pub(super) fn setting(
        &self,
        batches: Option<usize>,
        output_bytes: Option<u64>,
    ) -> QuadratureSetting {
        QuadratureSetting {
            output: self.output.as_ref().map(|path| path.display().to_string()),
            gauss: self.scheme.gauss,
            rings: self.scheme.rings,
            batches,
            output_bytes,
        }
    }

    pub(super) fn write_options(&self) -> WriteOptions {
        WriteOptions { compress: self.compress, format: None }
    }

    pub(super) fn export_options<'m>(&self, mesh: &'m SolidMesh) -> ExportOptions<'m> {
        ExportOptions {
            store: self.store.unwrap_or_default(),
            physical_derivatives: self.physical_gradients,
            compress: self.compress,
            cell_data: &mesh.cell_data,
        }
    }

    /// Says how much will be written, and refuses more than the maximum size.
    pub(super) fn announce_output(
        &self,
        layout: &QuadratureLayout<'_>,
        mesh: &SolidMesh,
        notes: &mut dyn Notes,
    ) -> Result<Option<u64>> {
        let (Some(output), Some(format)) = (&self.output, self.format()?) else {
            return Ok(None);
        };
        let options = self.export_options(mesh);
        let left_out = options.left_out();
        let names = mesh.cell_data.iter().map(|array| array.name.as_str());
        io::check_names(format, names.filter(|name| !left_out.contains(name)))?;
        let bytes = match format {
            Format::Npz => archive_bytes(layout, mesh.controls(), &options),
            _ => BYTES_A_POINT * layout.sample_count() as u64,
        };
        let own = bytes / self.pieces.map_or(1, |part| part.of as u64);
        announce(output, own, self.max_size, notes)?;
        Ok(Some(own))
    }

    /// The format of the output, if there is one; refuses options that it has no place for.
    pub(super) fn format(&self) -> Result<Option<Format>> {
        let has_basis = self.second || self.physical_gradients || self.store.is_some();
        let Some(output) = &self.output else {
            let is_written = self.compress || self.force || self.pieces.is_some();
            if !(is_written || self.piece_points.is_some() || has_basis) {
                return Ok(None);
            }
            return Err(Error::request("options of a file without a file").with_help(message!(
                "give ",
                option_name("output"),
                ", or leave them out"
            )));
        };
        check_ending(output, &["npz", "vtu", "pvtu"], "holds no quadrature")?;
        let format = io::check_output(output)?;
        for (is_given, name) in
            [(self.pieces.is_some(), "pieces"), (self.piece_points.is_some(), "piece_points")]
        {
            if format != Format::Pvtu && is_given {
                let name = option_name(name);
                let help = message!(
                    "end the name of the output in .pvtu, or leave ",
                    name.clone(),
                    " out"
                );
                return Err(Error::request(message!(name, " is for a .pvtu")).with_help(help));
            }
        }
        if format != Format::Npz && has_basis {
            return Err(Error::request("basis functions are written to .npz only")
                .with_help("end the name of the output in .npz, or leave the options out"));
        }
        if self.second && self.store == Some(Store::Geometry) && !self.physical_gradients {
            let [second, gradients] = ["second", "physical_gradients"].map(option_name);
            return Err(Error::request(message!(
                second.clone(),
                " applies to basis functions, which ",
                option("store", "geometry"),
                " does not store"
            ))
            .with_help(message!(
                "give ",
                option("store", "all"),
                " or ",
                gradients,
                ", or leave ",
                second,
                " out"
            )));
        }
        Ok(Some(format))
    }
}
