//! The refinement rules as products of sparse matrices, to be read beside the papers.
//!
//! Every function returns the matrix R of one level whose rows make refined points from
//! coarse ones: P' = R P. Nothing here is fast: the matrices are assembled, mapped and
//! multiplied as such. The kernels are tested against it, and `--method single`
//! multiplies the levels' matrices once more to evaluate all levels as one
//! ([`SingleMatrix::then`](crate::surface::SingleMatrix::then)).

use crate::scheme::crease::{ALONG_END, ALONG_OWN};
use crate::scheme::sqrt3::{END_THIRD, LINE, THIRD, vertex_mask};
use crate::scheme::{LimitScheme, RowBuilder, Stencils};
use crate::surface::refine::sharpness::LevelSharpness;
use crate::surface::refine::three_triangles::ThreeTrianglesLevel;
use crate::topology::NONE;
use crate::topology::surface::SurfaceTopology;

fn add_row(matrix: &Stencils, r: usize, weight: f64, row: &mut RowBuilder) {
    if weight != 0.0 {
        matrix.row(r).for_each(|(column, value)| row.add(column, weight * value));
    }
}

/// Face points f = Mᵀ P, every value of column i mapped to 1/c (Mlakar et al., Eq. 3).
pub(crate) fn face_points(topology: &SurfaceTopology) -> Stencils {
    Stencils::build(topology.face_count, |f, row| {
        let corners = topology.columns.corners(f as u32);
        let weight = 1.0 / corners.len() as f64;
        corners.for_each(|c| row.add(topology.vertex(c), weight));
    })
}

/// Midpoints of edges: the edges' ends, every value mapped to 1/2.
pub fn midpoints(topology: &SurfaceTopology) -> Stencils {
    Stencils::build(topology.edge_count(), |e, row| {
        row.add_mean(&topology.edge_ends(e as u32), 1.0)
    })
}

/// The faces at each edge (their F), every value mapped to one over the number.
fn edge_faces(topology: &SurfaceTopology) -> Stencils {
    Stencils::build(topology.edge_count(), |e, row| {
        let corners = topology.edge_corners[e].into_iter().filter(|&c| c != NONE);
        let faces: Vec<u32> = corners.map(|c| topology.columns.face(c)).collect();
        row.add_mean(&faces, 1.0);
    })
}

/// Quads from polygons: vertex points, face points, edge points.
pub fn quads(
    topology: &SurfaceTopology,
    sharpness: &LevelSharpness,
    scheme: &dyn LimitScheme,
) -> Stencils {
    let f = face_points(topology);
    let mid = midpoints(topology);
    let across = edge_faces(topology).over(&f);
    let mask = scheme.edge_mask();
    let edges = Stencils::build(topology.edge_count(), |e, row| {
        let found = sharpness.triangle_edges.binary_search_by_key(&(e as u32), |edge| edge.edge);
        let stretch = found.map_or(1.0, |i| sharpness.triangle_edges[i].stretch);
        add_row(&mid, e, 1.0 - stretch * (1.0 - mask.ends), row);
        add_row(&across, e, stretch * 2.0 * mask.face, row);
    });
    let neighbors = topology.neighbors();
    let stars = topology.vertex_corners();
    // P_sub = I P own + E P ring + M f face (Mlakar et al., Eq. 11)
    let mapped = Stencils::build(topology.vertex_count, |v, row| {
        stars.row(v).iter().for_each(|&c| row.add(topology.columns.face(c), 1.0));
    });
    let around = mapped.over(&f);
    let vertices = Stencils::build(topology.vertex_count, |v, row| {
        let n = stars.row(v).len();
        if n == 0 {
            return row.add(v as u32, 1.0);
        }
        // Half of a midpoint is the vertex, half the neighbor.
        let mask = scheme.vertex_mask(n, n, 1.0);
        row.add(v as u32, mask.own + n as f64 * (mask.midpoint / 2.0));
        let ring = mask.neighbor + mask.midpoint / 2.0;
        if ring != 0.0 {
            neighbors.row(v).iter().for_each(|&w| row.add(w, ring));
        }
        add_row(&around, v, mask.face, row);
    });
    let edges = blended_edges(edges, &mid, sharpness);
    Stencils::joined(vec![blended_vertices(vertices, sharpness), f, edges])
}

/// Four triangles from one: vertex points, edge points.
pub fn four_triangles(
    topology: &SurfaceTopology,
    sharpness: &LevelSharpness,
    scheme: &dyn LimitScheme,
) -> Stencils {
    let neighbors = topology.neighbors();
    let vertices = Stencils::build(topology.vertex_count, |v, row| {
        let around = neighbors.row(v);
        if around.is_empty() {
            return row.add(v as u32, 1.0);
        }
        let mask = scheme.vertex_mask(around.len(), around.len(), 1.0);
        row.add(v as u32, mask.own);
        if mask.neighbor != 0.0 {
            around.iter().for_each(|&w| row.add(w, mask.neighbor));
        }
    });
    // the third vertex of each triangle at an edge (their G)
    let mask = scheme.edge_mask();
    let edges = Stencils::build(topology.edge_count(), |e, row| {
        row.add_mean(&topology.edge_ends(e as u32), mask.ends);
        if mask.across != 0.0 {
            for c in topology.edge_corners[e].into_iter().filter(|&c| c != NONE) {
                row.add(topology.vertex(topology.columns.previous(c)), mask.across);
            }
        }
    });
    let mid = midpoints(topology);
    let edges = blended_edges(edges, &mid, sharpness);
    Stencils::joined(vec![blended_vertices(vertices, sharpness), edges])
}

/// Rows of sharp edges, blended with the midpoint.
fn blended_edges(smooth: Stencils, mid: &Stencils, sharpness: &LevelSharpness) -> Stencils {
    if sharpness.edges.is_empty() {
        return smooth;
    }
    Stencils::build(smooth.len(), |e, row| {
        let found = sharpness.edges.binary_search_by_key(&(e as u32), |sharp| sharp.edge);
        let sharp = found.map_or(0.0, |i| sharpness.edges[i].weight());
        if sharp != 1.0 {
            add_row(&smooth, e, 1.0 - sharp, row);
        }
        if sharp > 0.0 {
            add_row(mid, e, sharp, row);
        }
    })
}

/// Rows of sharp vertices, blended as [`LevelSharpness::vertices`] says.
fn blended_vertices(smooth: Stencils, sharpness: &LevelSharpness) -> Stencils {
    if sharpness.vertices.is_empty() {
        return smooth;
    }
    Stencils::build(smooth.len(), |v, row| {
        let found = sharpness.vertices.binary_search_by_key(&(v as u32), |sharp| sharp.vertex);
        let Ok(i) = found else { return add_row(&smooth, v, 1.0, row) };
        let sharp = &sharpness.vertices[i];
        if sharp.smooth > 0.0 {
            add_row(&smooth, v, sharp.smooth, row);
        }
        row.add(v as u32, sharp.corner + ALONG_OWN * sharp.crease);
        if sharp.crease > 0.0 {
            row.add_mean(&sharp.ends, 2.0 * ALONG_END * sharp.crease);
        }
    })
}

/// √3: vertex points, points of triangles, second points of boundary edges.
pub(in crate::surface) fn three_triangles(level: &ThreeTrianglesLevel) -> Stencils {
    let topology = &level.topology;
    let on_boundary = |v: usize| {
        level.boundary.vertices.binary_search_by_key(&(v as u32), |sharp| sharp.vertex).ok()
    };
    let vertices = Stencils::build(topology.vertex_count, |v, row| {
        if let Some(i) = on_boundary(v) {
            let sharp = &level.boundary.vertices[i];
            if sharp.crease > 0.0 && level.cuts_boundary {
                row.add(v as u32, LINE[0]);
                sharp.ends.iter().for_each(|&end| row.add(end, LINE[1]));
            } else {
                row.add(v as u32, 1.0);
            }
            return;
        }
        let around = level.neighbors.row(v);
        let [own, all] = vertex_mask(around.len());
        row.add(v as u32, own);
        if !around.is_empty() {
            row.add_mean(around, all);
        }
    });
    let third = |a: u32, b: u32, row: &mut RowBuilder| match level.before(a, b) {
        Some(before) => {
            row.add(a, THIRD[0]);
            row.add(b, THIRD[1]);
            row.add(before, THIRD[2]);
        }
        None => {
            row.add(a, END_THIRD[0]);
            row.add(b, END_THIRD[1]);
        }
    };
    let ends =
        |corner: u32| [topology.vertex(corner), topology.vertex(topology.columns.next(corner))];
    let centers = face_points(topology);
    let faces = Stencils::build(topology.face_count, |f, row| match level.cut_of(f as u32) {
        Some((corner, _)) => {
            let [a, b] = ends(corner);
            third(a, b, row);
        }
        None => add_row(&centers, f, 1.0, row),
    });
    let extra = if level.cuts_boundary { level.boundary.edges.len() } else { 0 };
    let extra = Stencils::build(extra, |i, row| {
        let [corner, _] = topology.edge_corners[level.boundary.edges[i].edge as usize];
        let [a, b] = ends(corner);
        third(b, a, row);
    });
    Stencils::joined(vec![vertices, faces, extra])
}
