//! The choice among the readers of surfaces.

use std::path::Path;

use super::{ReadReport, obj, off, ply, stl, vtk};
use crate::io::source;
use crate::mesh::SurfaceMesh;
use crate::{Error, Result};

/// Extensions of files of surfaces.
pub(super) const EXTENSIONS: [&str; 5] = ["obj", "ply", "off", "stl", "vtp"];

/// Reads the control mesh of a surface: Wavefront `.obj` with OpenSubdiv's tags,
/// `.ply`, `.off`, `.stl`, VTK `.vtp` or legacy VTK `.vtk` of polygons.
///
/// # Errors
/// As [`read_surface_with_report`].
pub fn read_surface(path: impl AsRef<Path>) -> Result<SurfaceMesh> {
    Ok(read_surface_with_report(path)?.0)
}

/// Reads the control mesh of a surface, and says what else the file held.
///
/// The path `-` is standard input. PLY, OFF and VTK are known by their content, the others by the
/// extension, on standard input STL by its content, and all else is OBJ. Faces keep
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
    } else if vtk::surface::is_xml(head) {
        vtk::surface::read(path, head)?
    } else if vtk::legacy::is_legacy(head) {
        vtk::legacy_surface::read(path, head)?
    } else {
        match extension.as_str() {
            "" if !is_file && is_stl(&bytes) => stl::read(path, &bytes)?,
            "" if !is_file => obj::read(path, head)?,
            "obj" => obj::read(path, head)?,
            "stl" => stl::read(path, &bytes)?,
            _ => {
                return Err(Error::file(path, None, "the format of the surface is not known")
                    .with_help(
                        "surfaces are read from Wavefront .obj, PLY .ply, OFF .off, STL .stl and VTK \
                         .vtp and .vtk; of a solid take the boundary first (subsolid boundary)",
                    ));
            }
        }
    };
    mesh.check().map_err(|error| located(path, error))?;
    Ok((mesh, report))
}

/// Bytes of a file that tell whether it is a surface, as a rule.
const HEAD: usize = 4096;

/// Whether a path is that of a surface: by the extension or, as on standard input, by the content.
///
/// # Errors
/// If the file or standard input cannot be read.
pub fn is_surface(path: impl AsRef<Path>) -> Result<bool> {
    let path = path.as_ref();
    if source::is_standard_input(path) {
        return source::peek(|bytes| {
            let first = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
            is_known(first)
                || vtk::legacy_surface::is_surface(bytes) == Some(true)
                || is_stl(bytes)
                || obj::is_obj(first)
        });
    }
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    if EXTENSIONS.contains(&extension.as_str()) {
        return Ok(true);
    }
    let head = source::head(path, HEAD)?;
    if !vtk::legacy::is_legacy(&head) {
        let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&head);
        return Ok(is_known(head.trim_ascii_start()));
    }
    match vtk::legacy_surface::is_surface(&head) {
        Some(is_surface) => Ok(is_surface),
        // fields of any length may stand before the kind of the data set
        None => Ok(vtk::legacy_surface::is_surface(&source::bytes(path)?) == Some(true)),
    }
}

/// Whether a file that begins so is of a format of surfaces that its first word tells.
fn is_known(first: &[u8]) -> bool {
    first.starts_with(b"ply") || off::is_off(first) || vtk::surface::is_surface(first)
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
