//! Cutting a quadrature: into pieces of work, and into the pieces of a file.
//!
//! Work goes batch by batch, whose leaves evaluate alike. Files have the points in the order of the
//! leaves, which follows the cells, so that programs that each hold a run of the cells write the
//! files of one program.

use std::ops::Range;

use super::Quadrature;

/// How the quadrature points of a mesh, in the order of its leaves, are cut into the pieces of a
/// file: piece k has the leaves whose first points are among the points k·size to (k + 1)·size. So
/// a program that knows how many points come before its leaves knows which pieces these belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PieceCut {
    size: usize,
}

impl PieceCut {
    /// Pieces of at most `most` points, where the leaf of most points has `largest`; of fewer than
    /// two such leaves if that is more.
    pub fn new(most: usize, largest: usize) -> Self {
        // no piece is without a leaf
        Self { size: (most + 1).saturating_sub(largest).max(largest).max(1) }
    }

    /// The piece of a leaf with `before` points before it.
    pub fn piece(self, before: usize) -> usize {
        before / self.size
    }
}

impl Quadrature<'_> {
    /// Splits the work into parts of at most `results` quadrature points (at least one
    /// leaf each): a batch, and a range of its leaves.
    pub fn pieces(&self, results: usize) -> Vec<(usize, Range<usize>)> {
        self.pieces_of(0..self.solid().leaves().len(), results)
    }

    /// Splits the work on a run of the solid's leaves as [`Self::pieces`] does.
    pub fn pieces_of(&self, leaves: Range<usize>, results: usize) -> Vec<(usize, Range<usize>)> {
        let mut pieces = Vec::new();
        for (b, batch) in self.batches().iter().enumerate() {
            // they ascend
            let place = |leaf: usize| batch.leaves.partition_point(|&l| (l as usize) < leaf);
            let own = place(leaves.start)..place(leaves.end);
            let step = (results / self.samples(b)).max(1);
            let starts = own.clone().step_by(step);
            pieces.extend(starts.map(|start| (b, start..(start + step).min(own.end))));
        }
        pieces
    }

    /// Number of quadrature points of each leaf of a run.
    pub fn leaf_samples(&self, leaves: Range<usize>) -> Vec<usize> {
        let mut samples = vec![0; leaves.len()];
        for (b, rows) in self.pieces_of(leaves.clone(), usize::MAX) {
            let own = &self.batches()[b].leaves[rows];
            own.iter().for_each(|&l| samples[l as usize - leaves.start] += self.samples(b));
        }
        samples
    }

    /// The pieces of a file, numbered from 0 on, as runs of the solid's leaves.
    pub fn file_pieces(&self, most: usize) -> Vec<Range<usize>> {
        let samples = self.leaf_samples(0..self.solid().leaves().len());
        let cut = PieceCut::new(most, samples.iter().copied().max().unwrap_or_default());
        runs(&samples, cut, 0).into_iter().map(|(_, leaves)| leaves).collect()
    }

    /// The runs of leaves that are in one piece of a file, and which; `before` points of other
    /// programs come before them.
    pub fn runs(&self, cut: PieceCut, before: usize) -> Vec<(usize, Range<usize>)> {
        runs(&self.leaf_samples(0..self.solid().leaves().len()), cut, before)
    }
}

/// Runs of leaves in the same piece, each with the number of the piece. `samples`: quadrature
/// points of each leaf; `before`: points before the first leaf.
pub fn runs(samples: &[usize], cut: PieceCut, mut before: usize) -> Vec<(usize, Range<usize>)> {
    let mut runs: Vec<(usize, Range<usize>)> = Vec::new();
    for (leaf, samples) in samples.iter().enumerate() {
        let piece = cut.piece(before);
        match runs.last_mut() {
            Some((last, leaves)) if *last == piece => leaves.end += 1,
            _ => runs.push((piece, leaf..leaf + 1)),
        }
        before += samples;
    }
    runs
}
