//! Matrices as files.

use std::io::{self, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Matrix;
use crate::error::{Error, Result};
use crate::io::{Archive, atomic, write_rows};

/// Vertices of a task, with some hundred entries each or nine times as many.
const VERTICES: usize = 64;

/// A format of sparse matrices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum MatrixFormat {
    /// Compressed sparse rows for scipy.sparse.load_npz
    ///
    /// All entries.
    #[default]
    Npz,
    /// Matrix Market: the lower triangle as text
    ///
    /// Read by most programs, as symmetric.
    #[cfg_attr(feature = "cli", value(name = "mtx"))]
    #[serde(rename = "mtx")]
    MatrixMarket,
}

impl MatrixFormat {
    /// Endings of files of all formats.
    pub const ENDINGS: [&'static str; 2] = ["npz", "mtx"];

    /// Ending of files of this format.
    pub fn ending(self) -> &'static str {
        let [npz, mtx] = Self::ENDINGS;
        match self {
            Self::Npz => npz,
            Self::MatrixMarket => mtx,
        }
    }
}

/// Writes a matrix; the file appears under its name when it is complete.
///
/// # Errors
/// [`Error::Io`] if writing fails; [`Error::Request`] for 2³¹ rows or more.
pub fn write_matrix(
    path: impl AsRef<Path>,
    matrix: &Matrix,
    format: MatrixFormat,
    compress: bool,
) -> Result<()> {
    let path = path.as_ref();
    if matrix.size() > i32::MAX as usize {
        return Err(Error::request(format!("a matrix of {} rows", matrix.size()))
            .with_help("files number rows in 31 bits: take the part in pieces"));
    }
    atomic::write(path, |out| {
        let written = match format {
            MatrixFormat::Npz => write_npz(out, matrix, compress),
            MatrixFormat::MatrixMarket => write_text(out, matrix),
        };
        written.map_err(|e| atomic::refused(path, e))
    })
}

/// As `scipy.sparse.save_npz` does.
fn write_npz(out: &mut (impl Write + io::Seek), matrix: &Matrix, compress: bool) -> io::Result<()> {
    let mut archive = Archive::new(out, compress);
    let (size, entries) = (matrix.size(), matrix.len());
    // 64 bits only where SciPy needs them
    let wide = entries > i32::MAX as usize;
    archive.begin("indices", "i4", &[entries])?;
    matrix.for_each_row(|columns, _| archive.append(bytemuck::cast_slice(columns)))?;
    let mut end = 0_usize;
    archive.begin("indptr", if wide { "i8" } else { "i4" }, &[size + 1])?;
    let push = |archive: &mut Archive<_>, end: usize| {
        if wide {
            archive.append(&(end as i64).to_ne_bytes())
        } else {
            archive.append(&(end as i32).to_ne_bytes())
        }
    };
    push(&mut archive, 0)?;
    matrix.for_each_row(|columns, _| {
        end += columns.len();
        push(&mut archive, end)
    })?;
    archive.push("format", "S3", &[], b"csr")?;
    let shape = [size as i64; 2];
    archive.push("shape", "i8", &[2], bytemuck::cast_slice(&shape))?;
    archive.begin("data", "f8", &[entries])?;
    matrix.for_each_row(|_, values| archive.append(bytemuck::cast_slice(values)))?;
    archive.finish()
}

/// <https://math.nist.gov/MatrixMarket/formats.html>, numbers with all their digits.
fn write_text(out: &mut impl Write, matrix: &Matrix) -> io::Result<()> {
    let (mut row, mut entries) = (0, 0);
    let lower = |columns: &[u32], row: u32| columns.partition_point(|&c| c <= row);
    matrix.for_each_row(|columns, _| {
        entries += lower(columns, row);
        row += 1;
        Ok::<_, io::Error>(())
    })?;
    writeln!(out, "%%MatrixMarket matrix coordinate real symmetric")?;
    let size = matrix.size();
    writeln!(out, "{size} {size} {entries}")?;
    let rows_per_vertex = size / matrix.vertex_count().max(1);
    write_rows(out, matrix.vertex_count(), VERTICES, |vertices, text| {
        let mut row = (rows_per_vertex * vertices.start) as u32;
        matrix.for_each_row_of(vertices, |columns, values| {
            for (column, value) in columns.iter().zip(values).take(lower(columns, row)) {
                writeln!(text, "{} {} {value:e}", row + 1, column + 1)?;
            }
            row += 1;
            Ok(())
        })
    })
}
