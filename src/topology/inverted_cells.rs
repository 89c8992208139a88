//! How many cells are inverted.

use super::Topology;
use crate::error::IdKind::Cell;
use crate::error::Message;
use crate::numbers::{by_count, counted};

/// Tetrahedra, wedges and polyhedra that are inverted among their neighbors, as
/// [`Topology::inverted_cells`] has them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InvertedCells {
    /// Number of inverted cells.
    pub count: usize,
    /// The first inverted cell.
    pub first: Option<u32>,
}

impl InvertedCells {
    /// The inverted cells of a topology.
    pub fn of(topology: &Topology) -> Self {
        let cells = topology.inverted_cells();
        Self { count: cells.len(), first: cells.first().copied() }
    }

    /// A message with the number of inverted cells among `cells`, and the first; `None` if there
    /// are none.
    pub fn notice(&self, cells: usize) -> Option<Message> {
        let (count, first) = (self.count, self.first?);
        let cells = counted(cells, "cell");
        let are = by_count(count, "is", "are");
        Some(message!("{count} of {cells} {are} inverted (first: ", Cell.id(first), ")"))
    }
}
