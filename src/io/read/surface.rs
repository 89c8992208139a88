//! The choice among the readers of surfaces.

use std::path::Path;

use super::{ReadReport, obj, off, ply, stl};
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
/// PLY and OFF are known by their first word, the others by the extension. Faces keep
/// the order and the corners of the file. The mesh is checked ([`SurfaceMesh::check`]).
///
/// # Errors
/// If the file cannot be read, is malformed or cut short, has no faces, or holds what no
/// control mesh may (indices out of range, repeated vertices of a face, coordinates that
/// are not finite).
pub fn read_surface_with_report(path: impl AsRef<Path>) -> Result<(SurfaceMesh, ReadReport)> {
    let path = path.as_ref();
    let bytes = std::fs::read(path).map_err(|source| Error::io(path, source))?;
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
            "obj" => obj::read(path, head)?,
            "stl" => stl::read(path, &bytes)?,
            _ => {
                return Err(Error::file(path, None, "the format of the surface is not known")
                    .with_help(
                        "formats that are read: Wavefront .obj, PLY .ply, OFF .off, STL .stl",
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
