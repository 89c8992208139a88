//! Why a surface does not close: T-junctions and inner walls.

use nalgebra::Vector3;

use super::crossings::{Crossing, Crossings};
use crate::error::IdKind::{Face, Vertex};
use crate::error::{Message, edge};
use crate::mesh::UnionFind;
use crate::numbers::sorted_unique;
use crate::topology::NONE;
use crate::topology::surface::SurfaceTopology;

/// Distance from an edge at which a vertex lies on it: a part of its length, and of the largest
/// coordinate, of single precision.
const NEAR: [f64; 2] = [1e-6, 1.0 / (1 << 22) as f64];

/// The first T-junction in words: a vertex at which the surface ends, on an edge at which it ends.
/// `None` if there is none.
pub fn t_junction(points: &[[f64; 3]], topology: &SurfaceTopology) -> Option<Message> {
    let at = |v: u32| Vector3::from(points[v as usize]);
    let ends = (0..topology.edge_count() as u32)
        .filter(|&edge| topology.edge_corners[edge as usize][1] == NONE);
    let ends: Vec<(u32, [u32; 2])> = ends.map(|e| (e, topology.edge_ends(e))).collect();
    let mut vertices = sorted_unique(ends.iter().flat_map(|(_, ends)| *ends).collect());
    let largest = |d: usize| vertices.iter().map(|&v| at(v)[d].abs()).fold(0.0, f64::max);
    let spread = |d: usize| {
        let along = || vertices.iter().map(|&v| at(v)[d]);
        along().fold(f64::MIN, f64::max) - along().fold(f64::MAX, f64::min)
    };
    let axis = (0..3).max_by(|&a, &b| spread(a).total_cmp(&spread(b))).unwrap_or(0);
    let rounding = NEAR[1] * (0..3).map(largest).fold(0.0, f64::max);
    vertices.sort_by(|&a, &b| at(a)[axis].total_cmp(&at(b)[axis]));
    ends.iter().find_map(|&(open, [a, b])| {
        let along = at(b) - at(a);
        let near = NEAR[0] * along.norm() + rounding;
        let is_inside = |&&v: &&u32| {
            let from = at(v) - at(a);
            let part = from.dot(&along) / along.norm_squared();
            let is_off_ends = (near..along.norm() - near).contains(&(part * along.norm()));
            v != a && v != b && is_off_ends && (from - along * part).norm() <= near
        };
        let first = at(a)[axis].min(at(b)[axis]) - near;
        let last = at(a)[axis].max(at(b)[axis]) + near;
        let start = vertices.partition_point(|&v| at(v)[axis] < first);
        let v = vertices[start..].iter().take_while(|&&v| at(v)[axis] <= last).find(is_inside)?;
        let face = topology.columns.face(topology.edge_corners[open as usize][0]);
        Some(message!(
            Vertex.id(*v),
            " lies on ",
            edge([a, b]),
            " of ",
            Face.id(face),
            ", which does not have it: a T-junction"
        ))
    })
}

/// The first inner wall: faces at an edge of three, on both sides of which is the inside of the
/// others. `None` if there is none.
pub fn inner_wall(points: &[[f64; 3]], topology: &SurfaceTopology) -> Option<Vec<u32>> {
    let mut parts = UnionFind::new(topology.face_count);
    for (edge, &[a, b]) in (0..).zip(&topology.edge_corners) {
        if b != NONE && topology.non_manifold_edges.binary_search(&edge).is_err() {
            parts.join(topology.columns.face(a), topology.columns.face(b));
        }
    }
    let parts = parts.roots();
    let crossings = Crossings::new(points, topology);
    let face_of = |corner: u32| topology.columns.face(corner);
    let sorted = |face: u32| sorted_unique(topology.face(face as usize).to_vec());
    let rows = topology.non_manifold_corners();
    rows.iter().filter(|corners| corners.len() % 2 == 1).find_map(|corners| {
        let face = corners.iter().map(|&corner| face_of(corner)).find(|&face| {
            let part = parts[face as usize];
            let others = || corners.iter().map(|&c| face_of(c)).filter(|&other| other != face);
            let place = crossings.inside(face);
            let is_above = |c: &&Crossing| c.height > place.z && parts[c.face as usize] != part;
            // faces in one place are repeated, not inside
            !others().any(|other| sorted(other) == sorted(face))
                && crossings.at(place).iter().filter(is_above).count() % 2 == 1
        })?;
        let part = parts[face as usize];
        Some((0..topology.face_count as u32).filter(|&f| parts[f as usize] == part).collect())
    })
}
