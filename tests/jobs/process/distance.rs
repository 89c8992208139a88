//! Distances through solids against exact ones.

use subsolid::SolidMesh;
use subsolid::process::solid::{
    Seed, boundary_patches, boundary_seeds, crease_seeds, point_seeds, volume_distance,
};

use crate::support::meshes::{INF, block};

/// A box of unit size in `n` × `n` × `n` cells.
fn unit(n: usize) -> SolidMesh {
    let mut mesh = block([n; 3]);
    mesh.points.iter_mut().for_each(|p| *p = p.map(|x| x / n as f64));
    mesh
}

/// Mean over the vertices off the target.
fn mean_error(mesh: &SolidMesh, found: &[f64], exact: impl Fn(&[f64; 3]) -> f64) -> f64 {
    let pairs = mesh.points.iter().map(exact).zip(found).filter(|pair| pair.0 > 0.0);
    let errors: Vec<f64> = pairs.map(|(exact, d)| (d - exact).abs()).collect();
    errors.iter().sum::<f64>() / errors.len() as f64
}

/// To one side all rays are parallel: exact, on stretched cells too.
#[test]
fn distance_to_a_side_is_exact() {
    let mut mesh = unit(5);
    mesh.points.iter_mut().for_each(|p| p[2] = p[2] * (1.0 + p[2]));
    let seeds: Vec<Seed> = (0..mesh.points.len() as u32)
        .filter(|&v| mesh.points[v as usize][2] == 0.0)
        .map(Seed::on)
        .collect();
    let found = volume_distance(&mesh, &seeds).unwrap();
    for (p, d) in mesh.points.iter().zip(found) {
        assert!((p[2] - d).abs() < 1e-10, "{p:?} {d}");
    }
}

#[test]
fn distance_in_a_box_converges() {
    let inside = |p: &[f64; 3]| p.iter().map(|&x| x.min(1.0 - x)).fold(1.0, f64::min);
    let center = [0.5; 3];
    let from_center = |p: &[f64; 3]| p.iter().map(|x| (x - 0.5) * (x - 0.5)).sum::<f64>().sqrt();
    let sizes = [8, 16, 24];
    let boundary = sizes.map(|n| {
        let mesh = unit(n);
        let found = volume_distance(&mesh, &boundary_seeds(&mesh).unwrap()).unwrap();
        mean_error(&mesh, &found, inside)
    });
    let point = sizes.map(|n| {
        let mesh = unit(n);
        let found = volume_distance(&mesh, &point_seeds(&mesh, center).unwrap()).unwrap();
        mean_error(&mesh, &found, from_center)
    });
    for (name, errors) in [("boundary", boundary), ("point", point)] {
        let order = (errors[0] / errors[2]).ln() / 3f64.ln();
        println!("{name}: mean errors {errors:.5?}, order {order:.2}");
        assert!(order > 0.7 && errors[2] < 0.03, "{name}: order {order} of {errors:?}");
    }
}

/// Left-handed cells have the same distances; threads do not matter.
#[test]
fn distances_do_not_depend_on_handedness_or_threads() {
    let mesh = unit(4);
    let hexes = mesh.cells.hexahedra().unwrap();
    let left: Vec<[u32; 8]> =
        hexes.iter().map(|h| [0, 3, 2, 1, 4, 7, 6, 5].map(|i: usize| h[i])).collect();
    let left = SolidMesh::from_hexahedra(mesh.points.clone(), &left);
    let seeds = boundary_seeds(&mesh).unwrap();
    let found = volume_distance(&mesh, &seeds).unwrap();
    for (a, b) in found.iter().zip(volume_distance(&left, &seeds).unwrap()) {
        assert!((a - b).abs() < 1e-12);
    }
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert!(alone.install(|| volume_distance(&mesh, &seeds).unwrap()) == found);
}

/// Creases around the bottom bound it: seeds are its vertices alone.
#[test]
fn patches_end_at_creases() {
    let mut mesh = block([2, 2, 2]);
    let bottom: Vec<u32> = (0..27).filter(|&v| mesh.points[v as usize][2] == 0.0).collect();
    let on_rim = |v: u32| mesh.points[v as usize][..2] != [1.0, 1.0];
    let mut edges = Vec::new();
    for &a in &bottom {
        for &b in bottom.iter().filter(|&&b| b > a && on_rim(a) && on_rim(b)) {
            let [p, q] = [a, b].map(|v| mesh.points[v as usize]);
            if (p[0] - q[0]).abs() + (p[1] - q[1]).abs() == 1.0 {
                edges.push((a, b));
            }
        }
    }
    assert_eq!(edges.len(), 8);
    edges.iter().for_each(|&(a, b)| mesh.creases.push_edge(a, b, INF));
    let middle = bottom.iter().copied().find(|&v| !on_rim(v)).unwrap();
    let vertices = |seeds: Vec<Seed>| seeds.iter().map(|s| s.vertex).collect::<Vec<_>>();
    assert_eq!(vertices(boundary_patches(&mesh, &[middle]).unwrap()), bottom);
    assert_eq!(crease_seeds(&mesh).unwrap().len(), 8);
    assert!(boundary_patches(&mesh, &[13]).is_err());
}

#[test]
fn wrong_requests_are_refused() {
    let mesh = block([2, 2, 2]);
    let message = |seeds: &[Seed]| volume_distance(&mesh, seeds).unwrap_err().to_string();
    assert!(message(&[]).contains("nothing to measure"));
    assert!(message(&[Seed::on(99)]).contains("no vertex 99"));
    assert!(crease_seeds(&mesh).is_err());
    let mut two = SolidMesh::from_hexahedra(mesh.points.clone(), &[]);
    let hexes = mesh.cells.hexahedra().unwrap();
    two.points.extend(mesh.points.iter().map(|p| [p[0] + 9.0, p[1], p[2]]));
    for hex in hexes.iter().copied().chain(hexes.iter().map(|h| h.map(|v| v + 27))) {
        two.cells.push(subsolid::mesh::CellKind::Hexahedron, &hex);
    }
    let lost = volume_distance(&two, &[Seed::on(0)]).unwrap_err().to_string();
    assert!(lost.contains("vertex 27 and 26 more"), "{lost}");
    let mut folded = block([2, 2, 2]);
    folded.points[13] = [3.0, 3.0, 3.0];
    let bad = volume_distance(&folded, &[Seed::on(0)]).unwrap_err().to_string();
    assert!(bad.contains("flat or folded"), "{bad}");
}
