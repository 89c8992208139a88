//! The structures of a solid, numbered.

use std::sync::Arc;

use rayon::prelude::*;

use super::class::Reason;
use super::memo::LeastWalk;
use super::net;
use super::structure::{NetKey, Structure};
use crate::error::Result;
use crate::interrupt::stop_point;
use crate::memory;
use crate::numbers::counted;

/// Bytes of a structure, for each control point of its net.
const CONTROL_BYTES: usize = 800;

/// Structures in order of first appearance.
#[derive(Default)]
pub(super) struct StructureNumbering {
    // by the number of the net ([`LeastWalk::number`])
    numbers: Vec<NetStructure>,
    pub structures: Vec<Arc<Structure>>,
}

/// The structure of a net.
#[derive(Clone, Copy, Default)]
enum NetStructure {
    #[default]
    Unknown,
    /// The net cannot be evaluated.
    Nothing,
    Structure(u32),
}

impl StructureNumbering {
    /// Builds the structures of all new nets in parallel, then numbers them.
    pub fn add<'a>(
        &mut self,
        nets: impl Iterator<Item = &'a Arc<LeastWalk>>,
        build: impl Fn(&NetKey) -> Option<Arc<Structure>> + Sync,
    ) -> Result<()> {
        let mut new: Vec<&LeastWalk> = Vec::new();
        for net in nets {
            let at = net.number as usize;
            if self.numbers.len() <= at {
                self.numbers.resize(at + 1, NetStructure::Unknown);
            }
            if matches!(self.numbers[at], NetStructure::Unknown) {
                self.numbers[at] = NetStructure::Nothing;
                new.push(net);
            }
        }
        let made: usize = self.structures.iter().map(|structure| structure.controls()).sum();
        let controls = made + new.iter().map(|net| net::control_count(&net.key)).sum::<usize>();
        let count = counted(self.structures.len() + new.len(), "structure");
        memory::check(
            format!("{count} of cells at extraordinary edges and vertices need"),
            (controls * CONTROL_BYTES) as u128,
            |_| {
                "take a coarser mesh, or one with fewer different neighborhoods of cells; only grids of \
                 values and Gauss points are evaluated without structures"
                    .into()
            },
        )?;
        let built = |net: &&LeastWalk| {
            stop_point();
            build(&net.key)
        };
        let built: Vec<_> = new.par_iter().with_max_len(1).map(built).collect();
        for (net, structure) in new.into_iter().zip(built) {
            if let Some(structure) = structure {
                let number = self.structures.len() as u32;
                self.numbers[net.number as usize] = NetStructure::Structure(number);
                self.structures.push(structure);
            }
        }
        Ok(())
    }

    /// The structure of a net by its number.
    pub fn of_net(&self, net: u32) -> Result<u32, Reason> {
        match self.numbers[net as usize] {
            NetStructure::Structure(number) => Ok(number),
            _ => Err(Reason::SeveralExtraordinary),
        }
    }
}
