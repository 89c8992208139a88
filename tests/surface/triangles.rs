//! Polygons are cut into triangles inside, and as one manifold.

use std::collections::HashSet;

use nalgebra::Vector3;
use subsolid::mesh::{Polygons, SurfaceMesh};
use subsolid::surface::{Method, Scheme, SurfacePlan};

use super::{SURFACES, model, options};

#[test]
fn polygons_that_are_not_convex_are_cut_inside() {
    // an L, a comb and a convex polygon, in any direction in space
    let l = vec![[0.0, 0.0], [3.0, 0.0], [3.0, 1.0], [1.0, 1.0], [1.0, 3.0], [0.0, 3.0]];
    let comb = [[0, 0], [5, 0], [5, 4], [4, 4], [4, 1], [3, 1], [3, 4], [2, 4], [2, 1], [0, 1]];
    let comb = comb.map(|p| p.map(f64::from)).to_vec();
    let convex = vec![[0.0, 0.0], [2.0, 0.0], [3.0, 1.0], [1.0, 2.0]];
    for (polygon, area) in [(l, 5.0), (comb, 11.0), (convex, 3.5)] {
        for (turn, mirrored) in (0..3).flat_map(|turn| [(turn, false), (turn, true)]) {
            for shift in 0..polygon.len() {
                let mut points: Vec<[f64; 3]> = polygon
                    .iter()
                    .map(|&[x, y]| {
                        let mut p = [x, y, 7.0 + 0.3 * x - 0.2 * y];
                        p.rotate_right(turn);
                        p
                    })
                    .collect();
                points.rotate_left(shift);
                if mirrored {
                    points.reverse();
                }
                let n = points.len();
                let face = (0..n as u32).collect();
                let mesh = SurfaceMesh::new(points, Polygons::uniform(n, face));
                let triangles = mesh.triangles();
                assert_eq!((triangles.corners.len(), triangles.faces.len()), (n - 2, n - 2));
                let mut sum = 0.0;
                for corners in triangles.corners {
                    let [a, b, c] = corners.map(|v| {
                        let mut p = mesh.points[v as usize];
                        p.rotate_left(turn);
                        p
                    });
                    let twice = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
                    let own = if mirrored { -twice } else { twice } / 2.0;
                    assert!(own >= 0.0, "{corners:?} is turned");
                    sum += own;
                }
                assert!((sum - area).abs() < 1e-12, "{sum} of {area}");
            }
        }
    }
}

/// An L, extruded: its ends are not convex.
fn l_prism() -> SurfaceMesh {
    let l = [[0.0, 0.0], [3.0, 0.0], [3.0, 1.0], [1.0, 1.0], [1.0, 3.0], [0.0, 3.0]];
    let points = (0..12).map(|i| [l[i % 6][0], l[i % 6][1], (i / 6) as f64]).collect();
    let mut faces = Polygons::default();
    // listed so that the fan of the first corner leaves the polygon
    faces.push(&[1, 0, 5, 4, 3, 2]);
    faces.push(&[7, 8, 9, 10, 11, 6]);
    (0..6).for_each(|i| faces.push(&[i, (i + 1) % 6, (i + 1) % 6 + 6, i + 6]));
    SurfaceMesh::new(points, faces)
}

fn area(mesh: &SurfaceMesh) -> f64 {
    let triangles = mesh.triangles().corners.into_iter();
    let areas = triangles.map(|t| {
        let [a, b, c] = t.map(|v| Vector3::from(mesh.points[v as usize]));
        0.5 * (b - a).cross(&(c - a)).norm()
    });
    areas.sum()
}

/// Schemes of triangles take the triangles of files: none lies outside its polygon, and a plan
/// keeps them where points move.
#[test]
fn schemes_of_triangles_cut_polygons_inside() {
    let mesh = l_prism();
    let exact = 2.0 * 5.0 + 12.0;
    for scheme in [Scheme::Loop, Scheme::Sqrt3] {
        let plan = SurfacePlan::new(&mesh, &options(scheme, 0, Method::Auto)).unwrap();
        let triangles = plan.refine(&mesh).unwrap();
        assert!(triangles.faces.iter().all(|face| face.len() == 3));
        assert!((area(&triangles) - exact).abs() < 1e-12, "{scheme:?}: {}", area(&triangles));
        // the corner that was reentrant is pulled out, so that another cut would be chosen
        let mut moved = mesh.clone();
        moved.points[3] = [2.5, 2.5, 0.0];
        moved.points[9] = [2.5, 2.5, 1.0];
        assert_eq!(plan.refine(&moved).unwrap().faces, triangles.faces);
    }
}

/// Two quads around a vertex of valence 2 do not share a diagonal, whatever corner they begin with.
#[test]
fn no_edge_of_triangles_has_more_than_two_faces() {
    let corner = |i: u32| [f64::from(i & 1 ^ i >> 1), f64::from(i >> 1), 0.0];
    for shift in 0..4 {
        let mut back = [3, 2, 1, 0];
        back.rotate_left(shift);
        let faces = Polygons::uniform(4, [[0, 1, 2, 3], back].concat());
        let triangles = SurfaceMesh::new((0..4).map(corner).collect(), faces).triangles().corners;
        let mut edges: Vec<[u32; 2]> = triangles
            .iter()
            .flat_map(|t| (0..3).map(|i| [t[i].min(t[(i + 1) % 3]), t[i].max(t[(i + 1) % 3])]))
            .collect();
        edges.sort_unstable();
        assert!(edges.chunk_by(|a, b| a == b).all(|same| same.len() == 2), "{triangles:?}");
    }
}

/// Of real surfaces too: a diagonal is the edge of two triangles, and no edge of the mesh.
#[test]
fn diagonals_of_all_surfaces_are_edges_of_their_own() {
    for name in SURFACES {
        let mesh = model(name);
        let sides = |face: &[u32]| -> Vec<[u32; 2]> {
            let next = |i: usize| face[(i + 1) % face.len()];
            (0..face.len()).map(|i| [face[i].min(next(i)), face[i].max(next(i))]).collect()
        };
        let own: HashSet<[u32; 2]> = mesh.faces.iter().flat_map(sides).collect();
        let triangles = mesh.triangles().corners;
        let mut diagonals: Vec<[u32; 2]> = triangles.iter().flat_map(|t| sides(t)).collect();
        diagonals.retain(|side| !own.contains(side));
        diagonals.sort_unstable();
        let count: usize = mesh.faces.iter().map(|face| face.len() - 3).sum();
        assert_eq!(diagonals.len(), 2 * count, "{name}");
        assert!(diagonals.chunk_by(|a, b| a == b).all(|same| same.len() == 2), "{name}");
    }
}

/// Two faces of very many corners share all their vertices, but no diagonal; in time of their size.
#[test]
fn faces_of_many_corners_share_no_diagonal() {
    for count in [20, 100_000] {
        let around = (0..count).map(|i| f64::from(i) * std::f64::consts::TAU / f64::from(count));
        let points = around.map(|a| [a.cos(), a.sin(), 0.0]).collect();
        let mut faces = Polygons::default();
        faces.push(&(0..count).collect::<Vec<u32>>());
        // from the same first corner
        faces.push(&(0..count).map(|i| (count - i) % count).collect::<Vec<u32>>());
        let triangles = SurfaceMesh::new(points, faces).triangles();
        let is_rim = |a: u32, b: u32| a.abs_diff(b) == 1 || a.abs_diff(b) == count - 1;
        let mut diagonals = HashSet::new();
        for (triangle, &face) in triangles.corners.iter().zip(&triangles.faces) {
            for i in 0..3 {
                let (a, b) = (triangle[i], triangle[(i + 1) % 3]);
                if !is_rim(a, b) {
                    diagonals.insert((a.min(b), a.max(b), face));
                }
            }
        }
        let of_both = diagonals.iter().filter(|&&(a, b, f)| diagonals.contains(&(a, b, 1 - f)));
        assert_eq!((diagonals.len(), of_both.count()), (2 * (count as usize - 3), 0));
    }
}
