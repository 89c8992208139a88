//! The choice among the readers of surfaces.

use std::path::Path;

use super::{
    ReadOptions, ReadReport, obj, off, openfoam, ply, repeated_corners, stl, three_mf, vtk,
};
use crate::error::{Error, Result};
use crate::io::source;
use crate::mesh::{Attribute, SurfaceMesh};
use crate::numbers::counted;

/// Extensions of files of surfaces.
const EXTENSIONS: [&str; 6] = ["obj", "ply", "off", "stl", "3mf", "vtp"];

/// A format of surfaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Ply,
    Off,
    VtkXml,
    VtkLegacy,
    Obj,
    Stl,
    ThreeMf,
}

impl Format {
    /// Reads a file of the format that is already in memory.
    pub fn read(
        self,
        path: &Path,
        bytes: &[u8],
        options: ReadOptions,
    ) -> Result<(SurfaceMesh, ReadReport)> {
        let read = match self {
            Self::Ply => ply::read(path, bytes),
            Self::Off => off::read(path, bytes),
            Self::VtkXml => vtk::surface::read(path, bytes, options.most_unpacked),
            Self::VtkLegacy => vtk::legacy_surface::read(path, bytes),
            Self::Obj => obj::read(path, bytes),
            Self::Stl => stl::read(path, bytes),
            Self::ThreeMf => three_mf::read(path, bytes, options.most_unpacked),
        };
        checked(path, read?)
    }
}

/// The format of surfaces that a file is of, by its content or else its extension; `None` of other
/// formats.
pub(super) fn format(path: &Path, bytes: &[u8]) -> Option<Format> {
    let first = bytes.trim_ascii_start();
    if first.is_empty() {
        return None;
    }
    if vtk::legacy_surface::is_surface(bytes) == Some(true) {
        return Some(Format::VtkLegacy);
    }
    if let Some(format) = known(first) {
        return Some(format);
    }
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    match extension.as_str() {
        "obj" => Some(Format::Obj),
        "stl" => Some(Format::Stl),
        "3mf" => Some(Format::ThreeMf),
        // of standard input
        "" if is_stl(bytes) => Some(Format::Stl),
        "" if obj::is_obj(first) => Some(Format::Obj),
        "" if bytes.starts_with(three_mf::MAGIC) => Some(Format::ThreeMf),
        _ => None,
    }
}

/// Reads the control mesh of a surface: Wavefront `.obj` with OpenSubdiv's tags, `.ply`, `.off`,
/// `.stl`, `.3mf`, VTK `.vtp` or legacy VTK `.vtk` of polygons, and what formats of solids hold of faces.
///
/// # Errors
/// As [`read_surface_with_report`].
pub fn read_surface(path: impl AsRef<Path>) -> Result<SurfaceMesh> {
    Ok(read_surface_with_report(path)?.0)
}

/// Reads the control mesh of a surface, and says what else the file held.
///
/// The path `-` is standard input. OBJ, STL and 3MF are known by the extension, on standard input by the
/// content, as the other formats are. Formats of solids ([`read`](super::read)) hold a surface if
/// they hold faces and no volume cells: the triangles that meshio or Gmsh write. Faces keep
/// the order and the corners of the file; those without area are left out, and polygons with holes
/// that an edge joins to the outline are cut into triangles. The mesh is checked
/// ([`SurfaceMesh::check`]).
///
/// # Errors
/// If the file cannot be read, is malformed or cut short, has no faces, or holds what no control
/// mesh may (volume cells, indices out of range, faces that cross themselves in a vertex,
/// coordinates that are not finite).
pub fn read_surface_with_report(path: impl AsRef<Path>) -> Result<(SurfaceMesh, ReadReport)> {
    read_surface_with_options(path, ReadOptions::default())
}

/// [`read_surface_with_report`] with options.
///
/// # Errors
/// As [`read_surface_with_report`]; if compressed arrays or structured grids take more than the
/// options allow.
pub fn read_surface_with_options(
    path: impl AsRef<Path>,
    options: ReadOptions,
) -> Result<(SurfaceMesh, ReadReport)> {
    let bytes = super::bytes(path.as_ref())?;
    let path = source::shown(path.as_ref());
    match format(path, &bytes) {
        Some(format) => format.read(path, &bytes, options),
        None => {
            let assembly = super::assemble(path, &bytes, options)?;
            checked(path, assembly.finish_surface()?)
        }
    }
}

/// Bytes of a file that tell whether it is of a format of surfaces, as a rule.
const HEAD_BYTES: usize = 4096;

/// Whether a file is of a format of surfaces, by its extension or its first bytes. What else the
/// file holds is not checked, nor is standard input: see [`read_mesh`](super::read_mesh).
///
/// # Errors
/// If the file cannot be read.
pub fn is_surface(path: impl AsRef<Path>) -> Result<bool> {
    let path = path.as_ref();
    if source::is_standard_input(path) || openfoam::directory(path).is_some() {
        return Ok(false);
    }
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    if EXTENSIONS.contains(&extension.as_str()) {
        return Ok(true);
    }
    let head = super::without_mark(source::head(path, HEAD_BYTES)?);
    if vtk::legacy::is_legacy(&head) && vtk::legacy_surface::is_surface(&head).is_none() {
        // fields of any length may stand before the kind of the data set
        return Ok(vtk::legacy_surface::is_surface(&super::bytes(path)?) == Some(true));
    }
    Ok(format(path, &head).is_some())
}

/// The format that the first word of a file tells.
fn known(first: &[u8]) -> Option<Format> {
    if first.starts_with(b"ply") {
        return Some(Format::Ply);
    }
    if off::is_off(first) {
        return Some(Format::Off);
    }
    vtk::surface::is_surface(first).then_some(Format::VtkXml)
}

/// A mesh with one sharpness an edge or vertex, after the checks that all readers of surfaces
/// share; errors name the file.
pub(super) fn checked(
    path: &Path,
    (mut mesh, mut report): (SurfaceMesh, ReadReport),
) -> Result<(SurfaceMesh, ReadReport)> {
    mesh.creases.keep_last();
    for (i, Attribute { name, .. }) in mesh.attributes.iter().enumerate() {
        if mesh.attributes[..i].iter().any(|earlier| earlier.name == *name) {
            return Err(Error::file(path, None, format!("two vertex arrays are named `{name}`"))
                .with_help("rename or remove one of them"));
        }
    }
    match repeated_corners::resolve(&mut mesh, &mut report).and_then(|()| mesh.check()) {
        Ok(()) => {
            // triangles of STL have places, not vertices: a place is one in spite of rounding
            let joined = if mesh.faceted { mesh.weld_rounding() } else { 0 };
            if joined > 0 {
                let (vertices, unit) = (counted(joined, "vertex"), mesh.rounding());
                report.skipped.push(format!("{vertices} joined to others within {unit:.1e}"));
            }
            Ok((mesh, report))
        }
        Err(error @ Error::Mesh { .. }) => Err(error.in_file(path, None)),
        Err(other) => Err(other),
    }
}

/// Whether bytes without a name are STL: by the word of its text form, or the length of its binary
/// form.
fn is_stl(bytes: &[u8]) -> bool {
    bytes.starts_with(b"solid ") || stl::has_binary_length(bytes)
}
