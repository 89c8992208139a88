//! Keys for the lines and points that boundary faces share.
//!
//! The faces fit together along *lines*: edges of the mesh, and the spokes from the
//! middle of an edge to the middle of a face where a cell is not a hexahedron, or a face of a
//! surface no quad, and its corners are elements. Places are integers, so neighbors agree
//! exactly on common lines and points; nothing is compared by distance.
//!
//! Whoever makes the faces numbers them, their lines and their points: lines and points below 2⁶⁰,
//! faces below 2⁵⁹.

/// Parameters run from 0 to `UNIT` in each direction of a face.
pub const UNIT: u32 = 1 << 30;

/// A name: an entity, a place on it. Names are ordered by the entities' numbers.
pub(crate) type RimKey = (u64, u64);

// kinds of entities, above their numbers
const VERTEX: u64 = 0;
const EDGE: u64 = 1 << 60;
const SPOKE: u64 = 2 << 60;
const CENTER: u64 = 3 << 60;
const INSIDE: u64 = 4 << 60;
const POINT: u64 = 5 << 60;

/// The sides of a face with parameters (s, t).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rim {
    /// Lines below, right, above, left, each in the direction of s or t.
    pub borders: [Border; 4],
}

/// How a side of a face lies on a line: from place `from` to `to` as s or t goes
/// from 0 to [`UNIT`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Border {
    pub(crate) line: u64,
    pub(crate) from: u32,
    pub(crate) to: u32,
    // names of the points at 0 and UNIT of the line
    pub(crate) ends: [RimKey; 2],
}

impl Border {
    fn place(&self, x: u32) -> u32 {
        let length = u64::from(self.from.abs_diff(self.to));
        let step = (length * u64::from(x) / u64::from(UNIT)) as u32;
        if self.to > self.from { self.from + step } else { self.from - step }
    }

    /// This border run through the other way.
    pub fn reversed(self) -> Self {
        Self { from: self.to, to: self.from, ..self }
    }

    /// The whole edge of number `edge`, from its first vertex to its last.
    pub fn edge(edge: u64, vertices: [u64; 2]) -> Self {
        let ends = vertices.map(|v| (VERTEX | v, 0));
        Self { line: EDGE | edge, from: 0, to: UNIT, ends }
    }

    /// The first half of a whole edge, from its start to its middle.
    pub fn first_half(self) -> Self {
        Self { to: UNIT / 2, ..self }
    }

    /// From the middle of an edge to the middle of a face; `number`: of the spoke.
    pub fn spoke(number: u64, edge: u64, face: u64) -> Self {
        let ends = [(EDGE | edge, u64::from(UNIT / 2)), (CENTER | face, 0)];
        Self { line: SPOKE | number, from: 0, to: UNIT, ends }
    }

    /// A side of a face that is one point, vertex `v`.
    pub fn point(face: u64, v: u64) -> Self {
        let ends = [(VERTEX | v, 0); 2];
        Self { line: POINT | face, from: 0, to: UNIT, ends }
    }
}

/// A stretch of a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch {
    line: u64,
    base: u64,
    /// Places where it starts and ends.
    pub from: u32,
    /// Place on the line where it ends.
    pub to: u32,
}

impl Stretch {
    /// Name of a place on the line, in the order of the places.
    pub fn key(&self, place: u32) -> RimKey {
        (self.line, self.base | u64::from(place))
    }

    /// Whether the line is one point.
    pub fn is_point(&self) -> bool {
        self.line >= POINT
    }

    /// The part of the stretch below a place on it, from 0 to 1, along the line.
    pub fn part_at(&self, place: u32) -> f64 {
        let (low, high) = (self.from.min(self.to), self.from.max(self.to));
        f64::from(place - low) / f64::from(high - low)
    }

    /// The place of a name on the line.
    pub fn place(key: RimKey) -> u32 {
        key.1 as u32
    }
}

impl Rim {
    /// The rim with s and t exchanged.
    pub fn transposed(self) -> Self {
        let [below, right, above, left] = self.borders;
        Self { borders: [left, above, right, below] }
    }

    /// The side of a rectangle `[s0, t0, s1, t1]` of face number `number`, against
    /// the clock: 0 below, 1 right, 2 above, 3 left.
    pub fn stretch(&self, number: u64, rectangle: [u32; 4], side: usize) -> Stretch {
        let [s0, t0, s1, t1] = rectangle;
        let (direction, fixed, from, to) = match side {
            0 => (0, t0, s0, s1),
            1 => (1, s1, t0, t1),
            2 => (0, t1, s1, s0),
            _ => (1, s0, t1, t0),
        };
        match self.border(direction, fixed) {
            Some(border) => {
                let [from, to] = [border.place(from), border.place(to)];
                Stretch { line: border.line, base: 0, from, to }
            }
            None => {
                let line = INSIDE | number << 1 | direction as u64;
                Stretch { line, base: u64::from(fixed) << 32, from, to }
            }
        }
    }

    /// Name of the point (s, t) of face number `number`.
    pub fn node(&self, number: u64, [s, t]: [u32; 2]) -> RimKey {
        let on_border = self.border(0, t).map(|b| (b, s)).or(self.border(1, s).map(|b| (b, t)));
        match on_border {
            None => (INSIDE | number, u64::from(s) << 32 | u64::from(t)),
            Some((border, along)) => match border.place(along) {
                _ if border.line >= POINT => border.ends[0],
                0 => border.ends[0],
                UNIT => border.ends[1],
                place => (border.line, u64::from(place)),
            },
        }
    }

    /// The border on which the other parameter than `direction`'s is `fixed`.
    fn border(&self, direction: usize, fixed: u32) -> Option<&Border> {
        match (direction, fixed) {
            (0, 0) => Some(&self.borders[0]),
            (0, UNIT) => Some(&self.borders[2]),
            (1, 0) => Some(&self.borders[3]),
            (1, UNIT) => Some(&self.borders[1]),
            _ => None,
        }
    }
}
