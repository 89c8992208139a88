//! The model of a job that ranks share: each reads its own block of the file where the file allows
//! it, else rank 0 reads it for all.

use std::path::Path;
use std::time::Instant;

use subsolid::cluster::Ranks;
use subsolid::mesh::SolidMesh;
use subsolid::numbers::counted;
use subsolid::parts::{Blocks, DistributedMesh, Extent, RankPart};
use subsolid::scheme::VertexRule;
use subsolid::{Result, io};

use super::Console;
use super::console::since;
use super::model::{ModelArguments, warn_of_unused};

/// Elements that a rank has the setup of at a time: some hundred megabytes.
pub const BLOCK_ELEMENTS: usize = 1 << 18;

impl ModelArguments {
    /// The model on all ranks: what `whole` makes of it on rank 0, unless that is what the file
    /// holds (`as_it_is`) and ranks can read their blocks of it.
    pub fn load_on_ranks(
        &self,
        ranks: &Ranks<'_>,
        as_it_is: bool,
        console: &Console,
        whole: impl FnOnce() -> Result<SolidMesh>,
    ) -> Result<DistributedMesh> {
        // a table of creases is small, and every rank reads it
        let is_there = self.creases.as_deref() != Some(Path::new("-"));
        if ranks.size() > 1
            && as_it_is
            && is_there
            && self.crease_angle.is_none()
            && let Some(mesh) = self.read_blocks(ranks, console)?
        {
            return Ok(mesh);
        }
        let mesh = ranks.first(whole)?;
        DistributedMesh::scatter(ranks, mesh)
    }

    /// Reads a block per rank; `None` if one cannot be read for itself.
    fn read_blocks(&self, ranks: &Ranks<'_>, console: &Console) -> Result<Option<DistributedMesh>> {
        let start = Instant::now();
        let own = if self.model == Path::new("-") {
            None
        } else {
            io::read_block(&self.model, ranks.rank(), ranks.size())
        };
        // nothing without a block: all ranks need one, of the same file
        let counts = own.as_ref().map(|(block, _)| [block.cells, block.vertices]);
        let counts = counts.iter().flatten().flat_map(|count| count.to_ne_bytes()).collect();
        let all = ranks.all_gather(Ok(counts))?;
        let Some((block, report)) = own.filter(|_| all.iter().all(|other| *other == all[0])) else {
            return Ok(None);
        };
        let mut mesh = DistributedMesh::of_blocks(ranks, block)?;
        self.say_read([mesh.vertex_count(), mesh.cell_count()], &report, start, console);
        warn_of_unused(mesh.unused_vertices(ranks)?, console);
        if let Some(path) = &self.creases {
            let table = ranks.agree(self.read_creases(path, console))?;
            mesh.set_creases(table.or(mesh.creases()));
        }
        self.warn_of_coincident(mesh.coincident_vertices(ranks)?, console);
        Ok(Some(mesh))
    }

    /// Warns of left-handed and folded hexahedra and of inverted other cells on any rank; refuses
    /// them with `--strict`.
    pub fn check_cells_on_ranks(
        &self,
        part: &RankPart,
        ranks: &Ranks<'_>,
        console: &Console,
    ) -> Result<()> {
        let (handedness, folded) = part.check_hexahedra(ranks)?;
        self.check_found(&handedness, &folded, console)?;
        self.check_inverted(part.inverted_cells(ranks)?, handedness.cells, console)
    }
}

/// The blocks of the part, which know the extent of the refined mesh of `count` elements.
pub fn blocks<'p>(
    part: &'p RankPart,
    count: usize,
    ranks: &Ranks<'_>,
    console: &Console,
) -> Result<Blocks<'p>> {
    let mut blocks = Blocks::new(part, VertexRule::default())?;
    if !blocks.needs_extent() {
        return Ok(blocks);
    }
    let start = Instant::now();
    let (cells, levels) = (blocks.cell_count(), part.levels());
    let step = (BLOCK_ELEMENTS >> (3 * levels.min(6))).max(1);
    let mut extent = Extent::default();
    for first in (0..cells).step_by(step) {
        ranks.go_on()?;
        extent = extent.joined(&blocks.extent(first..(first + step).min(cells))?);
    }
    let all = ranks.all_gather(Ok(extent.to_bytes()))?;
    let join = |extent: Extent, bytes: &Vec<u8>| -> Result<Extent> {
        Ok(extent.joined(&Extent::from_bytes(bytes)?))
    };
    blocks.set_extent(all.iter().try_fold(Extent::default(), join)?);
    let cells = counted(count, "cell");
    let levels = counted(levels, "level");
    console.status("Measured", format!("{cells} of {levels} in {}", since(start)));
    Ok(blocks)
}
