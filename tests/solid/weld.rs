//! Vertices at one position: they are counted, and joined.

use subsolid::mesh::shape::Shape;
use subsolid::mesh::{
    Attribute, CoincidentVertices, Corner, Crease, FaceGroup, FaceVarying, LinearInterpolation,
    NORMALS, Polygons, VertexId, WeldResult,
};
use subsolid::{SolidMesh, SurfaceMesh};

fn cube(n: usize) -> SolidMesh {
    Shape::Box { cells: [n; 3] }.build().unwrap()
}

/// A box of n³ cells that own their corners.
fn loose_box(n: usize) -> SolidMesh {
    let whole = cube(n);
    let corners = whole.cells.hexahedra().unwrap().as_flattened();
    let points = corners.iter().map(|&v| whole.points[v as usize]).collect();
    let ids: Vec<u32> = (0..corners.len() as u32).collect();
    SolidMesh::from_hexahedra(points, ids.as_chunks().0)
}

/// NaN is as good as itself, and what no vertex is joined to differs from nothing.
#[test]
fn values_that_are_not_numbers_do_not_differ() {
    let mut mesh = loose_box(2);
    mesh.points.push([9.0; 3]);
    let value = |p: &[f64; 3]| if p[0] == 1.0 || p[0] == 9.0 { f64::NAN } else { p[0] };
    let values = mesh.points.iter().map(value).collect();
    mesh.attributes.push(Attribute { name: "t".into(), width: 1, values });
    let welded = mesh.weld(0.0).unwrap();
    assert!(welded.removed > 0 && welded.differing.is_empty(), "{welded:?}");
}

/// The first triangle keeps two corners: its crease to the third one goes with it.
#[test]
fn creases_of_faces_that_go_go_too() {
    let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0; 3], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    let mut faces = Polygons::default();
    for face in [&[0, 1, 2][..], &[2, 1, 3], &[2, 3, 4]] {
        faces.push(face);
    }
    let mut mesh = SurfaceMesh { points, faces, ..SurfaceMesh::default() };
    mesh.creases.push_edge(2, 3, 2.0);
    mesh.creases.push_edge(0, 4, 3.0);
    mesh.creases.push_edge(3, 4, 1.0);
    mesh.creases.push_edge(1, 4, 1.0);
    let welded = mesh.weld(0.0).unwrap();
    assert_eq!((welded.collapsed, welded.faceless), (1, 1));
    assert_eq!(welded.notices().len(), 2);
    assert_eq!(mesh.creases.edges.len(), 3);
}

/// Creases of two boxes are dropped on the face between them, except on its own sides.
#[test]
fn creases_between_joined_parts_go() {
    let part = Shape::Box { cells: [1, 2, 1] }.build().unwrap();
    let count = part.points.len() as u32;
    let moved = part.points.iter().map(|&[x, y, z]| [x + 1.0, y, z]);
    let points = part.points.iter().copied().chain(moved).collect();
    let hexahedra = part.cells.hexahedra().unwrap();
    let others = hexahedra.iter().map(|hex| hex.map(|v| v + count));
    let all: Vec<[u32; 8]> = hexahedra.iter().copied().chain(others).collect();
    let mut parts = SolidMesh::from_hexahedra(points, &all);
    let at = |x: f64, y: f64, z: f64| {
        let place = parts.points.iter().position(|p| *p == [x, y, z]);
        VertexId(place.unwrap() as u32)
    };
    // across the middle of the face, and along a side of it
    let inner = [at(1.0, 1.0, 0.0), at(1.0, 1.0, 1.0)];
    let side = [at(1.0, 0.0, 0.0), at(1.0, 0.0, 1.0)];
    parts.creases.edges = [inner, side].map(|edge| Crease::new(edge, 2.0)).into();
    parts.creases.corners = vec![Corner { vertex: inner[0], sharpness: 1.0 }];
    let welded = parts.weld(0.0).unwrap();
    assert_eq!((welded.removed, welded.inside, welded.less_sharp), (6, 1, 0));
    assert_eq!(welded.notices().len(), 1);
    assert_eq!((parts.creases.edges.len(), parts.creases.corners.len()), (1, 1));
    assert!(subsolid::limit::Solid::new(&parts).is_ok());
}

/// The sharpest of several creases of one edge stays, and the others are counted.
#[test]
fn less_sharp_creases_go() {
    let quads = Polygons::uniform(4, vec![0, 1, 2, 3, 4, 5, 6, 7]);
    let left = [[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    let right = left.map(|[x, y, z]| [x + 1.0, y, z]);
    let mut mesh = SurfaceMesh::new([left, right].concat(), quads);
    // both sides of the gap between the quads
    mesh.creases.push_edge(1, 2, 1.5);
    mesh.creases.push_edge(4, 7, 2.5);
    mesh.creases.push_corner(1, 3.0);
    mesh.creases.push_corner(4, 3.0);
    let welded = mesh.weld(0.0).unwrap();
    assert_eq!((welded.removed, welded.less_sharp), (2, 1));
    assert_eq!((mesh.creases.edges.len(), mesh.creases.edges[0].sharpness), (1, 2.5));
    assert_eq!((mesh.creases.corners.len(), mesh.creases.corners[0].sharpness), (1, 3.0));
    assert!(welded.notices()[0].contains("a sharper one was joined to them: 1"));
}

#[test]
fn cells_that_own_their_corners_are_joined() {
    let mut parts = loose_box(3);
    let corner =
        |mesh: &SolidMesh, c: usize, i: usize| mesh.points[mesh.cells.vertices(c)[i] as usize];
    let before: Vec<_> = (0..216).map(|k| corner(&parts, k / 8, k % 8)).collect();
    parts.attributes =
        vec![Attribute { name: "t".into(), width: 1, values: (0..216).map(f64::from).collect() }];
    parts.creases.push_edge(0, 1, 1.0);
    // the face between the first two cells, as each of them has it
    let gap = vec![1, 2, 6, 5, 8, 11, 15, 12];
    parts.face_groups = vec![
        FaceGroup::new("low", Polygons::uniform(4, vec![0, 1, 2, 3])),
        FaceGroup::new("gap", Polygons::uniform(4, gap)),
    ];
    let welded = parts.weld(0.0).unwrap();
    assert_eq!((welded.removed, welded.differing), (152, vec!["t".into()]));
    assert_eq!((parts.points.len(), parts.part_count()), (64, 1));
    assert_eq!(parts.face_groups.iter().map(|g| g.faces.len()).collect::<Vec<_>>(), [1, 1]);
    let after: Vec<_> = (0..216).map(|k| corner(&parts, k / 8, k % 8)).collect();
    assert_eq!(before, after);
    assert_eq!(parts.weld(0.0).unwrap(), WeldResult::default());
}

#[test]
fn corners_of_one_cell_are_not_joined() {
    let mut parts = loose_box(1);
    let message = parts.weld(2.0).unwrap_err().to_string();
    assert!(message.contains("cell 0") && message.contains("vertices 0 and 1"), "{message}");
    for distance in [-1.0, f64::NAN, f64::INFINITY, 1e-17] {
        assert!(parts.weld(distance).unwrap_err().to_string().contains("distance"));
    }
}

/// Faces lose corners or go; what belongs to them goes along.
#[test]
fn faces_of_a_surface_are_joined() {
    let places = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    let far = [[1.0, 1.0], [1.0, 0.0], [2.0, 0.0], [2.0, 1.0]];
    let thin = [[2.0, 0.0], [2.0 + 1e-6, 0.0], [2.0, 1.0]];
    let short = [[0.0, 0.0], [1e-6, 0.0], [1.0, -1.0], [0.0, -1.0]];
    let all = places.iter().chain(&far).chain(&thin).chain(&short);
    let points: Vec<[f64; 3]> = all.map(|&[x, y]| [x, y, 0.0]).collect();
    let mut faces = Polygons::default();
    for face in [&[0, 1, 2, 3][..], &[4, 5, 6, 7], &[8, 9, 10], &[11, 12, 13, 14]] {
        faces.push(face);
    }
    let mut mesh = SurfaceMesh::new(points, faces);
    mesh.holes = vec![1, 2, 3];
    mesh.creases.push_edge(8, 9, 2.0);
    mesh.creases.push_edge(4, 5, 1.0);
    mesh.creases.push_edge(1, 2, 3.0);
    let values = (0..15).flat_map(|v| [f64::from(v), 0.0, 1.0]).collect();
    mesh.attributes = vec![
        Attribute { name: NORMALS.into(), width: 3, values },
        Attribute { name: "even".into(), width: 1, values: vec![4.0; 15] },
    ];
    mesh.uv = Some(FaceVarying {
        values: vec![[0.0; 2]; 15],
        corners: (0..15).collect(),
        linear: LinearInterpolation::All,
    });
    let welded = mesh.weld(1e-5).unwrap();
    assert_eq!((welded.removed, welded.collapsed), (7, 1));
    assert_eq!(welded.differing, [NORMALS]);
    let faces: Vec<&[u32]> = mesh.faces.iter().collect();
    assert_eq!(faces, [&[0, 1, 2, 3][..], &[2, 1, 4, 5], &[0, 6, 7]]);
    assert_eq!(mesh.holes, [1, 2]);
    let creases: Vec<_> = mesh.creases.edges.iter().map(|c| (c.edge(), c.sharpness)).collect();
    assert_eq!(creases, [([VertexId(1), VertexId(2)], 3.0)]);
    assert_eq!(mesh.attributes.len(), 1);
    assert_eq!(mesh.uv.as_ref().unwrap().corners, [0, 1, 2, 3, 4, 5, 6, 7, 12, 13, 14]);
    mesh.check().unwrap();
    assert_eq!((mesh.part_count(), mesh.coincident_ends()), (1, 0));
    // a quad whose opposite corners meet
    let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0; 3], [0.0, 1.0, 0.0]];
    let mut folded = SurfaceMesh::new(points, Polygons::uniform(4, vec![0, 1, 2, 3]));
    let message = folded.weld(0.0).unwrap_err().to_string();
    assert!(message.contains("face 0") && message.contains("vertices 0 and 2"), "{message}");
}

#[test]
fn cells_that_own_their_corners_are_counted() {
    let (whole, parts) = (cube(3), loose_box(3));
    assert_eq!(whole.coincident_vertices(), CoincidentVertices::default());
    assert_eq!((whole.part_count(), parts.part_count()), (1, 27));
    // all but the 8 corners of the box
    let found = parts.coincident_vertices();
    assert_eq!(found.count, 208);
    let [a, b] = found.first.unwrap().map(|v| parts.points[v as usize]);
    assert_eq!(a, b);
}

#[test]
fn zeros_of_both_signs_are_one_place_and_near_places_are_two() {
    let mut parts = loose_box(2);
    let count = parts.coincident_vertices().count;
    parts.points.iter_mut().flatten().step_by(2).filter(|x| **x == 0.0).for_each(|x| *x = -0.0);
    assert_eq!(parts.coincident_vertices().count, count);
    let place = parts.coincident_vertices().first.unwrap()[0] as usize;
    parts.points[place][0] += 1e-12;
    assert!(parts.coincident_vertices().count < count);
}
