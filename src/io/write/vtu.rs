//! VTK XML unstructured grids (`.vtu`): raw appended data, plain or compressed,
//! streamed in bounded memory.

use std::fmt::Write as _;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use super::appended::CompressedSection;
use super::outline::{SingleFile, TotalCounts};
use super::placed::PlacedSections;
use super::section_queue::{SectionQueue, SectionSink};
use super::values::{ArrayValues, Section, ValueSource, vtk_ids};
use super::xml;
use crate::io::dataset::{Array, Dataset, DatasetCells};

/// A file whose arrays are written as they are.
pub struct PlainVtu<'o, W> {
    out: &'o mut W,
    whole: TotalCounts,
    placed: PlacedSections,
}

impl<'o, W: Write + Seek> PlainVtu<'o, W> {
    /// A file at the start of `out`, of pieces like `first`, which has been checked.
    pub fn new(out: &'o mut W, first: &Dataset, whole: TotalCounts) -> Self {
        let groups = groups(first, &whole, 0);
        let bytes = section_bytes(&groups, &whole);
        let mut end = 0;
        let mut offset = |bytes: &u64| {
            let start = end;
            end += 8 + bytes;
            start
        };
        let offsets: Vec<u64> = bytes.iter().map(&mut offset).collect();
        let mut text = VtuHead::new(first, &groups, whole, false).text(&offsets).into_bytes();
        let place = |&bytes: &u64| {
            let mut text = std::mem::take(&mut text);
            text.extend(bytes.to_ne_bytes());
            (text, bytes)
        };
        let placed = PlacedSections::new(bytes.iter().map(place));
        Self { out, whole, placed }
    }
}

impl<W: Write + Seek> SingleFile for PlainVtu<'_, W> {
    fn push(&mut self, piece: &Dataset, cells_before: usize) -> io::Result<()> {
        let groups = groups(piece, &self.whole, cells_before);
        for (i, array) in arrays(&groups).enumerate() {
            self.placed.append(self.out, i, &array.section.values, |_| ())?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        self.placed.finish(self.out, TAIL)
    }
}

/// A file whose arrays are compressed.
pub struct CompressedVtu<'o, W> {
    sections: SectionQueue,
    whole: TotalCounts,
    turn: VtuSink<'o, W>,
    head: VtuHead,
}

struct VtuSink<'o, W> {
    out: &'o mut W,
    data_start: u64,
    offsets: Vec<u64>,
    section: CompressedSection,
    bytes: Vec<u64>,
}

impl<'o, W: Write + Seek> CompressedVtu<'o, W> {
    /// Starts a file as [`PlainVtu::new`] does; `output`: the file.
    pub fn new(
        out: &'o mut W,
        first: &Dataset,
        whole: TotalCounts,
        output: &Path,
    ) -> io::Result<Self> {
        let groups = groups(first, &whole, 0);
        let bytes = section_bytes(&groups, &whole);
        let head = VtuHead::new(first, &groups, whole, true);
        // Offsets of compressed sections are known when they are written. The head has
        // the same length whatever the offsets, so it is written twice.
        out.write_all(head.text(&vec![0; bytes.len()]).as_bytes())?;
        let data_start = out.stream_position()?;
        let sections = SectionQueue::new(output, bytes.iter().copied());
        let section = CompressedSection::default();
        let turn = VtuSink { out, data_start, offsets: Vec::new(), section, bytes };
        Ok(Self { sections, whole, turn, head })
    }
}

impl<W: Write + Seek> SingleFile for CompressedVtu<'_, W> {
    fn push(&mut self, piece: &Dataset, cells_before: usize) -> io::Result<()> {
        let groups = groups(piece, &self.whole, cells_before);
        for (i, array) in arrays(&groups).enumerate() {
            self.sections.append(&mut self.turn, i, &array.section.values)?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        let VtuSink { out, offsets, .. } = self.turn;
        out.write_all(TAIL)?;
        let end = out.stream_position()?;
        out.rewind()?;
        out.write_all(self.head.text(&offsets).as_bytes())?;
        out.seek(SeekFrom::Start(end)).map(drop)
    }
}

impl<W: Write + Seek> SectionSink for VtuSink<'_, W> {
    fn begin(&mut self, section: usize) -> io::Result<()> {
        self.offsets.push(self.out.stream_position()? - self.data_start);
        self.section = CompressedSection::begin(self.out, self.bytes[section])?;
        Ok(())
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.section.append(self.out, bytes)
    }

    fn end(&mut self) -> io::Result<()> {
        std::mem::take(&mut self.section).end(self.out)
    }
}

/// An element that holds arrays.
struct ArrayGroup<'a> {
    element: &'static str,
    arrays: Vec<DataArray<'a>>,
}

struct DataArray<'a> {
    attributes: String,
    section: Section<'a>,
}

fn arrays<'g, 'a>(groups: &'g [ArrayGroup<'a>]) -> impl Iterator<Item = &'g DataArray<'a>> {
    groups.iter().flat_map(|group| &group.arrays)
}

fn section_bytes(groups: &[ArrayGroup<'_>], whole: &TotalCounts) -> Vec<u64> {
    arrays(groups).map(|array| array.section.total(whole.points, whole.cells)).collect()
}

/// All arrays of a piece in the order of the file; the first group lies outside the piece.
fn groups<'a>(piece: &'a Dataset, whole: &TotalCounts, cells_before: usize) -> [ArrayGroup<'a>; 5] {
    let mut fields = named(&piece.field_arrays, Section::of_file);
    for (field, array) in fields.iter_mut().zip(&piece.field_arrays) {
        let _ = write!(field.attributes, " NumberOfTuples=\"{}\"", array.entries());
    }
    let points = DataArray {
        attributes: xml::points_attributes(&piece.points),
        section: Section::coordinates(&piece.points),
    };
    let cells = cell_arrays(&piece.cells, whole, cells_before);
    [
        ArrayGroup { element: "FieldData", arrays: fields },
        ArrayGroup { element: "PointData", arrays: named(&piece.point_arrays, Section::of_points) },
        ArrayGroup { element: "CellData", arrays: named(&piece.cell_arrays, Section::of_cells) },
        ArrayGroup { element: "Points", arrays: vec![points] },
        ArrayGroup { element: "Cells", arrays: cells },
    ]
}

fn named<'a>(
    arrays: &'a [Array],
    section: impl Fn(&'a Array) -> Section<'a>,
) -> Vec<DataArray<'a>> {
    let named = |array: &'a Array| DataArray {
        attributes: xml::array_attributes(array),
        section: section(array),
    };
    arrays.iter().map(named).collect()
}

fn cell_arrays<'a>(
    cells: &'a DatasetCells,
    whole: &TotalCounts,
    cells_before: usize,
) -> Vec<DataArray<'a>> {
    let ids = |name: &str, ids, ids_a_cell: Option<usize>| {
        let (kind, values) = vtk_ids(ids, whole.points);
        let bytes = if matches!(values, ArrayValues::Widened(_)) { 8 } else { 4 };
        plain(
            kind,
            name,
            ids_a_cell.map_or(ValueSource::File, |ids| ValueSource::Cells(ids * bytes)),
            values,
        )
    };
    match cells {
        DatasetCells::Uniform { vtk_type, size, connectivity } => {
            let (count, first) = (cells.len(), cells_before as u64);
            let ends = ArrayValues::Multiples { step: *size as u64, first, count };
            let types = ArrayValues::Repeated { value: *vtk_type, count };
            vec![
                ids("connectivity", connectivity, Some(*size)),
                plain("Int64", "offsets", ValueSource::Cells(8), ends),
                plain("UInt8", "types", ValueSource::Cells(1), types),
            ]
        }
        DatasetCells::Mixed(mixed) => {
            let ends = |ends| ArrayValues::Bytes(bytemuck::cast_slice(ends));
            let mut arrays = vec![
                ids("connectivity", &mixed.connectivity, None),
                plain("Int64", "offsets", ValueSource::File, ends(&mixed.ends)),
                plain("UInt8", "types", ValueSource::File, ArrayValues::Bytes(&mixed.vtk_types)),
            ];
            if let Some(faces) = &mixed.faces {
                arrays.push(ids("faces", &faces.stream, None));
                arrays.push(plain("Int64", "faceoffsets", ValueSource::File, ends(&faces.ends)));
            }
            arrays
        }
    }
}

fn plain<'a>(kind: &str, name: &str, of: ValueSource, values: ArrayValues<'a>) -> DataArray<'a> {
    let attributes = format!("type=\"{kind}\" Name=\"{name}\"");
    DataArray { attributes, section: Section { of, values } }
}

/// Everything before the appended data.
struct VtuHead {
    version: xml::Version,
    whole: TotalCounts,
    compress: bool,
    // each element and the attributes of its arrays
    groups: Vec<(&'static str, Vec<String>)>,
}

impl VtuHead {
    fn new(first: &Dataset, groups: &[ArrayGroup<'_>], whole: TotalCounts, compress: bool) -> Self {
        let attributes =
            |group: &ArrayGroup<'_>| group.arrays.iter().map(|a| a.attributes.clone()).collect();
        Self {
            version: xml::Version::of(&first.cells),
            whole,
            compress,
            groups: groups.iter().map(|group| (group.element, attributes(group))).collect(),
        }
    }

    /// The text; of equal length for all offsets.
    fn text(&self, offsets: &[u64]) -> String {
        let mut head = xml::open_file("UnstructuredGrid", self.version, self.compress);
        head.push_str("  <UnstructuredGrid>\n");
        let mut offsets = offsets.iter();
        for (g, (element, arrays)) in self.groups.iter().enumerate() {
            if g == 1 {
                let TotalCounts { points, cells } = self.whole;
                let _ = writeln!(
                    head,
                    "    <Piece NumberOfPoints=\"{points}\" NumberOfCells=\"{cells}\">"
                );
            }
            if arrays.is_empty() {
                continue;
            }
            let _ = writeln!(head, "      <{element}>");
            for (attributes, offset) in arrays.iter().zip(&mut offsets) {
                // Blanks after the attribute make up for missing digits.
                let offset = format!("offset=\"{offset}\"");
                let _ = writeln!(
                    head,
                    "        <DataArray {attributes} format=\"appended\" {offset:<29}/>"
                );
            }
            let _ = writeln!(head, "      </{element}>");
        }
        head.push_str(
            "    </Piece>\n  </UnstructuredGrid>\n  <AppendedData encoding=\"raw\">\n   _",
        );
        head
    }
}

const TAIL: &[u8] = b"\n  </AppendedData>\n</VTKFile>\n";
