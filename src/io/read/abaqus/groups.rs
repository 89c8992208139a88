//! Groups of cells and of faces from the element sets and surfaces of Abaqus decks.

use std::collections::{BTreeSet, HashMap};

use crate::error::Result;
use crate::io::read::assemble::{Assembly, VolumeShape};

use super::members::Members;
use super::scope::DeckElement;
use super::sets::{DeckSurface, SetRow, Sets, SurfaceSide};

/// Sides S1, S2, … of solid elements by their corners (Abaqus Analysis User's Guide, "Solid
/// elements": element faces).
const fn sides(shape: VolumeShape) -> &'static [&'static [usize]] {
    match shape {
        VolumeShape::Tetrahedron => &[&[0, 1, 2], &[0, 3, 1], &[1, 3, 2], &[2, 3, 0]],
        VolumeShape::Pyramid => &[&[0, 1, 2, 3], &[0, 4, 1], &[1, 4, 2], &[2, 4, 3], &[3, 4, 0]],
        VolumeShape::Wedge => {
            &[&[0, 1, 2], &[3, 5, 4], &[0, 3, 4, 1], &[1, 4, 5, 2], &[2, 5, 3, 0]]
        }
        VolumeShape::Hexahedron | VolumeShape::Voxel => &[
            &[0, 1, 2, 3],
            &[4, 7, 6, 5],
            &[0, 4, 5, 1],
            &[1, 5, 6, 2],
            &[2, 6, 7, 3],
            &[3, 7, 4, 0],
        ],
    }
}

impl Sets {
    /// Gives the groups to a mesh.
    ///
    /// # Errors
    /// If a set is one of its own members.
    pub fn finish(self, assembly: &mut Assembly) -> Result<()> {
        let names = self.group_names();
        let (of_sets, of_surfaces) = names.split_at(self.sets.len());
        let mut members = Members::of(&self, assembly)?;
        for (index, name) in of_sets.iter().enumerate().filter(|(i, _)| !self.sets[*i].internal) {
            let Some(found) = members.of_set(index) else {
                assembly.skip(&format!("set `{name}`: there are too many elements in sets"));
                continue;
            };
            if found.elements.is_empty() {
                assembly.skip(&format!("set `{name}` without solids and faces"));
                continue;
            }
            let what = format!("elements of set `{name}` that are neither solids nor faces");
            assembly.skip_many(&what, found.others);
            for &element in &found.elements {
                match members.element(element) {
                    DeckElement::Solid(cell, ..) => assembly.groups.group_cell(name, cell.0),
                    DeckElement::Face(face) => assembly.groups.group_face(name, face),
                }
            }
        }
        let free = self.free_sides();
        for (surface, name) in self.surfaces.iter().zip(of_surfaces) {
            push_surface(surface, name, &mut members, &free, assembly);
        }
        Ok(())
    }

    /// Names of the groups of all sets, then of all surfaces: those of an instance have its name in
    /// front where another scope has the same.
    fn group_names(&self) -> Vec<String> {
        let sets = self.sets.iter().map(|set| (&*set.name, set.scope, set.internal));
        let surfaces = self.surfaces.iter().map(|surface| (&*surface.name, surface.scope, false));
        let all: Vec<(&str, usize, bool)> = sets.chain(surfaces).collect();
        let mut scopes = HashMap::<String, BTreeSet<usize>>::new();
        for &(name, scope, _) in all.iter().filter(|(.., internal)| !internal) {
            scopes.entry(name.to_ascii_uppercase()).or_default().insert(scope);
        }
        let is_shared =
            |name: &str| scopes.get(&name.to_ascii_uppercase()).is_some_and(|s| s.len() > 1);
        all.iter()
            .map(|&(name, scope, _)| {
                if scope > 0 && is_shared(name) {
                    format!("{}.{name}", self.scopes[scope].name)
                } else {
                    name.to_owned()
                }
            })
            .collect()
    }

    /// The sides of one element only, if a surface asks for such.
    fn free_sides(&self) -> HashMap<Vec<u32>, bool> {
        let mut free = HashMap::new();
        let is_free = |(_, which): &(SetRow, SurfaceSide)| matches!(which, SurfaceSide::Free);
        if self.surfaces.iter().any(|surface| surface.rows.iter().any(is_free)) {
            let all = self.scopes.iter().flat_map(|scope| &scope.own);
            for face in all.flat_map(|(_, element)| sides_of(*element)) {
                free.entry(key(&face)).and_modify(|free| *free = false).or_insert(true);
            }
            free.retain(|_, free| *free);
        }
        free
    }
}

/// The sides of a solid element; none of a face.
fn sides_of(element: DeckElement) -> Vec<Vec<u32>> {
    let DeckElement::Solid(_, shape, corners) = element else { return Vec::new() };
    sides(shape).iter().map(|side| side.iter().map(|&i| corners[i]).collect()).collect()
}

/// Makes a group of the sides and faces of a surface.
fn push_surface(
    surface: &DeckSurface,
    name: &str,
    members: &mut Members,
    free: &HashMap<Vec<u32>, bool>,
    assembly: &mut Assembly,
) {
    let mut faces = Vec::new();
    for (row, side) in &surface.rows {
        let Some(found) = members.of_rows(std::slice::from_ref(row)) else {
            assembly
                .skip(&format!("rows of surface `{name}`: there are too many elements in sets"));
            continue;
        };
        let what = format!("elements of surface `{name}` that are neither solids nor faces");
        assembly.skip_many(&what, found.others);
        for element in found.elements {
            let element = members.element(element);
            let all = sides_of(element);
            match (element, side) {
                (DeckElement::Face(face), SurfaceSide::Free | SurfaceSide::Faces) => {
                    assembly.groups.group_face(name, face);
                }
                (DeckElement::Solid(..), SurfaceSide::Side(side)) => {
                    faces.extend(all.get(*side).cloned())
                }
                (DeckElement::Solid(..), SurfaceSide::Free) => {
                    faces.extend(all.into_iter().filter(|f| free.contains_key(&key(f))));
                }
                (DeckElement::Face(_), SurfaceSide::Side(_))
                | (DeckElement::Solid(..), SurfaceSide::Faces) => {
                    assembly.skip(&format!("elements of surface `{name}` without its side"));
                }
            }
        }
    }
    for face in faces {
        let face = assembly.groups.push_face("faces", &face, &[]);
        assembly.groups.group_face(name, face);
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
        for shape in [
            VolumeShape::Tetrahedron,
            VolumeShape::Pyramid,
            VolumeShape::Wedge,
            VolumeShape::Hexahedron,
        ] {
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
