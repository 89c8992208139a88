//! Connectivity of refined meshes: one hexahedron a corner of every cell.
//!
//! Child i of a hexahedron sits at its corner i (VTK order) with axes parallel to
//! the parent's. A child of any other cell has its corner 0 at the parent's
//! corner, and its axes follow [`Topology::corner_fan`].

use rayon::prelude::*;

use super::{Region, TASK_ELEMENTS, VertexNumbers};
use crate::interrupt::stop_point;
use crate::mesh::{CORNERS, CellKind};
use crate::pages;
use crate::topology::{NONE, Topology};

/// The refined cells, and the parent cell and parent corner of each.
pub(super) fn all(
    topology: &Topology,
    numbers: &VertexNumbers,
    region: &Region,
) -> (Vec<[u32; 8]>, Vec<(u32, u8)>) {
    let count = topology.cell_count();
    let parts =
        || (0..count).step_by(TASK_ELEMENTS).map(|first| first..count.min(first + TASK_ELEMENTS));
    let parts: Vec<_> = parts().collect();
    let children = |cell: usize| match numbers.cell_point(cell as u32) {
        NONE => 0,
        _ => topology.cells().vertices(cell).iter().filter(|&&v| region.contains(v)).count(),
    };
    let counts: Vec<usize> =
        parts.par_iter().map(|part| part.clone().map(children).sum()).collect();
    let all = counts.iter().sum();
    let (mut cells, mut parents) = (pages::zeros(all), pages::zeros(all));
    let (mut rest_cells, mut rest_parents) = (&mut cells[..], &mut parents[..]);
    let mut tasks = Vec::with_capacity(parts.len());
    for (part, count) in parts.into_iter().zip(counts) {
        let (own_cells, own_parents);
        (own_cells, rest_cells) = rest_cells.split_at_mut(count);
        (own_parents, rest_parents) = rest_parents.split_at_mut(count);
        tasks.push((part, own_cells, own_parents));
    }
    tasks.into_par_iter().for_each(|(part, cells, parents)| {
        stop_point();
        let mut places = cells.iter_mut().zip(parents);
        for cell in (part.start as u32..part.end as u32).filter(|&c| numbers.cell_point(c) != NONE)
        {
            push_children(topology, numbers, region, cell, |corner, child| {
                if let Some((place, parent)) = places.next() {
                    *place = child;
                    *parent = (cell, corner);
                }
            });
        }
    });
    (cells, parents)
}

/// Appends the children of `cell` at the corners in `region`: their corners, and
/// which corner of the cell, as the mesh lists them, each sits at.
fn push_children(
    topology: &Topology,
    numbers: &VertexNumbers,
    region: &Region,
    cell: u32,
    mut push: impl FnMut(u8, [u32; 8]),
) {
    let vertices = topology.cells().vertices(cell as usize);
    if topology.cells().kind(cell as usize) != CellKind::Hexahedron {
        for corner in 0..vertices.len() {
            let v = topology.cells().listed_vertex(cell as usize, corner);
            if region.contains(v) {
                push(corner as u8, corner_child(topology, numbers, cell, v));
            }
        }
        return;
    }
    // The 3 × 3 × 3 grid of refined vertices of the cell, u fastest.
    let mut grid = [0; 27];
    let at = |x: [usize; 3]| x[0] + 3 * x[1] + 9 * x[2];
    for (corner, offset) in CORNERS.iter().enumerate() {
        grid[at(offset.map(|x| 2 * x))] = numbers.vertex_point(vertices[corner]);
    }
    let faces = topology.cell_faces(cell);
    for axis in 0..3 {
        for side in 0..2 {
            let mut x = [1; 3];
            x[axis] = 2 * side;
            let face = faces[2 * axis + side];
            grid[at(x)] = numbers.face_point(face);
            // The two sides of one axis hold 8 of the 12 edges, two axes all of them.
            if axis < 2 {
                place_edges(topology, numbers, vertices, face, &mut grid);
            }
        }
    }
    grid[13] = numbers.cell_point(cell);
    for (corner, offset) in CORNERS.iter().enumerate() {
        if region.contains(vertices[corner]) {
            let child = CORNERS.map(|x| grid[at(std::array::from_fn(|d| x[d] + offset[d]))]);
            push(corner as u8, child);
        }
    }
}

fn place_edges(
    topology: &Topology,
    numbers: &VertexNumbers,
    vertices: &[u32],
    face: u32,
    grid: &mut [u32; 27],
) {
    let corner_of = |v: u32| vertices.iter().position(|&x| x == v).unwrap_or(0);
    let cycle = topology.face_vertices(face);
    let mut a = CORNERS[corner_of(cycle[0])];
    for (k, &edge) in topology.face_edges(face).iter().enumerate() {
        let b = CORNERS[corner_of(cycle[(k + 1) % 4])];
        // the midpoint of 2a and 2b
        grid[(a[0] + b[0]) + 3 * (a[1] + b[1]) + 9 * (a[2] + b[2])] = numbers.edge_point(edge);
        a = b;
    }
}

/// The child of a general cell at its corner `v`.
fn corner_child(topology: &Topology, numbers: &VertexNumbers, cell: u32, v: u32) -> [u32; 8] {
    let fan = topology.corner_fan(cell, v).unwrap_or_default(); // a corner has one
    let face = |axis: usize| numbers.face_point(fan.faces[axis]);
    let edge = |axis: usize| {
        let edge = topology.edge_between(v, fan.toward[axis]);
        edge.map_or(numbers.vertex_point(v), |e| numbers.edge_point(e))
    };
    let (vertex, middle) = (numbers.vertex_point(v), numbers.cell_point(cell));
    [vertex, edge(0), face(2), edge(1), edge(2), face(1), middle, face(0)]
}
