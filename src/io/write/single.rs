//! Single files of any format from pieces of their data, of which one is in memory at a time.

use std::borrow::Borrow;
use std::io::{self, Seek, Write};
use std::path::Path;

use super::layout::PieceLayout;
use super::outline::{FileOutline, SingleFile, TotalCounts};
use super::writeback::Writeback;
use super::{Format, WriteOptions, csv, exchange, npz, vtk, vtu};
use crate::error::{Error, Result};
use crate::io::atomic;
use crate::io::dataset::{Dataset, DatasetCells};

/// Points or cells of a file that is brought to the disk while it is written.
const MIN_FLUSHED_ITEMS: usize = 1 << 20;

/// Writes one file from pieces, in the format of the path's ending: `.vtu`, `.vtk`, `.csv` or
/// `.npz`. The bytes are those that [`write`](super::write()) gives for all of the data at once:
/// the points of all pieces one after the other, and their cells, which name points by their
/// numbers in the whole file (see [`Dataset::offset_points`]).
///
/// In memory there is one piece. Compressed files need room on their disk for the plain arrays
/// while they are written.
///
/// # Errors
/// The error of a piece; [`Error::Request`] for a piece that is inconsistent, has other arrays or
/// cells of another type than the first, if all together are not what `outline` says, and for
/// `.pvtu` ([`PieceWriter`](super::PieceWriter) writes those); [`Error::Io`] if writing fails.
pub fn write_pieces<D: Borrow<Dataset>>(
    path: impl AsRef<Path>,
    outline: &FileOutline,
    pieces: impl IntoIterator<Item = Result<D>>,
    options: WriteOptions,
) -> Result<()> {
    let path = path.as_ref();
    let format = super::format_of(path, options.format)?;
    if let Format::Exchange(format) = format {
        return exchange::write_pieces(path, format, outline, pieces);
    }
    if format == Format::Vtk {
        vtk::check_points(outline.points)?;
    }
    atomic::write(path, |out| {
        let is_large = outline.points.max(outline.cells) > MIN_FLUSHED_ITEMS;
        // without it the file is whole as well, only later
        let _writeback = is_large.then(|| Writeback::begin(out.get_ref()).ok());
        fill(out, path, format, options.compress, outline, pieces)
    })
}

/// Writes a file in which `piece` is all, of `format`.
pub(super) fn write_whole(
    out: &mut (impl Write + Seek),
    path: &Path,
    format: Format,
    compress: bool,
    piece: &Dataset,
) -> Result<()> {
    fill(out, path, format, compress, &FileOutline::of(piece), [Ok(piece)])
}

fn fill<W: Write + Seek, D: Borrow<Dataset>>(
    out: &mut W,
    path: &Path,
    format: Format,
    compress: bool,
    outline: &FileOutline,
    pieces: impl IntoIterator<Item = Result<D>>,
) -> Result<()> {
    let mut out = Some(out);
    let mut started: Option<(Box<dyn SingleFile + '_>, PieceForm)> = None;
    let mut done = TotalCounts { points: 0, cells: 0 };
    for (number, piece) in pieces.into_iter().enumerate() {
        let piece = piece?;
        let piece: &Dataset = piece.borrow();
        piece.check_within(outline.points)?;
        let kind = PieceForm::of(piece);
        if let Some((_, first)) = &started {
            first.agree(&kind, number)?;
        }
        let is_whole = piece.points.len() == outline.points && piece.cells.len() == outline.cells;
        let is_mixed = kind.cells.is_none() && format != Format::Csv;
        if (is_mixed || !piece.field_arrays.is_empty()) && !is_whole {
            return Err(Error::request(format!("piece {number} has mixed cells or fields"))
                .with_help("give such data as one piece, or write a .pvtu"));
        }
        let points = done.points + piece.points.len();
        let cells = done.cells + piece.cells.len();
        if points > outline.points || cells > outline.cells {
            return Err(disagree(outline, points, cells));
        }
        let failed = |e| atomic::refused(path, e);
        if let Some(out) = out.take() {
            if format == Format::Vtk {
                vtk::check(piece)?;
            }
            let file = begin(out, path, format, compress, outline, piece).map_err(failed)?;
            started = Some((file, kind));
        }
        if let Some((file, _)) = &mut started {
            if format == Format::Vtk {
                outline.check_wide(piece)?;
            }
            file.push(piece, done.cells).map_err(failed)?;
        }
        done = TotalCounts { points, cells };
    }
    match started {
        Some((file, _)) if (done.points, done.cells) == (outline.points, outline.cells) => {
            file.finish().map_err(|e| atomic::refused(path, e))
        }
        _ => Err(disagree(outline, done.points, done.cells)),
    }
}

fn begin<'o, W: Write + Seek>(
    out: &'o mut W,
    path: &Path,
    format: Format,
    compress: bool,
    outline: &FileOutline,
    first: &Dataset,
) -> io::Result<Box<dyn SingleFile + 'o>> {
    let whole = TotalCounts { points: outline.points, cells: outline.cells };
    Ok(match (format, compress) {
        (Format::Vtu | Format::Pvtu, false) => Box::new(vtu::PlainVtu::new(out, first, whole)),
        (Format::Vtu | Format::Pvtu, true) => {
            Box::new(vtu::CompressedVtu::new(out, first, whole, path)?)
        }
        (Format::Vtk, _) => Box::new(vtk::LegacyFile::new(out, first, outline)),
        (Format::Csv, _) => Box::new(csv::TableFile::new(out, first)?),
        (Format::Npz, false) => Box::new(npz::PlainArchive::new(out, first, whole)?),
        (Format::Npz, true) => Box::new(npz::CompressedArchive::new(out, first, whole, path)),
        (Format::Exchange(_), _) => return Err(io::Error::other("such files are written whole")),
    })
}

/// What all pieces share.
struct PieceForm {
    layout: PieceLayout,
    // type and size, unless they are mixed
    cells: Option<(u8, usize)>,
}

impl PieceForm {
    fn of(piece: &Dataset) -> Self {
        let cells = match &piece.cells {
            DatasetCells::Uniform { vtk_type, size, .. } => Some((*vtk_type, *size)),
            DatasetCells::Mixed(_) => None,
        };
        Self { layout: PieceLayout::of(piece), cells }
    }

    fn agree(&self, other: &Self, number: usize) -> Result<()> {
        if self.layout != other.layout {
            return Err(Error::request(format!("piece {number} has other arrays than piece 0"))
                .with_help("give all pieces the same arrays, in name, width, type and order"));
        }
        if self.cells != other.cells {
            return Err(Error::request(format!("piece {number} has other cells than piece 0"))
                .with_help("give all pieces cells of one type, or write a .pvtu"));
        }
        Ok(())
    }
}

fn disagree(outline: &FileOutline, points: usize, cells: usize) -> Error {
    Error::request(format!(
        "pieces of {points} points and {cells} cells for a file of {} and {}",
        outline.points, outline.cells
    ))
    .with_help("count the points and cells of all pieces before")
}
