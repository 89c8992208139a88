//! Legacy VTK files (`.vtk`), version 3.0, binary: big-endian throughout.
//!
//! Integers are written as 32 bits, which every reader knows; 64-bit arrays keep
//! their width only where a value of the file needs it.

use std::fmt::Write as _;
use std::io::{self, Seek, Write};

use super::outline::{FileOutline, SingleFile, wide};
use super::placed::PlacedSections;
use super::values::{ArrayValues, NumberSize, Section, ValueSource, coordinate_bytes, entry};
use crate::error::{Error, Result};
use crate::io::dataset::{Array, ArrayData, Dataset, DatasetCells, MixedCells, Points, vtk_type};

/// Checks that the format can hold the cells of `dataset`.
///
/// # Errors
/// [`Error::Request`] for high-order cells, whose node order readers of this format disagree
/// about.
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
    Ok(())
}

/// Checks that the format can hold `count` points.
///
/// # Errors
/// [`Error::Request`] for more than 32-bit ids can name.
pub fn check_points(count: usize) -> Result<()> {
    match i32::try_from(count) {
        Ok(_) => Ok(()),
        Err(_) => Err(Error::request(format!("{count} points are too many for a .vtk file"))
            .with_help("write a .vtu or .pvtu file")),
    }
}

/// A file being written from pieces.
pub struct LegacyFile<'o, W> {
    out: &'o mut W,
    outline: FileOutline,
    placed: PlacedSections,
}

impl<'o, W: Write + Seek> LegacyFile<'o, W> {
    /// A file at the start of `out`, of pieces like `first`, which has been checked.
    pub fn new(out: &'o mut W, first: &Dataset, outline: &FileOutline) -> Self {
        let mixed = MixedNumbers::of(&first.cells);
        let mut before =
            "# vtk DataFile Version 3.0\nsubsolid\nBINARY\nDATASET UNSTRUCTURED_GRID\n".to_owned();
        let sections = sections(first, &mixed, outline).into_iter().map(|(text, section)| {
            before.push_str(&text);
            // every section ends in a line end
            let text = std::mem::replace(&mut before, "\n".to_owned());
            (text.into_bytes(), section.total(outline.points, outline.cells))
        });
        let placed = PlacedSections::new(sections);
        Self { out, outline: outline.clone(), placed }
    }
}

impl<W: Write + Seek> SingleFile for LegacyFile<'_, W> {
    fn push(&mut self, piece: &Dataset, _cells_before: usize) -> io::Result<()> {
        let mixed = MixedNumbers::of(&piece.cells);
        let sections = sections(piece, &mixed, &self.outline);
        for (i, (_, section)) in sections.iter().enumerate() {
            self.placed.append(self.out, i, &section.values, |_| ())?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        self.placed.finish(self.out, b"\n")
    }
}

/// All sections of the file for a piece, each with the text before it.
fn sections<'a>(
    piece: &'a Dataset,
    mixed: &'a MixedNumbers,
    outline: &FileOutline,
) -> Vec<(String, Section<'a>)> {
    let mut sections = Vec::new();
    let FileOutline { points, cells, .. } = *outline;
    let kept = wide(&piece.field_arrays);
    let field = |array: &Array, _| (array.entries(), ValueSource::File);
    push_arrays(&mut sections, String::new(), &piece.field_arrays, &kept, field);
    let kind = match &piece.points {
        Points::F64(_) => "double",
        Points::F32(_) => "float",
    };
    let of = ValueSource::Points(coordinate_bytes(&piece.points));
    let coordinates = Section { of, values: ArrayValues::big_endian_points(&piece.points) };
    sections.push((format!("POINTS {points} {kind}\n"), coordinates));
    push_cells(&mut sections, &piece.cells, mixed, cells);
    let (text, kept) = (format!("POINT_DATA {points}\n"), &outline.wide_point_arrays);
    let point = |_: &Array, bytes| (points, ValueSource::Points(bytes));
    push_arrays(&mut sections, text, &piece.point_arrays, kept, point);
    let (text, kept) = (format!("CELL_DATA {cells}\n"), &outline.wide_cell_arrays);
    let cell = |_: &Array, bytes| (cells, ValueSource::Cells(bytes));
    push_arrays(&mut sections, text, &piece.cell_arrays, kept, cell);
    sections
}

/// Each cell: how many integers follow, then its points, or a polyhedron's faces.
fn push_cells<'a>(
    sections: &mut Vec<(String, Section<'a>)>,
    cells: &'a DatasetCells,
    mixed: &'a MixedNumbers,
    count: usize,
) {
    let big_endian = |numbers: &'a [u32]| {
        ArrayValues::BigEndian(bytemuck::cast_slice(numbers), NumberSize::Four)
    };
    let (integers, rows, types) = match cells {
        DatasetCells::Uniform { vtk_type, size, connectivity } => {
            let rows = ArrayValues::Rows { size: *size, ids: connectivity };
            let types =
                ArrayValues::RepeatedBigEndian { value: (*vtk_type).into(), count: cells.len() };
            let of = ValueSource::Cells(4 * (size + 1));
            (count * (size + 1), (of, rows), (ValueSource::Cells(4), types))
        }
        DatasetCells::Mixed(_) => {
            let rows = (ValueSource::File, big_endian(&mixed.rows));
            (mixed.rows.len(), rows, (ValueSource::File, big_endian(&mixed.types)))
        }
    };
    let section = |(of, values)| Section { of, values };
    sections.push((format!("CELLS {count} {integers}\n"), section(rows)));
    sections.push((format!("CELL_TYPES {count}\n"), section(types)));
}

/// Cells of any types as the file has them.
#[derive(Default)]
struct MixedNumbers {
    rows: Vec<u32>,
    types: Vec<u32>,
}

impl MixedNumbers {
    /// Nothing for equal cells.
    fn of(cells: &DatasetCells) -> Self {
        let DatasetCells::Mixed(mixed) = cells else { return Self::default() };
        let rows = mixed_rows(mixed);
        let rows = rows
            .iter()
            .flat_map(|row| std::iter::once(row.len() as u32).chain(row.iter().copied()));
        Self { rows: rows.collect(), types: mixed.vtk_types.iter().map(|&t| t.into()).collect() }
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

fn push_arrays<'a>(
    sections: &mut Vec<(String, Section<'a>)>,
    mut before: String,
    arrays: &'a [Array],
    wide: &[String],
    // number of entries in the file and what they belong to, given the bytes of one
    place: impl Fn(&Array, usize) -> (usize, ValueSource),
) {
    if arrays.is_empty() {
        return;
    }
    let _ = writeln!(before, "FIELD FieldData {}", arrays.len());
    for array in arrays {
        let (mut bytes, kept) = (entry(array), wide.contains(&array.name));
        let (kind, values) = match &array.data {
            ArrayData::F32(_) => ("float", ArrayValues::big_endian(&array.data)),
            ArrayData::F64(_) => ("double", ArrayValues::big_endian(&array.data)),
            ArrayData::I32(_) => ("int", ArrayValues::big_endian(&array.data)),
            ArrayData::U8(_) => ("unsigned_char", ArrayValues::big_endian(&array.data)),
            ArrayData::I64(_) if kept => ("vtktypeint64", ArrayValues::big_endian(&array.data)),
            ArrayData::I64(values) => {
                bytes = 4 * array.width;
                ("int", ArrayValues::Narrowed(values))
            }
        };
        let (entries, of) = place(array, bytes);
        let mut text = std::mem::take(&mut before);
        let _ = writeln!(text, "{} {} {entries} {kind}", encode(&array.name), array.width);
        sections.push((text, Section { of, values }));
    }
}

/// Longest name that VTK reads, encoded: beyond it the rest of the file is lost.
const MAX_NAME_BYTES: usize = 255;

/// Refuses a name that VTK cannot read back.
pub fn check_name(name: &str) -> Result<()> {
    let bytes = encode(name).len();
    if bytes <= MAX_NAME_BYTES {
        return Ok(());
    }
    let start: String = name.chars().take(40).collect();
    Err(Error::request(format!(
        "the name `{start}…` has {bytes} bytes in .vtk, of which VTK reads {MAX_NAME_BYTES} at most"
    ))
    .with_help("shorten it, or write .vtu"))
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
