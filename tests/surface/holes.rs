//! Holes under √3, on a flat lattice whose triangles stay where they are: what a refined
//! triangle belongs to can be seen.

use std::collections::HashSet;

use subsolid::mesh::{BoundaryRule, Crease, Creases, Polygons, SurfaceMesh, VertexId};
use subsolid::surface::{Method, Scheme, refine_surface};

use super::options;
use crate::oracle::random::Random;

/// Squares along a side, each of two triangles.
const N: u32 = 8;

/// The lattice; with `flipped`, its triangles run in any direction.
fn lattice(flipped: bool) -> SurfaceMesh {
    let at = |x: u32, y: u32| x + (N + 1) * y;
    let points = (0..(N + 1) * (N + 1)).map(|k| [k % (N + 1), k / (N + 1), 0].map(f64::from));
    let mut random = Random::new(3);
    let mut faces = Polygons::default();
    for k in 0..N * N {
        let (x, y) = (k % N, k / N);
        for mut face in
            [[at(x, y), at(x + 1, y), at(x + 1, y + 1)], [at(x, y), at(x + 1, y + 1), at(x, y + 1)]]
        {
            if flipped && random.below(2) == 0 {
                face.reverse();
            }
            face.rotate_left(random.below(3));
            faces.push(&face);
        }
    }
    SurfaceMesh::new(points.collect(), faces)
}

/// Triangle of the lattice below a place.
fn triangle_at([x, y]: [f64; 2]) -> u32 {
    let square = x.floor() as u32 + N * y.floor() as u32;
    2 * square + u32::from(x.fract() < y.fract())
}

fn corners<'a>(mesh: &'a SurfaceMesh, face: &[u32]) -> [&'a [f64; 3]; 3] {
    [0, 1, 2].map(|i| &mesh.points[face[i] as usize])
}

fn center(mesh: &SurfaceMesh, face: &[u32]) -> [f64; 2] {
    let [a, b, c] = corners(mesh, face);
    [0, 1].map(|d| (a[d] + b[d] + c[d]) / 3.0)
}

fn area(mesh: &SurfaceMesh) -> f64 {
    let of = |face: &[u32]| {
        let [a, b, c] = corners(mesh, face);
        ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])).abs() / 2.0
    };
    mesh.faces.iter().map(of).sum()
}

/// Refinement moves the lattice near its boundary only.
fn stays(place: [f64; 2]) -> bool {
    place.iter().all(|x| (2.0..f64::from(N) - 2.0).contains(x))
}

#[test]
fn holes_are_left_out_up_to_their_rims() {
    for flipped in [false, true] {
        let mut mesh = lattice(flipped);
        let mut random = Random::new(11);
        let triangle = |f: &u32| center(&mesh, mesh.faces.face(*f as usize));
        let holes: Vec<u32> = (0..mesh.faces.len() as u32)
            .filter(|f| stays(triangle(f)) && random.below(3) == 0)
            .collect();
        assert!(holes.len() > 8);
        for levels in 0..=5 {
            let options = options(Scheme::Sqrt3, levels, Method::Matrix);
            mesh.holes.clear();
            let whole = refine_surface(&mesh, &options).unwrap();
            mesh.holes = holes.clone();
            let found = refine_surface(&mesh, &options).unwrap();
            assert_eq!(found.points, whole.points, "holes shape what is beside them");
            found.check().unwrap();

            let in_hole = |mesh: &SurfaceMesh, face: &[u32]| {
                let center = center(mesh, face);
                stays(center) && holes.binary_search(&triangle_at(center)).is_ok()
            };
            let is_kept = |face: &&[u32]| !in_hole(&whole, face);
            if levels % 2 == 0 {
                let expected: HashSet<&[u32]> = whole.faces.iter().filter(is_kept).collect();
                assert_eq!(found.faces.iter().collect::<HashSet<_>>(), expected, "{levels}");
            } else {
                let mut inside = found.faces.iter().filter(|face| in_hole(&found, face));
                assert!(inside.next().is_none(), "{levels}");
                // the holes, half a square each, are all that is missing
                let missing = area(&whole) - area(&found) - 0.5 * holes.len() as f64;
                assert!(missing.abs() < 1e-12 * area(&whole), "{levels}: {missing:e}");
            }
        }
    }
}

#[test]
fn holes_at_the_boundary_leave_as_many_triangles_as_others() {
    for flipped in [false, true] {
        let mut mesh = lattice(flipped);
        mesh.holes = (0..mesh.faces.len() as u32).filter(|f| f % 3 == 0).collect();
        let kept = mesh.faces.len() - mesh.holes.len();
        for levels in 0..=4 {
            let options = options(Scheme::Sqrt3, levels, Method::Matrix);
            let refined = refine_surface(&mesh, &options).unwrap();
            assert_eq!(refined.faces.len(), kept * 3_usize.pow(levels as u32), "{levels}");
            refined.check().unwrap();
        }
    }
}

#[test]
fn faces_at_the_boundary_are_holes_if_the_mesh_says_so() {
    let mut mesh = lattice(false);
    mesh.boundary = BoundaryRule::Holes;
    let refined = refine_surface(&mesh, &options(Scheme::Sqrt3, 2, Method::Matrix)).unwrap();
    // all triangles that touch no side
    assert_eq!(refined.faces.len(), 9 * 2 * ((N - 2) * (N - 2)) as usize);
    let used: HashSet<u32> = refined.faces.vertices().iter().copied().collect();
    let side = [0.0, f64::from(N)];
    assert!(
        used.iter().all(|&v| !refined.points[v as usize][..2].iter().any(|x| side.contains(x)))
    );
}

#[test]
fn creases_leave_with_their_edges() {
    let points = (0..8).map(|v| [f64::from(v / 2), f64::from(v % 2), 0.0]).collect();
    let faces = (0..3).flat_map(|f| [0, 2, 3, 1].map(|i| 2 * f + i)).collect();
    let mut mesh = SurfaceMesh::new(points, Polygons::uniform(4, faces));
    mesh.creases.push_edge(0, 1, 1.0);
    mesh.creases.push_edge(2, 3, 1.0);
    mesh.holes = vec![0];
    let seen = mesh.without_holes();
    assert_eq!((seen.faces.len(), seen.creases.edges.len()), (2, 1));
    seen.check().unwrap();
}

#[test]
fn creases_are_found_in_any_direction() {
    let crease = |a, b, sharpness| Crease::new([VertexId(a), VertexId(b)], sharpness);
    let mut mesh = SurfaceMesh {
        points: vec![[0.0; 3]; 6],
        faces: Polygons::uniform(4, vec![0, 1, 4, 3, 1, 2, 5, 4]),
        holes: vec![1],
        ..SurfaceMesh::default()
    };
    mesh.creases.edges = vec![crease(4, 1, 2.0), crease(5, 2, 3.0)];
    assert_eq!(mesh.creases.edges[0].edge(), [VertexId(1), VertexId(4)]);
    let others = Creases { edges: vec![crease(1, 4, 7.0)], corners: Vec::new() };
    assert_eq!(mesh.creases.clone().or(&others).edges.len(), 2);
    let open = mesh.without_holes();
    assert_eq!(open.creases.edges, [crease(1, 4, 2.0)]);
}
