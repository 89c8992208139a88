//! One set of operators for all leaves of one kind, and the nets of all leaves.

use std::collections::HashMap;

use rayon::prelude::*;

use super::{BEZIER_POINTS, Extraction};
use crate::bezier::{Pieces, phantoms};
use crate::error::{Error, Result};
use crate::limit::{Leaf, LeafKind};
use crate::memory;
use crate::scheme::Stencils;

/// The operators of all leaves over their own nets, phantoms left out.
pub fn extract(pieces: &Pieces<'_>, vertices: usize) -> Result<Extraction> {
    let leaves = pieces.solid().leaves();
    let (kinds, kind_of) = kinds(leaves);
    check_memory(pieces, &kinds)?;
    let mut extraction = Extraction {
        vertices,
        pieces: leaves.iter().flat_map(|leaf| pieces.of(leaf)).collect(),
        piece_operators: Vec::new(),
        piece_nets: Vec::new(),
        net_offsets: vec![0],
        controls: Vec::new(),
        operator_offsets: vec![0],
        weights: Vec::new(),
        refined: Stencils::default(),
    };
    let count = extraction.pieces.len();
    if u32::try_from(count).is_err() {
        return Err(Error::request(format!("{count} Bézier pieces are more than 2³²"))
            .with_help("ask for fewer rings, or extract fewer cells"));
    }
    // the first operator of each kind
    let mut first = Vec::with_capacity(kinds.len());
    let own = kinds.iter().map(|leaf| (pieces.count(leaf), kind_weights(pieces, leaf)));
    for (parts, numbers) in own {
        first.push(extraction.operator_count() as u32);
        extraction.push_offsets(parts, numbers);
    }
    let lengths = kinds.iter().map(|leaf| kind_weights(pieces, leaf));
    extraction.weights = filled(lengths, |kind, own| {
        own.copy_from_slice(&real_weights(pieces, &kinds[kind]));
    });
    for (net, (leaf, &kind)) in leaves.iter().zip(&kind_of).enumerate() {
        let parts = pieces.count(leaf) as u32;
        extraction.piece_operators.extend((0..parts).map(|part| first[kind] + part));
        extraction.piece_nets.extend((0..parts).map(|_| net as u32));
        extraction.controls.extend(real_net(pieces, leaf));
        extraction.net_offsets.push(extraction.controls.len());
    }
    Ok(extraction)
}

impl Extraction {
    /// Makes room for `weights` weights of operators with equally many columns.
    pub(super) fn push_offsets(&mut self, count: usize, weights: usize) {
        let mut end = self.operator_offsets.last().copied().unwrap_or(0);
        for _ in 0..count {
            end += weights / count;
            self.operator_offsets.push(end);
        }
    }
}

/// One array of parts of these lengths, each filled by its number; parts are made side by side.
pub(super) fn filled(
    lengths: impl Iterator<Item = usize> + Clone,
    fill: impl Fn(usize, &mut [f64]) + Sync,
) -> Vec<f64> {
    let mut all = vec![0.0; lengths.clone().sum()];
    let mut rest = all.as_mut_slice();
    let mut parts = Vec::new();
    for length in lengths {
        let (own, others) = rest.split_at_mut(length);
        parts.push(own);
        rest = others;
    }
    parts.into_par_iter().enumerate().for_each(|(part, own)| fill(part, own));
    all
}

/// Refuses operators that would fill the memory; each thread makes one kind at a time,
/// from two tables of its size.
fn check_memory(pieces: &Pieces<'_>, kinds: &[Leaf]) -> Result<()> {
    let sizes = || kinds.iter().map(|leaf| 8 * kind_weights(pieces, leaf) as u128);
    let at_once = 2 * rayon::current_num_threads().min(kinds.len()) as u128;
    let need = sizes().sum::<u128>() + at_once * sizes().max().unwrap_or(0);
    memory::check_half("the extraction operators need", need, |_| "ask for fewer rings".into())
}

/// A leaf of every kind, and the kind of every leaf.
pub(super) fn kinds(leaves: &[Leaf]) -> (Vec<Leaf>, Vec<usize>) {
    let mut known: HashMap<LeafKind, usize> = HashMap::new();
    let mut kinds = Vec::new();
    let kind_of = leaves.iter().map(|leaf| {
        *known.entry(leaf.kind).or_insert_with(|| {
            kinds.push(*leaf);
            kinds.len() - 1
        })
    });
    let kind_of = kind_of.collect();
    (kinds, kind_of)
}

/// Control points of a leaf that exist.
pub(super) fn real_net(pieces: &Pieces<'_>, leaf: &Leaf) -> Vec<u32> {
    let points = pieces.solid().net(leaf);
    let mut phantoms = phantoms(leaf.kind, points.len()).into_iter().peekable();
    let real = points.iter().enumerate().filter(|(i, _)| phantoms.next_if_eq(i).is_none());
    real.map(|(_, &point)| point).collect()
}

/// Number of weights of a leaf's pieces over the control points that exist.
pub(super) fn kind_weights(pieces: &Pieces<'_>, leaf: &Leaf) -> usize {
    let count = pieces.solid().net(leaf).len();
    pieces.count(leaf) * BEZIER_POINTS * (count - phantoms(leaf.kind, count).len())
}

/// Weights of a leaf's pieces over the control points that exist.
fn real_weights(pieces: &Pieces<'_>, leaf: &Leaf) -> Vec<f64> {
    let count = pieces.solid().net(leaf).len();
    let weights = pieces.weights(leaf);
    debug_assert_eq!(weights.len() % (BEZIER_POINTS * count), 0, "64 rows per piece");
    let phantoms = phantoms(leaf.kind, count);
    if phantoms.is_empty() {
        return weights;
    }
    let real: Vec<usize> = (0..count).filter(|i| phantoms.binary_search(i).is_err()).collect();
    let rows = weights.chunks_exact(count);
    rows.flat_map(|row| real.iter().map(|&i| row[i])).collect()
}
