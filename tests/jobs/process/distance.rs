//! Distances through solids against exact ones.

use subsolid::SolidMesh;
use subsolid::mesh::{CellArray, FaceGroup, Polygons};
use subsolid::process::solid::{
    Seed, boundary_patches, boundary_seeds, crease_seeds, group_seeds, point_seeds, volume_distance,
};

use subsolid::process::surface::{Geodesics, toplesets};

use crate::oracle::vector::Greatest;
use crate::support::meshes::{INF, block};
use crate::support::refused;
use crate::triangles::square;

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

/// Greatest error over all vertices.
fn greatest_error(mesh: &SolidMesh, found: &[f64], exact: impl Fn(&[f64; 3]) -> f64) -> f64 {
    let pairs = mesh.points.iter().map(exact).zip(found);
    pairs.map(|(exact, d)| (d - exact).abs()).greatest()
}

/// Order by which errors fall from the first to the last, cells being halved in between.
fn order(errors: &[f64]) -> f64 {
    (errors[0] / errors[errors.len() - 1]).log2() / (errors.len() - 1) as f64
}

/// In a square plate of one layer, to its rim and to its center column. Mean errors of the heat
/// method, from another program, are the bounds: those to the center are far below them.
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
        let mut worst = Vec::new();
        for (n, figure) in [16, 32, 64].into_iter().zip(figures) {
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
            let mean = mean_error(&mesh, &found, exact);
            worst.push(greatest_error(&mesh, &found, exact));
            println!("{name}, {n}: mean error {mean:.2e}, greatest {:.2e}", worst[worst.len() - 1]);
            assert!(mean < figure, "{name}: {mean}");
        }
        match name {
            "rim" => assert!(worst.iter().all(|&error| error < 1e-14), "{worst:?}"),
            _ => assert!(order(&worst[1..]) > 0.8 && worst[2] < 6e-4, "{name}: {worst:?}"),
        }
    }
}

/// The whole boundary of a box, in cells that are boxes of any shape: exact at every vertex.
#[test]
fn distance_to_the_boundary_of_a_box_is_exact() {
    for (cells, size) in [
        ([8; 3], [1.0; 3]),
        ([2, 2, 16], [2.0, 2.0, 16.0]),
        ([5; 3], [1.0; 3]),
        ([4, 7, 9], [8.0, 7.0, 1.0]),
    ] {
        let mut mesh = block(cells);
        for p in &mut mesh.points {
            *p = std::array::from_fn(|d| p[d] * size[d] / cells[d] as f64);
        }
        let exact =
            |p: &[f64; 3]| (0..3).map(|d| p[d].min(size[d] - p[d])).fold(f64::INFINITY, f64::min);
        let found = volume_distance(&mesh, &boundary_seeds(&mesh).unwrap()).unwrap();
        let error = greatest_error(&mesh, &found, exact);
        assert!(error < 1e-13, "{cells:?}: {error:e}");
    }
}

/// From a point inside, around which vertices have straight distances.
#[test]
fn distance_to_a_point_converges() {
    let exact = |p: &[f64; 3]| (p[0] - 0.55).hypot(p[1] - 0.5).hypot(p[2] - 0.5);
    let errors = [8, 16, 32].map(|n| {
        let mesh = unit(n);
        let (seeds, _) = point_seeds(&mesh, [0.55, 0.5, 0.5]).unwrap();
        if n == 8 {
            // of the cells around the four that the point is in
            assert_eq!(seeds.len(), 4 * 5 * 5);
            assert!(seeds.iter().any(|seed| (seed.distance - 0.05).abs() < 1e-15));
        }
        let found = volume_distance(&mesh, &seeds).unwrap();
        assert!(mean_error(&mesh, &found, exact) < 8e-3);
        let error = greatest_error(&mesh, &found, exact);
        assert!(error < 0.1 / n as f64, "{n}: {error}");
        error
    });
    println!("point: greatest errors {errors:.5?}");
    assert!(order(&errors) > 0.9, "{errors:?}");
}

/// In a ball of bent cells to its boundary, which is a polyhedron; and in a block whose cells
/// lean by 56 degrees to its bottom, a square.
#[test]
fn greatest_errors_fall_at_first_order_in_bent_and_skewed_cells() {
    let ball = |n: usize| {
        let mut mesh = unit(n);
        for p in &mut mesh.points {
            let x = p.map(|x| 2.0 * x - 1.0);
            let [cube, round] = [
                x.iter().fold(0.0f64, |most, x| most.max(x.abs())),
                x.iter().map(|x| x * x).sum::<f64>().sqrt(),
            ];
            *p = x.map(|x| if round > 0.0 { x * cube / round } else { 0.0 });
        }
        let seeds = boundary_seeds(&mesh).unwrap();
        (mesh, seeds)
    };
    let leaning = |n: usize| {
        let mut mesh = unit(n);
        let bottom = (0..).zip(&mesh.points).filter(|(_, p)| p[2] == 0.0);
        let seeds = bottom.map(|(v, _)| Seed::on(v)).collect();
        mesh.points.iter_mut().for_each(|p| p[0] += 1.5 * p[2]);
        (mesh, seeds)
    };
    let inside = |p: &[f64; 3]| 1.0 - p.iter().map(|x| x * x).sum::<f64>().sqrt();
    let above = |p: &[f64; 3]| p[2].hypot((p[0] - 1.0).max(0.0));
    type Make<'a> = &'a dyn Fn(usize) -> (SolidMesh, Vec<Seed>);
    type Exact<'a> = &'a dyn Fn(&[f64; 3]) -> f64;
    // around the rim of the bottom the order has a logarithm
    let cases: [(&str, Make, Exact, [f64; 2]); 2] =
        [("ball", &ball, &inside, [1.0, 0.01]), ("leaning", &leaning, &above, [0.45, 0.02])];
    for (name, make, exact, [least, most]) in cases {
        let errors = [4, 8, 16].map(|n| {
            let (mesh, seeds) = make(n);
            let found = volume_distance(&mesh, &seeds).unwrap();
            greatest_error(&mesh, &found, exact)
        });
        println!("{name}: greatest errors {errors:.5?}, order {:.2}", order(&errors));
        assert!(order(&errors) > least && errors[2] < most, "{name}: {errors:?}");
    }
}

/// In a plate with a quarter cut out, the shortest way bends around the corner.
#[test]
fn distances_go_around_corners() {
    let errors = [8, 16, 32].map(|n: usize| {
        let mesh = block([n, n, 1]);
        let hexes = mesh.cells.hexahedra().unwrap();
        let half = n as f64 / 2.0;
        let is_cut = |hex: &&[u32; 8]| {
            hex.iter().all(|&v| mesh.points[v as usize][..2].iter().all(|&x| x >= half))
        };
        let left: Vec<[u32; 8]> = hexes.iter().filter(|hex| !is_cut(hex)).copied().collect();
        let points = mesh.points.iter().map(|p| p.map(|x| x / n as f64)).collect();
        let plate = SolidMesh::from_hexahedra(points, &left);
        // from the vertices of one end, (1, 0) to (1, 1/2), to the left end of the upper half
        let seeds: Vec<Seed> = (0..)
            .zip(&plate.points)
            .filter(|(_, p)| p[0] == 1.0 && p[1] == 0.0)
            .map(|(v, _)| Seed::on(v))
            .collect();
        let found = volume_distance(&plate, &seeds).unwrap();
        let at = |x: f64, y: f64| {
            let v = plate.points.iter().position(|p| p[..2] == [x, y]).unwrap();
            found[v]
        };
        // straight to (0, 1/4), around (1/2, 1/2) to (1/2, 1)
        let straight = at(0.0, 0.25) - 1f64.hypot(0.25);
        let around = at(0.5, 1.0) - (0.5f64.hypot(0.5) + 0.5);
        straight.abs().max(around.abs())
    });
    println!("around a corner: greatest errors {errors:.5?}");
    assert!(order(&errors) > 1.1 && errors[2] < 6e-4, "{errors:?}");
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
    refused(boundary_patches(&mesh, &[13]), "vertex 13 is not on the boundary");
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
    let help = unknown.help().map(ToString::to_string).unwrap_or_default();
    assert!(help.contains("left, between, steel") && help.contains("core, steel"), "{help}");
    assert!(message("empty").to_string().contains("is empty"));
    mesh.face_groups[0].faces = Polygons::uniform(4, vec![0, 1, 2, 71]);
    assert!(group_seeds(&mesh, "left").unwrap_err().to_string().contains("no cell has the face"));
}

#[test]
fn wrong_requests_are_refused() {
    let mesh = block([2, 2, 2]);
    let message = |seeds: &[Seed]| volume_distance(&mesh, seeds).unwrap_err().to_string();
    assert!(message(&[]).contains("the distance has no target"));
    assert!(message(&[Seed::on(99)]).contains("no vertex 99"));
    for distance in [f64::NAN, f64::INFINITY, -1.0] {
        let expected = format!("vertex 0 has the distance {distance}");
        assert!(message(&[Seed { vertex: 0, distance }]).contains(&expected));
    }
    refused(crease_seeds(&mesh), "has no creases");
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
    assert!(bad.starts_with("cell 3 and 3 more are flat or folded"), "{bad}");
    let mut one = block([1, 1, 1]);
    one.points.iter_mut().for_each(|p| p[2] = 0.0);
    let bad = volume_distance(&one, &[Seed::on(0)]).unwrap_err().to_string();
    assert!(bad.starts_with("cell 0 is flat or folded"), "{bad}");
}

/// A vertex of no cell or face is not a target: it has no distance.
#[test]
fn vertices_of_nothing_have_no_distance() {
    let mut mesh = unit(2);
    mesh.points.push([0.25; 3]);
    let found = volume_distance(&mesh, &boundary_seeds(&mesh).unwrap()).unwrap();
    assert!(found[27].is_nan());
    assert!(found[..27].iter().all(|d| d.is_finite()) && found[13] == 0.5);
    let mut surface = square(3);
    surface.points.push([0.5; 3]);
    let lost = surface.points.len() - 1;
    let heat = Geodesics::new(&surface).unwrap().distance(&[0]).unwrap();
    for found in [heat, toplesets(&surface, &[0]).unwrap()] {
        assert!(found[lost].is_nan() && found[..lost].iter().all(|d| d.is_finite()));
    }
}
