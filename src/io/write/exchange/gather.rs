//! Pieces of a dataset joined into one: files with groups list elements by them.

use std::borrow::Borrow;
use std::path::Path;

use super::MeshFormat;
use crate::error::{Error, Result};
use crate::io::dataset::{Array, Dataset, DatasetCells, Points};
use crate::io::write::FileOutline;

/// Writes a file from pieces, which are gathered in memory.
///
/// # Errors
/// The error of a piece; [`Error::Request`] if pieces disagree; as [`super::write()`].
pub fn write_pieces<D: Borrow<Dataset>>(
    path: &Path,
    format: MeshFormat,
    outline: &FileOutline,
    pieces: impl IntoIterator<Item = Result<D>>,
) -> Result<()> {
    let mut whole: Option<Dataset> = None;
    for piece in pieces {
        let piece = piece?;
        let piece: &Dataset = piece.borrow();
        piece.check_within(outline.points)?;
        match &mut whole {
            None => whole = Some(piece.clone()),
            Some(whole) => {
                append(whole, piece).ok_or_else(|| {
                    Error::request("pieces have different arrays or cells")
                        .with_help("give all pieces the same arrays, and cells of one type")
                })?;
            }
        }
    }
    let whole =
        whole.unwrap_or_else(|| Dataset::new(Vec::<[f64; 3]>::new(), DatasetCells::default()));
    whole.check()?;
    super::write(path, format, &whole, &outline.side_groups)
}

/// Appends a piece whose points are numbered in the whole; `None` if it has other arrays.
fn append(whole: &mut Dataset, piece: &Dataset) -> Option<()> {
    match (&mut whole.points, &piece.points) {
        (Points::F32(all), Points::F32(own)) => all.extend(own),
        (Points::F64(all), Points::F64(own)) => all.extend(own),
        _ => return None,
    }
    match (&mut whole.cells, &piece.cells) {
        (
            DatasetCells::Uniform { vtk_type, size, connectivity },
            DatasetCells::Uniform { vtk_type: own_type, size: own_size, connectivity: own },
        ) if vtk_type == own_type && size == own_size => connectivity.extend(own),
        _ => return None,
    }
    append_arrays(&mut whole.point_arrays, &piece.point_arrays)?;
    append_arrays(&mut whole.cell_arrays, &piece.cell_arrays)
}

fn append_arrays(all: &mut [Array], own: &[Array]) -> Option<()> {
    let is_same = all.len() == own.len();
    let mut append = |(all, own): (&mut Array, &Array)| {
        all.name == own.name && all.width == own.width && all.data.append(&own.data)
    };
    (is_same && all.iter_mut().zip(own).all(&mut append)).then_some(())
}
