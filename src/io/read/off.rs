//! OFF: `OFF` (also `COFF`, `NOFF`, `STOFF` …), counts of vertices, faces and edges,
//! then points and faces; 0-based, `#` starts a comment.
//!
//! Normals, colors and texture coordinates of the vertices, which the variants have, become
//! attributes; colors of faces are left out and reported.

use std::path::Path;

use super::ReadReport;
use super::lines::{Text, real, shown};
use crate::error::Result;
use crate::mesh::{Attribute, NORMALS, SurfaceMesh};
use crate::numbers::counted;

/// Whether a file begins with the word of an OFF file, or with comments and that word.
pub(super) fn is_off(mut head: &[u8]) -> bool {
    while head.starts_with(b"#") {
        let end = head.iter().position(|&byte| byte == b'\n').unwrap_or(head.len());
        head = head[end..].trim_ascii_start();
    }
    let word = head.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    word.ends_with(b"OFF")
        && word.len() <= "STCNOFF".len()
        && word.iter().all(u8::is_ascii_uppercase)
        || word == b"4OFF"
        || word == b"nOFF"
}

/// Reads an OFF file that is already in memory.
pub(super) fn read(path: &Path, bytes: &[u8]) -> Result<(SurfaceMesh, ReadReport)> {
    let mut text = Text::new(path, bytes).with_comment(b'#');
    let header = text.required("the word OFF")?;
    let kind = &header[..header.len().saturating_sub(3)];
    if kind.contains(&b'4') || kind.contains(&b'n') {
        return Err(text
            .error("points of another dimension than 3")
            .with_help("export the surface in three dimensions"));
    }
    if text.accept("BINARY") {
        return Err(text.error("a binary OFF file").with_help("save it as text, or as .ply"));
    }
    let vertices = text.count("the number of vertices")?;
    let faces = text.count("the number of faces")?;
    text.count("the number of edges")?;
    let mut mesh = SurfaceMesh::default();
    let mut report = ReadReport::default();
    mesh.points.reserve(text.room(vertices, 6));
    let mut rows = Vec::new();
    for _ in 0..vertices {
        mesh.points.push(text.point()?);
        if !kind.is_empty() {
            rows.push(numbers(&mut text)?);
        }
    }
    match attributes(kind, &rows) {
        Some(attributes) => mesh.attributes = attributes,
        None => {
            let count = counted(vertices, "value");
            report.skipped.push(format!("{count} after x y z ({})", shown(header)));
        }
    }
    let mut colored = 0;
    let mut face = Vec::new();
    for _ in 0..faces {
        let size = text.count("the number of a face's vertices")?;
        face.clear();
        face.reserve(text.room(size, 2));
        for _ in 0..size {
            face.push(text.index(0, "vertex")?);
        }
        mesh.faces.push(&face);
        let rest = text.next_line().unwrap_or_default();
        colored += usize::from(!rest.is_empty() && rest[0] != b'#');
    }
    if colored > 0 {
        report.skipped.push(format!("{} of faces", counted(colored, "color")));
    }
    if let Some(word) = text.peek() {
        return Err(text.error(format!("`{}` after the last face", shown(word))).with_help(
            "the counts in the second line are too small, or a face's color is on its own line",
        ));
    }
    Ok((mesh, report))
}

/// The numbers in the rest of a line.
fn numbers(text: &mut Text) -> Result<Vec<f64>> {
    let line = text.next_line().unwrap_or_default();
    let line = line.split(|&byte| byte == b'#').next().unwrap_or_default();
    let words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    words.map(|word| real(word).ok_or_else(|| text.expected("a number", shown(word)))).collect()
}

/// The attributes of a file of the kind `STCN`, or a part of it, from the numbers after each point:
/// a normal, a color of three or four numbers, texture coordinates. `None` if they are others.
fn attributes(kind: &[u8], rows: &[Vec<f64>]) -> Option<Vec<Attribute>> {
    let width = rows.first().map_or(0, Vec::len);
    let color = kind.contains(&b'C');
    let normals = if kind.contains(&b'N') { 3 } else { 0 };
    let uv = if kind.starts_with(b"ST") { 2 } else { 0 };
    let colors = width.checked_sub(normals + uv)?;
    let fits = if color { matches!(colors, 3 | 4) } else { colors == 0 };
    if !fits || rows.iter().any(|row| row.len() != width) {
        return None;
    }
    let column = |first: usize, width: usize| -> Vec<f64> {
        rows.iter().flat_map(|row| &row[first..first + width]).copied().collect()
    };
    let named = |name: &str, first: usize, width: usize| {
        (width > 0).then(|| Attribute { name: name.into(), width, values: column(first, width) })
    };
    let color = color.then(|| Attribute::color(colors, column(normals, colors)));
    let all = [named(NORMALS, 0, normals), color, named("uv", normals + colors, uv)];
    Some(all.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_are_read() {
        let plain = "OFF # a roof\n4 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 1\n3 0 1 2\n3 0 2 3  255 0 0\n";
        let (mesh, report) = read(Path::new("a.off"), plain.as_bytes()).unwrap();
        assert_eq!(mesh.faces.vertices(), [0, 1, 2, 0, 2, 3]);
        assert_eq!(report.skipped, ["1 color of faces"]);
        let colored = "COFF\n3 1 0\n0 0 0 1 1 1 1\n1 0 0 1 1 1 1\n1 1 0 1 1 1 1\n3 0 1 2\n";
        let (mesh, report) = read(Path::new("a.off"), colored.as_bytes()).unwrap();
        assert_eq!(mesh.points[2], [1.0, 1.0, 0.0]);
        assert_eq!((&mesh.attributes[0].name[..], mesh.attributes[0].width), ("color", 4));
        assert_eq!(mesh.attributes[0].values, [255.0; 12]);
        assert!(report.skipped.is_empty());
    }

    #[test]
    fn numbers_after_points_are_attributes() {
        let file = |kind: &str, row: &str| {
            let text =
                format!("{kind}\n3 1 0\n0 0 0 {row}\n1 0 0 {row} # c\n1 1 0 {row}\n3 0 1 2\n");
            read(Path::new("a.off"), text.as_bytes())
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
            assert!(read(Path::new("a.off"), text.as_bytes()).is_err());
        }
        assert!(
            is_off(b"OFF 1")
                && is_off(b"STOFF\n")
                && is_off(b"STCNOFF\n")
                && !is_off(b"OFFSET")
                && !is_off(b"v 0")
        );
        assert!(is_off(b"# by a program\n\n# of 2024\nOFF\n") && !is_off(b"# OFF\nv 0 0 0\n"));
    }
}
