//! From the control points of a leaf to the vertices of the mesh.
//!
//! The net of a leaf that is refined first holds points of finer levels. Each of
//! them is a sum of vertices of the mesh, by the stencils of the levels between.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::limit::Solid;
use crate::scheme::Stencils;

/// Weights of equal topology differ by rounding only: far less than 2⁻⁴⁰.
const WEIGHT_GRID: f64 = (1_u64 << 40) as f64;

/// Stencils of the points of every finer level over the vertices of the mesh.
#[derive(Debug, Default)]
pub(crate) struct PullStencils {
    // of level l + 1
    levels: Vec<Stencils>,
}

/// The control points of a leaf as sums of vertices.
#[derive(Clone, Debug, PartialEq)]
pub struct VertexColumns {
    /// The vertices, each once.
    pub vertices: Vec<u32>,
    /// For each vertex, the control points of the leaf in which it has a weight, and the weights.
    pub weights: Vec<Vec<(u32, f64)>>,
}

impl PullStencils {
    /// Multiplies the stencils of a solid's levels.
    pub fn new(solid: &Solid) -> Self {
        Self { levels: solid.vertex_stencils() }
    }

    /// Vertices and weights of a point of all levels; none of a vertex itself.
    pub fn row(&self, solid: &Solid, point: u32) -> Option<impl Iterator<Item = (u32, f64)> + '_> {
        let (starts, point) = (solid.level_starts(), point as usize);
        let level = starts.partition_point(|&start| start <= point) - 1;
        Some(self.levels.get(level.checked_sub(1)?)?.row(point - starts[level]))
    }

    /// The vertices that the control points `net` (indices into the points of all
    /// levels) depend on. Nets of equal topology and refinement have equal weights,
    /// in the same order, whatever their vertices are called.
    pub fn columns(&self, solid: &Solid, net: &[u32]) -> VertexColumns {
        let mut entries: Vec<(u32, u32, f64)> = Vec::with_capacity(net.len());
        for (at, &point) in net.iter().enumerate() {
            match self.row(solid, point) {
                None => entries.push((point, at as u32, 1.0)),
                Some(row) => entries.extend(row.map(|(vertex, w)| (vertex, at as u32, w))),
            }
        }
        entries.sort_unstable_by_key(|&(vertex, at, _)| (vertex, at));
        let mut columns: Vec<(u32, Vec<(u32, f64)>)> = entries
            .chunk_by(|a, b| a.0 == b.0)
            .map(|column| (column[0].0, column.iter().map(|&(_, at, w)| (at, w)).collect()))
            .collect();
        columns.sort_by_cached_key(|(vertex, column)| {
            let key: Vec<(u32, i64)> = column.iter().map(rounded).collect();
            (key, *vertex)
        });
        let (vertices, weights) = columns.into_iter().unzip();
        VertexColumns { vertices, weights }
    }
}

impl VertexColumns {
    /// Equal for equal weights, but for rounding; different for different ones.
    pub fn fingerprint(&self) -> u128 {
        let half = |seed: u64| {
            let mut hasher = DefaultHasher::new();
            seed.hash(&mut hasher);
            for column in &self.weights {
                column.len().hash(&mut hasher);
                column.iter().for_each(|entry| rounded(entry).hash(&mut hasher));
            }
            u128::from(hasher.finish())
        };
        half(0) << 64 | half(1)
    }
}

fn rounded(&(at, weight): &(u32, f64)) -> (u32, i64) {
    (at, (weight * WEIGHT_GRID).round() as i64)
}
