//! VTK XML `.vtp` files: polygons and strips of triangles, arrays of the points, and creases.
//!
//! Pieces are joined one behind the other, and their points are not merged. An array of the points
//! that not every piece has is left out, as are vertices, lines and arrays of the cells.

use std::path::Path;

use quick_xml::events::Event;
use quick_xml::reader::Reader;

use crate::error::IdKind::Vertex;
use crate::error::{Command, Error, Message, Result};
use crate::io::read::ReadReport;
use crate::io::read::assemble::{Assembly, counted_kind};
use crate::mesh::{Attribute, Polygons, SurfaceMesh};

use super::binary::Budget;
use super::encoding::is_xml;
use super::ghosts::{check_face_ghosts, is_ghosts};
use super::outline::{ArrayElement, ArraySection, PieceOutline, XmlOutline};
use super::strip;
use super::xml::ArrayDecoder;
use crate::io::read::lines::shown;
use crate::numbers::counted;

/// Whether a file is VTK XML of a surface, as its tag `VTKFile` says.
pub(in crate::io::read) fn is_surface(bytes: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]);
    if !is_xml(bytes) {
        return false;
    }
    let mut reader = Reader::from_str(head.trim_ascii_start());
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag) | Event::Empty(tag)) if tag.name().as_ref() == "VTKFile" => {
                let kind = tag.try_get_attribute("type").ok().flatten();
                return kind.is_some_and(|kind| kind.value.as_ref() == "PolyData");
            }
            Ok(Event::Eof | Event::Start(_) | Event::Empty(_)) | Err(_) => return false,
            Ok(_) => {}
        }
    }
}

/// Reads a `.vtp` file that is already in memory.
pub(in crate::io::read) fn read(
    path: &Path,
    bytes: &[u8],
    most_unpacked: u64,
) -> Result<(SurfaceMesh, ReadReport)> {
    let outline = XmlOutline::read(path, bytes)?;
    let budget = Budget::new(most_unpacked);
    let numbers = ArrayDecoder { path, outline: &outline, budget: &budget };
    if !outline.is_surface {
        return Err(Error::file(path, None, "a grid, not a surface").with_help(message!(
            "solids are read as such, by ",
            Command::ReadSolid,
            " for one"
        )));
    }
    let mut reader = SurfaceReader { numbers, mesh: SurfaceMesh::default(), skipped: Vec::new() };
    for (index, piece) in outline.pieces.iter().enumerate() {
        reader.piece(index, piece)?;
    }
    let SurfaceReader { mesh, mut skipped, .. } = reader;
    let mut assembly = Assembly::new(path, 0);
    for array in outline.arrays.iter().filter(|array| array.section == ArraySection::Field) {
        let name = shown(array.name.as_bytes());
        if array.scalar.is_none() {
            assembly.skip(&format!("field array `{name}`"));
            continue;
        }
        let field = Attribute { name, width: array.width, values: numbers.reals(array)? };
        assembly.push_field(field, Some(array.line))?;
    }
    (assembly.mesh.points, assembly.mesh.attributes) = (mesh.points, mesh.attributes);
    let (mesh, report) = assembly.finish_polygons(mesh.faces)?;
    skipped.extend(report.skipped);
    Ok((mesh, ReadReport { skipped, ..ReadReport::default() }))
}

/// The vertices that `ids` name among `points`, the first of which has the id `first`. The error
/// says which of the ids names none, and why.
pub(super) fn vertices(
    ids: &[i64],
    first: usize,
    points: usize,
) -> Result<Vec<u32>, (usize, Message)> {
    let vertex = |(index, &id): (usize, &i64)| {
        let vertex = usize::try_from(id).ok().filter(|&vertex| vertex < points);
        let vertex = vertex.ok_or_else(|| match points.checked_sub(1) {
            Some(last) => (index, message!("a face names ", Vertex.id(id), ", the last is {last}")),
            None => (index, message!("a face names ", Vertex.id(id), ", there is none")),
        })?;
        u32::try_from(first + vertex)
            .map_err(|_| (index, "more vertices than 32 bits number".into()))
    };
    ids.iter().enumerate().map(vertex).collect()
}

/// Appends polygons, or the triangles of strips, from the end of each among the vertices of all.
pub(super) fn push_faces(
    faces: &mut Polygons,
    vertices: &[u32],
    ends: &[i64],
    are_strips: bool,
) -> Result<(), Message> {
    let mut start = 0;
    for &end in ends {
        let face = usize::try_from(end).ok().and_then(|end| vertices.get(start..end));
        let face = face.ok_or_else(|| {
            Message::from(format!("a face ends at {end} of {} corners", vertices.len()))
        })?;
        start += face.len();
        if are_strips {
            strip(face).for_each(|triangle| faces.push(&triangle))
        } else {
            faces.push(face)
        }
    }
    if start != vertices.len() {
        return Err(format!("the faces end at {start} of {} corners", vertices.len()).into());
    }
    Ok(())
}

struct SurfaceReader<'a> {
    numbers: ArrayDecoder<'a>,
    mesh: SurfaceMesh,
    skipped: Vec<String>,
}

impl SurfaceReader<'_> {
    fn piece(&mut self, index: usize, piece: &PieceOutline) -> Result<()> {
        let ArrayDecoder { outline, .. } = self.numbers;
        let arrays = outline.of_piece(index);
        let first = self.mesh.points.len();
        if piece.skipped > 0 {
            self.skip(counted_kind("vertices and lines", piece.skipped));
        }
        if piece.points == 0 {
            return Ok(());
        }
        let Some(points) = arrays.iter().find(|array| array.section == ArraySection::Points) else {
            return Err(self.numbers.fault(piece.line, "a piece without points"));
        };
        let values = self.numbers.reals(points)?;
        if points.width != 3 || Some(values.len()) != piece.points.checked_mul(3) {
            let message = format!(
                "{}, the piece claims {}",
                counted(values.len(), "coordinate"),
                counted(piece.points, "point")
            );
            return Err(self.numbers.fault(points.line, message));
        }
        self.mesh.points.extend_from_slice(values.as_chunks::<3>().0);
        let mut cells = 0;
        for section in [ArraySection::Polys, ArraySection::Strips] {
            cells += self.faces(arrays, section, piece, first)?;
        }
        if cells != piece.cells {
            let message = format!("{cells} polygons and strips, the piece claims {}", piece.cells);
            return Err(self.numbers.fault(piece.line, message));
        }
        self.attributes(arrays, piece, first)
    }

    /// Appends the polygons, or the triangles of strips; returns how many of them the piece has.
    fn faces(
        &mut self,
        arrays: &[ArrayElement],
        section: ArraySection,
        piece: &PieceOutline,
        first: usize,
    ) -> Result<usize> {
        let find =
            |name: &str| arrays.iter().find(|array| array.section == section && array.name == name);
        let (Some(corners), Some(ends)) = (find("connectivity"), find("offsets")) else {
            return Ok(0);
        };
        let ids = self.numbers.integers(corners)?;
        let vertices = vertices(&ids, first, piece.points)
            .map_err(|(_, message)| self.numbers.fault(corners.line, message))?;
        let all_ends = self.numbers.integers(ends)?;
        push_faces(&mut self.mesh.faces, &vertices, &all_ends, section == ArraySection::Strips)
            .map_err(|message| self.numbers.fault(ends.line, message))?;
        Ok(all_ends.len())
    }

    /// Takes the arrays of the points that all pieces so far have.
    fn attributes(
        &mut self,
        arrays: &[ArrayElement],
        piece: &PieceOutline,
        first: usize,
    ) -> Result<()> {
        let mut own = Vec::new();
        for array in arrays {
            let name = shown(array.name.as_bytes());
            if is_ghosts(&array.name) && array.scalar.is_some() {
                let (values, line) = (self.numbers.reals(array)?, Some(array.line));
                check_face_ghosts(self.numbers.path, array.section, &array.name, &values, line)?;
            }
            match (array.section, array.scalar) {
                (ArraySection::PointData, _) if name.is_empty() => {
                    self.skip("vertex arrays without a name".into());
                }
                (ArraySection::PointData, _) if is_ghosts(&array.name) => {
                    self.skip(format!("point array `{name}`"));
                }
                (ArraySection::CellData, _) if name.is_empty() => {
                    self.skip("cell arrays without a name".into());
                }
                (ArraySection::CellData, _) => self.skip(format!("cell array `{name}`")),
                (ArraySection::PointData, None) => self.skip(format!("point array `{name}`")),
                (ArraySection::PointData, Some(_)) => {
                    let (width, values) = (array.width, self.numbers.reals(array)?);
                    if piece.points.checked_mul(width) != Some(values.len()) {
                        let message = format!(
                            "point array `{name}`: {}, {} × {width} are needed",
                            counted(values.len(), "value"),
                            piece.points
                        );
                        return Err(self.numbers.fault(array.line, message));
                    }
                    own.push(Attribute { name: array.name.clone(), width, values });
                }
                _ => {}
            }
        }
        if first == 0 {
            self.mesh.attributes = own;
            return Ok(());
        }
        let mut kept = Vec::new();
        for mut attribute in std::mem::take(&mut self.mesh.attributes) {
            let same = |a: &Attribute| a.name == attribute.name && a.width == attribute.width;
            match own.iter().position(same) {
                Some(place) => {
                    attribute.values.extend(own.swap_remove(place).values);
                    kept.push(attribute);
                }
                None => own.push(attribute),
            }
        }
        self.mesh.attributes = kept;
        for Attribute { name, .. } in own {
            self.skip(format!(
                "point array `{}`, which not all pieces have",
                shown(name.as_bytes())
            ));
        }
        Ok(())
    }

    fn skip(&mut self, what: String) {
        if !self.skipped.contains(&what) {
            self.skipped.push(what);
        }
    }
}
