//! What texts have in common: words, lines, columns, and files that are no texts.

use subsolid::io::{read, read_creases};

use crate::read::assert_says;
use crate::samples::Scratch;

const HEADER: &str = "kind,v0,v1,sharpness";

/// The edges of a table, and the names of columns that are not read.
fn edges(text: &str) -> (Vec<([u32; 2], f64)>, Vec<String>) {
    let table = read_creases(Scratch::new().file("a.csv", text)).unwrap();
    let edge = |c: &subsolid::mesh::Crease| (c.edge().map(|v| v.0), c.sharpness);
    (table.creases.edges.iter().map(edge).collect(), table.ignored)
}

fn refused(text: &str) -> String {
    read_creases(Scratch::new().file("a.csv", text)).unwrap_err().to_string()
}

#[test]
fn columns_may_be_apart_by_other_signs_and_have_capitals() {
    let rows = vec![([0, 1], 2.0), ([3, 4], 4.5)];
    for text in [
        "KIND,V0,v1,Sharpness\nedge,0,1,2\nedge,3,4,4.5\n",
        "kind;v0;v1;sharpness\r\nedge;0;1;2\r\nedge;3;4;4.5",
        "# no, no\n kind\tV0\tv1\tsharpness\nedge\t0\t1\t2\nedge\t3\t4\t4.5\n",
    ] {
        assert_eq!(edges(text), (rows.clone(), vec![]), "{text:?}");
    }
    let named = edges("v1;flow, m/s;v0;Kind;V2;sharpness\n1;x;0;edge;7;2\n");
    assert_eq!(named, (rows[..1].to_vec(), vec!["flow, m/s".into(), "V2".into()]));
    // signs in names are not counted
    let quoted = edges("kind;v0;v1;sharpness;\"m, n\";\"o, p, q, r, s\"\nedge;0;1;2;3;4\n");
    assert_eq!(quoted, (rows[..1].to_vec(), vec!["m, n".into(), "o, p, q, r, s".into()]));
    assert_says(
        &refused("kind,v0,v1,v1,sharpness\nedge,1,2,3,4\n"),
        &["two columns are named `v1`"],
    );
    let scratch = Scratch::new();
    let comma = scratch.file("a.csv", "kind;v0;v1;sharpness\nedge;1;2;0,5\n");
    let comma = read_creases(comma).unwrap_err();
    assert_eq!(comma.help(), Some(&"write decimals with a point, as 0.5".into()));
}

#[test]
fn lines_of_errors_count_comments_and_empty_lines() {
    let wrong = "vertex expected, found `x`";
    for (before, line) in [
        (format!("{HEADER}\n"), 2),
        (format!("{HEADER}\nedge,1,2,1\n\n\n# a comment\n"), 6),
        (format!("# first\n\n{HEADER}\nedge,1,2,1\n#\nedge,3,4,1\n\n"), 8),
        (format!("{HEADER}\r\nedge,1,2,1\r\n\r\n# a comment\r\n\r\n"), 6),
    ] {
        let message = refused(&format!("{before}edge,1,x,1\n"));
        assert_says(&message, &[wrong, &format!("a.csv:{line}:")]);
    }
    let message = refused(&format!("{HEADER}\n\n# a comment\nedge,1,2,3,4\n"));
    assert_says(&message, &["a.csv:4:", "5 columns"]);
    let message = refused("\n# a comment\na,c\n1,2\n");
    assert_says(&message, &["a.csv:3:", "header"]);
}

#[test]
fn long_comments_and_rows_are_read() {
    let (long, spaces) = ("#".repeat(100_000), " ".repeat(50_000));
    let message = refused(&format!("{long}\n{HEADER}\nedge,1,{spaces}2,1\n{long}\nedge,1,x,1\n"));
    assert_says(&message, &["a.csv:5:"]);
}

/// Words in any case, comments, numbers with a D, both ends of lines.
#[test]
fn words_know_their_lines() {
    let text = "meshversionformatted 2 dimension\r\n3 # of space\n\nVERTICES 4\r\n0 0 0 0\n\
                1D2 0 0 0\n0 1 0 0\n0 0 -4.5e1\n0\nTetrahedra\n1\n1 2 3 4 0\nEnd\n";
    let file = |text: &str| read(Scratch::new().file("a.mesh", text));
    let mesh = file(text).unwrap();
    assert_eq!((mesh.points[1][0], mesh.points[3][2]), (100.0, -45.0));
    let cut = text.split_once("4 0\nEnd").unwrap().0;
    assert_says(&file(cut).unwrap_err().to_string(), &["a.mesh:12: the file ends where"]);
    let below = text.replace("1 2 3 4 0", "1 2 3 -9223372036854775808 0");
    let below = file(&below).unwrap_err().to_string();
    assert_says(&below, &["a.mesh:12", "vertex -9223372036854775808 is below the first"]);
}

#[test]
fn what_may_never_end_is_refused() {
    let refused = |path: &str| read(path).unwrap_err().to_string();
    assert_says(&refused("models"), &["a directory"]);
    if cfg!(unix) {
        assert_says(&refused("/dev/zero"), &["no regular file"]);
    }
    let scratch = Scratch::new();
    let error = read(scratch.file("a.mesh", b"\xff\xfev\0 \x000\0")).unwrap_err();
    assert_says(&error.to_string(), &["UTF-16"]);
    assert_says(&error.help().unwrap().to_string(), &["iconv"]);
}

#[test]
fn extents_of_grids_are_checked() {
    for wrong in ["0 1 0 1 0", "0 1 1 0 0 1", "0 9999 0 9999 0 9999", "a"] {
        let text = format!(
            "<VTKFile type=\"ImageData\" version=\"1.0\"><ImageData WholeExtent=\"{wrong}\" \
             Origin=\"0 0 0\" Spacing=\"1 1 1\"><Piece Extent=\"{wrong}\"/></ImageData></VTKFile>"
        );
        let message = read(Scratch::new().file("a.vti", text)).unwrap_err().to_string();
        assert_says(&message, &["a.vti"]);
    }
}
