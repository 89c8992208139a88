//! In which directions the vertices of a boundary move.

use nalgebra::Vector3;

use super::normal_equations::Unknowns;
use crate::mesh::{SurfaceMesh, area_normal};
use crate::scheme::Stencils;

/// Weights in masks below this are 0 but for rounding.
const ROUNDING: f64 = 1e-12;

/// What a vertex of a boundary is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VertexKind {
    /// It moves along its normal, and slides in two directions.
    Smooth,
    /// It moves in two directions across its crease.
    Crease,
    /// It stays where its limit is the point itself, or else moves in all directions.
    Corner,
}

/// Directions in which vertices may move: of smooth ones the normal and two along the surface.
pub struct VertexMoves {
    kinds: Vec<VertexKind>,
    // of all vertices, one after another
    directions: Vec<Vector3<f64>>,
    // of vertex v: starts[v]..starts[v + 1]
    starts: Vec<usize>,
}

impl VertexMoves {
    /// `creases`: ends of those at each vertex; `masks`: limits at vertices.
    pub fn new(
        mesh: &SurfaceMesh,
        vertices: &[[f64; 3]],
        creases: &[Vec<u32>],
        masks: &Stencils,
    ) -> Self {
        let count = vertices.len();
        let mut normals = vec![Vector3::zeros(); count];
        for face in mesh.faces.iter() {
            let normal = area_normal(vertices, face);
            face.iter().for_each(|&v| normals[v as usize] += normal);
        }
        let mut is_tagged = vec![false; count];
        for corner in mesh.creases.corners.iter().filter(|c| c.sharpness > 0.0) {
            is_tagged[corner.vertex.index()] = true;
        }
        let at = |v: u32| Vector3::from(vertices[v as usize]);
        let unit = |x: Vector3<f64>| x.try_normalize(0.0);
        let mut own = Self { kinds: Vec::new(), directions: Vec::new(), starts: vec![0] };
        for v in 0..count {
            let (kind, directions) = match creases[v][..] {
                [] | [_] if !is_tagged[v] => {
                    let along = |normal| {
                        let [a, b] = across(&normal);
                        vec![normal, a, b]
                    };
                    (VertexKind::Smooth, unit(normals[v]).map_or_else(Vec::new, along))
                }
                [a, b] if !is_tagged[v] => {
                    let both = |tangent: Vector3<f64>| {
                        let normal = unit(normals[v]).unwrap_or_default();
                        let first = unit(normal - tangent * normal.dot(&tangent));
                        first.map_or_else(Vec::new, |first| vec![first, tangent.cross(&first)])
                    };
                    (VertexKind::Crease, unit(at(b) - at(a)).map_or_else(Vec::new, both))
                }
                _ if masks.row(v).all(|(u, w)| u as usize == v || w.abs() < ROUNDING) => {
                    (VertexKind::Corner, Vec::new())
                }
                _ => (VertexKind::Corner, vec![Vector3::x(), Vector3::y(), Vector3::z()]),
            };
            own.kinds.push(kind);
            own.directions.extend(directions);
            own.starts.push(own.directions.len());
        }
        own
    }

    pub fn kind(&self, vertex: usize) -> VertexKind {
        self.kinds[vertex]
    }

    pub fn of(&self, vertex: usize) -> &[Vector3<f64>] {
        &self.directions[self.starts[vertex]..self.starts[vertex + 1]]
    }

    /// All corners.
    pub fn corners(&self) -> impl Iterator<Item = usize> {
        (0..self.kinds.len()).filter(|&v| self.kinds[v] == VertexKind::Corner)
    }

    /// Directions of what is not infinitely stiff.
    pub fn unknowns(&self, stiffness: &[f64]) -> Unknowns {
        let (mut directions, mut starts) = (Vec::new(), vec![0]);
        for (v, stiffness) in stiffness.iter().enumerate() {
            if stiffness.is_finite() {
                directions.extend(self.of(v));
            }
            starts.push(directions.len());
        }
        Unknowns::new(directions, starts)
    }
}

/// Two unit vectors across a unit vector, and each other.
pub fn across(along: &Vector3<f64>) -> [Vector3<f64>; 2] {
    let mut axis = Vector3::zeros();
    axis[along.iamin()] = 1.0;
    let first = along.cross(&axis).normalize();
    [first, along.cross(&first)]
}
