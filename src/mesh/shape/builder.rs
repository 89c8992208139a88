//! Meshes put together from regions that share vertices.
//!
//! A vertex is named by an exact key (integers, never a distance between
//! coordinates), so regions that name a vertex alike share it, and vertices are
//! numbered in the order in which cells first name them.

use std::collections::HashMap;
use std::hash::Hash;

use super::super::SolidMesh;

/// Points of dimension `D`, each created once for its key.
pub(super) struct KeyedPoints<K, const D: usize> {
    ids: HashMap<K, u32>,
    points: Vec<[f64; D]>,
}

impl<K: Copy + Eq + Hash, const D: usize> KeyedPoints<K, D> {
    pub(super) fn new() -> Self {
        Self { ids: HashMap::new(), points: Vec::new() }
    }

    /// Vertex of `key`; `place` gives its position when it is new.
    pub(super) fn vertex(&mut self, key: K, place: impl FnOnce(K) -> [f64; D]) -> u32 {
        *self.ids.entry(key).or_insert_with(|| {
            self.points.push(place(key));
            (self.points.len() - 1) as u32
        })
    }

    pub(super) fn into_points(self) -> Vec<[f64; D]> {
        self.points
    }
}

/// A hexahedral mesh over keyed vertices whose positions follow from their keys.
pub(super) struct ShapeBuilder<K, P> {
    vertices: KeyedPoints<K, 3>,
    hexahedra: Vec<[u32; 8]>,
    place: P,
}

impl<K: Copy + Eq + Hash, P: Fn(K) -> [f64; 3]> ShapeBuilder<K, P> {
    /// An empty mesh; `place` is the position of a key.
    pub(super) fn new(place: P) -> Self {
        Self { vertices: KeyedPoints::new(), hexahedra: Vec::new(), place }
    }

    /// Adds a cell by its corners in VTK order.
    pub(super) fn hexahedron(&mut self, corners: [K; 8]) {
        let corners = corners.map(|key| self.vertices.vertex(key, &self.place));
        self.hexahedra.push(corners);
    }

    /// Adds the cells between a face cycle on each layer and the same on the
    /// next: `at(corner, layer)` names the vertices. The cycle turns
    /// counter-clockwise seen from the last layer.
    pub(super) fn prism<C: Copy>(
        &mut self,
        cycle: [C; 4],
        layers: std::ops::Range<i32>,
        at: impl Fn(C, i32) -> K,
    ) {
        for layer in layers {
            self.hexahedron(std::array::from_fn(|c| at(cycle[c % 4], layer + (c / 4) as i32)));
        }
    }

    pub(super) fn finish(self) -> SolidMesh {
        SolidMesh::from_hexahedra(self.vertices.into_points(), &self.hexahedra)
    }
}
