//! The XML of a `.vtu`, `.vts`, `.vtr`, `.vti` or `.vtp` file: its pieces and arrays, before any
//! number is decoded.

use std::borrow::Cow;
use std::path::Path;

use quick_xml::events::{BytesStart, Event};

use crate::error::Result;

use super::binary::{BinaryLayout, Compressor};
use super::encoding::{self, APPENDED};
use super::events::XmlEvents;
use super::structured::{GridExtent, GridKind, ImageFrame};
use super::values::Scalar;

/// Where an array belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArraySection {
    Field,
    Points,
    /// Coordinates of a rectilinear grid: one array an axis.
    Coordinates,
    Cells,
    /// Polygons of a surface.
    Polys,
    /// Strips of triangles of a surface.
    Strips,
    PointData,
    CellData,
    None,
}

/// Where the numbers of an array stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArrayStorage {
    Ascii,
    Inline,
    /// At this offset of the appended data.
    Appended(usize),
}

/// A `DataArray` element.
pub(super) struct ArrayElement<'a> {
    pub section: ArraySection,
    pub name: String,
    /// `None` for strings and bits.
    pub scalar: Option<Scalar>,
    pub width: usize,
    pub storage: ArrayStorage,
    /// Text of the element and its 1-based line.
    pub text: Cow<'a, str>,
    pub text_line: usize,
    /// 1-based line of the element.
    pub line: usize,
}

/// A `Piece` element: its claims, unchecked.
pub(super) struct PieceOutline {
    pub points: usize,
    /// Number of cells; of a surface, of polygons and strips.
    pub cells: usize,
    /// Vertices and lines of a surface.
    pub skipped: usize,
    /// Extent of a structured grid.
    pub extent: Option<GridExtent>,
    pub line: usize,
    /// Index of its first array.
    pub first_array: usize,
}

/// The `AppendedData` element, from behind its underscore to the end of the file.
pub(super) struct AppendedData<'a> {
    pub bytes: &'a [u8],
    pub base64: bool,
}

/// The contents of a `.vtu` file in the order of the file.
pub(super) struct XmlOutline<'a> {
    pub layout: BinaryLayout,
    /// Whether it is a surface (`PolyData`).
    pub is_surface: bool,
    /// Kind of a structured grid; `None` for cells or polygons.
    pub kind: Option<GridKind>,
    /// Place of an image.
    pub frame: ImageFrame,
    pub pieces: Vec<PieceOutline>,
    pub arrays: Vec<ArrayElement<'a>>,
    pub appended: Option<AppendedData<'a>>,
}

impl<'a> XmlOutline<'a> {
    /// The arrays of a piece.
    pub fn of_piece(&self, piece: usize) -> &[ArrayElement<'a>] {
        let end = self.pieces.get(piece + 1).map_or(self.arrays.len(), |next| next.first_array);
        &self.arrays[self.pieces[piece].first_array..end]
    }

    /// Parses everything up to the appended data, which is no XML.
    pub fn read(path: &Path, bytes: &'a [u8]) -> Result<Self> {
        let end = bytes.windows(APPENDED.len()).position(|window| window == APPENDED);
        let (xml, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
        let xml = encoding::text(path, xml)?;
        let mut scan = OutlineScan {
            xml: XmlEvents::new(path, xml),
            section: ArraySection::None,
            in_array: false,
            depth: 0,
            outline: Self {
                layout: BinaryLayout::default(),
                is_surface: false,
                kind: None,
                frame: ImageFrame::default(),
                pieces: Vec::new(),
                arrays: Vec::new(),
                appended: appended(rest),
            },
        };
        scan.run()?;
        if scan.outline.pieces.is_empty() {
            return Err(scan.xml.fault("the file has no <Piece> that contains a grid"));
        }
        Ok(scan.outline)
    }
}

fn appended(bytes: &[u8]) -> Option<AppendedData<'_>> {
    let tag_end = bytes.iter().position(|&byte| byte == b'>')?;
    let (tag, rest) = bytes.split_at(tag_end);
    let start = rest.iter().position(|&byte| byte == b'_')?;
    let base64 = tag.windows(6).any(|window| window == b"base64");
    Some(AppendedData { bytes: &rest[start + 1..], base64 })
}

struct OutlineScan<'p, 'a> {
    xml: XmlEvents<'p, 'a>,
    section: ArraySection,
    // Inside a DataArray, `depth` elements deep
    in_array: bool,
    depth: usize,
    outline: XmlOutline<'a>,
}

impl<'a> OutlineScan<'_, 'a> {
    fn run(&mut self) -> Result<()> {
        // appended data stand in the element of the file
        let open = usize::from(self.outline.appended.is_some());
        loop {
            match self.xml.next(open)? {
                Event::Start(tag) => self.open(&tag, true)?,
                Event::Empty(tag) => self.open(&tag, false)?,
                Event::End(_) if self.in_array && self.depth > 0 => self.depth -= 1,
                Event::End(tag) => match tag.name().as_ref() {
                    "DataArray" | "Array" => self.in_array = false,
                    "Points" | "Coordinates" | "Cells" | "Polys" | "Strips" | "PointData"
                    | "CellData" | "FieldData" => self.section = ArraySection::None,
                    _ => {}
                },
                Event::Text(text) => self.text(text.into_inner()),
                Event::CData(text) => self.text(text.into_inner()),
                Event::Eof => return Ok(()),
                _ => {}
            }
        }
    }

    /// Takes text of the array at hand, if it is not of an element within.
    fn text(&mut self, text: Cow<'a, str>) {
        if !self.in_array || self.depth > 0 {
            return;
        }
        let Some(array) = self.outline.arrays.last_mut() else { return };
        if array.text.trim().is_empty() {
            array.text = text;
            array.text_line = self.xml.line;
        } else {
            array.text.to_mut().push_str(&text);
        }
    }

    fn open(&mut self, tag: &BytesStart, has_content: bool) -> Result<()> {
        if self.in_array {
            self.depth += usize::from(has_content);
            return Ok(());
        }
        match tag.name().as_ref() {
            "VTKFile" => self.file(tag)?,
            "ImageData" => self.image(tag)?,
            "Piece" if self.outline.kind.is_some() => {
                let words = self.xml.attribute(tag, "Extent")?.unwrap_or_default();
                let extent = GridExtent::of_words(&words).map_err(|what| {
                    self.xml.error(what).with_help("write the grid again, or a part of it")
                })?;
                let first_array = self.outline.arrays.len();
                let (points, cells) = (extent.points(), extent.cells());
                let (extent, line) = (Some(extent), self.xml.line);
                let piece = PieceOutline { points, cells, skipped: 0, extent, line, first_array };
                self.outline.pieces.push(piece);
            }
            "Piece" => {
                let points = self.number(tag, "NumberOfPoints", None)?;
                let (cells, skipped) = if self.outline.is_surface {
                    let number = |name: &str| self.number(tag, name, Some(0));
                    let cells = number("NumberOfPolys")?.saturating_add(number("NumberOfStrips")?);
                    (cells, number("NumberOfVerts")?.saturating_add(number("NumberOfLines")?))
                } else {
                    (self.number(tag, "NumberOfCells", None)?, 0)
                };
                let first_array = self.outline.arrays.len();
                let (extent, line) = (None, self.xml.line);
                let piece = PieceOutline { points, cells, skipped, extent, line, first_array };
                self.outline.pieces.push(piece);
            }
            "Points" if has_content => self.section = ArraySection::Points,
            "Coordinates" if has_content => self.section = ArraySection::Coordinates,
            "Cells" if has_content => self.section = ArraySection::Cells,
            "Polys" if has_content => self.section = ArraySection::Polys,
            "Strips" if has_content => self.section = ArraySection::Strips,
            "PointData" if has_content => self.section = ArraySection::PointData,
            "CellData" if has_content => self.section = ArraySection::CellData,
            "FieldData" if has_content => self.section = ArraySection::Field,
            "DataArray" | "Array" => {
                self.array(tag)?;
                self.in_array = has_content;
                self.depth = 0;
            }
            _ => {}
        }
        Ok(())
    }

    fn file(&mut self, tag: &BytesStart) -> Result<()> {
        let kind = self.xml.attribute(tag, "type")?.unwrap_or_default();
        self.outline.is_surface = kind == "PolyData";
        self.outline.kind = match kind.as_str() {
            "UnstructuredGrid" | "PolyData" => None,
            "StructuredGrid" => Some(GridKind::Curvilinear),
            "RectilinearGrid" => Some(GridKind::Rectilinear),
            "ImageData" => Some(GridKind::Image),
            _ => {
                return Err(self.xml.error(format!("a VTK file of type `{kind}`")).with_help(
                    "export a volume mesh as .vtu, .pvtu, .vts, .vtr or .vti, or a surface as \
                         .vtp, .ply or .obj",
                ));
            }
        };
        let order = self.xml.attribute(tag, "byte_order")?;
        let header = self.xml.attribute(tag, "header_type")?;
        let compressor = match self.xml.attribute(tag, "compressor")?.unwrap_or_default().as_str() {
            "" => None,
            "vtkZLibDataCompressor" => Some(Compressor::Zlib),
            "vtkLZ4DataCompressor" => Some(Compressor::Lz4),
            "vtkLZMADataCompressor" => Some(Compressor::Lzma),
            name => {
                return Err(self
                    .xml
                    .error(format!("data compressed by `{name}`"))
                    .with_help("write the file with zlib, LZ4 or LZMA compression or none"));
            }
        };
        self.outline.layout = BinaryLayout {
            big_endian: order.is_some_and(|order| order == "BigEndian"),
            wide_header: header.is_some_and(|header| header == "UInt64"),
            compressor,
        };
        Ok(())
    }

    /// Takes the place of an image.
    fn image(&mut self, tag: &BytesStart) -> Result<()> {
        let frame = ImageFrame::default();
        self.outline.frame = ImageFrame {
            origin: self.reals(tag, "Origin", frame.origin)?,
            spacing: self.reals(tag, "Spacing", frame.spacing)?,
            direction: self.reals(tag, "Direction", frame.direction)?,
        };
        Ok(())
    }

    fn reals<const N: usize>(
        &self,
        tag: &BytesStart,
        name: &str,
        default: [f64; N],
    ) -> Result<[f64; N]> {
        let Some(words) = self.xml.attribute(tag, name)? else { return Ok(default) };
        let values: Option<Vec<f64>> =
            words.split_ascii_whitespace().map(|word| word.parse().ok()).collect();
        let values = values.and_then(|values| <[f64; N]>::try_from(values).ok());
        values.ok_or_else(|| self.xml.fault(format!("{name}=\"{words}\" is not {N} numbers")))
    }

    fn array(&mut self, tag: &BytesStart) -> Result<()> {
        let kind = self.xml.attribute(tag, "type")?.unwrap_or_default();
        let format = self.xml.attribute(tag, "format")?.unwrap_or_else(|| "ascii".into());
        let storage = match format.to_ascii_lowercase().as_str() {
            "ascii" => ArrayStorage::Ascii,
            "binary" => ArrayStorage::Inline,
            "appended" => ArrayStorage::Appended(self.number(tag, "offset", None)?),
            _ => return Err(self.xml.fault(format!("an array of unknown format `{format}`"))),
        };
        let array = ArrayElement {
            section: self.section,
            name: self.xml.attribute(tag, "Name")?.unwrap_or_default(),
            scalar: Scalar::named(&kind),
            width: self.number(tag, "NumberOfComponents", Some(1))?,
            storage,
            text: Cow::default(),
            text_line: self.xml.line,
            line: self.xml.line,
        };
        self.outline.arrays.push(array);
        Ok(())
    }

    fn number(&self, tag: &BytesStart, name: &str, default: Option<usize>) -> Result<usize> {
        let value = self.xml.attribute(tag, name)?;
        let parsed = value.as_ref().and_then(|value| value.trim().parse().ok());
        parsed.or(default.filter(|_| value.is_none())).ok_or_else(|| {
            self.xml.fault(format!("{name}=\"{}\" is not a count", value.unwrap_or_default()))
        })
    }
}
