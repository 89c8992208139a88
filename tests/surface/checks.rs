//! Polygons, and checks of meshes of them.

use subsolid::mesh::{Attribute, FaceVarying, Polygons, SurfaceMesh};

fn square() -> SurfaceMesh {
    let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    SurfaceMesh::new(points, Polygons::uniform(4, vec![0, 1, 2, 3]))
}

fn refused(change: impl FnOnce(&mut SurfaceMesh)) -> String {
    let mut mesh = square();
    change(&mut mesh);
    mesh.check().unwrap_err().to_string()
}

#[test]
fn polygons_of_one_size_are_the_same_however_they_come_about() {
    let quads = Polygons::uniform(4, (0..12).collect());
    let mut pushed = Polygons::default();
    quads.iter().for_each(|face| pushed.push(face));
    assert_eq!(quads, pushed);
    assert_eq!(quads.uniform_size(), Some(4));
    assert!(quads.ends().eq([4, 8, 12]));
    let faces: [&[u32]; 4] = [&[0, 1, 2], &[2, 1, 3], &[3, 4, 5, 6], &[]];
    let mut mixed = Polygons::default();
    faces.iter().for_each(|face| mixed.push(face));
    assert!(mixed.ends().eq([3, 6, 10, 10]) && mixed.iter().eq(faces));
    assert_eq!(mixed.uniform_size(), None);
    let mut empty = Polygons::uniform(3, Vec::new());
    assert!(empty.is_empty() && empty == Polygons::default());
    empty.push(&[]);
    assert_eq!((empty.len(), empty.face(0)), (1, &[][..]));
    empty.push(&[7, 8]);
    assert_eq!((empty.len(), empty.face(1)), (2, &[7, 8][..]));
}

#[test]
fn each_kind_of_bad_mesh_is_named() {
    square().check().unwrap();
    assert!(refused(|m| m.faces = Polygons::default()).contains("no faces"));
    assert!(refused(|m| m.points[2][1] = f64::NAN).contains("vertex 2"));
    assert!(refused(|m| m.faces.push(&[0, 1])).contains("face 1 has 2"));
    assert!(refused(|m| m.faces.push(&[0, 1, 4])).contains("face 1 names vertex 4"));
    assert!(refused(|m| m.faces.push(&[0, 1, 2, 1])).contains("vertex 1 twice"));
    assert!(refused(|m| m.holes = vec![1]).contains("hole at face 1"));
    assert!(refused(|m| m.creases.push_edge(0, 1, -1.0)).contains("sharpness -1"));
    assert!(refused(|m| m.creases.push_corner(0, f64::NAN)).contains("corner of vertex 0"));
    let short = Attribute { name: "a".into(), width: 2, values: vec![0.0; 7] };
    assert!(refused(|m| m.attributes.push(short)).contains("7 values"));
    let uv = |corners| {
        Some(FaceVarying { values: vec![[0.0; 2]; 2], corners, ..FaceVarying::default() })
    };
    assert!(refused(|m| m.uv = uv(vec![0; 3])).contains("4 corners"));
    assert!(refused(|m| m.uv = uv(vec![0, 1, 2, 0])).contains("coordinate 2 of 2"));
}
