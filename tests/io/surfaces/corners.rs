//! Faces that name a vertex more than once.

use std::fmt::Write;

use subsolid::Result;
use subsolid::io::ReadReport;
use subsolid::mesh::SurfaceMesh;

use super::read;

/// Two squares, one in the other, with such faces, the last of which is a hole; each corner has
/// its number for texture coordinates.
fn of(faces: &[&[u32]]) -> Result<(SurfaceMesh, ReadReport)> {
    let mut text = String::new();
    for (a, b) in [(0, 4), (1, 3)] {
        writeln!(text, "v {a} {a} 0\nv {b} {a} 0\nv {b} {b} 0\nv {a} {b} 0").unwrap();
    }
    let corners = faces.iter().map(|face| face.len()).sum();
    (0..corners).for_each(|i: usize| writeln!(text, "vt {i} 0").unwrap());
    let mut corner = 0;
    for face in faces {
        text += "f";
        for v in *face {
            corner += 1;
            write!(text, " {}/{corner}", v + 1).unwrap();
        }
        text += "\n";
    }
    writeln!(text, "t hole 1/0/0 {}", faces.len() - 1).unwrap();
    read("a.obj", text)
}

fn resolved(faces: &[&[u32]]) -> (SurfaceMesh, Vec<String>) {
    let (mesh, report) = of(faces).unwrap();
    (mesh, report.skipped)
}

fn uv(mesh: &SurfaceMesh) -> &[u32] {
    &mesh.uv.as_ref().unwrap().corners
}

fn area(mesh: &SurfaceMesh) -> f64 {
    let of_edge = |a: [f64; 3], b: [f64; 3]| (a[0] * b[1] - a[1] * b[0]) / 2.0;
    let of_face = |face: &[u32]| -> f64 {
        let points: Vec<[f64; 3]> = face.iter().map(|&v| mesh.points[v as usize]).collect();
        (0..points.len()).map(|i| of_edge(points[i], points[(i + 1) % points.len()])).sum()
    };
    mesh.faces.iter().map(of_face).sum()
}

#[test]
fn corners_that_repeat_the_one_before_go() {
    let faces: [&[u32]; 5] = [&[0, 0, 1], &[0, 1, 1, 2, 0], &[3, 3, 3], &[5, 6, 7], &[4, 5, 6]];
    let (mesh, said) = resolved(&faces);
    let faces: Vec<&[u32]> = mesh.faces.iter().collect();
    assert_eq!(faces, [&[0, 1, 2], &[5, 6, 7], &[4, 5, 6]]);
    assert_eq!(uv(&mesh), [3, 4, 6, 11, 12, 13, 14, 15, 16]);
    assert_eq!(mesh.holes, [2]);
    assert_eq!(said, ["2 faces without area", "repeated corners of 1 face"]);
    mesh.check().unwrap();
}

#[test]
fn a_hole_joined_by_an_edge_is_cut_out() {
    let keyhole = [0, 1, 2, 3, 0, 4, 7, 6, 5, 4];
    let (mesh, said) = resolved(&[&[5, 6, 7], &keyhole]);
    assert_eq!((mesh.faces.len(), area(&mesh)), (9, 2.0 + 12.0));
    assert_eq!(mesh.holes, (1..9).collect::<Vec<_>>());
    assert_eq!(said, ["repeated corners of 1 face (1 cut into triangles)"]);
    let of_corners = uv(&mesh).iter().zip(mesh.faces.vertices());
    assert!(of_corners.skip(3).all(|(&uv, &v)| keyhole[uv as usize - 3] == v));
    // seen from below
    let (mesh, _) = resolved(&[&[5, 6, 7], &[4, 5, 6, 7, 4, 0, 3, 2, 1, 0]]);
    assert_eq!(area(&mesh), 2.0 - 12.0);
}

#[test]
fn faces_that_cross_themselves_are_named_as_in_the_file() {
    let refused = of(&[&[0, 0, 1], &[0, 1, 2, 0, 3, 7]]).unwrap_err().to_string();
    assert!(refused.contains("face 1 names vertex 0 twice"), "{refused}");
    let ply = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n\
               property float z\nelement face 2\nproperty list uchar int vertex_indices\n\
               end_header\n0 0 0\n1 0 0\n0 1 0\n3 0 0 1\n3 0 1 99\n";
    let refused = read("a.ply", ply).unwrap_err().to_string();
    assert!(refused.contains("face 1 names vertex 99"), "{refused}");
}
