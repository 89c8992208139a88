//! One set of operators for all leaves of one kind, and the nets of all leaves.

use std::collections::HashMap;

use rayon::prelude::*;

use super::{BEZIER_POINTS, Extraction, RefinedRows};
use crate::bezier::{Pieces, phantoms};
use crate::error::{Error, Result};
use crate::limit::{Leaf, LeafKind};

/// The operators of all leaves over their own nets, phantoms left out.
pub fn extract(pieces: &Pieces<'_>, vertices: usize) -> Result<Extraction> {
    let leaves = pieces.solid().leaves();
    let (kinds, kind_of) = kinds(leaves);
    let of_kinds: Vec<Vec<f64>> = kinds.par_iter().map(|leaf| real_weights(pieces, leaf)).collect();
    let mut extraction = Extraction {
        vertices,
        pieces: leaves.iter().flat_map(|leaf| pieces.of(leaf)).collect(),
        piece_operators: Vec::new(),
        piece_nets: Vec::new(),
        net_offsets: vec![0],
        controls: Vec::new(),
        operator_offsets: vec![0],
        weights: Vec::new(),
        refined: RefinedRows::default(),
    };
    let count = extraction.pieces.len();
    if u32::try_from(count).is_err() {
        return Err(Error::request(format!("{count} Bézier pieces are more than 2³²"))
            .with_help("ask for fewer rings, or extract fewer cells"));
    }
    // the first operator of each kind
    let mut first = Vec::with_capacity(kinds.len());
    for (leaf, weights) in kinds.iter().zip(of_kinds) {
        first.push(extraction.operator_count() as u32);
        let parts = pieces.of(leaf).count();
        extraction.push_operators(&weights, parts);
    }
    for (net, (leaf, &kind)) in leaves.iter().zip(&kind_of).enumerate() {
        let parts = pieces.of(leaf).count() as u32;
        extraction.piece_operators.extend((0..parts).map(|part| first[kind] + part));
        extraction.piece_nets.extend((0..parts).map(|_| net as u32));
        let points = pieces.solid().net(leaf);
        let mut phantoms = phantoms(leaf.kind, points.len()).into_iter().peekable();
        let real = points.iter().enumerate().filter(|(i, _)| phantoms.next_if_eq(i).is_none());
        extraction.controls.extend(real.map(|(_, &point)| point));
        extraction.net_offsets.push(extraction.controls.len());
    }
    Ok(extraction)
}

impl Extraction {
    /// Appends operators of equally many columns, `[operator][64][control]`.
    pub(super) fn push_operators(&mut self, weights: &[f64], count: usize) {
        for weights in weights.chunks_exact(weights.len() / count.max(1)) {
            self.weights.extend_from_slice(weights);
            self.operator_offsets.push(self.weights.len());
        }
    }
}

/// A leaf of every kind, and the kind of every leaf.
fn kinds(leaves: &[Leaf]) -> (Vec<Leaf>, Vec<usize>) {
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

/// Weights of a leaf's pieces over the control points that exist.
fn real_weights(pieces: &Pieces<'_>, leaf: &Leaf) -> Vec<f64> {
    let count = pieces.solid().net(leaf).len();
    let weights = pieces.weights(leaf);
    debug_assert_eq!(weights.len() % (BEZIER_POINTS * count), 0, "64 rows a piece");
    let phantoms = phantoms(leaf.kind, count);
    if phantoms.is_empty() {
        return weights;
    }
    let real: Vec<usize> = (0..count).filter(|i| phantoms.binary_search(i).is_err()).collect();
    let rows = weights.chunks_exact(count);
    rows.flat_map(|row| real.iter().map(|&i| row[i])).collect()
}
