//! Parallel VTK XML grids (`.pvtu`): an index of `.vtu` files, read as one mesh.
//!
//! Names of pieces are relative to the folder of the index; absolute ones and ones
//! with `..` are followed as VTK follows them. Programs that write pieces repeat the
//! points where pieces touch, ours too. Points of *different* pieces that are equal or lie within
//! rounding of each other are merged: a control mesh needs cells that share vertices.
//! Points of one piece stay apart. Of merged points the values of the first piece are kept.

use std::path::{Path, PathBuf};

use quick_xml::events::Event;

use crate::error::{Error, Result};
use crate::io::CREASE_EDGES;
use crate::io::read::assemble::Assembly;
use crate::io::read::decoded;
use crate::io::source;
use crate::mesh::Attribute;

use super::binary::Budget;
use super::encoding;
use super::events::XmlEvents;
use super::outline::XmlOutline;
use super::xml;

/// Bytes that tell a `.pvtu`.
pub(super) const HEAD_BYTES: usize = 4096;

/// Reads a `.vtu` or `.pvtu` file that is already in memory.
pub(in crate::io::read) fn read<'a>(
    path: &'a Path,
    bytes: &[u8],
    most_unpacked: u64,
) -> Result<Assembly<'a>> {
    let budget = Budget::new(most_unpacked);
    match Index::read(path, bytes)? {
        Some(_) if path == source::shown(Path::new("-")) => {
            Err(Error::file(path, None, "a .pvtu has no folder for its pieces here")
                .with_help("give its path"))
        }
        Some(index) => index.assemble(path, &budget),
        None => xml::read(path, bytes, &budget),
    }
}

/// The files of the pieces of a `.pvtu`; none of another file.
pub(in crate::io::read) fn of(path: &Path) -> Result<Vec<PathBuf>> {
    if !Index::is_begun(&source::head(path, HEAD_BYTES)?) {
        return Ok(Vec::new());
    }
    let index = Index::read(path, &source::file_bytes(path)?)?;
    Ok(index.iter().flat_map(Index::paths).map(Path::to_owned).collect())
}

/// The names of the pieces, each with its 1-based line.
pub(super) struct Index {
    pieces: Vec<(PathBuf, usize)>,
}

impl Index {
    /// Whether a file that begins so may be a `.pvtu`.
    pub fn is_begun(head: &[u8]) -> bool {
        const KIND: &[u8] = b"PUnstructuredGrid";
        head.windows(KIND.len()).any(|window| window == KIND)
    }

    /// The files of the pieces.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.pieces.iter().map(|(path, _)| path.as_path())
    }

    /// The index in a file; `None` if the file is no `.pvtu`.
    pub fn read(path: &Path, bytes: &[u8]) -> Result<Option<Self>> {
        if !Self::is_begun(&bytes[..bytes.len().min(HEAD_BYTES)]) {
            return Ok(None);
        }
        let mut events = XmlEvents::new(path, encoding::text(path, bytes)?);
        let folder = path.parent().unwrap_or(Path::new(""));
        let (mut pieces, mut is_index) = (Vec::new(), false);
        loop {
            let tag = match events.next(0)? {
                Event::Start(tag) | Event::Empty(tag) => tag,
                Event::Eof => break,
                _ => continue,
            };
            match tag.name().as_ref() {
                "VTKFile" => {
                    let kind = events.attribute(&tag, "type")?;
                    is_index = kind.is_some_and(|kind| kind == "PUnstructuredGrid");
                    if !is_index {
                        return Ok(None);
                    }
                }
                "Piece" => {
                    let source = events.attribute(&tag, "Source")?.filter(|name| !name.is_empty());
                    let source = source.ok_or_else(|| events.fault("a piece without Source"))?;
                    pieces.push((folder.join(source), events.line));
                }
                _ => {}
            }
        }
        if is_index && pieces.is_empty() {
            return Err(events.fault("the file names no pieces"));
        }
        Ok(is_index.then_some(Self { pieces }))
    }

    /// All pieces; `path` is the index.
    fn assemble<'a>(&self, path: &'a Path, budget: &Budget) -> Result<Assembly<'a>> {
        let mut assembly = Assembly::new(path, 0);
        let mut starts = Vec::with_capacity(self.pieces.len());
        let mut creases: Vec<Attribute> = Vec::new();
        for (piece, line) in &self.pieces {
            let bytes = source::file_bytes(piece).map(decoded).map_err(|e| {
                Error::file(path, Some(*line), format!("the piece {}: {e}", piece.display()))
                    .with_help("keep the pieces where the file names them, relative to its folder")
            })?;
            let start = assembly.points();
            starts.push(start);
            // Messages name the piece.
            assembly.path = piece;
            xml::append(&mut assembly, piece, &XmlOutline::read(piece, &bytes)?, budget)?;
            for mut field in std::mem::take(&mut assembly.fields) {
                if field.name == CREASE_EDGES {
                    let count = (assembly.points() - start) as f64;
                    if let Some(beyond) =
                        field.values.iter().find(|&vertex| !(0.0..count).contains(vertex))
                    {
                        return Err(assembly
                            .error(
                                None,
                                format!(
                                    "`{CREASE_EDGES}` names vertex {beyond}, the piece has {count}"
                                ),
                            )
                            .with_help("creases of a piece name vertices of the same piece"));
                    }
                    field.values.iter_mut().for_each(|vertex| *vertex += start as f64);
                }
                match creases.iter_mut().find(|known| known.name == field.name) {
                    Some(known) if known.width == field.width => known.values.extend(field.values),
                    Some(_) => {
                        return Err(assembly
                            .error(None, format!("`{}` has another width than before", field.name))
                            .with_help("give all pieces the same arrays"));
                    }
                    None => creases.push(field),
                }
            }
        }
        let mut assembly = assembly.of(path);
        assembly.fields = creases;
        assembly.weld_pieces(&starts);
        Ok(assembly)
    }
}
