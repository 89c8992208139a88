//! Distances through meshes of hexahedra.

mod distance;
mod point;
mod targets;
pub(crate) mod trilinear;
mod update;

pub use distance::volume_distance;
pub use point::{ClosestPlace, point_seeds};
pub use targets::{Seed, boundary_patches, boundary_seeds, crease_seeds, group_seeds};

use std::collections::HashMap;

use crate::error::{Error, Result};
use crate::error::{IdKind, option};
use crate::mesh::{CellKind, SolidMesh};

/// The hexahedra of a mesh of nothing else.
///
/// # Errors
/// [`Error::Mesh`] with a cell that is not one.
pub fn hexahedra(mesh: &SolidMesh) -> Result<&[[u32; 8]]> {
    mesh.cells.hexahedra().ok_or_else(|| {
        let others = (0..mesh.cells.len()).filter(|&c| mesh.cells.kind(c) != CellKind::Hexahedron);
        let lasting = others.clone().find(|&c| !splits(mesh, c));
        let help = match lasting {
            Some(_) => {
                "a vertex of it has other than three of its faces, like the apex of a pyramid: \
                        it never refines to hexahedra; split it into tetrahedra, wedges or \
                        hexahedra"
                    .into()
            }
            None => message!(
                "refine the mesh once (",
                option("levels", 1),
                "): all cells become hexahedra"
            ),
        };
        let cell = lasting.or_else(|| others.clone().next()).unwrap_or_default();
        Error::mesh(message!(IdKind::Cell.id(cell), " is not a hexahedron")).with_help(help)
    })
}

/// Whether every vertex of a cell has three of its faces, so that refinement makes hexahedra of it.
fn splits(mesh: &SolidMesh, c: usize) -> bool {
    let mut faces: HashMap<u32, usize> = HashMap::new();
    mesh.cells.for_each_face(c, |face| {
        face.iter().for_each(|&v| *faces.entry(v).or_default() += 1);
    });
    faces.values().all(|&count| count == 3)
}
