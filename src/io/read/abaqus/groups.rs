//! Groups of cells and of faces from the element sets and surfaces of Abaqus decks.

use std::collections::{BTreeSet, HashMap};

use crate::io::read::assemble::Assembly;
use crate::mesh::{drop_repeated, sorted};

use super::members::Members;
use super::scope::DeckElement;
use super::sets::{DeckSurface, SetRow, Sets, SurfaceSide};

impl Sets {
    /// Gives the groups to a mesh.
    pub fn finish(mut self, assembly: &mut Assembly) {
        self.resolve_instances(assembly);
        let names = self.group_names();
        let (of_sets, of_surfaces) = names.split_at(self.sets.len());
        let mut members = Members::of(&self, assembly);
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
    }

    /// Names of the groups of all sets, then of all surfaces: groups of an instance have its name
    /// in front where another scope has the same.
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
                free.entry(sorted(&face)).and_modify(|free| *free = false).or_insert(true);
            }
            free.retain(|_, free| *free);
        }
        free
    }
}

/// The sides of a solid element; none of a face.
fn sides_of(element: DeckElement) -> Vec<Vec<u32>> {
    let DeckElement::Solid(_, shape, corners) = element else { return Vec::new() };
    let of_side = |side: &&[usize]| {
        let mut face: Vec<u32> = side.iter().map(|&i| corners[i]).collect();
        drop_repeated(&mut face);
        face
    };
    shape.sides().iter().map(of_side).collect()
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
                    let is_free = |f: &Vec<u32>| f.len() > 2 && free.contains_key(&sorted(f));
                    faces.extend(all.into_iter().filter(is_free));
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
