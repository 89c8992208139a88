//! A solid restricted to some cells of a mesh.

use super::levels::SolidBuilder;
use super::reach::Reach;
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
        Self::part(mesh, owned, None)
    }

    /// As [`Solid::of_part`], for a grid of samples alone, as [`Solid::for_samples`].
    ///
    /// # Errors
    /// As [`Solid::of_part`].
    pub fn of_part_for_samples(
        mesh: &SolidMesh,
        owned: &[u32],
        parameters: &[f64],
    ) -> Result<Self> {
        Self::part(mesh, owned, Some(Reach::new(parameters)))
    }

    fn part(mesh: &SolidMesh, owned: &[u32], reach: Option<Reach>) -> Result<Self> {
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
        let builder = SolidBuilder::new(&topology, VertexRule::default(), reach);
        let solid = builder.build(topology, sharpness, stars, Some(&evaluated))?;
        Ok(Self { is_part: true, used: None, ..solid })
    }
}
