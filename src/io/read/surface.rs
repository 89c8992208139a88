//! The choice among the readers of surfaces.

use std::path::Path;

use super::{ReadReport, obj, off, ply, stl};
use crate::io::source;
use crate::mesh::SurfaceMesh;
use crate::{Error, Result};

/// Reads the control mesh of a surface: Wavefront `.obj` with OpenSubdiv's tags,
/// `.ply`, `.off` or `.stl`.
///
/// # Errors
/// As [`read_surface_with_report`].
pub fn read_surface(path: impl AsRef<Path>) -> Result<SurfaceMesh> {
    Ok(read_surface_with_report(path)?.0)
}

/// Reads the control mesh of a surface, and says what else the file held.
///
/// The path `-` is standard input. PLY and OFF are known by their first word, the others by the
/// extension, on standard input STL by its first word, and all else is OBJ. Faces keep
/// the order and the corners of the file. The mesh is checked ([`SurfaceMesh::check`]).
///
/// # Errors
/// If the file cannot be read, is malformed or cut short, has no faces, or holds what no
/// control mesh may (indices out of range, repeated vertices of a face, coordinates that
/// are not finite).
pub fn read_surface_with_report(path: impl AsRef<Path>) -> Result<(SurfaceMesh, ReadReport)> {
    let bytes = source::bytes(path.as_ref())?;
    let is_file = !source::is_standard_input(path.as_ref());
    let path = source::shown(path.as_ref());
    let head = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    let first = head.trim_ascii_start();
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let (mesh, report) = if first.is_empty() {
        return Err(Error::file(path, None, "the file is empty").with_help("export the mesh again"));
    } else if first.starts_with(b"ply") {
        ply::read(path, head)?
    } else if off::is_off(first) {
        off::read(path, head)?
    } else {
        match extension.as_str() {
            "" if !is_file && is_stl(&bytes) => stl::read(path, &bytes)?,
            "" if !is_file => obj::read(path, head)?,
            "obj" => obj::read(path, head)?,
            "stl" => stl::read(path, &bytes)?,
            _ => {
                return Err(Error::file(path, None, "the format of the surface is not known")
                    .with_help(
                        "surfaces are read from Wavefront .obj, PLY .ply, OFF .off and STL .stl; of a \
                         solid take the boundary first (subsolid boundary)",
                    ));
            }
        }
    };
    mesh.check().map_err(|error| located(path, error))?;
    Ok((mesh, report))
}

/// An error of the mesh as one of the file.
fn located(path: &Path, error: Error) -> Error {
    match error {
        Error::Mesh { message, help } => {
            Error::File { path: path.into(), line: None, message, help }
        }
        other => other,
    }
}

/// Whether bytes without a name are STL: by the word of its text form, or the length of its binary
/// form, a header of 84 bytes and 50 a triangle.
fn is_stl(bytes: &[u8]) -> bool {
    let count = bytes.get(80..84).map(|n| u64::from(u32::from_le_bytes([n[0], n[1], n[2], n[3]])));
    bytes.starts_with(b"solid ") || count.is_some_and(|n| bytes.len() as u64 == 84 + 50 * n)
}
