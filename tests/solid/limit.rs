//! Limit evaluation, cell by cell, on every shape and on the small models:
//! precision, agreement with explicit refinement, continuity.

use rayon::prelude::*;

use crate::oracle::convert;
use crate::oracle::incidence::Incidence;
use crate::oracle::random::Random;
use crate::oracle::solid::CORNERS;
use crate::oracle::spline::tricubic;
use crate::oracle::vector::{Greatest, ORIGIN, Point, add, greater, scale};
use crate::support::compare::with_refinement;
use crate::support::meshes::{INF, block, crease_at_random, mixed, models, perturbed, shapes};
use crate::support::{FIRST, Limits, POSITION, close, places, size};
use subsolid::limit::{Class, LeafKind, Solid};
use subsolid::mesh::SolidMesh;
use subsolid::mesh::shape::Shape;

#[test]
fn every_shape_equals_the_limit_of_explicit_refinement() {
    shapes().par_iter().enumerate().for_each(|(seed, (name, mesh))| {
        with_refinement(name, mesh, 1, seed as u64);
    });
}

#[test]
fn the_models_equal_the_limit_of_explicit_refinement() {
    models().par_iter().enumerate().for_each(|(seed, (name, mesh))| {
        with_refinement(name, mesh, 1, seed as u64);
    });
}

/// Shapes, models and creased variants of some of them.
fn all_meshes() -> Vec<(String, SolidMesh)> {
    let mut all = shapes();
    all.extend(models());
    let creased = all.iter().take(9).map(|(name, mesh)| {
        let mut mesh = mesh.clone();
        crease_at_random(&mut mesh, &[0.5, 1.0, 2.3, INF], 5, 3);
        (format!("{name} with creases"), mesh)
    });
    let creased: Vec<_> = creased.collect();
    all.extend(creased);
    all.push(("mixed".into(), mixed()));
    all
}

#[test]
fn weights_are_exact_for_constants() {
    all_meshes().par_iter().for_each(|(name, mesh)| {
        let solid = Solid::new(mesh).unwrap_or_else(|e| panic!("{name}: {e}"));
        let mut random = Random::new(1);
        for leaf in places::leaves(&solid, 2, &mut random) {
            for p in places::local_parameters(&mut random) {
                let sum = |w: Vec<f64>| w.iter().sum::<f64>();
                let value = solid.weights(&leaf, p, POSITION).map(sum).expect("a position");
                assert!((value - 1.0).abs() <= 1e-13, "{name}, {:?} at {p:?}: {value}", leaf.kind);
                for orders in FIRST {
                    let Some(weights) = solid.weights(&leaf, p, orders) else { continue };
                    let largest = weights.iter().fold(1.0_f64, |m, w| m.max(w.abs()));
                    let value = sum(weights);
                    assert!(
                        value.abs() <= 1e-13 * largest,
                        "{name}, {:?} at {p:?}: {value}",
                        leaf.kind
                    );
                }
            }
        }
    });
}

#[test]
fn affine_maps_of_the_control_points_map_the_limit() {
    let map = |[x, y, z]: Point| [2.0 * x - y + 7.0, 0.3 * z - x, y + z - 9.0];
    all_meshes().par_iter().for_each(|(name, mesh)| {
        let mut moved = mesh.clone();
        moved.points.iter_mut().for_each(|p| *p = map(*p));
        let limits = Limits::new(mesh);
        let moved = Limits::of(Solid::new(mesh).expect("valid"), &moved.points);
        let size = 10.0 + size(&mesh.points);
        let mut random = Random::new(2);
        for leaf in places::leaves(&limits.solid, 2, &mut random) {
            for local in places::local_parameters(&mut random) {
                let (element, p) = (leaf.element as usize, places::in_element(&leaf, local));
                let [a, b] = [map(limits.position(element, p)), moved.position(element, p)];
                close(a, b, 1e-13 * size, || format!("{name}, {:?} at {p:?}", leaf.kind));
            }
        }
    });
}

#[test]
fn a_straight_interior_reproduces_its_parameters() {
    // linear precision: inside a block the limit is the identity
    let limits = Limits::new(&block([6, 6, 6]));
    let mut random = Random::new(3);
    let mut compared = 0;
    for (cell, class) in limits.solid.classes().iter().enumerate() {
        if *class != Class::Regular {
            continue;
        }
        let corner = limits.point(limits.solid.elements()[cell].corners[0]);
        let inner = corner.iter().all(|&x| (1.0..=4.0).contains(&x));
        if !inner {
            continue;
        }
        compared += 1;
        let p = random.parameters();
        close(limits.position(cell, p), add(corner, p), 1e-14 * 6.0, || format!("cell {cell}"));
        for (d, first) in limits.first(cell, p).into_iter().enumerate() {
            let unit = std::array::from_fn(|i| f64::from(u8::from(i == d)));
            close(first.expect("regular"), unit, 1e-14, || format!("cell {cell}"));
        }
    }
    assert_eq!(compared, 64);
}

#[test]
fn regular_cells_equal_an_independent_spline() {
    let block = perturbed(&block([5, 5, 5]), 0.05, 4);
    let limits = Limits::new(&block);
    let at: std::collections::HashMap<[i64; 3], usize> = crate::support::meshes::block([5, 5, 5])
        .points
        .iter()
        .enumerate()
        .map(|(v, p)| (p.map(|x| x.round() as i64), v))
        .collect();
    let grid = crate::support::meshes::block([5, 5, 5]);
    let mut random = Random::new(5);
    let mut compared = 0;
    for cell in 0..grid.cells.len() {
        let corner = grid.points[grid.cells.vertices(cell)[0] as usize].map(|x| x.round() as i64);
        if corner.iter().any(|x| !(1..=3).contains(x)) {
            continue;
        }
        compared += 1;
        let net = std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                std::array::from_fn(|k| {
                    let offset = [i, j, k].map(|x| x as i64 - 1);
                    block.points[at[&std::array::from_fn(|d| corner[d] + offset[d])]]
                })
            })
        });
        for sides in 0..4 {
            let p = places::pulled(&mut random, sides, 0.0);
            let expected = tricubic(&net, [0, 0, 0], p);
            close(limits.position(cell, p), expected, 1e-14 * 5.0, || {
                format!("cell {cell} at {p:?}")
            });
        }
    }
    assert_eq!(compared, 27);
}

/// Parameters of a face's bilinear place in the cell of these corners.
fn on_face(corners: &[u32; 8], face: &[u32], weights: [f64; 4]) -> Point {
    face.iter().zip(weights).fold(ORIGIN, |p, (v, weight)| {
        let at = corners.iter().position(|c| c == v).expect("a corner of the cell");
        add(p, scale(CORNERS[at].map(|x| x as f64), weight))
    })
}

#[test]
fn cells_agree_on_every_shared_face() {
    all_meshes().par_iter().enumerate().for_each(|(seed, (name, mesh))| {
        let solid = Solid::new(mesh).unwrap_or_else(|e| panic!("{name}: {e}"));
        let mesh = perturbed(mesh, 0.05, seed as u64);
        let (limits, size) = (Limits::of(solid, &mesh.points), size(&mesh.points));
        let elements: Vec<[u32; 8]> = limits.solid.elements().iter().map(|e| e.corners).collect();
        let hexahedra: Vec<_> = elements.iter().map(|c| c.map(|v| v as usize)).collect();
        let incidence = Incidence::of(&crate::oracle::solid::Solid::hexahedra(
            vec![[0.0; 3]; limits.solid.point_count()],
            &hexahedra,
        ));
        let mut random = Random::new(seed as u64);
        for (face, cells) in incidence.faces.iter().zip(&incidence.face_cells) {
            let &[a, b] = &cells[..] else { continue };
            let face: Vec<u32> = face.iter().map(|&v| v as u32).collect();
            let [u, v, _] = places::pulled(&mut random, 1, 1e-6);
            for [u, v] in [[u, v], [random.unit(), random.unit()]] {
                let weights = [(1.0 - u) * (1.0 - v), u * (1.0 - v), u * v, (1.0 - u) * v];
                let [p, q] =
                    [a, b].map(|c| limits.position(c, on_face(&elements[c], &face, weights)));
                close(p, q, 1e-12 * size, || format!("{name}, elements {a} and {b}"));
            }
        }
    });
}

/// Off extraordinary points every first derivative exists. On them it exists
/// exactly if one value is approached from everywhere, and then it is that value.
#[test]
fn derivatives_exist_where_all_directions_agree() {
    let (mut existing, mut missing) = (0, 0);
    for (name, mesh) in shapes() {
        let solid = Solid::new(&mesh).expect("valid");
        let mut random = Random::new(7);
        for leaf in places::leaves(&solid, 1, &mut random) {
            for sides in 0..4 {
                let local = places::pulled(&mut random, sides, 0.0);
                let center = match leaf.kind {
                    LeafKind::Regular(_) => false,
                    LeafKind::Layered(_, permutation, _) => {
                        permutation.local(local)[..2] == [0.0; 2]
                    }
                    LeafKind::Irregular(_, permutation) => permutation.local(local) == [0.0; 3],
                };
                let on_edge = matches!(leaf.kind, LeafKind::Irregular(..)) && sides == 2;
                for orders in FIRST {
                    let weights = solid.weights(&leaf, local, orders);
                    if !center {
                        assert!(
                            weights.is_some() || on_edge,
                            "{name}, {:?} at {local:?}",
                            leaf.kind
                        );
                        continue;
                    }
                    // from the inside, in several directions, at two depths
                    let near = |depth: i32, toward: [f64; 3]| {
                        let step = 2_f64.powi(-depth);
                        let p = std::array::from_fn(|d| local[d] + step * (toward[d] - local[d]));
                        solid.weights(&leaf, p, orders).expect("off the extraordinary point")
                    };
                    let mut spread = 0.0_f64;
                    let mut close = 0.0_f64;
                    let reference = near(40, [0.5; 3]);
                    for toward in [[0.5; 3], [0.3, 0.6, 0.4], [0.8, 0.2, 0.6], [0.4, 0.7, 0.8]] {
                        for depth in [38, 40] {
                            let found = near(depth, toward);
                            let distance = |other: &[f64]| {
                                let pairs = found.iter().zip(other);
                                pairs.map(|(a, b)| (a - b).abs()).greatest()
                            };
                            spread = greater(spread, distance(&reference));
                            close = greater(close, weights.as_deref().map_or(0.0, distance));
                        }
                    }
                    if weights.is_some() {
                        existing += 1;
                        assert!(
                            close < 2e-3,
                            "{name}, {:?}: {close} away from the limit",
                            leaf.kind
                        );
                    } else {
                        missing += 1;
                        assert!(
                            spread > 1e-3,
                            "{name}, {:?}: {spread}, a limit is there",
                            leaf.kind
                        );
                    }
                }
            }
        }
    }
    assert!(existing > 10 && missing > 10, "{existing} existing, {missing} missing");
}

/// The boundary curve around a smooth edge of a box is a cubic spline through its corner: by both
/// parameters the derivative there is half the difference of the neighbors along it.
#[test]
fn derivatives_at_smooth_edges_are_those_of_splines() {
    let mesh = Shape::Box { cells: [2, 2, 6] }.build().unwrap();
    let limits = Limits::new(&mesh);
    for cell in 4..20 {
        let [u, v] = [cell % 2, cell / 2 % 2].map(|side| side as f64);
        let across = if u == v { -0.5 } else { 0.5 };
        for w in [0.0, 0.3, 1.0] {
            let [by_u, by_v, _] = limits.first(cell, [u, v, w]);
            let what = || format!("cell {cell} at {w}");
            close(by_u.expect("by u"), [0.5, across, 0.0], 4e-15, what);
            close(by_v.expect("by v"), [across, 0.5, 0.0], 4e-15, what);
        }
    }
}

#[test]
fn polyhedral_cells_evaluate_on_their_children() {
    let mesh = mixed();
    let limits = Limits::new(&mesh);
    let refined = convert::solid(&mesh).refine(crate::oracle::solid::VertexRule::LayerConsistent);
    let mut random = Random::new(8);
    let mut compared = 0;
    for (e, element) in limits.solid.elements().iter().enumerate() {
        if element.corner.is_none() {
            continue;
        }
        compared += 1;
        // the same child of the oracle, its axes in another order
        let corners = element.corners.map(|v| limits.point(v));
        let find = |p: Point, among: &[usize]| {
            among
                .iter()
                .position(|&v| crate::oracle::vector::distance(refined.points[v], p) < 1e-13)
        };
        let matching = |cell: &crate::oracle::solid::Cell| {
            let found = corners.map(|p| find(p, cell.corners()));
            found.iter().all(Option::is_some).then(|| found.map(|at| at.expect("found")))
        };
        let (cell, at) = (refined.cells.iter().enumerate())
            .find_map(|(c, cell)| Some((c, matching(cell)?)))
            .expect("a child with these corners");
        for _ in 0..4 {
            let p = random.parameters();
            let q = CORNERS.iter().zip(at).fold(ORIGIN, |q, (corner, at)| {
                let weight = |d: usize| if corner[d] == 1 { p[d] } else { 1.0 - p[d] };
                add(q, scale(CORNERS[at].map(|x| x as f64), weight(0) * weight(1) * weight(2)))
            });
            let rule = crate::oracle::solid::VertexRule::LayerConsistent;
            let expected = crate::oracle::limit::evaluate(&refined, rule, cell, q).position;
            close(limits.position(e, p), expected, 1e-10, || format!("element {e}"));
        }
    }
    // all but the hexahedron
    assert_eq!(compared, limits.solid.elements().len() - 1);
    let hexahedron = 0;
    for _ in 0..4 {
        let p = random.parameters();
        let rule = crate::oracle::solid::VertexRule::LayerConsistent;
        let expected = crate::oracle::limit::evaluate(&convert::solid(&mesh), rule, 0, p).position;
        close(limits.position(hexahedron, p), expected, 1e-10, || "the hexahedron".into());
    }
}
