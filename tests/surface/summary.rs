//! Counts of the control mesh of a surface.

use subsolid::mesh::{Polygons, SurfaceMesh};
use subsolid::surface::SurfaceSummary;

fn summary(faces: &[&[u32]], vertices: u32) -> SurfaceSummary {
    let mut polygons = Polygons::default();
    faces.iter().for_each(|face| polygons.push(face));
    let points = (0..vertices).map(|v| [f64::from(v), f64::from(v * v), 0.0]).collect();
    SurfaceSummary::new(&SurfaceMesh::new(points, polygons)).unwrap()
}

#[test]
fn closed_surfaces_have_a_genus() {
    let cube: [&[u32]; 6] =
        [&[0, 3, 2, 1], &[4, 5, 6, 7], &[0, 1, 5, 4], &[1, 2, 6, 5], &[2, 3, 7, 6], &[3, 0, 4, 7]];
    let found = summary(&cube, 9);
    assert_eq!((found.vertices, found.edges, found.isolated_vertices), (9, 12, 1));
    assert_eq!((found.euler_characteristic, found.genus, found.parts), (2, Some(0), 1));
    assert_eq!(found.interior_valences, [(3, 8)].into());
    // a torus of 3 × 3 quads
    let quads: Vec<[u32; 4]> = (0..9)
        .map(|f| {
            let at = |i: u32, j: u32| 3 * (j % 3) + i % 3;
            let (i, j) = (f % 3, f / 3);
            [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]
        })
        .collect();
    let torus: Vec<&[u32]> = quads.iter().map(|quad| &quad[..]).collect();
    let found = summary(&torus, 9);
    assert_eq!((found.euler_characteristic, found.genus), (0, Some(1)));
    assert_eq!(found.interior_valences, [(4, 9)].into());
}

#[test]
fn what_is_no_closed_surface_is_counted() {
    // three pages at the edge 0–1, and a triangle that touches vertex 4
    let found = summary(&[&[0, 1, 2], &[0, 1, 3], &[1, 0, 4], &[4, 5, 6]], 7);
    assert_eq!((found.non_manifold_edges, found.boundary_edges), (1, 9));
    assert_eq!((found.touching_vertices, found.parts, found.genus), (3, 1, None));
    // two triangles, inconsistently oriented at the edge 0–1
    let found = summary(&[&[0, 1, 2], &[0, 1, 3, 4]], 5);
    assert_eq!((found.inconsistent_edges, found.boundary_vertices), (1, 5));
    assert_eq!(found.faces_by_corners, [(3, 1), (4, 1)].into());
    assert_eq!(found.boundary_valences, [(2, 3), (3, 2)].into());
}
