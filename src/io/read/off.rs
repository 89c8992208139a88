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
