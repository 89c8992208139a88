//! Neighbors of one element, listed as users ask for them.

use super::{Op, Query};
use crate::error::{Error, Result, option, option_name};
use crate::interrupt::stop_point;
use crate::topology::order::EntityKind;

/// How neighbors are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NeighborOrder {
    /// By ascending ids.
    #[default]
    Ascending,
    /// Vertices up to a number of edges away, by ascending ids.
    Rings(usize),
    /// In cyclic order; see [`Query::fan`].
    Oriented,
}

/// Neighbors of an element.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Neighbors {
    /// Their ids.
    pub ids: Vec<u32>,
    /// Whether oriented ones go all the way around.
    pub closed: Option<bool>,
}

impl Query {
    /// The neighbors of one element, by ids of the mesh.
    ///
    /// # Errors
    /// [`Error::Request`] for an element, query or order that the mesh lacks, more than 2³²
    /// entries, and a fan around an element that has none.
    pub fn neighbors(&self, op: Op, id: u32, listing: NeighborOrder) -> Result<Neighbors> {
        stop_point();
        let unordered = |ids| Neighbors { ids, closed: None };
        self.check_listing(op, listing)?;
        match listing {
            NeighborOrder::Ascending => self.row(op, id).map(unordered),
            NeighborOrder::Rings(k) => self.ring(id, k).map(unordered),
            NeighborOrder::Oriented => {
                let fan = self.fan(id)?;
                let closed = Some(fan.is_closed());
                let ids = if matches!(op, Op::VF | Op::EC) { fan.sectors } else { fan.spokes };
                Ok(Neighbors { ids, closed })
            }
        }
    }

    /// Refuses a listing that a query of this mesh does not have.
    fn check_listing(&self, op: Op, listing: NeighborOrder) -> Result<()> {
        let oriented = match self.fan_kind() {
            EntityKind::Edge => [Op::EF, Op::EC],
            _ => [Op::VE, Op::VF],
        };
        match listing {
            NeighborOrder::Rings(_) if op != Op::VV => {
                Err(Error::request(message!(option_name("rings"), " is not for {op}")).with_help(
                    message!("rings are defined for vertices only: ", option("op", "VV")),
                ))
            }
            NeighborOrder::Oriented if !oriented.contains(&op) => {
                let why = message!(option("oriented", true), " is not for {op} of this mesh");
                Err(Error::request(why)
                    .with_help("it is for VE and VF of surfaces, EF and EC of solids"))
            }
            _ => Ok(()),
        }
    }
}
