//! Faces of elements on the boundary of a solid.

use super::rim::{Border, Rim};
use super::{Solid, VTK_CORNER};
use crate::topology::{Orientation, Topology};

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
    /// Its sides, in (s, t).
    pub rim: Rim,
}

impl BoundaryFace {
    /// Whether a box in the element's parameters has a side on the face.
    pub fn meets(&self, origin: &[f64; 3], size: &[f64; 3]) -> bool {
        match self.side {
            0 => origin[self.axis] == 0.0,
            _ => origin[self.axis] + size[self.axis] == 1.0,
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
    BoundaryFace { element, face, axis, side, along, rim: Rim { borders } }
}

/// The whole edge from a to b.
fn edge_border(topology: &Topology, a: u32, b: u32) -> Border {
    // corners of a cell's side are joined by an edge
    let edge = topology.edge_between(a, b).unwrap_or(u32::MAX);
    Border::edge(edge, a, b)
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
            faces.push(BoundaryFace { element, face, axis, side: 0, along, rim: Rim { borders } });
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
    edge_border(topology, a, b).first_half()
}

/// From the middle of the edge (a, b) to the middle of a face.
fn spoke_border(topology: &Topology, face: u32, a: u32, b: u32) -> Border {
    let edge = topology.edge_between(a, b).unwrap_or(u32::MAX);
    let edges = topology.face_edges(face).iter();
    let k = edges.take_while(|&&e| e != edge).count() as u64;
    Border::spoke(u64::from(face) << 16 | k, edge, face)
}
