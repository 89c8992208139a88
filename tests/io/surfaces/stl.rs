//! STL, text and binary.

use super::read;

#[test]
fn corners_are_welded_in_both_forms() {
    let facet = |corners: &str| {
        let vertices: String =
            corners.split(',').map(|corner| format!("vertex {corner}\n")).collect();
        format!("facet normal 0 0 1\nouter loop\n{vertices}endloop\nendfacet\n")
    };
    let text = format!(
        "solid a\n{}{}{}endsolid a\n",
        facet("0 0 0,1 0 0,1 1 0"),
        facet("0 0 0,1 1 0,0 1 0"),
        facet("0 0 0,1 1 0,0 0 0")
    );
    let (ascii, report) = read("a.stl", text).unwrap();
    assert_eq!(ascii.points.len(), 4);
    assert_eq!(ascii.faces.vertices(), [0, 1, 2, 0, 2, 3]);
    assert_eq!(report.skipped, ["1 face without area"]);

    let mut binary = vec![0; 80];
    binary.extend(3u32.to_le_bytes());
    for face in ascii.faces.iter().chain([&[0, 2, 0][..]]) {
        binary.extend([0; 12]);
        for &v in face {
            ascii.points[v as usize].iter().for_each(|&x| {
                binary.extend((x as f32).to_le_bytes());
            });
        }
        binary.extend([0; 2]);
    }
    assert_eq!(read("a.stl", &binary).unwrap().0, ascii);
    binary[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(read("a.stl", &binary).is_err());
}

#[test]
fn all_solids_of_a_file_are_read() {
    let solid = |word: &str, z: u32| {
        let text = format!(
            "solid {word}\r\nfacet normal nan nan nan\r\nouter loop\r\nvertex 0 0 {z}\r\n\
             vertex 1 0 {z}\r\nvertex 0 1 {z}\r\nendloop\r\nendfacet\r\nendsolid {word}\r\n"
        );
        if z == 0 { text } else { text.to_uppercase() }
    };
    let text = solid("a b", 0) + &solid("", 1);
    let (surface, _) = read("a.stl", &text).unwrap();
    assert_eq!((surface.points.len(), surface.faces.len()), (6, 2));
    let cut = read("a.stl", &text[..44]).unwrap_err();
    assert!(cut.to_string().contains("a.stl:3: `loop` expected"), "{cut}");
}

#[test]
fn headers_of_binary_files_may_look_like_text() {
    let header = b"solid facet normal 0 0 1\nouter loop";
    let mut binary = header.to_vec();
    binary.resize(80, b' ');
    binary.extend(1u32.to_le_bytes());
    for x in [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, -0.0f32] {
        binary.extend(x.to_le_bytes());
    }
    binary.extend([0; 2]);
    let (surface, report) = read("a.stl", &binary).unwrap();
    assert_eq!((surface.faces.len(), report.skipped.len()), (1, 0));
    binary.extend(b"rest");
    let (surface, report) = read("a.stl", &binary).unwrap();
    assert_eq!((surface.faces.len(), report.skipped.len()), (1, 1));
    let cut = read("a.stl", &binary[..100]).unwrap_err();
    assert!(cut.to_string().contains("1 triangle announced, 0 there"), "{cut}");
}
