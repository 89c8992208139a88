//! How many cells are inverted.

use super::exchange::{check_ended, next_count, next_id};
use crate::error::IdKind::Cell;
use crate::error::{Message, Result};
use crate::numbers::{by_count, counted};
use crate::topology::Topology;

/// Tetrahedra, wedges and polyhedra that are inverted among their neighbors, as
/// [`Topology::inverted_cells`] has them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Inverted {
    /// Number of inverted cells.
    pub count: usize,
    /// The first inverted cell.
    pub first: Option<u32>,
}

impl Inverted {
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

    /// The inverted cells of both.
    pub(crate) fn joined(self, other: Self) -> Self {
        let first = self.first.into_iter().chain(other.first).min();
        Self { count: self.count + other.count, first }
    }

    pub(super) fn to_bytes(self) -> Vec<u8> {
        let first = self.first.unwrap_or(u32::MAX);
        [&(self.count as u64).to_ne_bytes()[..], &first.to_ne_bytes()].concat()
    }

    pub(super) fn from_bytes(mut bytes: &[u8]) -> Result<Self> {
        let (count, first) = (next_count(&mut bytes)? as usize, next_id(&mut bytes)?);
        check_ended(bytes)?;
        Ok(Self { count, first: (count > 0).then_some(first) })
    }
}
