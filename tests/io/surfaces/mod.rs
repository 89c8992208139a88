//! Readers of surfaces: what is in a file arrives, and what is wrong with it is said.

mod corners;
mod obj;
mod off;
mod ply;
mod stl;

use subsolid::Result;
use subsolid::io::{ReadReport, read_surface_with_report};
use subsolid::mesh::SurfaceMesh;

use crate::samples::Scratch;

/// The surface in a file named `name` of these bytes.
fn read(name: &str, bytes: impl AsRef<[u8]>) -> Result<(SurfaceMesh, ReadReport)> {
    read_surface_with_report(Scratch::new().file(name, bytes))
}
