//! Adds a layer of ghost cells around a solid.

use serde::{Deserialize, Serialize};

use super::Notes;
use crate::error::{IdKind, Result};
use crate::extend::{ExtensionReport, check_angle, extend};
use crate::mesh::SolidMesh;
use crate::numbers::{by_count, counted};

/// Default angle, in degrees.
const ANGLE: f64 = 40.0;

/// What is asked of an extension.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(default)]
pub struct ExtendRequest {
    /// Boundary edges are sharp where the normals of their faces differ by more than this angle, in
    /// degrees, 0 to 180, and where they are infinitely sharp creases
    #[cfg_attr(feature = "cli", arg(long, value_name = "DEG", default_value_t = ANGLE))]
    pub angle: f64,
}

impl Default for ExtendRequest {
    fn default() -> Self {
        Self { angle: ANGLE }
    }
}

impl ExtendRequest {
    /// Checks the options by themselves.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) for an angle out of range.
    pub fn check(&self) -> Result<()> {
        check_angle(self.angle)
    }

    /// Adds the layer to a mesh.
    ///
    /// # Errors
    /// As [`extend`]; the mesh is as it was then.
    pub fn run(&self, mesh: &mut SolidMesh, notes: &mut dyn Notes) -> Result<ExtensionReport> {
        let (extended, report) = extend(mesh, self.angle)?;
        *mesh = extended;
        let ghosts = counted(report.ghosts, "ghost cell");
        notes.status("Added", format!("{ghosts}, {}", counted(report.vertices, "vertex")));
        if let Some(first) = report.fallbacks.first() {
            let count = report.fallbacks.len();
            let are = by_count(count, "is", "are");
            notes.warn(message!(
                counted(count, "edge"),
                " {are} not as sharp or smooth as the boundary: no other number of ghosts fits there (the first: the edge of ",
                IdKind::Vertex.ids(first.edge),
                ")"
            ));
        }
        Ok(report)
    }
}
