//! Folded corners of control cells.

use subsolid::SolidMesh;
use subsolid::mesh::shape::Shape;

fn box_of(n: usize) -> SolidMesh {
    Shape::parse("box", &[n, n, n]).unwrap().build().unwrap()
}

#[test]
fn boxes_have_none_in_either_handedness() {
    let mut mesh = box_of(3);
    assert!(mesh.folded_corners(&mesh.handedness()).cells.is_empty());
    mesh.points.iter_mut().for_each(|p| p[0] = -p[0]);
    assert_eq!(mesh.handedness().left_handed, 27);
    assert!(mesh.folded_corners(&mesh.handedness()).cells.is_empty());
}

#[test]
fn cells_around_a_moved_vertex_are_found() {
    let mut mesh = box_of(2);
    // the middle vertex, beyond a face of the box
    let middle = mesh.points.iter().position(|p| *p == [1.0; 3]).unwrap();
    mesh.points[middle] = [2.5, 1.0, 1.0];
    let found = mesh.folded_corners(&mesh.handedness());
    let beyond = |c: &u32| {
        let corners = mesh.cells.hexahedron(*c as usize).unwrap();
        corners.iter().any(|&v| mesh.points[v as usize][0] == 2.0)
    };
    assert!(found.cells.iter().all(beyond) && found.cells.len() == 4, "{found:?}");
    assert!(found.worst.unwrap().1 < 0.0);
    // flat, not folded
    mesh.points[middle] = [2.0, 1.0, 1.0];
    let flat = mesh.folded_corners(&mesh.handedness());
    assert_eq!((flat.cells.len(), flat.worst.unwrap().1), (4, 0.0));
}
