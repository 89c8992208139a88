//! Messages about a part, in the ids of the whole.

use crate::error::{ElementKind, Named, named};

/// What the cells and vertices of a part are called in the whole.
#[derive(Clone, Copy, Debug)]
pub(super) struct Names<'p> {
    /// `[cell]`
    pub cells: &'p [u32],
    /// `[vertex]`
    pub vertices: &'p [u32],
}

impl Names<'_> {
    /// A message of the part with the whole's ids.
    pub fn of_whole(&self, message: &str) -> String {
        let mut text = String::with_capacity(message.len());
        let mut end = 0;
        for Named { kind, id, at } in named(message) {
            let known = match kind {
                ElementKind::Cell => self.cells,
                ElementKind::Vertex => self.vertices,
                _ => &[],
            };
            if let Some(whole) = known.get(id as usize) {
                text += &message[end..at.start];
                text += &whole.to_string();
                end = at.end;
            }
        }
        text + &message[end..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_those_of_the_whole_and_counts_stay() {
        let names = Names { cells: &[10, 11, 12, 13], vertices: &[20, 21, 22, 23, 24] };
        for (message, expected) in [
            ("cell 1 names vertex 2 twice", "cell 11 names vertex 22 twice"),
            (
                "cells 1, 2 and 3 share the face of vertices [0, 1, 2, 4]",
                "cells 11, 12 and 13 share the face of vertices [20, 21, 22, 24]",
            ),
            (
                "the edge of vertices 0 and 1 has 3 boundary faces, not 2: cells touch there",
                "the edge of vertices 20 and 21 has 3 boundary faces, not 2: cells touch there",
            ),
            (
                "cell 0 has 4 faces at its vertex 3, not 3: it never refines",
                "cell 10 has 4 faces at its vertex 23, not 3: it never refines",
            ),
            (
                "the cells at vertex 4 fall into 2 parts (cells 3 and others)",
                "the cells at vertex 24 fall into 2 parts (cells 13 and others)",
            ),
            (
                "cell 2 is no polyhedron: 3 of its faces, not 2, have the edge 1 2",
                "cell 12 is no polyhedron: 3 of its faces, not 2, have the edge 21 22",
            ),
            (
                "cell 2 is no polyhedron: its face [0, 1] is no polygon",
                "cell 12 is no polyhedron: its face [20, 21] is no polygon",
            ),
        ] {
            assert_eq!(names.of_whole(message), expected);
        }
    }
}
