//! OFF with normals, colors and texture coordinates.

use subsolid::io::is_surface;
use subsolid::mesh::{Attribute, NORMALS, SurfaceMesh};

use super::read;
use crate::samples::Scratch;

#[test]
fn variants_are_read() {
    let plain = "OFF # a roof\n4 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 1\n3 0 1 2\n3 0 2 3  255 0 0\n";
    let (mesh, report) = read("a.off", plain).unwrap();
    assert_eq!(mesh.faces.vertices(), [0, 1, 2, 0, 2, 3]);
    assert_eq!(report.skipped, ["1 color of faces"]);
    let colored = "COFF\n3 1 0\n0 0 0 1 1 1 1\n1 0 0 1 1 1 1\n1 1 0 1 1 1 1\n3 0 1 2\n";
    let (mesh, report) = read("a.off", colored).unwrap();
    assert_eq!(mesh.points[2], [1.0, 1.0, 0.0]);
    assert_eq!((&mesh.attributes[0].name[..], mesh.attributes[0].width), ("color", 4));
    assert_eq!(mesh.attributes[0].values, [255.0; 12]);
    assert!(report.skipped.is_empty());
}

#[test]
fn numbers_after_points_are_attributes() {
    let file = |kind: &str, row: &str| {
        let text = format!("{kind}\n3 1 0\n0 0 0 {row}\n1 0 0 {row} # c\n1 1 0 {row}\n3 0 1 2\n");
        read("a.off", text)
    };
    let values = |mesh: &SurfaceMesh| -> Vec<(String, Vec<f64>)> {
        let first = |a: &Attribute| (a.name.clone(), a.values[..a.width].to_vec());
        mesh.attributes.iter().map(first).collect()
    };
    let (mesh, report) = file("STCNOFF", "0 0 1 255 128 0 0.5 0.25").unwrap();
    let all: [(String, Vec<f64>); 3] = [
        (NORMALS.into(), vec![0.0, 0.0, 1.0]),
        ("color".into(), vec![255.0, 128.0, 0.0]),
        ("uv".into(), vec![0.5, 0.25]),
    ];
    assert_eq!((values(&mesh), report.skipped), (all.to_vec(), vec![]));
    let (mesh, _) = file("NOFF", "0 0 1").unwrap();
    assert_eq!(values(&mesh), all[..1]);
    for (kind, row) in [("COFF", "255"), ("NOFF", "0 0 1 255 0 0"), ("COFF", "")] {
        let (mesh, report) = file(kind, row).unwrap();
        assert!(mesh.attributes.is_empty() && mesh.points.len() == 3);
        assert_eq!(report.skipped, [format!("3 values after x y z ({kind})")]);
    }
    assert!(file("COFF", "1 x 0").unwrap_err().to_string().contains("a.off:3"));
}

#[test]
fn claimed_counts_are_not_trusted() {
    for text in ["OFF 99999999999999 1 0\n0 0 0", "OFF 1 1 0 0 0 0 4000000000 1", "OFF"] {
        assert!(read("a.off", text).is_err());
    }
}

#[test]
fn files_are_known_by_their_first_word() {
    let scratch = Scratch::new();
    let is_off = |text: &str| is_surface(scratch.file("a", text)).unwrap();
    assert!(["OFF 1", "STOFF\n", "STCNOFF\n"].into_iter().all(is_off));
    assert!(!is_off("OFFSET") && is_off("# by a program\n\n# of 2024\nOFF\n"));
    // what else begins with a comment and `v` is OBJ
    assert!(read("a", "# OFF\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").is_ok());
}
