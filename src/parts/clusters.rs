//! Which cells of a mesh that ranks hold are mirrored.
//!
//! Every block of a rank finds its own clusters of connected cells. A face between two
//! blocks joins two clusters; these few pairs, and the volume inside each cluster's part of the
//! boundary, go to all ranks, which join them alike.

use super::exchange::{Holders, fetch, next_ids, numbers};
use super::{Block, Inverted};
use crate::cluster::Ranks;
use crate::error::{Error, Result};
use crate::mesh::CellKind;
use crate::numbers::sorted_unique;
use crate::topology::{Clusters, NONE, Topology, no_orientation};

/// The clusters of a rank's blocks.
#[derive(Debug, Default)]
pub(crate) struct RankClusters {
    // cells on the boundary of the mesh or of their block, ascending
    cells: Vec<BoundaryCell>,
    volumes: Vec<f64>,
    // [cluster]: cells that are not hexahedra, those like its first cell and those mirrored against
    // it
    others: Vec<[Inverted; 2]>,
    links: Vec<Link>,
}

#[derive(Clone, Copy, Debug)]
struct BoundaryCell {
    cell: u32,
    cluster: u32,
    // against the first cell of its cluster
    mirrored: bool,
}

/// A face between a cell and one of another block, which is mirrored against the first cell of the
/// cluster or not.
#[derive(Clone, Copy, Debug)]
struct Link {
    cluster: u32,
    cells: [u32; 2],
    mirrored: bool,
}

/// Two clusters, numbered over all ranks, and whether their first cells are mirrored against each
/// other; cells of a face between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ClusterPair {
    clusters: [u32; 2],
    mirrored: bool,
    cells: [u32; 2],
}

/// The cells of a rank's part of the boundary that are mirrored, ascending.
#[derive(Debug)]
pub(crate) struct RankOrientation(Vec<u32>);

impl RankOrientation {
    /// Whether a cell on the boundary is mirrored.
    pub fn is_mirrored(&self, cell: u32) -> bool {
        self.0.binary_search(&cell).is_ok()
    }
}

impl RankClusters {
    /// Adds the next block, of whole cells.
    ///
    /// # Errors
    /// Two cells without a common orientation.
    pub fn add(&mut self, block: &Block, topology: &Topology) -> Result<()> {
        let ids = &block.cells;
        let mut is_own = vec![false; ids.len()];
        block.owned.iter().for_each(|&cell| is_own[cell as usize] = true);
        let found = Clusters::new(topology, &block.mesh.points, |cell| is_own[cell as usize]);
        let found = found.map_err(|cells| no_orientation(cells.map(|cell| ids[cell as usize])))?;
        let first = self.volumes.len() as u32;
        let is_outer = |&&cell: &&u32| {
            topology.cell_faces(cell).iter().any(|&face| {
                let cells = topology.face_cells(face);
                cells.iter().any(|&other| other == NONE || !is_own[other as usize])
            })
        };
        for &cell in block.owned.iter().filter(is_outer) {
            let (cluster, mirrored) =
                (first + found.numbers[cell as usize], found.mirrored[cell as usize]);
            self.cells.push(BoundaryCell { cell: ids[cell as usize], cluster, mirrored });
        }
        self.others.resize(first as usize + found.volumes.len(), [Inverted::default(); 2]);
        for &cell in &block.owned {
            if topology.cells().kind(cell as usize) != CellKind::Hexahedron {
                let cluster = (first + found.numbers[cell as usize]) as usize;
                let like = &mut self.others[cluster][usize::from(found.mirrored[cell as usize])];
                *like = like.joined(Inverted { count: 1, first: Some(ids[cell as usize]) });
            }
        }
        for (cells, mirrored) in found.links {
            let cluster = first + found.numbers[cells[0] as usize];
            let cells = cells.map(|cell| ids[cell as usize]);
            // both blocks see the face
            if cells[1] < cells[0] {
                self.links.push(Link { cluster, cells, mirrored });
            }
        }
        self.volumes.extend(found.volumes);
        Ok(())
    }

    /// The mirrored cells of all clusters, whose cells `holders` tells.
    ///
    /// # Errors
    /// Two cells without a common orientation, and those of other ranks.
    pub fn orientation(self, ranks: &Ranks<'_>, holders: &Holders) -> Result<RankOrientation> {
        let first_mirrored = self.first_mirrored(ranks, holders)?.map_err(no_orientation)?;
        let is_mirrored =
            |known: &&BoundaryCell| known.mirrored ^ first_mirrored[known.cluster as usize];
        let mirrored = self.cells.iter().filter(is_mirrored);
        Ok(RankOrientation(mirrored.map(|known| known.cell).collect()))
    }

    /// This rank's mirrored cells that are not hexahedra; none without a common orientation.
    ///
    /// # Errors
    /// Those of other ranks.
    pub fn inverted(&self, ranks: &Ranks<'_>, holders: &Holders) -> Result<Inverted> {
        let first_mirrored = self.first_mirrored(ranks, holders)?.unwrap_or_default();
        let others = first_mirrored.iter().zip(&self.others);
        // where the first cell is mirrored, those like it are
        let found = others.map(|(&first, others)| others[usize::from(!first)]);
        Ok(found.fold(Inverted::default(), Inverted::joined))
    }

    /// Joins the clusters of all ranks: whether the first cell of each of this rank's is mirrored,
    /// or two cells without a common orientation.
    fn first_mirrored(
        &self,
        ranks: &Ranks<'_>,
        holders: &Holders,
    ) -> Result<std::result::Result<Vec<bool>, [u32; 2]>> {
        let volumes = ranks.all_gather(Ok(bytemuck::cast_slice(&self.volumes).to_vec()))?;
        let mut firsts = vec![0_u32];
        let mut all = Vec::new();
        for bytes in &volumes {
            all.extend(numbers(bytes)?);
            firsts.push(all.len() as u32);
        }
        let first = firsts[ranks.rank()];
        let own = ranks.all_gather(Ok(pair_bytes(&self.pairs(ranks, holders, &firsts)?)))?;
        let mut pairs = Vec::new();
        own.iter().try_for_each(|bytes| push_pairs(bytes, &mut pairs))?;
        pairs.sort_unstable();

        let mut joined = ClusterForest::new(all.len());
        for ClusterPair { clusters, mirrored, cells } in pairs {
            if !joined.join(clusters, mirrored) {
                return Ok(Err(cells));
            }
        }
        let mut sums = vec![0.0; all.len()];
        for (cluster, volume) in (0..).zip(&all) {
            let (root, mirrored) = joined.root(cluster);
            sums[root as usize] += if mirrored { -volume } else { *volume };
        }
        let is_mirrored = |cluster: u32| {
            let (root, mirrored) = joined.root(cluster);
            mirrored ^ (sums[root as usize] < 0.0)
        };
        Ok(Ok((first..firsts[ranks.rank() + 1]).map(is_mirrored).collect()))
    }

    /// The pairs of clusters that links of this rank join, each once.
    fn pairs(
        &self,
        ranks: &Ranks<'_>,
        holders: &Holders,
        firsts: &[u32],
    ) -> Result<Vec<ClusterPair>> {
        let start = holders.range(ranks.rank()).start;
        let answer = |place: usize, bytes: &mut Vec<u8>| {
            let cell = (start + place) as u32;
            let at = self.cells.partition_point(|known| known.cell < cell);
            let known = self.cells.get(at).filter(|known| known.cell == cell);
            let (cluster, mirrored) =
                known.map_or((0, false), |known| (known.cluster, known.mirrored));
            bytes.extend(cluster.to_ne_bytes());
            bytes.extend(u32::from(mirrored).to_ne_bytes());
        };
        let wanted: Vec<u32> = sorted_unique(self.links.iter().map(|link| link.cells[1]).collect());
        let mut known = Vec::with_capacity(wanted.len());
        fetch(ranks, holders, &wanted, answer, |mut bytes| {
            while !bytes.is_empty() {
                let [cluster, mirrored] = next_ids(&mut bytes)?;
                known.push((cluster, mirrored == 1));
            }
            Ok(())
        })?;
        if known.len() != wanted.len() {
            return Err(Error::broken_message());
        }
        let first = firsts[ranks.rank()];
        let pair = |link: &Link| {
            let other = link.cells[1];
            let (cluster, mirrored) = known[wanted.partition_point(|&cell| cell < other)];
            let clusters = [first + link.cluster, firsts[holders.holder(other)] + cluster];
            ClusterPair { clusters, mirrored: link.mirrored ^ mirrored, cells: link.cells }
        };
        let mut pairs: Vec<ClusterPair> = self.links.iter().map(pair).collect();
        pairs.sort_unstable();
        pairs.dedup_by_key(|pair| (pair.clusters, pair.mirrored));
        Ok(pairs)
    }
}

fn pair_bytes(pairs: &[ClusterPair]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for &ClusterPair { clusters: [a, b], mirrored, cells: [c, d] } in pairs {
        [a, b, mirrored.into(), c, d].iter().for_each(|id: &u32| bytes.extend(id.to_ne_bytes()));
    }
    bytes
}

fn push_pairs(mut bytes: &[u8], pairs: &mut Vec<ClusterPair>) -> Result<()> {
    while !bytes.is_empty() {
        let [a, b, mirrored, c, d] = next_ids(&mut bytes)?;
        pairs.push(ClusterPair { clusters: [a, b], mirrored: mirrored == 1, cells: [c, d] });
    }
    Ok(())
}

/// Clusters that are joined to trees, each with its place against the one above.
struct ClusterForest(Vec<(u32, bool)>);

impl ClusterForest {
    fn new(count: usize) -> Self {
        Self((0..count as u32).map(|cluster| (cluster, false)).collect())
    }

    /// The first of the clusters that are connected, and whether this one is mirrored against it.
    fn root(&self, mut cluster: u32) -> (u32, bool) {
        let mut mirrored = false;
        loop {
            let (above, against) = self.0[cluster as usize];
            if above == cluster {
                return (cluster, mirrored);
            }
            mirrored ^= against;
            cluster = above;
        }
    }

    /// Joins two clusters; false if they are joined the other way already.
    fn join(&mut self, clusters: [u32; 2], mirrored: bool) -> bool {
        let [(a, of_a), (b, of_b)] = clusters.map(|cluster| self.root(cluster));
        let wanted = mirrored ^ of_a ^ of_b;
        if a == b {
            return !wanted;
        }
        self.0[a.max(b) as usize] = (a.min(b), wanted);
        // short ways from now on
        for cluster in clusters {
            self.0[cluster as usize] = self.root(cluster);
        }
        true
    }
}
