//! From the parts of a file to a checked mesh: what all readers share.

use std::collections::BTreeMap;
use std::path::Path;

use crate::error::IdKind::{Cell, Vertex};
use crate::error::{Command, Error, Message, Result};
use crate::io::{CREASE_EDGES, CREASE_SHARPNESS, FITTED};
use crate::mesh::{
    Attribute, CellArray, CellId, PERIODS, SolidMesh, VolumeShape, check_counts, has_repeated,
};
use crate::numbers::counted;

use super::ReadReport;
use super::curved::NodeOrder;
use super::features::FileFeatures;
use super::groups::{FileGroups, MAX_ATTRIBUTES, MAX_FACE_GROUPS};
use super::high_order::HighOrder;

/// A polyhedron is stored by its faces; more face corners than this are refused.
const MAX_FACE_CORNERS: usize = 4096;

/// A mesh in the making.
pub(super) struct Assembly<'a> {
    pub(super) path: &'a Path,
    /// Number of the first vertex in the file's own words, for messages.
    first_index: u32,
    pub(super) mesh: SolidMesh,
    /// Whether some points are stored in single precision.
    pub(super) is_single: bool,
    // 1-based line of each cell, 0 where the format has none
    lines: Vec<u32>,
    pub(super) fields: Vec<Attribute>,
    // whole numbers of the cells, if the format has one for each
    references: Vec<i64>,
    skipped: BTreeMap<String, usize>,
    pub(super) high_order: HighOrder,
    pub(super) groups: FileGroups,
    pub(super) features: FileFeatures,
    /// What spline patches are in the mesh exactly.
    pub(super) exact: Option<String>,
}

impl<'a> Assembly<'a> {
    /// An empty mesh read from `path`, whose vertices are numbered from `first_index`.
    pub fn new(path: &'a Path, first_index: u32) -> Self {
        Self {
            path,
            first_index,
            mesh: SolidMesh::default(),
            is_single: false,
            lines: Vec::new(),
            fields: Vec::new(),
            references: Vec::new(),
            skipped: BTreeMap::new(),
            high_order: HighOrder::default(),
            groups: FileGroups::default(),
            features: FileFeatures::default(),
            exact: None,
        }
    }

    /// This assembly, with errors that name `path`.
    pub fn of(self, path: &Path) -> Assembly<'_> {
        let Self { first_index, mesh, is_single, lines, fields, references, .. } = self;
        let Self { skipped, high_order, groups, features, exact, .. } = self;
        Assembly {
            path,
            first_index,
            mesh,
            is_single,
            lines,
            fields,
            references,
            skipped,
            high_order,
            groups,
            features,
            exact,
        }
    }

    /// Number of points so far.
    pub fn points(&self) -> usize {
        self.mesh.points.len()
    }

    /// Makes room for a number of points that the file can hold.
    pub fn reserve_points(&mut self, count: usize) {
        self.mesh.points.reserve(count);
    }

    /// The points so far.
    pub fn positions(&self) -> &[[f64; 3]] {
        &self.mesh.points
    }

    /// Moves the points from `first` on.
    pub fn transform(&mut self, first: usize, motion: impl Fn([f64; 3]) -> [f64; 3]) {
        self.mesh.points[first..].iter_mut().for_each(|point| *point = motion(*point));
    }

    /// Appends a point; `line` is 1-based.
    pub fn push_point(&mut self, point: [f64; 3], line: Option<usize>) -> Result<()> {
        let id = u32::try_from(self.points()).map_err(|_| {
            self.error(line, "more than 4294967295 vertices").with_help("split the model")
        })?;
        if !point.iter().all(|x| x.is_finite()) {
            let [x, y, z] = point;
            return Err(self
                .error(
                    line,
                    message!(Vertex.id(id + self.first_index), ": ({x}, {y}, {z}) is not a point"),
                )
                .with_help("coordinates must be finite numbers"));
        }
        self.mesh.points.push(point);
        Ok(())
    }

    /// Id of the next cell.
    pub fn next_cell(&self) -> CellId {
        CellId(self.mesh.cells.len() as u32)
    }

    /// Appends a cell of a fixed shape; its indices are checked by [`Self::finish`]. With repeated
    /// corners it is the wedge, tetrahedron or polyhedron that is left.
    pub fn push_cell(
        &mut self,
        shape: VolumeShape,
        corners: &[u32],
        line: Option<usize>,
    ) -> Result<()> {
        if corners.len() != shape.corners() {
            let (id, need) = (self.next_cell(), shape.corners());
            let have = counted(corners.len(), "vertex");
            return Err(self
                .error(line, message!(id, ": {have}, a {shape:?} has {need}"))
                .with_help("give every cell the vertices of its kind"));
        }
        let is_collapsed = has_repeated(corners);
        if !is_collapsed && shape != VolumeShape::Pyramid {
            self.count_cell(line)?;
            shape.push(&mut self.mesh.cells, corners);
            return Ok(());
        }
        let faces = shape.faces(corners);
        if is_collapsed && faces.len() < 4 {
            return Err(self
                .error(
                    line,
                    message!(
                        self.next_cell(),
                        " is flat: its corners are ",
                        Vertex.ids(corners.iter().copied())
                    ),
                )
                .with_help("remove the collapsed cell, or give it the corners of a solid"));
        }
        self.push_faces(&faces, line)
    }

    /// Appends a cell by its outward faces.
    pub fn push_faces(&mut self, faces: &[Vec<u32>], line: Option<usize>) -> Result<()> {
        if let Some((shape, corners)) = VolumeShape::of_faces(faces) {
            return self.push_cell(shape, &corners[..shape.corners()], line);
        }
        let faces: Vec<&[u32]> = faces.iter().map(Vec::as_slice).collect();
        self.push_polyhedron(&faces, line)
    }

    /// Appends a high-order cell by its corners, which come first in `nodes`.
    ///
    /// `kind` is the kind of the cell in the words of the format: `C3D20`, `VTK type 25`.
    /// `order`: of the other nodes, which are reported.
    /// [`Self::finish`] drops the other nodes from the vertices, with
    /// their attributes and sharpness, unless some cell has them as corners.
    pub fn push_high_order(
        &mut self,
        shape: VolumeShape,
        nodes: &[u32],
        kind: &str,
        line: Option<usize>,
        order: NodeOrder,
    ) -> Result<()> {
        let cell = self.next_cell();
        let (corners, others) = nodes.split_at(nodes.len().min(shape.corners()));
        self.push_cell(shape, corners, line)?;
        self.high_order.push(kind, others);
        if !others.is_empty() {
            self.high_order.place(cell, order, others.len());
        }
        Ok(())
    }

    /// Appends a polyhedron by its faces.
    pub fn push_polyhedron(&mut self, faces: &[&[u32]], line: Option<usize>) -> Result<()> {
        let id = self.next_cell();
        let corners: usize = faces.iter().map(|face| face.len()).sum();
        if faces.len() < 4 || faces.iter().any(|face| face.len() < 3) {
            return Err(self
                .error(line, message!(id, ": a polyhedron needs 4 faces of 3 vertices or more"))
                .with_help("list every face of the cell"));
        }
        if corners > MAX_FACE_CORNERS {
            return Err(self
                .error(line, message!(id, ": its faces have {corners} corners"))
                .with_help(format!("at most {MAX_FACE_CORNERS} are read; split the cell")));
        }
        self.count_cell(line)?;
        self.mesh.cells.push_polyhedron(faces.iter().copied());
        Ok(())
    }

    fn count_cell(&mut self, line: Option<usize>) -> Result<()> {
        check_counts(self.lines.len() + 1, 0).map_err(|error| error.in_file(self.path, line))?;
        self.lines.push(line.and_then(|line| u32::try_from(line).ok()).unwrap_or(0));
        Ok(())
    }

    /// The error of a volume cell that cannot be a control cell.
    pub fn refuse(&self, kind: &str, line: Option<usize>) -> Error {
        self.error(line, message!(self.next_cell(), ": a {kind} cannot be a control cell"))
            .with_help("convert the model to linear hexahedra, wedges or tetrahedra")
    }

    /// Appends values at the vertices from `first_point` on. Beyond vertex 0 they
    /// continue the array of the same name (a file of several pieces).
    pub fn push_attribute(
        &mut self,
        attribute: Attribute,
        first_point: usize,
        line: Option<usize>,
    ) -> Result<()> {
        let Attribute { name, width, .. } = &attribute;
        if name.is_empty() {
            self.skip("vertex arrays without a name");
            return Ok(());
        }
        if *width == 0 {
            return Err(self
                .error(line, format!("vertex array `{name}` has no components"))
                .with_help("give it one or more components, or remove it"));
        }
        let is_full = self.mesh.attributes.len() == MAX_ATTRIBUTES;
        let before = width.saturating_mul(first_point);
        match self.mesh.attributes.iter_mut().find(|known| known.name == *name) {
            Some(known) if known.width == *width && known.values.len() == before => {
                known.values.extend(attribute.values);
            }
            Some(known) if known.values.len() == known.width.saturating_mul(first_point) => {
                let (have, width) = (known.width, *width);
                return Err(self
                    .error(
                        line,
                        format!("vertex array `{name}` has width {width}, {have} in pieces before"),
                    )
                    .with_help("give all pieces the same arrays"));
            }
            Some(_) => {
                return Err(self
                    .error(line, format!("two vertex arrays are named `{name}`"))
                    .with_help("rename or remove one of them"));
            }
            None if is_full => {
                return Err(self
                    .error(line, format!("more than {MAX_ATTRIBUTES} vertex arrays"))
                    .with_help("remove those that are not needed"));
            }
            None => self.mesh.attributes.push(attribute),
        }
        Ok(())
    }

    /// Refuses a piece of the vertices from `first_point` on that lacks an array that pieces before
    /// it have, or has another.
    pub fn check_piece(&self, first_point: usize, line: Option<usize>) -> Result<()> {
        let points = self.points();
        for Attribute { name, width, values } in &self.mesh.attributes {
            let message = match values.len() {
                all if all == width.saturating_mul(points) => continue,
                before if before == width.saturating_mul(first_point) => {
                    format!(
                        "the piece lacks the vertex array `{name}`, which pieces before it have"
                    )
                }
                _ => format!("pieces before this one lack its vertex array `{name}`"),
            };
            return Err(self
                .error(line, message)
                .with_help("give all pieces the same arrays, or remove the array from all"));
        }
        Ok(())
    }

    /// Appends values at the cells from `first_cell` on. Beyond cell 0 they continue the array
    /// of the same name; what some piece lacks is left out with a notice by [`Self::finish`].
    pub fn push_cell_array(
        &mut self,
        attribute: Attribute,
        of_integers: bool,
        first_cell: usize,
        line: Option<usize>,
    ) -> Result<()> {
        let Attribute { name, width, values } = attribute;
        if name.is_empty() {
            self.skip("cell arrays without a name");
            return Ok(());
        }
        let array = CellArray::new(name, width, values, of_integers);
        let CellArray { name, width, .. } = &array;
        if of_integers && !array.integers {
            self.skip(&format!("digits of cell array `{name}` beyond 2^53"));
        }
        if *width == 0 {
            return Err(self
                .error(line, format!("cell array `{name}` has no components"))
                .with_help("give it one or more components, or remove it"));
        }
        let is_full = self.mesh.cell_data.len() == MAX_ATTRIBUTES;
        let before = width.saturating_mul(first_cell);
        match self.mesh.cell_data.iter_mut().find(|known| known.name == *name) {
            Some(known) if known.width == *width && known.values.len() == before => {
                known.integers &= array.integers;
                known.values.extend(array.values);
            }
            Some(_) if first_cell == 0 => {
                return Err(self
                    .error(line, format!("two cell arrays are named `{name}`"))
                    .with_help("rename or remove one of them"));
            }
            // of another width than in other pieces: its length is then wrong
            Some(_) => {}
            None if is_full => {
                return Err(self
                    .error(line, format!("more than {MAX_ATTRIBUTES} cell arrays"))
                    .with_help("remove those that are not needed"));
            }
            None => self.mesh.cell_data.push(array),
        }
        Ok(())
    }

    /// Leaves out the groups of faces that the array `array` numbers, if there are too many.
    pub fn limit_numbered_groups(&mut self, array: &str) {
        if self.groups.drop_numbered(array) {
            self.skip(&format!("face array `{array}` of more than {MAX_FACE_GROUPS} values"));
        }
    }

    /// Gives the cell that was appended last a whole number: a material, a region.
    pub fn refer(&mut self, reference: i64) {
        self.references.resize(self.mesh.cells.len().saturating_sub(1), 0);
        self.references.push(reference);
    }

    /// The whole numbers of the cells so far.
    pub fn references(&self) -> Vec<i64> {
        self.references.clone()
    }

    /// Makes an array of these numbers, unless all cells have the `usual` one.
    pub fn push_references(&mut self, name: &str, usual: i64) -> Result<()> {
        let mut references = std::mem::take(&mut self.references);
        references.resize(self.mesh.cells.len(), usual);
        if references.iter().all(|&reference| reference == usual) {
            return Ok(());
        }
        let values = references.into_iter().map(|reference| reference as f64).collect();
        let array = Attribute { name: name.to_owned(), width: 1, values };
        self.push_cell_array(array, true, 0, None)
    }

    /// Appends an array that belongs to the whole model.
    pub fn push_field(&mut self, field: Attribute, line: Option<usize>) -> Result<()> {
        if ![CREASE_EDGES, CREASE_SHARPNESS, FITTED, PERIODS].contains(&field.name.as_str()) {
            self.skip(&format!("field array `{}`", field.name));
        } else if self.fields.iter().any(|known| known.name == field.name) {
            return Err(self
                .error(line, format!("two field arrays are named `{}`", field.name))
                .with_help("remove one of them"));
        } else {
            self.fields.push(field);
        }
        Ok(())
    }

    /// Notes that something in the file was not read.
    pub fn skip(&mut self, what: &str) {
        self.skip_many(what, 1);
    }

    /// Notes that `count` things in the file were not read.
    pub fn skip_many(&mut self, what: &str, count: usize) {
        match self.skipped.get_mut(what) {
            Some(known) => *known += count,
            None if count > 0 => {
                self.skipped.insert(what.to_owned(), count);
            }
            None => {}
        }
    }

    /// An error of this file.
    pub fn error(&self, line: Option<usize>, message: impl Into<Message>) -> Error {
        Error::file(self.path, line, message)
    }

    /// The mesh, after all checks that need the whole file.
    pub fn finish(mut self) -> Result<(SolidMesh, ReadReport)> {
        let cells = self.mesh.cells.len();
        let is_partial = |a: &mut CellArray| a.width.checked_mul(cells) != Some(a.values.len());
        let partial: Vec<CellArray> = self.mesh.cell_data.extract_if(.., is_partial).collect();
        let has_members = |array: &CellArray| array.values.iter().any(|&value| value != 0.0);
        self.mesh.cell_data.retain(|array| !array.is_ghosts() || has_members(array));
        for array in partial {
            self.skip(&format!("cell array `{}` that some piece lacks", array.name));
        }
        if self.mesh.points.is_empty() {
            return Err(self
                .error(None, "the file has no vertices")
                .with_help("export the mesh again"));
        }
        if self.mesh.cells.is_empty() {
            self.take_groups();
            let (skipped, features) = (self.left_out(), std::mem::take(&mut self.features));
            let features = features.into_features();
            let found = ReadReport { skipped, features, ..ReadReport::default() }.left_out();
            let found = found.unwrap_or_else(|| "nothing else".into());
            let is_of_gmsh = self.path.extension().is_some_and(|e| e.eq_ignore_ascii_case("msh"));
            let groups = if is_of_gmsh {
                "; where there are physical groups Gmsh saves what is in them alone: make one of \
                 the volume"
            } else {
                ""
            };
            return Err(self
                .error(None, format!("the file has no volume cells (found: {found})"))
                .with_help(message!(
                    "a solid needs hexahedra, wedges, tetrahedra or polyhedra; ",
                    Command::ReadSurface,
                    format!(" reads surfaces{groups}")
                )));
        }
        self.check_indices()?;
        self.check_attributes()?;
        self.take_sharpness()?;
        self.mesh.creases.drop_smooth();
        self.take_groups();
        self.check_high_order(&self.high_order)?;
        let left_out = self.left_out();
        let (curved_nodes, straight) = self.high_order.curved_nodes(&self.mesh);
        let mut features = std::mem::take(&mut self.features).into_features();
        let skipped = self.high_order.drop_nodes(&mut self.mesh, &mut features);
        let mut report =
            ReadReport { skipped, curved_nodes, straight, features, exact: self.exact };
        report.skipped.extend(left_out);
        Ok((self.mesh, report))
    }

    /// Gives the groups to the mesh, whose faces name vertices.
    fn take_groups(&mut self) {
        for (what, count) in std::mem::take(&mut self.groups).finish(&mut self.mesh) {
            self.skip_many(&what, count);
        }
    }

    /// What was not read, one entry a kind.
    pub fn left_out(&self) -> Vec<String> {
        self.skipped.iter().map(|(what, &count)| entry(what, count)).collect()
    }

    /// Checks the nodes of cells or faces that are not corners.
    pub(super) fn check_high_order(&self, high_order: &HighOrder) -> Result<()> {
        let Some(beyond) = high_order.first_beyond(self.points()) else { return Ok(()) };
        let (given, first) = (u64::from(beyond), u64::from(self.first_index));
        let last = self.points() as u64 + first - 1;
        Err(self
            .error(
                None,
                message!(
                    "a high-order cell names ",
                    Vertex.id(given + first),
                    ", the last is {last}"
                ),
            )
            .with_help("the file is cut short or its cells belong to other vertices"))
    }

    pub(super) fn check_indices(&self) -> Result<()> {
        let count = self.mesh.points.len();
        for (cell, &line) in self.lines.iter().enumerate() {
            let vertices = self.mesh.cells.vertices(cell);
            if let Some(&beyond) = vertices.iter().find(|&&v| v as usize >= count) {
                let line = (line > 0).then_some(line as usize);
                let first = u64::from(self.first_index);
                let (given, last) = (u64::from(beyond) + first, count as u64 + first - 1);
                return Err(self
                    .error(
                        line,
                        message!(
                            Cell.id(cell),
                            " names ",
                            Vertex.id(given),
                            ", the last is {last}"
                        ),
                    )
                    .with_help("the file is cut short or its cells belong to other vertices"));
            }
        }
        let first = u64::from(self.first_index);
        let face = self.groups.vertices().iter().copied().find(|&v| v as usize >= count);
        let feature = self.features.first_beyond(count);
        let beyond = face.map(|v| (v, "face")).or(feature.map(|v| (v, "curve or point")));
        beyond.map_or(Ok(()), |(beyond, what)| {
            let (given, last) = (u64::from(beyond) + first, count as u64 + first - 1);
            Err(self
                .error(None, message!("a {what} names ", Vertex.id(given), ", the last is {last}"))
                .with_help("the file is cut short, or its faces or curves have other vertices"))
        })
    }

    pub(super) fn check_attributes(&self) -> Result<()> {
        let count = self.mesh.points.len();
        for Attribute { name, width, values } in &self.mesh.attributes {
            if Some(values.len()) != width.checked_mul(count) {
                let have = counted(values.len(), "value");
                return Err(self
                    .error(
                        None,
                        format!("vertex array `{name}` has {have}, {count} × {width} are needed"),
                    )
                    .with_help("give every vertex a value"));
            }
        }
        Ok(())
    }
}

/// A thing that has a name is counted only where there are several.
fn entry(what: &str, count: usize) -> String {
    let has_name = what.contains('`') || what.starts_with("section ");
    if has_name && count == 1 { what.to_owned() } else { counted_kind(what, count) }
}

/// `count` things that were not read: `3 lines (l)`, `1 line (l)`.
pub(super) fn counted_kind(what: &str, count: usize) -> String {
    if count != 1 {
        return format!("{count} {what}");
    }
    // the words that say what it is; those behind them say which
    let ends = [" of ", " that ", " after ", " (", " `"].map(|word| what.find(word));
    let (kind, which) = what.split_at(ends.into_iter().flatten().min().unwrap_or(what.len()));
    let one = |word: &str| match word {
        "and" => "or".to_owned(),
        "vertices" => "vertex".to_owned(),
        word => word.strip_suffix('s').unwrap_or(word).to_owned(),
    };
    format!("1 {}{which}", kind.split(' ').map(one).collect::<Vec<_>>().join(" "))
}
