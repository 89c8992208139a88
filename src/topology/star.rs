//! Vertex stars: what the cells, faces and edges around a vertex look like.
//!
//! Every later decision rests on stars, never on a cell's own edges: a cell may
//! touch an extraordinary vertex without owning an extraordinary edge.
//!
//! An edge is *ordinary* if it is interior with valence 4, smooth boundary with
//! valence 3, or infinitely sharp boundary with valence 2.

use rayon::prelude::*;

use super::{NONE, Sharpness, Topology};

/// The kind of a vertex star.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Star {
    /// Eight cells in a grid, or that grid cut by one, two (sharp edge) or three
    /// (sharp corner) boundary planes.
    Ordinary,
    /// The product of a planar star around one extraordinary vertex with a line
    /// (two edges) or, at the boundary, a half-line (one edge, then [`NONE`]).
    Straight([u32; 2]),
    /// Anything else that refines to itself: an extraordinary vertex.
    Complex,
    /// Holds a semi-sharp crease or corner, or a cell that is not a hexahedron:
    /// refinement changes it.
    Transient,
}

/// Stars of all vertices; orphan vertices have [`Star::Complex`].
pub fn stars(topology: &Topology, sharpness: &Sharpness) -> Vec<Star> {
    (0..topology.vertex_count() as u32)
        .into_par_iter()
        .with_min_len(1024)
        .map(|v| star(topology, sharpness, v))
        .collect()
}

/// Whether an edge is extraordinary (see the module's introduction).
pub fn is_extraordinary(topology: &Topology, sharpness: &Sharpness, edge: u32) -> bool {
    // inside nothing is sharp
    if sharpness.edge(edge) == f64::INFINITY {
        topology.edge_faces(edge).len() != 2
    } else {
        !topology.has_grid_valence(edge)
    }
}

fn star(topology: &Topology, sharpness: &Sharpness, vertex: u32) -> Star {
    let edges = topology.vertex_edges(vertex);
    let cells = topology.vertex_cells(vertex).len();
    let semi_sharp = |s: f64| s > 0.0 && s < f64::INFINITY;
    if !topology.has_hexahedral_star(vertex)
        || !sharpness.is_smooth()
            && (semi_sharp(sharpness.vertex(vertex))
                || edges.iter().any(|&e| semi_sharp(sharpness.edge(e))))
    {
        return Star::Transient;
    }
    let is_extraordinary = |e: u32| is_extraordinary(topology, sharpness, e);
    let mut extraordinary = [NONE; 2];
    let mut count = 0;
    for &e in edges {
        if is_extraordinary(e) {
            if count < 2 {
                extraordinary[count] = e;
            }
            count += 1;
        }
    }
    if !topology.is_boundary_vertex(vertex) {
        return match count {
            // all edges of valence 4: the link is an octahedron
            0 => Star::Ordinary,
            // two apexes of valence n, 2n cells, all else of valence 4: a bipyramid
            2 if is_line(topology, extraordinary, cells) => Star::Straight(extraordinary),
            _ => Star::Complex,
        };
    }

    // At the boundary the vertex rule counts the sharp edges, so they must
    // come from the product; a corner tag must not change it.
    let boundary = edges.iter().filter(|&&e| topology.is_boundary_edge(e)).count();
    let sharp = edges.iter().filter(|&&e| sharpness.edge(e) > 0.0).count();
    let fixed = sharpness.vertex(vertex) > 0.0;
    match count {
        0 => {
            let ordinary = match cells {
                4 => boundary == 4 && sharp == 0 && !fixed,
                2 => sharp == 2 && !fixed,
                1 => sharp == 3,
                _ => false,
            };
            if ordinary { Star::Ordinary } else { Star::Complex }
        }
        1 => {
            let [axis, _] = extraordinary;
            let valence = topology.edge_faces(axis).len();
            let product = if !topology.is_boundary_edge(axis) {
                // a cone over an n-gon, smooth
                cells == valence && boundary == valence && sharp == 0 && !fixed
            } else {
                // a fan of valence - 1 cells; its two rims are the sharp edges
                let axis_sharp = sharpness.edge(axis) > 0.0;
                cells == valence - 1
                    && boundary == valence + 1
                    && sharp == 2 + usize::from(axis_sharp)
                    && (axis_sharp || !fixed)
            };
            if product { Star::Straight(extraordinary) } else { Star::Complex }
        }
        2 => {
            let sharp_axis = extraordinary.map(|e| sharpness.edge(e) > 0.0);
            let product = is_line(topology, extraordinary, cells)
                && boundary == 4
                && sharp_axis[0] == sharp_axis[1]
                && sharp == if sharp_axis[0] { 2 } else { 0 }
                && !fixed;
            if product { Star::Straight(extraordinary) } else { Star::Complex }
        }
        _ => Star::Complex,
    }
}

/// The two edges of a straight extraordinary edge on which an interior vertex lies, whatever
/// the cells there: the only two of a valence other than 4, of equal valence n, without a
/// common cell, and 2n cells.
pub fn straight_edges(topology: &Topology, vertex: u32) -> Option<[u32; 2]> {
    let edges = topology.vertex_edges(vertex).iter().copied();
    let mut extraordinary = edges.filter(|&e| !topology.has_grid_valence(e));
    let pair = [extraordinary.next()?, extraordinary.next()?];
    let is_straight = extraordinary.next().is_none()
        && is_line(topology, pair, topology.vertex_cells(vertex).len());
    is_straight.then_some(pair)
}

/// Two extraordinary edges of one kind that together touch every one of `cells`
/// cells once: an axis through the star.
fn is_line(topology: &Topology, [a, b]: [u32; 2], cells: usize) -> bool {
    let valence = topology.edge_faces(a).len();
    let on_boundary = topology.is_boundary_edge(a);
    let per_edge = if on_boundary { valence - 1 } else { valence };
    let in_faces_of_a =
        |cell: u32| topology.edge_faces(a).iter().any(|&f| topology.face_cells(f).contains(&cell));
    topology.edge_faces(b).len() == valence
        && topology.is_boundary_edge(b) == on_boundary
        && cells == 2 * per_edge
        && !topology
            .edge_faces(b)
            .iter()
            .flat_map(|&f| topology.face_cells(f))
            .any(|cell| cell != NONE && in_faces_of_a(cell))
}
