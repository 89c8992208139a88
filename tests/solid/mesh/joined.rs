//! Vertices that are joined, by their distances, and in pieces of a file by their rounding.

use subsolid::io::{Dataset, PieceWriter, Points, WriteOptions, read};
use subsolid::mesh::{CellKind, Polygons, SolidMesh, SurfaceMesh};

use crate::oracle::random::Random;

/// For each point the first vertex that it is joined to, or `None` if no face has it. Each other
/// point has a triangle, whose further corners are far from all.
fn joined(points: &[[f64; 3]], used: impl Fn(usize) -> bool, distance: f64) -> Vec<Option<u32>> {
    let mut mesh = SurfaceMesh::new(points.to_vec(), Polygons::default());
    for v in (0..points.len()).filter(|&v| used(v)) {
        let (first, far) = (mesh.points.len() as u32, 10.0 + v as f64);
        mesh.points.extend([[far, 0.0, 0.0], [far, 5.0, 0.0]]);
        mesh.faces.push(&[v as u32, first, first + 1]);
    }
    mesh.weld(distance).unwrap();
    let mut faces = mesh.faces.iter();
    let mut firsts = vec![None; mesh.points.len()];
    let first = |v: usize| {
        let number = faces.next().unwrap()[0] as usize;
        let first = *firsts[number].get_or_insert(v as u32);
        assert_eq!(mesh.points[number], points[first as usize]);
        first
    };
    let mut first = first;
    (0..points.len()).map(|v| used(v).then(|| first(v))).collect()
}

/// Many vertices in two places count as two.
#[test]
fn lumps_of_vertices_are_joined_if_their_places_are_near() {
    for (apart, left) in [(0.9, 1), (1.2, 2)] {
        let lumps = [[0.0; 3], [apart, 0.0, 0.0]];
        let points: Vec<[f64; 3]> = lumps.iter().flat_map(|&p| [p; 48]).collect();
        let mut firsts = joined(&points, |_| true, 1.0);
        firsts.dedup();
        assert_eq!(firsts.len(), left, "{apart}");
    }
}

/// By comparing all pairs, at random distances and places, on both sides of 0.
#[test]
fn places_are_those_of_all_pairs() {
    let mut random = Random::new(1);
    for distance in [0.0, 0.01, 0.05, 0.1, 0.3] {
        let mut points: Vec<[f64; 3]> =
            (0..300).map(|_| random.parameters().map(|x| 2.0 * x - 1.0)).collect();
        // some that agree, and some at exactly the distance
        for v in 0..60 {
            points[299 - v] = points[v];
            points[200 - v] = points[v];
            points[200 - v][0] += distance;
        }
        let used = |v: usize| v % 7 != 3;
        let mut first: Vec<u32> = (0..300).collect();
        let near = |a: usize, b: usize| {
            let square: f64 = (0..3).map(|d| (points[a][d] - points[b][d]).powi(2)).sum();
            used(a) && used(b) && square <= distance * distance
        };
        loop {
            let before = first.clone();
            for a in 0..300 {
                for b in (0..300).filter(|&b| near(a, b)) {
                    first[a] = first[a].min(first[b]);
                }
            }
            if first == before {
                break;
            }
        }
        let found = joined(&points, used, distance);
        let expected = (0..300).map(|v| used(v).then_some(first[v]));
        assert!(found.into_iter().eq(expected), "{distance}");
    }
}

/// Numbers of the first corners of tetrahedra in pieces of a file in single precision, whose first
/// corners have these coordinates and pieces.
fn in_pieces(points: &[(f64, u32)]) -> Vec<u32> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.pvtu");
    let mut writer = PieceWriter::create(&path, WriteOptions::default()).unwrap();
    for number in 0..=points.last().unwrap().1 {
        let mut piece = SolidMesh::default();
        for (i, &(x, _)) in points.iter().enumerate().filter(|(_, point)| point.1 == number) {
            let (first, at) = (piece.points.len() as u32, 0.1 * i as f64);
            piece.points.extend([[x, -0.0, 1.0], [0.5, at, 0.0], [0.5, at, 0.5], [0.25, at, 0.25]]);
            piece.cells.push(CellKind::Tetrahedron, &[0, 1, 2, 3].map(|k| first + k));
        }
        let mut dataset = Dataset::of_piece(&piece, false);
        let single = piece.points.iter().map(|p| p.map(|x| x as f32));
        dataset.points = Points::F32(single.collect());
        writer.push(&dataset).unwrap();
    }
    writer.finish().unwrap();
    let whole = read(&path).unwrap();
    let corner = |c: usize| {
        let mut corners = whole.cells.vertices(c).iter().copied();
        corners.find(|&v| whole.points[v as usize][2] == 1.0).unwrap()
    };
    let corners: Vec<u32> = (0..points.len()).map(corner).collect();
    corners.iter().map(|v| corners.iter().position(|w| v == w).unwrap() as u32).collect()
}

#[test]
fn equal_points_of_pieces_come_before_near_ones_and_the_nearest_before_the_first() {
    let e = f64::from(f32::EPSILON);
    // the first of piece 1 is near the second of piece 0, which the second equals
    assert_eq!(in_pieces(&[(1.0, 0), (1.0 + 3.0 * e, 0), (1.0 + e, 1), (1.0, 1)]), [0, 1, 1, 0]);
    assert_eq!(in_pieces(&[(1.0, 0), (1.0 + 3.0 * e, 0), (1.0 + 2.0 * e, 1)]), [0, 1, 1]);
    assert_eq!(in_pieces(&[(1.0, 0), (1.0 + 9.0 * e, 1)]), [0, 1]);
    assert_eq!(in_pieces(&[(0.0, 0), (-0.0, 1), (0.0, 1), (0.0, 2), (0.0, 2)]), [0, 0, 2, 0, 2]);
    assert_eq!(in_pieces(&[(1.0, 0), (1.0 + 2.0 * e, 1), (1.0, 2)]), [0, 0, 0]);
}
