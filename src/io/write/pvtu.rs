//! Parallel VTK XML grids (`.pvtu`): any amount of output as pieces, of which only
//! one is in memory at a time.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use super::layout::PieceLayout;
use super::single::write_whole;
use super::{Format, WriteOptions, xml};
use crate::error::{Error, Result};
use crate::io::atomic::{self, CompleteFile};
use crate::io::dataset::Dataset;
use crate::io::unfinished::{UnfinishedPath, at_once};

/// Writes `NAME.pvtu` and its pieces `NAME/NAME_0000.vtu`, `NAME/NAME_0001.vtu`, …
///
/// Pieces gather in a hidden directory beside; [`PieceWriter::finish`] gives it
/// its name and writes `NAME.pvtu` last. Dropped before, it leaves nothing.
#[derive(Debug)]
pub struct PieceWriter {
    // what has been pushed
    own: PieceShare,
    // Holds the new pieces in NAME/, and what they replace once `finish` has moved them.
    beside: TempDir,
    _unfinished: UnfinishedPath,
}

/// Writes some of the pieces of a [`PieceWriter`], by their numbers, from anywhere that its
/// directory can be written from: other programs, for instance.
#[derive(Debug)]
pub struct PieceShare {
    path: PathBuf,
    name: String,
    options: WriteOptions,
    // of the new pieces
    directory: PathBuf,
    record: ShareRecord,
}

/// What a share has written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct ShareRecord {
    // with the numbers below it
    end: usize,
    layout: Option<PieceLayout>,
    // of the index: the newest of its pieces
    high_order: bool,
}

/// Where a `.pvtu` will stand, links followed; refuses standard output.
///
/// # Errors
/// As [`atomic::check`].
pub(super) fn checked(path: &Path) -> Result<PathBuf> {
    if atomic::is_standard_output(path) {
        return Err(Error::request("a .pvtu and its pieces are several files")
            .with_help("give a name instead of standard output, or -.vtu"));
    }
    atomic::check(path)?;
    atomic::resolved(path).map_err(|e| atomic::refused(path, e))
}

impl PieceWriter {
    /// Starts the pieces of `path`, which ends in `.pvtu`.
    ///
    /// # Errors
    /// [`Error::Io`] or [`Error::File`] if the file cannot be written, or if its directory of
    /// pieces exists and holds anything but earlier pieces.
    pub fn create(path: impl AsRef<Path>, options: WriteOptions) -> Result<Self> {
        let path = checked(path.as_ref())?;
        let name = pieces_name(&path, |name| piece_name(name, 99_999))?;
        check_replaceable(&path.with_extension(""), &name)?;
        let mut builder = tempfile::Builder::new();
        let prefix = atomic::hidden_prefix(&name);
        builder.prefix(&prefix).suffix(".part");
        let create = || builder.tempdir_in(atomic::directory_of(&path));
        let (beside, _unfinished) = UnfinishedPath::create(create, TempDir::path)
            .and_then(|made| fs::create_dir(made.0.path().join(&name)).map(|()| made))
            .map_err(|e| atomic::refused(&path, e))?;
        let directory = beside.path().join(&name);
        let own = PieceShare { path, name, options, directory, record: ShareRecord::default() };
        Ok(Self { own, beside, _unfinished })
    }

    /// Writes the next piece. All pieces must have the same arrays.
    ///
    /// # Errors
    /// As [`PieceShare::push`].
    pub fn push(&mut self, piece: &Dataset) -> Result<()> {
        self.own.push(self.own.record.end, piece)
    }

    /// The directory of the new pieces, for [`PieceShare::open`].
    pub fn directory(&self) -> &Path {
        &self.own.directory
    }

    /// Takes over what a share has written, by its [`PieceShare::record`].
    ///
    /// # Errors
    /// [`Error::Request`] if its pieces have other arrays than those known.
    pub fn add_share(&mut self, record: &[u8]) -> Result<()> {
        let ShareRecord { end, layout, high_order } = serde_json::from_slice(record)
            .map_err(|e| Error::request(format!("no record of pieces: {e}")))?;
        if let Some(layout) = layout {
            self.own.check_layout(end.saturating_sub(1), &layout)?;
            self.own.record.layout.get_or_insert(layout);
        }
        self.own.record.end = self.own.record.end.max(end);
        self.own.record.high_order |= high_order;
        Ok(())
    }

    /// Moves the pieces to their names, then writes the `.pvtu`. Earlier output of
    /// the same name goes away once all is in place, and comes back if it fails.
    ///
    /// # Errors
    /// [`Error::Io`] if the files cannot be moved or written.
    pub fn finish(self) -> Result<()> {
        let beside = self.beside.path();
        let PieceShare { path, name, options, record, .. } = &self.own;
        let version =
            if record.high_order { xml::Version::HighOrder } else { xml::Version::Linear };
        let layout = record.layout.as_ref();
        let index = index(path, name, record.end, layout, version, options.compress)?;
        let pieces = path.with_extension("");
        // The old index goes first: it must never stand beside pieces not its own.
        let mut moves = vec![
            (path.clone(), beside.join("replaced.pvtu")),
            (pieces.clone(), beside.join("replaced")),
        ];
        moves.retain(|(from, _)| from.symlink_metadata().is_ok());
        moves.push((beside.join(name), pieces));
        at_once(|_| {
            let mut moved = 0;
            let result = moves
                .iter()
                .try_for_each(|(from, to)| fs::rename(from, to).map(|()| moved += 1))
                .and_then(|()| index.take_name());
            if result.is_err() {
                for (from, to) in moves[..moved].iter().rev() {
                    // The first error is the one to report.
                    let _ = fs::rename(to, from);
                }
            }
            result
        })
        .map_err(|e| atomic::refused(path, e))
    }
}

impl PieceShare {
    /// A share of the pieces of `path`, in the [`PieceWriter::directory`] of their writer.
    ///
    /// # Errors
    /// [`Error::File`] if the path ends in no name, or if the directory is not there: on another
    /// machine, for instance, that does not share the file system.
    pub fn open(
        path: impl AsRef<Path>,
        directory: impl AsRef<Path>,
        options: WriteOptions,
    ) -> Result<Self> {
        let path = path.as_ref();
        let path = atomic::resolved(path).map_err(|e| atomic::refused(path, e))?;
        let directory = directory.as_ref().to_owned();
        if !directory.is_dir() {
            return Err(Error::file(&path, None, "has no directory of pieces here").with_help(
                "write to a file system that all programs share, from the same directory",
            ));
        }
        let name = pieces_name(&path, |name| piece_name(name, 0))?;
        Ok(Self { path, name, options, directory, record: ShareRecord::default() })
    }

    /// Writes piece `index`. All pieces must have the same arrays.
    ///
    /// # Errors
    /// [`Error::Request`] if the dataset is inconsistent or differs from the first
    /// in its arrays; [`Error::Io`] if it cannot be written.
    pub fn push(&mut self, index: usize, piece: &Dataset) -> Result<()> {
        piece.check()?;
        let layout = PieceLayout::of(piece);
        self.check_layout(index, &layout)?;
        self.record.layout.get_or_insert(layout);
        let file = piece_name(&self.name, index);
        let (path, shown) = (self.directory.join(&file), self.path.with_extension("").join(&file));
        let (format, compress) = (Format::Vtu, self.options.compress);
        let write = |out: &mut _| write_whole(out, &self.path, format, compress, piece);
        atomic::write_shown(&path, &shown, write)?;
        self.record.end = self.record.end.max(index + 1);
        self.record.high_order |= xml::Version::of(&piece.cells) == xml::Version::HighOrder;
        Ok(())
    }

    /// What has been written, for [`PieceWriter::add_share`].
    pub fn record(&self) -> Vec<u8> {
        serde_json::to_vec(&self.record).unwrap_or_default()
    }

    fn check_layout(&self, index: usize, layout: &PieceLayout) -> Result<()> {
        if self.record.layout.as_ref().is_none_or(|first| first == layout) {
            return Ok(());
        }
        Err(Error::request(format!(
            "piece {index} of {} has other arrays than the first",
            self.path.display()
        ))
        .with_help("give all pieces the same arrays, in name, width, type and order"))
    }
}

/// What pieces of a `.pvtu` are called by; `longest` of their files has the longest name.
pub(super) fn pieces_name(path: &Path, longest: impl Fn(&str) -> String) -> Result<String> {
    const LONGEST: usize = 255; // bytes that most file systems take
    let name = path.file_stem().and_then(|stem| stem.to_str());
    // the index names its pieces in XML
    let name = name.filter(|name| !name.contains(char::is_control));
    let unfit = |why| Error::file(path, None, why).with_help("choose another name");
    let name =
        name.ok_or_else(|| unfit("pieces need a name in Unicode, without control characters"))?;
    if longest(name).len() > LONGEST {
        return Err(unfit("the names of its pieces would be longer than 255 bytes"));
    }
    Ok(name.to_owned())
}

pub(super) fn piece_name(name: &str, piece: usize) -> String {
    format!("{name}_{piece:04}.vtu")
}

/// Whether a file has the name of a record of a job that writes pieces.
pub(super) fn is_record(file: &str, name: &str) -> bool {
    file.strip_prefix(name).is_some_and(|rest| rest.starts_with("_job_") && rest.ends_with(".json"))
}

/// The `.pvtu` over `pieces` pieces.
pub(super) fn index(
    path: &Path,
    name: &str,
    pieces: usize,
    layout: Option<&PieceLayout>,
    version: xml::Version,
    compress: bool,
) -> Result<CompleteFile> {
    let mut text = xml::open_file("PUnstructuredGrid", version, compress);
    text.push_str("  <PUnstructuredGrid GhostLevel=\"0\">\n");
    if let Some(layout) = layout {
        push_arrays(&mut text, "PPointData", &layout.point_arrays);
        push_arrays(&mut text, "PCellData", &layout.cell_arrays);
        push_arrays(&mut text, "PPoints", std::slice::from_ref(&layout.points));
    }
    let directory = xml::escape(name);
    for piece in 0..pieces {
        let piece = piece_name(name, piece);
        let _ = writeln!(text, "    <Piece Source=\"{directory}/{}\"/>", xml::escape(&piece));
    }
    text.push_str("  </PUnstructuredGrid>\n</VTKFile>\n");
    let write = |out: &mut BufWriter<_>| out.write_all(text.as_bytes());
    CompleteFile::new(path, path, |out| write(out).map_err(|e| atomic::refused(path, e)))
}

fn push_arrays(text: &mut String, element: &str, arrays: &[String]) {
    if arrays.is_empty() {
        return;
    }
    let _ = writeln!(text, "    <{element}>");
    for attributes in arrays {
        let _ = writeln!(text, "      <PDataArray {attributes}/>");
    }
    let _ = writeln!(text, "    </{element}>");
}

/// Refuses to replace a directory that holds anything but pieces of this name, and records of
/// their jobs.
pub(super) fn check_replaceable(directory: &Path, name: &str) -> Result<()> {
    let is_piece = |file: &str| {
        let digits = file.strip_prefix(name).and_then(|rest| rest.strip_prefix('_'));
        digits
            .and_then(|rest| rest.strip_suffix(".vtu"))
            .is_some_and(|digits| digits.len() >= 4 && digits.bytes().all(|b| b.is_ascii_digit()))
    };
    let foreign = match fs::read_dir(directory) {
        Ok(mut files) => files
            .find_map(|file| {
                let file = file.ok()?.file_name();
                (!file.to_str().is_some_and(|file| is_piece(file) || is_record(file, name)))
                    .then_some(file)
            })
            .map(|file| {
                format!("contains {}, which is not a piece of {name}.pvtu", file.display())
            }),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => None,
        Err(e) => Some(format!("cannot hold the pieces of {name}.pvtu: {e}")),
    };
    match foreign {
        None => Ok(()),
        Some(message) => Err(Error::file(directory, None, message)
            .with_help("choose another name for the output, or move this away")),
    }
}
