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
