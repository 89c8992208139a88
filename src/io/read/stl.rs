//! STL, ASCII and binary. Equal corners are welded to vertices; where the surface would end, those
//! that differ by the rounding of single precision are, too.
//!
//! Normals follow from the triangles and are left out. A file may hold several solids.

use std::collections::HashMap;
use std::path::Path;

use super::ReadReport;
use super::lines::Text;
use crate::error::{Error, Result};
use crate::mesh::{Polygons, SurfaceMesh};
use crate::numbers::counted;

const HEADER: usize = 80; // bytes before the number of triangles
const TRIANGLE: usize = 50; // normal and corners, 12 numbers of 4 bytes; 2 bytes of color

/// Reads an STL file that is already in memory.
pub(super) fn read(path: &Path, bytes: &[u8]) -> Result<(SurfaceMesh, ReadReport)> {
    let mut surface = CornerWelder::default();
    match count(bytes).filter(|_| !is_text(bytes)) {
        Some(count) => read_binary(path, bytes, count, &mut surface)?,
        None => read_text(Text::new(path, bytes), &mut surface)?,
    }
    Ok(surface.finish())
}

/// Number of triangles of a binary file, if it is long enough to say it.
fn count(bytes: &[u8]) -> Option<usize> {
    let count = bytes.get(HEADER..HEADER + 4)?;
    Some(u32::from_le_bytes(count.try_into().ok()?) as usize)
}

/// Whether a file is as long as a binary one of its number of triangles.
pub(super) fn has_binary_length(bytes: &[u8]) -> bool {
    count(bytes).is_some_and(|n| bytes.len() == HEADER + 4 + TRIANGLE * n)
}

/// Whether a file is text: the headers of binary ones may begin with `solid` too, but their
/// numbers, here of the first triangle, are not text.
fn is_text(bytes: &[u8]) -> bool {
    let word = bytes.trim_ascii_start().get(..5);
    let start = &bytes[..bytes.len().min(HEADER + 4 + TRIANGLE)];
    let text = |byte: &u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace() || *byte >= 0x80;
    let is_solid = word.is_some_and(|word| word.eq_ignore_ascii_case(b"solid"));
    is_solid && !has_binary_length(bytes) && start.iter().all(text)
}

fn read_binary(path: &Path, bytes: &[u8], count: usize, surface: &mut CornerWelder) -> Result<()> {
    let data = &bytes[HEADER + 4..];
    let (triangles, rest) =
        data.split_at_checked(TRIANGLE.saturating_mul(count)).ok_or_else(|| {
            let held = data.len() / TRIANGLE;
            Error::file(
                path,
                None,
                format!("{} announced, {held} there", counted(count, "triangle")),
            )
            .with_help("the file is cut short; export it again")
        })?;
    for triangle in triangles.chunks_exact(TRIANGLE) {
        let number = |at: usize| {
            let bytes = &triangle[4 * at..4 * at + 4];
            f64::from(f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
        };
        // the first three numbers are the normal
        surface.push([3, 6, 9].map(|corner| [0, 1, 2].map(|d| number(corner + d))));
    }
    if !rest.is_empty() {
        surface
            .report
            .skipped
            .push(format!("{} behind the last triangle", counted(rest.len(), "byte")));
    }
    Ok(())
}

fn read_text(mut text: Text, surface: &mut CornerWelder) -> Result<()> {
    while let Some(word) = text.word() {
        if !word.eq_ignore_ascii_case(b"solid") {
            return Err(unexpected(&text, "solid", word));
        }
        text.next_line(); // the name
        while !text.accept("endsolid") {
            expect(&mut text, &["facet", "normal"])?;
            for _ in 0..3 {
                text.required("a number of the normal")?;
            }
            expect(&mut text, &["outer", "loop"])?;
            let mut corners = [[0.0; 3]; 3];
            for corner in &mut corners {
                expect(&mut text, &["vertex"])?;
                *corner = text.point()?;
            }
            expect(&mut text, &["endloop", "endfacet"])?;
            surface.push(corners);
        }
        text.next_line(); // the name again
    }
    Ok(())
}

fn expect(text: &mut Text, keywords: &[&str]) -> Result<()> {
    for keyword in keywords {
        if !text.accept(keyword) {
            let word = text.required(keyword)?;
            return Err(unexpected(text, keyword, word));
        }
    }
    Ok(())
}

fn unexpected(text: &Text, keyword: &str, found: &[u8]) -> Error {
    let help = "the file is malformed or cut short; export it again";
    text.unexpected(found, &format!("`{keyword}`"), help)
}

/// A surface whose equal corners become one vertex.
#[derive(Default)]
struct CornerWelder {
    points: Vec<[f64; 3]>,
    vertices: HashMap<[u64; 3], u32>,
    corners: Vec<u32>,
    report: ReadReport,
}

impl CornerWelder {
    fn push(&mut self, corners: [[f64; 3]; 3]) {
        let triangle = corners.map(|point| {
            let key = point.map(|x| (x + 0.0).to_bits()); // no negative zero
            *self.vertices.entry(key).or_insert_with(|| {
                self.points.push(point);
                self.points.len() as u32 - 1
            })
        });
        self.corners.extend(triangle);
    }

    fn finish(self) -> (SurfaceMesh, ReadReport) {
        let mesh = SurfaceMesh::new(self.points, Polygons::uniform(3, self.corners));
        (SurfaceMesh { faceted: true, ..mesh }, self.report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let (ascii, _) = read(Path::new("a.stl"), text.as_bytes()).unwrap();
        assert_eq!(ascii.points.len(), 4);
        assert_eq!(ascii.faces.vertices(), [0, 1, 2, 0, 2, 3, 0, 2, 0]);

        let mut binary = vec![0; 80];
        binary.extend(3u32.to_le_bytes());
        for face in ascii.faces.iter() {
            binary.extend([0; 12]);
            for &v in face {
                ascii.points[v as usize].iter().for_each(|&x| {
                    binary.extend((x as f32).to_le_bytes());
                });
            }
            binary.extend([0; 2]);
        }
        assert_eq!(read(Path::new("a.stl"), &binary).unwrap().0, ascii);
        binary[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(read(Path::new("a.stl"), &binary).is_err());
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
        let (surface, _) = read(Path::new("a.stl"), text.as_bytes()).unwrap();
        assert_eq!((surface.points.len(), surface.faces.len()), (6, 2));
        let cut = read(Path::new("a.stl"), &text.as_bytes()[..44]).unwrap_err();
        assert!(cut.to_string().starts_with("a.stl:3: `loop` expected"), "{cut}");
    }

    #[test]
    fn headers_of_binary_files_may_look_like_text() {
        let header = b"solid facet normal 0 0 1\nouter loop";
        let mut binary = header.to_vec();
        binary.resize(HEADER, b' ');
        binary.extend(1u32.to_le_bytes());
        for x in [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, -0.0f32] {
            binary.extend(x.to_le_bytes());
        }
        binary.extend([0; 2]);
        let (surface, report) = read(Path::new("a.stl"), &binary).unwrap();
        assert_eq!((surface.faces.len(), report.skipped.len()), (1, 0));
        binary.extend(b"rest");
        let (surface, report) = read(Path::new("a.stl"), &binary).unwrap();
        assert_eq!((surface.faces.len(), report.skipped.len()), (1, 1));
        let cut = read(Path::new("a.stl"), &binary[..100]).unwrap_err();
        assert!(cut.to_string().contains("1 triangle announced, 0 there"), "{cut}");
    }
}
