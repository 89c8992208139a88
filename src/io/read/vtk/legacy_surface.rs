//! Legacy `.vtk` files of polygons (`POLYDATA`): what `.vtp` files hold, by the same rules.

use std::path::Path;

use crate::error::{Error, Message, Result};
use crate::io::read::ReadReport;
use crate::mesh::{Attribute, Polygons, SurfaceMesh};

use super::cell_array_fault;
use super::ghosts::check_face_ghosts;
use super::legacy::{LegacyReader, VertexLists};
use super::outline::ArraySection;
use super::surface::{push_faces, vertices};

/// Sections of polygons, of strips of triangles, and of cells that are left out.
const SECTIONS: [&str; 4] = ["POLYGONS", "TRIANGLE_STRIPS", "VERTICES", "LINES"];

/// Whether a file that begins so is a legacy file of a surface; `None` if the bytes end too early
/// to tell, or are damaged.
pub(in crate::io::read) fn is_surface(bytes: &[u8]) -> Option<bool> {
    LegacyReader::open(Path::new(""), bytes).ok().map(|file| file.is_surface)
}

/// Reads a legacy file of a surface that is already in memory.
pub(in crate::io::read) fn read(path: &Path, bytes: &[u8]) -> Result<(SurfaceMesh, ReadReport)> {
    let mut file = LegacyReader::open(path, bytes)?;
    let mut sections = SECTIONS.map(|_| None);
    while let Some(word) = file.text.word() {
        match SECTIONS.iter().position(|name| word.eq_ignore_ascii_case(name.as_bytes())) {
            Some(place) if sections[place].is_some() => return Err(file.twice(SECTIONS[place])),
            Some(place) => sections[place] = Some(file.lists(SECTIONS[place])?),
            None => file.section(word)?,
        }
    }
    finish(file, sections.map(Option::unwrap_or_default))
}

fn finish(file: LegacyReader, sections: [VertexLists; 4]) -> Result<(SurfaceMesh, ReadReport)> {
    let LegacyReader { mut assembly, cell_arrays, .. } = file;
    let cells = sections.iter().map(|lists| lists.ends.len()).sum();
    for (Attribute { name, width, values }, _, line) in cell_arrays {
        if width.checked_mul(cells) != Some(values.len()) {
            return Err(cell_array_fault(&assembly, &name, [values.len(), cells, width], line));
        }
        let section = ArraySection::CellData;
        check_face_ghosts(assembly.path, section, &name, &values, Some(line))?;
        assembly.skip(&format!("cell array `{name}`"));
    }
    let mut faces = Polygons::default();
    for (lists, are_strips) in sections.iter().zip([false, true]) {
        let fault = |line: usize, message: Message| -> Error {
            assembly
                .error(Some(line), message)
                .with_help("the file is cut short or malformed; write it again")
        };
        let corners = vertices(&lists.corners, 0, assembly.points());
        let corners = corners.map_err(|(corner, message)| fault(lists.line_of(corner), message))?;
        push_faces(&mut faces, &corners, &lists.ends, are_strips)
            .map_err(|message| fault(lists.line, message))?;
    }
    let lower = sections[2..].iter().map(|lists| lists.ends.len()).sum();
    assembly.skip_many("vertices and lines", lower);
    assembly.finish_polygons(faces)
}
