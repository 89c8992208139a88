//! A solid restricted to some cells of a mesh.

use super::levels::SolidBuilder;
use super::solid::Solid;
use crate::error::{Error, Result};
use crate::mesh::SolidMesh;
use crate::scheme::VertexRule;
use crate::topology::{Sharpness, Topology, stars};

impl Solid {
    /// Analyzes some cells of a mesh that has all cells at their vertices, and none of the other
    /// cells. Elements come from the cells owned that are no ghosts of the mesh, in their order, and the class of all others is
    /// [`Reason::Ghost`](super::Reason::Ghost). Where cells beyond are missing the mesh has no
    /// boundary, so that boundaries, layers and locations of a part mean nothing. `owned`: ids of
    /// cells, ascending; there may be none.
    ///
    /// # Errors
    /// As [`Solid::new`], for defects at the cells owned.
    pub fn of_part(mesh: &SolidMesh, owned: &[u32]) -> Result<Self> {
        let cells = mesh.cells.len();
        let ascend = owned.windows(2).all(|pair| pair[0] < pair[1]);
        if !ascend || owned.last().is_some_and(|&last| last as usize >= cells) {
            return Err(Error::request(format!(
                "owned cells that are not among {cells}, ascending"
            ))
            .with_help("give ids of cells, ascending and each once"));
        }
        let topology = Topology::of_part(mesh)?;
        topology.validate_around(owned)?;
        let sharpness = Sharpness::resolve(&mesh.creases, &topology)?;
        mesh.creases.check_evaluable(0)?;
        let stars = stars(&topology, &sharpness);
        let evaluated = owned.iter().copied().filter(|&cell| !topology.is_ghost(cell));
        let evaluated: Vec<u32> = evaluated.collect();
        let rule = VertexRule::default();
        let solid = SolidBuilder::build(rule, topology, sharpness, stars, Some(&evaluated))?;
        Ok(Self { is_part: true, used: None, ..solid })
    }
}
