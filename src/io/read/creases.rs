//! Crease tables: CSV with the header `kind,v0,v1,sharpness` and rows
//! `edge,0,1,inf` (an edge by its end vertices) or `corner,26,,1.5` (a vertex).
//!
//! Vertices are 0-based ids; whether they exist in a mesh, and on its boundary,
//! is checked when the topology is built. Sharpness 0 means smooth, whatever the
//! model says: such rows are listed too.

use std::path::Path;

use crate::io::source;
use crate::mesh::{Creases, VertexId};
use crate::{Error, Result};

use super::sharpness::{check_crease, check_sharpness};

/// Reads a crease table; the path `-` is standard input.
///
/// # Errors
/// If the file cannot be read, its header or a row is malformed, a sharpness is
/// negative or not a number, or an edge or corner is listed twice.
pub fn read_creases(path: impl AsRef<Path>) -> Result<Creases> {
    let bytes = source::bytes(path.as_ref())?;
    let path = source::shown(path.as_ref());
    let malformed = |line: Option<usize>, message: String| {
        Error::file(path, line, message).with_help(
            "the header is `kind,v0,v1,sharpness`; rows: `edge,0,1,inf`, `corner,26,,1.5`",
        )
    };
    let mut table =
        csv::ReaderBuilder::new().trim(csv::Trim::All).comment(Some(b'#')).from_reader(&bytes[..]);
    let header = table.byte_headers().map_err(|e| malformed(Some(1), e.to_string()))?;
    if header.iter().ne(["kind", "v0", "v1", "sharpness"].map(str::as_bytes)) {
        return Err(malformed(Some(1), "not the header of a crease table".into()));
    }
    let mut creases = Creases::default();
    for row in table.records() {
        let row = row.map_err(|e| {
            let line = e.position().and_then(|position| usize::try_from(position.line()).ok());
            malformed(line, "a row needs 4 columns of UTF-8 text".into())
        })?;
        let line = row.position().and_then(|position| usize::try_from(position.line()).ok());
        let vertex = |column: usize| {
            row[column].parse::<u32>().map_err(|_| {
                malformed(line, format!("vertex expected, found `{}`", row[column].escape_debug()))
            })
        };
        let sharpness = row[3].parse().map_err(|_| {
            malformed(line, format!("sharpness expected, found `{}`", row[3].escape_debug()))
        })?;
        match &row[0] {
            "edge" => {
                let ends = [vertex(1)?, vertex(2)?];
                check_crease(path, line, ends, sharpness)?;
                creases.push_edge(ends[0], ends[1], sharpness);
            }
            "corner" if row[2].is_empty() => {
                let vertex = vertex(1)?;
                check_sharpness(path, line, &VertexId(vertex).to_string(), sharpness)?;
                creases.push_corner(vertex, sharpness);
            }
            "corner" => return Err(malformed(line, "a corner has one vertex, v0".into())),
            kind => return Err(malformed(line, format!("unknown kind `{}`", kind.escape_debug()))),
        }
    }
    check_once(path, &creases)?;
    Ok(creases)
}

fn check_once(path: &Path, creases: &Creases) -> Result<()> {
    let mut edges: Vec<_> = creases.edges.iter().map(|crease| crease.edge).collect();
    edges.sort_unstable();
    let mut corners: Vec<_> = creases.corners.iter().map(|corner| corner.vertex).collect();
    corners.sort_unstable();
    let edge = edges.windows(2).find(|pair| pair[0] == pair[1]);
    let corner = corners.windows(2).find(|pair| pair[0] == pair[1]);
    let place = match (edge, corner) {
        (Some(&[[a, b], _]), _) => format!("edge {}–{}", a.0, b.0),
        (_, Some(&[vertex, _])) => vertex.to_string(),
        _ => return Ok(()),
    };
    Err(Error::file(path, None, format!("{place} is listed twice"))
        .with_help("give every edge and corner one sharpness"))
}
