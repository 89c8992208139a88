//! The inside of a solid whose mesh ranks hold together.
//!
//! The limit on a cell lies between the heights of the control points that it depends on. So the
//! cells that a rank's layers meet follow from the control mesh alone, and each rank gets those,
//! from whichever ranks have them. A [`SolidSource`](super::SolidSource) of this part gives its
//! layers bit by bit the attributes of the whole: what else an answer depends on, the rings of
//! pieces and the ranges of values, is reduced over the ranks, and the order in which places are
//! looked at is that of the whole.

use super::shared_boundary::SharedBoundary;
use crate::cluster::Ranks;
use crate::error::Result;
use crate::limit::Solid;
use crate::mesh::{SolidMesh, component_ranges};
use crate::parts::exchange::{ids, next_numbers};
use crate::parts::{Block, Blocks, DistributedMesh, Extent, RankPart};
use crate::scheme::VertexRule;

/// What rounding may do to heights, as a fraction of the model's.
const HEIGHT_ROUNDING_FRACTION: f64 = 1e-6;

/// A rank's part of a solid: the cells that its layers need.
#[derive(Debug)]
pub struct SharedInterior {
    // refined, with the whole's id of each cell
    block: Block,
    solid: Solid,
    // of pieces around extraordinary points and edges
    rings: usize,
    // [array of cells][component], of the whole
    cell_ranges: Vec<Vec<[f64; 2]>>,
}

impl SharedInterior {
    /// The part for the layers of this rank, which lie between two heights; of one cell if it has
    /// none. `own` is the part of `mesh` that this rank has made `boundary` of, `extent` that of
    /// its refined mesh ([`Blocks::extent_of_all`]). `distance` says how far beyond its layers
    /// places are asked for, in length units.
    ///
    /// # Errors
    /// Those of the setup of the cells, and those of other ranks.
    pub fn new(
        ranks: &Ranks<'_>,
        mesh: &DistributedMesh,
        own: &RankPart,
        extent: Option<&Extent>,
        boundary: &SharedBoundary,
        heights: Option<[f64; 2]>,
        distance: f64,
    ) -> Result<Self> {
        let cells = wanted_cells(ranks, own, boundary, heights, distance)?;
        let part = mesh.part_of(ranks, own.levels(), cells)?;
        let mut around = Blocks::new(&part, VertexRule::default())?;
        if let Some(extent) = extent {
            around.set_extent(extent.clone());
        }
        let block = around.whole()?;
        let solid = block.solid().map_err(|error| around.fault(error))?;
        let rings = boundary.piece_counts().layer_rings();
        Ok(Self { block, solid, rings, cell_ranges: cell_ranges(ranks, mesh)? })
    }

    /// The mesh of its cells and of those around them, with attributes and arrays.
    pub fn mesh(&self) -> &SolidMesh {
        &self.block.mesh
    }

    pub(super) fn solid(&self) -> &Solid {
        &self.solid
    }

    /// The whole's id of each cell of the mesh.
    pub(super) fn cell_ids(&self) -> &[u32] {
        &self.block.cells
    }

    pub(super) fn rings(&self) -> usize {
        self.rings
    }

    /// Least and largest value of each component of an array of the cells, over the whole.
    pub(super) fn cell_ranges(&self, name: &str) -> Option<&[[f64; 2]]> {
        let mut named = self.mesh().cell_data.iter().zip(&self.cell_ranges);
        named.find(|(array, _)| array.name == name).map(|(_, ranges)| &ranges[..])
    }
}

/// The cells whose limit may come within `distance` of this rank's layers, ascending.
fn wanted_cells(
    ranks: &Ranks<'_>,
    part: &RankPart,
    boundary: &SharedBoundary,
    heights: Option<[f64; 2]>,
    distance: f64,
) -> Result<Vec<u32>> {
    let frame = boundary.frame();
    let reach = distance + HEIGHT_ROUNDING_FRACTION * (frame.heights[1] - frame.heights[0]);
    let own = heights.map(|[low, high]| [low - reach, high + reach]);
    let own = own.unwrap_or([f64::INFINITY, f64::NEG_INFINITY]);
    let all = ranks.all_gather(Ok(bytemuck::cast_slice(&own).to_vec()))?;
    let heights = part.heights(frame.axis.number());
    let owned: Vec<u32> =
        part.part().owned.iter().map(|&cell| part.part().cells[cell as usize]).collect();
    let to = all.iter().map(|bytes| {
        let [low, high] = next_numbers(&mut &bytes[..])?;
        let meets = |&(_, own): &(&u32, &[f64; 2])| own[0] <= high && own[1] >= low;
        let met = owned.iter().zip(&heights).filter(meets);
        Ok(met.flat_map(|(cell, _)| cell.to_ne_bytes()).collect())
    });
    let mut cells = Vec::new();
    for bytes in ranks.all_to_all(to.collect())? {
        cells.extend(ids(&bytes)?);
    }
    cells.sort_unstable();
    // refinement splits a cell between two ranks
    cells.dedup();
    if cells.is_empty() {
        cells.push(0);
    }
    Ok(cells)
}

/// The ranges of the arrays of cells.
fn cell_ranges(ranks: &Ranks<'_>, mesh: &DistributedMesh) -> Result<Vec<Vec<[f64; 2]>>> {
    let arrays = mesh.block().cell_data.iter();
    let mut all: Vec<Vec<[f64; 2]>> =
        arrays.map(|array| component_ranges(&array.values, array.width)).collect();
    let own = bytemuck::cast_slice(all.concat().as_flattened()).to_vec();
    for bytes in ranks.all_gather(Ok(own))? {
        let mut rest = &bytes[..];
        for range in all.iter_mut().flatten() {
            let [low, high] = next_numbers(&mut rest)?;
            *range = [range[0].min(low), range[1].max(high)];
        }
    }
    Ok(all)
}
