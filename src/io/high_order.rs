//! Node orders of high-order hexahedra: of VTK, as VTK 9 and later reads it from files of version
//! 2.2 (VTK 8 had two of the upright edges the other way round), and of Gmsh.

use crate::mesh::CORNERS;

/// Corners of the edges of a hexahedron of Gmsh.
pub(super) const GMSH_EDGES: &[[u8; 2]] = &[
    [0, 1],
    [0, 3],
    [0, 4],
    [1, 2],
    [1, 5],
    [2, 3],
    [2, 6],
    [3, 7],
    [4, 5],
    [4, 7],
    [5, 6],
    [6, 7],
];

/// Corners of the faces of a hexahedron of Gmsh, whose nodes of higher orders begin at the first.
const GMSH_FACES: [[usize; 4]; 6] =
    [[0, 3, 2, 1], [0, 1, 5, 4], [0, 4, 7, 3], [1, 2, 6, 5], [2, 3, 7, 6], [4, 5, 6, 7]];

/// Grid position (i, j, k), each in 0..=n, of every node of a
/// `VTK_LAGRANGE_HEXAHEDRON` or `VTK_BEZIER_HEXAHEDRON` of order n ≥ 1: i runs
/// with u along corner 0→1, j with v along 0→3, k with w along 0→4.
///
/// The (n+1)³ nodes are the 8 corners of the plain hexahedron; the inner nodes
/// of the edges 01 12 32 03, 45 56 76 47, 04 15 26 37; of the faces i = 0, i = n,
/// j = 0, j = n, k = 0, k = n; of the cell. Each group ascends, the first free
/// of i, j, k fastest. Order 0 is a single node.
pub fn hexahedron_order(order: usize) -> Vec<[usize; 3]> {
    let n = order;
    if n == 0 {
        return vec![[0; 3]];
    }
    let mut nodes = Vec::with_capacity((n + 1).pow(3));
    for k in [0, n] {
        nodes.extend([[0, 0, k], [n, 0, k], [n, n, k], [0, n, k]]);
    }
    // Edges along u and v in the order of the corners, bottom then top.
    for k in [0, n] {
        for (free, fixed) in [(0, [0, 0, k]), (1, [n, 0, k]), (0, [0, n, k]), (1, [0, 0, k])] {
            push_inner(&mut nodes, n, &[free], fixed);
        }
    }
    for [i, j] in [[0, 0], [n, 0], [n, n], [0, n]] {
        push_inner(&mut nodes, n, &[2], [i, j, 0]);
    }
    for normal in 0..3 {
        let free: Vec<usize> = (0..3).filter(|&axis| axis != normal).collect();
        for side in [0, n] {
            let mut fixed = [0; 3];
            fixed[normal] = side;
            push_inner(&mut nodes, n, &free, fixed);
        }
    }
    push_inner(&mut nodes, n, &[0, 1, 2], [0; 3]);
    nodes
}

/// Appends the nodes strictly between the ends of the `free` axes, the first
/// free axis fastest.
fn push_inner(nodes: &mut Vec<[usize; 3]>, n: usize, free: &[usize], fixed: [usize; 3]) {
    for step in 0..(n - 1).pow(free.len() as u32) {
        let (mut node, mut rest) = (fixed, step);
        for &axis in free {
            node[axis] = 1 + rest % (n - 1);
            rest /= n - 1;
        }
        nodes.push(node);
    }
}

/// The position `i` steps of `order` from corner `a` of a hexahedron to corner `b`.
pub(super) fn on_edge(order: usize, [a, b]: [usize; 2], i: usize) -> [usize; 3] {
    let (a, b) = (CORNERS[a], CORNERS[b]);
    [0, 1, 2].map(|d| a[d] * (order - i) + b[d] * i)
}

/// The position on a face of these corners, steps from the first to the second and to the last.
pub(super) fn on_face(order: usize, face: [usize; 4], [i, j]: [usize; 2]) -> [usize; 3] {
    let [a, b, _, d] = face;
    let (u, v, origin) = (on_edge(order, [a, b], i), on_edge(order, [a, d], j), CORNERS[a]);
    [0, 1, 2].map(|axis| u[axis] + v[axis] - order * origin[axis])
}

/// Nodes of a hexahedron of Gmsh: corners, edges, faces, and those inside as a hexahedron of an
/// order less by 2 (Gmsh reference manual, "Node ordering").
pub(super) fn gmsh_hexahedron(order: usize) -> Vec<[usize; 3]> {
    if order == 0 {
        return vec![[0; 3]];
    }
    let mut nodes = CORNERS.map(|corner| corner.map(|x| x * order)).to_vec();
    for edge in GMSH_EDGES {
        nodes.extend((1..order).map(|i| on_edge(order, edge.map(usize::from), i)));
    }
    if order < 2 {
        return nodes;
    }
    for face in GMSH_FACES {
        let within = gmsh_square(order - 2);
        nodes.extend(within.iter().map(|at| on_face(order, face, at.map(|i| i + 1))));
    }
    nodes.extend(gmsh_hexahedron(order - 2).iter().map(|node| node.map(|i| i + 1)));
    nodes
}

/// Nodes of a quadrangle of Gmsh.
pub(super) fn gmsh_square(order: usize) -> Vec<[usize; 2]> {
    if order == 0 {
        return vec![[0; 2]];
    }
    let mut nodes = vec![[0, 0], [order, 0], [order, order], [0, order]];
    for side in 0..4 {
        let [a, b] = [nodes[side], nodes[(side + 1) % 4]];
        nodes.extend((1..order).map(|i| [0, 1].map(|d| (a[d] * (order - i) + b[d] * i) / order)));
    }
    if order >= 2 {
        nodes.extend(gmsh_square(order - 2).iter().map(|node| node.map(|i| i + 1)));
    }
    nodes
}
