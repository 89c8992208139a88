//! Distances to points, inside and outside.

use subsolid::SolidMesh;
use subsolid::mesh::CellKind;
use subsolid::mesh::shape::Shape;
use subsolid::process::solid::{point_seeds, volume_distance};

use crate::oracle::vector::Greatest;
use crate::support::meshes::block;

fn length(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|d| (a[d] - b[d]).powi(2)).sum::<f64>().sqrt()
}

/// Two prongs on a base with a slot of 1/20 between them; vertices of the second prong are higher,
/// and nearer to the point than those of the cell that it is in.
#[test]
fn ways_do_not_cross_a_slot() {
    let whole = block([3, 1, 5]);
    let hexes = whole.cells.hexahedra().unwrap();
    let in_slot = |hex: &[u32; 8]| {
        let p = whole.points[hex[0] as usize];
        p[0] == 1.0 && p[2] >= 1.0
    };
    let left: Vec<[u32; 8]> = hexes.iter().copied().filter(|hex| !in_slot(hex)).collect();
    let mut mesh = SolidMesh::from_hexahedra(whole.points.clone(), &left);
    for p in &mut mesh.points {
        if p[0] >= 2.0 {
            p[0] -= 0.95;
            p[2] += if p[2] >= 2.0 { 0.5 } else { 0.0 };
        }
    }
    let point = [0.98, 0.5, 3.5];
    let (seeds, place) = point_seeds(&mesh, point).unwrap();
    assert_eq!((place.at, place.distance, place.cells.len()), (point, 0.0, 1));
    assert_eq!(place.notice(point), None);
    let found = volume_distance(&mesh, &seeds).unwrap();
    for (p, (q, d)) in whole.points.iter().zip(mesh.points.iter().zip(found)) {
        let straight = length(*q, point);
        if p[0] <= 1.0 && (3.0..=4.0).contains(&p[2]) {
            assert!((d - straight).abs() < 1e-12, "{q:?}: {d} for {straight}");
        } else if p[0] >= 2.0 && p[2] >= 2.0 {
            // around the bottom of the slot, at 1
            let around = length(point, [1.0, 0.5, 1.0]) + length([1.05, 0.5, 1.0], *q);
            assert!(d > around - 0.1 && d < around + 1.0, "{q:?}: {d} for {around}");
        }
    }
}

/// Two blocks beside each other with the same points but no common faces in the upper half.
#[test]
fn ways_do_not_cross_a_crack() {
    let mut mesh = block([2; 3]);
    let point = [0.9, 0.5, 1.5];
    let (seeds, _) = point_seeds(&mesh, point).unwrap();
    assert_eq!(seeds.len(), 27);
    for seed in &seeds {
        assert!((seed.distance - length(mesh.points[seed.vertex as usize], point)).abs() < 1e-15);
    }
    let hexes = mesh.cells.hexahedra().unwrap().to_vec();
    let mut cracked = SolidMesh::from_hexahedra(mesh.points.clone(), &[]);
    let is_cut = |p: [f64; 3]| p[0] == 1.0 && p[2] == 2.0;
    let copies: Vec<usize> = (0..27).filter(|&v| is_cut(mesh.points[v])).collect();
    cracked.points.extend(copies.iter().map(|&v| mesh.points[v]));
    for hex in &hexes {
        let is_right = hex.iter().any(|&v| mesh.points[v as usize][0] == 2.0);
        let copy = |v: u32| match copies.iter().position(|&c| c == v as usize) {
            Some(k) if is_right => 27 + k as u32,
            _ => v,
        };
        cracked.cells.push(CellKind::Hexahedron, &hex.map(copy));
    }
    for seed in point_seeds(&cracked, point).unwrap().0 {
        let p = cracked.points[seed.vertex as usize];
        assert!(p[0] < 2.0 && seed.vertex < 27, "{seed:?} at {p:?}");
    }
    // of a point on the crack both sides are seen
    mesh = cracked;
    let (seeds, _) = point_seeds(&mesh, [1.0, 0.5, 1.5]).unwrap();
    assert_eq!(seeds.len(), 30);
}

/// A point above a side and one beyond a corner: distances are those to the closest place, with
/// the way to it.
#[test]
fn points_outside_count_from_the_closest_place() {
    for (point, at) in [
        ([0.4, 0.55, -0.3], [0.4, 0.55, 0.0]),
        ([1.5, 0.3, 1.25], [1.0, 0.3, 1.0]),
        ([-1.0, 2.0, 5.0], [0.0, 1.0, 1.0]),
    ] {
        let errors = [4, 8, 16].map(|n| {
            let mut mesh = block([n; 3]);
            mesh.points.iter_mut().for_each(|p| *p = p.map(|x| x / n as f64));
            let (seeds, place) = point_seeds(&mesh, point).unwrap();
            assert!(place.notice(point).is_some_and(|notice| notice.contains("outside")));
            assert!(length(place.at, at) < 1e-12, "{place:?}");
            assert!((place.distance - length(point, at)).abs() < 1e-12);
            let found = volume_distance(&mesh, &seeds).unwrap();
            let exact = |p: &[f64; 3]| place.distance + length(*p, at);
            let errors = mesh.points.iter().zip(&found).map(|(p, d)| (d - exact(p)).abs());
            errors.greatest()
        });
        println!("{point:?}: greatest errors {errors:.5?}");
        assert!(errors[2] < 0.012 && errors[2] < 0.7 * errors[1], "{errors:?}");
    }
    let bad = point_seeds(&block([1; 3]), [f64::NAN, 0.0, 0.0]).unwrap_err().to_string();
    assert!(bad.starts_with("the point [NaN"), "{bad}");
}

/// A cell whose corners stand so far from the origin still holds its points, and sees its vertices.
#[test]
fn points_far_from_the_origin_see_the_same_vertices() {
    let distorted = |offset: f64| {
        let mut mesh = block([3; 3]);
        for p in &mut mesh.points {
            let [x, y, z] = *p;
            let bent = [x + 0.1 * y * z, y + 0.05 * (3.0 * z).sin(), z - 0.07 * x * y];
            *p = bent.map(|x| x / 3.0 + offset);
        }
        mesh
    };
    let point = [0.47, 0.55, 0.38];
    let seeds = |offset: f64| {
        let (seeds, place) = point_seeds(&distorted(offset), point.map(|x| x + offset)).unwrap();
        assert_eq!(place.distance, 0.0, "offset {offset}");
        seeds
    };
    let near = seeds(0.0);
    for offset in [1e3, 1e6] {
        let far = seeds(offset);
        assert_eq!(far.len(), near.len());
        for (a, b) in near.iter().zip(&far) {
            assert_eq!(a.vertex, b.vertex);
            assert!((a.distance - b.distance).abs() < 1e-9, "{a:?} {b:?}");
        }
    }
}

#[test]
fn points_beyond_numbers_are_refused() {
    let mesh = block([2, 1, 1]);
    for (far, why) in [(1e71, "too far away"), (f64::NAN, "not finite")] {
        let error = point_seeds(&mesh, [far, 1.0, 1.0]).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
    assert!(point_seeds(&mesh, [1e70, 1.0, 1.0]).is_ok());
}

/// All parts of a face that has collapsed to a line are as far from a point: each was halved,
/// without end.
#[test]
fn flat_meshes_have_a_closest_place() {
    let mut mesh = Shape::Fan { valence: 3, layers: 1, rings: 1 }.build().unwrap();
    mesh.points.iter_mut().for_each(|p| p[2] = 0.5);
    let (seeds, place) = point_seeds(&mesh, [0.1, 0.2, 1.0]).unwrap();
    assert!(!seeds.is_empty());
    assert!((place.distance - 0.5).abs() < 1e-15, "{place:?}");
}
