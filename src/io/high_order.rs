//! Node order of VTK's high-order hexahedra, as VTK 9 and later reads it from
//! files of version 2.2 (VTK 8 had two of the upright edges the other way round).

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_grid_position_once() {
        for n in 0..6 {
            let mut nodes = hexahedron_order(n);
            assert_eq!(nodes.len(), (n + 1).pow(3));
            nodes.sort_unstable();
            nodes.dedup();
            assert_eq!(nodes.len(), (n + 1).pow(3), "order {n}");
            assert!(nodes.iter().flatten().all(|&i| i <= n));
        }
    }

    #[test]
    fn order_two_as_vtk_lists_it() {
        // Edge nodes 8–19 and face nodes 20–25 of VTK_LAGRANGE_HEXAHEDRON order 2.
        let nodes = hexahedron_order(2);
        assert_eq!(nodes[8..12], [[1, 0, 0], [2, 1, 0], [1, 2, 0], [0, 1, 0]]);
        assert_eq!(nodes[16..20], [[0, 0, 1], [2, 0, 1], [2, 2, 1], [0, 2, 1]]);
        assert_eq!(nodes[20..22], [[0, 1, 1], [2, 1, 1]]);
        assert_eq!(nodes[26], [1, 1, 1]);
    }
}
