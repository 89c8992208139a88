//! Cells as they are: trilinear hexahedra, and other cells as hexahedra with corners in one place.

use super::scene::Scene;
use super::values::push_values;
use crate::mesh::{CellKind, SolidMesh};
use crate::topology::Topology;

/// Hexahedra in VTK's order, each a cell or a part of one.
#[derive(Default)]
struct LinearHexahedra {
    cells: Vec<u32>,
    corners: Vec<[u32; 8]>,
    /// Vertices whose mean each further vertex is.
    means: Vec<Vec<u32>>,
    /// Boundary: hexahedron and side (axis, and 4 at the high end).
    shown: Vec<u32>,
    sides: Vec<u8>,
}

/// Corners of the sides u = 0, u = 1, v = 0 and so on.
const SIDES: [[usize; 4]; 6] =
    [[0, 3, 4, 7], [1, 2, 5, 6], [0, 1, 4, 5], [2, 3, 6, 7], [0, 1, 2, 3], [4, 5, 6, 7]];

impl LinearHexahedra {
    fn push(&mut self, cell: u32, corners: [u32; 8]) {
        self.cells.push(cell);
        self.corners.push(corners);
    }

    /// A further vertex at the mean of some.
    fn mean(&mut self, of: &[u32], first: u32) -> u32 {
        self.means.push(of.to_vec());
        first + self.means.len() as u32 - 1
    }

    /// A cell of `topology`, whose vertices are those below `first`.
    fn add(&mut self, topology: &Topology, cell: u32, first: u32) {
        let v = topology.cells().vertices(cell as usize);
        let start = self.corners.len();
        // the middles of faces that are parts of the cell's sides
        let mut middles = Vec::new();
        match topology.cells().kind(cell as usize) {
            CellKind::Hexahedron => self.push(cell, std::array::from_fn(|k| v[k])),
            CellKind::Tetrahedron => {
                self.push(cell, [v[0], v[1], v[2], v[2], v[3], v[3], v[3], v[3]]);
            }
            CellKind::Wedge => self.push(cell, [v[0], v[1], v[2], v[2], v[3], v[4], v[5], v[5]]),
            CellKind::Polyhedron => {
                let top = self.mean(v, first);
                topology.cells().for_each_face(cell as usize, |face| {
                    // seen from the middle of the cell
                    match *face {
                        [a, b, c] => self.push(cell, [c, b, a, a, top, top, top, top]),
                        [a, b, c, d] => self.push(cell, [d, c, b, a, top, top, top, top]),
                        _ => {
                            let middle = self.mean(face, first);
                            middles.push(middle);
                            for i in 0..face.len() {
                                let (a, b) = (face[(i + 1) % face.len()], face[i]);
                                self.push(cell, [a, b, middle, middle, top, top, top, top]);
                            }
                        }
                    }
                });
            }
        }
        for &face in topology.cell_faces(cell) {
            if topology.bounds_solid(face) {
                self.show(start, topology.face_vertices(face), &middles);
            }
        }
    }

    /// The sides of the pieces from `start` on that lie in a face.
    fn show(&mut self, start: usize, face: &[u32], middles: &[u32]) {
        for piece in start..self.corners.len() {
            for (k, side) in SIDES.iter().enumerate() {
                let mut own = side.map(|corner| self.corners[piece][corner]);
                own.sort_unstable();
                let distinct = 1 + own.windows(2).filter(|pair| pair[0] != pair[1]).count();
                let inside = |v: &u32| face.contains(v) || face.len() > 4 && middles.contains(v);
                if distinct >= 3 && own.iter().all(inside) {
                    self.shown.push(piece as u32);
                    self.sides.push((k / 2 + 4 * (k % 2)) as u8);
                }
            }
        }
    }
}

/// Adds `vertex` positions, the `corner` vertices of each hexahedron in VTK's order, the boundary
/// as `element` (a hexahedron) and `side` (axis, and 4 at the high end) of each face, `attribute K`
/// of the vertices. Hexahedra, tetrahedra and wedges are one each; a polyhedron has one per face,
/// of more than four corners one per edge of it, between the face and the mean of the cell's
/// vertices.
pub fn push(scene: &mut Scene, mesh: &SolidMesh, topology: &Topology) {
    let mut pieces = LinearHexahedra::default();
    let first = mesh.points.len() as u32;
    let cells = (0..topology.cell_count() as u32).filter(|&cell| !topology.is_ghost(cell));
    cells.for_each(|cell| pieces.add(topology, cell, first));
    let mean = |of: &[u32], value: &dyn Fn(usize) -> f64| {
        of.iter().map(|&v| value(v as usize)).sum::<f64>() / of.len() as f64
    };
    let means = pieces.means.iter().map(|of| [0, 1, 2].map(|d| mean(of, &|v| mesh.points[v][d])));
    let points: Vec<f32> =
        mesh.points.iter().copied().chain(means).flat_map(|p| scene.local(&p)).collect();
    scene.shell.push("vertex", &points);
    scene.shell.push("corner", pieces.corners.as_flattened());
    scene.shell.push("element", &pieces.shown);
    scene.shell.push("side", &pieces.sides);
    scene.push_elements(pieces.cells.iter().map(|&cell| (cell, None)));
    let mut number = 0;
    for attribute in &mesh.attributes {
        for component in 0..attribute.width {
            let value = |v: usize| attribute.values[v * attribute.width + component];
            let means = pieces.means.iter().map(|of| mean(of, &value));
            let values: Vec<f64> = (0..mesh.points.len()).map(value).chain(means).collect();
            push_values(&mut scene.shell, &format!("attribute {number}"), &values);
            number += 1;
        }
    }
}
