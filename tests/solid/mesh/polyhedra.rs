//! Faces of polyhedra look outward, or are refused; shapes with repeated corners.

use subsolid::io::read;
use subsolid::mesh::{CellKind, SolidMesh};

const TETRAHEDRON: [[u32; 3]; 4] = [[0, 1, 3], [1, 2, 3], [2, 0, 3], [0, 2, 1]];

fn polyhedron(points: usize, faces: &[Vec<u32>]) -> SolidMesh {
    let corner = |i: usize| [(i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64];
    let mut mesh = SolidMesh { points: (0..points).map(corner).collect(), ..SolidMesh::default() };
    mesh.cells.push_polyhedron(faces.iter().map(Vec::as_slice));
    mesh
}

#[test]
fn faces_turn_outward() {
    for flips in 0..16 {
        let mut faces = TETRAHEDRON.map(|face| face.to_vec());
        for (f, face) in faces.iter_mut().enumerate() {
            if flips >> f & 1 == 1 {
                face.reverse();
            }
        }
        let mut mesh = polyhedron(4, &faces);
        mesh.points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let cells = mesh.oriented_cells().unwrap();
        let mut found = Vec::new();
        cells.for_each_face(0, |face| found.push(face.to_vec()));
        for (face, expected) in found.iter().zip(TETRAHEDRON) {
            let is_turned = |i: usize| (0..3).all(|k| face[k] == expected[(i + k) % 3]);
            assert!((0..3).any(is_turned), "{flips}: {face:?}");
        }
    }
}

#[test]
fn open_double_and_one_sided_surfaces_are_refused() {
    let refused = |faces: &[&[u32]]| {
        let faces: Vec<Vec<u32>> = faces.iter().map(|face| face.to_vec()).collect();
        let error = polyhedron(8, &faces).oriented_cells().unwrap_err().to_string();
        assert!(error.contains("cell 0"), "{error}");
        error
    };
    let open: [&[u32]; 4] = [&[0, 1, 3], &[1, 2, 3], &[2, 0, 3], &[0, 2, 4, 1]];
    assert!(refused(&open).contains("1 of its faces"));
    let two: Vec<Vec<u32>> = [0, 4]
        .iter()
        .flat_map(|offset| TETRAHEDRON.map(|face| face.map(|v| v + offset).to_vec()))
        .collect();
    let two: Vec<&[u32]> = two.iter().map(Vec::as_slice).collect();
    assert!(refused(&two).contains("several surfaces"));
    // the half-cube, a projective plane of three quads
    let half_cube: [&[u32]; 3] = [&[0, 1, 2, 3], &[0, 1, 3, 2], &[0, 2, 1, 3]];
    assert!(refused(&half_cube).contains("3 faces"));
    // six triangles on K4 doubled would not close; K6 tiles the projective plane
    let k6: [&[u32]; 10] = [
        &[0, 1, 2],
        &[0, 2, 3],
        &[0, 3, 4],
        &[0, 4, 5],
        &[0, 5, 1],
        &[1, 2, 4],
        &[2, 3, 5],
        &[3, 4, 1],
        &[4, 5, 2],
        &[5, 1, 3],
    ];
    assert!(refused(&k6).contains("cannot all face outward"));
}

#[test]
fn repeated_corners_leave_the_shape_that_is_there() {
    let file = tempfile::Builder::new().suffix(".vtk").tempfile().unwrap();
    let shape = |corners: [u32; 8]| -> subsolid::Result<(usize, CellKind)> {
        let corners: Vec<String> = corners.iter().map(u32::to_string).collect();
        let text = format!(
            "# vtk DataFile Version 3.0\na\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 8 double\n\
             0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1\nCELLS 1 9\n8 {}\nCELL_TYPES 1\n12\n",
            corners.join(" ")
        );
        std::fs::write(file.path(), text).unwrap();
        let mesh = read(file.path())?;
        let mut faces = 0;
        mesh.cells.for_each_face(0, |_| faces += 1);
        Ok((faces, mesh.cells.kind(0)))
    };
    for (corners, expected) in [
        ([0, 1, 2, 3, 4, 5, 6, 7], (6, CellKind::Hexahedron)),
        // an edge of bottom and top, and two edges of the top
        ([0, 1, 2, 2, 4, 5, 6, 6], (5, CellKind::Wedge)),
        ([0, 1, 2, 3, 4, 4, 6, 6], (5, CellKind::Wedge)),
        ([0, 1, 2, 2, 4, 4, 4, 4], (4, CellKind::Tetrahedron)),
        ([0, 1, 2, 3, 4, 4, 4, 4], (5, CellKind::Polyhedron)),
        ([0, 1, 2, 3, 4, 5, 6, 6], (6, CellKind::Polyhedron)),
    ] {
        assert_eq!(shape(corners).unwrap(), expected, "{corners:?}");
    }
    let folded = shape([0, 1, 2, 3, 0, 1, 2, 3]).unwrap_err().to_string();
    assert!(folded.contains("cell 0 is flat"), "{folded}");
}
