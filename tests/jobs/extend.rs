//! Layers of ghosts: whole boxes keep their sharp limit, concave edges do not fold, and edges that no
//! number of ghosts suits are named.

use subsolid::backend::{Backend, Cpu};
use subsolid::extend::{FallbackReason, extend};
use subsolid::mesh::shape::Shape;
use subsolid::mesh::{CORNERS, SolidMesh};
use subsolid::plan::{Quantity, Samples, Want};
use subsolid::quadrature::{Mapping, QuadratureScheme, Report};
use subsolid::refine::crease_by_angle;
use subsolid::{Quadrature, Solid};

use crate::oracle::random::Random;
use crate::oracle::vector::euclidean as distance;
use crate::support::meshes::{block, model};
use crate::support::refused;

fn volume(mesh: &SolidMesh) -> f64 {
    let solid = Solid::new(mesh).unwrap();
    let scheme = QuadratureScheme { gauss: 5, rings: Some(3) };
    let quadrature = Quadrature::new(&solid, scheme, Want::FIRST).unwrap();
    Report::new(&Mapping::new(&quadrature, mesh.controls()).unwrap()).unwrap().volume
}

/// Limit points at 4³ samples of every cell of the solid, and the least of det J.
fn samples(mesh: &SolidMesh) -> (Vec<[f64; 3]>, f64) {
    let solid = Solid::new(mesh).unwrap();
    let plan = solid.plan(&Samples::grid(4), Want::POSITION | Want::DETERMINANT).unwrap();
    let limit = Cpu::default().evaluate(&plan, mesh.controls()).unwrap();
    let points = (0..limit.len()).map(|i| limit.positions.triple(i)).collect();
    let determinants = limit.quantity(Quantity::Determinant, None).unwrap();
    (points, determinants.iter().fold(f64::INFINITY, f64::min))
}

/// A mesh of unit cubes at some places of a grid.
fn cubes(places: &[[i32; 3]]) -> SolidMesh {
    let mut points: Vec<[i32; 3]> = Vec::new();
    let mut cells = Vec::new();
    for place in places {
        cells.push(CORNERS.map(|offset| {
            let p: [i32; 3] = std::array::from_fn(|d| place[d] + offset[d] as i32);
            points.iter().position(|q| *q == p).unwrap_or_else(|| {
                points.push(p);
                points.len() - 1
            }) as u32
        }));
    }
    SolidMesh::from_hexahedra(points.iter().map(|p| p.map(f64::from)).collect(), &cells)
}

/// An L-prism of 2 × 2 × 2 cubes in each of three squares.
fn l_prism() -> SolidMesh {
    let mut places = Vec::new();
    for x in 0..4 {
        for y in 0..4 {
            if x < 2 || y < 2 {
                places.extend([[x, y, 0], [x, y, 1]]);
            }
        }
    }
    cubes(&places)
}

#[test]
fn a_box_keeps_the_limit_that_creases_give_it() {
    for cells in [[1, 1, 1], [2, 3, 2], [4, 2, 3]] {
        let mut mesh = block(cells);
        let (extended, report) = extend(&mesh, 40.0).unwrap();
        crease_by_angle(&mut mesh, 40.0).unwrap();
        let around: usize = cells.iter().map(|n| n + 2).product();
        assert_eq!(report.ghosts, around - cells.iter().product::<usize>());
        assert!(report.fallbacks.is_empty(), "{report:?}");
        let [(creased, _), (own, least)] = [&mesh, &extended].map(samples);
        for (a, b) in creased.iter().zip(&own) {
            assert!(distance(*a, *b) < 1e-12, "{a:?} {b:?}");
        }
        assert!(least > 0.0);
    }
}

#[test]
fn concave_edges_do_not_fold() {
    let mut mesh = l_prism();
    let (extended, report) = extend(&mesh, 40.0).unwrap();
    assert_eq!((report.concave_edges, report.fallbacks.len()), (2, 0), "{report:?}");
    let (points, least) = samples(&extended);
    assert!(least > 0.0, "{least}");
    assert!((volume(&extended) - 24.0).abs() < 1e-9, "{}", volume(&extended));
    let inside = |p: &[f64; 3]| p[0] < 2.0 + 1e-9 || p[1] < 2.0 + 1e-9;
    assert!(points.iter().all(inside));
    // with creases it is the same here, where all lines are straight; with two cells inside the
    // edge creases fold
    crease_by_angle(&mut mesh, 40.0).unwrap();
    assert!((volume(&mesh) - 24.0).abs() < 1e-9);
}

#[test]
fn corners_of_all_kinds_are_filled() {
    // a cube of cubes less one at a corner: one concave corner, three concave edges
    let mut places: Vec<[i32; 3]> =
        (0..27).map(|i| [i % 3, i / 3 % 3, i / 9]).filter(|place| *place != [2, 2, 2]).collect();
    let (extended, report) = extend(&cubes(&places), 40.0).unwrap();
    assert!(report.fallbacks.is_empty(), "{report:?}");
    assert_eq!(report.concave_edges, 3);
    assert!((volume(&extended) - 26.0).abs() < 1e-9, "{}", volume(&extended));
    assert!(samples(&extended).1 > 0.0);
    // a step on a plate
    places = (0..16).map(|i| [i % 4, i / 4, 0]).collect();
    places.extend([[1, 1, 1], [2, 1, 1], [1, 2, 1], [2, 2, 1]]);
    let (extended, report) = extend(&cubes(&places), 40.0).unwrap();
    assert!((volume(&extended) - 20.0).abs() < 1e-9, "{report:?}: {}", volume(&extended));
}

/// Cubes at random, whose corners have rims of many kinds: all faces are flat, so the limit is the
/// cubes themselves wherever all edges get their layers.
#[test]
fn cubes_at_random_keep_their_volume() {
    let (mut filled, mut concave) = (0, 0);
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let mut places = vec![[1, 1, 1]];
        while places.len() < 4 + random.below(9) {
            let mut next = places[random.below(places.len())];
            next[random.below(3)] += [-1, 1][random.below(2)];
            if !places.contains(&next) {
                places.push(next);
            }
        }
        // some touch along an edge or in a vertex alone
        let Ok((extended, report)) = extend(&cubes(&places), 40.0) else { continue };
        if report.fallbacks.is_empty() {
            let found = volume(&extended);
            assert!((found - places.len() as f64).abs() < 1e-9, "{places:?}: {found}");
            filled += 1;
            concave += report.concave_edges;
        }
    }
    assert!(filled > 10 && concave > 20, "{filled} {concave}");
}

#[test]
fn models_get_layers_and_fallbacks_are_named() {
    for name in ["mount2_hex.vtk", "mountwithhole_hex.vtk"] {
        let mesh = model(name);
        let (extended, report) = extend(&mesh, 40.0).unwrap();
        assert!(report.ghosts > 0, "{name}");
        for fallback in &report.fallbacks {
            assert_ne!(fallback.wanted, fallback.ghosts, "{name}: {fallback:?}");
            let is_known =
                matches!(fallback.reason, FallbackReason::Shape | FallbackReason::Vertex);
            assert!(is_known && fallback.edge.iter().all(|&v| (v as usize) < mesh.points.len()));
        }
        let solid = Solid::new(&extended).unwrap();
        assert_eq!(solid.elements().len(), mesh.cells.len(), "{name}");
        let [before, after] = [volume(&mesh), volume(&extended)];
        assert!((after / before - 1.0).abs() < 0.2, "{name}: {before} {after}");
    }
}

#[test]
fn what_cannot_be_extended_is_refused() {
    let mesh = block([2, 2, 2]);
    refused(extend(&mesh, 181.0), "an angle of 181 degrees: out of range");
    let (extended, _) = extend(&mesh, 40.0).unwrap();
    refused(extend(&extended, 40.0), "ghost cells already");
    let mut soft = mesh.clone();
    soft.creases.push_edge(0, 1, 1.5);
    refused(extend(&soft, 40.0), "is semi-sharp");
    let mut prism = Shape::Box { cells: [1; 3] }.build().unwrap();
    prism.cells = subsolid::mesh::Cells::default();
    prism.cells.push(subsolid::mesh::CellKind::Wedge, &[0, 1, 2, 4, 5, 6]);
    refused(extend(&prism, 40.0), "is not a quad");
}
