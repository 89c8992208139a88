//! Meshes that are no solids, made conforming.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use subsolid::SolidMesh;
use subsolid::backend::{Backend, Cpu};
use subsolid::jobs::conform::{ConformReport, ConformRequest};
use subsolid::limit::Solid;
use subsolid::mesh::{Attribute, CORNERS, CellArray, CellKind, FaceGroup, Polygons};
use subsolid::plan::{Samples, Want};

use crate::oracle::random::Random;

type Point = [f64; 3];

fn sub(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: Point, b: Point) -> f64 {
    (0..3).map(|d| a[d] * b[d]).sum()
}

fn faces(mesh: &SolidMesh, c: usize) -> Vec<Vec<u32>> {
    let mut faces = Vec::new();
    mesh.cells.for_each_face(c, |face| faces.push(face.to_vec()));
    faces
}

fn mean(mesh: &SolidMesh, vertices: &[u32]) -> Point {
    let sum = |d: usize| vertices.iter().map(|&v| mesh.points[v as usize][d]).sum::<f64>();
    [0, 1, 2].map(|d| sum(d) / vertices.len() as f64)
}

/// Volume of a convex cell: pyramids from its middle to triangles around the means of its faces.
fn volume(mesh: &SolidMesh, c: usize) -> f64 {
    let middle = mean(mesh, mesh.cells.vertices(c));
    let mut volume = 0.0;
    for face in faces(mesh, c) {
        let tip = sub(mean(mesh, &face), middle);
        let at = |i: usize| sub(mesh.points[face[i % face.len()] as usize], middle);
        let six: f64 = (0..face.len()).map(|i| dot(tip, cross(at(i), at(i + 1)))).sum();
        volume += six.abs() / 6.0;
    }
    volume
}

fn total(mesh: &SolidMesh) -> f64 {
    (0..mesh.cells.len()).map(|c| volume(mesh, c)).sum()
}

fn area(mesh: &SolidMesh, face: &[u32]) -> f64 {
    let tip = mean(mesh, face);
    let at = |i: usize| sub(mesh.points[face[i % face.len()] as usize], tip);
    let parts = (0..face.len()).map(|i| cross(at(i), at(i + 1)));
    parts.map(|n| dot(n, n).sqrt() / 2.0).sum()
}

/// Boundary faces, each as its cell has it.
fn boundary(mesh: &SolidMesh) -> Vec<Vec<u32>> {
    let mut seen: BTreeMap<Vec<u32>, Vec<Vec<u32>>> = BTreeMap::new();
    for face in (0..mesh.cells.len()).flat_map(|c| faces(mesh, c)) {
        let mut key = face.clone();
        key.sort_unstable();
        seen.entry(key).or_default().push(face);
    }
    seen.into_values().filter(|at| at.len() == 1).map(|mut at| at.remove(0)).collect()
}

/// How many of 3³ Gauss points of each element have no positive det J, and of how many, with the
/// edges of the part sharp.
fn folded(mesh: &SolidMesh) -> [usize; 2] {
    let mut mesh = mesh.clone();
    subsolid::refine::crease_by_angle(&mut mesh, 40.0).unwrap();
    let solid = Solid::new(&mesh).unwrap();
    let plan = solid.plan(&Samples::gauss(3).unwrap(), Want::FIRST).unwrap();
    let limit = Cpu::default().evaluate(&plan, mesh.controls()).unwrap();
    let count = 27 * solid.elements().len();
    let is_folded = |i: &usize| {
        let [u, v, w] = [0, 1, 2].map(|d| limit.derivatives[d].triple(*i));
        dot(u, cross(v, w)) <= 0.0
    };
    [(0..count).filter(is_folded).count(), count]
}

/// No point of the limit is folded.
#[track_caller]
fn is_sound(name: &str, mesh: &SolidMesh) {
    let [folded, count] = folded(mesh);
    assert_eq!(folded, 0, "{name}: of {count} points");
}

#[track_caller]
fn conform(mesh: &SolidMesh) -> (SolidMesh, ConformReport) {
    let mut conforming = mesh.clone();
    let report = ConformRequest::default().run(&mut conforming, &mut ()).unwrap();
    conforming.check().unwrap();
    Solid::new(&conforming).unwrap();
    assert_eq!(report.cells_before, mesh.cells.len());
    assert_eq!(report.cells_after, conforming.cells.len());
    let after = total(&conforming);
    assert!((report.done.volume_after - after).abs() < 1e-12 * after, "{report:?} {after}");
    (conforming, report)
}

/// [`conform`] of cells of which none is left out: volumes are equal.
#[track_caller]
fn equal(mesh: &SolidMesh) -> (SolidMesh, ConformReport) {
    let (conforming, report) = conform(mesh);
    let [before, after] = [total(mesh), total(&conforming)];
    assert!((before - after).abs() < 1e-12 * before, "{before} {after} {report:?}");
    (conforming, report)
}

/// An octree: `n` cells along each axis of size 2^levels, split where asked, by their least corner
/// and size.
fn octree(n: [usize; 3], levels: u32, is_split: impl Fn([usize; 3], usize) -> bool) -> SolidMesh {
    let size = 1 << levels;
    let roots = (0..n[0] * n[1] * n[2])
        .map(|i| ([i % n[0], i / n[0] % n[1], i / n[0] / n[1]].map(|x| size * x), size));
    let mut open: Vec<_> = roots.collect();
    let mut mesh = SolidMesh::default();
    let mut known = HashMap::new();
    let mut sizes = Vec::new();
    while let Some((low, size)) = open.pop() {
        let half = size / 2;
        if size > 1 && is_split(low, size) {
            open.extend((0..8).map(|i| {
                let offset = [i & 1, i >> 1 & 1, i >> 2];
                ([0, 1, 2].map(|d| low[d] + half * offset[d]), half)
            }));
            continue;
        }
        let hexahedron = CORNERS.map(|x| {
            let at = [0, 1, 2].map(|d| low[d] + size * x[d]);
            *known.entry(at).or_insert_with(|| {
                mesh.points.push(at.map(|x| x as f64));
                mesh.points.len() as u32 - 1
            })
        });
        mesh.cells.push(CellKind::Hexahedron, &hexahedron);
        sizes.push(size as f64);
    }
    mesh.cell_data.push(CellArray::new("size", 1, sizes, true));
    mesh
}

/// A block of 3³ cells of which some are split.
fn block(split: &[[usize; 3]]) -> SolidMesh {
    octree([3; 3], 1, |low, _| split.contains(&low.map(|x| x / 2)))
}

#[test]
fn cells_beside_smaller_ones_stay_and_layers_lie_between() {
    // name, split cells, faces covered
    let cases: [(&str, &[[usize; 3]], usize); 9] = [
        ("corner", &[[0, 0, 0]], 3),
        ("middle", &[[1, 1, 1]], 6),
        ("boundary", &[[1, 1, 0]], 5),
        ("edge", &[[0, 0, 0], [0, 0, 1], [0, 0, 2]], 6),
        ("bent", &[[0, 0, 0], [1, 0, 0], [0, 1, 0]], 7),
        (
            "hollow",
            &[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 0, 1], [0, 1, 1]],
            12,
        ),
        ("apart in an edge", &[[0, 0, 1], [1, 1, 1]], 10),
        ("apart in a vertex", &[[0, 0, 0], [1, 1, 1]], 9),
        ("apart", &[[0, 0, 0], [2, 2, 2]], 6),
    ];
    for (name, split, covered) in cases {
        let mesh = block(split);
        assert!(Solid::new(&mesh).is_err(), "{name}");
        let (conforming, report) = equal(&mesh);
        assert_eq!(report.done.covered_faces, covered, "{name}");
        is_sound(name, &conforming);
        if report.done.split_cells > 0 {
            continue;
        }
        // 7 + 5 + 4 cells for each three covered faces of a corner; larger cells are as they were
        assert_eq!(report.cells_after - report.cells_before, report.done.layer_cells, "{name}");
        assert!(report.done.layer_cells <= 7 * covered, "{name}: {report:?}");
        let large = |mesh: &SolidMesh| -> Vec<Vec<Point>> {
            let cells = (0..mesh.cells.len()).filter(|&c| mesh.cell_data[0].values[c] == 2.0);
            let corner = |v: &u32| mesh.points[*v as usize];
            cells.map(|c| mesh.cells.vertices(c).iter().map(corner).collect()).collect()
        };
        assert_eq!(large(&mesh), large(&conforming), "{name}");
    }
}

/// A wall between two sizes: lines of two directions, two layers.
#[test]
fn a_flat_wall_takes_three_cells_a_face() {
    let mesh = octree([4, 3, 3], 1, |[x, ..], _| x < 4);
    let (conforming, report) = equal(&mesh);
    assert_eq!((report.done.covered_faces, report.done.layer_cells), (9, 27));
    is_sound("flat", &conforming);
}

#[test]
fn trees_of_several_sizes_conform() {
    let mut random = Random::new(7);
    for round in 0..8 {
        let chance = [0.1, 0.3, 0.5, 0.7][round % 4];
        let mut draw: BTreeSet<[usize; 3]> = BTreeSet::new();
        for i in 0..27 {
            if random.unit() < chance {
                draw.insert([i % 3, i / 3 % 3, i / 9]);
            }
        }
        let mesh = octree([3; 3], 1, |low, _| draw.contains(&low.map(|x| x / 2)));
        is_sound("random", &equal(&mesh).0);
    }
    // towards a corner, and four against one: 2:1 comes first
    for steep in [false, true] {
        let is_split = |low: [usize; 3], size: usize| {
            low == [0; 3] || !steep && size == 4 && low.iter().max() == Some(&4)
        };
        let mesh = octree([3; 3], 3, is_split);
        let (conforming, report) = equal(&mesh);
        is_sound("steps", &conforming);
        assert!(report.done.split_cells < 60, "{report:?}");
    }
}

/// Values that are linear in space stay so, groups cover what they covered, and creases go along.
#[test]
fn groups_creases_and_values_go_along() {
    let mut mesh = block(&[[0, 0, 0], [1, 0, 0], [2, 2, 2]]);
    let linear = |p: &Point| p[0] + 2.0 * p[1] - 3.0 * p[2];
    let values = mesh.points.iter().map(linear).collect();
    mesh.attributes.push(Attribute { name: "f".into(), width: 1, values });
    let (mut sides, mut lines) = (vec![Polygons::default(); 3], BTreeSet::new());
    // faces of the box, some of which are no faces of the boundary yet
    for face in (0..mesh.cells.len()).flat_map(|c| faces(&mesh, c)) {
        for (d, side) in sides.iter_mut().enumerate() {
            if face.iter().all(|&v| mesh.points[v as usize][d] == 0.0) {
                side.push(&face);
            }
        }
        for (&a, &b) in face.iter().zip(face.iter().cycle().skip(1)) {
            let ends = [a, b].map(|v| mesh.points[v as usize]);
            let on =
                |d: usize| ends.iter().all(|p| p[d] == 0.0) || ends.iter().all(|p| p[d] == 6.0);
            if (0..3).filter(|&d| on(d)).count() == 2 {
                lines.insert([a.min(b), a.max(b)]);
            }
        }
    }
    for (name, faces) in ["x", "y", "z"].into_iter().zip(sides) {
        mesh.face_groups.push(FaceGroup::new(name, faces));
    }
    lines.iter().for_each(|&[a, b]| mesh.creases.push_edge(a, b, f64::INFINITY));
    let members = (0..mesh.cells.len() as u32).filter(|c| c % 3 == 0);
    let third = CellArray::group("third", mesh.cells.len(), members);
    mesh.cell_data.push(third);

    let (conforming, _) = equal(&mesh);
    for (p, value) in conforming.points.iter().zip(&conforming.attributes[0].values) {
        assert!((linear(p) - value).abs() < 1e-12, "{p:?}");
    }
    let outside: BTreeSet<Vec<u32>> = boundary(&conforming)
        .into_iter()
        .map(|mut face| {
            face.sort_unstable();
            face
        })
        .collect();
    for group in &conforming.face_groups {
        let areas: f64 = group.faces.iter().map(|face| area(&conforming, face)).sum();
        assert!((areas - 36.0).abs() < 1e-12, "{}: {areas}", group.name);
        for face in group.faces.iter() {
            let mut key = face.to_vec();
            key.sort_unstable();
            assert!(outside.contains(&key), "{}: {face:?}", group.name);
        }
    }
    let length: f64 = conforming
        .creases
        .edges
        .iter()
        .map(|crease| {
            let [a, b] = crease.edge().map(|v| conforming.points[v.index()]);
            dot(sub(a, b), sub(a, b)).sqrt()
        })
        .sum();
    assert!((length - 12.0 * 6.0).abs() < 1e-12, "{length}");
    // with sharp edges the limit fills the box
    let solid = Solid::new(&conforming).unwrap();
    let plan = solid.plan(&Samples::gauss(4).unwrap(), Want::FIRST).unwrap();
    assert!(Cpu::default().evaluate(&plan, conforming.controls()).is_ok());
    let sizes = |mesh: &SolidMesh, size: f64| -> f64 {
        let cells = (0..mesh.cells.len()).filter(|&c| mesh.cell_data[0].values[c] == size);
        cells.map(|c| volume(mesh, c)).sum()
    };
    for size in [1.0, 2.0] {
        assert!((sizes(&mesh, size) - sizes(&conforming, size)).abs() < 1e-12);
    }
}

/// A block of hexahedra with the middle one cut into pyramids, and pyramids with tetrahedra on a
/// bent top.
fn pyramids() -> SolidMesh {
    let mut mesh = octree([3; 3], 1, |_, _| false);
    for p in &mut mesh.points {
        if p[2] == 6.0 {
            p[2] += 0.1 * (p[0] * p[1] + p[0] * p[0]); // faces are not flat
        }
    }
    let old = std::mem::take(&mut mesh.cells);
    mesh.points.push([3.0; 3]);
    let apex = mesh.points.len() as u32 - 1;
    let mut values = Vec::new();
    for c in 0..old.len() {
        let corners = old.vertices(c);
        if !corners.iter().all(|&v| mesh.points[v as usize].iter().all(|&x| x == 2.0 || x == 4.0)) {
            mesh.cells.push(CellKind::Hexahedron, corners);
            values.push(1.0);
            continue;
        }
        let mut faces = Vec::new();
        old.for_each_face(c, |face| faces.push(face.to_vec()));
        for face in faces {
            let next = face.iter().cycle().skip(1);
            let mut own: Vec<Vec<u32>> =
                face.iter().zip(next).map(|(&a, &b)| vec![b, a, apex]).collect();
            own.push(face.clone());
            mesh.cells.push_polyhedron(own.iter().map(Vec::as_slice));
            values.push(2.0);
        }
    }
    mesh.cell_data = vec![CellArray::new("material", 1, values, true)];
    mesh
}

#[test]
fn columns_lead_from_pyramids_to_the_boundary() {
    let mesh = pyramids();
    let error = Solid::new(&mesh).err().unwrap();
    assert!(error.help().unwrap().to_string().contains("conform"), "{error}");
    let (conforming, report) = equal(&mesh);
    let done = report.done;
    assert_eq!((done.bad_cells, done.star_cells, done.column_cells), (6, 6, 6));
    // 20 hexahedra stay; 6 columns of one hexahedron; 4 tetrahedra each pyramid
    assert_eq!(conforming.cells.len(), 20 + 6 * 4 + 6 * 4);
    is_sound("columns", &conforming);
    for (value, cells) in [(1.0, 44), (2.0, 24)] {
        let values = &conforming.cell_data[0].values;
        assert_eq!(values.iter().filter(|&&x| x == value).count(), cells);
    }
}

/// Where columns cross, and with tetrahedra beside.
#[test]
fn crossing_columns_become_stars() {
    // a pyramid on top and one at the side of a bar of hexahedra; tetrahedra on the pyramid
    let mut mesh = octree([3, 1, 1], 1, |_, _| false);
    mesh.cell_data.clear();
    let at = |mesh: &SolidMesh, p: Point| {
        mesh.points.iter().position(|q| *q == p).map(|v| v as u32).unwrap()
    };
    let top = [[2.0, 0.0, 2.0], [4.0, 0.0, 2.0], [4.0, 2.0, 2.0], [2.0, 2.0, 2.0]];
    let side = [[2.0, 0.0, 0.0], [4.0, 0.0, 0.0], [4.0, 0.0, 2.0], [2.0, 0.0, 2.0]];
    let mut apexes = Vec::new();
    for (base, tip) in [(top, [3.0, 1.0, 4.0]), (side, [3.0, -2.0, 1.0])] {
        let base = base.map(|p| at(&mesh, p));
        mesh.points.push(tip);
        let apex = mesh.points.len() as u32 - 1;
        let mut own: Vec<Vec<u32>> =
            (0..4).map(|i| vec![base[i], base[(i + 1) % 4], apex]).collect();
        own.push(base.to_vec());
        mesh.cells.push_polyhedron(own.iter().map(Vec::as_slice));
        apexes.push(apex);
    }
    let edge = [[2.0, 0.0, 2.0], [4.0, 0.0, 2.0]].map(|p| at(&mesh, p));
    mesh.cells.push(CellKind::Tetrahedron, &[edge[0], edge[1], apexes[0], apexes[1]]);
    let (conforming, report) = equal(&mesh);
    let done = report.done;
    assert_eq!((done.bad_cells, done.star_cells, done.column_cells), (2, 3, 2));
    // 1 tetrahedron; 4 for each face between the star of the hexahedron and a pyramid, and for each
    // of its 4 other faces; 2 columns of 4 wedges
    assert_eq!(conforming.cells.len(), 1 + 6 * 4 + 2 * 4);
    is_sound("crossing", &conforming);
}

/// Cells with repeated corners, repeated cells, points of no cell, and cells that touch.
#[test]
fn cells_become_what_they_are() {
    let mut mesh = octree([2, 2, 1], 1, |_, _| false);
    mesh.cell_data.clear();
    let count = mesh.points.len() as u32;
    mesh.points.push([-9.0; 3]); // of no cell
    // a wedge and a tetrahedron by the corners of hexahedra, away from the others
    let away = mesh.points.len() as u32;
    for p in [
        [0.0; 3],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
        [1.0, 0.0, 1.0],
        [0.0, 1.0, 1.0],
        [0.0, 0.0, 2.0],
    ] {
        mesh.points.push([p[0] + 10.0, p[1], p[2]]);
    }
    let v = |i: u32| away + i;
    mesh.cells.push(CellKind::Hexahedron, &[v(0), v(1), v(2), v(2), v(3), v(4), v(5), v(5)]);
    mesh.cells.push(CellKind::Hexahedron, &[v(3), v(4), v(5), v(5), v(6), v(6), v(6), v(6)]);
    mesh.cells.push(CellKind::Hexahedron, &[v(0), v(1), v(2), v(0), v(0), v(1), v(2), v(0)]);
    let first = mesh.cells.vertices(0).to_vec();
    mesh.cells.push(CellKind::Hexahedron, &first);
    // a cell that has an edge of the block, and one that has a vertex of it
    let at = |mesh: &SolidMesh, p: Point| mesh.points.iter().position(|q| *q == p).unwrap() as u32;
    for shared in [&[[4.0, 4.0, 0.0], [4.0, 4.0, 2.0]][..], &[[0.0; 3]]] {
        let base = shared[0];
        let sign = if base == [0.0; 3] { -1.0 } else { 1.0 };
        let hexahedron = CORNERS.map(|x| {
            let up = if sign < 0.0 { -1.0 } else { 1.0 };
            let p = [0, 1, 2].map(|d| base[d] + 2.0 * x[d] as f64 * if d == 2 { up } else { sign });
            if shared.contains(&p) {
                at(&mesh, p)
            } else {
                mesh.points.push(p);
                mesh.points.len() as u32 - 1
            }
        });
        mesh.cells.push(CellKind::Hexahedron, &hexahedron);
    }
    // the base of the wedge by repeated corners, and a face of no cell
    let mut base = Polygons::default();
    base.push(&[v(0), v(1), v(2), v(2)]);
    base.push(&[v(0), v(1), first[0], first[1]]);
    mesh.face_groups.push(FaceGroup::new("base", base));
    assert!(count > 0 && Solid::new(&mesh).is_err());
    let (conforming, report) = conform(&mesh);
    let done = report.done;
    assert_eq!((done.collapsed, done.flat, done.repeated, done.unused), (2, 1, 1, 1));
    assert_eq!((done.doubled_vertices, done.lost_faces), (3, 1));
    assert!(conforming.face_groups[0].faces.iter().map(<[u32]>::len).eq([3]));
    assert_eq!(done.volume_after, done.volume_before);
    assert!((done.volume_after - (6.0 * 8.0 + 0.5 + 1.0 / 6.0)).abs() < 1e-12, "{done:?}");
    assert_eq!(conforming.cells.kind(4), CellKind::Wedge);
    assert_eq!(conforming.cells.kind(5), CellKind::Tetrahedron);
    assert_eq!(report.lines().len(), 6);
    // nothing is left to do
    let (again, report) = conform(&conforming);
    assert_eq!(again, conforming);
    assert!(report.lines().is_empty());
}

/// A tree with a pyramid on it and a cell that touches it: all at once.
#[test]
fn all_defects_at_once() {
    let mut mesh = block(&[[0, 0, 0], [1, 1, 1]]);
    let at = |mesh: &SolidMesh, p: Point| mesh.points.iter().position(|q| *q == p).unwrap() as u32;
    let base = [[4.0, 4.0, 6.0], [6.0, 4.0, 6.0], [6.0, 6.0, 6.0], [4.0, 6.0, 6.0]];
    let base = base.map(|p| at(&mesh, p));
    mesh.points.push([5.0, 5.0, 8.0]);
    let apex = mesh.points.len() as u32 - 1;
    let mut own: Vec<Vec<u32>> = (0..4).map(|i| vec![base[i], base[(i + 1) % 4], apex]).collect();
    own.push(base.to_vec());
    mesh.cells.push_polyhedron(own.iter().map(Vec::as_slice));
    let corner = at(&mesh, [6.0, 0.0, 0.0]);
    let first = mesh.points.len() as u32;
    mesh.points.extend([[8.0, 0.0, 0.0], [7.0, -2.0, 0.0], [7.0, -1.0, -2.0]]);
    mesh.cells.push(CellKind::Tetrahedron, &[corner, first, first + 1, first + 2]);
    mesh.cell_data[0].values.extend([2.0, 2.0]);
    let (conforming, report) = equal(&mesh);
    let done = report.done;
    assert_eq!((done.bad_cells, done.doubled_vertices, done.covered_faces), (1, 1, 9));
    is_sound("all", &conforming);
}

/// What cannot be resolved is named, and the mesh stays as it was.
#[test]
fn what_stays_is_named() {
    let refused = |mesh: &SolidMesh| {
        let mut same = mesh.clone();
        let error = ConformRequest::default().run(&mut same, &mut ()).unwrap_err();
        assert_eq!(&same, mesh);
        error.to_string()
    };
    // one face against two: cells of 1 × 2 × 2 beside a cube
    let mut half = SolidMesh::default();
    let mut known = HashMap::new();
    for [low, high] in [[[0, 0, 0], [2, 2, 2]], [[2, 0, 0], [4, 1, 2]], [[2, 1, 0], [4, 2, 2]]] {
        let hexahedron = CORNERS.map(|x| {
            let at: [i32; 3] = std::array::from_fn(|d| [low, high][x[d]][d]);
            *known.entry(at).or_insert_with(|| {
                half.points.push(at.map(f64::from));
                half.points.len() as u32 - 1
            })
        });
        half.cells.push(CellKind::Hexahedron, &hexahedron);
    }
    let message = refused(&half);
    assert!(message.contains("of cell 0") && message.contains("hang"), "{message}");
    let mut mesh = block(&[[1, 1, 1]]);
    mesh.points[3] = [f64::NAN; 3];
    let mut same = mesh.clone();
    assert!(ConformRequest::default().run(&mut same, &mut ()).is_err());
    for layer_depth in [0.0, 1.0, f64::NAN] {
        assert!(ConformRequest { layer_depth }.check().is_err());
    }
}
