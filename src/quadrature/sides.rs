//! Sides of a solid: parts of its boundary between sharp edges.

use std::collections::HashSet;

use crate::mesh::Creases;
use crate::topology::{NONE, Topology};

/// The side of every face of a mesh, [`NONE`] for faces between cells, and the number of sides.
///
/// Two faces of the boundary are on one side if they share an edge that is not in `creases`, or
/// are joined so by others. Sides are numbered by their least face.
pub fn sides(topology: &Topology, creases: &Creases) -> (Vec<u32>, usize) {
    let sharp: HashSet<[u32; 2]> =
        creases.edges.iter().filter(|c| c.sharpness > 0.0).map(|c| c.edge.map(|v| v.0)).collect();
    let faces = topology.face_count() as u32;
    let mut side = vec![NONE; faces as usize];
    let (mut count, mut stack) = (0, Vec::new());
    for first in (0..faces).filter(|&f| topology.is_boundary_face(f)) {
        if side[first as usize] != NONE {
            continue;
        }
        side[first as usize] = count;
        stack.push(first);
        while let Some(face) = stack.pop() {
            for &edge in topology.face_edges(face) {
                if sharp.contains(&topology.edge_vertices(edge)) {
                    continue;
                }
                for &other in topology.edge_faces(edge) {
                    if topology.is_boundary_face(other) && side[other as usize] == NONE {
                        side[other as usize] = count;
                        stack.push(other);
                    }
                }
            }
        }
        count += 1;
    }
    (side, count as usize)
}

/// The vertices of each side of [`sides`], ascending.
pub fn side_vertices(topology: &Topology, (side, count): (&[u32], usize)) -> Vec<Vec<u32>> {
    let mut vertices = vec![Vec::new(); count];
    for (face, &side) in (0..).zip(side).filter(|&(_, &side)| side != NONE) {
        vertices[side as usize].extend_from_slice(topology.face_vertices(face));
    }
    for own in &mut vertices {
        own.sort_unstable();
        own.dedup();
    }
    vertices
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::shape::Shape;
    use crate::refine::crease_by_angle;

    #[test]
    fn a_creased_box_has_six_sides_and_a_smooth_one_has_one() {
        let mut mesh = Shape::Box { cells: [2, 3, 4] }.build().unwrap();
        let of = |mesh: &crate::mesh::SolidMesh| {
            let topology = Topology::build(mesh.cells.clone(), mesh.points.len()).unwrap();
            let (side, count) = sides(&topology, &mesh.creases);
            let mut sizes = vec![0; count];
            side.iter().filter(|&&s| s != NONE).for_each(|&s| sizes[s as usize] += 1);
            sizes.sort_unstable();
            sizes
        };
        assert_eq!(of(&mesh), [52]);
        crease_by_angle(&mut mesh, 40.0).unwrap();
        assert_eq!(of(&mesh), [6, 6, 8, 8, 12, 12]);
    }

    #[test]
    fn vertices_of_the_sides_of_a_creased_box_are_those_of_its_planes() {
        let mut mesh = Shape::Box { cells: [2, 3, 4] }.build().unwrap();
        crease_by_angle(&mut mesh, 40.0).unwrap();
        let topology = Topology::build(mesh.cells.clone(), mesh.points.len()).unwrap();
        let (side, count) = sides(&topology, &mesh.creases);
        let mut found = side_vertices(&topology, (&side, count));
        let size = |d: usize| mesh.points.iter().map(|p| p[d]).fold(0.0, f64::max);
        let plane = |d: usize, x: f64| -> Vec<u32> {
            (0..mesh.points.len() as u32).filter(|&v| mesh.points[v as usize][d] == x).collect()
        };
        let mut expected: Vec<_> =
            (0..3).flat_map(|d| [plane(d, 0.0), plane(d, size(d))]).collect();
        found.sort();
        expected.sort();
        assert_eq!(found, expected);
    }
}
