//! Processing of control meshes of solids: hexahedra.

mod bound;
mod distance;
mod energy;
mod lbfgs;
mod quality;
mod slide;
mod targets;
mod trilinear;
mod untangle;

pub use bound::{LeastDeterminant, least_determinant};
pub use distance::volume_distance;
#[cfg(feature = "device")]
pub(crate) use distance::{Stage, volume_distance_by};
pub use quality::{CellQuality, cell_quality};
pub use targets::{Seed, boundary_patches, boundary_seeds, crease_seeds, group_seeds, point_seeds};
pub use untangle::{BoundaryMotion, Untangled, untangle};

use crate::error::{Error, Result};
use crate::mesh::{CellKind, SolidMesh};

/// The hexahedra of a mesh of nothing else.
fn hexahedra(mesh: &SolidMesh) -> Result<&[[u32; 8]]> {
    mesh.cells.hexahedra().ok_or_else(|| {
        let other = (0..mesh.cells.len()).find(|&c| mesh.cells.kind(c) != CellKind::Hexahedron);
        Error::mesh(format!("cell {} is no hexahedron", other.unwrap_or_default()))
            .with_help("refine the mesh once: all cells become hexahedra")
    })
}
