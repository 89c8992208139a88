//! What the two VTK formats share: cell types and the arrays of an unstructured
//! grid.
//!
//! Both readers are our own. The crate `vtkio` (0.6.3 and 0.7.0-rc2 were tried)
//! rejects legacy files common among hexahedral meshers (blanks after the version
//! or the cell types), reports no line numbers, supports neither the face arrays of
//! polyhedra nor field data in `.vtu` files, and silently stops at damaged sections.
//! Programs that hold its data model convert it ([`vtkio`], with the feature of that name).
//!
//! Named arrays: point array `corner_sharpness` (1 component, 0 = smooth), field
//! arrays `crease_edges` (2 components, vertex ids) and `crease_sharpness`
//! (1 component) become creases. Every other numeric point array becomes a vertex
//! attribute, every numeric cell array an array of the volume cells; other field arrays are skipped
//! and reported. Triangles, quads and polygons beside the volume cells are in groups by the cell
//! arrays of integers: array `group:NAME`, of reals too, is the group of the elements of a value
//! other than 0, value 3 of another array `A` the group `A:3`, value 0 none. High-order cells are
//! read by their corners.
//!
//! Surfaces ([`surface`], [`legacy_surface`]) have the same point arrays and creases.

mod binary;
pub mod blocks;
pub(super) mod encoding;
pub(super) mod events;
mod ghosts;
mod grid;
pub(super) mod legacy;
mod legacy_arrays;
mod legacy_lists;
pub(super) mod legacy_surface;
mod outline;
pub(super) mod pieces;
mod structured;
pub(super) mod surface;
mod values;
#[cfg(feature = "vtkio")]
pub mod vtkio;
mod xml;

use std::collections::HashSet;
use std::path::Path;

use crate::error::IdKind::Vertex;
use crate::error::{Command, Error, Result};
use crate::mesh::groups::{face_group_name, names_group};
use crate::mesh::{Attribute, GHOSTS, VolumeShape, drop_repeated};
use crate::numbers::{by_count, counted};

use super::assemble::Assembly;
use super::curved::NodeOrder;
use super::groups::MAX_FACE_GROUPS;
use ghosts::{as_ghosts, check_point_ghosts, is_ghosts};
use grid::{GivenFaces, KeptCells, UnstructuredGrid};

/// What a VTK cell type is to us.
enum VtkType {
    Volume(VolumeShape),
    /// A high-order cell, whose corners come first, and its number of nodes unless
    /// that depends on the order.
    HighOrder(VolumeShape, Option<usize>),
    Polyhedron,
    /// Two polygons, by their number of corners, one above the other.
    Prism(usize),
    /// A face, and how many of its nodes are corners, which come first; 0: all.
    Face(&'static str, usize),
    /// A quad whose x runs fastest: corners 2 and 3 swapped.
    Pixel,
    /// Triangles that share edges with the next one.
    Strip,
    /// Vertices, lines and cells without an order of corners: not part of the volume.
    Lower(&'static str),
    /// Volume cells that cannot be control cells.
    Refused(&'static str),
}

fn kind(cell_type: i64) -> VtkType {
    match cell_type {
        10 => VtkType::Volume(VolumeShape::Tetrahedron),
        11 => VtkType::Volume(VolumeShape::Voxel),
        12 => VtkType::Volume(VolumeShape::Hexahedron),
        13 => VtkType::Volume(VolumeShape::Wedge),
        14 => VtkType::Volume(VolumeShape::Pyramid),
        42 => VtkType::Polyhedron,
        0 => VtkType::Lower("empty"),
        1 | 2 => VtkType::Lower("vertex"),
        3 | 4 | 21 | 35 | 51 | 60 | 68 | 75 => VtkType::Lower("line"),
        5 | 22 | 34 | 69 | 76 => VtkType::Face("triangle", 3),
        9 | 23 | 28 | 30 | 70 | 77 => VtkType::Face("quad", 4),
        7 => VtkType::Face("polygon", 0),
        6 => VtkType::Strip,
        8 => VtkType::Pixel,
        52 => VtkType::Lower("parametric surface"),
        53 | 61 => VtkType::Lower("triangle"),
        54 | 62 => VtkType::Lower("quad"),
        36 | 63 => VtkType::Lower("polygon"),
        15 => VtkType::Prism(5),
        16 => VtkType::Prism(6),
        24 => VtkType::HighOrder(VolumeShape::Tetrahedron, Some(10)),
        25 => VtkType::HighOrder(VolumeShape::Hexahedron, Some(20)),
        26 => VtkType::HighOrder(VolumeShape::Wedge, Some(15)),
        27 => VtkType::HighOrder(VolumeShape::Pyramid, Some(13)),
        29 => VtkType::HighOrder(VolumeShape::Hexahedron, Some(27)),
        31 => VtkType::HighOrder(VolumeShape::Wedge, Some(12)),
        32 => VtkType::HighOrder(VolumeShape::Wedge, Some(18)),
        33 => VtkType::HighOrder(VolumeShape::Hexahedron, Some(24)),
        37 => VtkType::HighOrder(VolumeShape::Pyramid, Some(19)),
        71 | 78 => VtkType::HighOrder(VolumeShape::Tetrahedron, None),
        72 | 79 => VtkType::HighOrder(VolumeShape::Hexahedron, None),
        73 | 80 => VtkType::HighOrder(VolumeShape::Wedge, None),
        74 | 81 => VtkType::HighOrder(VolumeShape::Pyramid, None),
        // VTK does not document the order of their nodes
        64 => VtkType::Refused("higher-order tetrahedron"),
        65 => VtkType::Refused("higher-order wedge"),
        66 => VtkType::Refused("higher-order pyramid"),
        67 => VtkType::Refused("higher-order hexahedron"),
        55 => VtkType::Refused("parametric tetrahedron"),
        56 => VtkType::Refused("parametric hexahedron"),
        41 => VtkType::Refused("convex point set"),
        _ => VtkType::Refused("cell of unknown type"),
    }
}

impl VtkType {
    /// What messages call cells of this kind, whose VTK type is `cell_type`.
    fn label(&self, cell_type: i64) -> String {
        match self {
            Self::Face(name, _) | Self::Lower(name) => {
                format!("{name} cells (VTK type {cell_type})")
            }
            Self::Pixel => format!("quad cells (VTK type {cell_type})"),
            Self::Strip => format!("triangles of strips (VTK type {cell_type})"),
            Self::Refused(name) => format!("{name} (VTK type {cell_type})"),
            _ => format!("VTK type {cell_type}"),
        }
    }
}

impl UnstructuredGrid {
    /// Appends the volume cells to a mesh, and the faces; `line` is where the cell types stand.
    pub fn assemble(&self, assembly: &mut Assembly, line: Option<usize>) -> Result<KeptCells> {
        if self.ends.len() != self.types.len() {
            let (cells, types) =
                (counted(self.ends.len(), "cell"), counted(self.types.len(), "type"));
            let have = by_count(self.ends.len(), "has", "have");
            return Err(assembly
                .error(line, format!("{cells} {have} {types}"))
                .with_help("every cell needs one type"));
        }
        let count = self.ends.len();
        let mut cells = GridCells {
            grid: self,
            face_corners: self.most_face_corners(),
            vertices: Vec::new(),
            kept: KeptCells { count, cells: Vec::with_capacity(count), faces: Vec::new() },
            assembly,
        };
        let mut labels = self.labels.clone();
        let mut start = 0;
        for (index, (&end, &cell_type)) in self.ends.iter().zip(&self.types).enumerate() {
            let line = self.lines.get(index).copied().or(line);
            let list = slice(&self.corners, start, end).ok_or_else(|| {
                cells
                    .assembly
                    .error(
                        line,
                        format!("the cell with index {index} ends at {end} of the connectivity"),
                    )
                    .with_help("cell offsets must ascend and stay within the connectivity")
            })?;
            start = end;
            if self.ghosts.get(index) == Some(&true) {
                cells.assembly.skip("ghost cells of other pieces");
                continue;
            }
            let kind = kind(cell_type);
            let label = labels.entry(cell_type).or_insert_with(|| kind.label(cell_type));
            cells.push(&kind, GridCell { index, list, label, line })?;
        }
        if start != self.corners.len() as i64 {
            let message =
                format!("the cells end at {start} of {} of the connectivity", self.corners.len());
            let help = "the file is malformed: cell offsets end with the connectivity";
            return Err(cells.assembly.error(line, message).with_help(help));
        }
        Ok(cells.kept)
    }

    /// Largest number of corners that the faces of all polyhedra can have. No face belongs to more
    /// than two cells: bounds what small lists can unfold to.
    fn most_face_corners(&self) -> usize {
        match &self.faces {
            GivenFaces::Absent => 0,
            GivenFaces::InCells => self.corners.len(),
            GivenFaces::Stream { stream, .. } => stream.len(),
            GivenFaces::Indexed { corners, .. } => 2 * corners.len(),
        }
    }

    /// Appends `list` as vertex ids to the cleared `vertices`.
    fn vertices(
        &self,
        list: &[i64],
        vertices: &mut Vec<u32>,
        assembly: &Assembly,
        line: Option<usize>,
    ) -> Result<()> {
        vertices.clear();
        for &given in list {
            let vertex = usize::try_from(given).ok().and_then(|v| v.checked_add(self.first_point));
            if let Some(last) = assembly.points().checked_sub(self.first_point + 1)
                && vertex.is_some_and(|v| v >= assembly.points())
            {
                let id = assembly.next_cell();
                return Err(assembly
                    .error(line, message!(id, " names ", Vertex.id(given), ", the last is {last}"))
                    .with_help("the file is cut short or its cells belong to other vertices"));
            }
            vertices.push(vertex.and_then(|v| u32::try_from(v).ok()).ok_or_else(|| {
                assembly
                    .error(line, message!(assembly.next_cell(), " names ", Vertex.id(given)))
                    .with_help("vertices are numbered from 0 to their count less 1")
            })?);
        }
        Ok(())
    }

    /// The faces of the polyhedron with index `index` and vertex list `list`,
    /// taken from the `left` face corners.
    fn cycles<'a>(
        &'a self,
        index: usize,
        list: &'a [i64],
        left: &mut usize,
    ) -> Option<Vec<&'a [i64]>> {
        let faces: Vec<&[i64]> = match &self.faces {
            GivenFaces::Absent => return None,
            GivenFaces::InCells => stream_faces(list)?,
            GivenFaces::Stream { stream, ends } => {
                let end = *ends.get(index).filter(|&&end| end >= 0)?;
                let start = ends[..index].iter().rev().find(|&&end| end >= 0);
                stream_faces(slice(stream, start.copied().unwrap_or(0), end)?)?
            }
            GivenFaces::Indexed { corners, face_ends, faces, cell_ends } => {
                let face = |&face: &i64| span(corners, face_ends, usize::try_from(face).ok()?);
                span(faces, cell_ends, index)?.iter().map(face).collect::<Option<_>>()?
            }
        };
        *left = left.checked_sub(faces.iter().map(|face| face.len()).sum())?;
        Some(faces)
    }
}

/// A cell of a grid.
#[derive(Clone, Copy)]
struct GridCell<'a> {
    index: usize,
    /// Vertices, or a face stream.
    list: &'a [i64],
    /// What its type is called.
    label: &'a str,
    line: Option<usize>,
}

/// The cells of a grid on their way to the mesh.
struct GridCells<'g, 'm, 'a> {
    grid: &'g UnstructuredGrid,
    assembly: &'m mut Assembly<'a>,
    // corners that faces of polyhedra may still have
    face_corners: usize,
    // of the cell at hand
    vertices: Vec<u32>,
    kept: KeptCells,
}

impl GridCells<'_, '_, '_> {
    fn push(&mut self, kind: &VtkType, cell: GridCell<'_>) -> Result<()> {
        match *kind {
            VtkType::Volume(shape) => {
                self.read_vertices(cell)?;
                self.assembly.push_cell(shape, &self.vertices, cell.line)?;
            }
            VtkType::HighOrder(shape, nodes) => self.push_high_order(shape, nodes, cell)?,
            VtkType::Polyhedron => self.push_polyhedron(cell)?,
            VtkType::Prism(corners) => self.push_prism(corners, cell)?,
            VtkType::Face(_, corners) => return self.push_face(corners, cell),
            VtkType::Pixel => return self.push_pixel(cell),
            VtkType::Strip => return self.push_strip(cell),
            VtkType::Lower(_) => {
                self.assembly.skip(cell.label);
                return Ok(());
            }
            VtkType::Refused(_) => return Err(self.assembly.refuse(cell.label, cell.line)),
        }
        self.kept.cells.push(cell.index as u32);
        Ok(())
    }

    fn read_vertices(&mut self, cell: GridCell<'_>) -> Result<()> {
        self.grid.vertices(cell.list, &mut self.vertices, self.assembly, cell.line)
    }

    fn check_nodes(&self, need: usize, cell: GridCell<'_>) -> Result<()> {
        if cell.list.len() == need {
            return Ok(());
        }
        let (id, label) = (self.assembly.next_cell(), cell.label);
        let have = counted(cell.list.len(), "vertex");
        Err(self
            .assembly
            .error(cell.line, message!(id, ": {have}, {label} has {need}"))
            .with_help("give every cell the vertices of its type"))
    }

    fn push_high_order(
        &mut self,
        shape: VolumeShape,
        nodes: Option<usize>,
        cell: GridCell<'_>,
    ) -> Result<()> {
        nodes.map_or(Ok(()), |need| self.check_nodes(need, cell))?;
        self.read_vertices(cell)?;
        let order = NodeOrder::Vtk;
        self.assembly.push_high_order(shape, &self.vertices, cell.label, cell.line, order)
    }

    fn push_prism(&mut self, corners: usize, cell: GridCell<'_>) -> Result<()> {
        self.check_nodes(2 * corners, cell)?;
        self.read_vertices(cell)?;
        let (bottom, top) = self.vertices.split_at(corners);
        let side = |i: usize| {
            let next = (i + 1) % corners;
            vec![bottom[i], bottom[next], top[next], top[i]]
        };
        let mut faces: Vec<Vec<u32>> = (0..corners).map(side).collect();
        faces.extend([bottom.iter().rev().copied().collect(), top.to_vec()]);
        faces.iter_mut().for_each(drop_repeated);
        faces.retain(|face| face.len() > 2);
        self.assembly.push_faces(&faces, cell.line)
    }

    fn push_polyhedron(&mut self, cell: GridCell<'_>) -> Result<()> {
        let (grid, line) = (self.grid, cell.line);
        let faces =
            grid.cycles(cell.index, cell.list, &mut self.face_corners).ok_or_else(|| {
                let id = self.assembly.next_cell();
                self.assembly
                    .error(line, message!(id, ": the faces of the polyhedron are malformed"))
                    .with_help("give polyhedra (VTK type 42) their face arrays")
            })?;
        grid.vertices(&faces.concat(), &mut self.vertices, self.assembly, line)?;
        let mut rest = &self.vertices[..];
        let mut cycles = Vec::with_capacity(faces.len());
        for face in &faces {
            let (cycle, others) = rest.split_at(face.len());
            cycles.push(cycle);
            rest = others;
        }
        self.assembly.push_polyhedron(&cycles, line)
    }

    /// A face whose first `corners` nodes are its corners; 0: all.
    fn push_face(&mut self, corners: usize, cell: GridCell<'_>) -> Result<()> {
        self.read_vertices(cell)?;
        let nodes = self.vertices.len();
        let corners = if corners == 0 { nodes } else { corners.min(nodes) };
        let (corners, others) = self.vertices.split_at(corners);
        let face = self.assembly.groups.push_face(cell.label, corners, others);
        self.kept.faces.push((cell.index as u32, face));
        Ok(())
    }

    fn push_pixel(&mut self, cell: GridCell<'_>) -> Result<()> {
        self.read_vertices(cell)?;
        if self.vertices.len() == 4 {
            self.vertices.swap(2, 3);
        }
        let face = self.assembly.groups.push_face(cell.label, &self.vertices, &[]);
        self.kept.faces.push((cell.index as u32, face));
        Ok(())
    }

    fn push_strip(&mut self, cell: GridCell<'_>) -> Result<()> {
        self.read_vertices(cell)?;
        for triangle in strip(&self.vertices) {
            let face = self.assembly.groups.push_face(cell.label, &triangle, &[]);
            self.kept.faces.push((cell.index as u32, face));
        }
        Ok(())
    }
}

/// Splits a face stream (faces; corner count, corners; …) into its faces.
fn stream_faces(stream: &[i64]) -> Option<Vec<&[i64]>> {
    let (&count, mut rest) = stream.split_first()?;
    let mut faces = Vec::new();
    for _ in 0..count {
        let (&corners, others) = rest.split_first()?;
        let (face, others) = others.split_at_checked(usize::try_from(corners).ok()?)?;
        faces.push(face);
        rest = others;
    }
    rest.is_empty().then_some(faces)
}

/// The triangles of a strip, all of one direction.
fn strip(vertices: &[u32]) -> impl Iterator<Item = [u32; 3]> {
    vertices.windows(3).enumerate().map(|(place, triangle)| {
        let [a, b, c] = [triangle[0], triangle[1], triangle[2]];
        if place % 2 == 1 { [b, a, c] } else { [a, b, c] }
    })
}

/// Item `index` of a list with the given ends.
fn span<'a>(list: &'a [i64], ends: &[i64], index: usize) -> Option<&'a [i64]> {
    let start = index.checked_sub(1).map_or(Some(0), |before| ends.get(before).copied())?;
    slice(list, start, *ends.get(index)?)
}

fn slice(list: &[i64], start: i64, end: i64) -> Option<&[i64]> {
    list.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
}

/// Appends the values that a file has for all of its cells, of those that were kept.
fn push_cell_array(
    assembly: &mut Assembly,
    array: Attribute,
    of_integers: bool,
    kept: &KeptCells,
    line: Option<usize>,
) -> Result<()> {
    let cells = kept.count;
    let Attribute { name, width, mut values } = array;
    let are_ghosts = name == GHOSTS && width == 1;
    if is_ghosts(&name) && !are_ghosts {
        assembly.skip(&format!("cell array `{name}`"));
        return Ok(());
    }
    if are_ghosts {
        values = as_ghosts(&values);
    }
    if cells.checked_mul(width) != Some(values.len()) {
        return Err(cell_array_fault(assembly, &name, [values.len(), cells, width], line));
    }
    let row = |cell: u32| &values[cell as usize * width..][..width];
    let faces_have_integers = || {
        let mut values = kept.faces.iter().map(|&(cell, _)| row(cell)[0]);
        of_integers || names_group(&name) && values.all(|value| value.fract() == 0.0)
    };
    if width == 1 && !are_ghosts && faces_have_integers() {
        group_faces(assembly, &name, kept.faces.iter().map(|&(cell, face)| (face, row(cell)[0])));
    }
    let values: Vec<f64> = kept.cells.iter().flat_map(|&cell| row(cell)).copied().collect();
    let first = assembly.next_cell().index() - kept.cells.len();
    let of_integers = of_integers || are_ghosts;
    assembly.push_cell_array(Attribute { name, width, values }, of_integers, first, line)
}

/// Appends the values that a file has for its points from `first_point` on, integers or not.
fn push_point_array(
    assembly: &mut Assembly,
    array: Attribute,
    of_integers: bool,
    first_point: usize,
    line: Option<usize>,
) -> Result<()> {
    let Attribute { name, values, .. } = &array;
    if is_ghosts(name) {
        check_point_ghosts(assembly.path, name, values, line)?;
        assembly.skip(&format!("point array `{name}`"));
        return Ok(());
    }
    if of_integers && values.iter().any(|x| x.abs() >= 2_f64.powi(53)) {
        assembly.skip(&format!("digits of vertex array `{name}` beyond 2^53"));
    }
    assembly.push_attribute(array, first_point, line)
}

/// The error of a cell array that has another number of values than `cells × width`.
fn cell_array_fault(
    assembly: &Assembly,
    name: &str,
    [have, cells, width]: [usize; 3],
    line: impl Into<Option<usize>>,
) -> Error {
    let have = counted(have, "value");
    let message = format!("cell array `{name}`: {have}, {cells} × {width} are needed");
    assembly
        .error(line.into(), message)
        .with_help("the file is cut short or malformed; write it again")
}

/// The error of a surface where a solid is needed.
fn no_solid(path: &Path) -> Error {
    Error::file(path, None, "a surface, not a control mesh of cells")
        .with_help(message!(Command::ReadSurface, " reads surfaces"))
}

/// Puts faces into groups by the whole number that the array `name` has for each.
fn group_faces(assembly: &mut Assembly, name: &str, faces: impl Iterator<Item = (u32, f64)>) {
    let faces: Vec<(u32, i64)> = faces.map(|(face, value)| (face, value as i64)).collect();
    let values: HashSet<i64> = faces.iter().map(|&(_, value)| value).collect();
    if values.len() > MAX_FACE_GROUPS {
        assembly.skip(&format!("face array `{name}` of more than {MAX_FACE_GROUPS} values"));
        return;
    }
    for (face, value) in faces.into_iter().filter(|&(_, value)| value != 0) {
        assembly.groups.group_face(&face_group_name(name, value), face);
    }
}
