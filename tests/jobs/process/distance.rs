//! Distances through solids against exact ones.

use subsolid::SolidMesh;
use subsolid::mesh::{CellArray, FaceGroup, Polygons};
use subsolid::process::solid::{
    Seed, boundary_patches, boundary_seeds, crease_seeds, group_seeds, point_seeds, volume_distance,
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

/// In a square plate of one layer, to its rim and to its center column: errors are those of
/// another program for the plane (the same algorithm on bilinear squares in SciPy, by Kronecker
/// products), and fall at first order in the end.
#[test]
fn distance_in_a_plate_converges() {
    let rim = |p: &[f64; 3]| p[..2].iter().map(|&x| x.min(1.0 - x)).fold(1.0, f64::min);
    let center = |p: &[f64; 3]| (p[0] - 0.5).hypot(p[1] - 0.5);
    type Exact<'a> = &'a dyn Fn(&[f64; 3]) -> f64;
    let cases: [(&str, Exact, [f64; 3]); 2] = [
        ("rim", &rim, [0.01064, 0.00611, 0.00323]),
        ("center", &center, [0.00582, 0.00269, 0.00118]),
    ];
    for (name, exact, figures) in cases {
        let errors = [16, 32, 64].map(|n: usize| {
            let mut mesh = block([n, n, 1]);
            mesh.points.iter_mut().for_each(|p| *p = p.map(|x| x / n as f64));
            let near = 1.01 / n as f64;
            let is_seed = |p: &[f64; 3]| match name {
                "rim" => rim(p) == 0.0,
                _ => p[..2].iter().all(|x| (x - 0.5).abs() < near),
            };
            let all = (0..).zip(&mesh.points);
            let seeds: Vec<Seed> = all
                .filter(|(_, p)| is_seed(p))
                .map(|(vertex, p)| Seed { vertex, distance: exact(p) })
                .collect();
            let found = volume_distance(&mesh, &seeds).unwrap();
            let rest = mesh.points.iter().zip(found).filter(|(p, _)| !is_seed(p));
            let errors: Vec<f64> = rest.map(|(p, d)| (d - exact(p)).abs()).collect();
            errors.iter().sum::<f64>() / errors.len() as f64
        });
        let order = (errors[0] / errors[2]).log2() / 2.0;
        println!("{name}: mean errors {errors:.5?}, order {order:.2}");
        for (error, figure) in errors.iter().zip(figures) {
            assert!((error - figure).abs() < 6e-6, "{name}: {errors:?}");
        }
        assert!(order > 0.8, "{name}: order {order}");
    }
}

/// Mean errors of the same program for trilinear cubes; few cells lie between the target and
/// the middle yet, so the order is still below 1.
#[test]
fn distance_in_a_box_is_that_of_another_program() {
    let inside = |p: &[f64; 3]| p.iter().map(|&x| x.min(1.0 - x)).fold(1.0, f64::min);
    for (n, figure) in [(8, 0.02065), (16, 0.01244)] {
        let mesh = unit(n);
        let found = volume_distance(&mesh, &boundary_seeds(&mesh).unwrap()).unwrap();
        let error = mean_error(&mesh, &found, inside);
        println!("box of {n}: mean error {error:.5}");
        assert!((error - figure).abs() < 6e-6, "{n}: {error}");
    }
    // in the middle of an odd number of cells heat is flat: no direction is taken from rounding
    let mesh = unit(5);
    let found = volume_distance(&mesh, &boundary_seeds(&mesh).unwrap()).unwrap();
    let middle = mesh.points.iter().zip(&found);
    let middle: Vec<f64> =
        middle.filter(|(p, _)| p.iter().all(|x| (x - 0.5).abs() < 0.11)).map(|(_, &d)| d).collect();
    assert_eq!(middle.len(), 8);
    assert!(middle.iter().all(|d| (d - middle[0]).abs() < 1e-12), "{middle:?}");
    // from a point inside: its cells' vertices have straight distances
    let mesh = unit(4);
    let seeds = point_seeds(&mesh, [0.55, 0.5, 0.5]).unwrap();
    assert_eq!(seeds.len(), 27);
    assert!(seeds.iter().any(|seed| (seed.distance - 0.05).abs() < 1e-15));
    let found = volume_distance(&mesh, &seeds).unwrap();
    let exact = |p: &[f64; 3]| (p[0] - 0.55).hypot(p[1] - 0.5).hypot(p[2] - 0.5);
    assert!(mean_error(&mesh, &found, exact) < 0.03);
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

/// In a box, to groups of faces at its end and between its cells, and of cells: all rays are
/// parallel, so distances are exact.
#[test]
fn distances_to_groups_are_exact() {
    let mut mesh = block([5, 3, 2]);
    let faces_at = |mesh: &SolidMesh, x: f64| {
        let mut faces = Polygons::default();
        for c in 0..mesh.cells.len() {
            mesh.cells.for_each_face(c, |face| {
                if face.iter().all(|&v| mesh.points[v as usize][0] == x) {
                    faces.push(face);
                }
            });
        }
        faces
    };
    let ends = |cell: &[u32]| {
        let along = cell.iter().map(|&v| mesh.points[v as usize][0]);
        along.fold((f64::INFINITY, 0.0_f64), |(a, b), x| (a.min(x), b.max(x)))
    };
    let members: Vec<u32> = (0..mesh.cells.len())
        .filter(|&c| ends(mesh.cells.vertices(c)) == (1.0, 2.0))
        .map(|c| c as u32)
        .collect();
    assert_eq!(members.len(), 6);
    mesh.face_groups = vec![
        FaceGroup::new("left", faces_at(&mesh, 0.0)),
        FaceGroup::new("between", faces_at(&mesh, 2.0)),
        FaceGroup::new("steel", faces_at(&mesh, 5.0)),
    ];
    mesh.cell_data.push(CellArray::group("core", 30, members.clone()));
    mesh.cell_data.push(CellArray::group("steel", 30, members));
    mesh.cell_data.push(CellArray::group("empty", 30, []));
    let core = |x: f64| (1.0 - x).max(x - 2.0).max(0.0);
    type Exact<'a> = &'a dyn Fn(f64) -> f64;
    let cases: [(&str, Exact); 4] = [
        ("left", &|x| x),
        ("between", &|x| (x - 2.0).abs()),
        ("core", &core),
        // a group of faces and one of cells have this name
        ("steel", &|x| core(x).min(5.0 - x)),
    ];
    for (name, exact) in cases {
        let found = volume_distance(&mesh, &group_seeds(&mesh, name).unwrap()).unwrap();
        for (p, d) in mesh.points.iter().zip(found) {
            // fronts that meet between vertices are a cell wide
            let known = name != "steel" || p[0] <= 2.0 || p[0] == 5.0;
            assert!(!known || (exact(p[0]) - d).abs() < 1e-10, "{name}: {p:?} {d}");
        }
    }
    let message = |name: &str| group_seeds(&mesh, name).unwrap_err();
    let unknown = message("right");
    assert!(unknown.to_string().contains("no group is named \"right\""), "{unknown}");
    let help = unknown.help().unwrap_or_default().to_string();
    assert!(help.contains("left, between, steel") && help.contains("core, steel"), "{help}");
    assert!(message("empty").to_string().contains("is empty"));
    mesh.face_groups[0].faces = Polygons::uniform(4, vec![0, 1, 2, 71]);
    assert!(group_seeds(&mesh, "left").unwrap_err().to_string().contains("no cell has face"));
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
