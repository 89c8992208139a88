//! Readers, one a format, and the choice between them.

mod abaqus;
mod assemble;
mod creases;
mod curved;
mod exodus;
mod faces;
mod features;
mod foreign;
mod gmsh;
mod groups;
mod high_order;
mod lines;
mod medit;
mod mfem;
mod netcdf;
mod obj;
mod off;
mod openfoam;
mod ovm;
mod ply;
mod repeated_corners;
mod report;
mod sharpness;
mod spline;
mod stl;
mod surface;
mod tags;
mod three_mf;
mod ucd;
mod unv;
mod vtk;
mod weld;

pub use creases::{CreaseTable, read_creases};
pub use curved::CurvedNode;
pub(in crate::io) use obj::INFINITE_SHARPNESS;
pub use report::ReadReport;
pub use surface::{is_surface, read_surface, read_surface_with_options, read_surface_with_report};
pub use vtk::blocks::{CellBlock, GroupName, MeshParts, solid_of_parts};
#[cfg(feature = "vtkio")]
pub use vtk::vtkio;

use std::path::{Path, PathBuf};

use crate::error::{Command, Error, Result};
use crate::io::source;
use crate::memory::bytes_of;
use crate::mesh::{SolidMesh, SurfaceMesh};

use assemble::Assembly;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    VtkLegacy,
    VtkXml,
    Medit,
    Mfem,
    Gismo,
    Splinepy,
    Gmsh,
    OpenVolumeMesh,
    Abaqus,
    Exodus,
    Universal,
    Ucd,
}

const FORMATS: &str = "formats that are read: VTK .vtk, .vtu and .pvtu, MEDIT and MFEM .mesh, Gmsh .msh, \
                       OpenVolumeMesh .ovm (ASCII), Abaqus .inp, Exodus .exo, I-DEAS .unv, \
                       AVS UCD .inp, OpenFOAM polyMesh, splines of MFEM, \
                       G+Smo .xml and splinepy .json; of surfaces .obj, .ply, .off, .stl, .3mf, .vtp";

/// Reads the control mesh in a file of any supported format.
///
/// # Errors
/// As [`read_with_report`].
pub fn read(path: impl AsRef<Path>) -> Result<SolidMesh> {
    Ok(read_with_report(path)?.0)
}

/// How a file is read.
#[derive(Clone, Copy, Debug)]
pub struct ReadOptions {
    /// Most bytes that the compressed arrays of a model and their numbers in double precision take,
    /// and its structured grids: a small file may claim much. Half of the machine's memory by
    /// default, 8 GiB where the system does not tell.
    pub most_unpacked: u64,
}

impl Default for ReadOptions {
    fn default() -> Self {
        let half = crate::memory::physical_memory().map(|bytes| bytes / 2);
        Self { most_unpacked: half.unwrap_or(8 << 30) }
    }
}

impl ReadOptions {
    /// Options of a user, who gave the option `memory` in gigabytes or left it out.
    ///
    /// # Errors
    /// [`Error::Request`] if it is not positive.
    pub fn of_memory(memory: Option<f64>) -> Result<Self> {
        let Some(gigabytes) = memory else { return Ok(Self::default()) };
        Ok(Self { most_unpacked: bytes_of("memory", gigabytes)? })
    }
}

/// Reads the control mesh in a file, and says what else the file held.
///
/// The path `-` is standard input. The format follows from the content and, where that does not
/// tell, from the extension. Cells are numbered in the order of the file, volume cells only;
/// their corners keep the order of the file, put into VTK's convention.
///
/// # Errors
/// If the file cannot be read, is malformed or cut short, names vertices that do
/// not exist, has coordinates that are not finite, has no volume cells or has
/// some that cannot be control cells. High-order cells are read by their corners, and
/// their other nodes are left out. What a *valid* solid
/// demands beyond that is checked when its topology is built.
pub fn read_with_report(path: impl AsRef<Path>) -> Result<(SolidMesh, ReadReport)> {
    read_with_options(path, ReadOptions::default())
}

/// [`read_with_report`] with options.
///
/// # Errors
/// As [`read_with_report`]; if compressed arrays or structured grids take more than the options
/// allow.
pub fn read_with_options(
    path: impl AsRef<Path>,
    options: ReadOptions,
) -> Result<(SolidMesh, ReadReport)> {
    if let Some(directory) = openfoam::directory(path.as_ref()) {
        return openfoam::read(path.as_ref(), &directory)?.finish();
    }
    let bytes = bytes(path.as_ref())?;
    assemble(source::shown(path.as_ref()), &bytes, options)?.finish()
}

/// The files that [`read`] takes a mesh from: the file, the pieces that a `.pvtu` names, the files
/// that an Abaqus deck includes and those of OpenFOAM. A file that cannot be read names none.
pub fn files_of(path: impl AsRef<Path>) -> Vec<PathBuf> {
    let path = path.as_ref();
    let mut files = vec![path.to_owned()];
    if let Some(directory) = openfoam::directory(path) {
        files.extend(openfoam::files(&directory));
        return files;
    }
    if !source::is_standard_input(path) {
        files.extend(vtk::pieces::of(path).unwrap_or_default());
        files.extend(abaqus::included(path).unwrap_or_default());
    }
    files
}

/// A control mesh of either kind.
#[derive(Clone, Debug, PartialEq)]
pub enum ControlMesh {
    /// Control mesh of a solid.
    Solid(SolidMesh),
    /// Control mesh of a surface.
    Surface(SurfaceMesh),
}

/// Reads the control mesh in a file of any supported format, of a solid or a surface, and says what
/// else the file held: a surface from formats of surfaces, and where a format of solids holds faces
/// but no volume cells.
///
/// # Errors
/// As [`read_with_options`] and [`read_surface_with_report`].
pub fn read_mesh(
    path: impl AsRef<Path>,
    options: ReadOptions,
) -> Result<(ControlMesh, ReadReport)> {
    if openfoam::directory(path.as_ref()).is_some() {
        let (mesh, report) = read_with_options(path, options)?;
        return Ok((ControlMesh::Solid(mesh), report));
    }
    let bytes = bytes(path.as_ref())?;
    let path = source::shown(path.as_ref());
    if let Some(format) = surface::format(path, &bytes) {
        let (mesh, report) = format.read(path, &bytes, options)?;
        return Ok((ControlMesh::Surface(mesh), report));
    }
    let assembly = assemble(path, &bytes, options)?;
    if assembly.is_surface() {
        let (mesh, report) = surface::checked(path, assembly.finish_surface()?)?;
        return Ok((ControlMesh::Surface(mesh), report));
    }
    let (mesh, report) = assembly.finish()?;
    Ok((ControlMesh::Solid(mesh), report))
}

/// All bytes of a mesh's file, or of standard input, [`decoded`].
fn bytes(path: &Path) -> Result<Vec<u8>> {
    if path.is_dir() {
        return Err(Error::file(path, None, "this is a directory without a mesh of OpenFOAM")
            .with_help("give a file, or a case with the file constant/polyMesh/owner"));
    }
    Ok(decoded(source::bytes(path)?))
}

/// A file in memory without the byte order mark of UTF-8, and with its XML as UTF-8.
fn decoded(bytes: Vec<u8>) -> Vec<u8> {
    vtk::encoding::decoded(without_mark(bytes))
}

/// Takes the byte order mark of UTF-8 off. The header of binary STL may be any bytes.
fn without_mark(mut bytes: Vec<u8>) -> Vec<u8> {
    if bytes.starts_with(b"\xef\xbb\xbf") && !stl::has_binary_length(&bytes) {
        bytes.drain(..3);
    }
    bytes
}

/// What a file in a format of solids holds.
fn assemble<'a>(path: &'a Path, bytes: &'a [u8], options: ReadOptions) -> Result<Assembly<'a>> {
    match format(path, bytes)? {
        Format::VtkLegacy => vtk::legacy::read(path, bytes, options.most_unpacked),
        Format::VtkXml => vtk::pieces::read(path, bytes, options.most_unpacked),
        Format::Medit => medit::read(path, bytes),
        Format::Mfem => mfem::read(path, bytes, options.most_unpacked),
        Format::Gismo => spline::gismo::read(path, bytes),
        Format::Splinepy => spline::splinepy::read(path, bytes),
        Format::Gmsh => gmsh::read(path, bytes),
        Format::OpenVolumeMesh => ovm::read(path, bytes),
        Format::Abaqus => abaqus::read(path, bytes),
        Format::Exodus => exodus::read(path, bytes),
        Format::Universal => unv::read(path, bytes),
        Format::Ucd => ucd::read(path, bytes),
    }
}

fn format(path: &Path, bytes: &[u8]) -> Result<Format> {
    let refused = |message: &str, help: &str| Err(Error::file(path, None, message).with_help(help));
    let head = &bytes[..bytes.len().min(4096)];
    let head = head.trim_ascii_start();
    let begins = |word: &str| {
        head.get(..word.len()).is_some_and(|h| h.eq_ignore_ascii_case(word.as_bytes()))
    };
    if head.is_empty() {
        return refused("the file is empty", "export the mesh again");
    }
    if vtk::legacy::is_legacy(bytes) {
        return Ok(Format::VtkLegacy);
    }
    if vtk::encoding::is_xml(bytes) {
        return Ok(Format::VtkXml);
    }
    if spline::gismo::is_gismo(head) {
        return Ok(Format::Gismo);
    }
    if spline::splinepy::is_splinepy(head) {
        return Ok(Format::Splinepy);
    }
    if begins("$MeshFormat") || begins("$Comments") || begins("$NOD") {
        return Ok(Format::Gmsh);
    }
    if begins("OVMB") || begins("OVM BINARY") {
        return refused("a binary OpenVolumeMesh file", "save it as ASCII (.ovm)");
    }
    if begins("OVM") {
        return Ok(Format::OpenVolumeMesh);
    }
    if begins("MFEM ") {
        return Ok(Format::Mfem);
    }
    let mut text = lines::Text::new(path, head).with_comment(b'#');
    if text.accept("MeshVersionFormatted") {
        return Ok(Format::Medit);
    }
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let is_binary = matches!(bytes, [1, 0, 0, 0, ..] | [0, 0, 0, 1, ..]);
    if let ("mesh", true, Some(error)) =
        (&*extension, is_binary, foreign::refusal(path, head, "meshb"))
    {
        return Err(error);
    }
    if head[0] == b'*' && head.get(1).is_some_and(|&b| b == b'*' || b.is_ascii_alphabetic()) {
        return Ok(Format::Abaqus);
    }
    if netcdf::is_netcdf(bytes) {
        return Ok(Format::Exodus);
    }
    if matches!(&*extension, "inp" | "avs" | "ucd") && ucd::is_ucd(path, head) {
        return Ok(Format::Ucd);
    }
    if extension == "unv" || unv::is_universal(path, head) {
        return Ok(Format::Universal);
    }
    if bytes.starts_with(b"\x1f\x8b") {
        return refused("a file compressed with gzip", "unpack it first");
    }
    if let Some(error) = foreign::refusal(path, head, &extension) {
        return Err(error);
    }
    match extension.as_str() {
        "vtk" => Ok(Format::VtkLegacy),
        "vtu" | "pvtu" => Ok(Format::VtkXml),
        "mesh" => Ok(Format::Medit),
        "msh" => Ok(Format::Gmsh),
        "ovm" => Ok(Format::OpenVolumeMesh),
        "inp" => Ok(Format::Abaqus),
        _ if surface::format(path, bytes).is_some() => {
            Err(Error::file(path, None, "a surface, not a control mesh of cells")
                .with_help(message!(Command::ReadSurface, " reads surfaces")))
        }
        _ => refused("the format of the file is unknown", FORMATS),
    }
}
