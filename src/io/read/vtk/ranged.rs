//! A block of the mesh in a `.vtu` or `.pvtu` file, read without the rest of it.
//!
//! Files of raw appended arrays without compression, which this program writes, have every number at a
//! place that follows from the outline, the XML before them. So a rank reads the outline, the types,
//! ends and corners of its own cells, and the points of its own vertices, each a range of bytes. The
//! files of a `.pvtu` are such files one behind another; their vertices are all there, those too that
//! several files repeat.
//!
//! All that is unusual or wrong is left to the reader of whole files, which has the messages: other
//! encodings, several pieces in a file, structured grids, cells that are faces or of high order, sizes that do
//! not fit, indices and numbers out of range.

use std::collections::HashSet;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;

use super::binary::Layout;
use super::outline::{Array, Outline, Section, Storage};
use super::pieces::Index;
use super::values::Scalar;
use super::{Faces, GHOSTS, Grid, Kept, push_cell_array};
use crate::cluster::block;
use crate::io::read::assemble::Assembly;
use crate::io::read::{MeshBlock, ReadReport};
use crate::io::{CREASE_EDGES, CREASE_SHARPNESS};
use crate::mesh::{Attribute, Crease, SolidMesh, check_coordinates};
use crate::numbers::Precision;

/// An outline of more bytes is left to the reader of whole files.
const MOST_OUTLINE: usize = 1 << 24;
/// Bytes that tell a `.pvtu`.
const INDEX_HEAD: u64 = 4096;
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
    let paths = match index(path)? {
        Some(index) => index.paths().map(Path::to_owned).collect(),
        None => vec![path.to_owned()],
    };
    let heads: Vec<Vec<u8>> = paths.iter().map(|path| head(path)).collect::<Option<_>>()?;
    let mut files = Vec::new();
    let (mut cells, mut points) = (0, 0);
    for (path, head) in paths.iter().zip(&heads) {
        let file = Piece::read(path, head, [cells, points])?;
        (cells, points) = (file.cells.end, file.points.end);
        if !(file.cells.is_empty() && file.points.is_empty()) {
            files.push(file);
        }
    }
    let own = [block(cells, rank, ranks), block(points, rank, ranks)];
    let (mut mesh, report) = cells_of(path, &files, own[0].clone())?;
    vertices_of(path, &files, own[1].clone(), &mut mesh)?;
    mesh.creases.edges = creases_of(path, &files, points)?;
    let pieces = files.iter().map(|file| file.points.start).collect();
    Some((MeshBlock { mesh, cells, vertices: points, pieces }, report))
}

/// The index of a `.pvtu`; nothing inside for another file.
fn index(path: &Path) -> Option<Option<Index>> {
    let mut file = File::open(path).ok().filter(is_regular)?;
    let mut bytes = Vec::new();
    (&mut file).take(INDEX_HEAD).read_to_end(&mut bytes).ok()?;
    if !Index::is_begun(&bytes) {
        return Some(None);
    }
    file.take(MOST_OUTLINE as u64).read_to_end(&mut bytes).ok()?;
    Index::read(path, &bytes).ok()
}

/// The cells of a run with their data, over the vertices of all files, and what the files hold beside.
fn cells_of(
    path: &Path,
    files: &[Piece<'_>],
    own: Range<usize>,
) -> Option<(SolidMesh, ReadReport)> {
    let mut assembly = Assembly::new(path, 0);
    for (index, file) in files.iter().enumerate() {
        let local = within(&own, &file.cells);
        // a run that is empty has the names of the arrays
        if !local.is_empty() || own.is_empty() && index == 0 {
            Ranged::open(file)?.cells(&mut assembly, local)?;
        }
        if file.names(Section::CellData) != files[0].names(Section::CellData) {
            return None;
        }
        for array in file.arrays(Section::Field).filter(|array| !is_crease(array)) {
            let field = Attribute { name: array.name.clone(), width: 1, values: Vec::new() };
            array.scalar.and_then(|_| assembly.push_field(field, None).ok())?;
        }
    }
    let report = ReadReport { skipped: assembly.left_out() };
    Some((assembly.mesh, report))
}

/// The vertices of a run, with their attributes and corners.
fn vertices_of(
    path: &Path,
    files: &[Piece<'_>],
    own: Range<usize>,
    mesh: &mut SolidMesh,
) -> Option<()> {
    let mut assembly = Assembly::new(path, 0);
    for (index, file) in files.iter().enumerate() {
        if file.names(Section::PointData) != files[0].names(Section::PointData) {
            return None;
        }
        let local = within(&own, &file.points);
        if !local.is_empty() || own.is_empty() && index == 0 {
            Ranged::open(file)?.vertices(&mut assembly, local)?;
        }
    }
    check_coordinates(assembly.positions(), Precision::F64).ok()?;
    assembly.take_sharpness().ok()?;
    let SolidMesh { points, attributes, creases, .. } = assembly.mesh;
    (mesh.points, mesh.attributes) = (points, attributes);
    for corner in creases.corners {
        mesh.creases.push_corner(corner.vertex.0 + own.start as u32, corner.sharpness);
    }
    Some(())
}

/// All creases, over so many vertices.
fn creases_of(path: &Path, files: &[Piece<'_>], points: usize) -> Option<Vec<Crease>> {
    let mut assembly = Assembly::new(path, 0);
    let mut fields: Vec<Attribute> = Vec::new();
    for file in files.iter().filter(|file| file.arrays(Section::Field).any(is_crease)) {
        let mut names = HashSet::new();
        for mut field in Ranged::open(file)?.creases()? {
            if !names.insert(field.name.clone()) {
                return None;
            }
            if field.name == CREASE_EDGES {
                let count = file.points.len() as f64;
                if !field.values.iter().all(|vertex| (0.0..count).contains(vertex)) {
                    return None;
                }
                field.values.iter_mut().for_each(|vertex| *vertex += file.points.start as f64);
            }
            match fields.iter_mut().find(|known| known.name == field.name) {
                Some(known) if known.width == field.width => known.values.extend(field.values),
                Some(_) => return None,
                None => fields.push(field),
            }
        }
    }
    fields.into_iter().try_for_each(|field| assembly.push_field(field, None)).ok()?;
    assembly.take_creases(points).ok()?;
    Some(assembly.mesh.creases.edges)
}

/// The items of a run that a file has, by the file's own numbers.
fn within(own: &Range<usize>, file: &Range<usize>) -> Range<usize> {
    let [start, end] = [own.start, own.end].map(|item| item.clamp(file.start, file.end));
    start - file.start..end - file.start
}

/// A `.vtu` file of one piece.
struct Piece<'a> {
    path: &'a Path,
    outline: Outline<'a>,
    // of the appended data in the file
    start: u64,
    // among those of all files
    cells: Range<usize>,
    points: Range<usize>,
}

impl<'a> Piece<'a> {
    /// From the head of a file; so many cells and points come before.
    fn read(path: &'a Path, head: &'a [u8], before: [usize; 2]) -> Option<Self> {
        let outline = Outline::read(path, head).ok()?;
        outline.appended.as_ref().filter(|appended| !appended.base64)?;
        let is_plain = outline.kind.is_none() && !outline.is_surface;
        if !is_plain || outline.layout.compressor.is_some() || outline.pieces.len() != 1 {
            return None;
        }
        let [cells, points] = [outline.pieces[0].cells, outline.pieces[0].points];
        let end = |index: usize, count: usize| before[index].checked_add(count);
        let (cells, points) = (before[0]..end(0, cells)?, before[1]..end(1, points)?);
        // ids are 32 bits
        let fit = points.end <= u32::MAX as usize && cells.end <= u32::MAX as usize;
        fit.then_some(Self { path, outline, start: head.len() as u64, cells, points })
    }

    fn arrays(&self, section: Section) -> impl Iterator<Item = &Array<'a>> {
        self.outline.arrays.iter().filter(move |array| array.section == section)
    }

    /// The arrays of a section, by name and form.
    fn names(&self, section: Section) -> Vec<(&str, usize, bool)> {
        let is_integer = |array: &Array<'_>| array.scalar.is_some_and(Scalar::is_integer);
        self.arrays(section).map(|a| (&a.name[..], a.width, is_integer(a))).collect()
    }

    /// The only array of the cells with this name.
    fn of_cells(&self, name: &str) -> Option<&Array<'a>> {
        let mut named = self.arrays(Section::Cells).filter(|array| array.name == name);
        named.next().filter(|_| named.next().is_none())
    }
}

/// Runs of some items; one that is empty if there are none, whose arrays are there too.
fn batches(items: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let starts = items.clone().step_by(BATCH).chain(items.is_empty().then_some(items.start));
    starts.map(move |start| start..(start + BATCH).min(items.end))
}

fn is_regular(file: &File) -> bool {
    file.metadata().is_ok_and(|about| about.is_file())
}

/// The file up to the appended data; `None` if there is none.
fn head(path: &Path) -> Option<Vec<u8>> {
    const TAG: &[u8] = b"<AppendedData";
    let mut file = File::open(path).ok().filter(is_regular)?;
    let mut head = Vec::new();
    while head.len() < MOST_OUTLINE {
        let before = head.len();
        (&mut file).take(STEP as u64).read_to_end(&mut head).ok()?;
        if head.len() == before || !head.starts_with(b"<") {
            return None;
        }
        let from = before.saturating_sub(TAG.len());
        let tag = head[from..].windows(TAG.len()).position(|window| window == TAG);
        if let Some(tag) = tag {
            // the rest of the tag, up to the underscore
            file.take(STEP as u64).read_to_end(&mut head).ok()?;
            let underscore = head[from + tag..].iter().position(|&byte| byte == b'_')?;
            head.truncate(from + tag + underscore + 1);
            return Some(head);
        }
    }
    None
}

fn is_crease(array: &Array) -> bool {
    [CREASE_EDGES, CREASE_SHARPNESS].contains(&array.name.as_str())
}

/// A piece whose file is open.
struct Ranged<'p, 'a> {
    piece: &'p Piece<'a>,
    file: File,
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

impl<'p, 'a> Ranged<'p, 'a> {
    fn open(piece: &'p Piece<'a>) -> Option<Self> {
        Some(Self { piece, file: File::open(piece.path).ok()? })
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
        let layout = self.piece.outline.layout;
        let scalar = array.scalar?;
        let at = self.piece.start.checked_add(offset as u64)?;
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

    /// Appends some of the cells with their data, over the vertices of all files.
    fn cells(&mut self, assembly: &mut Assembly<'_>, cells: Range<usize>) -> Option<()> {
        let (count, points) = (self.piece.cells.len(), self.piece.points.clone());
        let [types, ends, corners] =
            ["types", "offsets", "connectivity"].map(|name| self.piece.of_cells(name));
        let [types, ends, corners] =
            [self.place(types?)?, self.place(ends?)?, self.place(corners?)?];
        if [types.count, ends.count] != [count; 2] || count == 0 || points.is_empty() {
            return None;
        }
        for batch in batches(cells) {
            let (first, ends) = self.ends(ends, batch.clone())?;
            let last = ends.last().map_or(0, |&last| first + last as usize);
            let grid = Grid {
                corners: self.integers(corners, first..last.max(first))?,
                ends,
                types: self.integers(types, batch.clone())?,
                faces: self.faces(batch.clone(), count)?,
                first_point: points.start,
                ..Grid::default()
            };
            // it knows no points: indices are checked here
            let known = assembly.mesh.cells.len();
            let kept = grid.assemble(assembly, None).ok()?;
            let is_known = |v: &u32| points.contains(&(*v as usize));
            let all_known = |c: usize| assembly.mesh.cells.vertices(c).iter().all(is_known);
            let is_plain = kept.cells.len() == batch.len() && assembly.high_order.is_empty();
            if !is_plain || !(known..known + batch.len()).all(all_known) {
                return None;
            }
            self.cell_data(assembly, batch, count, &kept)?;
        }
        Some(())
    }

    /// Appends the data of some of so many cells.
    fn cell_data(
        &mut self,
        assembly: &mut Assembly<'_>,
        cells: Range<usize>,
        count: usize,
        kept: &Kept,
    ) -> Option<()> {
        let mut names = HashSet::new();
        for array in self.piece.arrays(Section::CellData) {
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
        let (stream, ends) =
            match (self.piece.of_cells("faces"), self.piece.of_cells("faceoffsets")) {
                (Some(stream), Some(ends)) => (self.place(stream)?, self.place(ends)?),
                (None, None) if self.piece.of_cells("face_connectivity").is_none() => {
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

    /// Appends some of the vertices with their attributes.
    fn vertices(&mut self, assembly: &mut Assembly<'_>, own: Range<usize>) -> Option<()> {
        let count = self.piece.points.len();
        let mut points = self.piece.arrays(Section::Points);
        let array = points.next().filter(|array| array.width == 3)?;
        if points.next().is_some() {
            return None;
        }
        let first = assembly.points();
        for batch in batches(own.clone()) {
            let values = self.rows(array, batch, count)?;
            values.as_chunks().0.iter().try_for_each(|&p| assembly.push_point(p, None)).ok()?;
        }
        let mut names = HashSet::new();
        for array in self.piece.arrays(Section::PointData) {
            let values = self.rows(array, own.clone(), count)?;
            let attribute = Attribute { name: array.name.clone(), width: array.width, values };
            if !names.insert(&array.name) {
                return None;
            }
            assembly.push_attribute(attribute, first, None).ok()?;
        }
        Some(())
    }

    /// The arrays of creases.
    fn creases(&mut self) -> Option<Vec<Attribute>> {
        let piece = self.piece;
        let read = |array: &Array<'_>| {
            let place = self.place(array)?;
            let values = self.reals(place, 0..place.count)?;
            Some(Attribute { name: array.name.clone(), width: array.width, values })
        };
        piece.arrays(Section::Field).filter(|array| is_crease(array)).map(read).collect()
    }
}
