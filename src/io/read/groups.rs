//! Groups of cells and faces while a file is read.

use std::collections::{HashMap, HashSet};

use crate::mesh::groups::face_group_array;
use crate::mesh::{CellArray, FaceGroup, Polygons, SolidMesh, drop_repeated, has_repeated, sorted};

use super::high_order::HighOrder;

/// Cell array of the physical groups of Gmsh.
pub(super) const PHYSICAL: &str = "gmsh:physical";

/// Maximum number of vertex or cell arrays, whose names are compared one by one: more are refused,
/// or left out where they are groups.
pub(super) const MAX_ATTRIBUTES: usize = 1024;

/// Values of all groups of cells of a mesh: arrays of more are left out.
const MAX_GROUP_VALUES: usize = 1 << 27;

/// Maximum number of groups that an array of the cells makes of faces; one of more values numbers
/// them.
pub(super) const MAX_FACE_GROUPS: usize = 256;

/// Faces that a file lists beside its cells, and the groups that faces and cells are in.
#[derive(Default)]
pub(super) struct FileGroups {
    faces: Polygons,
    // the faces of each kind
    kinds: NamedMembers,
    high_order: HighOrder,
    of_faces: NamedMembers,
    of_cells: NamedMembers,
    // sets of nodes, which hold faces of the boundary
    of_nodes: NamedMembers,
}

/// Members by name, in the order in which the names came.
#[derive(Default)]
struct NamedMembers {
    groups: Vec<(String, Vec<u32>)>,
    by_name: HashMap<String, usize>,
}

impl NamedMembers {
    fn members(&mut self, name: &str) -> &mut Vec<u32> {
        let index = self.by_name.get(name).copied().unwrap_or_else(|| {
            self.by_name.insert(name.to_owned(), self.groups.len());
            self.groups.push((name.to_owned(), Vec::new()));
            self.groups.len() - 1
        });
        &mut self.groups[index].1
    }
}

impl FileGroups {
    /// Appends a face by its corners; `others` are its other nodes. `kind` is what it is in the
    /// words of the format, said if it is in no group.
    pub fn push_face(&mut self, kind: &str, corners: &[u32], others: &[u32]) -> u32 {
        if !others.is_empty() {
            self.high_order.push(kind, others);
        }
        let face = self.faces.len() as u32;
        self.kinds.members(kind).push(face);
        // a quad with a repeated corner is the triangle that the cell has
        if corners.len() == 4 && has_repeated(corners) {
            let mut cycle = corners.to_vec();
            drop_repeated(&mut cycle);
            self.faces.push(&cycle);
        } else {
            self.faces.push(corners);
        }
        face
    }

    /// Puts a face into a group.
    pub fn group_face(&mut self, name: &str, face: u32) {
        self.of_faces.members(name).push(face);
    }

    /// Drops the groups of faces whose names are values of the array `array`, `medit:ref:3`, if
    /// there are more than [`MAX_FACE_GROUPS`]; whether so.
    pub fn drop_numbered(&mut self, array: &str) -> bool {
        let is_numbered = |name: &str| {
            let value = name.strip_prefix(array).and_then(|rest| rest.strip_prefix(':'));
            value.is_some_and(|value| value.parse::<i64>().is_ok())
        };
        let NamedMembers { groups, by_name } = &mut self.of_faces;
        if groups.iter().filter(|(name, _)| is_numbered(name)).count() <= MAX_FACE_GROUPS {
            return false;
        }
        groups.retain(|(name, _)| !is_numbered(name));
        *by_name = (0..).zip(groups).map(|(index, (name, _))| (name.clone(), index)).collect();
        true
    }

    /// Makes a group of the faces of the boundary that have all corners among some vertices of the
    /// mesh.
    pub fn push_node_set(&mut self, name: &str, vertices: impl IntoIterator<Item = u32>) {
        self.of_nodes.members(name).extend(vertices);
    }

    /// Finds the faces of sets of nodes in a mesh whose cells are checked; returns counts of what
    /// it leaves out.
    fn find_node_sets(&mut self, mesh: &SolidMesh) -> Vec<(String, usize)> {
        let mut skipped = Vec::new();
        let sets = std::mem::take(&mut self.of_nodes).groups;
        let mut marked = vec![false; mesh.points.len()];
        sets.iter().flat_map(|(_, set)| set).for_each(|&v| marked[v as usize] = true);
        // faces by their sorted corners, with the number of their cells, by their least corner
        let mut faces = HashMap::<u32, Vec<(Vec<u32>, Vec<u32>, u32)>>::new();
        for cell in 0..if sets.is_empty() { 0 } else { mesh.cells.len() } {
            mesh.cells.for_each_face(cell, |face| {
                if face.iter().all(|&v| marked[v as usize]) {
                    let key = sorted(face);
                    let at = faces.entry(key[0]).or_default();
                    match at.iter_mut().find(|(known, ..)| *known == key) {
                        Some((_, _, cells)) => *cells += 1,
                        None => at.push((key, face.to_vec(), 1)),
                    }
                }
            });
        }
        // vertices that are only nodes of curved cells
        marked.fill(false);
        let cells = (0..mesh.cells.len()).filter(|_| !sets.is_empty());
        cells.flat_map(|c| mesh.cells.vertices(c)).for_each(|&v| marked[v as usize] = true);
        for (name, mut set) in sets {
            if self.of_faces.by_name.contains_key(&name) {
                skipped.push((format!("node set `{name}`: a group of faces has its name"), 1));
                continue;
            }
            set.sort_unstable();
            set.dedup();
            let is_own = |v: &u32| set.binary_search(v).is_ok();
            let mut on_faces: HashSet<u32> = HashSet::new();
            for (_, face, cells) in set.iter().filter_map(|v| faces.get(v)).flatten() {
                if *cells == 1 && face.iter().all(is_own) {
                    on_faces.extend(face);
                    let face = self.push_face("faces of node sets", face, &[]);
                    self.group_face(&name, face);
                }
            }
            let lost = set.iter().filter(|v| marked[**v as usize] && !on_faces.contains(v)).count();
            skipped.push((format!("nodes of set `{name}` that are on no face of it"), lost));
        }
        skipped
    }

    /// Puts a cell into a group.
    pub fn group_cell(&mut self, name: &str, cell: u32) {
        self.of_cells.members(name).push(cell);
    }

    /// Vertices of all faces.
    pub fn vertices(&self) -> &[u32] {
        self.faces.vertices()
    }

    /// All faces that a file lists.
    pub fn faces(&self) -> &Polygons {
        &self.faces
    }

    /// Gives every vertex another number.
    pub fn renumber(&mut self, new_id: impl Fn(u32) -> u32) {
        self.high_order.renumber(&new_id);
        self.faces.renumber(new_id);
    }

    /// Whether there are faces.
    pub fn has_faces(&self) -> bool {
        !self.faces.is_empty()
    }

    /// All faces, their nodes that are not corners, and the number of groups of faces.
    pub fn into_faces(self) -> (Polygons, HighOrder, usize) {
        (self.faces, self.high_order, self.of_faces.groups.len())
    }

    /// Gives the groups to a mesh whose faces are checked; returns counts of what it leaves out.
    pub fn finish(mut self, mesh: &mut SolidMesh) -> Vec<(String, usize)> {
        let mut skipped = self.find_node_sets(mesh);
        let mut in_group = vec![false; self.faces.len()];
        for (name, mut members) in self.of_faces.groups {
            members.sort_unstable();
            members.dedup();
            let mut faces = Polygons::default();
            for face in members {
                in_group[face as usize] = true;
                faces.push(self.faces.face(face as usize));
            }
            mesh.face_groups.push(FaceGroup::new(name, faces));
        }
        for (kind, faces) in self.kinds.groups {
            let count = faces.iter().filter(|&&face| !in_group[face as usize]).count();
            skipped.push((kind, count));
        }
        for (name, count) in mesh.drop_unknown_group_faces() {
            skipped.push((format!("faces of group `{name}` that no cell has"), count));
        }
        let SolidMesh { cell_data, face_groups, .. } = mesh;
        let own: HashSet<&str> = face_groups.iter().map(|group| &*group.name).collect();
        cell_data.retain(|array| {
            let is_of_faces = |name| own.contains(name);
            !array.group_name().is_some_and(is_of_faces) || array.members().next().is_some()
        });
        // a file of the mesh has an array for each group, and its reader refuses more
        let mut names: HashSet<String> = cell_data.iter().map(|a| a.name.clone()).collect();
        let mut is_kept = |array: String| {
            if names.len() < MAX_ATTRIBUTES {
                names.insert(array);
                true
            } else {
                names.contains(&array)
            }
        };
        let groups = face_groups.len();
        face_groups.retain(|group| is_kept(face_group_array(&group.name)));
        let beyond = |what: &str| format!("groups of {what} beyond {MAX_ATTRIBUTES} arrays");
        skipped.push((beyond("faces"), groups - face_groups.len()));
        let cells = mesh.cells.len();
        let most = MAX_GROUP_VALUES / cells.max(1);
        let mut known: HashSet<String> = mesh.cell_data.iter().map(|a| a.name.clone()).collect();
        for (i, (name, members)) in self.of_cells.groups.into_iter().enumerate() {
            if i >= most {
                skipped.push((format!("group of cells `{name}`: there are too many"), 1));
            } else if !known.insert(face_group_array(&name)) {
                skipped.push((format!("second group of cells `{name}`"), 1));
            } else if !is_kept(face_group_array(&name)) {
                skipped.push((beyond("cells"), 1));
            } else {
                mesh.cell_data.push(CellArray::group(&name, cells, members));
            }
        }
        skipped
    }
}
