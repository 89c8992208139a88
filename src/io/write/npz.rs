//! NumPy archives (`.npz`), read by `numpy.load`.
//!
//! | array | shape and type |
//! |---|---|
//! | `points` | (points, 3), f4 or f8 |
//! | `cells` | (cells, size) u4 if all cells are equal, else (ids,) u4 |
//! | `cell_types` | (cells,) u1, VTK's numbers |
//! | `cell_ends` | mixed cells: (cells,) i8, points of cell c are `cells[cell_ends[c-1]:cell_ends[c]]` |
//! | `faces`, `face_ends` | polyhedra: u4 and (cells,) i8, see [`PolyhedronFaces`](crate::io::PolyhedronFaces) |
//! | `point/NAME`, `cell/NAME`, `field/NAME` | (entries,) or (entries, width) of the named array |

use std::collections::HashSet;
use std::io::{self, Seek, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::ZipTarget;
use crate::io::dataset::{Array, ArrayData, Dataset, DatasetCells, Points};
use crate::io::plain_name;

const ORDER: char = if cfg!(target_endian = "big") { '>' } else { '<' };

/// Writes `dataset`, which has been checked.
pub fn write(out: &mut (impl Write + Seek), dataset: &Dataset, compress: bool) -> io::Result<()> {
    let mut archive = Archive::new(out, compress);
    let point_type = match &dataset.points {
        Points::F32(_) => "f4",
        Points::F64(_) => "f8",
    };
    archive.push("points", point_type, &[dataset.points.len(), 3], dataset.points.bytes())?;
    push_cells(&mut archive, &dataset.cells)?;
    let groups = [
        ("point", &dataset.point_arrays),
        ("cell", &dataset.cell_arrays),
        ("field", &dataset.field_arrays),
    ];
    for (group, arrays) in groups {
        for array in arrays {
            push_named(&mut archive, &format!("{group}/{}", plain_name(&array.name)), array)?;
        }
    }
    archive.finish()
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
        push_named(&mut archive, &parts.join("/"), array)?;
    }
    archive.finish()
}

fn push_cells<W: Write + Seek>(archive: &mut Archive<W>, cells: &DatasetCells) -> io::Result<()> {
    let count = cells.len();
    let connectivity: &[u8] = bytemuck::cast_slice(cells.connectivity());
    match cells {
        DatasetCells::Uniform { vtk_type, size, .. } => {
            archive.push("cells", "u4", &[count, *size], connectivity)?;
            archive.push("cell_types", "u1", &[count], &vec![*vtk_type; count])
        }
        DatasetCells::Mixed(mixed) => {
            archive.push("cells", "u4", &[mixed.connectivity.len()], connectivity)?;
            archive.push("cell_types", "u1", &[count], &mixed.vtk_types)?;
            archive.push("cell_ends", "i8", &[count], bytemuck::cast_slice(&mixed.ends))?;
            let Some(faces) = &mixed.faces else { return Ok(()) };
            let stream = bytemuck::cast_slice(&faces.stream);
            archive.push("faces", "u4", &[faces.stream.len()], stream)?;
            archive.push("face_ends", "i8", &[count], bytemuck::cast_slice(&faces.ends))
        }
    }
}

fn push_named<W: Write + Seek>(
    archive: &mut Archive<W>,
    name: &str,
    array: &Array,
) -> io::Result<()> {
    let number = match array.data {
        ArrayData::F32(_) => "f4",
        ArrayData::F64(_) => "f8",
        ArrayData::I32(_) => "i4",
        ArrayData::I64(_) => "i8",
        ArrayData::U8(_) => "u1",
    };
    let shape = [array.entries(), array.width];
    let shape = if array.width == 1 { &shape[..1] } else { &shape[..] };
    archive.push(name, number, shape, array.data.bytes())
}

/// A zip archive of `.npy` files.
pub(crate) struct Archive<W: Write + Seek> {
    zip: ZipWriter<ZipTarget<W>>,
    method: CompressionMethod,
    /// Names of the arrays in lower case.
    names: HashSet<String>,
}

impl<W: Write + Seek> Archive<W> {
    /// An archive without arrays.
    pub(crate) fn new(out: W, compress: bool) -> Self {
        let method = if compress { CompressionMethod::Deflated } else { CompressionMethod::Stored };
        Self { zip: ZipWriter::new(ZipTarget::new(out)), method, names: HashSet::new() }
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

    /// Begins an array in C order, whose numbers are then given by [`Archive::append`].
    pub(crate) fn begin(&mut self, name: &str, number: &str, shape: &[usize]) -> io::Result<()> {
        if !self.names.insert(name.to_lowercase()) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("two arrays would have the name {name:?}: rename one of them"),
            ));
        }
        let size = number[1..].parse().unwrap_or(8);
        let bytes = shape.iter().fold(size, |bytes: usize, &n| bytes.saturating_mul(n));
        // Also deflate adds a little to data that it cannot shrink.
        let large = bytes > (u32::MAX / 2) as usize;
        let options =
            SimpleFileOptions::default().compression_method(self.method).large_file(large);
        self.zip.start_file(format!("{name}.npy"), options)?;
        self.zip.write_all(&npy_header(number, shape))
    }

    /// Adds numbers to the array begun last.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.zip.write_all(bytes)
    }

    pub(crate) fn finish(self) -> io::Result<()> {
        self.zip.finish()?.complete()
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
