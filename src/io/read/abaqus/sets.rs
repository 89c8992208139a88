//! Element sets and surfaces of Abaqus decks: groups of cells and of faces.

use std::collections::{BTreeSet, HashMap};

use crate::io::read::assemble::{Assembly, Shape};
use crate::io::read::tags::Tags;
use crate::mesh::CellId;

/// Sides S1, S2, … of solid elements by their corners (Abaqus Analysis User's Guide, "Solid
/// elements": element faces).
const fn sides(shape: Shape) -> &'static [&'static [usize]] {
    match shape {
        Shape::Tetrahedron => &[&[0, 1, 2], &[0, 3, 1], &[1, 3, 2], &[2, 3, 0]],
        Shape::Pyramid => &[&[0, 1, 2, 3], &[0, 4, 1], &[1, 4, 2], &[2, 4, 3], &[3, 4, 0]],
        Shape::Prism | Shape::Wedge => {
            &[&[0, 1, 2], &[3, 5, 4], &[0, 3, 4, 1], &[1, 4, 5, 2], &[2, 5, 3, 0]]
        }
        Shape::Hexahedron | Shape::Voxel => &[
            &[0, 1, 2, 3],
            &[4, 7, 6, 5],
            &[0, 4, 5, 1],
            &[1, 5, 6, 2],
            &[2, 6, 7, 3],
            &[3, 7, 4, 0],
        ],
    }
}

/// What a row of a set or surface names.
#[derive(Clone, Debug)]
pub(super) enum Member {
    Element(i64),
    /// First, last and step of numbers.
    Range([i64; 3]),
    Set(String),
}

/// Which faces of its elements a row of a surface means.
#[derive(Clone, Copy, Debug)]
pub(super) enum Which {
    /// Sides of solids that no other element has, and faces.
    Free,
    /// A side of solids: S1 is 0.
    Side(usize),
    /// Faces: SPOS or SNEG.
    Faces,
}

type Side = (Member, Which);

/// Sets and surfaces, which may name elements and sets that come after them.
#[derive(Default)]
pub(super) struct Sets {
    elements: Tags,
    // number of each element, and what it is
    own: Vec<(i64, Element)>,
    sets: Vec<Set>,
    by_name: HashMap<String, usize>,
    surfaces: Vec<(String, Vec<Side>)>,
}

/// What an element of a deck is in the mesh.
#[derive(Clone, Copy)]
pub(super) enum Element {
    /// A cell, and its corners in the order of its shape.
    Solid(CellId, Shape, [u32; 8]),
    /// A face by its number.
    Face(u32),
}

impl Element {
    /// A solid element.
    pub fn solid(cell: CellId, shape: Shape, corners: &[u32]) -> Self {
        let mut own = [0; 8];
        own[..corners.len()].copy_from_slice(corners);
        Self::Solid(cell, shape, own)
    }
}

struct Set {
    name: String,
    /// Serves surfaces alone.
    internal: bool,
    members: Vec<Member>,
}

impl Sets {
    /// Appends an element; false if another one has its number.
    pub fn push_element(&mut self, number: i64, element: Element) -> bool {
        self.own.push((number, element));
        self.elements.push(number)
    }

    /// The set of a name, which case does not matter for.
    pub fn set(&mut self, name: &str, internal: bool) -> usize {
        let key = name.to_ascii_uppercase();
        *self.by_name.entry(key).or_insert_with(|| {
            self.sets.push(Set { name: name.to_owned(), internal, members: Vec::new() });
            self.sets.len() - 1
        })
    }

    /// Appends to a set.
    pub fn push_member(&mut self, set: usize, member: Member) {
        self.sets[set].members.push(member);
    }

    /// Begins a surface.
    pub fn begin_surface(&mut self, name: &str) {
        self.surfaces.push((name.to_owned(), Vec::new()));
    }

    /// Appends to the surface that was begun last.
    pub fn push_side(&mut self, side: Side) {
        self.surfaces.last_mut().into_iter().for_each(|(_, sides)| sides.push(side.clone()));
    }

    /// Gives the groups to a mesh.
    pub fn finish(self, assembly: &mut Assembly) {
        for (index, set) in self.sets.iter().enumerate().filter(|(_, set)| !set.internal) {
            let mut found = Found::default();
            self.collect_set(index, &mut found);
            if found.elements.is_empty() {
                assembly.skip(&format!("set `{}` without solids and faces", set.name));
                continue;
            }
            let what = format!("elements of set `{}` that are neither solids nor faces", set.name);
            assembly.skip_many(&what, found.others);
            for element in found.elements {
                match self.own[element as usize].1 {
                    Element::Solid(cell, ..) => assembly.groups.group_cell(&set.name, cell.0),
                    Element::Face(face) => assembly.groups.group_face(&set.name, face),
                }
            }
        }
        let free = self.free_sides();
        for (name, of_surface) in &self.surfaces {
            let mut faces = Vec::new();
            for (member, side) in of_surface {
                let mut found = Found::default();
                self.collect(member, &mut found);
                let what =
                    format!("elements of surface `{name}` that are neither solids nor faces");
                assembly.skip_many(&what, found.others);
                for element in found.elements {
                    let all = self.sides(element);
                    match (self.own[element as usize].1, side) {
                        (Element::Face(face), Which::Free | Which::Faces) => {
                            assembly.groups.group_face(name, face);
                        }
                        (Element::Solid(..), Which::Side(side)) => {
                            faces.extend(all.get(*side).cloned());
                        }
                        (Element::Solid(..), Which::Free) => {
                            faces.extend(all.into_iter().filter(|f| free.contains_key(&key(f))));
                        }
                        (Element::Face(_), Which::Side(_)) | (Element::Solid(..), Which::Faces) => {
                            assembly
                                .skip(&format!("elements of surface `{name}` without its side"));
                        }
                    }
                }
            }
            for face in faces {
                let face = assembly.groups.push_face("faces", &face, &[]);
                assembly.groups.group_face(name, face);
            }
        }
    }

    fn collect_set(&self, index: usize, found: &mut Found) {
        // a set that names itself has what else it names
        if found.sets.insert(index) {
            self.sets[index].members.iter().for_each(|member| self.collect(member, found));
        }
    }

    fn collect(&self, member: &Member, found: &mut Found) {
        match member {
            Member::Element(number) => found.push(self.elements.get(*number)),
            Member::Set(name) => match self.by_name.get(&name.to_ascii_uppercase()) {
                Some(&index) => self.collect_set(index, found),
                None => found.push(None),
            },
            &Member::Range([first, last, step]) => {
                let step = step.max(1);
                let count = last.saturating_sub(first) / step;
                if count <= self.own.len() as i64 {
                    let numbers = (0..=count).map(|i| first + i * step).filter(|&n| n <= last);
                    numbers.for_each(|number| found.push(self.elements.get(number)));
                } else {
                    let is_in = |n: i64| n >= first && n <= last && (n - first) % step == 0;
                    let own = (0..).zip(&self.own).filter(|(_, (number, _))| is_in(*number));
                    own.for_each(|(element, _)| found.push(Some(element)));
                }
            }
        }
    }

    /// The sides of a solid element; none of a face.
    fn sides(&self, element: u32) -> Vec<Vec<u32>> {
        let (_, Element::Solid(_, shape, corners)) = &self.own[element as usize] else {
            return Vec::new();
        };
        sides(*shape).iter().map(|side| side.iter().map(|&i| corners[i]).collect()).collect()
    }

    /// The sides of one element only, if a surface asks for such.
    fn free_sides(&self) -> HashMap<Vec<u32>, bool> {
        let mut free = HashMap::new();
        if self
            .surfaces
            .iter()
            .any(|(_, sides)| sides.iter().any(|(_, which)| matches!(which, Which::Free)))
        {
            for face in (0..self.own.len() as u32).flat_map(|element| self.sides(element)) {
                free.entry(key(&face)).and_modify(|free| *free = false).or_insert(true);
            }
            free.retain(|_, free| *free);
        }
        free
    }
}

/// Elements of a set.
#[derive(Default)]
struct Found {
    elements: BTreeSet<u32>,
    // numbers of other elements, and names of no set
    others: usize,
    sets: BTreeSet<usize>,
}

impl Found {
    fn push(&mut self, element: Option<u32>) {
        match element {
            Some(element) => drop(self.elements.insert(element)),
            None => self.others += 1,
        }
    }
}

fn key(face: &[u32]) -> Vec<u32> {
    let mut key = face.to_vec();
    key.sort_unstable();
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each edge of a solid is in two sides, once in each direction, so that all sides look the
    /// same way.
    #[test]
    fn sides_are_closed_and_look_the_same_way() {
        for shape in [Shape::Tetrahedron, Shape::Pyramid, Shape::Prism, Shape::Hexahedron] {
            let mut edges = BTreeSet::new();
            for side in sides(shape) {
                for (a, b) in side.iter().zip(side.iter().cycle().skip(1)) {
                    assert!(edges.insert((*a, *b)), "{shape:?} {a} {b}");
                }
            }
            assert!(edges.iter().all(|&(a, b)| edges.contains(&(b, a))), "{shape:?}");
        }
    }
}
