//! Which way the faces of shells look: turned outward, or kept as the guide says.

use subsolid::mesh::{FaceVarying, Polygons, SurfaceMesh};
use subsolid::surface::{NestedShells, OrientedShells, ShellKind, orient};

use crate::oracle::random::Random;
use crate::support::refused;

const QUADS: [[u32; 4]; 6] =
    [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];

/// Boxes by their low corners, the lengths of their sides, and whether they look outward; a box is
/// 6 quads or 12 triangles, with vertices of its own.
fn boxes(all: &[([f64; 3], f64, bool)], triangles: bool) -> SurfaceMesh {
    let mut mesh = SurfaceMesh::default();
    for &(low, side, outward) in all {
        let start = mesh.points.len() as u32;
        let corner = |k: u32| [0, 1, 2].map(|d| low[d] + side * f64::from(k >> d & 1));
        mesh.points.extend((0..8).map(corner));
        for [a, b, c, d] in QUADS {
            let cut = [vec![a, b, c], vec![a, c, d]];
            let faces = if triangles { cut.to_vec() } else { vec![vec![a, b, c, d]] };
            for mut face in faces {
                if !outward {
                    face.reverse();
                }
                face.iter_mut().for_each(|v| *v += start);
                mesh.faces.push(&face);
            }
        }
    }
    mesh
}

/// Volume inside some faces.
fn volume(mesh: &SurfaceMesh, faces: std::ops::Range<usize>) -> f64 {
    let origin = mesh.points[mesh.faces.face(faces.start)[0] as usize];
    let at = |v: u32| [0, 1, 2].map(|d| mesh.points[v as usize][d] - origin[d]);
    let mut six = 0.0;
    for face in faces.map(|f| mesh.faces.face(f)) {
        for k in 1..face.len() - 1 {
            let [a, b, c] = [at(face[0]), at(face[k]), at(face[k + 1])];
            six += a[0] * (b[1] * c[2] - b[2] * c[1])
                + a[1] * (b[2] * c[0] - b[0] * c[2])
                + a[2] * (b[0] * c[1] - b[1] * c[0]);
        }
    }
    six / 6.0
}

/// Volumes of shells of so many faces each.
fn volumes(mesh: &SurfaceMesh, each: usize) -> Vec<f64> {
    (0..mesh.faces.len() / each).map(|i| volume(mesh, i * each..(i + 1) * each)).collect()
}

fn kinds(shells: &OrientedShells) -> Vec<ShellKind> {
    shells.0.iter().map(|shell| shell.kind).collect()
}

/// Boxes in any order and place, of quads and triangles, turned in space: the sides that they look
/// to before and after.
#[test]
fn shells_look_outward_and_nested_ones_as_the_shells_around() {
    use ShellKind::{Body, Cavity, Filled};
    let outer = |outward| ([0.0; 3], 10.0, outward);
    let inner = |outward| ([1.0; 3], 6.0, outward);
    let core = |outward| ([2.0; 3], 3.0, outward);
    let beside = |outward| ([20.0, 0.0, 0.0], 4.0, outward);
    let cases = [
        // several bodies, some reversed
        (vec![outer(true), beside(false)], [vec![Body, Body], vec![Body, Body]]),
        (vec![outer(false), beside(true)], [vec![Body, Body], vec![Body, Body]]),
        (vec![outer(false), beside(false)], [vec![Body, Body], vec![Body, Body]]),
        // a cavity; all reversed; a body in a body
        (vec![outer(true), inner(false)], [vec![Body, Cavity], vec![Body, Cavity]]),
        (vec![outer(false), inner(true)], [vec![Body, Cavity], vec![Body, Cavity]]),
        (vec![outer(true), inner(true)], [vec![Body, Filled], vec![Body, Cavity]]),
        (vec![outer(false), inner(false)], [vec![Body, Filled], vec![Body, Cavity]]),
        // a body in a cavity, whichever way each looks
        (
            vec![outer(true), inner(false), core(true)],
            [vec![Body, Cavity, Body], vec![Body, Cavity, Body]],
        ),
        (
            vec![outer(true), inner(false), core(false)],
            [vec![Body, Cavity, Body], vec![Body, Cavity, Body]],
        ),
        (
            vec![outer(false), inner(true), core(false)],
            [vec![Body, Cavity, Body], vec![Body, Cavity, Body]],
        ),
        // a cavity in a filled body
        (
            vec![outer(true), inner(true), core(false)],
            [vec![Body, Filled, Cavity], vec![Body, Cavity, Body]],
        ),
        // equal shells: the first is around the second
        (vec![outer(true), outer(true)], [vec![Body, Filled], vec![Body, Cavity]]),
        // shells that cross are in none
        (vec![outer(true), ([8.0; 3], 5.0, false)], [vec![Body, Body], vec![Body, Body]]),
        // touching from outside and from inside
        (
            vec![outer(true), ([10.0, 0.0, 0.0], 4.0, false), ([0.0, 2.0, 2.0], 5.0, false)],
            [vec![Body, Body, Cavity], vec![Body, Body, Cavity]],
        ),
    ];
    let mut random = Random::new(11);
    for (boxes_of, expected) in cases {
        for (triangles, nested, turned) in (0..8).map(|i| (i & 1 > 0, i >> 1 & 1, i >> 2)) {
            let mut mesh = boxes(&boxes_of, triangles);
            if turned > 0 {
                let rotation = nalgebra::Rotation3::from_euler_angles(
                    random.between(-3.0, 3.0),
                    random.between(-1.5, 1.5),
                    random.between(-3.0, 3.0),
                );
                mesh.points
                    .iter_mut()
                    .for_each(|p| *p = (rotation * nalgebra::Vector3::from(*p)).into());
            }
            let each = if triangles { 12 } else { 6 };
            let before = volumes(&mesh, each);
            let rule = [NestedShells::Keep, NestedShells::Cavities][nested];
            let shells = orient(&mut mesh, rule).unwrap();
            assert_eq!(kinds(&shells), expected[nested], "{boxes_of:?}, {rule:?}");
            let after = volumes(&mesh, each);
            for (i, shell) in shells.0.iter().enumerate() {
                let sign = if shell.kind == ShellKind::Cavity { -1.0 } else { 1.0 };
                assert!((after[i] - sign * boxes_of[i].1.powi(3)).abs() < 1e-9, "{after:?}");
                let is_turned = before[i] * after[i] < 0.0;
                assert_eq!((shell.face as usize, shell.faces), (i * each, each));
                assert_eq!(shell.reversed, if is_turned { each } else { 0 });
            }
            // once is enough
            let again = mesh.clone();
            assert_eq!(orient(&mut mesh, rule).unwrap().reversed(), None);
            assert_eq!(mesh, again);
        }
    }
}

#[test]
fn single_faces_are_turned_as_most_of_their_shell() {
    for triangles in [false, true] {
        let right = boxes(&[([0.0; 3], 2.0, true), ([5.0; 3], 1.0, true)], triangles);
        let mut mesh = right.clone();
        let mut faces = Polygons::default();
        for (f, face) in right.faces.iter().enumerate() {
            let mut face = face.to_vec();
            if f == 1 || f == 4 {
                face[1..].reverse();
            }
            faces.push(&face);
        }
        mesh.faces = faces;
        let shells = orient(&mut mesh, NestedShells::Keep).unwrap();
        assert_eq!(mesh, right);
        assert_eq!((shells.0[0].reversed, shells.0[1].reversed), (2, 0));
        assert_eq!(shells.reversed().unwrap().to_string(), "2 faces in the shell of face 0");
    }
}

#[test]
fn messages_name_shells() {
    let all = [([0.0; 3], 9.0, false), ([1.0; 3], 1.0, false), ([20.0; 3], 1.0, true)];
    let shells = orient(&mut boxes(&all, true), NestedShells::Keep).unwrap();
    assert_eq!(shells.reversed().unwrap().to_string(), "2 of 3 shells (faces 0 and 12)");
    let notices: Vec<String> = shells.notices().map(|notice| notice.to_string()).collect();
    assert_eq!(
        notices,
        ["the shell of face 12 lies in others (the first in that of face 0) and, as these, looks \
          outward: filled. `surface::orient` with `NestedShells::Cavities` makes cavities"]
    );
}

/// Bodies over shared vertices: along an edge each is a shell; with a whole face in common both are
/// one, which all of its volume turns.
#[test]
fn bodies_that_touch_are_turned() {
    // the vertices of a grid of 3 × 3 × 2
    let points: Vec<[f64; 3]> = (0..18).map(|k| [k % 3, k / 3 % 3, k / 9].map(f64::from)).collect();
    let body = |[x, y]: [u32; 2], outward: bool| {
        QUADS.map(|quad| {
            let mut face = quad.map(|k| x + (k & 1) + 3 * (y + (k >> 1 & 1)) + 9 * (k >> 2));
            if !outward {
                face.reverse();
            }
            face
        })
    };
    for [first, second] in [[true, false], [false, true], [false, false]] {
        let faces = [body([0, 0], first), body([1, 1], second)].concat();
        let mut mesh =
            SurfaceMesh::new(points.clone(), Polygons::uniform(4, faces.as_flattened().to_vec()));
        let shells = orient(&mut mesh, NestedShells::Keep).unwrap();
        assert_eq!(kinds(&shells), [ShellKind::Body; 2]);
        assert_eq!(volumes(&mesh, 6), [1.0, 1.0]);
    }
    // with a whole face in common, whichever is reversed, and listed before the other
    for [left, right] in [[true, true], [true, false], [false, true], [false, false]] {
        for order in [[0, 1], [1, 0]] {
            let bodies = [body([0, 0], left), body([1, 0], right)];
            let faces = order.map(|k| bodies[k]).concat();
            let quads = Polygons::uniform(4, faces.as_flattened().to_vec());
            // both sides of the face in common in the same way
            let cut = |&[a, b, c, d]: &[u32; 4]| {
                if a.min(c) < b.min(d) { [a, b, c, a, c, d] } else { [b, c, d, b, d, a] }
            };
            let triangles = faces.iter().flat_map(cut).collect();
            for (faces, each) in [(quads, 6), (Polygons::uniform(3, triangles), 12)] {
                let mut mesh = SurfaceMesh::new(points.clone(), faces);
                let shells = orient(&mut mesh, NestedShells::Keep).unwrap();
                assert_eq!(kinds(&shells), [ShellKind::Body], "{left} {right} {order:?}");
                let turned = each * [left, right].iter().filter(|outward| !**outward).count();
                assert_eq!(shells.0[0].reversed, turned, "{left} {right} {order:?}");
                assert_eq!(volumes(&mesh, each), [1.0, 1.0], "{left} {right} {order:?}");
            }
        }
    }
    // a body that is there twice stays two
    let faces = [body([0, 0], false), body([0, 0], false)].concat();
    let mut mesh = SurfaceMesh::new(points, Polygons::uniform(4, faces.as_flattened().to_vec()));
    orient(&mut mesh, NestedShells::Keep).unwrap();
    assert_eq!(volumes(&mesh, 6), [1.0, 1.0]);
}

/// No volume tells which side of a sheet is outside.
#[test]
fn open_and_flat_shells_keep_the_side_of_most_faces() {
    for outward in [true, false] {
        let mut mesh = boxes(&[([0.0; 3], 1.0, outward), ([3.0; 3], 1.0, false)], false);
        let mut faces = Polygons::default();
        mesh.faces.iter().skip(1).for_each(|face| faces.push(face));
        mesh.faces = faces;
        let given = mesh.clone();
        let shells = orient(&mut mesh, NestedShells::Keep).unwrap();
        assert_eq!(kinds(&shells), [ShellKind::Open([0, 1]), ShellKind::Body]);
        assert_eq!([shells.0[0].reversed, shells.0[1].reversed], [0, 6]);
        assert!((0..5).all(|f| mesh.faces.face(f) == given.faces.face(f)));
        let notice = shells.notices().next().unwrap().to_string();
        assert!(notice.starts_with("the shell of face 0 is not closed (the first at edge 0 1)"));
        // four against one
        let mut corners: Vec<Vec<u32>> = given.faces.iter().map(<[u32]>::to_vec).collect();
        corners[2].reverse();
        mesh.faces = Polygons::default();
        corners.iter().for_each(|face| mesh.faces.push(face));
        assert_eq!(orient(&mut mesh, NestedShells::Keep).unwrap().0[0].reversed, 1);
    }
    let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let mut pillow = SurfaceMesh::new(points, Polygons::uniform(3, vec![0, 1, 2, 0, 1, 2]));
    let shells = orient(&mut pillow, NestedShells::Keep).unwrap();
    assert_eq!((kinds(&shells), shells.0[0].reversed), (vec![ShellKind::Flat], 1));
    let strip: Vec<u32> = (0..5).flat_map(|i| [i, (i + 1) % 5, (i + 2) % 5]).collect();
    let points = (0..5).map(|i| [f64::from(i), f64::from(i * i), f64::from(i % 2)]).collect();
    let mut band = SurfaceMesh::new(points, Polygons::uniform(3, strip));
    refused(orient(&mut band, NestedShells::Keep), "cannot look to one side at edge");
}

/// Far from the origin, and where shells are thin.
#[test]
fn places_and_sizes_do_not_matter() {
    for (offset, scale) in
        [(0.0, [1e-9; 3]), (1e9, [1.0; 3]), (-3e12, [1.0, 4.0, 2.0]), (0.0, [1e3, 1e-4, 1e-4])]
    {
        let all = [([0.0; 3], 8.0, false), ([2.0; 3], 2.0, true), ([16.0; 3], 1.0, false)];
        let mut mesh = boxes(&all, true);
        for p in &mut mesh.points {
            *p = std::array::from_fn(|d| offset + scale[d] * p[d]);
        }
        let shells = orient(&mut mesh, NestedShells::Keep).unwrap();
        use ShellKind::{Body, Cavity};
        assert_eq!(kinds(&shells), [Body, Cavity, Body], "{offset} {scale:?}");
        let unit: f64 = scale.iter().product();
        for (found, expected) in volumes(&mesh, 12).into_iter().zip([512.0, -8.0, 1.0]) {
            assert!((found / unit / expected - 1.0).abs() < 1e-3, "{offset}: {found}");
        }
    }
}

/// Texture coordinates stay at their corners; normals of a vertex turn with all its faces.
#[test]
fn what_belongs_to_corners_and_sides_turns_with_faces() {
    let mut mesh = boxes(&[([0.0; 3], 1.0, false), ([5.0; 3], 1.0, true)], false);
    let corners = mesh.faces.vertices().to_vec();
    let values = (0..16).map(|v| [f64::from(v), 0.5]).collect();
    mesh.uv = Some(FaceVarying { values, corners, ..FaceVarying::default() });
    mesh.set_normals((0..16).map(|v| [f64::from(v), 1.0, 0.0]).collect());
    orient(&mut mesh, NestedShells::Keep).unwrap();
    assert_eq!(mesh.uv.as_ref().unwrap().corners, mesh.faces.vertices());
    for (v, normal) in mesh.normals().unwrap().iter().enumerate() {
        let sign = if v < 8 { -1.0 } else { 1.0 };
        assert_eq!(*normal, [sign * v as f64, sign, 0.0 * sign]);
    }
}
