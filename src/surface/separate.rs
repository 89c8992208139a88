//! Sheets of a surface that meet at edges of more than two faces.

use nalgebra::Vector3;

use crate::mesh::{SurfaceMesh, area_normal, components};
use crate::topology::NONE;
use crate::topology::surface::SurfaceTopology;

/// Angles that differ by less are equal: of faces that lie in one place.
const ANGLE_TOLERANCE: f64 = 1e-7;

/// A mesh in which the sheets that meet at edges of more than two faces have vertices of their own,
/// each around its material, which lies behind the faces; and the number of such edges. All faces
/// stay where they are, so that a linear surface does, too: bodies that touch along an edge or a
/// face. The mesh has been checked. `None` without such edges, and if there is one that not as many
/// faces run through in one direction as in the other.
pub fn separate_parts(mesh: &SurfaceMesh) -> Option<(SurfaceMesh, usize)> {
    let topology = SurfaceTopology::of(mesh);
    if topology.non_manifold_edges.is_empty() {
        return None;
    }
    // pairs of corners at one vertex, of faces that are connected by an edge there
    let mut joined: Vec<[u32; 2]> = Vec::new();
    let mut join = |a: u32, b: u32| {
        let next = |corner| topology.columns.next(corner);
        if topology.vertex(a) == topology.vertex(b) {
            joined.extend([[a, b], [next(a), next(b)]])
        } else {
            joined.extend([[a, next(b)], [next(a), b]])
        }
    };
    for (edge, &[a, b]) in (0..).zip(&topology.edge_corners) {
        if b != NONE && topology.non_manifold_edges.binary_search(&edge).is_err() {
            join(a, b);
        }
    }
    let corners = topology.non_manifold_corners();
    for (&edge, corners) in topology.non_manifold_edges.iter().zip(corners.iter()) {
        let pairs = around_material(&mesh.points, &topology, edge, corners)?;
        pairs.into_iter().for_each(|[a, b]| join(a, b));
    }
    let count = topology.vertices.len();
    let first = components(count, joined.iter().map(|pair| &pair[..]));
    // the first part at a vertex keeps it
    let mut vertices = vec![NONE; count];
    let mut taken = vec![false; mesh.points.len()];
    let mut kept: Vec<u32> = (0..mesh.points.len() as u32).collect();
    for corner in 0..count {
        let part = first[corner] as usize;
        if vertices[part] == NONE {
            let vertex = topology.vertices[corner];
            vertices[part] = if std::mem::replace(&mut taken[vertex as usize], true) {
                kept.push(vertex);
                kept.len() as u32 - 1
            } else {
                vertex
            };
        }
        vertices[corner] = vertices[part];
    }
    let mut separate = mesh.clone();
    separate.faces.set_vertices(vertices);
    separate.points = kept.iter().map(|&v| mesh.points[v as usize]).collect();
    separate.attributes = mesh.attributes.iter().map(|a| a.of_vertices(&kept)).collect();
    Some((separate, topology.non_manifold_edges.len()))
}

/// Gives every pair of faces that the material lies between at an edge of more than two faces an
/// edge of its own, of the same vertices: sheets touch there, also if they are connected elsewhere.
/// Edges stay that not as many faces run through in one direction as in the other. New edges come
/// after all others.
pub(crate) fn separate_edges(points: &[[f64; 3]], topology: &mut SurfaceTopology) {
    let corners = topology.non_manifold_corners();
    let edges = std::mem::take(&mut topology.non_manifold_edges);
    let mut left = Vec::new();
    for (&edge, corners) in edges.iter().zip(corners.iter()) {
        let Some(mut pairs) = around_material(points, topology, edge, corners) else {
            left.push(edge);
            continue;
        };
        pairs.iter_mut().for_each(|pair| pair.sort_unstable());
        pairs.sort_unstable();
        for (i, pair) in pairs.into_iter().enumerate() {
            let number = if i == 0 { edge } else { topology.edge_corners.len() as u32 };
            match i {
                0 => topology.edge_corners[edge as usize] = pair,
                _ => topology.edge_corners.push(pair),
            }
            pair.iter().for_each(|&corner| topology.edges[corner as usize] = number);
        }
    }
    topology.edge_count = topology.edge_corners.len();
    topology.non_manifold_edges = left;
}

/// The corners of an edge in pairs: faces between which the material lies, behind them.
fn around_material(
    points: &[[f64; 3]],
    topology: &SurfaceTopology,
    edge: u32,
    corners: &[u32],
) -> Option<Vec<[u32; 2]>> {
    let at = |v: u32| Vector3::from(points[v as usize]);
    let [a, b] = topology.edge_ends(edge);
    let along = (at(b) - at(a)).try_normalize(0.0)?;
    let across = along.cross(&Vector3::ith(along.iamin(), 1.0)).normalize();
    let up = along.cross(&across);
    let mut sides: Vec<(f64, bool, u32)> = corners
        .iter()
        .map(|&corner| {
            let forward = topology.vertex(corner) == a;
            let face = topology.face(topology.columns.face(corner) as usize);
            let normal = area_normal(points, face);
            // into the face, which lies to the left of its edges
            let inward = normal.cross(&along) * if forward { 1.0 } else { -1.0 };
            (inward.dot(&up).atan2(inward.dot(&across)), forward, corner)
        })
        .collect();
    sides.sort_by(|a, b| a.0.total_cmp(&b.0));
    // around the edge the material begins at a face that runs back, and ends at one that runs
    // forward, seen from outside; of two bodies in one place the first ends before the second
    // begins
    let count = sides.len();
    for _ in 0..count {
        for i in 0..count {
            let j = (i + 1) % count;
            let turn = (sides[j].0 - sides[i].0).abs();
            if turn.min(std::f64::consts::TAU - turn) < ANGLE_TOLERANCE && !sides[i].1 && sides[j].1
            {
                sides.swap(i, j);
            }
        }
    }
    // from where as many faces are open as ever
    let depth = |i: &usize| -> i64 {
        sides[..*i].iter().map(|&(_, forward, _)| if forward { -1 } else { 1 }).sum()
    };
    if depth(&count) != 0 {
        return None;
    }
    let start = (0..count).min_by_key(depth)?;
    let (mut open, mut pairs) = (Vec::new(), Vec::new());
    for i in 0..count {
        let (_, forward, corner) = sides[(start + i) % count];
        if forward { pairs.push([open.pop()?, corner]) } else { open.push(corner) }
    }
    Some(pairs)
}
