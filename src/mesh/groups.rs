//! Named groups of cells and of faces: materials, supports, loaded surfaces.
//!
//! A group of cells is a cell array `group:NAME`, 1 in its cells and 0 elsewhere, so that it goes
//! wherever cell arrays go. A group of faces lists them by their vertices; they may be of the
//! boundary or between cells, and in any number of groups.

use std::collections::HashSet;

use super::{CellArray, Polygons, SolidMesh, marked_vertices};
use crate::error::IdKind::Vertex;
use crate::error::{Error, Result};
use crate::numbers::counted;

/// What names of cell arrays that are groups begin with.
const GROUP: &str = "group:";

/// What names of groups of faces begin with that are one side of where two groups of cells meet.
const INTERFACE: &str = "interface:";

/// A named group of faces.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FaceGroup {
    /// Name in files: not empty, without control characters.
    pub name: String,
    /// Vertex cycles of the faces, in any direction.
    pub faces: Polygons,
}

impl FaceGroup {
    /// A group of these faces.
    pub fn new(name: impl Into<String>, faces: Polygons) -> Self {
        Self { name: name.into(), faces }
    }

    /// Name of the group of the faces of cells in one group that meet cells in another.
    pub(crate) fn interface_name(own: &str, other: &str) -> String {
        format!("{INTERFACE}{own}/{other}")
    }

    /// Whether the group is one side of where two groups of cells meet: faces of the solid's boundary,
    /// of which each has one of another such group in its place ([`crate::extend::split_groups`]).
    pub fn is_interface(&self) -> bool {
        self.name.starts_with(INTERFACE)
    }

    /// Takes away faces that the group has already, in any direction and from any vertex on.
    pub(crate) fn drop_repeated_faces(&mut self) {
        let (mut kept, mut seen) = (Polygons::default(), HashSet::new());
        self.faces.iter().filter(|face| seen.insert(face_key(face))).for_each(|f| kept.push(f));
        self.faces = kept;
    }
}

/// The vertices of a face, sorted: the same wherever it begins and in either direction.
pub(super) fn face_key(face: &[u32]) -> Vec<u32> {
    let mut key = face.to_vec();
    key.sort_unstable();
    key
}

/// Whether a cell array of this name is a group, if it has one whole number per cell.
pub(crate) fn names_group(array: &str) -> bool {
    array.len() > GROUP.len() && array.starts_with(GROUP)
}

impl CellArray {
    /// The group `name` of some of the `cells` of a mesh.
    ///
    /// # Panics
    /// If a member is not below `cells`.
    #[must_use]
    pub fn group(name: &str, cells: usize, members: impl IntoIterator<Item = u32>) -> Self {
        let mut values = vec![0.0; cells];
        members.into_iter().for_each(|cell| values[cell as usize] = 1.0);
        Self::new(format!("{GROUP}{name}"), 1, values, true)
    }

    /// The name of the group of cells that this array is, if it is one.
    pub fn group_name(&self) -> Option<&str> {
        let name = self.name.strip_prefix(GROUP).filter(|name| !name.is_empty());
        name.filter(|_| self.width == 1 && self.integers)
    }

    /// Whether `name` names the array, or the group of cells that it is.
    pub fn is_named(&self, name: &str) -> bool {
        self.name == name || self.group_name() == Some(name)
    }

    /// The cells of a group: their first value is not 0.
    pub fn members(&self) -> impl Iterator<Item = u32> {
        let firsts = self.values.iter().step_by(self.width.max(1));
        (0..).zip(firsts).filter(|(_, value)| **value != 0.0).map(|(cell, _)| cell)
    }
}

/// Name of the group of faces that a cell array of a file stands for where its value is `value`:
/// the name of a group, else name and value of the array, `gmsh:physical:3`.
pub(crate) fn face_group_name(array: &str, value: i64) -> String {
    match array.strip_prefix(GROUP).filter(|name| !name.is_empty()) {
        Some(name) => name.to_owned(),
        None => format!("{array}:{value}"),
    }
}

/// Name of the array in which cells of a file that are faces of group `name` have a 1.
pub(crate) fn face_group_array(name: &str) -> String {
    format!("{GROUP}{name}")
}

impl SolidMesh {
    /// The group of cells of this name.
    ///
    /// # Errors
    /// [`Error::Request`] that lists the groups if there is none.
    pub fn cell_group(&self, name: &str) -> Result<&CellArray> {
        let found = self.cell_data.iter().find(|array| array.group_name() == Some(name));
        found.ok_or_else(|| {
            let names: Vec<&str> =
                self.cell_data.iter().filter_map(CellArray::group_name).collect();
            let known = if names.is_empty() { "none".into() } else { names.join(", ") };
            Error::request(format!("no group of cells is named {name:?}"))
                .with_help(format!("the mesh has {known}"))
        })
    }

    /// Checks names of face groups, and that faces name vertices of the mesh.
    pub(super) fn check_face_groups(&self) -> Result<()> {
        let mut names = HashSet::new();
        for FaceGroup { name, faces } in &self.face_groups {
            if name.is_empty() || name.chars().any(char::is_control) {
                return Err(Error::mesh(format!("a group of faces is named {name:?}"))
                    .with_help("give it a name of printable characters"));
            }
            let array = face_group_array(name);
            if self.cell_data.iter().any(|own| own.name == array && own.width != 1) {
                let text = format!("cell array \"{array}\" has the name of a group of faces");
                return Err(Error::mesh(text)
                    .with_help("give it one value for each cell, or rename it or the group"));
            }
            if !names.insert(name) {
                return Err(Error::mesh(format!("two groups of faces are named \"{name}\""))
                    .with_help("rename one of them, or put their faces into one"));
            }
            let vertices = self.points.len();
            if let Some(v) = faces.vertices().iter().find(|&&v| v as usize >= vertices) {
                return Err(Error::mesh(message!(
                    "group \"{name}\" names ",
                    Vertex.id(*v),
                    ", but the mesh has ",
                    counted(vertices, "vertex")
                ))
                .with_help("vertices are numbered from 0 to their count less 1"));
            }
        }
        Ok(())
    }

    /// Takes faces that no cell has out of the groups, those that a group has already, and groups
    /// without faces away. Returns how many faces of each group no cell has.
    pub(crate) fn drop_unknown_group_faces(&mut self) -> Vec<(String, usize)> {
        if self.face_groups.is_empty() {
            return Vec::new();
        }
        let faces = || self.face_groups.iter().flat_map(|group| group.faces.iter());
        let marked = marked_vertices(self.points.len(), faces().flatten());
        let wanted: HashSet<Vec<u32>> = faces().map(face_key).collect();
        let mut known = HashSet::new();
        for c in 0..self.cells.len() {
            self.cells.for_each_face(c, |face| {
                if face.iter().all(|&v| marked.get(v as usize) == Some(&true)) {
                    known.extend(Some(face_key(face)).filter(|key| wanted.contains(key)));
                }
            });
        }
        let mut dropped = Vec::new();
        for FaceGroup { name, faces } in &mut self.face_groups {
            let (mut kept, mut seen, mut unknown) = (Polygons::default(), HashSet::new(), 0);
            for face in faces.iter() {
                let key = face_key(face);
                if !known.contains(&key) {
                    unknown += 1;
                } else if seen.insert(key) {
                    kept.push(face);
                }
            }
            if unknown > 0 {
                dropped.push((name.clone(), unknown));
            }
            *faces = kept;
        }
        self.face_groups.retain(|group| !group.faces.is_empty());
        dropped
    }
}
