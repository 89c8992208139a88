//! Element sets and surfaces of Abaqus decks, as they stand there.

use std::collections::{HashMap, HashSet};

use crate::io::read::assemble::Assembly;

use super::scope::{RowMember, Scope};

/// SurfaceSide faces of its elements a row of a surface means.
#[derive(Clone, Copy, Debug)]
pub(super) enum SurfaceSide {
    /// Sides of solids that no other element has, and faces.
    Free,
    /// A side of solids: S1 is 0.
    Side(usize),
    /// Faces: SPOS or SNEG.
    Faces,
}

/// A row of a set or surface: what it names, and the scope in which.
pub(super) type SetRow = (usize, RowMember);

/// Sets and surfaces, which may name elements and sets that come after them.
pub(super) struct Sets {
    /// Outside of instances, then the instances.
    pub scopes: Vec<Scope>,
    // instances by their names in capitals
    instances: HashMap<String, usize>,
    current: usize,
    // parts outside of instances, by their names in capitals
    parts: HashSet<String>,
    pub sets: Vec<Set>,
    pub surfaces: Vec<DeckSurface>,
}

impl Default for Sets {
    fn default() -> Self {
        Self {
            scopes: vec![Scope::default()],
            instances: HashMap::new(),
            current: 0,
            parts: HashSet::new(),
            sets: Vec::new(),
            surfaces: Vec::new(),
        }
    }
}

/// A set of elements.
pub(super) struct Set {
    pub name: String,
    pub scope: usize,
    /// Serves surfaces alone.
    pub internal: bool,
    pub rows: Vec<SetRow>,
}

/// A surface, by its rows.
pub(super) struct DeckSurface {
    pub name: String,
    pub scope: usize,
    pub rows: Vec<(SetRow, SurfaceSide)>,
}

impl Sets {
    /// Begins an instance; false if another one has its name.
    pub fn begin_scope(&mut self, name: &str) -> bool {
        self.current = self.named(name);
        !std::mem::replace(&mut self.scopes[self.current].is_declared, true)
    }

    /// Index of the scope of an instance, which may come later.
    pub fn named(&mut self, name: &str) -> usize {
        let scopes = &mut self.scopes;
        *self.instances.entry(name.to_ascii_uppercase()).or_insert_with(|| {
            scopes.push(Scope::new(name));
            scopes.len() - 1
        })
    }

    /// Notes a part whose nodes and elements are outside of instances.
    pub fn push_part(&mut self, name: &str) {
        self.parts.insert(name.to_ascii_uppercase());
    }

    /// Resolves instances that sets name and the deck does not have: they are the part of that
    /// name where it is outside of instances, else their rows mean nothing.
    pub(super) fn resolve_instances(&mut self, assembly: &mut Assembly) {
        for index in 1..self.scopes.len() {
            let Scope { name, is_declared, .. } = &self.scopes[index];
            if *is_declared {
                continue;
            }
            let key = name.to_ascii_uppercase();
            let is_part = self.parts.contains(&key);
            let taken = if is_part { "; its sets are those of the part" } else { "" };
            assembly.skip(&format!("instance `{name}`, which the deck does not have{taken}"));
            if !is_part {
                continue;
            }
            self.instances.insert(key, 0);
            let of_sets = self.sets.iter_mut().flat_map(|set| &mut set.rows);
            let of_surfaces = self.surfaces.iter_mut().flat_map(|surface| &mut surface.rows);
            let rows = of_sets.chain(of_surfaces.map(|(row, _)| row));
            rows.filter(|(scope, _)| *scope == index).for_each(|(scope, _)| *scope = 0);
        }
    }

    /// Ends the instance.
    pub fn end_scope(&mut self) {
        self.current = 0;
    }

    /// Index of the scope that numbers and names belong to.
    pub fn current(&self) -> usize {
        self.current
    }

    /// The scope that numbers and names belong to.
    pub fn scope(&mut self) -> &mut Scope {
        &mut self.scopes[self.current]
    }

    /// Index of the scope of an instance, for whose name case does not matter.
    pub fn instance(&self, name: &str) -> Option<usize> {
        self.instances.get(&name.to_ascii_uppercase()).copied()
    }

    /// The set of a name in the current scope.
    pub fn set(&mut self, name: &str, internal: bool) -> usize {
        let Self { scopes, current, sets, .. } = self;
        scopes[*current].set_or(name, || {
            let (name, scope, rows) = (name.to_owned(), *current, Vec::new());
            sets.push(Set { name, scope, internal, rows });
            sets.len() - 1
        })
    }

    /// Appends what `scope` calls a member to a set.
    pub fn push_member(&mut self, set: usize, scope: usize, member: RowMember) {
        self.sets[set].rows.push((scope, member));
    }

    /// Begins a surface.
    pub fn begin_surface(&mut self, name: &str) {
        let (name, scope) = (name.to_owned(), self.current);
        self.surfaces.push(DeckSurface { name, scope, rows: Vec::new() });
    }

    /// Appends to the surface that was begun last.
    pub fn push_side(&mut self, member: RowMember, which: SurfaceSide) {
        if let Some(surface) = self.surfaces.last_mut() {
            surface.rows.push(((self.current, member), which));
        }
    }
}
