//! Which point of a refined level is whose: every vertex of the level has one slot, whatever
//! number of elements it touches.
//!
//! An element with m × m refined quads has m² slots, for its places (i, j) with i < m and
//! j < m. Inside, these are its own. On an edge the first element that has it at its low
//! side (i = 0 or j = 0) has the vertices; where none has, they get slots of their own
//! after all elements, and so do vertices. The low sides of other elements leave slots
//! unused.

use super::limit::LimitSurface;
use super::matrix::{Columns, MeshMatrix};
use crate::mesh::SurfaceMesh;
use crate::topology::NONE;

/// A place on the grid of an element: i along u, j along v, from 0 to its size.
#[derive(Clone, Copy, Debug)]
pub(super) struct GridPlace {
    pub element: u32,
    pub i: u32,
    pub j: u32,
}

/// Slots of a level.
#[derive(Clone, Debug)]
pub(super) struct Slots {
    levels: usize,
    matrix: MeshMatrix,
    // face and corner of each element, or NONE for a whole quad
    elements: Vec<[u32; 2]>,
    /// First slot of each element, then the number of all their slots.
    pub starts: Vec<u32>,
    // slot of each point on the edges of elements: vertices, points of edges by distance
    // from the smaller end, points of lines from edges to face points, face points
    borders: Vec<u32>,
    first_edge: usize,
    first_line: usize,
    first_face: usize,
    /// Places that no element has among its own, in the order of the slots behind theirs.
    pub rest: Vec<GridPlace>,
}

impl Slots {
    /// Slots of a level ≥ 1 (0 if all faces are quads); the caller has checked that 32 bits
    /// count them. `inner(element, i, j)`: slot of a place with i, j < m within its element.
    pub fn new(
        mesh: &SurfaceMesh,
        surface: &LimitSurface,
        levels: usize,
        inner: impl Fn(GridPlace) -> u32,
    ) -> Self {
        let columns = Columns::of(mesh.faces.ends());
        let vertices = mesh.faces.vertices().to_vec();
        let matrix = MeshMatrix::build(mesh.points.len(), columns, vertices);
        let size = 1 << levels;
        let elements: Vec<[u32; 2]> =
            surface.elements().iter().map(|e| [e.face, e.corner.unwrap_or(NONE)]).collect();
        let is_whole = elements.iter().all(|&[_, corner]| corner == NONE);
        let lines = if is_whole { 0 } else { matrix.vertices.len() };
        let first_edge = matrix.vertex_count;
        let first_line = first_edge + matrix.edge_count() * (size - 1);
        let first_face = first_line + lines * (size / 2).saturating_sub(1);
        let count = first_face + if is_whole { 0 } else { mesh.faces.len() };
        let mut slots = Self {
            levels,
            matrix,
            elements,
            starts: Vec::new(),
            borders: vec![NONE; count],
            first_edge,
            first_line,
            first_face,
            rest: Vec::new(),
        };
        let mut next = 0;
        for element in 0..slots.elements.len() as u32 {
            slots.starts.push(next);
            next += slots.size(element).pow(2);
        }
        slots.starts.push(next);
        // low sides, then what is left of the high ones
        for element in 0..slots.elements.len() as u32 {
            let size = slots.size(element);
            let low = (0..size).map(|i| (i, 0)).chain((1..size).map(|j| (0, j)));
            for (i, j) in low {
                let place = GridPlace { element, i, j };
                let border = slots.border(place);
                if slots.borders[border] == NONE {
                    slots.borders[border] = inner(place);
                }
            }
        }
        for element in 0..slots.elements.len() as u32 {
            let size = slots.size(element);
            let high = (0..=size).map(|j| (size, j)).chain((0..size).map(|i| (i, size)));
            for (i, j) in high {
                let place = GridPlace { element, i, j };
                let border = slots.border(place);
                if slots.borders[border] == NONE {
                    slots.borders[border] = next;
                    next += 1;
                    slots.rest.push(place);
                }
            }
        }
        slots
    }

    /// Refined quads along an edge of an element.
    pub fn size(&self, element: u32) -> u32 {
        let [_, corner] = self.elements[element as usize];
        1 << (self.levels - usize::from(corner != NONE))
    }

    /// Number of slots.
    pub fn len(&self) -> usize {
        self.starts[self.elements.len()] as usize + self.rest.len()
    }

    /// Slot of a place on the edge of its element; `None` inside.
    pub fn of_border(&self, place: GridPlace) -> Option<u32> {
        let size = self.size(place.element);
        let at_border = |x: u32| x == 0 || x == size;
        (at_border(place.i) || at_border(place.j)).then(|| self.borders[self.border(place)])
    }

    fn border(&self, GridPlace { element, i, j }: GridPlace) -> usize {
        let [face, corner] = self.elements[element as usize];
        let corners = self.matrix.columns.corners(face);
        let m = self.size(element);
        if corner == NONE {
            let first = corners.start;
            return match (i, j) {
                (0, 0) => self.vertex(first),
                (_, 0) if i == m => self.vertex(first + 1),
                (_, _) if i == m && j == m => self.vertex(first + 2),
                (0, _) if j == m => self.vertex(first + 3),
                (_, 0) => self.along(first, i),
                (_, _) if i == m => self.along(first + 1, j),
                (_, _) if j == m => self.along(first + 2, m - i),
                _ => self.along(first + 3, m - j),
            };
        }
        let own = corners.start + corner;
        let before = self.matrix.columns.previous(own);
        let line = |side: u32, at: u32| {
            self.first_line + side as usize * (m as usize - 1) + at as usize - 1
        };
        match (i, j) {
            (0, 0) => self.vertex(own),
            (_, 0) => self.along(own, i),
            // the edge before ends here: of its 2m steps, j back
            (0, _) => self.along(before, 2 * m - j),
            (_, _) if i == m && j == m => self.first_face + face as usize,
            (_, _) if i == m => line(own, j),
            _ => line(before, i),
        }
    }

    fn vertex(&self, corner: u32) -> usize {
        self.matrix.vertices[corner as usize] as usize
    }

    /// The point `steps` along the edge from a corner to the next.
    fn along(&self, corner: u32, steps: u32) -> usize {
        let edge = self.matrix.edges[corner as usize];
        let size = 1 << self.levels;
        let turned = self.matrix.edge_ends(edge)[0] != self.matrix.vertices[corner as usize];
        let at = if turned { size - steps } else { steps };
        self.first_edge + edge as usize * (size as usize - 1) + at as usize - 1
    }
}
