use subsolid::mesh::shape::Shape;
use subsolid::refine::crease_by_angle;
use subsolid::untangle::{least_determinant, untangle_limit};

#[test]
fn a_vertex_that_folds_the_limit_goes_back() {
    let mut mesh = Shape::Box { cells: [4, 4, 4] }.build().unwrap();
    crease_by_angle(&mut mesh, 40.0).unwrap();
    let straight = mesh.points.clone();
    let v = straight.iter().position(|p| p.iter().all(|&x| x == 2.0)).unwrap();
    mesh.points[v] = [6.2, 2.2, 1.0];
    assert!(least_determinant(&mesh).unwrap().negative > 0);
    let mut remaining = Vec::new();
    let done = untangle_limit(&mut mesh, |n| {
        remaining.push(n);
        Ok(())
    })
    .unwrap();
    assert_eq!(done.after, least_determinant(&mesh).unwrap());
    assert_eq!(done.after.negative, 0, "{remaining:?}");
    assert!(done.after.bound > 0.0);
    for (p, q) in mesh.points.iter().zip(&straight) {
        let is_boundary = q.iter().any(|&x| x == 0.0 || x == 4.0);
        assert!(!is_boundary || p == q);
    }
}
