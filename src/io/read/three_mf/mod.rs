//! 3MF: triangle meshes, and objects made of others, placed by the build of a model.
//!
//! 3MF Core Specification 1.3: a zip archive whose model part is XML. Objects in other parts
//! (production extension) are read, too. The surface is what the build places, as one mesh in
//! millimeters.

mod events;
mod model;
mod package;
mod placed;

use std::path::Path;

use self::package::Package;
use self::placed::Model;
use super::ReadReport;
use crate::error::Result;
use crate::mesh::SurfaceMesh;

/// How files of zip archives begin.
pub(super) const MAGIC: &[u8] = b"PK\x03\x04";

/// Reads a 3MF file that is already in memory; its parts take at most `most_unpacked` bytes
/// unpacked, and its triangles once placed.
pub(super) fn read(
    path: &Path,
    bytes: &[u8],
    most_unpacked: u64,
) -> Result<(SurfaceMesh, ReadReport)> {
    let mut package = Package::open(path, bytes, most_unpacked)?;
    let root = package.model_part()?;
    Model::read(&mut package, &root)?.place(path, most_unpacked)
}
