//! Curved cells of the limit in files for finite-element programs.

use std::collections::BTreeSet;
use std::path::Path;

use subsolid::io::{MeshFormat, read_with_report};
use subsolid::jobs::evaluate::{EvaluateReport, EvaluateRequest, SampleRequest};
use subsolid::limit::Solid;
use subsolid::mesh::shape::Shape;
use subsolid::mesh::{CellKind, FaceGroup, Polygons, SolidMesh};
use subsolid::refine::{crease_by_angle, refine_mesh};
use subsolid::scheme::VertexRule;
use subsolid::{Samples, Want};
use tempfile::tempdir;

fn evaluated(mesh: &SolidMesh, request: &EvaluateRequest) -> EvaluateReport {
    let solid = Solid::new(mesh).unwrap();
    request.check(&mut ()).unwrap();
    request.check_mesh(mesh, 0, &mut ()).unwrap();
    request.run((mesh, &solid), None, &mut ()).unwrap().unwrap()
}

fn curved(path: &Path, order: usize, format: MeshFormat) -> EvaluateRequest {
    EvaluateRequest {
        order: Some(order),
        format: Some(format),
        output: Some(path.to_owned()),
        ..EvaluateRequest::default()
    }
}

/// A box whose vertices are moved, so that its limit is curved, and cubic in every cell inside.
fn bent_box(cells: usize) -> SolidMesh {
    let mut mesh = Shape::Box { cells: [cells; 3] }.build().unwrap();
    for point in &mut mesh.points {
        let [x, y, z] = *point;
        *point = [x + 0.2 * y * z, y + 0.1 * (x + z).sin(), z + 0.1 * x * x];
    }
    mesh
}

#[test]
fn distances_fall_with_the_order_and_the_size() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("a.mesh");
    let distance = |mesh: &SolidMesh, order: usize| {
        evaluated(mesh, &curved(&path, order, MeshFormat::Mfem)).distance.unwrap()
    };
    // sharp everywhere: all cells are regular, and of order 3 exact
    let mut mesh = bent_box(3);
    crease_by_angle(&mut mesh, 30.0).unwrap();
    let fine = refine_mesh(&mesh, 1, VertexRule::default()).unwrap();
    let finest = refine_mesh(&mesh, 2, VertexRule::default()).unwrap();
    for (order, least) in [(1, 1.9), (2, 2.9)] {
        let [a, b] = [&fine, &finest].map(|mesh| distance(mesh, order));
        assert!((a / b).log2() > least, "order {order}: {a} {b}");
    }
    for order in [3, 5, 10] {
        let found = distance(&mesh, order);
        assert!(found < 1e-12, "order {order}: {found}");
    }
    // smooth edges and an extraordinary one: better with every order
    let mesh = Shape::Fan { valence: 5, layers: 2, rings: 1 }.build().unwrap();
    let found = [1, 2, 3, 6].map(|order| distance(&mesh, order));
    assert!(found.windows(2).all(|pair| pair[1] < 0.6 * pair[0]) && found[3] > 1e-9, "{found:?}");
}

/// The distance of cells of order 1 by hand: at their centers, where all samples between nodes are.
#[test]
fn distance_of_trilinear_cells() {
    let directory = tempdir().unwrap();
    let mesh = bent_box(2);
    let path = directory.path().join("a.mesh");
    let found = evaluated(&mesh, &curved(&path, 1, MeshFormat::Medit)).distance.unwrap();
    // corners and center of each cell
    let limit = subsolid::evaluate(&mesh, &Samples::grid(3), Want::POSITION).unwrap();
    let mut largest = 0.0_f64;
    for cell in 0..mesh.cells.len() {
        let at = |i: usize| limit.positions.triple(27 * cell + i);
        let corners = [0, 2, 6, 8, 18, 20, 24, 26].map(at);
        let mean = |d: usize| corners.iter().map(|p| p[d]).sum::<f64>() / 8.0;
        let distance = (0..3).map(|d| (mean(d) - at(13)[d]).powi(2)).sum::<f64>().sqrt();
        largest = largest.max(distance);
    }
    assert!((found - largest).abs() < 1e-14, "{found} {largest}");
}

/// A wedge on a hexahedron: faces of groups become sides of the parts of the wedge.
#[test]
fn groups_of_faces_follow_the_cells_of_the_limit() {
    let mut mesh = SolidMesh {
        points: [
            [0, 0, 0],
            [2, 0, 0],
            [2, 2, 0],
            [0, 2, 0],
            [0, 0, 2],
            [2, 0, 2],
            [2, 2, 2],
            [0, 2, 2],
            [0, 1, 4],
            [2, 1, 4],
        ]
        .map(|p| p.map(f64::from))
        .into(),
        ..SolidMesh::default()
    };
    mesh.cells.push(CellKind::Hexahedron, &[0, 1, 2, 3, 4, 5, 6, 7]);
    mesh.cells.push(CellKind::Wedge, &[4, 7, 8, 5, 6, 9]);
    let group = |name: &str, faces: &[&[u32]]| {
        let mut own = Polygons::default();
        faces.iter().for_each(|face| own.push(face));
        FaceGroup::new(name, own)
    };
    mesh.face_groups = vec![
        group("low", &[&[0, 3, 2, 1]]),
        group("left", &[&[0, 4, 7, 3], &[4, 8, 7]]),
        group("roof", &[&[7, 8, 9, 6]]),
        group("between", &[&[4, 5, 6, 7]]),
    ];
    // with sharp edges the limit of the plane x = 0 is plane
    crease_by_angle(&mut mesh, 40.0).unwrap();
    let directory = tempdir().unwrap();
    let path = directory.path().join("a.msh");
    for (samples, along) in [(None, 1), (Some(3), 2)] {
        let mut request = curved(&path, 2, MeshFormat::MshBinary);
        if samples.is_some() {
            request.order = None;
            request.places = SampleRequest { samples, ..SampleRequest::default() };
        }
        let report = evaluated(&mesh, &request);
        assert_eq!(report.cells, 7 * along * along * along);
        let back = read_with_report(&path).unwrap().0;
        let square = along * along;
        let count = |name: &str| {
            let group = back.face_groups.iter().find(|group| group.name == name).unwrap();
            group.faces.len()
        };
        let found = ["low", "left", "roof", "between"].map(count);
        assert_eq!(found, [square, 4 * square, 4 * square, square]);
        let left = back.face_groups.iter().find(|group| group.name == "left").unwrap();
        let used: BTreeSet<u32> = left.faces.vertices().iter().copied().collect();
        let farthest = used.iter().map(|&v| back.points[v as usize][0].abs()).fold(0.0, f64::max);
        assert!(farthest < 1e-12, "{farthest}");
    }
}

#[test]
fn orders_that_a_format_does_not_hold_are_refused() {
    let directory = tempdir().unwrap();
    let refused = |request: &EvaluateRequest| {
        let error = request.check(&mut ()).unwrap_err();
        format!("{error}; {}", error.help().cloned().unwrap_or_default())
    };
    let path = |name: &str| directory.path().join(name);
    let said = refused(&curved(&path("a.msh"), 10, MeshFormat::Msh));
    assert!(said.contains("order 10") && said.contains("orders 1 to 9"), "{said}");
    let said = refused(&curved(&path("a.inp"), 3, MeshFormat::Inp));
    assert!(said.contains("orders 1 and 2"), "{said}");
    let said = refused(&curved(&path("a.mesh"), 2, MeshFormat::Medit));
    assert!(said.contains("order 1;") || said.contains("of order 1"), "{said}");
    let said = refused(&curved(&path("a.mesh"), 11, MeshFormat::Mfem));
    assert!(said.contains("from 1 to 10"), "{said}");
    let mut request = curved(&path("a.inp"), 2, MeshFormat::Inp);
    request.quantities.jacobian = true;
    assert!(refused(&request).contains("holds no values"), "{}", refused(&request));
}
