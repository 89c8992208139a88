//! Left-handed and folded hexahedra: the limit does not care, and what has to decide
//! decides as for the right-handed mesh.

use std::collections::BTreeSet;

use crate::oracle::random::Random;
use crate::support::meshes::{block, fan, mixed, models, shapes};
use crate::support::{Limits, close, size};
use subsolid::limit::Solid;
use subsolid::mesh::{CellKind, Cells, SolidMesh};
use subsolid::plan::Want;
use subsolid::quadrature::{Mapping, QuadratureScheme, Report};
use subsolid::refine::{crease_by_angle, refine_mesh, reorient};
use subsolid::scheme::VertexRule;
use subsolid::slice::{SliceOptions, Slicer};
use subsolid::surface::boundary_surface;
use subsolid::{Quadrature, SurfaceMesh};

/// The mesh with u and v swapped in the hexahedra that `pick` takes.
fn mirrored(mesh: &SolidMesh, mut pick: impl FnMut(usize) -> bool) -> SolidMesh {
    let mut cells = Cells::default();
    for c in 0..mesh.cells.len() {
        let (kind, v) = (mesh.cells.kind(c), mesh.cells.vertices(c));
        match kind {
            CellKind::Polyhedron => {
                let mut faces: Vec<Vec<u32>> = Vec::new();
                mesh.cells.for_each_face(c, |face| faces.push(face.to_vec()));
                cells.push_polyhedron(faces.iter().map(Vec::as_slice));
            }
            CellKind::Hexahedron if pick(c) => {
                cells.push(kind, &[0, 3, 2, 1, 4, 7, 6, 5].map(|i| v[i]));
            }
            _ => cells.push(kind, v),
        }
    }
    SolidMesh { cells, ..mesh.clone() }
}

fn some() -> impl FnMut(usize) -> bool {
    let mut random = Random::new(11);
    move |_| random.below(3) == 0
}

/// Shapes and models, with every third hexahedron mirrored or so.
fn pairs() -> Vec<(String, SolidMesh, SolidMesh)> {
    let mut all = shapes();
    all.extend(models());
    all.push(("mixed".into(), mixed()));
    let pair = |(name, mesh): (String, SolidMesh)| {
        let other = mirrored(&mesh, some());
        (name, mesh, other)
    };
    all.into_iter().map(pair).collect()
}

#[test]
fn limits_do_not_depend_on_handedness() {
    let mut random = Random::new(3);
    for (name, mesh, other) in pairs() {
        let (a, b) = (Limits::new(&mesh), Limits::new(&other));
        let size = size(&mesh.points);
        let tolerance = 1e-13 * size;
        assert_eq!(a.solid.elements().len(), b.solid.elements().len());
        for _ in 0..200 {
            let e = random.below(a.solid.elements().len());
            let element = a.solid.elements()[e];
            let is_swapped = mesh.cells.vertices(element.cell as usize)
                != other.cells.vertices(element.cell as usize);
            let p = random.parameters();
            let q = if is_swapped { [p[1], p[0], p[2]] } else { p };
            let at = || format!("{name}, element {e} at {p:?}");
            close(a.position(e, p), b.position(e, q), tolerance, at);
            let ([au, av, aw], [mut bu, mut bv, bw]) = (a.first(e, p), b.first(e, q));
            if is_swapped {
                std::mem::swap(&mut bu, &mut bv);
            }
            for (a, b) in [(au, bu), (av, bv), (aw, bw)] {
                assert_eq!(a.is_some(), b.is_some(), "{}", at());
                if let (Some(a), Some(b)) = (a, b) {
                    close(a, b, 1e-11 * size, at);
                }
            }
        }
    }
}

/// Faces as cycles from their smallest vertex.
fn cycles(surface: &SurfaceMesh) -> BTreeSet<Vec<u32>> {
    let turned = |face: &[u32]| {
        let least = (0..face.len()).min_by_key(|&i| face[i]).expect("a face");
        [&face[least..], &face[..least]].concat()
    };
    surface.faces.iter().map(turned).collect()
}

#[test]
fn boundaries_face_outward() {
    for (name, mesh, other) in pairs() {
        let expected = boundary_surface(&mesh).expect("a boundary");
        let all = mirrored(&mesh, |_| true);
        for (which, mesh) in [("some", &other), ("all", &all)] {
            let found = boundary_surface(mesh).expect("a boundary");
            assert_eq!(cycles(&found), cycles(&expected), "{name}, {which} mirrored");
            let (mut a, mut b) = (mesh.clone(), other.clone());
            let [a, b] = [&mut a, &mut b].map(|mesh| crease_by_angle(mesh, 40.0).expect("angles"));
            assert_eq!(a, b, "{name}, {which} mirrored");
        }
    }
}

#[test]
fn two_parts_are_oriented_each_for_itself() {
    let one = block([2, 1, 1]);
    let mut mesh = mirrored(&one, |_| true);
    let first = mesh.points.len() as u32;
    mesh.points.extend(one.points.iter().map(|p| [p[0] + 5.0, p[1], p[2]]));
    for c in 0..one.cells.len() {
        let moved: Vec<u32> = one.cells.vertices(c).iter().map(|v| v + first).collect();
        mesh.cells.push(CellKind::Hexahedron, &moved);
    }
    assert_eq!(mesh.handedness().left_handed, 2);
    assert!(!mesh.handedness().is_all_left());
    let once = cycles(&boundary_surface(&one).expect("a boundary"));
    let moved = once.iter().map(|face| face.iter().map(|v| v + first).collect::<Vec<u32>>());
    let both: BTreeSet<Vec<u32>> = once.iter().cloned().chain(moved).collect();
    assert_eq!(cycles(&boundary_surface(&mesh).expect("a boundary")), both);
    assert_eq!(reorient(&mut mesh).expect("an orientation"), 2);
    assert_eq!(mesh.handedness().left_handed, 0);
}

#[test]
fn reoriented_meshes_are_right_handed() {
    for (name, mesh, other) in pairs() {
        let swapped = (0..mesh.cells.len())
            .filter(|&c| mesh.cells.vertices(c) != other.cells.vertices(c))
            .count();
        let mut right = mesh.clone();
        let turned = reorient(&mut right).expect("an orientation");
        let mut again = other.clone();
        assert_eq!(reorient(&mut again).expect("an orientation"), swapped + turned, "{name}");
        assert_eq!(again.handedness().left_handed, 0, "{name}");
        assert_eq!(again, right, "{name}");
        assert_eq!(reorient(&mut again).expect("an orientation"), 0, "{name}");
    }
}

/// As VTK's shape functions, Gmsh and MFEM have it: u × v · w > 0 at the first corner.
#[test]
fn reoriented_wedges_and_tetrahedra_have_positive_volumes() {
    let prism = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let above = prism.map(|[x, y, _]| [x, y, 1.0]);
    let points = [prism, above].concat();
    for (kind, order, changes) in [
        (CellKind::Wedge, &[0, 1, 2, 3, 4, 5][..], 0),
        (CellKind::Wedge, &[0, 2, 1, 3, 5, 4], 1),
        (CellKind::Tetrahedron, &[0, 1, 2, 3], 0),
        (CellKind::Tetrahedron, &[0, 2, 1, 3], 1),
    ] {
        let mut mesh = SolidMesh { points: points.clone(), ..SolidMesh::default() };
        mesh.cells.push(kind, order);
        assert_eq!(reorient(&mut mesh).unwrap(), changes, "{order:?}");
        let v = mesh.cells.vertices(0);
        let edge = |i: usize| {
            let (a, b) = (points[v[0] as usize], points[v[i] as usize]);
            nalgebra::Vector3::from_fn(|d, _| b[d] - a[d])
        };
        assert!(edge(1).cross(&edge(2)).dot(&edge(3)) > 0.0, "{order:?}: {v:?}");
    }
}

#[test]
fn layers_do_not_depend_on_handedness() {
    for (name, mesh, other) in pairs() {
        let area = |mesh: &SolidMesh| {
            let solid = Solid::new(mesh).expect("a solid");
            let slicer =
                Slicer::new(&solid, mesh.controls(), SliceOptions::default()).expect("a slicer");
            let [low, high] = slicer.heights();
            let layers = (1..4).map(|i| slicer.layer(i, low + (high - low) * 0.271 * i as f64));
            layers.map(|layer| layer.area()).collect::<Vec<f64>>()
        };
        let expected = area(&mesh);
        assert!(expected.iter().all(|&area| area > 0.0), "{name}: {expected:?}");
        let size = size(&mesh.points);
        for mesh in [other, mirrored(&mesh, |_| true)] {
            for (a, b) in area(&mesh).into_iter().zip(&expected) {
                assert!((a - b).abs() <= 1e-4 * size * size, "{name}: {a} and {b}");
            }
        }
    }
}

fn report(mesh: &SolidMesh) -> Report {
    let solid = Solid::new(mesh).expect("a solid");
    let scheme = QuadratureScheme { gauss: 4, rings: Some(2) };
    let quadrature = Quadrature::new(&solid, scheme, Want::FIRST).expect("a quadrature");
    Report::new(&Mapping::new(&quadrature, mesh.controls()).expect("a mapping")).expect("volumes")
}

#[test]
fn volumes_of_left_handed_meshes_are_positive() {
    for mesh in [fan(5, 2, 2), block([3, 3, 3])] {
        let (right, left) = (report(&mesh), report(&mirrored(&mesh, |_| true)));
        assert!(left.left_handed && !right.left_handed);
        assert!((left.volume / right.volume - 1.0).abs() < 1e-13);
        assert!(left.quality.non_positive == right.quality.non_positive);
        assert!(left.quality.non_positive.is_empty());
        // both kinds: the quality tells
        let both = report(&mirrored(&mesh, |c| c == 1));
        assert!(!both.left_handed);
        assert_eq!(both.quality.non_positive.keys().collect::<Vec<_>>(), [&1]);
    }
}

#[test]
fn a_folded_cell_is_evaluated_and_named() {
    let mut mesh = block([3, 3, 3]);
    let inner = mesh.points.iter().position(|p| *p == [1.0; 3]).expect("an inner vertex");
    mesh.points[inner] = [5.5, 5.5, 5.5];
    let found = mesh.handedness();
    assert!(found.left_handed > 0 && !found.is_all_left(), "{found:?}");
    let (cell, scaled) = found.worst.expect("a cell");
    assert!((-1.0..0.0).contains(&scaled) && (cell as usize) < mesh.cells.len());
    // evaluated, with the same weights as ever; and its order is that of its neighbors
    let limits = Limits::new(&mesh);
    let sound = block([3, 3, 3]);
    let expected = Limits::of(Solid::new(&sound).expect("a solid"), &mesh.points);
    for e in 0..mesh.cells.len() {
        let p = [0.3, 0.6, 0.2];
        assert_eq!(limits.position(e, p), expected.position(e, p));
    }
    assert_eq!(reorient(&mut mesh).expect("an orientation"), 0);
    let boundary = boundary_surface(&mesh).expect("a boundary");
    assert_eq!(cycles(&boundary), cycles(&boundary_surface(&sound).expect("a boundary")));
}

/// Three hexahedra in a ring that closes with a half-turn of its ends, mirrored.
#[test]
fn a_band_without_an_outside_is_refused() {
    let n = 6;
    // cross-sections of a ring; the last cell goes back to the first one mirrored
    let mut points = Vec::new();
    for i in 0..n {
        let (s, c) = (i as f64 * std::f64::consts::TAU / n as f64).sin_cos();
        for [r, z] in [[2.0, 0.0], [3.0, 0.0], [3.0, 1.0], [2.0, 1.0]] {
            points.push([r * c, r * s, z]);
        }
    }
    let hexahedra: Vec<[u32; 8]> = (0..n as u32)
        .map(|i| {
            let next = 4 * ((i + 1) % n as u32);
            let end = if i + 1 == n as u32 { [1, 0, 3, 2] } else { [0, 1, 2, 3] };
            std::array::from_fn(|k| if k < 4 { 4 * i + k as u32 } else { next + end[k - 4] })
        })
        .collect();
    let mesh = SolidMesh::from_hexahedra(points, &hexahedra);
    let message = boundary_surface(&mesh).expect_err("no outside").to_string();
    assert!(message.contains("no outside"), "{message}");
    // the limit exists
    Limits::new(&mesh).position(0, [0.5; 3]);
}

/// A corner of a cell that is not a hexahedron has the number that the mesh gives it, whichever way
/// the cell looks and the faces of a polyhedron run.
#[test]
fn corners_have_the_numbers_of_the_mesh() {
    let wedge = [[0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.0, 1.2, 0.1]];
    let points: Vec<[f64; 3]> = (0..6)
        .map(|i| {
            [wedge[i % 3][0], wedge[i % 3][1] + 0.1 * i as f64, wedge[i % 3][2] + (i / 3) as f64]
        })
        .collect();
    let corners = |kind: CellKind, order: &[u32]| {
        let mut cells = Cells::default();
        match kind {
            CellKind::Polyhedron => {
                // the faces of the wedge, all of them inward or outward
                let mut faces: Vec<Vec<u32>> = Vec::new();
                CellKind::Wedge.faces().iter().for_each(|face| {
                    faces.push(face.iter().map(|&i| u32::from(i)).collect());
                });
                if order[0] > order[1] {
                    faces.iter_mut().for_each(|face| face.reverse());
                }
                cells.push_polyhedron(faces.iter().map(Vec::as_slice));
            }
            _ => cells.push(kind, order),
        }
        let mesh = SolidMesh { points: points.clone(), cells, ..SolidMesh::default() };
        let limits = Limits::new(&mesh);
        let listed = mesh.cells.vertices(0).to_vec();
        let mut places: Vec<(u32, [f64; 3])> = Vec::new();
        for (e, element) in limits.solid.elements().iter().enumerate() {
            assert_eq!(element.corner, Some(e as u8));
            places.push((listed[e], limits.position(e, [0.0; 3])));
        }
        places.sort_by_key(|place| place.0);
        // children stand in the order of corners, and have the corner first
        let fine = refine_mesh(&mesh, 1, VertexRule::default()).unwrap();
        for (child, &v) in listed.iter().enumerate() {
            assert_eq!(fine.cells.vertices(child)[0], v, "{kind:?} {order:?}");
        }
        places
    };
    for (kind, one, other) in [
        (CellKind::Tetrahedron, &[0, 1, 2, 3][..], &[1, 0, 2, 3][..]),
        (CellKind::Tetrahedron, &[0, 1, 2, 3], &[0, 1, 3, 2]),
        (CellKind::Wedge, &[0, 1, 2, 3, 4, 5], &[3, 4, 5, 0, 1, 2]),
        (CellKind::Wedge, &[0, 1, 2, 3, 4, 5], &[0, 2, 1, 3, 5, 4]),
        (CellKind::Polyhedron, &[0, 1], &[1, 0]),
    ] {
        let (a, b) = (corners(kind, one), corners(kind, other));
        for ((v, p), (w, q)) in a.into_iter().zip(b) {
            assert_eq!(v, w);
            close(p, q, 1e-14, || format!("{kind:?} {other:?}, vertex {v}"));
        }
    }
}
