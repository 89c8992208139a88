//! Cells, faces, edges and vertices of a solid: what is incident to what.

use super::hash::Map;
use super::solid::Solid;
use super::surface::{Edge, edge};

/// A face's vertices in ascending order: the same from both sides.
pub type FaceKey = Vec<usize>;

pub fn face_key(face: &[usize]) -> FaceKey {
    let mut key = face.to_vec();
    key.sort_unstable();
    key
}

/// What is incident to what.
#[derive(Default)]
pub struct Incidence {
    pub edges: Vec<Edge>,
    /// One of the two vertex cycles of each face.
    pub faces: Vec<Vec<usize>>,
    pub edge_of: Map<Edge, usize>,
    pub face_of: Map<FaceKey, usize>,
    pub face_cells: Vec<Vec<usize>>,
    pub edge_faces: Vec<Vec<usize>>,
    pub edge_cells: Vec<Vec<usize>>,
    pub vertex_edges: Vec<Vec<usize>>,
    pub vertex_faces: Vec<Vec<usize>>,
    pub vertex_cells: Vec<Vec<usize>>,
}

impl Incidence {
    pub fn of(solid: &Solid) -> Self {
        let vertices = solid.points.len();
        let mut all = Self {
            vertex_edges: vec![Vec::new(); vertices],
            vertex_faces: vec![Vec::new(); vertices],
            vertex_cells: vec![Vec::new(); vertices],
            ..Self::default()
        };
        for (c, cell) in solid.cells.iter().enumerate() {
            for &v in cell.corners() {
                all.vertex_cells[v].push(c);
            }
            for face in cell.faces() {
                let f = all.add_face(&face);
                all.face_cells[f].push(c);
                for (i, &a) in face.iter().enumerate() {
                    let e = all.edge_of[&edge(a, face[(i + 1) % face.len()])];
                    if !all.edge_cells[e].contains(&c) {
                        all.edge_cells[e].push(c);
                    }
                }
            }
        }
        all
    }

    fn add_face(&mut self, face: &[usize]) -> usize {
        let key = face_key(face);
        if let Some(&f) = self.face_of.get(&key) {
            return f;
        }
        let f = self.faces.len();
        self.face_of.insert(key, f);
        self.faces.push(face.to_vec());
        self.face_cells.push(Vec::new());
        for (i, &a) in face.iter().enumerate() {
            let b = face[(i + 1) % face.len()];
            let e = *self.edge_of.entry(edge(a, b)).or_insert_with(|| {
                self.edges.push(edge(a, b));
                self.edge_faces.push(Vec::new());
                self.edge_cells.push(Vec::new());
                self.vertex_edges[a].push(self.edges.len() - 1);
                self.vertex_edges[b].push(self.edges.len() - 1);
                self.edges.len() - 1
            });
            self.edge_faces[e].push(f);
            self.vertex_faces[a].push(f);
        }
        f
    }
}
