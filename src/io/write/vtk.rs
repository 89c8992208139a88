//! Legacy VTK files (`.vtk`), version 3.0, binary: big-endian throughout.
//!
//! Integers are written as 32 bits, which every reader knows; 64-bit arrays keep
//! their width only where a value needs it.

use std::fmt::Write as _;
use std::io::{self, Write};

use crate::io::dataset::{Array, ArrayData, Dataset, DatasetCells, MixedCells, Points, vtk_type};
use crate::{Error, Result};

const CHUNK: usize = 1 << 14; // values swapped at a time

/// Checks that the format can hold `dataset`.
///
/// # Errors
/// [`Error::Request`] for more points than 32-bit ids can name, and for high-order
/// cells, whose node order readers of this format disagree about.
pub fn check(dataset: &Dataset) -> Result<()> {
    let has = |types: &[u8], kind| types.contains(&kind);
    let types = match &dataset.cells {
        DatasetCells::Uniform { vtk_type, .. } => std::slice::from_ref(vtk_type),
        DatasetCells::Mixed(cells) => &cells.vtk_types,
    };
    if has(types, vtk_type::LAGRANGE_HEXAHEDRON) || has(types, vtk_type::BEZIER_HEXAHEDRON) {
        return Err(Error::request("high-order cells have no agreed node order in a .vtk file")
            .with_help("write a .vtu file"));
    }
    if i32::try_from(dataset.points.len()).is_err() {
        let count = dataset.points.len();
        return Err(Error::request(format!("{count} points are too many for a .vtk file"))
            .with_help("write a .vtu or .pvtu file"));
    }
    Ok(())
}

/// Writes `dataset`, which has been checked.
pub fn write(out: &mut impl Write, dataset: &Dataset) -> io::Result<()> {
    out.write_all(b"# vtk DataFile Version 3.0\nsubsolid\nBINARY\nDATASET UNSTRUCTURED_GRID\n")?;
    write_arrays(out, &dataset.field_arrays)?;
    let count = dataset.points.len();
    match &dataset.points {
        Points::F64(points) => {
            writeln!(out, "POINTS {count} double")?;
            write_big_endian(out, points.as_flattened().iter().map(|v| v.to_be_bytes()))?;
        }
        Points::F32(points) => {
            writeln!(out, "POINTS {count} float")?;
            write_big_endian(out, points.as_flattened().iter().map(|v| v.to_be_bytes()))?;
        }
    }
    write_cells(out, &dataset.cells)?;
    for (kind, arrays, count) in [
        ("POINT_DATA", &dataset.point_arrays, count),
        ("CELL_DATA", &dataset.cell_arrays, dataset.cells.len()),
    ] {
        if !arrays.is_empty() {
            writeln!(out, "{kind} {count}")?;
            write_arrays(out, arrays)?;
        }
    }
    Ok(())
}

/// Each cell: how many integers follow, then its points, or a polyhedron's faces.
fn write_cells(out: &mut impl Write, cells: &DatasetCells) -> io::Result<()> {
    let count = cells.len();
    match cells {
        DatasetCells::Uniform { vtk_type, size, connectivity } => {
            writeln!(out, "CELLS {count} {}", count + connectivity.len())?;
            let rows = connectivity
                .chunks_exact(*size)
                .flat_map(|cell| std::iter::once(*size as u32).chain(cell.iter().copied()));
            write_big_endian(out, rows.map(u32::to_be_bytes))?;
            writeln!(out, "CELL_TYPES {count}")?;
            let types = std::iter::repeat_n(i32::from(*vtk_type), count);
            write_big_endian(out, types.map(i32::to_be_bytes))
        }
        DatasetCells::Mixed(mixed) => {
            let rows = mixed_rows(mixed);
            let size: usize = rows.iter().map(|row| 1 + row.len()).sum();
            writeln!(out, "CELLS {count} {size}")?;
            let integers = rows
                .iter()
                .flat_map(|row| std::iter::once(row.len() as u32).chain(row.iter().copied()));
            write_big_endian(out, integers.map(u32::to_be_bytes))?;
            writeln!(out, "CELL_TYPES {count}")?;
            write_big_endian(out, mixed.vtk_types.iter().map(|&t| i32::from(t).to_be_bytes()))
        }
    }
}

/// What stands for each cell: its points, or a polyhedron's faces.
fn mixed_rows(cells: &MixedCells) -> Vec<&[u32]> {
    let (mut start, mut face_start) = (0, 0);
    let row = |c: usize| {
        let end = cells.ends[c] as usize;
        let points = &cells.connectivity[start..end];
        start = end;
        match &cells.faces {
            Some(faces) if faces.ends[c] >= 0 => {
                let face_end = faces.ends[c] as usize;
                let stream = &faces.stream[face_start..face_end];
                face_start = face_end;
                stream
            }
            _ => points,
        }
    };
    (0..cells.vtk_types.len()).map(row).collect()
}

fn write_arrays(out: &mut impl Write, arrays: &[Array]) -> io::Result<()> {
    if arrays.is_empty() {
        return Ok(());
    }
    writeln!(out, "FIELD FieldData {}", arrays.len())?;
    for array in arrays {
        write!(out, "{} {} {} ", encode(&array.name), array.width, array.entries())?;
        match &array.data {
            ArrayData::F32(values) => {
                writeln!(out, "float")?;
                write_big_endian(out, values.iter().map(|v| v.to_be_bytes()))?;
            }
            ArrayData::F64(values) => {
                writeln!(out, "double")?;
                write_big_endian(out, values.iter().map(|v| v.to_be_bytes()))?;
            }
            ArrayData::I32(values) => {
                writeln!(out, "int")?;
                write_big_endian(out, values.iter().map(|v| v.to_be_bytes()))?;
            }
            ArrayData::I64(values) if values.iter().all(|&v| i32::try_from(v).is_ok()) => {
                writeln!(out, "int")?;
                write_big_endian(out, values.iter().map(|&v| (v as i32).to_be_bytes()))?;
            }
            ArrayData::I64(values) => {
                writeln!(out, "vtktypeint64")?;
                write_big_endian(out, values.iter().map(|v| v.to_be_bytes()))?;
            }
            ArrayData::U8(values) => {
                writeln!(out, "unsigned_char")?;
                write_big_endian(out, values.iter().map(|&v| [v]))?;
            }
        }
    }
    Ok(())
}

/// Writes the bytes of `values` and a line end, gathering them first.
fn write_big_endian<const N: usize>(
    out: &mut impl Write,
    values: impl Iterator<Item = [u8; N]>,
) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(CHUNK * N);
    for value in values {
        bytes.extend_from_slice(&value);
        if bytes.len() == CHUNK * N {
            out.write_all(&bytes)?;
            bytes.clear();
        }
    }
    bytes.push(b'\n');
    out.write_all(&bytes)
}

/// A name without blanks, as VTK encodes and decodes it.
fn encode(name: &str) -> String {
    let mut encoded = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_graphic() && byte != b'"' && byte != b'%' {
            encoded.push(byte as char);
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}
