//! VTK XML unstructured grids (`.vtu`): raw appended data, plain or compressed,
//! streamed in bounded memory.

use std::fmt::Write as _;
use std::io::{self, Seek, SeekFrom, Write};

use super::appended::{Values, vtk_ids, write_compressed, write_raw};
use super::xml;
use crate::io::dataset::{Array, Dataset, DatasetCells};

/// Writes `dataset`, which has been checked, at the current position of `out`.
pub fn write(out: &mut (impl Write + Seek), dataset: &Dataset, compress: bool) -> io::Result<()> {
    let groups = groups(dataset);
    let arrays = || groups.iter().flat_map(|group| &group.arrays);
    let mut offsets = vec![0; arrays().count()];
    // Offsets of compressed sections are known when they are written. The head has
    // the same length whatever the offsets, so it is written twice.
    let start = out.stream_position()?;
    out.write_all(head(dataset, &groups, &offsets, compress).as_bytes())?;
    let data_start = out.stream_position()?;
    for (offset, array) in offsets.iter_mut().zip(arrays()) {
        *offset = out.stream_position()? - data_start;
        if compress {
            write_compressed(out, &array.values)?;
        } else {
            write_raw(out, &array.values)?;
        }
    }
    out.write_all(b"\n  </AppendedData>\n</VTKFile>\n")?;
    let end = out.stream_position()?;
    out.seek(SeekFrom::Start(start))?;
    out.write_all(head(dataset, &groups, &offsets, compress).as_bytes())?;
    out.seek(SeekFrom::Start(end)).map(drop)
}

/// An element that holds arrays.
struct Group<'a> {
    element: &'static str,
    arrays: Vec<DataArray<'a>>,
}

struct DataArray<'a> {
    attributes: String,
    values: Values<'a>,
}

/// All arrays of the file in order; the first group lies outside the piece.
fn groups(dataset: &Dataset) -> [Group<'_>; 5] {
    let mut fields = named(&dataset.field_arrays);
    for (field, array) in fields.iter_mut().zip(&dataset.field_arrays) {
        let _ = write!(field.attributes, " NumberOfTuples=\"{}\"", array.entries());
    }
    let points = DataArray {
        attributes: xml::points_attributes(&dataset.points),
        values: Values::Bytes(dataset.points.bytes()),
    };
    [
        Group { element: "FieldData", arrays: fields },
        Group { element: "PointData", arrays: named(&dataset.point_arrays) },
        Group { element: "CellData", arrays: named(&dataset.cell_arrays) },
        Group { element: "Points", arrays: vec![points] },
        Group { element: "Cells", arrays: cell_arrays(dataset) },
    ]
}

fn named(arrays: &[Array]) -> Vec<DataArray<'_>> {
    let named = |array| DataArray {
        attributes: xml::array_attributes(array),
        values: Values::Bytes(array.data.bytes()),
    };
    arrays.iter().map(named).collect()
}

fn cell_arrays(dataset: &Dataset) -> Vec<DataArray<'_>> {
    let cells = &dataset.cells;
    let ids = |name: &str, ids| {
        let (kind, values) = vtk_ids(ids, dataset.points.len());
        plain(kind, name, values)
    };
    let (ends, types) = match cells {
        DatasetCells::Uniform { vtk_type, size, .. } => {
            let count = cells.len();
            let ends = Values::Multiples { step: *size as u64, count };
            (ends, Values::Repeated { value: *vtk_type, count })
        }
        DatasetCells::Mixed(mixed) => {
            let ends = Values::Bytes(bytemuck::cast_slice(&mixed.ends));
            (ends, Values::Bytes(&mixed.vtk_types))
        }
    };
    let mut arrays = vec![
        ids("connectivity", cells.connectivity()),
        plain("Int64", "offsets", ends),
        plain("UInt8", "types", types),
    ];
    if let Some(faces) = cells.faces() {
        let ends = Values::Bytes(bytemuck::cast_slice(&faces.ends));
        arrays.push(ids("faces", &faces.stream));
        arrays.push(plain("Int64", "faceoffsets", ends));
    }
    arrays
}

fn plain<'a>(kind: &str, name: &str, values: Values<'a>) -> DataArray<'a> {
    DataArray { attributes: format!("type=\"{kind}\" Name=\"{name}\""), values }
}

/// Everything before the appended data; of equal length for all offsets.
fn head(dataset: &Dataset, groups: &[Group], offsets: &[u64], compress: bool) -> String {
    let mut head = xml::open_file("UnstructuredGrid", xml::Version::of(&dataset.cells), compress);
    head.push_str("  <UnstructuredGrid>\n");
    let mut offsets = offsets.iter();
    for (g, Group { element, arrays }) in groups.iter().enumerate() {
        if g == 1 {
            let (points, cells) = (dataset.points.len(), dataset.cells.len());
            let _ =
                writeln!(head, "    <Piece NumberOfPoints=\"{points}\" NumberOfCells=\"{cells}\">");
        }
        if arrays.is_empty() {
            continue;
        }
        let _ = writeln!(head, "      <{element}>");
        for (DataArray { attributes, .. }, offset) in arrays.iter().zip(&mut offsets) {
            // Blanks after the attribute make up for missing digits.
            let offset = format!("offset=\"{offset}\"");
            let _ = writeln!(
                head,
                "        <DataArray {attributes} format=\"appended\" {offset:<29}/>"
            );
        }
        let _ = writeln!(head, "      </{element}>");
    }
    head.push_str("    </Piece>\n  </UnstructuredGrid>\n  <AppendedData encoding=\"raw\">\n   _");
    head
}
