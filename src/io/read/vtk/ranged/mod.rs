//! A block of the mesh in a `.vtu`, `.pvtu` or legacy `.vtk` file, read without the rest of it.
//!
//! Raw arrays without compression, appended ones or those of a binary legacy file, have every
//! number at an offset that follows from what stands before them. ASCII arrays are scanned once, a
//! buffer at a time, and the offsets of some of their words are kept. So a rank reads the types and
//! corners of its own cells, and the points of its own vertices, each a range of the file. The
//! files of a `.pvtu` are such files one behind another; their vertices are all there, those too
//! that several files repeat.
//!
//! [`columns`] has the arrays of a file, of which ranges are read; [`xml`] and [`legacy`] find
//! them. All that is unusual or wrong is left to the reader of whole files, which has the messages:
//! other encodings, several pieces in a file, structured grids, cells that are faces or of high
//! order, sizes that do not fit, indices and numbers out of range.

mod columns;
mod legacy;
mod scan;
mod xml;

use std::collections::HashSet;
use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::Path;

use super::ghosts::is_ghosts;
use super::outline::ArraySection;
use super::pieces::{HEAD_BYTES, Index};
use super::{GivenFaces, KeptCells, UnstructuredGrid, push_cell_array};
use crate::cluster::block;
use crate::io::CREASE_EDGES;
use crate::io::read::assemble::Assembly;
use crate::io::read::{MeshBlock, ReadReport};
use crate::mesh::{Attribute, Crease, SolidMesh, check_coordinates};
use crate::numbers::Precision;

use columns::{Column, Contents, StoredArray};
use scan::FileScan;
use xml::MAX_OUTLINE_BYTES;

/// Cells or vertices that are read at a time.
const BATCH_ITEMS: usize = 1 << 16;
/// Ends of polyhedra that are read at once.
const ENDS: usize = 1 << 13;

/// Block `rank` of so many, and what the file holds beside; `None` if the reader of whole files has
/// to read it, whatever block it is or for this one alone.
pub(in crate::io::read) fn read(
    path: &Path,
    rank: usize,
    ranks: usize,
) -> Option<(MeshBlock, ReadReport)> {
    let paths = match index(path)? {
        Some(index) => index.paths().map(Path::to_owned).collect(),
        None => vec![path.to_owned()],
    };
    let mut files = Vec::new();
    let (mut cells, mut points) = (0, 0);
    for path in &paths {
        let file = FilePiece::read(path, [cells, points])?;
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
    let is_single =
        |file: &FilePiece| file.arrays(ArraySection::Points).any(|array| array.is_single);
    let is_single = files.iter().any(is_single);
    Some((MeshBlock { mesh, cells, vertices: points, pieces, is_single }, report))
}

/// The index of a `.pvtu`; nothing inside for another file.
fn index(path: &Path) -> Option<Option<Index>> {
    let is_regular = |file: &File| file.metadata().is_ok_and(|about| about.is_file());
    let mut file = File::open(path).ok().filter(is_regular)?;
    let mut bytes = Vec::new();
    (&mut file).take(HEAD_BYTES as u64).read_to_end(&mut bytes).ok()?;
    if !Index::is_begun(&bytes) {
        return Some(None);
    }
    file.take(MAX_OUTLINE_BYTES as u64).read_to_end(&mut bytes).ok()?;
    Index::read(path, &bytes).ok()
}

/// The cells of a run with their data, over the vertices of all files, and what the files hold
/// beside.
fn cells_of(
    path: &Path,
    files: &[FilePiece<'_>],
    own: Range<usize>,
) -> Option<(SolidMesh, ReadReport)> {
    let mut assembly = Assembly::new(path, 0);
    for (index, file) in files.iter().enumerate() {
        let local = within(&own, &file.cells);
        // a run that is empty has the names of the arrays
        if !local.is_empty() || own.is_empty() && index == 0 {
            Ranged::open(file)?.cells(&mut assembly, local)?;
        }
        if file.names(ArraySection::CellData) != files[0].names(ArraySection::CellData) {
            return None;
        }
        for array in &file.contents.columns {
            if let StoredArray::LeftOut(what) = &array.stored {
                assembly.skip(what);
            } else if array.section == ArraySection::Field && !array.is_crease() {
                let field = Attribute { name: array.name.clone(), width: 1, values: Vec::new() };
                assembly.push_field(field, None).ok()?;
            }
        }
    }
    let report = ReadReport { skipped: assembly.left_out() };
    Some((assembly.mesh, report))
}

/// The vertices of a run, with their attributes and corners.
fn vertices_of(
    path: &Path,
    files: &[FilePiece<'_>],
    own: Range<usize>,
    mesh: &mut SolidMesh,
) -> Option<()> {
    let mut assembly = Assembly::new(path, 0);
    for (index, file) in files.iter().enumerate() {
        if file.names(ArraySection::PointData) != files[0].names(ArraySection::PointData) {
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

/// All creases, over `points` vertices.
fn creases_of(path: &Path, files: &[FilePiece<'_>], points: usize) -> Option<Vec<Crease>> {
    let mut assembly = Assembly::new(path, 0);
    let mut fields: Vec<Attribute> = Vec::new();
    for file in files.iter().filter(|file| file.arrays(ArraySection::Field).any(Column::is_crease))
    {
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
    assembly.mesh.creases.drop_smooth();
    Some(assembly.mesh.creases.edges)
}

/// The items of a run that a file has, by the file's own numbers.
fn within(own: &Range<usize>, file: &Range<usize>) -> Range<usize> {
    let [start, end] = [own.start, own.end].map(|item| item.clamp(file.start, file.end));
    start - file.start..end - file.start
}

/// A file of one grid.
struct FilePiece<'a> {
    path: &'a Path,
    contents: Contents,
    // among those of all files
    cells: Range<usize>,
    points: Range<usize>,
}

/// What a file has; `None` if only the reader of whole files can tell.
fn contents(path: &Path) -> Option<Contents> {
    let mut scan = FileScan::open(path)?;
    let is_xml = scan.buffer()?.trim_ascii_start().starts_with(b"<");
    if is_xml { xml::contents(path, scan) } else { legacy::contents(scan) }
}

impl<'a> FilePiece<'a> {
    /// From a file; so many cells and points come before.
    fn read(path: &'a Path, before: [usize; 2]) -> Option<Self> {
        let contents = contents(path)?;
        let end = |index: usize, count: usize| before[index].checked_add(count);
        let cells = before[0]..end(0, contents.cells)?;
        let points = before[1]..end(1, contents.points)?;
        // ids are 32 bits
        let fit = points.end <= u32::MAX as usize && cells.end <= u32::MAX as usize;
        fit.then_some(Self { path, contents, cells, points })
    }

    /// The arrays of a section that have numbers.
    fn arrays(&self, section: ArraySection) -> impl Iterator<Item = &Column> {
        let columns = self.contents.columns.iter();
        columns.filter(move |array| array.section == section && !array.is_left_out())
    }

    /// The arrays of a section, by name and form.
    fn names(&self, section: ArraySection) -> Vec<(&str, usize, bool)> {
        self.arrays(section).map(|a| (&a.name[..], a.width, a.is_integer)).collect()
    }

    /// The only array of the cells with this name.
    fn of_cells(&self, name: &str) -> Option<&Column> {
        let mut named = self.arrays(ArraySection::Cells).filter(|array| array.name == name);
        named.next().filter(|_| named.next().is_none())
    }
}

/// Runs of some items; one that is empty if there are none, whose arrays are there too.
fn batches(items: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let starts = items.clone().step_by(BATCH_ITEMS).chain(items.is_empty().then_some(items.start));
    starts.map(move |start| start..(start + BATCH_ITEMS).min(items.end))
}

/// A piece whose file is open.
struct Ranged<'p, 'a> {
    piece: &'p FilePiece<'a>,
    scan: FileScan,
}

impl<'p, 'a> Ranged<'p, 'a> {
    fn open(piece: &'p FilePiece<'a>) -> Option<Self> {
        Some(Self { piece, scan: FileScan::open(piece.path)? })
    }

    /// Appends some of the cells with their data, over the vertices of all files.
    fn cells(&mut self, assembly: &mut Assembly<'_>, cells: Range<usize>) -> Option<()> {
        let (count, points) = (self.piece.cells.len(), self.piece.points.clone());
        let types = self.piece.of_cells("types")?;
        if types.count() != Some(count) || count == 0 || points.is_empty() {
            return None;
        }
        for batch in batches(cells) {
            let (ends, corners) = self.corners(batch.clone(), count)?;
            let grid = UnstructuredGrid {
                corners,
                ends,
                types: types.integers(&mut self.scan, batch.clone())?,
                faces: self.faces(batch.clone(), count)?,
                first_point: points.start,
                ..UnstructuredGrid::default()
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

    /// Appends the data of some of `count` cells.
    fn cell_data(
        &mut self,
        assembly: &mut Assembly<'_>,
        cells: Range<usize>,
        count: usize,
        kept: &KeptCells,
    ) -> Option<()> {
        let mut names = HashSet::new();
        for array in self.piece.arrays(ArraySection::CellData) {
            if is_ghosts(&array.name) {
                return None;
            }
            let values = array.rows(&mut self.scan, cells.clone(), count)?;
            let attribute = Attribute { name: array.name.clone(), width: array.width, values };
            push_cell_array(assembly, attribute, array.is_integer, kept, None).ok()?;
            let pushed = assembly.mesh.cell_data.iter().find(|known| known.name == array.name)?;
            if !names.insert(&array.name) || pushed.integers != array.is_integer {
                return None;
            }
        }
        Some(())
    }

    /// The ends of some of `count` cells among their corners, and these.
    fn corners(&mut self, cells: Range<usize>, count: usize) -> Option<(Vec<i64>, Vec<i64>)> {
        if let Some(rows) = &self.piece.contents.rows {
            return rows.read(&mut self.scan, cells);
        }
        let [ends, corners] = ["offsets", "connectivity"].map(|name| self.piece.of_cells(name));
        let (ends, corners) = (ends?, corners?);
        if ends.count() != Some(count) {
            return None;
        }
        let before = cells.start.saturating_sub(1)..cells.start;
        let first = ends.integers(&mut self.scan, before)?.first().copied().unwrap_or(0);
        let ends = ends.integers(&mut self.scan, cells)?;
        let ascend = std::iter::once(&first).chain(&ends).is_sorted();
        let [from, to] = [first, *ends.last().unwrap_or(&first)].map(usize::try_from);
        let corners = corners.integers(&mut self.scan, from.ok()?..to.ok()?)?;
        ascend.then(|| (ends.into_iter().map(|end| end - first).collect(), corners))
    }

    /// The faces of the polyhedra among some of `count` cells.
    fn faces(&mut self, cells: Range<usize>, count: usize) -> Option<GivenFaces> {
        if self.piece.contents.has_faces_in_cells {
            return Some(GivenFaces::InCells);
        }
        let (stream, ends) =
            match (self.piece.of_cells("faces"), self.piece.of_cells("faceoffsets")) {
                (Some(stream), Some(ends)) => (stream, ends),
                (None, None) if self.piece.of_cells("face_connectivity").is_none() => {
                    return Some(GivenFaces::Absent);
                }
                _ => return None,
            };
        if ends.count() != Some(count) {
            return None;
        }
        let scan = &mut self.scan;
        // behind those of the last polyhedron before
        let mut first = 0;
        let mut end = cells.start;
        while end > 0 && first == 0 {
            let start = end.saturating_sub(ENDS);
            let before = ends.integers(scan, start..end)?;
            first = before.iter().rev().copied().find(|&end| end >= 0).unwrap_or(0);
            end = start;
        }
        let own = ends.integers(scan, cells)?;
        let last = own.iter().rev().copied().find(|&end| end >= 0).unwrap_or(first);
        let [from, to] = [first, last].map(usize::try_from);
        let stream = stream.integers(scan, from.ok()?..to.ok()?)?;
        let ends = own.into_iter().map(|end| if end < 0 { end } else { end - first }).collect();
        Some(GivenFaces::Stream { stream, ends })
    }

    /// Appends some of the vertices with their attributes.
    fn vertices(&mut self, assembly: &mut Assembly<'_>, own: Range<usize>) -> Option<()> {
        let count = self.piece.points.len();
        let mut points = self.piece.arrays(ArraySection::Points);
        let array = points.next().filter(|array| array.width == 3)?;
        if points.next().is_some() {
            return None;
        }
        let first = assembly.points();
        for batch in batches(own.clone()) {
            let values = array.rows(&mut self.scan, batch, count)?;
            values.as_chunks().0.iter().try_for_each(|&p| assembly.push_point(p, None)).ok()?;
        }
        let mut names = HashSet::new();
        for array in self.piece.arrays(ArraySection::PointData) {
            let values = array.rows(&mut self.scan, own.clone(), count)?;
            let attribute = Attribute { name: array.name.clone(), width: array.width, values };
            // the report of those that are left out is the other reader's
            let is_large = |x: &f64| x.abs() >= 2_f64.powi(53);
            let is_rounded = array.is_integer && attribute.values.iter().any(is_large);
            let is_left_out = array.name.is_empty() || is_ghosts(&array.name) || is_rounded;
            if !names.insert(&array.name) || is_left_out {
                return None;
            }
            assembly.push_attribute(attribute, first, None).ok()?;
        }
        Some(())
    }

    /// The arrays of creases.
    fn creases(&mut self) -> Option<Vec<Attribute>> {
        let piece = self.piece;
        let read = |array: &Column| {
            let values = array.reals(&mut self.scan, 0..array.count()?)?;
            Some(Attribute { name: array.name.clone(), width: array.width, values })
        };
        piece.arrays(ArraySection::Field).filter(|array| array.is_crease()).map(read).collect()
    }
}
