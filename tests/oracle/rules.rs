//! Rules and counts, by hand.

use std::collections::HashMap;

use crate::oracle::incidence::Incidence;
use crate::oracle::random::Random;
use crate::oracle::shapes::{block, disk, fan, wedge_and_tetrahedron};
use crate::oracle::solid::{Solid, VertexRule};
use crate::oracle::spline;
use crate::oracle::surface::{Stars, Surface, edge};
use crate::oracle::vector::{ORIGIN, sub};
use crate::{LAYERS, at, close, in_child, solids};

#[test]
fn spline_basis_has_its_known_values() {
    let known = [
        [1.0 / 6.0, 4.0 / 6.0, 1.0 / 6.0, 0.0],
        [-0.5, 0.0, 0.5, 0.0],
        [1.0, -2.0, 1.0, 0.0],
        [-1.0, 3.0, -3.0, 1.0],
    ];
    for (order, known) in known.iter().enumerate() {
        for (a, b) in spline::weights(order, 0.0).iter().zip(known) {
            assert!((a - b).abs() < 1e-15);
        }
    }
    let middle = [1.0, 23.0, 23.0, 1.0].map(|x| x / 48.0);
    assert!(spline::weights(0, 0.5).iter().zip(middle).all(|(a, b)| (a - b).abs() < 1e-15));
}

#[test]
fn splines_reproduce_the_grid_they_stand_on() {
    let grid = |i: usize, j: usize, k: usize| [i as f64 - 1.0, j as f64 - 1.0, k as f64 - 1.0];
    let net =
        std::array::from_fn(|i| std::array::from_fn(|j| std::array::from_fn(|k| grid(i, j, k))));
    let t = [0.3, 0.9, 1.0];
    close(spline::tricubic(&net, [0, 0, 0], t), t, 1e-15);
    close(spline::tricubic(&net, [0, 1, 0], t), [0.0, 1.0, 0.0], 1e-15);
    close(spline::tricubic(&net, [0, 1, 1], t), ORIGIN, 1e-15);
}

#[test]
fn refined_elements_and_children_are_counted_and_ordered() {
    for solid in solids() {
        let incidence = Incidence::of(&solid);
        let refined = solid.refine(LAYERS);
        let elements = incidence.edges.len() + incidence.faces.len() + solid.cells.len();
        assert_eq!(refined.points.len(), solid.points.len() + elements);
        assert_eq!(refined.cells.len(), 8 * solid.cells.len());
        assert_eq!(refined.boundary.len(), 4 * solid.boundary.len());
        assert_eq!(
            Solid::new(refined.points.clone(), refined.cells.clone()).boundary,
            refined.boundary
        );
        for (c, cell) in solid.cells.iter().enumerate() {
            let children: Vec<_> = (0..8).map(|i| refined.cells[8 * c + i].hexahedron()).collect();
            for (i, child) in children.iter().enumerate() {
                assert_eq!(child[i], cell.corners()[i], "child {i} is at corner {i}");
                // Parallel axes: what is child j's corner i from one side is
                // child i's corner j from the other.
                assert!((0..8).all(|j| child[j] == children[j][i]));
            }
        }
    }
}

#[test]
fn other_polyhedra_become_one_hexahedron_a_corner() {
    let solid = wedge_and_tetrahedron();
    let refined = solid.refine(LAYERS);
    assert_eq!(refined.cells.len(), 6 + 4);
    assert_eq!(solid.children(1), 6..10);
    let quads: usize = solid.skin().faces.iter().map(Vec::len).sum();
    assert_eq!(refined.boundary.len(), quads);
    for (i, cell) in refined.cells.iter().enumerate() {
        let corners = cell.hexahedron();
        let parent = &solid.cells[usize::from(i >= 6)];
        assert_eq!(corners[0], parent.corners()[if i < 6 { i } else { i - 6 }]);
        let [o, u, v, w] = [0, 1, 3, 4].map(|i| refined.points[corners[i]]);
        let [u, v, w] = [u, v, w].map(|end| sub(end, o));
        let determinant = u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0])
            + u[2] * (v[0] * w[1] - v[1] * w[0]);
        assert!(determinant > 0.0, "child {i} is right-handed");
    }
    // Their limits do not depend on the level either.
    let (mut random, next) = (Random::new(5), refined.refine(LAYERS));
    for cell in 0..refined.cells.len() {
        let t = random.parameters();
        let (child, s) = in_child(&refined, cell, t);
        close(at(&refined, cell, t).position, at(&next, child, s).position, 1e-14);
    }
}

#[test]
fn rules_weigh_a_lifted_vertex_as_computed_by_hand() {
    // Interior vertices: (3/4)³ in a grid; 5/12 · 3/4 inside an edge of valence 3.
    let lifted = |mut solid: Solid, v: usize, rule| {
        solid.points.fill(ORIGIN);
        solid.points[v] = [1.0, 0.0, 0.0];
        solid.refine(rule).points[v][0]
    };
    let middle = 2 * 9 - 5; // of a 3×3×3 grid of points
    for rule in [LAYERS, VertexRule::JoyMacCracken] {
        assert!((lifted(block([2, 2, 2]), middle, rule) - 27.0 / 64.0).abs() < 1e-15);
    }
    let center = disk(3, 1).points.len();
    assert!((lifted(fan(3, 1, 2), center, LAYERS) - 5.0 / 16.0).abs() < 1e-15);
    assert!((lifted(fan(3, 1, 2), center, VertexRule::JoyMacCracken) - 27.0 / 64.0).abs() < 1e-15);
}

#[test]
fn creases_and_corners_blend_as_computed_by_hand() {
    // 2×2 quads, the middle vertex (4) lifted by one.
    let quads = [0, 1, 3, 4].map(|v| vec![v, v + 1, v + 4, v + 3]);
    let points = (0..9).map(|v| [(v % 3) as f64, (v / 3) as f64, f64::from(v == 4)]).collect();
    let grid = Surface::new(points, quads.to_vec());
    let heights = |creases: &[(usize, usize, f64)], corner: f64| {
        let mut surface = grid.clone();
        surface.creases = creases.iter().map(|&(a, b, s)| (edge(a, b), s)).collect();
        surface.corners = HashMap::from([(4, corner)]);
        let stars = Stars::of(&surface);
        [stars.vertex_point(4)[2], stars.edge_point((3, 4))[2]]
    };
    let inf = f64::INFINITY;
    assert_eq!(heights(&[], 0.0), [9.0 / 16.0, 3.0 / 8.0]);
    assert_eq!(heights(&[(3, 4, 0.5)], 0.0), [9.0 / 16.0, 7.0 / 16.0], "a dart's end is smooth");
    assert_eq!(heights(&[(3, 4, 0.5), (4, 5, 0.5)], 0.0), [21.0 / 32.0, 7.0 / 16.0]);
    assert_eq!(heights(&[(3, 4, 0.25), (4, 5, 0.75)], 0.0), [21.0 / 32.0, 13.0 / 32.0]);
    assert_eq!(heights(&[(3, 4, 2.3), (4, 5, inf)], 0.0), [3.0 / 4.0, 1.0 / 2.0]);
    assert_eq!(heights(&[(3, 4, 1.0), (4, 5, 1.0), (1, 4, 1.0)], 0.0), [1.0, 0.5]);
    assert_eq!(heights(&[(3, 4, 0.5), (4, 5, 0.5)], 0.5), [25.0 / 32.0, 7.0 / 16.0]);
    assert_eq!(heights(&[], inf), [1.0, 3.0 / 8.0]);
}

#[test]
fn meshes_of_the_library_are_read_as_they_are() {
    use subsolid::mesh::{CellKind, SolidMesh};
    // A wedge on the top face of a hexahedron.
    let mut points = block([1, 1, 1]).points;
    points.extend([[0.0, 0.5, 2.0], [1.0, 0.5, 2.0]]);
    let mut mesh = SolidMesh::from_hexahedra(points, &[[0, 1, 3, 2, 4, 5, 7, 6]]);
    mesh.cells.push(CellKind::Wedge, &[4, 6, 8, 5, 7, 9]);
    mesh.creases.push_edge(1, 0, 2.5);
    mesh.creases.push_corner(3, f64::INFINITY);
    let solid = crate::oracle::convert::solid(&mesh);
    assert_eq!(solid.points, mesh.points);
    assert_eq!(solid.cells[0].hexahedron(), [0, 1, 3, 2, 4, 5, 7, 6]);
    assert_eq!(solid.cells[1].corners(), [4, 6, 8, 5, 7, 9]);
    assert_eq!(solid.boundary.len(), 5 + 4);
    assert_eq!(solid.creases, HashMap::from([((0, 1), 2.5)]));
    assert_eq!(solid.corners, HashMap::from([(3, f64::INFINITY)]));
    assert_eq!(solid.refine(LAYERS).cells.len(), 8 + 6);
}
