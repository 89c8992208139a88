//! PLY in its three encodings.

use super::read;

const HEADER: &str = "element vertex 4\nproperty float x\nproperty float y\nproperty double z\n\
                      property uchar red\nproperty uchar green\nproperty uchar blue\n\
                      element face 1\nproperty list uchar int vertex_indices\nend_header\n";

fn expect(bytes: impl AsRef<[u8]>) {
    let (mesh, _) = read("a.ply", bytes).unwrap();
    assert_eq!(mesh.points[3], [0.0, 1.0, 0.5]);
    assert_eq!(mesh.faces.face(0), [0, 1, 2, 3]);
    assert_eq!(mesh.attributes[0].width, 3);
    assert_eq!(mesh.attributes[0].values[9..], [30.0, 31.0, 32.0]);
}

#[test]
fn ascii_and_both_byte_orders() {
    let points = [[0.0, 0.0, 0.5], [1.0, 0.0, 0.5], [1.0, 1.0, 0.5], [0.0, 1.0, 0.5f64]];
    let mut ascii = format!("ply\nformat ascii 1.0\n{HEADER}");
    let mut little = format!("ply\nformat binary_little_endian 1.0\n{HEADER}").into_bytes();
    let mut big = format!("ply\nformat binary_big_endian 1.0\n{HEADER}").into_bytes();
    for (i, [x, y, z]) in points.into_iter().enumerate() {
        let red = 10 * i as u8;
        ascii += &format!("{x} {y} {z} {red} {} {}\n", red + 1, red + 2);
        for value in [x, y] {
            little.extend((value as f32).to_le_bytes());
            big.extend((value as f32).to_be_bytes());
        }
        little.extend(z.to_le_bytes());
        big.extend(z.to_be_bytes());
        little.extend([red, red + 1, red + 2]);
        big.extend([red, red + 1, red + 2]);
    }
    ascii += "4 0 1 2 3\n";
    little.push(4);
    big.push(4);
    for v in 0..4i32 {
        little.extend(v.to_le_bytes());
        big.extend(v.to_be_bytes());
    }
    expect(&ascii);
    expect(&little);
    expect(&big);
    for cut in 0..little.len() {
        assert!(read("a.ply", &little[..cut]).is_err());
    }
    let error = |bytes: &[u8]| read("a.ply", bytes).unwrap_err().to_string();
    for bytes in [&little[..little.len() - 3], &ascii.as_bytes()[..ascii.len() - 4]] {
        assert!(error(bytes).contains("cut short: it ends within its 1 element `face`"));
    }
    assert!(error(&little[..40]).contains("within its header"));
    let strips = ascii.replace("element face", "element tristrips");
    assert!(error(strips.as_bytes()).contains("triangle strips"));
}

/// A triangle with such a row of its first vertex, and such rows at the end.
fn text(row: &str, end: &str) -> String {
    format!(
        "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n\
         property double z\nproperty uchar red\nproperty list uchar short of\n\
         element face 1\nproperty list uchar int vertex_indices\nend_header\n\
         {row}\n1 0 0 7 1 2\n0 1 0 8 1 3\n3 0 1 2{end}"
    )
}

#[test]
fn numbers_are_those_of_other_readers() {
    let of = |row: &str| read("a.ply", text(row, "\n")).unwrap().0;
    for (row, point) in [
        (".5 5. -.5e-3 9 1 -4", [0.5, 5.0, -0.5e-3]),
        ("\t+1  0.1 1D2 9.0\t1 -4.0 ", [1.0, f64::from(0.1_f32), 100.0]),
        ("1e-60 3e38 1e60 9 1 -4\r\n", [0.0, f64::from(3e38_f32), 1e60]),
        ("\n\n  \n0 0 0.1 9 1 -4\n\r\n", [0.0, 0.0, 0.1]),
    ] {
        let mesh = of(row);
        assert_eq!(mesh.points[0], point, "{row}");
        assert_eq!(mesh.faces.face(0), [0, 1, 2]);
        assert_eq!(mesh.attributes[0].values, [9.0, 7.0, 8.0]);
        assert_eq!(mesh.attributes[1].values, [-4.0, 2.0, 3.0]);
    }
    for number in ["nan", "inf", "-inf"] {
        let row = format!("0 {number} 0 9 1 -4");
        let refused = read("a.ply", text(&row, "\n")).unwrap_err().to_string();
        assert!(refused.contains("vertex 0"), "{refused}");
    }
}

#[test]
fn rows_that_do_not_fit_the_header_are_refused_by_line() {
    let error = |row: &str, end: &str| read("a.ply", text(row, end)).unwrap_err().to_string();
    for (row, message) in [
        ("0 0 0 9 1 -4 6 b", "a.ply:12: `6 b` after the last property of element `vertex`"),
        ("0 0 0 9 2 -4", "a.ply:12: the line ends where property `of` is expected"),
        ("0 0", "a.ply:12: the line ends where property `z` is expected"),
        (
            "\n0 zero 0 9 1 4",
            "a.ply:13: a number of type float (property `y`) expected, found `zero`",
        ),
        ("0 0 0 300 1 4", "a number of type uchar (property `red`) expected, found `300`"),
        ("0 0 0 0.5 1 4", "a number of type uchar (property `red`) expected, found `0.5`"),
        ("0 0 0 9 -1", "a number of type uchar (property `of`) expected, found `-1`"),
    ] {
        let said = error(row, "\n");
        assert!(said.contains(message), "{said}");
    }
    let said = error("0 0 0 9 1 4", " 3\n");
    assert!(said.contains("a.ply:15: `3` after the last property of element `face`"), "{said}");
    let said = error("0 0 0 9 1 4", "\n\n3 0 1 2\n");
    assert!(said.ends_with("a.ply:17: `3 0 1 2` after the last element"), "{said}");
    assert!(read("a.ply", text("0 0 0 9 1 4", "\n\n \n")).is_ok());
}

#[test]
fn bytes_after_the_last_element_are_refused() {
    let header = "ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty float x\n\
                  property float y\nproperty float z\nelement face 1\n\
                  property list uchar int vertex_indices\nend_header\n";
    let face = [vec![3], [0, 1, 2].map(i32::to_le_bytes).concat()].concat();
    let file = [header.as_bytes(), &[0; 36], &face].concat();
    assert_eq!(read("a.ply", &file).unwrap().0.faces.vertices(), [0, 1, 2]);
    assert!(read("a.ply", [&file[..], b"\n"].concat()).is_ok());
    let error = read("a.ply", [file, face].concat()).unwrap_err().to_string();
    assert!(error.ends_with("a.ply: 13 bytes after the last element"), "{error}");
}

#[test]
fn headers_may_have_comments_in_any_encoding() {
    let plain = text("0 0 0 9 1 4", "\n");
    let with = |line: &[u8]| {
        let (first, rest) = plain.split_once("element").unwrap();
        let bytes = [first.as_bytes(), line, b"\nelement", rest.as_bytes()].concat();
        read("a.ply", &bytes)
    };
    let expected = read("a.ply", &plain).unwrap().0;
    for line in [&b"comment caf\xe9"[..], b"obj_info \xff\xfe", "comment café".as_bytes()] {
        let (mesh, _) = with(line).unwrap();
        assert_eq!((mesh.points, mesh.faces), (expected.points.clone(), expected.faces.clone()));
    }
    let said = with(b"property half x y").unwrap_err().to_string();
    assert!(said.contains("a.ply:3: `property half x y` is no line of a PLY header"), "{said}");
}

#[test]
fn claimed_counts_are_not_trusted() {
    for header in ["element vertex 4000000000\nproperty float x\n", "element face 9999999\n"] {
        let text = format!("ply\nformat ascii 1.0\n{header}end_header\n");
        assert!(read("a.ply", text).is_err());
    }
}

#[test]
fn sharpness_of_corners_makes_corners() {
    let text = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n\
                property float z\nproperty float corner_sharpness\nelement face 1\n\
                property list uchar int vertex_indices\nend_header\n\
                0 0 0 0\n1 0 0 1.5\n0 1 0 0\n3 0 1 2\n";
    let (mesh, _) = read("a.ply", text).unwrap();
    assert!(mesh.attributes.is_empty());
    let corners = mesh.creases.corners.iter().map(|c| (c.vertex.0, c.sharpness));
    assert_eq!(corners.collect::<Vec<_>>(), [(1, 1.5)]);
}
