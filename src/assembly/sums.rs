//! Sums of element matrices on the CPU.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::element::{AssemblyWorkspace, LeafMatrices};
use super::matrix::{Matrix, Pattern};
use crate::backend::operations::MatrixForm;
use crate::error::Result;
use crate::interrupt::stop_point;
use crate::quadrature::{Mapping, Quadrature, QuadratureBatch};

/// Quadrature points of a piece: its derivatives take some 10 MB.
pub(super) const PIECE_POINTS: usize = 4096;

/// Most numbers of element matrices of a piece, and of all that wait to be added, for each thread.
const MAX_PIECE_NUMBERS: usize = 1 << 20;
const MAX_WAITING_NUMBERS: usize = 1 << 21;

/// A batch, and a range of its leaves.
pub(super) type BatchLeaves = (usize, Range<usize>);

/// What leaves add to matrices.
pub(super) struct AssembledLeaves<'a> {
    pub pattern: &'a Arc<Pattern>,
    /// The leaves; small pieces of them.
    pub pieces: Vec<BatchLeaves>,
    /// The vertices whose rows and columns are made, if not all.
    pub is_used: Option<&'a [bool]>,
}

impl<'a> AssembledLeaves<'a> {
    /// All leaves of a quadrature.
    pub fn all(quadrature: &Quadrature<'_>, pattern: &'a Arc<Pattern>) -> Self {
        Self { pattern, pieces: quadrature.pieces(PIECE_POINTS), is_used: None }
    }
}

/// Matrices of forms that may have other constants in every cell.
pub(super) fn assemble_forms<'f>(
    mapping: &Mapping<'_>,
    AssembledLeaves { pattern, pieces, is_used }: AssembledLeaves<'_>,
    forms: &[MatrixForm],
    forms_of: impl Fn(u32) -> &'f [MatrixForm] + Sync,
    mut progress: impl FnMut(usize),
) -> Result<Vec<Matrix>> {
    let quadrature = mapping.quadrature();
    let (all_leaves, elements) = (quadrature.solid().leaves(), quadrature.solid().elements());
    let mut matrices: Vec<Matrix> =
        forms.iter().map(|form| Matrix::zeros(pattern.clone(), form.width())).collect();
    let has_gradients = forms.iter().any(|form| !matches!(form, MatrixForm::Mass(_)));
    // of all element matrices of a group; used again, since fresh memory costs more than sums
    let mut room = Vec::new();
    for group in groups(quadrature, pieces, forms) {
        let numbers = |piece: &BatchLeaves| numbers(quadrature, piece, forms);
        let count = group.iter().map(numbers).sum();
        if room.len() < count {
            room.resize(count, 0.0);
        }
        let mut rest = &mut room[..];
        let mut rooms = Vec::with_capacity(group.len());
        for piece in &group {
            let (own, others) = rest.split_at_mut(numbers(piece));
            rooms.push(own);
            rest = others;
        }
        let points = group.iter().map(|(batch, own)| own.len() * quadrature.samples(*batch)).sum();
        let found: Vec<Vec<LeafMatrices<'_>>> = group
            .into_par_iter()
            .zip(rooms)
            .map_init(AssemblyWorkspace::default, |work, ((batch, leaves), room)| {
                stop_point();
                let basis = quadrature.own_basis(batch);
                mapping.evaluate(batch, leaves.clone(), &mut work.mapped)?;
                if has_gradients {
                    basis.gradients(&work.mapped, &mut work.gradients);
                }
                let QuadratureBatch { control_ids: ids, leaves: listed, controls, .. } =
                    &quadrature.batches()[batch];
                let rooms = room.chunks_exact_mut((room.len() / leaves.len()).max(1));
                let own = leaves.zip(rooms).enumerate().map(|(i, (leaf, room))| {
                    stop_point();
                    let ids = &ids[leaf * controls..][..*controls];
                    let element = all_leaves[listed[leaf] as usize].element as usize;
                    let forms = forms_of(elements[element].cell);
                    let mut own = LeafMatrices::new(ids, i, &basis, forms, work, room);
                    if let Some(is_used) = is_used {
                        own.ascending.retain(|&c| is_used[ids[c as usize] as usize]);
                    }
                    own
                });
                Ok(own.collect())
            })
            .collect::<Result<_>>()?;
        let mut first = 0;
        for (matrix, form) in matrices.iter_mut().zip(forms) {
            matrix.add(&found, first);
            first += form.width().pow(2);
        }
        progress(points);
    }
    Ok(matrices)
}

/// Numbers of the element matrices of a piece.
fn numbers(
    quadrature: &Quadrature<'_>,
    (batch, leaves): &BatchLeaves,
    forms: &[MatrixForm],
) -> usize {
    let widths: usize = forms.iter().map(|form| form.width().pow(2)).sum();
    leaves.len() * quadrature.batches()[*batch].controls.pow(2) * widths
}

/// Pieces whose element matrices wait together.
fn groups(
    quadrature: &Quadrature<'_>,
    pieces: Vec<BatchLeaves>,
    forms: &[MatrixForm],
) -> Vec<Vec<BatchLeaves>> {
    let most = MAX_WAITING_NUMBERS * rayon::current_num_threads();
    let mut groups: Vec<Vec<BatchLeaves>> = Vec::new();
    let mut waiting = usize::MAX;
    for (batch, all) in pieces {
        let leaf = numbers(quadrature, &(batch, 0..1), forms);
        let step = (MAX_PIECE_NUMBERS / leaf.max(1)).max(1);
        for first in all.clone().step_by(step) {
            let leaves = first..(first + step).min(all.end);
            let own = leaf * leaves.len();
            if waiting.saturating_add(own) > most {
                groups.push(Vec::new());
                waiting = 0;
            }
            waiting += own;
            if let Some(last) = groups.last_mut() {
                last.push((batch, leaves));
            }
        }
    }
    groups
}
