//! Operators over other control points: over the vertices of the mesh only, without
//! duplicates.
//!
//! A net is a sparse matrix over its new control points; leaves whose operators and
//! matrices are equal share the product.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::operators::filled;
use super::{BEZIER_POINTS, Extraction};
use crate::error::{Error, Result};
use crate::interrupt::stop_point;
use crate::scheme::Stencils;

/// A net over its new control points.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct NetMatrix {
    // first operator of the leaf: equal ones have equal pieces
    operator: u32,
    // row i of the net: entries ends[i - 1]..ends[i] of (column, bits of the weight)
    ends: Vec<u32>,
    entries: Vec<(u32, u64)>,
}

/// Nets whose matrices are made at once; of those, only the ones that differ are kept.
const NETS: usize = 4096;

/// Operators over a net, times the matrix of that net.
struct NetProduct {
    matrix: Arc<NetMatrix>,
    pieces: usize,
    columns: usize,
}

impl NetProduct {
    /// Number of weights.
    fn len(&self) -> usize {
        self.pieces * BEZIER_POINTS * self.columns
    }
}

/// The products that differ.
#[derive(Default)]
struct DistinctProducts {
    distinct: Vec<NetProduct>,
    known: HashMap<Arc<NetMatrix>, usize>,
    // [net]: among the distinct ones; none if the net stays
    of_net: Vec<Option<usize>>,
    // [net]: its new control points
    controls: Vec<Option<Vec<u32>>>,
}

impl DistinctProducts {
    fn push(&mut self, changed: Option<(Vec<u32>, NetMatrix)>, pieces: usize) {
        let Some((controls, matrix)) = changed else {
            self.of_net.push(None);
            self.controls.push(None);
            return;
        };
        let Self { distinct, known, .. } = self;
        let columns = controls.len();
        let product = known.get(&matrix).copied().unwrap_or_else(|| {
            let matrix = Arc::new(matrix);
            distinct.push(NetProduct { matrix: matrix.clone(), pieces, columns });
            known.insert(matrix, distinct.len() - 1);
            distinct.len() - 1
        });
        self.of_net.push(Some(product));
        self.controls.push(Some(controls));
    }

    /// Number of weights.
    fn len(&self) -> usize {
        self.distinct.iter().map(NetProduct::len).sum()
    }
}

/// Whether a control point occurs in a net more than once.
pub(super) fn repeats(net: &[u32]) -> bool {
    let mut sorted = net.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).any(|pair| pair[0] == pair[1])
}

impl Extraction {
    /// This extraction with vertices of the mesh as the only control points, each once a piece.
    /// Takes more room: operators of cells that are refined inside are seldom shared.
    ///
    /// # Errors
    /// [`Error::Request`] if the operators need more than `most` bytes.
    pub fn expanded(mut self, most: usize) -> Result<Self> {
        let vertices = self.vertices as u32;
        let refined = std::mem::take(&mut self.refined);
        self.replace(|net| net.iter().any(|&id| id >= vertices), &refined, most)?;
        Ok(self)
    }

    /// Adds up the columns of control points that occur in a net more than once: three
    /// cells in a circle meet themselves.
    pub(super) fn merge_repeated(&mut self) {
        // operators only shrink
        let _ = self.replace(repeats, &Stencils::default(), usize::MAX);
    }

    /// Gives the nets that `change` new operators: over control points that are not in
    /// `refined`, each once.
    fn replace(
        &mut self,
        change: impl Fn(&[u32]) -> bool + Sync,
        refined: &Stencils,
        most: usize,
    ) -> Result<()> {
        let nets = self.net_pieces();
        let changed = |(n, pieces): (usize, &Range<usize>)| {
            stop_point();
            let net = &self.controls[self.net_offsets[n]..self.net_offsets[n + 1]];
            let first = self.piece_operators[pieces.start];
            change(net).then(|| matrix(net, first, refined, self.vertices))
        };
        let mut products = DistinctProducts::default();
        for first in (0..nets.len()).step_by(NETS) {
            let some = first..(first + NETS).min(nets.len());
            let made: Vec<_> =
                some.clone().into_par_iter().map(|n| changed((n, &nets[n]))).collect();
            made.into_iter().zip(&nets[some]).for_each(|(net, own)| products.push(net, own.len()));
            check_size(products.len(), most)?;
        }
        if products.distinct.is_empty() {
            return Ok(());
        }
        let kept = self.kept_operators(&products.of_net, &nets);
        check_size(products.len() + kept.iter().map(Range::len).sum::<usize>(), most)?;
        let old = self.put_products(&kept, &products.distinct);
        let kept =
            self.operator_count() - products.distinct.iter().map(|p| p.pieces).sum::<usize>();
        let first: Vec<u32> = (products.distinct.iter())
            .scan(kept, |end, product| Some(std::mem::replace(end, *end + product.pieces) as u32))
            .collect();
        for (pieces, product) in nets.into_iter().zip(&products.of_net) {
            for (part, piece) in pieces.enumerate() {
                let operator = &mut self.piece_operators[piece];
                *operator = match product {
                    Some(product) => first[*product] + part as u32,
                    None => old[*operator as usize],
                };
            }
        }
        self.replace_controls(products.controls.iter().map(Option::as_deref));
        Ok(())
    }

    /// Gives every net that has some new control points.
    fn replace_controls<'n>(&mut self, new: impl Iterator<Item = Option<&'n [u32]>>) {
        let controls = std::mem::take(&mut self.controls);
        let offsets = std::mem::replace(&mut self.net_offsets, vec![0]);
        for (old, new) in offsets.windows(2).zip(new) {
            self.controls.extend_from_slice(new.unwrap_or(&controls[old[0]..old[1]]));
            self.net_offsets.push(self.controls.len());
        }
    }

    /// The pieces of every net.
    fn net_pieces(&self) -> Vec<Range<usize>> {
        let mut start = 0;
        let ranges = self.piece_nets.chunk_by(|a, b| a == b).map(|pieces| {
            start += pieces.len();
            start - pieces.len()..start
        });
        ranges.collect()
    }

    /// The operators of a leaf's pieces times the matrix of its net, added to `out`.
    fn add_product(&self, product: &NetProduct, out: &mut [f64]) {
        let NetProduct { matrix, pieces, columns } = product;
        let first = matrix.operator as usize;
        let weights =
            &self.weights[self.operator_offsets[first]..self.operator_offsets[first + pieces]];
        let rows = weights.chunks_exact(matrix.ends.len());
        for (row, out) in rows.zip(out.chunks_exact_mut(*columns)) {
            let mut start = 0;
            for (&weight, &end) in row.iter().zip(&matrix.ends) {
                for &(column, w) in &matrix.entries[start..end as usize] {
                    out[column as usize] += weight * f64::from_bits(w);
                }
                start = end as usize;
            }
        }
    }

    /// Where the weights of the operators lie that nets without a product use;
    /// nothing for the others.
    fn kept_operators(
        &self,
        products: &[Option<usize>],
        nets: &[Range<usize>],
    ) -> Vec<Range<usize>> {
        let mut used = vec![false; self.operator_count()];
        for (_, pieces) in products.iter().zip(nets).filter(|(product, _)| product.is_none()) {
            for &operator in &self.piece_operators[pieces.clone()] {
                used[operator as usize] = true;
            }
        }
        let ranges = self.operator_offsets.windows(2).zip(used);
        ranges.map(|(at, used)| if used { at[0]..at[1] } else { 0..0 }).collect()
    }

    /// Keeps the operators that are not empty in `kept`, puts the products behind them, and returns
    /// the new number of each old one.
    fn put_products(&mut self, kept: &[Range<usize>], products: &[NetProduct]) -> Vec<u32> {
        let lengths = kept.iter().map(Range::len).chain(products.iter().map(NetProduct::len));
        let weights = filled(lengths, |part, own| match kept.get(part) {
            Some(range) => own.copy_from_slice(&self.weights[range.clone()]),
            None => self.add_product(&products[part - kept.len()], own),
        });
        self.weights = weights;
        self.operator_offsets = vec![0];
        let mut numbers = Vec::with_capacity(kept.len());
        for range in kept {
            numbers.push(self.operator_count() as u32);
            if !range.is_empty() {
                self.push_offsets(1, range.len());
            }
        }
        products.iter().for_each(|product| self.push_offsets(product.pieces, product.len()));
        numbers
    }
}

/// A net over control points that are not in `refined`, whose ids come after the mesh's vertices,
/// in the order in which they are met.
pub(super) fn matrix(
    net: &[u32],
    operator: u32,
    refined: &Stencils,
    vertices: usize,
) -> (Vec<u32>, NetMatrix) {
    let mut controls: Vec<u32> = Vec::with_capacity(2 * net.len());
    let mut columns: HashMap<u32, u32> = HashMap::with_capacity(2 * net.len());
    let (mut ends, mut entries) = (Vec::with_capacity(net.len()), Vec::new());
    let mut column_of = |vertex: u32| {
        *columns.entry(vertex).or_insert_with(|| {
            controls.push(vertex);
            controls.len() as u32 - 1
        })
    };
    for &id in net {
        match (id as usize).checked_sub(vertices) {
            Some(row) if !refined.is_empty() => {
                entries.extend(refined.row(row).map(|(v, w)| (column_of(v), w.to_bits())));
            }
            _ => entries.push((column_of(id), 1.0_f64.to_bits())),
        }
        ends.push(entries.len() as u32);
    }
    (controls, NetMatrix { operator, ends, entries })
}

fn check_size(weights: usize, most: usize) -> Result<()> {
    let bytes = 8 * weights;
    if bytes <= most {
        return Ok(());
    }
    Err(Error::request(format!(
        "operators over the vertices need at least {:.1} GB, the limit is {:.1} GB",
        bytes as f64 / 1e9,
        most as f64 / 1e9
    ))
    .with_help("keep refined points as control points, or ask for fewer rings"))
}
