//! Control points that move while the mesh stays, as in a solver or an optimization: who needs the
//! points of which rank is found once.

use std::ops::Range;

use super::RankPart;
use super::exchange::{ids, numbers};
use crate::cluster::Ranks;
use crate::error::{Error, Result};

/// An exchange of values at vertices that is made many times: every rank gives those of the
/// vertices that it holds, and gets those of the vertices of its part.
///
/// The part keeps the vertices that spanned the mesh at first, which evaluation is relative to (see
/// the [module](super)). If others span it later, results far from the origin differ from those of
/// one program in the last bits.
///
/// ```
/// use subsolid::cluster::{Ranks, Threads};
/// use subsolid::parts::{DistributedMesh, PointExchange};
/// let mesh = subsolid::read("models/bracket.vtk")?;
/// let found = Threads::run(3, |group| {
///     let ranks = Ranks::new(group);
///     let all = DistributedMesh::scatter(&ranks, ranks.is_first().then(|| mesh.clone())).unwrap();
///     let own = all.own_elements(&ranks, 0);
///     let part = all.into_part(&ranks, 0, own).unwrap();
///     let exchange = PointExchange::new(&part, &ranks).unwrap();
///     let held = &mesh.points[exchange.held()]; // moved by whatever computes them
///     let moved = exchange.values(&ranks, held.as_flattened(), 3).unwrap();
///     moved == part.part().gather(mesh.points.as_flattened(), 3)
/// });
/// assert_eq!(found, [true; 3]);
/// # Ok::<(), subsolid::Error>(())
/// ```
#[derive(Debug)]
pub struct PointExchange {
    held: Range<usize>,
    // [rank]: places among the held vertices whose values it gets
    wanted: Vec<Vec<u32>>,
    // of the part
    count: usize,
}

impl PointExchange {
    /// Finds out who needs what, in one exchange.
    ///
    /// # Errors
    /// Those of other ranks.
    pub fn new(part: &RankPart, ranks: &Ranks<'_>) -> Result<Self> {
        let held = part.vertices.range(ranks.rank());
        let mut to = vec![Vec::new(); ranks.size()];
        for &vertex in &part.part().vertices {
            to[part.vertices.holder(vertex)].extend(vertex.to_ne_bytes());
        }
        let place = |v| Ok(part.vertices.place(v, ranks.rank())? as u32);
        let places = |bytes: &Vec<u8>| ids(bytes)?.map(place).collect();
        let wanted = ranks.all_to_all(Ok(to))?.iter().map(places).collect::<Result<_>>()?;
        Ok(Self { held, wanted, count: part.part().vertices.len() })
    }

    /// The vertices of the whole that this rank holds: it gives their values.
    pub fn held(&self) -> Range<usize> {
        self.held.clone()
    }

    /// Number of values that this rank sends to others, for one value per vertex.
    pub fn sent(&self, ranks: &Ranks<'_>) -> usize {
        let others = self.wanted.iter().enumerate().filter(|(rank, _)| *rank != ranks.rank());
        others.map(|(_, wanted)| wanted.len()).sum()
    }

    /// Values at the vertices of the part, `[vertex][width]`, of those at the held vertices of all
    /// ranks, `[held vertex][width]`.
    ///
    /// # Errors
    /// [`Error::Request`] for another number of values; errors of other ranks.
    pub fn values(&self, ranks: &Ranks<'_>, held: &[f64], width: usize) -> Result<Vec<f64>> {
        let (count, have) = (self.held.len(), held.len());
        if count.checked_mul(width) != Some(have) {
            return ranks.agree(Err(Error::request(format!(
                "{have} values at the vertices of a rank, {count} x {width} are needed"
            ))
            .with_help("give one row of values for each vertex that the rank holds")));
        }
        let row = |&place: &u32| bytemuck::cast_slice(&held[place as usize * width..][..width]);
        let rows =
            |wanted: &Vec<u32>| wanted.iter().flat_map(|v| row(v) as &[u8]).copied().collect();
        let to = self.wanted.iter().map(rows).collect();
        // ranks hold runs of the vertices, and a part has its vertices in order
        let mut values = Vec::with_capacity(self.count * width);
        for bytes in ranks.all_to_all(Ok(to))? {
            values.extend(numbers(&bytes)?);
        }
        if values.len() != self.count * width {
            return Err(Error::broken_message());
        }
        Ok(values)
    }
}
