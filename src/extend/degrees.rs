//! How many ghosts the boundary edges want.

use std::collections::HashSet;

use super::report::{EdgeFallback, ExtensionReport, FallbackReason};
use crate::mesh::{SolidMesh, area_normal};
use crate::refine::angle::angle_between;
use crate::topology::{Orientation, Topology};

/// Ghosts at an edge of a cone, which every vertex allows.
const CONE: u8 = 2;

/// Most ghosts at an edge.
const MOST: usize = 3;

/// The shape of the boundary at an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeShape {
    Smooth,
    Convex,
    Concave,
}

impl EdgeShape {
    /// The number of ghosts wanted beside some cells, if there is one up to [`MOST`].
    fn ghosts(self, cells: usize) -> Option<u8> {
        let found = match self {
            // two cells with two faces in common are no mesh
            Self::Smooth => (2..=MOST).find(|&ghosts| ghosts == cells),
            // four around the edge where that is possible: it is regular then
            Self::Convex => (cells + 1..=MOST).min_by_key(|&ghosts| (cells + ghosts).abs_diff(4)),
            Self::Concave => {
                (1..=MOST.min(cells - 1)).min_by_key(|&ghosts| (cells + ghosts).abs_diff(4))
            }
        };
        found.map(|ghosts| ghosts as u8)
    }
}

/// Numbers of ghosts at the boundary edges.
#[derive(Debug)]
pub struct GhostDegrees {
    // [edge], of those inside nothing
    shapes: Vec<Option<EdgeShape>>,
    ghosts: Vec<u8>,
    // that vertices did not allow
    given_up: HashSet<u32>,
}

impl GhostDegrees {
    /// What the edges want; they are sharp by more than `degrees`, and where they are creases.
    pub fn new(
        mesh: &SolidMesh,
        topology: &Topology,
        orientation: &Orientation,
        degrees: f64,
    ) -> Self {
        let sharp = mesh.creases.edges.iter().filter(|crease| crease.sharpness > 0.0);
        let sharp: HashSet<[u32; 2]> = sharp.map(|crease| crease.edge().map(|v| v.0)).collect();
        let edges = 0..topology.edge_count() as u32;
        let shape = |edge: u32| {
            if !topology.is_boundary_edge(edge) {
                return None;
            }
            let faces = topology.edge_faces(edge).iter().filter(|&&f| topology.is_boundary_face(f));
            let normal = |face: u32| {
                let cycle: Vec<u32> = orientation.outward_cycle(topology, face).collect();
                area_normal(&mesh.points, &cycle)
            };
            let [a, b] = <[u32; 2]>::try_from(faces.copied().collect::<Vec<u32>>()).ok()?;
            let is_sharp = sharp.contains(&topology.edge_vertices(edge))
                || angle_between(normal(a), normal(b)) > degrees.to_radians();
            let middle = |vertices: &[u32]| {
                let sum: nalgebra::Vector3<f64> = vertices
                    .iter()
                    .map(|&v| nalgebra::Vector3::from(mesh.points[v as usize]))
                    .sum();
                sum / vertices.len() as f64
            };
            let into = middle(topology.face_vertices(b)) - middle(&topology.edge_vertices(edge));
            Some(match is_sharp {
                false => EdgeShape::Smooth,
                true if into.dot(&normal(a)) > 0.0 => EdgeShape::Concave,
                true => EdgeShape::Convex,
            })
        };
        let shapes: Vec<Option<EdgeShape>> = edges.clone().map(shape).collect();
        let cells = |edge: u32| topology.edge_faces(edge).len() - 1;
        let wanted = |edge: u32| shapes[edge as usize].and_then(|shape| shape.ghosts(cells(edge)));
        let ghosts = edges.map(|edge| wanted(edge).unwrap_or(CONE)).collect();
        Self { shapes, ghosts, given_up: HashSet::new() }
    }

    /// The ghosts at an edge.
    pub fn of(&self, edge: u32) -> u8 {
        self.ghosts[edge as usize]
    }

    /// Gives edges the ghosts of cones; whether any had others.
    pub fn give_up(&mut self, edges: impl IntoIterator<Item = u32>) -> bool {
        let before = self.given_up.len();
        for edge in edges {
            if std::mem::replace(&mut self.ghosts[edge as usize], CONE) != CONE {
                self.given_up.insert(edge);
            }
        }
        self.given_up.len() > before
    }

    /// The edges by their shapes, and those that have other ghosts than they want.
    pub fn report(&self, topology: &Topology) -> ExtensionReport {
        let count = |shape| self.shapes.iter().filter(|own| **own == Some(shape)).count();
        let fallback = |edge: u32| {
            let shape = self.shapes[edge as usize]?;
            let cells = topology.edge_faces(edge).len() - 1;
            let ghosts = self.of(edge).into();
            let reason = match shape.ghosts(cells) {
                Some(_) if !self.given_up.contains(&edge) => return None,
                Some(_) => FallbackReason::Vertex,
                None => FallbackReason::Shape,
            };
            let wanted = match (shape, shape.ghosts(cells)) {
                (_, Some(wanted)) => wanted.into(),
                (EdgeShape::Smooth, None) => cells,
                (EdgeShape::Convex, None) => cells + 1,
                (EdgeShape::Concave, None) => cells.saturating_sub(1),
            };
            let edge = topology.edge_vertices(edge);
            Some(EdgeFallback { edge, cells, wanted, ghosts, reason })
        };
        ExtensionReport {
            smooth_edges: count(EdgeShape::Smooth),
            convex_edges: count(EdgeShape::Convex),
            concave_edges: count(EdgeShape::Concave),
            fallbacks: (0..topology.edge_count() as u32).filter_map(fallback).collect(),
            ..ExtensionReport::default()
        }
    }
}
