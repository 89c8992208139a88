//! Refined meshes against explicit refinement by independent code: points,
//! creases, attributes, order and orientation of the children.

use crate::oracle::convert;
use crate::oracle::solid::{CORNERS, VertexRule as OracleRule};
use crate::oracle::vector::{Point, distance, sub};
use crate::support::meshes::{
    INF, block, crease_at_random, crease_box_edges, mixed, perturbed, shapes,
};
use crate::support::{close, size};
use subsolid::mesh::{Attribute, CellArray, CellKind, SolidMesh};
use subsolid::refine::{MeshRefinement, refine_mesh};
use subsolid::scheme::VertexRule;

const RULES: [(VertexRule, OracleRule); 2] = [
    (VertexRule::LayerConsistent, OracleRule::LayerConsistent),
    (VertexRule::JoyMacCracken, OracleRule::JoyMacCracken),
];

fn corners(mesh: &SolidMesh, cell: usize) -> [Point; 8] {
    mesh.cells.hexahedron(cell).expect("a hexahedron").map(|v| mesh.points[v as usize])
}

/// Turns of a hexahedron about its diagonal from corner 0: u → v → w → u.
fn permuted(corners: [Point; 8]) -> [Point; 8] {
    [0, 3, 7, 4, 1, 2, 6, 5].map(|i| corners[i])
}

/// Compares `levels` refinements of moved control points, cell by cell; the
/// children of other polyhedra up to a permutation about their corner.
fn compare(name: &str, mesh: &SolidMesh, levels: usize) {
    let moved = perturbed(mesh, 0.05, levels as u64);
    let tolerance = 1e-14 * size(&moved.points);
    for (rule, oracle_rule) in RULES {
        let refinement = MeshRefinement::new(mesh, levels, rule);
        let refined =
            refinement.unwrap_or_else(|e| panic!("{name}: {e}")).mesh(&moved).expect("its points");
        let mut truth = convert::solid(&moved);
        (0..levels).for_each(|_| truth = truth.refine(oracle_rule));
        assert_eq!(refined.cells.len(), truth.cells.len(), "{name}");
        assert_eq!(refined.points.len(), truth.points.len(), "{name}");
        for (c, cell) in truth.cells.iter().enumerate() {
            let expected = cell.hexahedron().map(|v| truth.points[v]);
            let mut found = corners(&refined, c);
            if !mesh.cells.all_hexahedra() && levels == 1 {
                while distance(found[1], expected[1]) > tolerance {
                    found = permuted(found);
                    assert!(found != corners(&refined, c), "{name}, cell {c} is another one");
                }
            }
            for i in 0..8 {
                close(found[i], expected[i], tolerance, || {
                    format!("{name}, {rule:?}, cell {c}, corner {i}")
                });
            }
        }
    }
}

#[test]
fn every_shape_refines_as_by_hand() {
    for (name, mesh) in shapes() {
        compare(&name, &mesh, 1);
    }
}

#[test]
fn two_levels_of_small_shapes_are_as_by_hand() {
    for (name, mesh) in shapes() {
        if mesh.cells.len() <= 100 {
            compare(&name, &mesh, 2);
        }
    }
}

#[test]
fn creases_and_corners_of_any_sharpness() {
    for (seed, (name, mesh)) in shapes().into_iter().enumerate() {
        if mesh.cells.len() > 100 {
            continue;
        }
        for kinds in [&[0.5][..], &[1.0], &[2.3], &[INF], &[0.5, 1.0, 2.3, INF]] {
            let mut mesh = mesh.clone();
            crease_at_random(&mut mesh, kinds, 4, seed as u64);
            compare(&format!("{name} with creases {kinds:?}"), &mesh, 2);
        }
    }
}

#[test]
fn sharpness_falls_by_one_a_level() {
    let mut mesh = block([1, 1, 1]);
    mesh.creases.push_edge(0, 1, 2.5);
    mesh.creases.push_edge(1, 3, 0.5);
    mesh.creases.push_corner(0, 1.5);
    mesh.creases.push_corner(7, INF);
    let refined = refine_mesh(&mesh, 1, VertexRule::default()).expect("valid");
    let sharpness: Vec<f64> = refined.creases.edges.iter().map(|c| c.sharpness).collect();
    assert_eq!(sharpness, [1.5, 1.5]);
    let mut corners: Vec<f64> = refined.creases.corners.iter().map(|c| c.sharpness).collect();
    corners.sort_by(f64::total_cmp);
    assert_eq!(corners, [0.5, INF]);
}

#[test]
fn polyhedra_become_one_hexahedron_a_corner() {
    let mesh = mixed();
    compare("mixed", &mesh, 1);
    let mut creased = mesh.clone();
    crease_at_random(&mut creased, &[0.5, 2.3, INF], 3, 1);
    compare("mixed with creases", &creased, 1);
    let refined = refine_mesh(&mesh, 1, VertexRule::default()).expect("valid");
    assert_eq!(refined.cells.len(), 8 + 6 + 4 + 10);
}

/// Volume spanned by the axes at corner 0.
fn determinant(corners: &[Point; 8]) -> f64 {
    let [u, v, w] = [1, 3, 4].map(|i| sub(corners[i], corners[0]));
    u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0])
        + u[2] * (v[0] * w[1] - v[1] * w[0])
}

fn assert_right_handed(name: &str, mesh: &SolidMesh) {
    let refined = refine_mesh(mesh, 1, VertexRule::default()).expect("valid");
    for c in 0..refined.cells.len() {
        assert!(determinant(&corners(&refined, c)) > 0.0, "{name}: child {c} is left-handed");
    }
}

#[test]
fn children_are_right_handed() {
    for (name, mesh) in shapes() {
        assert_right_handed(&name, &mesh);
    }
    assert_right_handed("mixed", &mixed());
}

#[test]
fn children_of_cells_listed_inside_out_are_right_handed() {
    let points = block([1, 1, 1]).points;
    for (kind, corners) in [
        (CellKind::Tetrahedron, &[0, 2, 1, 4][..]),
        (CellKind::Tetrahedron, &[0, 1, 2, 4]),
        (CellKind::Wedge, &[0, 1, 2, 4, 5, 6]),
        (CellKind::Wedge, &[4, 5, 6, 0, 1, 2]),
    ] {
        let mut mesh = SolidMesh { points: points.clone(), ..SolidMesh::default() };
        mesh.cells.push(kind, corners);
        assert_right_handed(&format!("{kind:?} {corners:?}"), &mesh);
    }
}

#[test]
fn children_of_a_polyhedron_are_right_handed_however_its_faces_run() {
    // a cube as a polyhedron, any of its faces permuted around
    let cube: [[u32; 4]; 6] =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [1, 3, 7, 5], [3, 2, 6, 7], [2, 0, 4, 6]];
    for permuted in 0..64_u32 {
        let mut faces = cube;
        for (f, face) in faces.iter_mut().enumerate() {
            if permuted >> f & 1 == 1 {
                face.reverse();
            }
        }
        let mut mesh = SolidMesh { points: block([1, 1, 1]).points, ..SolidMesh::default() };
        mesh.cells.push_polyhedron(faces.iter().map(|face| &face[..]));
        assert_right_handed(&format!("cube with faces {permuted:06b} permuted"), &mesh);
    }
}

#[test]
fn child_i_of_cell_c_is_cell_8c_plus_i_at_corner_i_with_its_axes() {
    // with sharp edges a grid refines to the finer grid
    let mut mesh = block([2, 1, 2]);
    crease_box_edges(&mut mesh, INF);
    let refined = refine_mesh(&mesh, 1, VertexRule::default()).expect("valid");
    for c in 0..mesh.cells.len() {
        let parent = corners(&mesh, c);
        for (i, corner) in CORNERS.iter().enumerate() {
            let child = corners(&refined, 8 * c + i);
            for (j, own) in CORNERS.iter().enumerate() {
                let place = |d: usize| parent[0][d] + 0.5 * (corner[d] + own[d]) as f64;
                close(child[j], std::array::from_fn(place), 1e-15, || {
                    format!("child {i} of cell {c}, corner {j}")
                });
            }
        }
    }
}

#[test]
fn attributes_refine_with_the_weights_of_the_points() {
    for mesh in [mixed(), perturbed(&block([2, 2, 3]), 0.05, 1)] {
        let mut mesh = mesh;
        crease_at_random(&mut mesh, &[0.5, INF], 4, 2);
        let column = |d: usize| mesh.points.iter().map(|p| p[d]).collect::<Vec<f64>>();
        let flat: Vec<f64> = mesh.points.iter().flatten().copied().collect();
        mesh.attributes = vec![
            Attribute { name: "x".into(), width: 1, values: column(0) },
            Attribute { name: "all".into(), width: 3, values: flat },
        ];
        for (rule, _) in RULES {
            let refinement = MeshRefinement::new(&mesh, 2, rule).expect("valid");
            let refined = refinement.mesh(&mesh).expect("its points");
            assert_eq!(refined, refine_mesh(&mesh, 2, rule).expect("valid"));
            let [x, all] = &refined.attributes[..] else { panic!("two attributes") };
            assert_eq!((x.name.as_str(), x.width, all.width), ("x", 1, 3));
            assert!(x.values.iter().zip(&refined.points).all(|(x, p)| *x == p[0]));
            assert!(all.values.iter().eq(refined.points.iter().flatten()));
        }
    }
}

#[test]
fn vertices_of_no_cell_vanish() {
    let mut mesh = block([1, 1, 1]);
    mesh.points.push([9.0; 3]);
    let refined = refine_mesh(&mesh, 1, VertexRule::default()).expect("orphans are allowed");
    assert_eq!(refined.points.len(), 27);
}

/// Hexahedra, a wedge, a tetrahedron and a polyhedron: every child has the centroid of its parent
/// as a corner.
#[test]
fn refined_cells_have_the_values_of_their_parents() {
    let mut mesh = mixed();
    let parents = mesh.cells.len();
    let centroid = |cell: usize| -> [f64; 3] {
        let corners = mesh.cells.vertices(cell);
        let sum = |d: usize| corners.iter().map(|&v| mesh.points[v as usize][d]).sum::<f64>();
        std::array::from_fn(|d| sum(d) / corners.len() as f64)
    };
    let centroids: Vec<f64> = (0..parents).flat_map(centroid).collect();
    let numbers = (0..parents).map(|cell| 7.0 - cell as f64).collect();
    mesh.cell_data = vec![
        CellArray::new("centroid", 3, centroids, false),
        CellArray::new("number", 1, numbers, true),
    ];
    let fine = refine_mesh(&mesh, 1, VertexRule::default()).unwrap();
    fine.check().unwrap();
    let mut children = vec![0; parents];
    for cell in 0..fine.cells.len() {
        let expected: [f64; 3] =
            fine.cell_data[0].values[3 * cell..3 * cell + 3].try_into().unwrap();
        let is_there = fine.cells.vertices(cell).iter().any(|&v| {
            let point = fine.points[v as usize];
            (0..3).all(|d| (point[d] - expected[d]).abs() < 1e-14)
        });
        assert!(is_there, "cell {cell} is not a child of the cell around {expected:?}");
        children[(7.0 - fine.cell_data[1].values[cell]) as usize] += 1;
    }
    assert!(fine.cell_data[1].integers);
    // one for each corner
    assert_eq!(children, [8, 6, 4, 10]);
    let finest = refine_mesh(&fine, 1, VertexRule::default()).unwrap();
    assert_eq!(refine_mesh(&mesh, 2, VertexRule::default()).unwrap().cell_data, finest.cell_data);
    let same = refine_mesh(&mesh, 0, VertexRule::default()).unwrap();
    assert_eq!(same.cell_data, mesh.cell_data);
}
