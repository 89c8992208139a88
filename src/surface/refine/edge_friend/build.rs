//! The first level: boundaries closed by ghosts, polygons refined to quads with friends.

use super::super::sharpness::LevelSharpness;
use super::{EdgeFriend, FriendQuads};
use crate::error::IdKind::Vertex;
use crate::error::{Error, Result, option};
use crate::mesh::{CreaseRule, Polygons, SurfaceMesh};
use crate::scheme::Split;
use crate::surface::refine::matrix::MatrixLevels;
use crate::surface::refine::split::first_edge_point;
use crate::topology::NONE;
use crate::topology::surface::{Columns, SurfaceTopology};
use crate::topology::surface::{inconsistent_edge, non_manifold_corners};

/// Level 1 of at least one level; refuses surfaces that are not oriented manifolds.
pub(super) fn first_level(
    mesh: &SurfaceMesh,
    topology: SurfaceTopology,
    levels: usize,
    crease_rule: CreaseRule,
) -> Result<EdgeFriend> {
    check_manifold(&topology)?;
    let sharpness = LevelSharpness::of(mesh, &topology, crease_rule)?;
    let sharpness = sharpness.with_triangles(mesh.triangle_rule, &topology);
    let real_quads = topology.vertices.len();
    let closed = close(topology);
    let refined = sharpness.refined(first_edge_point(&closed, Split::Quads), crease_rule);
    let first = MatrixLevels::first_step(closed, Split::Quads, sharpness);
    let [coarse, fine] = first.topologies() else {
        return Err(Error::request("edge-friend needs at least one level")
            .with_help("ask for one level or more"));
    };
    let mut linked = FriendQuads {
        corners: fine.vertices.as_chunks::<4>().0.to_vec(),
        vertex_count: fine.vertex_count,
        ..FriendQuads::default()
    };
    let bare = linked.clone();
    link(&mut linked, coarse);
    if !refined.edges.is_empty() {
        linked.sharpness = sharpness_of_quads(coarse, &refined);
    }
    linked.fixed = refined.corners;
    let (quads, first_creases) =
        if levels > 1 { (linked, FriendQuads::default()) } else { (bare, linked) };
    let stars = coarse.vertex_corners();
    let orphans = (0..).zip(stars.iter()).filter(|(_, row)| row.is_empty()).map(|(v, _)| v);
    let orphans = orphans.collect();
    Ok(EdgeFriend { first, levels: vec![quads], real_quads, orphans, first_creases, crease_rule })
}

pub(super) fn check_manifold(topology: &SurfaceTopology) -> Result<()> {
    let fix = || message!("use ", option("method", "matrix"), ", or fix the surface there");
    if let Some(&edge) = topology.non_manifold_edges.first() {
        return Err(Error::mesh(message!(
            "more than two faces meet at the edge of ",
            Vertex.ids(topology.edge_ends(edge))
        ))
        .with_help(fix()));
    }
    if let Some(ends) = inconsistent_edge(topology) {
        return Err(Error::mesh(message!(
            "the two faces at the edge of ",
            Vertex.ids(ends),
            " are inconsistently oriented"
        ))
        .with_help(message!(
            "turn faces so that all run counter-clockwise; one-sided surfaces need ",
            option("method", "matrix")
        )));
    }
    match non_manifold_corners(topology).first() {
        Some(v) => {
            Err(Error::mesh(message!("several sheets of the surface touch at ", Vertex.id(*v)))
                .with_help(fix()))
        }
        None => Ok(()),
    }
}

/// The surface with a face in every boundary loop, after the others. Edges keep their numbers,
/// which follow from their ends.
fn close(topology: SurfaceTopology) -> SurfaceTopology {
    let open = |c: u32| topology.edge_corners[topology.edges[c as usize] as usize][1] == NONE;
    // boundary corner whose edge ends at each vertex; one in a manifold
    let mut into = vec![NONE; topology.vertex_count];
    let boundary: Vec<u32> = (0..topology.vertices.len() as u32).filter(|&c| open(c)).collect();
    if boundary.is_empty() {
        return topology;
    }
    for &c in &boundary {
        into[topology.vertex(topology.columns.next(c)) as usize] = c;
    }
    let mut vertices = topology.vertices.clone();
    let mut ends: Vec<u32> =
        (0..topology.face_count as u32).map(|f| topology.columns.corners(f).end).collect();
    for &start in &boundary {
        // against the boundary: from the end of each edge to its start
        let mut at = topology.vertex(topology.columns.next(start));
        if into[at as usize] == NONE {
            continue; // of a loop that has its face
        }
        loop {
            let c = std::mem::replace(&mut into[at as usize], NONE);
            if c == NONE {
                break;
            }
            vertices.push(at);
            at = topology.vertex(c);
        }
        ends.push(vertices.len() as u32);
    }
    let faces = Polygons::from_parts(ends, vertices);
    SurfaceTopology::build(topology.vertex_count, Columns::of(&faces), faces.into_vertices())
}

/// Friends and starts of the quads of level 1: quad c is the child of corner c.
fn link(quads: &mut FriendQuads, coarse: &SurfaceTopology) {
    let columns = &coarse.columns;
    quads.friends = (0..coarse.vertices.len() as u32)
        .map(|c| {
            let before = columns.previous(c);
            let [a, b] = coarse.edge_corners[coarse.edges[before as usize] as usize];
            let opposite = if a == before { b } else { a };
            [2 * columns.next(c) + 1, 2 * opposite]
        })
        .collect();
    quads.starts = vec![NONE; quads.vertex_count];
    for (corner, &v) in quads.corners.as_flattened().iter().enumerate().rev() {
        quads.starts[v as usize] = corner as u32;
    }
}

fn sharpness_of_quads(coarse: &SurfaceTopology, refined: &LevelSharpness) -> Vec<f64> {
    let mut halves = vec![0.0; 2 * coarse.edge_count()];
    for sharp in &refined.edges {
        halves[sharp.edge as usize] = sharp.sharpness;
    }
    (0..coarse.vertices.len() as u32)
        .map(|c| {
            let before = coarse.columns.previous(c);
            let turned = coarse.vertex(c) > coarse.vertex(before);
            halves[2 * coarse.edges[before as usize] as usize + usize::from(turned)]
        })
        .collect()
}
