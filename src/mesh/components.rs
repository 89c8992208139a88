//! Connected components of meshes.

/// Ids in disjoint sets, each of which is known by its least member.
pub(crate) struct UnionFind {
    // of each id a smaller one of its set, or itself
    parents: Vec<u32>,
}

impl UnionFind {
    /// Sets of one id each.
    pub fn new(count: usize) -> Self {
        Self { parents: (0..count as u32).collect() }
    }

    /// Joins the sets of two ids; says whether they were different.
    pub fn join(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        self.parents[a.max(b) as usize] = a.min(b);
        a != b
    }

    /// The least id of the set of an id.
    pub fn root(&mut self, mut id: u32) -> u32 {
        let parents = &mut self.parents;
        while parents[id as usize] != id {
            parents[id as usize] = parents[parents[id as usize] as usize];
            id = parents[id as usize];
        }
        id
    }

    /// [`UnionFind::root`] of each id.
    pub fn roots(mut self) -> Vec<u32> {
        // parents are smaller, so theirs are final
        for id in 0..self.parents.len() {
            self.parents[id] = self.parents[self.parents[id] as usize];
        }
        self.parents
    }
}

/// For each of `count` vertices the least of its connected component, as `groups` of vertices
/// (cells, faces) join them; for one of no group itself. Vertices that do not exist join nothing.
pub(crate) fn components<'a>(count: usize, groups: impl Iterator<Item = &'a [u32]>) -> Vec<u32> {
    let mut components = UnionFind::new(count);
    for group in groups {
        let mut known = group.iter().copied().filter(|&v| (v as usize) < count);
        let Some(first) = known.next() else { continue };
        known.for_each(|v| _ = components.join(first, v));
    }
    components.roots()
}
