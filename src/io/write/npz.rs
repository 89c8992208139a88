//! NumPy archives (`.npz`), read by `numpy.load`.
//!
//! | array | shape and type |
//! |---|---|
//! | `points` | (points, 3), f4 or f8 |
//! | `cells` | (cells, size) u4 if all cells are equal, else (ids,) u4 |
//! | `cell_types` | (cells,) u1, VTK's numbers |
//! | `cell_ends` | mixed cells: (cells,) i8, points of cell c are `cells[cell_ends[c-1]:cell_ends[c]]` |
//! | `faces`, `face_ends` | polyhedra: u4 and (cells,) i8, see [`PolyhedronFaces`] |
//! | `point/NAME`, `cell/NAME`, `field/NAME` | (entries,) or (entries, width) of the named array |

use std::collections::HashSet;
use std::io::{self, Seek, Write};
use std::path::Path;

use super::outline::{SingleFile, TotalCounts};
use super::placed::PlacedSections;
use super::section_queue::{SectionQueue, SectionSink};
use super::values::{ArrayValues, Section, ValueSource};
use super::zip_records::{ZipEntry, ZipMethod, central_directory};
use super::zip_stream::{ZipStream, is_large};
use crate::io::dataset::{Array, ArrayData, Dataset, DatasetCells, Points, PolyhedronFaces};
use crate::io::plain_name;

const ORDER: char = if cfg!(target_endian = "big") { '>' } else { '<' };

/// An archive written from pieces.
pub struct PlainArchive<'o, W> {
    out: &'o mut W,
    placed: PlacedSections,
    entries: Vec<ZipEntry>,
}

impl<'o, W: Write + Seek> PlainArchive<'o, W> {
    /// An archive at the start of `out`, of pieces like `first`, which has been checked.
    pub fn new(out: &'o mut W, first: &Dataset, whole: TotalCounts) -> io::Result<Self> {
        let mut names = HashSet::new();
        let mut sections = Vec::new();
        let mut entries = Vec::new();
        let mut start = 0;
        for NamedSection { name, number, shape, section } in named_sections(first, whole) {
            refuse_twice(&mut names, &name)?;
            let header = npy_header(number, &shape);
            let bytes = section.total(whole.points, whole.cells);
            let length = header.len() as u64 + bytes;
            let name = format!("{name}.npy");
            let mut entry = ZipEntry::new(name, start, ZipMethod::Stored, is_large(bytes));
            entry.set_lengths(length, length);
            entry.add(&header);
            let text = [entry.local_header(), header].concat();
            start += text.len() as u64 + bytes;
            sections.push((text, bytes));
            entries.push(entry);
        }
        Ok(Self { out, placed: PlacedSections::new(sections), entries })
    }
}

impl<W: Write + Seek> SingleFile for PlainArchive<'_, W> {
    fn push(&mut self, piece: &Dataset, _cells_before: usize) -> io::Result<()> {
        // shapes are of the piece here, and not used
        let whole = TotalCounts { points: piece.points.len(), cells: piece.cells.len() };
        for (i, section) in named_sections(piece, whole).iter().enumerate() {
            let entry = &mut self.entries[i];
            self.placed.append(self.out, i, &section.section.values, |bytes| entry.add(bytes))?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        // the checksums are known by now
        for entry in &self.entries {
            self.placed.overwrite(self.out, entry.start(), &entry.local_header())?;
        }
        let directory = central_directory(&self.entries, self.placed.end());
        self.placed.finish(self.out, &directory)
    }
}

/// A compressed archive written from pieces.
pub struct CompressedArchive<'o, W: Write + Seek> {
    sections: SectionQueue,
    turn: ArchiveSink<'o, W>,
}

struct ArchiveSink<'o, W: Write + Seek> {
    archive: Archive<&'o mut W>,
    // name, type and shape of each
    arrays: Vec<(String, &'static str, Vec<usize>)>,
}

impl<'o, W: Write + Seek> CompressedArchive<'o, W> {
    /// Starts an archive as [`PlainArchive::new`] does; `output`: the file.
    pub fn new(out: &'o mut W, first: &Dataset, whole: TotalCounts, output: &Path) -> Self {
        let named = named_sections(first, whole);
        let bytes = named.iter().map(|named| named.section.total(whole.points, whole.cells));
        let sections = SectionQueue::new(output, bytes);
        let arrays = named.into_iter().map(|n| (n.name, n.number, n.shape)).collect();
        Self { sections, turn: ArchiveSink { archive: Archive::new(out, true), arrays } }
    }
}

impl<W: Write + Seek> SingleFile for CompressedArchive<'_, W> {
    fn push(&mut self, piece: &Dataset, _cells_before: usize) -> io::Result<()> {
        let whole = TotalCounts { points: piece.points.len(), cells: piece.cells.len() };
        for (i, section) in named_sections(piece, whole).iter().enumerate() {
            self.sections.append(&mut self.turn, i, &section.section.values)?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        self.turn.archive.finish()
    }
}

impl<W: Write + Seek> SectionSink for ArchiveSink<'_, W> {
    fn begin(&mut self, section: usize) -> io::Result<()> {
        let (name, number, shape) = &self.arrays[section];
        self.archive.begin(name, number, shape)
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.archive.append(bytes)
    }

    fn end(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// An array of the archive: the part of it that a piece has, and the shape of all.
struct NamedSection<'a> {
    name: String,
    number: &'static str,
    shape: Vec<usize>,
    section: Section<'a>,
}

/// The arrays of the archive in their order.
fn named_sections(piece: &Dataset, whole: TotalCounts) -> Vec<NamedSection<'_>> {
    let mut all = Vec::new();
    let mut push = |name: &str, number, shape: &[usize], section| {
        all.push(NamedSection { name: name.into(), number, shape: shape.into(), section });
    };
    let point_type = match &piece.points {
        Points::F32(_) => "f4",
        Points::F64(_) => "f8",
    };
    let TotalCounts { points, cells } = whole;
    push("points", point_type, &[points, 3], Section::coordinates(&piece.points));
    match &piece.cells {
        DatasetCells::Uniform { vtk_type, size, connectivity } => {
            let values = ArrayValues::Bytes(bytemuck::cast_slice(connectivity));
            push(
                "cells",
                "u4",
                &[cells, *size],
                Section { of: ValueSource::Cells(4 * size), values },
            );
            let values = ArrayValues::Repeated { value: *vtk_type, count: piece.cells.len() };
            push("cell_types", "u1", &[cells], Section { of: ValueSource::Cells(1), values });
        }
        DatasetCells::Mixed(mixed) => {
            let file = |bytes| Section { of: ValueSource::File, values: ArrayValues::Bytes(bytes) };
            let ids = &mixed.connectivity;
            push("cells", "u4", &[ids.len()], file(bytemuck::cast_slice(ids)));
            push("cell_types", "u1", &[cells], file(&mixed.vtk_types));
            push("cell_ends", "i8", &[cells], file(bytemuck::cast_slice(&mixed.ends)));
            if let Some(PolyhedronFaces { stream, ends }) = &mixed.faces {
                push("faces", "u4", &[stream.len()], file(bytemuck::cast_slice(stream)));
                push("face_ends", "i8", &[cells], file(bytemuck::cast_slice(ends)));
            }
        }
    }
    let name = |group: &str, array: &Array| format!("{group}/{}", plain_name(&array.name));
    for array in &piece.point_arrays {
        let (number, shape) = number_and_shape(array, points);
        push(&name("point", array), number, &shape, Section::of_points(array));
    }
    for array in &piece.cell_arrays {
        let (number, shape) = number_and_shape(array, cells);
        push(&name("cell", array), number, &shape, Section::of_cells(array));
    }
    for array in &piece.field_arrays {
        let (number, shape) = number_and_shape(array, array.entries());
        push(&name("field", array), number, &shape, Section::of_file(array));
    }
    all
}

/// Writes `arrays`, which have been checked, under their own names.
pub fn write_arrays(
    out: &mut (impl Write + Seek),
    arrays: &[Array],
    compress: bool,
) -> io::Result<()> {
    let mut archive = Archive::new(out, compress);
    for array in arrays {
        let parts: Vec<String> =
            array.name.split('/').filter(|part| !part.is_empty()).map(plain_name).collect();
        archive.push_array(&parts.join("/"), array)?;
    }
    archive.finish()
}

fn number_and_shape(array: &Array, entries: usize) -> (&'static str, Vec<usize>) {
    let number = match array.data {
        ArrayData::F32(_) => "f4",
        ArrayData::F64(_) => "f8",
        ArrayData::I32(_) => "i4",
        ArrayData::I64(_) => "i8",
        ArrayData::U8(_) => "u1",
    };
    let shape = [entries, array.width];
    (number, if array.width == 1 { &shape[..1] } else { &shape[..] }.to_vec())
}

/// Refuses a second array of the same name.
fn refuse_twice(names: &mut HashSet<String>, name: &str) -> io::Result<()> {
    if names.insert(name.to_owned()) {
        Ok(())
    } else {
        Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("two arrays would have the name {name:?}: rename one of them"),
        ))
    }
}

/// A zip archive of `.npy` files.
pub(crate) struct Archive<W: Write + Seek> {
    zip: ZipStream<W>,
    /// Names of the arrays.
    names: HashSet<String>,
    /// Bytes of the last array by its header, before compression.
    announced: Option<u64>,
}

impl<W: Write + Seek> Archive<W> {
    /// An archive without arrays, at the start of `out`.
    pub(crate) fn new(out: W, compress: bool) -> Self {
        Self { zip: ZipStream::new(out, compress), names: HashSet::new(), announced: None }
    }

    /// Adds an array in C order.
    pub(crate) fn push(
        &mut self,
        name: &str,
        number: &str,
        shape: &[usize],
        bytes: &[u8],
    ) -> io::Result<()> {
        self.begin(name, number, shape)?;
        self.append(bytes)
    }

    /// Adds an array under `name` instead of its own.
    pub(crate) fn push_array(&mut self, name: &str, array: &Array) -> io::Result<()> {
        let (number, shape) = number_and_shape(array, array.entries());
        self.push(name, number, &shape, array.data.bytes())
    }

    /// Begins an array in C order, whose numbers are then given by [`Archive::append`].
    pub(crate) fn begin(&mut self, name: &str, number: &str, shape: &[usize]) -> io::Result<()> {
        self.end_array()?;
        refuse_twice(&mut self.names, name)?;
        let size = number[1..].parse().unwrap_or(8);
        let bytes = shape.iter().fold(size, |bytes: usize, &n| bytes.saturating_mul(n));
        self.zip.begin(format!("{name}.npy"), is_large(bytes as u64))?;
        let header = npy_header(number, shape);
        self.announced = Some((header.len() as u64).saturating_add(bytes as u64));
        self.append(&header)
    }

    /// Adds numbers to the array begun last.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.zip.append(bytes)
    }

    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.end_array()?;
        self.zip.finish()
    }

    /// Completes the last array. Refuses one that is not as long as its header says, which no
    /// program would read.
    fn end_array(&mut self) -> io::Result<()> {
        let bytes = self.zip.end()?;
        match self.announced.take() {
            Some(announced) if bytes != announced => {
                let text = format!("an array has {bytes} bytes, its header says {announced}");
                Err(io::Error::new(io::ErrorKind::InvalidData, text))
            }
            _ => Ok(()),
        }
    }
}

/// Header of a version 1.0 `.npy` file: the magic, its length, a Python dictionary
/// padded so that the numbers start at a multiple of 64 bytes.
fn npy_header(number: &str, shape: &[usize]) -> Vec<u8> {
    // bytes and strings have no order
    let order = if number.ends_with('1') || number.starts_with('S') { '|' } else { ORDER };
    let shape: String = shape.iter().map(|n| format!("{n},")).collect();
    let mut dictionary =
        format!("{{'descr': '{order}{number}', 'fortran_order': False, 'shape': ({shape}), }}");
    let length = (10 + dictionary.len() + 1).next_multiple_of(64) - 10;
    dictionary.push_str(&" ".repeat(length - dictionary.len() - 1));
    dictionary.push('\n');
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend((length as u16).to_le_bytes());
    header.extend(dictionary.as_bytes());
    header
}
