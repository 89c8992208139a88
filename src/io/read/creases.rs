//! Crease tables: CSV with the columns `kind,v0,v1,sharpness` and rows
//! `edge,0,1,inf` (an edge by its end vertices) or `corner,26,,1.5` (a vertex).
//!
//! Vertices are 0-based ids; whether they exist in a mesh, and on its boundary,
//! is checked when the topology is built. Sharpness 0 means smooth, whatever the
//! model says: such rows are listed too.

use std::path::Path;

use crate::error::IdKind::Vertex;
use crate::error::{Error, Result, edge};
use crate::io::source;
use crate::io::table::{TableForm, TableReader, TableRow};
use crate::memory;
use crate::mesh::Creases;

use super::sharpness::{check_crease, check_sharpness};

const FORM: TableForm = TableForm {
    header: &["kind", "v0", "v1", "sharpness"],
    row: "rows of kind,v0,v1,sharpness are `edge,0,1,inf` and `corner,26,,1.5`",
};

/// Rows between checks of the memory: standard input may never end.
const ROWS_AT_A_TIME: usize = 1 << 16;
/// Bytes that a row takes, while arrays grow and are sorted.
const BYTES_A_ROW: u128 = 64;

const LIST_ONCE: &str = "list every edge and corner once";

/// What a table of creases holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CreaseTable {
    /// Edges and vertices of the rows, of sharpness 0 too.
    pub creases: Creases,
    /// Names of the columns that are not read.
    pub ignored: Vec<String>,
}

/// Reads a crease table; the path `-` is standard input.
///
/// # Errors
/// If the file cannot be read, its header or a row is malformed, a sharpness is
/// negative or not a number, or an edge or corner is listed twice; if the rows would fill the
/// memory.
pub fn read_creases(path: impl AsRef<Path>) -> Result<CreaseTable> {
    let mut table = TableReader::open(path.as_ref(), FORM)?;
    let mut creases = Creases::default();
    while table.read(ROWS_AT_A_TIME, |row| push(&mut creases, row))?.len() == ROWS_AT_A_TIME {
        let rows = creases.edges.len() + creases.corners.len();
        let need = rows as u128 * BYTES_A_ROW;
        memory::check(format!("{rows} rows of creases need"), need, |_| LIST_ONCE.into())
            .map_err(|error| error.in_file(table.path(), None))?;
    }
    check_once(source::shown(path.as_ref()), &creases)?;
    let ignored = table.ignored().into_iter().map(String::from).collect();
    Ok(CreaseTable { creases, ignored })
}

fn push(creases: &mut Creases, row: &TableRow<'_>) -> Result<()> {
    let vertex = |column| row.text(column).parse().map_err(|_| row.unexpected(column, "vertex"));
    let sharpness = row.text(3).parse().map_err(|_| row.unexpected(3, "sharpness"))?;
    let (path, line) = row.place();
    match row.text(0) {
        "edge" => {
            let ends = [vertex(1)?, vertex(2)?];
            check_crease(path, Some(line), ends, sharpness)?;
            creases.push_edge(ends[0], ends[1], sharpness);
        }
        "corner" if row.text(2).is_empty() => {
            let vertex = vertex(1)?;
            check_sharpness(path, Some(line), Vertex.id(vertex), sharpness)?;
            creases.push_corner(vertex, sharpness);
        }
        "corner" => {
            return Err(row.error("a corner has one vertex, v0").with_help(FORM.row));
        }
        kind => {
            let message = format!("unknown kind `{}`", kind.escape_debug());
            return Err(row.error(message).with_help(FORM.row));
        }
    }
    Ok(())
}

fn check_once(path: &Path, creases: &Creases) -> Result<()> {
    let mut edges: Vec<_> = creases.edges.iter().map(|crease| crease.edge()).collect();
    edges.sort_unstable();
    let mut corners: Vec<_> = creases.corners.iter().map(|corner| corner.vertex).collect();
    corners.sort_unstable();
    let twice = edges.windows(2).find(|pair| pair[0] == pair[1]);
    let corner = corners.windows(2).find(|pair| pair[0] == pair[1]);
    let place = match (twice, corner) {
        (Some(&[[a, b], _]), _) => edge([a.0, b.0]),
        (_, Some(&[vertex, _])) => Vertex.id(vertex.0),
        _ => return Ok(()),
    };
    Err(Error::file(path, None, message!(place, " is listed twice")).with_help(LIST_ONCE))
}
