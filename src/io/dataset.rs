//! What a file can hold: points of either precision, cells with VTK types, and
//! named arrays. Every writer takes this and nothing else.
//!
//! Millions of equal cells stay compact ([`DatasetCells::Uniform`]), and all
//! numbers are stored as they are written, so that writing needs no conversion.

use std::collections::HashSet;
use std::ops::Range;

use rayon::prelude::*;

use crate::error::{Error, IdKind, Result};
use crate::mesh::GHOSTS;

/// VTK's numbers of the cell types written here.
pub mod vtk_type {
    /// A point.
    pub const VERTEX: u8 = 1;
    /// A face of 3 corners.
    pub const TRIANGLE: u8 = 5;
    /// A face of any number of corners.
    pub const POLYGON: u8 = 7;
    /// A face of 4 corners.
    pub const QUAD: u8 = 9;
    /// 4 corners.
    pub const TETRAHEDRON: u8 = 10;
    /// 8 corners.
    pub const HEXAHEDRON: u8 = 12;
    /// 6 corners.
    pub const WEDGE: u8 = 13;
    /// Given by its faces.
    pub const POLYHEDRON: u8 = 42;
    /// (n+1)³ interpolated points in the order of
    /// [`hexahedron_order`](crate::io::hexahedron_order).
    pub const LAGRANGE_HEXAHEDRON: u8 = 72;
    /// (n+1)³ Bézier control points in the order of
    /// [`hexahedron_order`](crate::io::hexahedron_order).
    pub const BEZIER_HEXAHEDRON: u8 = 79;
}

/// Values of one number type.
#[derive(Clone, Debug, PartialEq)]
pub enum ArrayData {
    /// Single precision.
    F32(Vec<f32>),
    /// Double precision.
    F64(Vec<f64>),
    /// 32-bit integers.
    I32(Vec<i32>),
    /// 64-bit integers.
    I64(Vec<i64>),
    /// Bytes.
    U8(Vec<u8>),
}

impl ArrayData {
    /// Number of values.
    pub fn len(&self) -> usize {
        self.bytes().len() / self.value_size()
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.bytes().is_empty()
    }

    /// Bytes a value.
    pub fn value_size(&self) -> usize {
        match self {
            Self::U8(_) => 1,
            Self::F32(_) | Self::I32(_) => 4,
            Self::F64(_) | Self::I64(_) => 8,
        }
    }

    /// Makes room for `count` values: new ones are 0, or NaN where they are reals.
    pub(super) fn resize(&mut self, count: usize) {
        match self {
            Self::F32(values) => values.resize(count, f32::NAN),
            Self::F64(values) => values.resize(count, f64::NAN),
            Self::I32(values) => values.resize(count, 0),
            Self::I64(values) => values.resize(count, 0),
            Self::U8(values) => values.resize(count, 0),
        }
    }

    /// Sets a value.
    pub(super) fn set(&mut self, at: usize, value: u8) {
        match self {
            Self::F32(values) => values[at] = value.into(),
            Self::F64(values) => values[at] = value.into(),
            Self::I32(values) => values[at] = value.into(),
            Self::I64(values) => values[at] = value.into(),
            Self::U8(values) => values[at] = value,
        }
    }

    /// Appends values of the same type; whether they are.
    pub(super) fn append(&mut self, other: &Self) -> bool {
        match (self, other) {
            (Self::F32(values), Self::F32(own)) => values.extend(own),
            (Self::F64(values), Self::F64(own)) => values.extend(own),
            (Self::I32(values), Self::I32(own)) => values.extend(own),
            (Self::I64(values), Self::I64(own)) => values.extend(own),
            (Self::U8(values), Self::U8(own)) => values.extend(own),
            _ => return false,
        }
        true
    }

    /// The values as they lie in memory.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::F32(values) => bytemuck::cast_slice(values),
            Self::F64(values) => bytemuck::cast_slice(values),
            Self::I32(values) => bytemuck::cast_slice(values),
            Self::I64(values) => bytemuck::cast_slice(values),
            Self::U8(values) => values,
        }
    }
}

macro_rules! from_vec {
    ($($number:ty => $variant:ident),*) => {$(
        impl From<Vec<$number>> for ArrayData {
            fn from(values: Vec<$number>) -> Self {
                Self::$variant(values)
            }
        }
    )*};
}
from_vec!(f32 => F32, f64 => F64, i32 => I32, i64 => I64, u8 => U8);

/// A named array: of points, of cells, or of the whole dataset (a field).
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// Name in the file: not empty, without control characters.
    pub name: String,
    /// Values an entry, at least 1.
    pub width: usize,
    /// `data[entry * width + component]`.
    pub data: ArrayData,
}

impl Array {
    /// An array of `width` values per entry.
    pub fn new(name: impl Into<String>, width: usize, data: impl Into<ArrayData>) -> Self {
        Self { name: name.into(), width, data: data.into() }
    }

    /// Number of entries.
    pub fn entries(&self) -> usize {
        self.data.len() / self.width.max(1)
    }
}

/// Point coordinates, written in the precision they have.
#[derive(Clone, Debug, PartialEq)]
pub enum Points {
    /// Single precision.
    F32(Vec<[f32; 3]>),
    /// Double precision.
    F64(Vec<[f64; 3]>),
}

impl Points {
    /// Number of points.
    pub fn len(&self) -> usize {
        match self {
            Self::F32(points) => points.len(),
            Self::F64(points) => points.len(),
        }
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The coordinates as they lie in memory: x, y, z of each point.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::F32(points) => bytemuck::cast_slice(points),
            Self::F64(points) => bytemuck::cast_slice(points),
        }
    }
}

impl From<Vec<[f32; 3]>> for Points {
    fn from(points: Vec<[f32; 3]>) -> Self {
        Self::F32(points)
    }
}

impl From<Vec<[f64; 3]>> for Points {
    fn from(points: Vec<[f64; 3]>) -> Self {
        Self::F64(points)
    }
}

/// Cells with VTK types and VTK point orders.
#[derive(Clone, Debug, PartialEq)]
pub enum DatasetCells {
    /// Cells of one type and size.
    Uniform {
        /// VTK's number of the type; not [`vtk_type::POLYHEDRON`].
        vtk_type: u8,
        /// Points a cell, at least 1.
        size: usize,
        /// `connectivity[cell * size + i]`: point ids.
        connectivity: Vec<u32>,
    },
    /// Cells of any types.
    Mixed(MixedCells),
}

/// Cells of any types, polyhedra among them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MixedCells {
    /// VTK's number of each cell's type.
    pub vtk_types: Vec<u8>,
    /// Points of cell c: `connectivity[ends[c - 1]..ends[c]]`.
    pub ends: Vec<i64>,
    /// Point ids; of a polyhedron, each of its points once.
    pub connectivity: Vec<u32>,
    /// Faces of the polyhedra; without polyhedra, nothing.
    pub faces: Option<PolyhedronFaces>,
}

/// Faces of polyhedra, laid out as VTK XML files hold them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PolyhedronFaces {
    /// For each polyhedron in cell order: its number of faces, then for each face the number of
    /// points and the points.
    pub stream: Vec<u32>,
    /// For each cell, where its faces end in `stream`, or -1 if it is not a polyhedron.
    pub ends: Vec<i64>,
}

impl Default for DatasetCells {
    /// No cells.
    fn default() -> Self {
        Self::Mixed(MixedCells::default())
    }
}

impl DatasetCells {
    /// Number of cells.
    pub fn len(&self) -> usize {
        match self {
            Self::Uniform { size, connectivity, .. } => connectivity.len() / (*size).max(1),
            Self::Mixed(cells) => cells.vtk_types.len(),
        }
    }

    /// Whether there is no cell.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Point ids of all cells, one after the other.
    pub fn connectivity(&self) -> &[u32] {
        match self {
            Self::Uniform { connectivity, .. } => connectivity,
            Self::Mixed(cells) => &cells.connectivity,
        }
    }

    /// Faces of the polyhedra, if there are any.
    pub fn faces(&self) -> Option<&PolyhedronFaces> {
        match self {
            Self::Uniform { .. } => None,
            Self::Mixed(cells) => cells.faces.as_ref(),
        }
    }
}

/// Everything a file can hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Dataset {
    /// Point coordinates.
    pub points: Points,
    /// Cells over the points.
    pub cells: DatasetCells,
    /// Arrays with an entry a point.
    pub point_arrays: Vec<Array>,
    /// Arrays with an entry a cell.
    pub cell_arrays: Vec<Array>,
    /// Arrays of any number of entries.
    pub field_arrays: Vec<Array>,
}

impl Dataset {
    /// A dataset without arrays.
    pub fn new(points: impl Into<Points>, cells: DatasetCells) -> Self {
        Self {
            points: points.into(),
            cells,
            point_arrays: Vec::new(),
            cell_arrays: Vec::new(),
            field_arrays: Vec::new(),
        }
    }

    /// Points alone, each a VTK vertex cell.
    pub fn point_cloud(points: impl Into<Points>) -> Self {
        let points = points.into();
        let connectivity = (0..points.len() as u32).collect();
        let cells = DatasetCells::Uniform { vtk_type: vtk_type::VERTEX, size: 1, connectivity };
        Self::new(points, cells)
    }

    /// Adds to every point id the number of points in the pieces before this one, in a file of
    /// pieces ([`write_pieces`](crate::io::write_pieces)) that share no points.
    ///
    /// # Errors
    /// [`Error::Request`] for more points than 32-bit ids can name, and for mixed cells.
    pub fn offset_points(&mut self, points_before: usize) -> Result<()> {
        let count = points_before.saturating_add(self.points.len());
        let (Ok(before), Ok(_)) = (u32::try_from(points_before), u32::try_from(count)) else {
            return Err(Error::request(format!("{count} points are more than 32 bits can number"))
                .with_help("write a .pvtu"));
        };
        match &mut self.cells {
            _ if before == 0 => Ok(()),
            DatasetCells::Uniform { connectivity, .. } => {
                connectivity.par_iter_mut().for_each(|id| *id = id.saturating_add(before));
                Ok(())
            }
            DatasetCells::Mixed(_) => {
                Err(Error::request("pieces of mixed cells in one file").with_help("write a .pvtu"))
            }
        }
    }

    /// Checks that lengths agree and that every index points at something, so
    /// that no file is written that its reader would refuse, or crash on.
    ///
    /// # Errors
    /// [`Error::Request`] naming the array or cell.
    pub fn check(&self) -> Result<()> {
        self.check_within(self.points.len())
    }

    /// Like [`Self::check`], for a piece of a file that has `points` points.
    pub(super) fn check_within(&self, points: usize) -> Result<()> {
        check_cells(&self.cells, points)?;
        check_arrays("point", &self.point_arrays, Some(self.points.len()))?;
        check_arrays("cell", &self.cell_arrays, Some(self.cells.len()))?;
        check_arrays("field", &self.field_arrays, None)
    }
}

fn check_cells(cells: &DatasetCells, points: usize) -> Result<()> {
    match cells {
        DatasetCells::Uniform { vtk_type, size, connectivity } => {
            if *size == 0 || !connectivity.len().is_multiple_of(*size) {
                let ids = connectivity.len();
                return Err(Error::request(format!(
                    "{ids} point ids make no cells of {size} points"
                ))
                .with_help("give every cell as many ids as it has points"));
            }
            if *vtk_type == vtk_type::POLYHEDRON {
                return Err(Error::request("polyhedra need their faces")
                    .with_help("give them as mixed cells"));
            }
        }
        DatasetCells::Mixed(cells) => check_mixed(cells, points)?,
    }
    check_ids(cells.connectivity(), points)
}

fn check_mixed(cells: &MixedCells, points: usize) -> Result<()> {
    let count = cells.vtk_types.len();
    let faces = cells.faces.as_ref();
    if cells.ends.len() != count || faces.is_some_and(|faces| faces.ends.len() != count) {
        return Err(Error::request(format!(
            "{count} cell types, but {} ends of cells and {} ends of faces",
            cells.ends.len(),
            faces.map_or(0, |faces| faces.ends.len()),
        ))
        .with_help("give each list one entry for each cell"));
    }
    let wrong = |c: usize, what: &str| {
        Err(Error::request(message!(IdKind::Cell.id(c), ": {what}"))
            .with_help("list cells as the fields of `MixedCells` say"))
    };
    let (mut start, mut face_start) = (0, 0);
    for c in 0..count {
        let end = cells.ends[c];
        if end < start || end > cells.connectivity.len() as i64 {
            return wrong(c, "its points end before they start or beyond the last");
        }
        start = end;
        let face_end = faces.map_or(-1, |faces| faces.ends[c]);
        let is_polyhedron = cells.vtk_types[c] == vtk_type::POLYHEDRON;
        if is_polyhedron != (face_end >= 0) {
            return wrong(c, "a polyhedron needs faces, and only a polyhedron has them");
        }
        if let (true, Some(faces)) = (is_polyhedron, faces) {
            let stream =
                usize::try_from(face_end).ok().and_then(|e| faces.stream.get(face_start..e));
            if !stream.is_some_and(is_face_stream) {
                return wrong(c, "its faces are not a count, then each face's count and points");
            }
            check_faces(stream.unwrap_or_default(), points)?;
            face_start = face_end as usize;
        }
    }
    if start != cells.connectivity.len() as i64 {
        return Err(Error::request("point ids after the last cell")
            .with_help("remove them, or give them a cell"));
    }
    Ok(())
}

fn is_face_stream(stream: &[u32]) -> bool {
    let Some((&count, mut rest)) = stream.split_first() else { return false };
    for _ in 0..count {
        let Some((&size, face)) = rest.split_first() else { return false };
        let Some(after) = face.get(size as usize..) else { return false };
        rest = after;
    }
    rest.is_empty()
}

/// Checks the point ids of a well-formed face stream.
fn check_faces(stream: &[u32], points: usize) -> Result<()> {
    let mut rest = stream.get(1..).unwrap_or_default();
    while let Some((&size, face)) = rest.split_first() {
        let (ids, after) = face.split_at(size as usize);
        check_ids(ids, points)?;
        rest = after;
    }
    Ok(())
}

fn check_ids(ids: &[u32], points: usize) -> Result<()> {
    match ids.par_iter().find_any(|&&id| id as usize >= points) {
        Some(id) => Err(Error::request(format!("a cell names point {id} of {points} points"))
            .with_help("points are numbered from 0 to their count less 1")),
        None => Ok(()),
    }
}

/// Name of the levels that VTK wrote before version 6.3: 0 for cells of the piece.
pub(super) const GHOST_LEVELS: &str = "vtkGhostLevels";

/// Checks the names of the arrays of points or of cells that are in one file.
pub(super) fn check_array_names<'n>(
    kind: &str,
    names: impl IntoIterator<Item = &'n str>,
) -> Result<()> {
    let mut seen = HashSet::new();
    for name in names {
        if name.is_empty() || name.chars().any(char::is_control) {
            let why = format!("{kind} array name {name:?} cannot stand in a file");
            return Err(Error::request(why).with_help("give it a name of printable characters"));
        }
        if name == GHOST_LEVELS || name == GHOSTS && kind != "cell" {
            let why =
                format!("{kind} array name {name:?}: readers take it for marks of ghost cells");
            return Err(Error::request(why).with_help("rename it"));
        }
        if !seen.insert(name) {
            // of two point arrays one is an attribute of the model
            let help = match kind {
                "point" => format!(
                    "rename that of the model, with meshio or PyVista: \
                     mesh.point_data[\"model_{name}\"] = mesh.point_data.pop(\"{name}\")"
                ),
                _ => "rename one of them".to_owned(),
            };
            let why = format!("two {kind} arrays are named {name:?}");
            return Err(Error::request(why).with_help(help));
        }
    }
    Ok(())
}

/// The name of a model's attribute beside a result of its name.
pub(crate) fn name_beside_result(name: &str) -> String {
    format!("attribute:{name}")
}

/// Gives attributes of a model, `arrays[attributes]`, that have the name of another array the name
/// `attribute:NAME`.
pub(crate) fn name_attributes_apart(arrays: &mut [Array], attributes: Range<usize>) {
    let (before, rest) = arrays.split_at_mut(attributes.start);
    let (own, after) = rest.split_at_mut(attributes.len());
    let results: HashSet<&str> = before.iter().chain(&*after).map(|a| a.name.as_str()).collect();
    for array in own {
        if results.contains(array.name.as_str()) {
            array.name = name_beside_result(&array.name);
        }
    }
}

pub(super) fn check_arrays(kind: &str, arrays: &[Array], entries: Option<usize>) -> Result<()> {
    check_array_names(kind, arrays.iter().map(|array| array.name.as_str()))?;
    for array in arrays {
        let name = &array.name;
        let (values, width) = (array.data.len(), array.width);
        let fits = match entries {
            Some(entries) => width.checked_mul(entries) == Some(values),
            None => width > 0 && values.is_multiple_of(width),
        };
        if width == 0 || !fits {
            let help = match entries {
                Some(_) => format!("give it one row of values for each {kind}, of width 1 or more"),
                None => "give it whole rows of values, of width 1 or more".into(),
            };
            let entries = entries.map(|n| format!(" at {n} {kind}s")).unwrap_or_default();
            return Err(Error::request(format!(
                "{kind} array {name:?} has {values} values for width {width}{entries}"
            ))
            .with_help(help));
        }
    }
    Ok(())
}
