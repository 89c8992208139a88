//! Vertices that files call by numbers of their own.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Vertex numbers of formats in which they are names, in any order and with gaps.
#[derive(Default)]
pub(super) struct Tags {
    // While tags run first, first + 1, … no map is needed.
    first: i64,
    count: u32,
    map: HashMap<i64, u32>,
}

impl Tags {
    /// Names the next vertex `tag`; false if another has that name.
    pub fn push(&mut self, tag: i64) -> bool {
        if self.count == 0 {
            self.first = tag;
        }
        if self.map.is_empty() && tag.checked_sub(self.first) == Some(i64::from(self.count)) {
            self.count += 1;
            return true;
        }
        if self.map.is_empty() {
            self.map = (0..self.count).map(|v| (self.first + i64::from(v), v)).collect();
        }
        let Entry::Vacant(place) = self.map.entry(tag) else { return false };
        place.insert(self.count);
        self.count += 1;
        true
    }

    /// Number of vertices that have a name.
    pub fn len(&self) -> u32 {
        self.count
    }

    /// The vertex named `tag`.
    pub fn get(&self, tag: i64) -> Option<u32> {
        if !self.map.is_empty() {
            return self.map.get(&tag).copied();
        }
        let vertex = u32::try_from(tag.checked_sub(self.first)?).ok()?;
        (vertex < self.count).then_some(vertex)
    }
}
