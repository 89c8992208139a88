//! Basis functions of leaves over their own nets.
//!
//! A leaf that is refined first has some 40 control points of its own that depend on many more
//! vertices, in a way that few leaves share. Sums over its quadrature points are made for its own
//! control points, from the table of all leaves that evaluate alike, and pulled to the vertices then:
//! there are thousands of points, but one sum.

use std::iter::zip;

use rayon::prelude::*;

use super::batch::net;
use super::pull::VertexColumns;
use super::{LeafQuantities, Quadrature};
use crate::backend::operations::BasisValues;
use crate::limit::AxisPermutation;

/// The basis functions of a batch's leaves over their own nets.
pub(crate) struct OwnBasis<'q> {
    /// By local parameters of the leaves.
    pub basis: &'q BasisValues,
    permutation: AxisPermutation,
    depth: u8,
    columns: Option<VertexColumns>,
}

impl Quadrature<'_> {
    /// The basis of a batch over the leaves' own nets.
    pub(crate) fn own_basis(&self, batch: usize) -> OwnBasis<'_> {
        let (own, table) = (&self.layout.batches[batch], self.table(batch));
        let columns = own.is_pulled.then(|| {
            let net = net(self.layout.solid, self.leaf(own.leaves[0]), &table.slots);
            self.layout.pull.columns(self.layout.solid, &net)
        });
        OwnBasis {
            basis: self.table_basis(batch),
            permutation: own.permutation,
            depth: own.depth,
            columns,
        }
    }
}

impl OwnBasis<'_> {
    /// Derivatives in space, `[leaf][sample][xyz][control]`, where `mapped` stands.
    pub fn gradients(&self, mapped: &LeafQuantities, gradients: &mut Vec<f64>) {
        let BasisValues { controls, samples, gradients: own, .. } = self.basis;
        gradients.resize(3 * mapped.points.len() * controls, 0.0);
        let rows = gradients.par_chunks_exact_mut(3 * controls);
        rows.zip(&mapped.inverse_jacobians).enumerate().for_each(|(i, (to, inverse))| {
            let from = &own[i % samples * 3 * controls..][..3 * controls];
            super::gradients::gradient(from, &self.local(inverse), to);
        });
    }

    /// The inverse Jacobian by the local parameters.
    fn local(&self, inverse: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
        let speed = f64::from(self.depth).exp2();
        [0, 1, 2].map(|d| {
            let factor = if self.permutation.flips[d] { -speed } else { speed };
            inverse[usize::from(self.permutation.axes[d])].map(|x| factor * x)
        })
    }

    /// Whether the nets hold points of finer levels, or vertices more than once.
    pub fn is_pulled(&self) -> bool {
        self.columns.is_some()
    }

    /// A symmetric matrix over the vertices that its leaf depends on, `[vertex][vertex][BLOCK]` with
    /// blocks of `width` × `width`, from that over its own net; exactly symmetric. Of nets of other
    /// points; `half` is memory to be used again.
    pub fn pull_matrix<const BLOCK: usize>(
        &self,
        own: &[f64],
        half: &mut Vec<f64>,
        pulled: &mut [f64],
    ) {
        let Some(columns) = &self.columns else { return };
        let (old, new) = (self.basis.controls, columns.vertices.len());
        // [control][vertex]: of a symmetric matrix rows as well as columns
        half.clear();
        half.resize(old * new * BLOCK, 0.0);
        let width = BLOCK.isqrt();
        for (p, column) in columns.weights.iter().enumerate() {
            for &(b, weight) in column {
                // row b of the matrix is column b with blocks transposed: rows are read in order
                let row = own[b as usize * old * BLOCK..][..old * BLOCK].as_chunks::<BLOCK>().0;
                let places = half[p * BLOCK..].chunks_mut(new * BLOCK);
                for (block, to) in zip(row, places) {
                    for (k, to) in to[..BLOCK].iter_mut().enumerate() {
                        *to += weight * block[k % width * width + k / width];
                    }
                }
            }
        }
        pulled.fill(0.0);
        for (p, column) in columns.weights.iter().enumerate() {
            let to = &mut pulled[p * new * BLOCK..][..(p + 1) * BLOCK];
            for &(a, weight) in column {
                let row = &half[a as usize * new * BLOCK..][..(p + 1) * BLOCK];
                zip(&mut *to, row).for_each(|(to, x)| *to += weight * x);
            }
        }
        mirror_blocks::<BLOCK>(pulled, new, width);
    }

    /// Sums over the vertices that a leaf depends on, `[vertex]`, from those of its own net.
    pub fn pull_sums(&self, own: &[f64], pulled: &mut [f64]) {
        match &self.columns {
            None => pulled.copy_from_slice(own),
            Some(columns) => {
                for (to, column) in zip(pulled, &columns.weights) {
                    *to = column.iter().map(|&(at, weight)| weight * own[at as usize]).sum();
                }
            }
        }
    }
}

/// The upper triangle of a symmetric matrix of blocks from the lower one, and the blocks of the
/// diagonal symmetric.
fn mirror_blocks<const BLOCK: usize>(matrix: &mut [f64], size: usize, width: usize) {
    for p in 0..size {
        for q in 0..=p {
            let (from, to) = (BLOCK * (p * size + q), BLOCK * (q * size + p));
            for i in 0..width {
                for j in 0..if p == q { i } else { width } {
                    matrix[to + j * width + i] = matrix[from + i * width + j];
                }
            }
        }
    }
}
