//! Where the elements of a solid's boundary surface lie in the elements of the solid.

use std::collections::HashMap;

use super::square::{ParameterSquare, PlacedSquare};
use crate::limit::boundary::boundary_faces;
use crate::limit::{Solid, VTK_CORNER};
use crate::mesh::SurfaceMesh;
use crate::numbers::vector::difference;
use crate::scheme::QUAD_CORNERS;
use crate::surface::limit::LimitSurface;
use crate::topology::Orientation;

/// One frame an element of the surface, or one a quarter of it.
#[derive(Debug)]
pub struct BoundaryMap {
    /// Of each surface element: of a face of a hexahedron or a corner of a polygon one; of a quad
    /// of another cell one at each of its corners.
    frames: Vec<Vec<PlacedSquare>>,
}

/// Maps the elements of `limit`, the limit of the boundary `surface` of `solid`.
pub fn boundary_map(
    solid: &Solid,
    orientation: &Orientation,
    limit: &LimitSurface,
    surface: &SurfaceMesh,
) -> BoundaryMap {
    let topology = solid.topology();
    let vertices: Vec<u32> =
        (0..topology.vertex_count() as u32).filter(|&v| topology.is_boundary_vertex(v)).collect();
    let sorted = |mut cycle: Vec<u32>| {
        cycle.sort_unstable();
        cycle
    };
    // faces of elements by the face of the mesh, and by vertex where elements are corners
    let mut by_face: HashMap<Vec<u32>, Vec<(Option<u32>, PlacedSquare)>> = HashMap::new();
    for face in boundary_faces(solid, orientation) {
        let element = solid.elements()[face.element as usize];
        let at = |k: u8| topology.cells().listed_vertex(element.cell as usize, k.into());
        let vertex = element.corner.map(at);
        let mut origin = [0.0; 3];
        origin[face.axis] = face.side as f64;
        let along = face.along.map(|axis| std::array::from_fn(|d| f64::from(u8::from(d == axis))));
        let key = sorted(topology.face_vertices(face.face).to_vec());
        let placed = PlacedSquare { element: face.element, origin, along };
        by_face.entry(key).or_default().push((vertex, placed));
    }
    let frames = limit.elements().iter().map(|element| {
        let cycle: Vec<u32> = surface
            .faces
            .face(element.face as usize)
            .iter()
            .map(|&v| vertices[v as usize])
            .collect();
        let Some(found) = by_face.get(&sorted(cycle.clone())) else { return Vec::new() };
        let at_vertex = |v: u32| found.iter().find(|(at, _)| *at == Some(v)).map(|(_, p)| *p);
        match (element.corner, &found[..]) {
            (Some(corner), _) => at_vertex(cycle[corner as usize]).into_iter().collect(),
            (None, [(None, placed)]) => {
                vec![of_hexahedron(
                    &solid.elements()[placed.element as usize].corners,
                    &cycle,
                    *placed,
                )]
            }
            (None, _) => cycle.iter().filter_map(|&v| at_vertex(v)).collect(),
        }
    });
    BoundaryMap { frames: frames.collect() }
}

/// The frame of a quad of a hexahedron, by the places of its first, second and last vertex.
fn of_hexahedron(corners: &[u32; 8], cycle: &[u32], placed: PlacedSquare) -> PlacedSquare {
    let parameters = |vertex: u32| -> [f64; 3] {
        let bits = (0..8).find(|&bits| corners[VTK_CORNER[bits]] == vertex).unwrap_or(0);
        std::array::from_fn(|d| f64::from((bits >> d & 1) as u8))
    };
    let [origin, u, v] = [0, 1, 3].map(|k| parameters(cycle[k]));
    let from = |to: [f64; 3]| difference(to, origin);
    PlacedSquare { origin, along: [from(u), from(v)], ..placed }
}

impl BoundaryMap {
    /// Squares that lie in one element of the solid each.
    pub fn split(&self, square: ParameterSquare) -> Vec<ParameterSquare> {
        let quarters = self.frames[square.element as usize].len() == 4;
        if quarters && square.size > 0.5 { square.quarters().to_vec() } else { vec![square] }
    }

    /// Place of a square in the solid.
    pub fn place(&self, square: &ParameterSquare) -> PlacedSquare {
        let frames = &self.frames[square.element as usize];
        let compose = |frame: &PlacedSquare, origin: [f64; 2], along: [[f64; 2]; 2]| {
            let direction = |a: [f64; 2]| -> [f64; 3] {
                std::array::from_fn(|d| a[0] * frame.along[0][d] + a[1] * frame.along[1][d])
            };
            let offset = direction(origin);
            PlacedSquare {
                element: frame.element,
                origin: std::array::from_fn(|d| frame.origin[d] + offset[d]),
                along: along.map(direction),
            }
        };
        let size = square.size;
        if let [frame] = &frames[..] {
            return compose(frame, square.origin, [[size, 0.0], [0.0, size]]);
        }
        // the quarter at corner k: its axes run to the next corner and to the one before
        let middle = square.origin.map(|x| x + size / 2.0);
        let k = QUAD_CORNERS
            .iter()
            .position(|corner| (0..2).all(|d| (corner[d] == 1.0) == (middle[d] > 0.5)))
            .unwrap_or(0);
        let Some(frame) = frames.get(k) else {
            // every boundary face has elements
            return PlacedSquare { element: 0, origin: [0.0; 3], along: [[0.0; 3]; 2] };
        };
        let [next, before] = [QUAD_CORNERS[(k + 1) % 4], QUAD_CORNERS[(k + 3) % 4]]
            .map(|to| [0, 1].map(|d| to[d] - QUAD_CORNERS[k][d]));
        let local = |p: [f64; 2]| {
            let dot = |axis: [f64; 2]| 2.0 * (p[0] * axis[0] + p[1] * axis[1]);
            [dot(next), dot(before)]
        };
        let origin = local([0, 1].map(|d| square.origin[d] - QUAD_CORNERS[k][d]));
        compose(frame, origin, [local([size, 0.0]), local([0.0, size])])
    }
}
