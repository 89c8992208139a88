//! Vertices within some number of edges.

use rayon::prelude::*;

use super::{Op, Query};
use crate::error::Result;
use crate::topology::Rows;
use crate::topology::order::EntityKind;

/// The vertices found, and those seen.
#[derive(Clone, Default)]
struct RingSearch {
    found: Vec<u32>,
    // [vertex]: the search that saw it last
    seen: Vec<u32>,
    search: u32,
}

impl RingSearch {
    /// Vertices one to `k` edges from `vertex`, ascending.
    fn run(&mut self, neighbors: &Rows, vertex: u32, k: usize) -> &[u32] {
        if self.seen.len() < neighbors.len() || self.search == u32::MAX {
            (self.seen, self.search) = (vec![0; neighbors.len()], 0);
        }
        self.search += 1;
        self.seen[vertex as usize] = self.search;
        self.found.clear();
        self.found.push(vertex);
        let mut front = 0;
        for _ in 0..k {
            let end = self.found.len();
            if front == end {
                break;
            }
            for i in front..end {
                for &other in neighbors.row(self.found[i] as usize) {
                    if self.seen[other as usize] != self.search {
                        self.seen[other as usize] = self.search;
                        self.found.push(other);
                    }
                }
            }
            front = end;
        }
        self.found.swap_remove(0);
        self.found.sort_unstable();
        &self.found
    }
}

/// Finds rings of one vertex after another. It holds 4 bytes for each vertex of the mesh.
#[derive(Clone)]
pub struct Rings<'q> {
    query: &'q Query,
    neighbors: &'q Rows,
    search: RingSearch,
}

impl Rings<'_> {
    /// The k-ring of a vertex: vertices one to `k` edges away, ascending, by ids of the mesh.
    ///
    /// # Errors
    /// As [`Query::row`].
    pub fn of(&mut self, vertex: u32, k: usize) -> Result<Vec<u32>> {
        let Self { query, neighbors, search } = self;
        query.check_id(EntityKind::Vertex, vertex)?;
        let vertex = query.inside(EntityKind::Vertex, vertex);
        let found = search.run(neighbors, vertex, k).iter();
        let mut ring: Vec<u32> = found.map(|&v| query.outside(EntityKind::Vertex, v)).collect();
        ring.sort_unstable();
        Ok(ring)
    }
}

impl Query {
    /// A search of rings, for many vertices; it uses stored rows, whatever the strategy.
    ///
    /// # Errors
    /// As [`Query::row`].
    pub fn rings(&self) -> Result<Rings<'_>> {
        Ok(Rings { query: self, neighbors: self.rows(Op::VV)?, search: RingSearch::default() })
    }

    /// The k-ring of one vertex, as [`Rings::of`].
    ///
    /// # Errors
    /// As [`Query::row`].
    pub fn ring(&self, vertex: u32, k: usize) -> Result<Vec<u32>> {
        self.rings()?.of(vertex, k)
    }

    /// Calls `visit(vertex, ring)` for the k-ring of every vertex, in parallel, with ids of
    /// the order.
    ///
    /// # Errors
    /// As [`Query::for_each`].
    pub fn for_each_ring(&self, k: usize, visit: impl Fn(u32, &[u32]) + Sync) -> Result<()> {
        let neighbors = self.rows(Op::VV)?;
        let vertices = (0..neighbors.len() as u32).into_par_iter().with_min_len(4096);
        vertices.for_each_init(RingSearch::default, |search, vertex| {
            visit(vertex, search.run(neighbors, vertex, k));
        });
        Ok(())
    }
}
