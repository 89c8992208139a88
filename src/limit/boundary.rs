//! Faces of elements on the boundary of a solid, and names for what they share.
//!
//! The faces fit together along *lines*: edges of the mesh, and the spokes from the
//! middle of an edge to the middle of a face where a cell is no hexahedron and its
//! corners are elements. Places are integers, so neighbours agree exactly on what
//! they share; nothing is compared by distance.

use super::{Solid, VTK_CORNER};
use crate::topology::{Orientation, Topology};

/// Parameters run from 0 to `UNIT` in each direction of a face.
pub const UNIT: u32 = 1 << 30;

/// A name in an order that depends on the mesh alone: an entity, a place on it.
pub(crate) type Key = (u64, u64);

// kinds of entities, above their numbers
const VERTEX: u64 = 0;
const EDGE: u64 = 1 << 60;
const SPOKE: u64 = 2 << 60;
const CENTRE: u64 = 3 << 60;
const INSIDE: u64 = 4 << 60;

/// A face of an element on the boundary, with parameters (s, t) that are
/// right-handed seen from outside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoundaryFace {
    /// The element.
    pub element: u32,
    /// The face of the mesh that it is, or lies in.
    pub face: u32,
    /// Axis of the element that is constant on the face.
    pub axis: usize,
    /// End of that axis, 0 or 1.
    pub side: usize,
    /// Axes of the element that s and t run along.
    pub along: [usize; 2],
    /// Lines below, right, above, left.
    borders: [Border; 4],
}

/// How a side of a face lies on a line: from place `from` to `to` as s or t goes
/// from 0 to [`UNIT`].
#[derive(Clone, Copy, Debug)]
struct Border {
    line: u64,
    from: u32,
    to: u32,
    // names of the points at 0 and UNIT of the line
    ends: [Key; 2],
}

impl Border {
    fn place(&self, x: u32) -> u32 {
        let length = u64::from(self.from.abs_diff(self.to));
        let step = (length * u64::from(x) / u64::from(UNIT)) as u32;
        if self.to > self.from { self.from + step } else { self.from - step }
    }

    fn reversed(self) -> Self {
        Self { from: self.to, to: self.from, ..self }
    }
}

/// A stretch of a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch {
    line: u64,
    base: u64,
    /// Places where it starts and ends.
    pub from: u32,
    /// See `from`.
    pub to: u32,
}

impl Stretch {
    /// Name of a place on the line, in the order of the places.
    pub fn key(&self, place: u32) -> Key {
        (self.line, self.base | u64::from(place))
    }

    /// The place of a name on the line.
    pub fn place(key: Key) -> u32 {
        key.1 as u32
    }
}

impl BoundaryFace {
    /// Whether a box in the element's parameters has a side on the face.
    pub fn meets(&self, origin: &[f64; 3], size: &[f64; 3]) -> bool {
        match self.side {
            0 => origin[self.axis] == 0.0,
            _ => origin[self.axis] + size[self.axis] == 1.0,
        }
    }

    /// The side of a rectangle `[s0, t0, s1, t1]` of face number `number`, against
    /// the clock: 0 below, 1 right, 2 above, 3 left.
    pub fn stretch(&self, number: usize, rectangle: [u32; 4], side: usize) -> Stretch {
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
                let line = INSIDE | (number as u64) << 1 | direction as u64;
                Stretch { line, base: u64::from(fixed) << 32, from, to }
            }
        }
    }

    /// Name of the point (s, t) of face number `number`.
    pub fn node(&self, number: usize, [s, t]: [u32; 2]) -> Key {
        let on_border = self.border(0, t).map(|b| (b, s)).or(self.border(1, s).map(|b| (b, t)));
        match on_border {
            None => (INSIDE | number as u64, u64::from(s) << 32 | u64::from(t)),
            Some((border, along)) => match border.place(along) {
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

/// The boundary of a solid, in the order of its elements.
pub fn boundary_faces(solid: &Solid, orientation: &Orientation) -> Vec<BoundaryFace> {
    let topology = solid.topology();
    let mut faces = Vec::new();
    for (number, element) in solid.elements().iter().enumerate() {
        let number = number as u32;
        let mirrored = orientation.is_mirrored(element.cell);
        match element.corner {
            None => {
                for (k, &face) in topology.cell_faces(element.cell).iter().enumerate() {
                    if topology.is_boundary_face(face) {
                        faces.push(hexahedron_face(
                            topology,
                            (number, mirrored),
                            &element.corners,
                            (k, face),
                        ));
                    }
                }
            }
            Some(corner) => {
                let vertex = topology.cells().vertices(element.cell as usize)[usize::from(corner)];
                push_corner_faces(topology, (number, mirrored), element.cell, vertex, &mut faces);
            }
        }
    }
    faces
}

/// Axes (s, t) of a side of an element, right-handed from outside.
fn axes_along(axis: usize, side: usize, mirrored: bool) -> [usize; 2] {
    let along = [(axis + 1) % 3, (axis + 2) % 3];
    if (side == 1) != mirrored { along } else { [along[1], along[0]] }
}

fn hexahedron_face(
    topology: &Topology,
    (element, mirrored): (u32, bool),
    corners: &[u32; 8],
    (k, face): (usize, u32),
) -> BoundaryFace {
    let (axis, side) = (k / 2, k % 2);
    let along = axes_along(axis, side, mirrored);
    let vertex =
        |s: usize, t: usize| corners[VTK_CORNER[side << axis | s << along[0] | t << along[1]]];
    let border = |a: u32, b: u32| edge_border(topology, a, b);
    let borders = [
        border(vertex(0, 0), vertex(1, 0)),
        border(vertex(1, 0), vertex(1, 1)),
        border(vertex(0, 1), vertex(1, 1)),
        border(vertex(0, 0), vertex(0, 1)),
    ];
    BoundaryFace { element, face, axis, side, along, borders }
}

/// The whole edge from a to b.
fn edge_border(topology: &Topology, a: u32, b: u32) -> Border {
    // corners of a cell's side are joined by an edge
    let edge = topology.edge_between(a, b).unwrap_or(u32::MAX);
    let ends = [a.min(b), a.max(b)].map(|v| (VERTEX | u64::from(v), 0));
    let border = Border { line: EDGE | u64::from(edge), from: 0, to: UNIT, ends };
    if a < b { border } else { border.reversed() }
}

/// Faces of the element at a corner of a cell that is no hexahedron; its axes run
/// along the cell's edges from the corner (see `refine::children`).
fn push_corner_faces(
    topology: &Topology,
    (element, mirrored): (u32, bool),
    cell: u32,
    vertex: u32,
    faces: &mut Vec<BoundaryFace>,
) {
    let fan = corner_fan(topology, cell, vertex);
    let Some(towards) = fan_neighbours(&fan) else { return };
    for axis in 0..3 {
        let along = axes_along(axis, 0, mirrored);
        let ends = along.map(|d| towards[d]);
        let face = fan.iter().find(|(_, pair)| ends.iter().all(|v| pair.contains(v)));
        if let Some(&(face, _)) = face.filter(|(face, _)| topology.is_boundary_face(*face)) {
            let [half_s, half_t] = ends.map(|v| half_edge_border(topology, vertex, v));
            let [spoke_s, spoke_t] = ends.map(|v| spoke_border(topology, face, vertex, v));
            let borders = [half_s, spoke_s, spoke_t, half_t];
            faces.push(BoundaryFace { element, face, axis, side: 0, along, borders });
        }
    }
}

/// The vertices that the axes of the element at a corner of a cell run towards; `None` if the
/// cell has no such corner.
pub(crate) fn corner_neighbours(topology: &Topology, cell: u32, vertex: u32) -> Option<[u32; 3]> {
    fan_neighbours(&corner_fan(topology, cell, vertex))
}

/// The three faces at a corner of a cell, with the neighbours before and after it.
fn corner_fan(topology: &Topology, cell: u32, vertex: u32) -> Vec<(u32, [u32; 2])> {
    let mut fan = Vec::with_capacity(3);
    let mut local = 0;
    topology.cells().for_each_face(cell as usize, |cycle| {
        if let Some(at) = cycle.iter().position(|&x| x == vertex) {
            let n = cycle.len();
            let face = topology.cell_faces(cell)[local];
            fan.push((face, [cycle[(at + n - 1) % n], cycle[(at + 1) % n]]));
        }
        local += 1;
    });
    fan
}

/// The neighbours of the first face of a fan, then the third.
fn fan_neighbours(fan: &[(u32, [u32; 2])]) -> Option<[u32; 3]> {
    let &(_, [a, b]) = fan.first()?;
    let mut others = fan[1..].iter().flat_map(|(_, pair)| pair).copied();
    Some([a, b, others.find(|&x| x != a && x != b)?])
}

/// From vertex a to the middle of its edge to b.
fn half_edge_border(topology: &Topology, a: u32, b: u32) -> Border {
    Border { to: UNIT / 2, ..edge_border(topology, a, b) }
}

/// From the middle of the edge (a, b) to the middle of a face.
fn spoke_border(topology: &Topology, face: u32, a: u32, b: u32) -> Border {
    let edge = edge_border(topology, a, b);
    let edges = topology.face_edges(face).iter();
    let k = edges.take_while(|&&e| EDGE | u64::from(e) != edge.line).count() as u64;
    let line = SPOKE | u64::from(face) << 16 | k;
    let ends = [(edge.line, u64::from(UNIT / 2)), (CENTRE | u64::from(face), 0)];
    Border { line, from: 0, to: UNIT, ends }
}
