//! Which point of a refined level is whose: every vertex of the level has one slot, whatever
//! number of elements it touches.
//!
//! An element with m × m refined quads has m² slots, for its positions (i, j) with i < m and
//! j < m. Inside, these are its own. The vertices of half an edge belong to the first
//! element that has it at its low side (i = 0 or j = 0); where none has, they get slots of
//! their own behind all elements, and so do single vertices. The low sides of other elements
//! leave slots unused.

use crate::surface::limit::LimitSurface;
use crate::topology::NONE;
use crate::topology::surface::SurfaceTopology;

/// A position on the grid of an element: i along u, j along v, from 0 to its size.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct GridPosition {
    pub element: u32,
    pub i: u32,
    pub j: u32,
}

/// Places at equal steps along a side of an element.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlotRun {
    // step 0
    start: GridPosition,
    // of i and j
    step: [i32; 2],
    // steps of the first position and behind the last
    range: [u32; 2],
    // slot of the first position; NONE if they are the element's own
    slot: u32,
}

impl SlotRun {
    const UNKNOWN: Self = Self {
        start: GridPosition { element: NONE, i: 0, j: 0 },
        step: [0; 2],
        range: [0; 2],
        slot: 0,
    };

    fn is_known(&self) -> bool {
        self.start.element != NONE
    }

    fn position(&self, steps: u32) -> GridPosition {
        let along = |x: u32, d: usize| (x as i32 + self.step[d] * steps as i32) as u32;
        GridPosition { i: along(self.start.i, 0), j: along(self.start.j, 1), ..self.start }
    }

    /// All positions of the run.
    pub fn positions(&self) -> impl Iterator<Item = GridPosition> + '_ {
        (self.range[0]..self.range[1]).map(|steps| self.position(steps))
    }
}

/// Slots of a level.
#[derive(Clone, Debug)]
pub(crate) struct Slots {
    levels: usize,
    topology: SurfaceTopology,
    // face and corner of each element, or NONE for a whole quad
    elements: Vec<[u32; 2]>,
    // vertices, edges' halves from either end, middles of edges, lines from these to face
    // points, face points; the last two only if there are polygons
    runs: Vec<SlotRun>,
    first_half: usize,
    first_middle: usize,
    first_line: usize,
    first_face: usize,
    /// Slots of all elements.
    own: u32,
    /// Places that no element has among its own, in the order of the slots behind theirs.
    pub rest: Vec<SlotRun>,
    len: u32,
}

impl Slots {
    /// Slots of a level ≥ 1 (0 if all faces are quads) of the surface of a mesh with this topology;
    /// the caller has checked that 32 bits count them.
    pub fn new(topology: SurfaceTopology, surface: &LimitSurface, levels: usize) -> Self {
        let elements: Vec<[u32; 2]> =
            surface.elements().iter().map(|e| [e.face, e.corner.unwrap_or(NONE)]).collect();
        let is_whole = elements.iter().all(|&[_, corner]| corner == NONE);
        let first_half = topology.vertex_count;
        let first_middle = first_half + 2 * topology.edge_count();
        let first_line = first_middle + topology.edge_count();
        let first_face = first_line + if is_whole { 0 } else { topology.vertices.len() };
        let count = first_face + if is_whole { 0 } else { topology.face_count };
        let mut slots = Self {
            levels,
            topology,
            elements,
            runs: vec![SlotRun::UNKNOWN; count],
            first_half,
            first_middle,
            first_line,
            first_face,
            own: 0,
            rest: Vec::new(),
            len: 0,
        };
        let all = 0..slots.elements.len() as u32;
        slots.own = all.clone().map(|element| slots.size(element).pow(2)).sum();
        slots.len = slots.own;
        // low sides, then the rest of the high ones
        for is_low in [true, false] {
            for element in all.clone() {
                slots.take_sides(element, is_low);
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
        self.len as usize
    }

    /// Slots of elements; the others stand behind them.
    pub fn own(&self) -> usize {
        self.own as usize
    }

    /// Slot of a position on the edge of its element; `None` inside. `inner`: slot of a position
    /// with i, j < m within its element.
    pub(crate) fn of_border(
        &self,
        position: GridPosition,
        inner: impl Fn(GridPosition) -> u32,
    ) -> Option<u32> {
        let size = self.size(position.element);
        let at_border = |x: u32| x == 0 || x == size;
        if !at_border(position.i) && !at_border(position.j) {
            return None;
        }
        let (run, steps) = self.run_at(position);
        let run = &self.runs[run];
        Some(match run.slot {
            NONE => inner(run.position(steps)),
            slot => slot + steps - run.range[0],
        })
    }

    /// Gives an element the vertices at its low sides that are nobody's, or slots of their
    /// own to those at its high sides.
    fn take_sides(&mut self, element: u32, is_low: bool) {
        let [face, corner] = self.elements[element as usize];
        let m = self.size(element);
        let first = self.topology.columns.corners(face).start;
        let at = |i: u32, j: u32| GridPosition { element, i, j };
        let mut take = |index: usize, start: GridPosition, step: [i32; 2], range: [u32; 2]| {
            let run = &mut self.runs[index];
            if run.is_known() || range[0] >= range[1] {
                return;
            }
            *run = SlotRun { start, step, range, slot: NONE };
            if !is_low {
                run.slot = self.len;
                self.len += range[1] - range[0];
                self.rest.push(*run);
            }
        };
        let topology = &self.topology;
        let vertex = |corner: u32| topology.vertices[corner as usize];
        let edge = |corner: u32| topology.edges[corner as usize];
        let half = |corner: u32, from: u32| {
            let end = usize::from(topology.edge_ends(edge(corner))[0] != vertex(from));
            self.first_half + 2 * edge(corner) as usize + end
        };
        let middle = |corner: u32| self.first_middle + edge(corner) as usize;
        if corner == NONE {
            let positions = [at(0, 0), at(m, 0), at(m, m), at(0, m)];
            const CORNER_STEPS: [[i32; 2]; 4] = [[1, 0], [0, 1], [-1, 0], [0, -1]];
            for k in if is_low { [0, 3] } else { [1, 2] } {
                let (next, step) = ((k + 1) % 4, CORNER_STEPS[k]);
                let (a, b) = (first + k as u32, first + next as u32);
                let inside = [1, (m / 2).max(1)];
                take(half(a, a), positions[k], step, inside);
                take(half(a, b), positions[next], step.map(|x| -x), inside);
                if m > 1 {
                    take(middle(a), positions[k], step, [m / 2, m / 2 + 1]);
                }
            }
            for k in if is_low { 0..1 } else { 1..4 } {
                take(vertex(first + k) as usize, positions[k as usize], [0; 2], [0, 1]);
            }
            return;
        }
        let own = first + corner;
        let before = topology.columns.previous(own);
        if is_low {
            take(vertex(own) as usize, at(0, 0), [0; 2], [0, 1]);
            take(half(own, own), at(0, 0), [1, 0], [1, m]);
            take(half(before, own), at(0, 0), [0, 1], [1, m]);
        } else {
            take(middle(own), at(m, 0), [0; 2], [m, m + 1]);
            take(middle(before), at(0, m), [0; 2], [m, m + 1]);
            take(self.first_line + own as usize, at(m, 0), [0, 1], [1, m]);
            take(self.first_line + before as usize, at(0, m), [1, 0], [1, m]);
            take(self.first_face + face as usize, at(m, m), [0; 2], [0, 1]);
        }
    }

    /// The run that a position on the edge of an element belongs to, and its steps there.
    fn run_at(&self, GridPosition { element, i, j }: GridPosition) -> (usize, u32) {
        let [face, corner] = self.elements[element as usize];
        let first = self.topology.columns.corners(face).start;
        let m = self.size(element);
        if corner == NONE {
            return match (i, j) {
                (0, 0) => self.along(first, 0),
                (_, 0) => self.along(first, i),
                _ if i == m => self.along(first + 1, j),
                _ if j == m => self.along(first + 2, m - i),
                _ => self.along(first + 3, m - j),
            };
        }
        let own = first + corner;
        let before = self.topology.columns.previous(own);
        match (i, j) {
            (_, 0) => self.along(own, i),
            // the edge before ends here: of its 2m steps, j back
            (0, _) => self.along(before, 2 * m - j),
            _ if i == m && j == m => (self.first_face + face as usize, 0),
            _ if i == m => (self.first_line + own as usize, j),
            _ => (self.first_line + before as usize, i),
        }
    }

    /// The point `steps` along the edge from a corner to the next.
    fn along(&self, corner: u32, steps: u32) -> (usize, u32) {
        let size = 1 << self.levels;
        let vertex = |corner: u32| self.topology.vertices[corner as usize];
        let edge = self.topology.edges[corner as usize];
        let turned = self.topology.edge_ends(edge)[0] != vertex(corner);
        let half = |end: bool| self.first_half + 2 * edge as usize + usize::from(end);
        match steps {
            0 => (vertex(corner) as usize, 0),
            _ if steps == size => (vertex(self.topology.columns.next(corner)) as usize, 0),
            _ if 2 * steps == size => (self.first_middle + edge as usize, size / 2),
            _ if 2 * steps < size => (half(turned), steps),
            _ => (half(!turned), size - steps),
        }
    }
}
