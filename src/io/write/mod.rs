//! Writing of any format, chosen by the name of the file.

mod appended;
mod bext;
mod csv;
mod deflate;
mod exchange;
mod glb;
mod layout;
mod losses;
mod npz;
mod obj;
mod outline;
mod piece_job;
mod placed;
mod ply;
mod polylines;
mod pvtu;
mod section_queue;
mod single;
mod stl;
mod surface;
mod text_rows;
mod three_mf;
mod values;
pub(crate) mod vdb;
mod vtk;
#[cfg(feature = "vtkio")]
pub mod vtkio;
mod vtp;
mod vtu;
mod writeback;
mod xml;
mod zip_records;
mod zip_stream;

pub use bext::{BezierPatch, write_bext};
pub use exchange::{CellSide, MeshFormat, SideGroup, write_surface_groups};
pub use glb::{GlbOptions, UpAxis, is_glb};
pub use losses::{lost_cell_data, lost_data};
pub(crate) use npz::Archive;
pub use outline::FileOutline;
pub(crate) use piece_job::check_all_jobs;
pub use piece_job::{JobPart, MergedPieces, PieceJob, merge};
pub use polylines::{PolylinePiece, PolylineWriter};
pub use pvtu::{PieceShare, PieceWriter};
pub use single::write_pieces;
pub use surface::{SurfaceFormat, check_surface_output, write_surface, write_surface_with};
pub(crate) use text_rows::write_rows;
pub(crate) use three_mf::{
    CONTENT_TYPES, ModelWriter, PARTS, RELATIONSHIPS, box_mesh, model_end, model_head,
};
pub(crate) use xml::escape;
pub(crate) use zip_records::{ZipEntry, ZipMethod, central_directory};

use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use super::atomic;
use super::dataset::{Array, Dataset, check_arrays};
use super::plain_name;
use crate::error::{Error, Message, Result, option_name};
use crate::mesh::GHOSTS;

/// How to write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteOptions {
    /// Compress with zlib, where the format can (`.vtu`, `.pvtu`, `.npz`).
    pub compress: bool,
    /// Format, where the ending of the name has several.
    pub format: Option<MeshFormat>,
}

/// A format of a [`Dataset`] that can be written.
///
/// A file holds the points, with their arrays, in the precision they have, and in the order of the
/// dataset. All formats but [`Format::Csv`] also hold cells and the arrays of cells and of the
/// whole dataset. What a format cannot hold is refused: [`check_names`] and [`check_arrays_of`] do
/// so before any work. [`Format::losses`] says what of a control mesh is left out. [`check_output`]
/// finds the format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// VTK XML unstructured grid: binary, compressed if asked for.
    Vtu,
    /// VTK XML unstructured grid in pieces, a `.vtu` file each, for what exceeds the memory; see
    /// [`PieceWriter`].
    Pvtu,
    /// Legacy VTK file: binary, without high-order cells; for programs that read no XML.
    Vtk,
    /// Table of comma-separated values: points and their arrays, no cells.
    Csv,
    /// NumPy archive, an array each of points, cells and values; compressed if asked for.
    Npz,
    /// A format of finite-element programs.
    Exchange(MeshFormat),
}

impl Format {
    /// Those that are told by the ending of the name alone.
    const BY_ENDING: [Self; 5] = [Self::Vtu, Self::Pvtu, Self::Vtk, Self::Csv, Self::Npz];

    /// The known endings, without the dot.
    pub fn extensions() -> Vec<&'static str> {
        let mut known: Vec<_> = Self::BY_ENDING.map(Self::extension).to_vec();
        known.extend(MeshFormat::ALL.map(MeshFormat::extension));
        known.dedup();
        known
    }

    /// End of the file's name, without the dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Vtu => "vtu",
            Self::Pvtu => "pvtu",
            Self::Vtk => "vtk",
            Self::Csv => "csv",
            Self::Npz => "npz",
            Self::Exchange(format) => format.extension(),
        }
    }

    /// The format of finite-element programs that it is, if it is one.
    pub fn of_exchange(self) -> Option<MeshFormat> {
        match self {
            Self::Exchange(format) => Some(format),
            _ => None,
        }
    }

    /// Refuses `compress` where files of the format are never compressed.
    ///
    /// # Errors
    /// [`Error::Request`] that names those that are.
    pub fn check_compress(self, compress: bool) -> Result<()> {
        if !compress || !matches!(self, Self::Vtk | Self::Csv | Self::Exchange(_)) {
            return Ok(());
        }
        Err(Error::request(format!("a .{} file is not compressed", self.extension())).with_help(
            message!(
                "leave ",
                option_name("compress"),
                " out, or end the name of the output in .vtu, .pvtu or .npz"
            ),
        ))
    }
}

/// Format of an output file, refused before any work is done for it if its ending
/// is unknown or nothing can be written there. Standard output ([`atomic::write`]) is `.vtu`
/// unless an ending follows the `-`, and takes no `.pvtu`.
///
/// # Errors
/// [`Error::Request`] for the ending, listing the known ones; [`Error::Io`] or [`Error::File`] for
/// a directory that is missing or does not take files.
pub fn check_output(path: impl AsRef<Path>) -> Result<Format> {
    check_output_as(path, None)
}

/// [`check_output`] of a file whose format is `given`, which must have the ending of the name.
///
/// # Errors
/// As [`check_output`]; [`Error::Request`] for another ending.
pub fn check_output_as(path: impl AsRef<Path>, given: Option<MeshFormat>) -> Result<Format> {
    let path = path.as_ref();
    let format = format_of(path, given)?;
    if format == Format::Pvtu {
        pvtu::checked(path)?;
    } else {
        atomic::check(path)?;
    }
    Ok(format)
}

/// Refuses an output whose ending is none of those that a job writes; `why` says what it writes.
/// Standard output needs none.
///
/// # Errors
/// [`Error::Request`] with the known endings.
pub fn check_ending(output: &Path, known: &[&str], why: impl Into<Message>) -> Result<()> {
    let ending = output.extension().unwrap_or_default();
    if output == Path::new("-") || known.iter().any(|known| ending.eq_ignore_ascii_case(known)) {
        return Ok(());
    }
    let known: Vec<String> = known.iter().map(|known| format!(".{known}")).collect();
    let listed = match &known[..] {
        [others @ .., last] if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => known.concat(),
    };
    Err(Error::request(message!(output.display().to_string(), ": ", why))
        .with_help(format!("end the name of the output in {listed}")))
}

/// Checks, before any work is done for it, that a format holds attributes of these names and keeps
/// them apart: names in `.npz` differ in more than signs, those in `.vtk` are not longer than VTK
/// reads.
///
/// # Errors
/// [`Error::Request`] naming one attribute or two.
pub fn check_names<'n>(format: Format, names: impl IntoIterator<Item = &'n str>) -> Result<()> {
    match format {
        Format::Vtk => return names.into_iter().try_for_each(vtk::check_name),
        Format::Npz => {}
        _ => return Ok(()),
    }
    let mut known = HashMap::new();
    for name in names {
        let plain = plain_name(name);
        if let Some(other) = known.insert(plain.clone(), name) {
            return Err(Error::request(format!(
                "`{other}` and `{name}` would both be `{plain}` in an .npz file"
            ))
            .with_help("rename one of them, or write another format"));
        }
    }
    Ok(())
}

/// Checks, before any work is done for it, that a format holds arrays like these: a table
/// needs columns of different names.
///
/// # Errors
/// As [`Dataset::check`]; [`Error::Request`] naming two that are equal.
pub fn check_arrays_of(format: Format, dataset: &Dataset) -> Result<()> {
    match format {
        Format::Csv => csv::columns(dataset).map(drop),
        _ => dataset.check(),
    }
}

/// Ending of a path, without the dot; `standard` for standard output that names none.
fn ending<'p>(path: &'p Path, standard: &'p str) -> &'p OsStr {
    if path == Path::new("-") { OsStr::new(standard) } else { path.extension().unwrap_or_default() }
}

/// Writes `data` (a [`Dataset`] or a [`SolidMesh`](crate::mesh::SolidMesh)) in the
/// format of the path's ending: `.vtu`, `.pvtu` (of one piece; see [`PieceWriter`]
/// for more), `.vtk`, `.csv` (points and point arrays only), `.npz`, or that of a [`MeshFormat`].
///
/// The file is written beside and renamed when complete, so that there is never
/// part of it under its name.
///
/// # Errors
/// As [`check_output`]; [`Error::Request`] if lengths or indices of the data
/// disagree, or the format cannot hold them; [`Error::Io`] if writing fails.
pub fn write<'a>(
    path: impl AsRef<Path>,
    data: impl Into<Cow<'a, Dataset>>,
    options: WriteOptions,
) -> Result<()> {
    let path = path.as_ref();
    let format = format_of(path, options.format)?;
    let dataset = data.into();
    match format {
        Format::Pvtu => {
            let mut pieces = PieceWriter::create(path, options)?;
            pieces.push(&dataset)?;
            pieces.finish()
        }
        _ => {
            dataset.check()?;
            check_arrays_of(format, &dataset)?;
            check_ghosts(format, &dataset)?;
            for arrays in [&dataset.point_arrays, &dataset.cell_arrays] {
                check_names(format, arrays.iter().map(|array| array.name.as_str()))?;
            }
            write_pieces(path, &FileOutline::of(&dataset), [Ok(dataset)], options)
        }
    }
}

/// Refuses ghost cells where they would be written as cells of the solid.
fn check_ghosts(format: Format, dataset: &Dataset) -> Result<()> {
    let Format::Exchange(format) = format else { return Ok(()) };
    if dataset.cell_arrays.iter().all(|array| array.name != GHOSTS) {
        return Ok(());
    }
    let ending = format.extension();
    Err(Error::request(format!("ghost cells in a .{ending} file, which has no place for them"))
        .with_help("write a .vtu, or cells of the limit"))
}

/// Writes named arrays alone as a NumPy archive (`.npz`).
///
/// # Errors
/// [`Error::Request`] for another ending, or names that are equal; [`Error::Io`] if
/// writing fails.
pub fn write_arrays(path: impl AsRef<Path>, arrays: &[Array], options: WriteOptions) -> Result<()> {
    let path = path.as_ref();
    if format_of(path, options.format)? != Format::Npz {
        return Err(Error::request(format!(
            "{}: arrays alone are written as .npz",
            path.display()
        ))
        .with_help("end its name in .npz"));
    }
    check_arrays("named", arrays, None)?;
    write_file(path, |out| npz::write_arrays(out, arrays, options.compress))
}

fn write_file(
    path: &Path,
    content: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<()> {
    atomic::write(path, |out| content(out).map_err(|e| atomic::refused(path, e)))
}

/// The format of finite-element programs of a name, if it has one; `given`: the format that is asked
/// for, which must have the ending.
///
/// # Errors
/// [`Error::Request`] for another ending, and one that several formats have if none is given.
pub fn mesh_format(path: &Path, given: Option<MeshFormat>) -> Result<Option<MeshFormat>> {
    MeshFormat::of(path, &ending(path, "").to_string_lossy(), given)
}

fn format_of(path: &Path, given: Option<MeshFormat>) -> Result<Format> {
    let extension = ending(path, Format::Vtu.extension());
    if let Some(format) = MeshFormat::of(path, &extension.to_string_lossy(), given)? {
        return Ok(Format::Exchange(format));
    }
    Format::BY_ENDING
        .into_iter()
        .find(|format| extension.eq_ignore_ascii_case(format.extension()))
        .ok_or_else(|| {
            let known: Vec<String> =
                Format::extensions().iter().map(|ending| format!(".{ending}")).collect();
            Error::request(format!("{}: unknown output format", path.display()))
                .with_help(format!("end its name in one of {}", known.join(", ")))
        })
}
