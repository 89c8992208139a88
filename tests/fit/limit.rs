use subsolid::jobs::untangle::UntangleRequest;
use subsolid::mesh::shape::Shape;
use subsolid::refine::crease_by_angle;
use subsolid::untangle::{BoundaryMotion, least_determinant, untangle_limit};

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

/// Elements beside smooth edges of one cell are told apart: inner vertices cannot change them.
#[test]
fn smooth_edges_of_one_cell_are_counted_by_themselves() {
    // the middle of one edge is drawn in: the smooth limit is not convex across it
    let mut mesh = Shape::Box { cells: [4, 4, 4] }.build().unwrap();
    for p in
        mesh.points.iter_mut().filter(|p| p[0] == 4.0 && p[1] == 4.0 && p[2] > 0.0 && p[2] < 4.0)
    {
        (p[0], p[1]) = (3.4, 3.4);
    }
    let least = least_determinant(&mesh).unwrap();
    assert!(least.at_smooth_edges > 0 && least.folded == 0, "{least:?}");
    assert_eq!(least.at_smooth_edges, least.negative);
    let request = UntangleRequest { limit: true, ..UntangleRequest::default() };
    let report = request.run(&mut mesh, &mut ()).unwrap();
    assert_eq!((report.control, report.limit_before), (None, least));
    assert_eq!(report.missed(&request).map(|said| said.to_string()), None);
}

#[test]
fn a_boundary_slides_with_control_cells_alone() {
    let request = UntangleRequest { limit: true, boundary: BoundaryMotion::Slide };
    let refused = request.check().unwrap_err().to_string();
    assert!(refused.contains("the boundary stays"), "{refused}");
}
