//! A block of the mesh in a `.vtu` file, read without the rest of it.
//!
//! Files of raw appended arrays without compression, which this program writes, have every number at a
//! place that follows from the outline, the XML before them. So a rank reads the outline, the types,
//! ends and corners of its own cells, and the points of its own vertices, each a range of bytes.
//!
//! All that is unusual or wrong is left to the reader of whole files, which has the messages: other
//! encodings, several pieces, structured grids, cells that are faces or of high order, sizes that do
//! not fit, indices and numbers out of range.

use std::collections::HashSet;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;

use super::binary::Layout;
use super::outline::{Array, Outline, Section, Storage};
use super::values::Scalar;
use super::{Faces, GHOSTS, Grid, Kept, push_cell_array};
use crate::cluster::block;
use crate::io::read::assemble::Assembly;
use crate::io::read::{MeshBlock, ReadReport};
use crate::io::{CREASE_EDGES, CREASE_SHARPNESS};
use crate::mesh::{Attribute, SolidMesh, check_coordinates};
use crate::numbers::Precision;

/// An outline of more bytes is left to the reader of whole files.
const MOST_OUTLINE: usize = 1 << 24;
/// Bytes that are read of an outline at a time.
const STEP: usize = 1 << 16;
/// Cells or vertices that are read at a time.
const BATCH: usize = 1 << 16;
/// Ends of polyhedra that are looked at in one read.
const ENDS: usize = 1 << 13;

/// Block `rank` of so many, and what the file holds beside; `None` if the reader of whole files has to
/// read it, whatever block it is or for this one alone.
pub(in crate::io::read) fn read(
    path: &Path,
    rank: usize,
    ranks: usize,
) -> Option<(MeshBlock, ReadReport)> {
    let mut file = File::open(path).ok().filter(is_regular)?;
    let head = head(&mut file)?;
    let outline = Outline::read(path, &head).ok()?;
    let appended = outline.appended.as_ref().filter(|appended| !appended.base64)?;
    let is_plain = outline.kind.is_none() && !outline.is_surface;
    if !is_plain || outline.layout.compressor.is_some() || outline.pieces.len() != 1 {
        return None;
    }
    let start = (head.len() - appended.bytes.len()) as u64;
    let mut ranged = Ranged { path, file, start, outline: &outline };
    let piece = &outline.pieces[0];
    let cells = block(piece.cells, rank, ranks);
    let vertices = block(piece.points, rank, ranks);
    let (mut mesh, report) = ranged.cells(cells, piece.cells, piece.points)?;
    ranged.vertices(&mut mesh, vertices, piece.points)?;
    ranged.creases(&mut mesh, piece.points)?;
    Some((MeshBlock { mesh, cells: piece.cells, vertices: piece.points }, report))
}

/// Runs of some items; one that is empty if there are none, whose arrays are there too.
fn batches(items: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let starts = items.clone().step_by(BATCH).chain(items.is_empty().then_some(items.start));
    starts.map(move |start| start..(start + BATCH).min(items.end))
}

fn is_regular(file: &File) -> bool {
    file.metadata().is_ok_and(|about| about.is_file())
}

/// The file up to the appended data and some of it; `None` if there is none.
fn head(file: &mut File) -> Option<Vec<u8>> {
    const TAG: &[u8] = b"<AppendedData";
    let mut head = Vec::new();
    while head.len() < MOST_OUTLINE {
        let before = head.len();
        file.take(STEP as u64).read_to_end(&mut head).ok()?;
        if head.len() == before || !head.starts_with(b"<") {
            return None;
        }
        let from = before.saturating_sub(TAG.len());
        let tag = head[from..].windows(TAG.len()).position(|window| window == TAG);
        if let Some(tag) = tag {
            // the rest of the tag, up to the underscore
            file.take(STEP as u64).read_to_end(&mut head).ok()?;
            return head[from + tag..].contains(&b'_').then_some(head);
        }
    }
    None
}

fn is_crease(array: &Array) -> bool {
    [CREASE_EDGES, CREASE_SHARPNESS].contains(&array.name.as_str())
}

struct Ranged<'a> {
    path: &'a Path,
    file: File,
    // of the appended data
    start: u64,
    outline: &'a Outline<'a>,
}

/// An array of which ranges are read.
#[derive(Clone, Copy)]
struct Place {
    // of its numbers in the file
    start: u64,
    scalar: Scalar,
    count: usize,
    layout: Layout,
}

impl<'a> Ranged<'a> {
    fn arrays(&self, section: Section) -> impl Iterator<Item = &'a Array<'a>> + use<'a> {
        self.outline.arrays.iter().filter(move |array| array.section == section)
    }

    /// The only array of the cells with this name.
    fn of_cells(&self, name: &str) -> Option<&'a Array<'a>> {
        let mut named = self.arrays(Section::Cells).filter(|array| array.name == name);
        named.next().filter(|_| named.next().is_none())
    }

    fn bytes(&mut self, at: u64, count: usize) -> Option<Vec<u8>> {
        self.file.seek(SeekFrom::Start(at)).ok()?;
        let mut bytes = Vec::new();
        // no more than the file has, whatever it claims
        (&self.file).take(count as u64).read_to_end(&mut bytes).ok()?;
        (bytes.len() == count).then_some(bytes)
    }

    fn place(&mut self, array: &Array) -> Option<Place> {
        let Storage::Appended(offset) = array.storage else { return None };
        let layout = self.outline.layout;
        let scalar = array.scalar?;
        let at = self.start.checked_add(offset as u64)?;
        let header = if layout.wide_header { Scalar::U64 } else { Scalar::U32 };
        let size = self.bytes(at, header.size())?;
        let size = usize::try_from(*header.integers(&size, layout.big_endian).first()?).ok()?;
        let start = at + header.size() as u64;
        (size % scalar.size() == 0).then_some(Place {
            start,
            scalar,
            count: size / scalar.size(),
            layout,
        })
    }

    fn range(&mut self, place: Place, range: Range<usize>) -> Option<Vec<u8>> {
        if range.start > range.end || range.end > place.count {
            return None;
        }
        let size = place.scalar.size();
        self.bytes(place.start + (range.start * size) as u64, range.len() * size)
    }

    fn integers(&mut self, place: Place, range: Range<usize>) -> Option<Vec<i64>> {
        let bytes = self.range(place, range)?;
        Some(place.scalar.integers(&bytes, place.layout.big_endian))
    }

    fn reals(&mut self, place: Place, range: Range<usize>) -> Option<Vec<f64>> {
        let bytes = self.range(place, range)?;
        Some(place.scalar.reals(&bytes, place.layout.big_endian))
    }

    /// The rows of some of so many items.
    fn rows(&mut self, array: &Array, items: Range<usize>, count: usize) -> Option<Vec<f64>> {
        let place = self.place(array)?;
        if array.width == 0 || count.checked_mul(array.width) != Some(place.count) {
            return None;
        }
        self.reals(place, items.start * array.width..items.end * array.width)
    }

    /// Some of the cells with their data, over the vertices of the file.
    fn cells(
        &mut self,
        cells: Range<usize>,
        count: usize,
        points: usize,
    ) -> Option<(SolidMesh, ReadReport)> {
        let [types, ends, corners] =
            ["types", "offsets", "connectivity"].map(|name| self.of_cells(name));
        let [types, ends, corners] =
            [self.place(types?)?, self.place(ends?)?, self.place(corners?)?];
        if [types.count, ends.count] != [count; 2] || count == 0 || points == 0 {
            return None;
        }
        let mut assembly = Assembly::new(self.path, 0);
        for batch in batches(cells) {
            let (first, ends) = self.ends(ends, batch.clone())?;
            let last = ends.last().map_or(0, |&last| first + last as usize);
            let grid = Grid {
                corners: self.integers(corners, first..last.max(first))?,
                ends,
                types: self.integers(types, batch.clone())?,
                faces: self.faces(batch.clone(), count)?,
                ..Grid::default()
            };
            // it knows no points: indices are checked here
            let known = assembly.mesh.cells.len();
            let kept = grid.assemble(&mut assembly, None).ok()?;
            let is_known = |v: &u32| (*v as usize) < points;
            let all_known = |c: usize| assembly.mesh.cells.vertices(c).iter().all(is_known);
            let is_plain = kept.cells.len() == batch.len() && assembly.high_order.is_empty();
            if !is_plain || !(known..known + batch.len()).all(all_known) {
                return None;
            }
            self.cell_data(&mut assembly, batch, count, &kept)?;
        }
        for array in self.arrays(Section::Field).filter(|array| !is_crease(array)) {
            let field = Attribute { name: array.name.clone(), width: 1, values: Vec::new() };
            array.scalar.and_then(|_| assembly.push_field(field, None).ok())?;
        }
        let report = ReadReport { skipped: assembly.left_out() };
        Some((assembly.mesh, report))
    }

    /// Appends the data of some of so many cells.
    fn cell_data(
        &mut self,
        assembly: &mut Assembly,
        cells: Range<usize>,
        count: usize,
        kept: &Kept,
    ) -> Option<()> {
        let mut names = HashSet::new();
        for array in self.arrays(Section::CellData) {
            let scalar = array.scalar.filter(|_| array.name != GHOSTS)?;
            let values = self.rows(array, cells.clone(), count)?;
            let attribute = Attribute { name: array.name.clone(), width: array.width, values };
            push_cell_array(assembly, (attribute, scalar.is_integer()), kept, None).ok()?;
            let pushed = assembly.mesh.cell_data.iter().find(|known| known.name == array.name)?;
            if !names.insert(&array.name) || pushed.integers != scalar.is_integer() {
                return None;
            }
        }
        Some(())
    }

    /// The end of the corners before some cells, and the ends of these relative to it.
    fn ends(&mut self, place: Place, cells: Range<usize>) -> Option<(usize, Vec<i64>)> {
        let before = cells.start.saturating_sub(1)..cells.start;
        let first = self.integers(place, before)?.first().copied().unwrap_or(0);
        let ends = self.integers(place, cells)?;
        let first_corner = usize::try_from(first).ok()?;
        let ascend = std::iter::once(&first).chain(&ends).is_sorted();
        ascend.then(|| (first_corner, ends.into_iter().map(|end| end - first).collect()))
    }

    /// The faces of the polyhedra among some of so many cells.
    fn faces(&mut self, cells: Range<usize>, count: usize) -> Option<Faces> {
        let (stream, ends) = match (self.of_cells("faces"), self.of_cells("faceoffsets")) {
            (Some(stream), Some(ends)) => (self.place(stream)?, self.place(ends)?),
            (None, None) if self.of_cells("face_connectivity").is_none() => {
                return Some(Faces::Absent);
            }
            _ => return None,
        };
        if ends.count != count {
            return None;
        }
        // behind those of the last polyhedron before
        let mut first = 0;
        let mut end = cells.start;
        while end > 0 && first == 0 {
            let start = end.saturating_sub(ENDS);
            let before = self.integers(ends, start..end)?;
            first = before.iter().rev().copied().find(|&end| end >= 0).unwrap_or(0);
            end = start;
        }
        let own = self.integers(ends, cells)?;
        let last = own.iter().rev().copied().find(|&end| end >= 0).unwrap_or(first);
        let [from, to] = [first, last].map(usize::try_from);
        let stream = self.integers(stream, from.ok()?..to.ok()?)?;
        let ends = own.into_iter().map(|end| if end < 0 { end } else { end - first }).collect();
        Some(Faces::Stream { stream, ends })
    }

    /// Some of so many vertices, with their attributes and corners.
    fn vertices(&mut self, mesh: &mut SolidMesh, own: Range<usize>, count: usize) -> Option<()> {
        let mut points = self.arrays(Section::Points);
        let array = points.next().filter(|array| array.width == 3)?;
        let mut assembly = Assembly::new(self.path, 0);
        for batch in batches(own.clone()) {
            let values = self.rows(array, batch, count)?;
            values.as_chunks().0.iter().try_for_each(|&p| assembly.push_point(p, None)).ok()?;
        }
        let fit = check_coordinates(assembly.positions(), Precision::F64).is_ok();
        if points.next().is_some() || !fit {
            return None;
        }
        for array in self.arrays(Section::PointData) {
            let values = self.rows(array, own.clone(), count)?;
            let attribute = Attribute { name: array.name.clone(), width: array.width, values };
            if assembly.mesh.attributes.iter().any(|known| known.name == attribute.name) {
                return None;
            }
            assembly.push_attribute(attribute, 0, None).ok()?;
        }
        assembly.take_sharpness().ok()?;
        let SolidMesh { points, attributes, creases, .. } = assembly.mesh;
        (mesh.points, mesh.attributes) = (points, attributes);
        for corner in creases.corners {
            mesh.creases.push_corner(corner.vertex.0 + own.start as u32, corner.sharpness);
        }
        Some(())
    }

    /// All creases, over so many vertices.
    fn creases(&mut self, mesh: &mut SolidMesh, points: usize) -> Option<()> {
        let mut assembly = Assembly::new(self.path, 0);
        for array in self.arrays(Section::Field).filter(|array| is_crease(array)) {
            let place = self.place(array)?;
            let values = self.reals(place, 0..place.count)?;
            let field = Attribute { name: array.name.clone(), width: array.width, values };
            assembly.push_field(field, None).ok()?;
        }
        assembly.take_creases(points).ok()?;
        mesh.creases.edges = assembly.mesh.creases.edges;
        Some(())
    }
}
