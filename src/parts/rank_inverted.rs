//! Inverted cells of a mesh that ranks hold together.

use super::exchange::{Holders, gather_count, next};
use super::{Block, Cutter, Inverted, Part, RankClusters, RankPart};
use crate::cluster::Ranks;
use crate::error::Result;
use crate::mesh::CellKind;
use crate::topology::Topology;

/// Cells whose topology is in memory at a time.
const BLOCK_CELLS: usize = 1 << 17;

/// What a rank knows of its cells, in the order of what decides.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
enum Verdict {
    Hexahedra,
    /// Neighbors see their faces from opposite sides.
    Opposed,
    Inverted,
    /// The setup of the job refuses them.
    Refused,
}

impl RankPart {
    /// Inverted cells of the whole; none where the setup refuses the mesh.
    ///
    /// # Errors
    /// Those of other ranks.
    pub fn inverted_cells(&self, ranks: &Ranks<'_>) -> Result<Inverted> {
        let cells = &self.mesh().cells;
        let is_other = |c: usize| cells.kind(c) != CellKind::Hexahedron;
        let has_others =
            if self.counted.clone().any(is_other) { Verdict::Opposed } else { Verdict::Hexahedra };
        if most(ranks, has_others)? == Verdict::Hexahedra as u8 {
            return Ok(Inverted::default());
        }
        let own = self.clusters(ranks)?;
        let known = own.as_ref().map_or(Verdict::Refused, |&(_, known)| known);
        if most(ranks, known)? != Verdict::Inverted as u8 {
            return Ok(Inverted::default());
        }
        let holders = Holders::of_counts(gather_count(ranks, self.counted.len())?.into_iter());
        let clusters = own.map(|(clusters, _)| clusters).unwrap_or_default();
        let own = clusters.inverted(ranks, &holders)?;
        let all = ranks.all_gather(Ok(own.to_bytes()))?;
        let join = |all: Inverted, bytes: &Vec<u8>| Ok(all.joined(Inverted::from_bytes(bytes)?));
        all.iter().try_fold(Inverted::default(), join)
    }

    /// The clusters of the cells that this rank counts, each cell by its own volume; `None` where
    /// the setup refuses the mesh.
    fn clusters(&self, ranks: &Ranks<'_>) -> Result<Option<(RankClusters, Verdict)>> {
        let (mut clusters, mut known) = (RankClusters::default(), Verdict::Opposed);
        if self.counted.is_empty() {
            return Ok(Some((clusters, known)));
        }
        let Ok(cutter) = Cutter::of_part(self.mesh()) else { return Ok(None) };
        let own: Vec<u32> = self.counted.clone().map(|cell| cell as u32).collect();
        for own in own.chunks(BLOCK_CELLS) {
            ranks.go_on()?;
            let Part { mesh, cells, owned, .. } = cutter.around(own);
            let cells = cells.iter().map(|&cell| self.part().cells[cell as usize]).collect();
            let topology =
                mesh.oriented_cells().and_then(|c| Topology::of_any(c, mesh.points.len()));
            let Ok(topology) = topology else { return Ok(None) };
            if !topology.is_opposed() {
                known = Verdict::Inverted;
            }
            let block = Block { mesh, cells, owned, elements: 0..0, has_other_cells: false };
            if clusters.add(&block, &topology).is_err() {
                return Ok(None);
            }
        }
        Ok(Some((clusters, known)))
    }
}

/// The largest of all ranks.
fn most(ranks: &Ranks<'_>, own: Verdict) -> Result<u8> {
    let mut most = 0;
    for bytes in ranks.all_gather(Ok(vec![own as u8]))? {
        most = most.max(u8::from_ne_bytes(next(&mut &bytes[..])?));
    }
    Ok(most)
}
