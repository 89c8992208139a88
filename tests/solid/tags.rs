//! Creases by angle, and cells that only touch.

use subsolid::SolidMesh;
use subsolid::mesh::shape::Shape;
use subsolid::mesh::{Attribute, FaceGroup, Polygons};
use subsolid::refine::{crease_by_angle, split_nonmanifold};
use subsolid::topology::Topology;

#[test]
fn a_box_has_twelve_creased_sides() {
    let mut mesh = Shape::Box { cells: [2, 3, 4] }.build().unwrap();
    assert_eq!(crease_by_angle(&mut mesh, 90.5).unwrap(), 0);
    mesh.creases.push_edge(0, 1, 1.5);
    let sides = 4 * (2 + 3 + 4);
    assert_eq!(crease_by_angle(&mut mesh, 89.5).unwrap(), sides - 1);
    assert_eq!(mesh.creases.edges[0].sharpness, 1.5, "tags in the file win");
    assert_eq!(crease_by_angle(&mut mesh, 89.5).unwrap(), 0);
}

#[test]
fn angles_out_of_range_are_refused() {
    let mut mesh = Shape::Box { cells: [1; 3] }.build().unwrap();
    for degrees in [-1.0, 180.5, f64::NAN] {
        assert!(crease_by_angle(&mut mesh, degrees).is_err());
    }
}

/// Two cubes that share the edge of vertices 3 and 7 alone.
fn cubes() -> SolidMesh {
    let at = |i: usize| [(i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64];
    let mut points: Vec<[f64; 3]> = (0..8).map(at).collect();
    for z in [0.0, 1.0] {
        points.extend([[2.0, 1.0, z], [2.0, 2.0, z], [1.0, 2.0, z]]);
    }
    let cells = [[0, 1, 3, 2, 4, 5, 7, 6], [3, 8, 9, 10, 7, 11, 12, 13]];
    SolidMesh::from_hexahedra(points, &cells)
}

#[test]
fn cells_that_share_an_edge_are_taken_apart() {
    let mut mesh = cubes();
    mesh.creases.push_edge(3, 7, 2.0);
    mesh.creases.push_corner(3, 1.0);
    let values = (0..14).map(f64::from).collect();
    mesh.attributes.push(Attribute { name: "id".into(), width: 1, values });
    let mut faces = Polygons::default();
    faces.push(&[3, 8, 11, 7]);
    mesh.face_groups.push(FaceGroup::new("side", faces));
    let error = Topology::of_mesh(&mesh).unwrap().validate(&mesh.points).unwrap_err();
    assert!(error.to_string().contains("touch there in the edge only"), "{error}");
    assert!(error.help().unwrap().to_string().contains("conform"));

    assert_eq!(split_nonmanifold(&mut mesh).unwrap(), 2);
    assert_eq!(mesh.cells.vertices(0), [0, 1, 3, 2, 4, 5, 7, 6]);
    assert_eq!(mesh.cells.vertices(1), [14, 8, 9, 10, 15, 11, 12, 13]);
    assert_eq!(mesh.points[14..], [mesh.points[3], mesh.points[7]]);
    assert_eq!(mesh.attributes[0].values[14..], [3.0, 7.0]);
    let edges: Vec<_> = mesh.creases.edges.iter().map(|c| c.edge().map(|v| v.0)).collect();
    assert_eq!(edges, [[3, 7], [14, 15]]);
    let corners: Vec<_> = mesh.creases.corners.iter().map(|c| c.vertex.0).collect();
    assert_eq!(corners, [3, 14]);
    assert_eq!(mesh.face_groups[0].faces.face(0), [14, 8, 11, 15]);
    Topology::of_mesh(&mesh).unwrap().validate(&mesh.points).unwrap();
    assert_eq!(split_nonmanifold(&mut mesh).unwrap(), 0);
}
