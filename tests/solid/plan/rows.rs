//! Limits at vertices by rows of weights.

use subsolid::mesh::CellKind;
use subsolid::mesh::shape::Shape;
use subsolid::refine::crease_by_angle;
use subsolid::scheme::VertexRule;
use subsolid::{Solid, SolidMesh, refine_mesh};

/// Against explicit refinement, which comes near the limit as 4⁻ⁿ.
#[test]
fn limits_at_vertices_are_those_of_refined_meshes() {
    let fan = Shape::Fan { valence: 5, layers: 2, rings: 2 }.build().unwrap();
    let mut cube = Shape::Box { cells: [2, 2, 2] }.build().unwrap();
    crease_by_angle(&mut cube, 40.0).unwrap();
    cube.creases.edges[0].sharpness = 1.5;
    let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.2, 1.0, 0.0], [0.1, 0.3, 1.0], [1.0; 3]];
    let mut tetrahedra = SolidMesh { points, ..SolidMesh::default() };
    tetrahedra.cells.push(CellKind::Tetrahedron, &[0, 1, 2, 3]);
    tetrahedra.cells.push(CellKind::Tetrahedron, &[1, 2, 3, 4]);
    for mesh in [fan, cube, tetrahedra] {
        let matrix = Solid::new(&mesh).unwrap().limit_matrix();
        let limits = matrix.apply(mesh.points.as_flattened(), 3);
        let distance = |levels| {
            let fine = refine_mesh(&mesh, levels, VertexRule::default()).unwrap();
            // the first children of vertices keep their numbers
            let own = fine.points[..mesh.points.len()].as_flattened();
            own.iter().zip(&limits).fold(0.0f64, |most, (a, b)| most.max((a - b).abs()))
        };
        let [coarse, fine] = [2, 4].map(distance);
        assert!(fine < coarse / 8.0 + 1e-12 && coarse < 0.1, "{coarse} {fine}");
    }
}
