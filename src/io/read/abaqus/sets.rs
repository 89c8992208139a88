//! Element sets and surfaces of Abaqus decks, as they stand there.

use std::collections::HashMap;

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
    pub sets: Vec<Set>,
    pub surfaces: Vec<DeckSurface>,
}

impl Default for Sets {
    fn default() -> Self {
        let (scopes, instances) = (vec![Scope::default()], HashMap::new());
        Self { scopes, instances, current: 0, sets: Vec::new(), surfaces: Vec::new() }
    }
}

/// A set of elements.
pub(super) struct Set {
    pub name: String,
    pub scope: usize,
    /// Serves surfaces alone.
    pub internal: bool,
    pub rows: Vec<SetRow>,
    /// 1-based line of its first keyword.
    pub line: usize,
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
        if self.instance(name).is_some() {
            return false;
        }
        self.current = self.scopes.len();
        self.scopes.push(Scope::new(name));
        self.instances.insert(name.to_ascii_uppercase(), self.current);
        true
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

    /// The set of a name in the current scope, which a keyword on `line` gives.
    pub fn set(&mut self, name: &str, internal: bool, line: usize) -> usize {
        let Self { scopes, current, sets, .. } = self;
        scopes[*current].set_or(name, || {
            let (name, scope, rows) = (name.to_owned(), *current, Vec::new());
            sets.push(Set { name, scope, internal, rows, line });
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
