//! The vertices that span a mesh, found block by block.

use super::exchange::{next_id, next_number};
use crate::error::Result;
use crate::mesh::SolidMesh;

/// A value and its vertex.
type VertexValue = (f64, u32);

/// Among the vertices of cells the first, and those with the least and the largest of each
/// coordinate and component of an attribute: the first of equal least ones, the last of equal
/// largest ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Extremes {
    first: Option<u32>,
    // [component]: least and largest; none without numbers
    found: Vec<Option<[VertexValue; 2]>>,
}

impl Extremes {
    /// The extremes of those vertices of a mesh that are `used`, by their places; its vertices have
    /// the ids from `start` on.
    pub fn of(mesh: &SolidMesh, start: u32, used: impl Fn(usize) -> bool) -> Self {
        let mut found = Vec::new();
        let mut add = |values: &[f64], width: usize| {
            for component in 0..width {
                let along = values.iter().skip(component).step_by(width).enumerate();
                let along = along.filter(|&(v, _)| used(v)).map(|(v, x)| (start + v as u32, x));
                let numbers = along.map(|(v, &x)| (x, v)).filter(|(x, _)| !x.is_nan());
                found.push(numbers.map(|found| [found; 2]).reduce(extended));
            }
        };
        add(mesh.points.as_flattened(), 3);
        mesh.attributes.iter().for_each(|a| add(&a.values, a.width));
        let first = (0..mesh.points.len()).find(|&v| used(v)).map(|v| start + v as u32);
        Self { first, found }
    }

    /// The extremes of both; the vertices of `next` come after.
    #[must_use]
    pub fn joined(self, next: &Self) -> Self {
        if self.found.is_empty() {
            return next.clone();
        }
        let join = |(a, b): (Option<[VertexValue; 2]>, &Option<[VertexValue; 2]>)| match (a, *b) {
            (Some(a), Some(b)) => Some(extended(a, b)),
            (a, b) => a.or(b),
        };
        let found = self.found.into_iter().zip(&next.found).map(join).collect();
        Self { first: self.first.or(next.first), found }
    }

    /// The vertices, some of them more than once.
    pub fn span(&self) -> impl Iterator<Item = u32> + '_ {
        let found = self.found.iter().flatten().flatten().map(|&(_, v)| v);
        self.first.into_iter().chain(found)
    }

    /// The extremes as bytes, for other ranks.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.first.unwrap_or(u32::MAX).to_ne_bytes().to_vec();
        for found in &self.found {
            for (x, v) in found.unwrap_or([(f64::NAN, 0); 2]) {
                bytes.extend(x.to_ne_bytes());
                bytes.extend(v.to_ne_bytes());
            }
        }
        bytes
    }

    /// Reads the extremes that [`Extremes::to_bytes`] has written.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut rest = bytes;
        let first = Some(next_id(&mut rest)?).filter(|&first| first != u32::MAX);
        let mut found = Vec::new();
        while !rest.is_empty() {
            let mut end =
                || -> Result<VertexValue> { Ok((next_number(&mut rest)?, next_id(&mut rest)?)) };
            let ends = [end()?, end()?];
            found.push((!ends[0].0.is_nan()).then_some(ends));
        }
        Ok(Self { first, found })
    }
}

/// The extremes of both; `next` comes after.
fn extended(found: [VertexValue; 2], next: [VertexValue; 2]) -> [VertexValue; 2] {
    let [low, high] = found;
    [
        if next[0].0.total_cmp(&low.0).is_lt() { next[0] } else { low },
        if next[1].0.total_cmp(&high.0).is_ge() { next[1] } else { high },
    ]
}
