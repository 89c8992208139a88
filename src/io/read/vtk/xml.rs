//! VTK XML `.vtu` files, and structured grids `.vts`, `.vtr`, `.vti`: one or more pieces, with
//! ASCII, inline binary (base64) or appended (raw or base64) arrays, plain or compressed
//! by zlib, LZ4 or LZMA (see [`super`] for cell types and named arrays).
//!
//! Pieces within one file are joined one behind the other; their points are not
//! merged. Pieces of a `.pvtu` are, see [`super::pieces`].

use std::borrow::Cow;
use std::path::Path;

use crate::error::{Error, Message, Result, option_name};
use crate::memory::decimal_bytes;
use crate::mesh::Attribute;

use super::binary::{Budget, ByteSource, UnpackError, unpack};
use super::ghosts::is_ghosts;
use super::outline::{ArrayElement, ArraySection, ArrayStorage, XmlOutline};
use super::structured::{GridKind, grid_help};
use super::values::Scalar;
use super::{GivenFaces, KeptCells, UnstructuredGrid, no_solid, push_cell_array, push_point_array};
use crate::io::read::assemble::Assembly;
use crate::io::read::lines::{Text, shown};
use crate::numbers::counted;

/// Reads a `.vtu` file that is already in memory.
pub(super) fn read<'a>(path: &'a Path, bytes: &[u8], budget: &Budget) -> Result<Assembly<'a>> {
    let outline = XmlOutline::read(path, bytes)?;
    let mut assembly = Assembly::new(path, 0);
    append(&mut assembly, path, &outline, budget)?;
    Ok(assembly)
}

/// Appends the pieces and fields of a file to a mesh.
pub(super) fn append(
    assembly: &mut Assembly,
    path: &Path,
    outline: &XmlOutline,
    budget: &Budget,
) -> Result<()> {
    if outline.is_surface {
        return Err(no_solid(path));
    }
    let mut grid = XmlGrid { assembly, outline, numbers: ArrayDecoder { path, outline, budget } };
    for array in outline.arrays.iter().filter(|array| array.section == ArraySection::Field) {
        if array.scalar.is_none() {
            grid.skip("field array", array);
            continue;
        }
        let values = grid.numbers.reals(array)?;
        let name = array.name.clone();
        let field = Attribute { name, width: array.width, values };
        grid.assembly.push_field(field, Some(array.line))?;
    }
    for piece in 0..outline.pieces.len() {
        grid.piece(piece)?;
    }
    Ok(())
}

struct XmlGrid<'a, 'p> {
    assembly: &'a mut Assembly<'p>,
    outline: &'a XmlOutline<'a>,
    numbers: ArrayDecoder<'a>,
}

impl<'a> XmlGrid<'a, '_> {
    fn piece(&mut self, index: usize) -> Result<()> {
        let piece = &self.outline.pieces[index];
        if piece.points == 0 && piece.cells == 0 {
            return Ok(());
        }
        let first_point = self.assembly.points();
        if let Some(extent) = piece.extent {
            self.numbers.budget.take_grid(&extent).map_err(|message| {
                Error::file(self.numbers.path, Some(piece.line), message).with_help(grid_help())
            })?;
        }
        self.piece_points(index)?;
        let (mut grid, line) = match piece.extent {
            Some(extent) => (extent.grid(first_point), piece.line),
            None => self.piece_cells(index, first_point)?,
        };
        self.mark_ghosts(index, &mut grid)?;
        let kept = grid.assemble(self.assembly, Some(line))?;
        self.data(index, first_point, &kept)?;
        self.assembly.check_piece(first_point, Some(piece.line))
    }

    /// The arrays of a section of a piece.
    fn arrays(
        &self,
        piece: usize,
        section: ArraySection,
    ) -> impl Iterator<Item = &'a ArrayElement<'a>> + use<'a> {
        let arrays = self.outline.of_piece(piece).iter();
        arrays.filter(move |array| array.section == section)
    }

    /// Appends the points of a piece, given one by one or by axes.
    fn piece_points(&mut self, index: usize) -> Result<()> {
        let piece = &self.outline.pieces[index];
        let extent = || piece.extent.ok_or_else(|| self.numbers.fault(piece.line, "no extent"));
        match self.outline.kind {
            None | Some(GridKind::Curvilinear) => self.listed_points(index),
            Some(GridKind::Rectilinear) => {
                let axes = self.arrays(index, ArraySection::Coordinates);
                let mut read = |array: &ArrayElement| {
                    self.assembly.is_single |= array.scalar == Some(Scalar::F32);
                    self.numbers.reals(array)
                };
                let axes = axes.map(&mut read).collect::<Result<Vec<_>>>()?;
                let extent = extent()?;
                let points = extent.rectilinear(&axes);
                let mut points = points.map_err(|what| self.numbers.fault(piece.line, what))?;
                points.try_for_each(|point| self.assembly.push_point(point, Some(piece.line)))
            }
            Some(GridKind::Image) => {
                let extent = extent()?;
                let mut points = extent.image(&self.outline.frame);
                points.try_for_each(|point| self.assembly.push_point(point, Some(piece.line)))
            }
        }
    }

    /// Appends the points of a piece that are given one by one.
    fn listed_points(&mut self, index: usize) -> Result<()> {
        let piece = &self.outline.pieces[index];
        let Some(points) = self.arrays(index, ArraySection::Points).next() else {
            return Err(self.numbers.fault(piece.line, "a piece without points"));
        };
        let before = self.assembly.points();
        self.points(points)?;
        let count = self.assembly.points() - before;
        if count != piece.points {
            let message = format!("{}, the piece claims {}", counted(count, "point"), piece.points);
            return Err(self.numbers.fault(points.line, message));
        }
        Ok(())
    }

    /// The cells of a piece over points from `first_point` on, and the line of their types.
    fn piece_cells(&self, index: usize, first_point: usize) -> Result<(UnstructuredGrid, usize)> {
        let piece = &self.outline.pieces[index];
        let find =
            |name: &str| self.arrays(index, ArraySection::Cells).find(|array| array.name == name);
        let required = |name: &str| {
            find(name)
                .ok_or_else(|| self.numbers.fault(piece.line, format!("cells without `{name}`")))
        };
        let types = required("types")?;
        let faces = if let (Some(stream), Some(ends)) = (find("faces"), find("faceoffsets")) {
            GivenFaces::Stream {
                stream: self.numbers.integers(stream)?,
                ends: self.numbers.integers(ends)?,
            }
        } else if let (Some(corners), Some(face_ends), Some(faces), Some(cell_ends)) = (
            find("face_connectivity"),
            find("face_offsets"),
            find("polyhedron_to_faces"),
            find("polyhedron_offsets"),
        ) {
            GivenFaces::Indexed {
                corners: self.numbers.integers(corners)?,
                face_ends: self.numbers.integers(face_ends)?,
                faces: self.numbers.integers(faces)?,
                cell_ends: self.numbers.integers(cell_ends)?,
            }
        } else {
            GivenFaces::Absent
        };
        let grid = UnstructuredGrid {
            corners: self.numbers.integers(required("connectivity")?)?,
            ends: self.numbers.integers(required("offsets")?)?,
            types: self.numbers.integers(types)?,
            faces,
            first_point,
            ..UnstructuredGrid::default()
        };
        if grid.types.len() != piece.cells {
            let message =
                format!("{}, the piece claims {}", counted(grid.types.len(), "cell"), piece.cells);
            return Err(self.numbers.fault(types.line, message));
        }
        Ok((grid, types.line))
    }

    /// Leaves cells out that other pieces own.
    fn mark_ghosts(&self, piece: usize, grid: &mut UnstructuredGrid) -> Result<()> {
        let arrays = self.arrays(piece, ArraySection::CellData);
        for array in arrays.filter(|a| is_ghosts(&a.name) && a.scalar.is_some()) {
            grid.mark_ghosts(&array.name, &self.numbers.reals(array)?);
        }
        Ok(())
    }

    fn points(&mut self, array: &ArrayElement) -> Result<()> {
        if array.width != 3 {
            return Err(self.numbers.fault(array.line, "points need NumberOfComponents=\"3\""));
        }
        self.assembly.is_single |= array.scalar == Some(Scalar::F32);
        if array.storage == ArrayStorage::Ascii {
            let mut words = text(self.numbers.path, array);
            while words.peek().is_some() {
                let point = words.point()?;
                self.assembly.push_point(point, Some(words.line()))?;
            }
            return Ok(());
        }
        let values = self.numbers.reals(array)?;
        if values.len() % 3 != 0 {
            return Err(self
                .numbers
                .fault(array.line, "the number of coordinates is not a multiple of 3"));
        }
        self.assembly.reserve_points(values.len() / 3);
        for &point in values.as_chunks::<3>().0 {
            self.assembly.push_point(point, Some(array.line))?;
        }
        Ok(())
    }

    fn data(&mut self, piece: usize, first_point: usize, kept: &KeptCells) -> Result<()> {
        let outline = self.outline;
        let points = self.assembly.points() - first_point;
        for array in outline.of_piece(piece) {
            match array.section {
                ArraySection::CellData => match array.scalar {
                    None => self.skip("cell array", array),
                    Some(scalar) => {
                        let (name, width, values) =
                            (&array.name, array.width, self.numbers.reals(array)?);
                        let attribute = Attribute { name: name.clone(), width, values };
                        let (of_integers, line) = (scalar.is_integer(), Some(array.line));
                        push_cell_array(self.assembly, attribute, of_integers, kept, line)?;
                    }
                },
                ArraySection::PointData => {
                    let Some(scalar) = array.scalar else {
                        self.skip("point array", array);
                        continue;
                    };
                    let (name, width, values) =
                        (&array.name, array.width, self.numbers.reals(array)?);
                    if Some(values.len()) != points.checked_mul(width) {
                        let have = counted(values.len(), "value");
                        let message =
                            format!("point array `{name}`: {have}, {points} × {width} are needed");
                        return Err(self.numbers.fault(array.line, message));
                    }
                    let attribute = Attribute { name: name.clone(), width, values };
                    let (of_integers, line) = (scalar.is_integer(), Some(array.line));
                    push_point_array(self.assembly, attribute, of_integers, first_point, line)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn skip(&mut self, what: &str, array: &ArrayElement) {
        self.assembly.skip(&format!("{what} `{}`", shown(array.name.as_bytes())));
    }
}

/// Decodes the arrays of a file.
#[derive(Clone, Copy)]
pub(super) struct ArrayDecoder<'a> {
    pub path: &'a Path,
    pub outline: &'a XmlOutline<'a>,
    pub budget: &'a Budget,
}

impl ArrayDecoder<'_> {
    pub fn reals(&self, array: &ArrayElement) -> Result<Vec<f64>> {
        self.numbers(array, |text| text.real("a value"), Scalar::reals)
    }

    pub fn integers(&self, array: &ArrayElement) -> Result<Vec<i64>> {
        self.numbers(array, |text| text.integer("a whole number"), Scalar::integers)
    }

    fn numbers<T>(
        &self,
        array: &ArrayElement,
        next: impl Fn(&mut Text) -> Result<T>,
        decode: impl Fn(Scalar, &[u8], bool) -> Vec<T>,
    ) -> Result<Vec<T>> {
        let Some(scalar) = array.scalar else {
            return Err(self.fault(array.line, format!("array `{}` holds no numbers", array.name)));
        };
        let mut values = Vec::new();
        if array.storage == ArrayStorage::Ascii {
            let mut words = text(self.path, array);
            while words.peek().is_some() {
                values.push(next(&mut words)?);
            }
            return Ok(values);
        }
        let bytes = self.bytes(array, scalar)?;
        if bytes.len() % scalar.size() != 0 {
            return Err(self.fault(
                array.line,
                "the size of the binary data is not a multiple of the size of a number",
            ));
        }
        Ok(decode(scalar, &bytes, self.outline.layout.big_endian))
    }

    fn bytes<'b>(&'b self, array: &'b ArrayElement, scalar: Scalar) -> Result<Cow<'b, [u8]>> {
        let mut source = match array.storage {
            ArrayStorage::Appended(offset) => {
                let Some(appended) = &self.outline.appended else {
                    return Err(self.fault(array.line, "the appended data is missing"));
                };
                let bytes = appended
                    .bytes
                    .get(offset..)
                    .ok_or_else(|| self.fault(array.line, "an offset beyond the appended data"))?;
                if appended.base64 { ByteSource::base64(bytes) } else { ByteSource::Raw(bytes) }
            }
            _ => ByteSource::base64(array.text.as_bytes()),
        };
        let (layout, size) = (self.outline.layout, scalar.size());
        unpack(&mut source, layout, size, self.budget).map_err(|why| match why {
            UnpackError::Malformed(what) => {
                self.fault(array.line, format!("array `{}`: {what}", array.name))
            }
            UnpackError::TooLarge { bytes, left } => {
                let [bytes, left] = [bytes, left].map(|bytes| decimal_bytes(bytes.into()));
                let message = format!(
                    "array `{}`: a block and its numbers take {bytes}, {left} are left of the memory for compressed data",
                    array.name
                );
                Error::file(self.path, Some(array.line), message)
                    .with_help(message!("allow more memory (", option_name("memory"), ")"))
            }
        })
    }

    pub fn fault(&self, line: usize, message: impl Into<Message>) -> Error {
        Error::file(self.path, Some(line), message)
            .with_help("the file is cut short or malformed; write it again")
    }
}

/// The numbers of an ASCII array.
fn text<'a>(path: &'a Path, array: &'a ArrayElement) -> Text<'a> {
    Text::new(path, array.text.as_bytes()).at_line(array.text_line)
}
