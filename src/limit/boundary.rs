//! Faces of elements on the boundary of a solid: where it meets ghosts or nothing.

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
                    if topology.bounds_solid(face) {
                        let (axis, side) = (k / 2, k % 2);
                        let along = axes_along(axis, side, mirrored);
                        faces.push(BoundaryFace { element: number, face, axis, side, along });
                    }
                }
            }
            Some(corner) => {
                let cells = topology.cells();
                let vertex = cells.listed_vertex(element.cell as usize, corner.into());
                push_corner_faces(topology, number, mirrored, element.cell, vertex, &mut faces);
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

/// Faces of the element at a corner of a cell that is not a hexahedron.
fn push_corner_faces(
    topology: &Topology,
    element: u32,
    mirrored: bool,
    cell: u32,
    vertex: u32,
    faces: &mut Vec<BoundaryFace>,
) {
    let Some(fan) = topology.corner_fan(cell, vertex) else { return };
    for (axis, face) in fan.faces.into_iter().enumerate() {
        if topology.bounds_solid(face) {
            let along = axes_along(axis, 0, mirrored);
            faces.push(BoundaryFace { element, face, axis, side: 0, along });
        }
    }
}

/// Numbers of the lines and points that boundary faces share, by their first cell and place there.
pub(crate) struct RimNames<'a>(pub &'a Solid);

/// Bits of a place in a cell.
const PLACE: u32 = 14;

impl RimNames<'_> {
    /// The number of a boundary face, in the order of [`boundary_faces`].
    pub fn number(&self, face: &BoundaryFace) -> u64 {
        let element = &self.0.elements()[face.element as usize];
        let corner = element.corner.map_or(0, |corner| u64::from(corner) + 1);
        let side = (2 * face.axis + face.side) as u64;
        u64::from(element.cell) << 12 | corner << 3 | side
    }

    /// The sides of a boundary face, in (s, t).
    pub fn rim(&self, face: &BoundaryFace) -> Rim {
        let topology = self.0.topology();
        let BoundaryFace { axis, side, along, .. } = *face;
        let element = &self.0.elements()[face.element as usize];
        let Some(corner) = element.corner else {
            let vertex = |s: usize, t: usize| {
                element.corners[VTK_CORNER[side << axis | s << along[0] | t << along[1]]]
            };
            let borders = [
                self.edge(vertex(0, 0), vertex(1, 0)),
                self.edge(vertex(1, 0), vertex(1, 1)),
                self.edge(vertex(0, 1), vertex(1, 1)),
                self.edge(vertex(0, 0), vertex(0, 1)),
            ];
            return Rim { borders };
        };
        let vertex = topology.cells().listed_vertex(element.cell as usize, corner.into());
        let toward =
            topology.corner_fan(element.cell, vertex).map_or([vertex; 3], |fan| fan.toward);
        let ends = along.map(|d| toward[d]);
        let [half_s, half_t] = ends.map(|v| self.edge(vertex, v).first_half());
        let [spoke_s, spoke_t] = ends.map(|v| self.spoke(element.cell, face.face, [vertex, v]));
        Rim { borders: [half_s, spoke_s, spoke_t, half_t] }
    }

    /// The whole edge from a to b.
    fn edge(&self, a: u32, b: u32) -> Border {
        let (number, is_forward) = self.edge_number([a, b]);
        let ends = if is_forward { [a, b] } else { [b, a] };
        let border = Border::edge(number, ends.map(|v| self.vertex(v)));
        if is_forward { border } else { border.reversed() }
    }

    /// From the middle of an edge to the middle of a face of a cell.
    fn spoke(&self, cell: u32, face: u32, ends: [u32; 2]) -> Border {
        let topology = self.0.topology();
        let faces = topology.cell_faces(cell);
        let local = faces.iter().position(|&f| f == face).unwrap_or_default();
        let (mut at, mut place) = (0, 0);
        topology.cells().for_each_face(cell as usize, |cycle| {
            if at == local {
                let next = |k: usize| cycle[(k + 1) % cycle.len()];
                let is_edge = |&k: &usize| ends.contains(&cycle[k]) && ends.contains(&next(k));
                place = (0..cycle.len()).find(is_edge).unwrap_or_default();
            }
            at += 1;
        });
        let (edge, _) = self.edge_number(ends);
        Border::spoke(self.number_in(cell, [local, place]), edge, self.number_in(cell, [local, 0]))
    }

    /// The number of the edge of two vertices, and whether it runs from the first to the second.
    fn edge_number(&self, [a, b]: [u32; 2]) -> (u64, bool) {
        let cells = self.0.topology().cells();
        let place = |cell: u32, v: u32| cells.vertices(cell as usize).iter().position(|&x| x == v);
        let both = |&cell: &u32| Some((cell, [place(cell, a)?, place(cell, b)?]));
        let around = self.0.topology().vertex_cells(a).iter();
        let found = around.filter_map(both).min_by_key(|(cell, _)| *cell);
        let (cell, [i, j]) = found.unwrap_or((u32::MAX, [0, 0])); // an edge is in some cell
        (self.number_in(cell, [i.min(j), i.max(j)]), i < j)
    }

    fn vertex(&self, v: u32) -> u64 {
        let topology = self.0.topology();
        let cell = topology.vertex_cells(v).iter().copied().min().unwrap_or(u32::MAX);
        let place = topology.cells().vertices(cell as usize).iter().position(|&x| x == v);
        self.number_in(cell, [place.unwrap_or_default(), 0])
    }

    fn number_in(&self, cell: u32, [i, j]: [usize; 2]) -> u64 {
        u64::from(cell) << (2 * PLACE) | (i as u64) << PLACE | j as u64
    }
}
