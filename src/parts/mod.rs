//! Parts of a mesh, for programs that each hold one.
//!
//! # Theory
//! The limit on a cell depends on the cells around its own eight corners and on nothing else. So a
//! part is the cells that it *owns* with one layer of *ghosts*, all other cells that share a vertex
//! with one of them. Cells and vertices keep their order, which all numberings of the setup
//! follow, and creases, attributes and cell data come along: results on owned cells are bitwise
//! as on the whole mesh.
//!
//! What an evaluation is relative to follows from the whole mesh's extent (see
//! [`Solid::local_points`]). So a part also holds the few vertices that span it, which belong to
//! none of its cells.
//!
//! # Practice
//! [`Blocks`] gives the elements of a mesh, or of the same refined some times, in their order and
//! some at a time: the refined mesh as a whole never exists. [`Block::own`] is a piece of a file.
//! Programs that do one job together ([`Ranks`](crate::cluster::Ranks)) each read the control mesh
//! and take blocks of their own.
//!
//! A [`Cut`] says which part owns each cell: runs along a Hilbert curve of about equal cost. A
//! [`Cutter`] makes one [`Part`] after another, each in the time of its own size;
//! [`Part::solid`] analyzes it, and its elements come from the owned cells.
//!
//! ```
//! use subsolid::{Backend, Samples, Want, backend::Cpu, parts::{Cut, Cutter}};
//! let mesh = subsolid::read("models/bracket.vtk")?;
//! let cut = Cut::along_curve(&mesh, &vec![1.0; mesh.cells.len()], 3)?;
//! let cutter = Cutter::new(&mesh, &cut)?;
//! let mut cells = 0;
//! for index in 0..3 {
//!     let part = cutter.part(index);
//!     let solid = part.solid()?;
//!     let plan = solid.plan(&Samples::grid(4), Want::POSITION)?;
//!     let limit = Cpu::default().evaluate(&plan, part.mesh.controls())?;
//!     assert_eq!(limit.len(), 64 * part.owned.len());
//!     cells += part.owned.len();
//! }
//! assert_eq!(cells, mesh.cells.len());
//! # Ok::<(), subsolid::Error>(())
//! ```

mod blocks;
mod cut;
mod cutter;
mod owned_cells;

pub use blocks::{Block, Blocks, Extent};
pub use cut::{Cut, costs};
pub use cutter::Cutter;
pub use owned_cells::OwnedCells;

use crate::error::Result;
use crate::limit::Solid;
use crate::mesh::SolidMesh;

/// Owned cells and their ghosts; see the module's introduction.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The mesh of its cells, in the order of the whole.
    pub mesh: SolidMesh,
    /// The whole's id of each cell, ascending.
    pub cells: Vec<u32>,
    /// The whole's id of each vertex, ascending.
    pub vertices: Vec<u32>,
    /// Owned cells, as ascending indices into `cells`.
    pub owned: Vec<u32>,
}

impl Part {
    /// Number of cells that other parts own.
    pub fn ghost_count(&self) -> usize {
        self.cells.len() - self.owned.len()
    }

    /// Analyzes the part, for its owned cells alone.
    ///
    /// # Errors
    /// As [`Solid::of_part`].
    pub fn solid(&self) -> Result<Solid> {
        Solid::of_part(&self.mesh, &self.owned)
    }

    /// The rows of its vertices, of values `[vertex of the whole][component]`: moved control
    /// points, for instance.
    pub fn gather(&self, values: &[f64], width: usize) -> Vec<f64> {
        let row = |&v: &u32| values[v as usize * width..][..width].iter().copied();
        self.vertices.iter().flat_map(row).collect()
    }
}
