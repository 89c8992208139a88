//! Regular leaves in parts that fit the caches.

use std::ops::Range;

use rayon::prelude::*;

use crate::backend::operations::{MAX_PART_LEAVES, MAX_PART_VERTICES, ProductArrays};
use crate::basis::MissingLayers;
use crate::interrupt::stop_point;
use crate::limit::LeafKind;
use crate::quadrature::Quadrature;
use crate::topology::order::Curve;

/// Control points of a leaf.
pub const NET: usize = 64;
/// The place in a net of a control point of the cell's own, which no boundary takes away.
const INNER: usize = 21;

/// Leaves of a batch that lie together, and their control points.
#[derive(Debug)]
pub struct Part {
    pub batch: usize,
    /// Places in the batch.
    pub leaves: Vec<u32>,
    /// Control points of the leaves, as places in `vertices`; of missing layers any of the leaf.
    pub nets: Vec<[u16; NET]>,
    /// Ascending.
    pub vertices: Vec<u32>,
}

/// Parts, and where the results of their control points go.
#[derive(Debug, Default)]
pub struct Parts {
    pub parts: Vec<Part>,
    // results of vertex v: entries[starts[v]..starts[v + 1]], places in those of all parts in turn
    starts: Vec<u32>,
    entries: Vec<u32>,
}

/// The missing layers of the leaves of a batch, if products with them can be made of their nets: if
/// they are regular, with vertices of the mesh for control points.
pub fn regular(quadrature: &Quadrature<'_>, batch: usize) -> Option<MissingLayers> {
    match quadrature.kind(batch).0 {
        LeafKind::Regular(ends) if !quadrature.batches()[batch].is_pulled => Some(ends),
        _ => None,
    }
}

/// Places in a net whose layers are there.
pub fn present(ends: MissingLayers) -> impl Iterator<Item = usize> {
    (0..NET).filter(move |&slot| {
        let is_missing =
            |d: usize, side: usize| slot >> (2 * d) & 3 == 3 * side && ends.is_missing(d, side);
        (0..3).all(|d| (0..2).all(|side| !is_missing(d, side)))
    })
}

impl Parts {
    /// All regular leaves of a quadrature, along a curve through control points at `positions`.
    pub fn new(quadrature: &Quadrature<'_>, positions: &[[f64; 3]]) -> Self {
        let solid = quadrature.solid();
        let curve = Curve::around(positions);
        let mut pieces: Vec<(usize, MissingLayers, Vec<u32>)> = Vec::new();
        for (b, batch) in quadrature.batches().iter().enumerate() {
            let Some(ends) = regular(quadrature, b) else { continue };
            let key = |&i: &u32| {
                let leaf = &solid.leaves()[batch.leaves[i as usize] as usize];
                curve.key(positions[solid.net(leaf)[INNER] as usize])
            };
            let mut order: Vec<u32> = (0..batch.leaves.len() as u32).collect();
            order.par_sort_by_cached_key(key);
            pieces.extend(order.chunks(MAX_PART_LEAVES).map(|leaves| (b, ends, leaves.to_vec())));
        }
        let parts: Vec<Part> = pieces
            .into_par_iter()
            .flat_map_iter(|(batch, ends, leaves)| {
                let mut parts = Vec::new();
                Part::split(quadrature, (batch, ends), leaves, &mut parts);
                parts
            })
            .collect();
        let mut starts = vec![0; positions.len() + 1];
        let all = || parts.iter().flat_map(|part| &part.vertices);
        all().for_each(|&v| starts[v as usize + 1] += 1);
        (0..positions.len()).for_each(|v| starts[v + 1] += starts[v]);
        let mut ends = starts.clone();
        let mut entries = vec![0; starts[positions.len()] as usize];
        for (at, &v) in (0..).zip(all()) {
            entries[ends[v as usize] as usize] = at;
            ends[v as usize] += 1;
        }
        Self { parts, starts, entries }
    }

    /// Number of regular leaves.
    pub fn leaf_count(&self) -> usize {
        self.parts.iter().map(|part| part.leaves.len()).sum()
    }

    /// What a device takes, without forms, tables, weights and positions; parts have `kinds` by their
    /// batches.
    pub fn arrays(&self, kinds: &[u32]) -> ProductArrays {
        let ends = |count: &dyn Fn(&Part) -> usize| -> Vec<u32> {
            let ends = self.parts.iter().scan(0, |end, part| {
                *end += count(part) as u32;
                Some(*end)
            });
            std::iter::once(0).chain(ends).collect()
        };
        let all = || self.parts.iter();
        ProductArrays {
            nets: all().flat_map(|part| &part.nets).copied().collect(),
            leaf_starts: ends(&|part| part.leaves.len()),
            vertex_starts: ends(&|part| part.vertices.len()),
            vertices: all().flat_map(|part| &part.vertices).copied().collect(),
            kinds: all().map(|part| kinds[part.batch]).collect(),
            starts: self.starts.clone(),
            entries: self.entries.clone(),
            ..ProductArrays::default()
        }
    }

    /// Bytes of all arrays, and of the results of a product of `width` components.
    pub fn bytes(&self, width: usize) -> usize {
        let part = |part: &Part| {
            size_of_val(&part.leaves[..]) + size_of_val(&part.nets[..]) + 4 * part.vertices.len()
        };
        let parts: usize = self.parts.iter().map(part).sum();
        parts + 4 * (self.starts.len() + self.entries.len()) + 8 * width * self.entries.len()
    }

    /// Adds to `sums: [vertex][width]` what `make` adds to the results of each part,
    /// `[control point][width]`, which begin as 0: in the order of parts, whatever the number of
    /// threads.
    pub fn add<S: Default>(
        &self,
        width: usize,
        make: impl Fn(&mut S, &Part, &mut [f64]) + Sync + Send,
        sums: &mut [f64],
    ) {
        let mut results = vec![0.0; self.entries.len() * width];
        let mut rest = results.as_mut_slice();
        let mut rooms = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            let (own, others) = std::mem::take(&mut rest).split_at_mut(part.vertices.len() * width);
            rooms.push((part, own));
            rest = others;
        }
        rooms.into_par_iter().for_each_init(S::default, |scratch, (part, own)| {
            stop_point();
            make(scratch, part, own);
        });
        sums.par_chunks_exact_mut(width).with_min_len(256).enumerate().for_each(|(v, sums)| {
            let own: Range<usize> = self.starts[v] as usize..self.starts[v + 1] as usize;
            for &at in &self.entries[own] {
                let from = &results[at as usize * width..][..width];
                sums.iter_mut().zip(from).for_each(|(sum, x)| *sum += x);
            }
        });
    }
}

impl Part {
    /// Leaves in as many parts as their control points take.
    fn split(
        quadrature: &Quadrature<'_>,
        (batch, ends): (usize, MissingLayers),
        leaves: Vec<u32>,
        parts: &mut Vec<Self>,
    ) {
        stop_point();
        let solid = quadrature.solid();
        let listed = &quadrature.batches()[batch].leaves;
        let net = |&i: &u32| solid.net(&solid.leaves()[listed[i as usize] as usize]);
        let slots: Vec<usize> = present(ends).collect();
        let mut vertices: Vec<u32> =
            leaves.iter().flat_map(|i| slots.iter().map(|&slot| net(i)[slot])).collect();
        vertices.sort_unstable();
        vertices.dedup();
        if vertices.len() > MAX_PART_VERTICES {
            let (low, high) = leaves.split_at(leaves.len() / 2);
            Self::split(quadrature, (batch, ends), low.to_vec(), parts);
            return Self::split(quadrature, (batch, ends), high.to_vec(), parts);
        }
        let place = |v: u32| vertices.binary_search(&v).unwrap_or(0) as u16;
        let nets = leaves.iter().map(|i| {
            let ids = net(i);
            let mut own = [place(ids[INNER]); NET];
            slots.iter().for_each(|&slot| own[slot] = place(ids[slot]));
            own
        });
        parts.push(Self { nets: nets.collect(), batch, leaves, vertices });
    }
}
