//! Rows of a single matrix in blocks, as a GPU sums them.
//!
//! All points inside a face depend on the same control points, whatever the level. Rows with
//! the same columns stand together, 32 per block, and share them; a few rows on the edges and at
//! the corners of faces, which depend on fewer points, join rows that have all of theirs. What
//! fills no block by then is stored in blocks whose rows keep their own columns.

use crate::numbers::Real;
use std::collections::HashMap;
use std::ops::Range;

use rayon::prelude::*;

use crate::backend::cuda::surface::product::{BLOCK_ROWS, BlockMatrix, ENTRIES, RowBlock};

use crate::surface::stencils::single::SingleMatrix;
use crate::topology::NONE;

/// Rows of one block before they are laid out.
struct BlockDraft<'a> {
    rows: Vec<u32>,
    /// The columns of all rows; `None` if every row keeps its own.
    columns: Option<&'a [u32]>,
    groups: usize,
}

/// Rows with the same columns, a supernode of the matrix.
struct Supernode<'a> {
    columns: &'a [u32],
    /// Ascending; at last those that are in no block yet.
    rows: Vec<u32>,
}

/// The matrix in blocks.
pub(super) fn row_blocks<T: Real>(matrix: &SingleMatrix<T>, controls: usize) -> BlockMatrix<T> {
    let mut nodes = supernodes(matrix);
    let mut drafts = Vec::new();
    // rows that follow one another are written in whole lines
    for own in &mut nodes {
        let mut rest = Vec::new();
        for run in own.rows.chunk_by(|a, b| a + 1 == *b) {
            let whole = run.chunks_exact(BLOCK_ROWS);
            rest.extend_from_slice(whole.remainder());
            drafts.extend(whole.map(|rows| BlockDraft::common(rows, own.columns)));
        }
        own.rows = rest;
    }
    join_larger(&mut nodes);
    let mut alone = Vec::new();
    for own in &mut nodes {
        own.rows.sort_unstable();
        for rows in own.rows.chunks(BLOCK_ROWS) {
            if pays::<T>(matrix, rows, own.columns.len()) {
                drafts.push(BlockDraft::common(rows, own.columns));
            } else {
                alone.extend_from_slice(rows);
            }
        }
    }
    let groups = |row: u32| matrix.row(row as usize).0.len().div_ceil(ENTRIES);
    alone.par_sort_unstable_by_key(|&row| (groups(row), row));
    drafts.extend(alone.chunks(BLOCK_ROWS).map(|rows| BlockDraft {
        rows: rows.to_vec(),
        columns: None,
        groups: rows.iter().map(|&row| groups(row)).max().unwrap_or(0),
    }));
    // the longest first, so that no warp is waited for; neighbors write side by side
    drafts.par_sort_unstable_by_key(|draft| (usize::MAX - draft.groups, draft.rows[0]));
    lay(matrix, &drafts, controls)
}

impl<'a> BlockDraft<'a> {
    fn common(rows: &[u32], columns: &'a [u32]) -> Self {
        let groups = columns.len().div_ceil(ENTRIES);
        Self { rows: rows.to_vec(), columns: Some(columns), groups }
    }
}

/// All rows by their columns.
fn supernodes<T: Real>(matrix: &SingleMatrix<T>) -> Vec<Supernode<'_>> {
    let columns = |row: u32| matrix.row(row as usize).0;
    // columns are told apart by a number first
    let mix = |sum: u64, &c: &u32| {
        (sum.rotate_left(5) ^ u64::from(c)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    };
    let key = |row: u32| columns(row).iter().fold(0, mix);
    let mut rows: Vec<(u64, u32)> =
        (0..matrix.len() as u32).into_par_iter().map(|row| (key(row), row)).collect();
    rows.par_sort_unstable_by(|a, b| {
        a.0.cmp(&b.0).then_with(|| columns(a.1).cmp(columns(b.1))).then(a.1.cmp(&b.1))
    });
    rows.chunk_by(|a, b| a.0 == b.0 && columns(a.1) == columns(b.1))
        .map(|rows| Supernode {
            columns: columns(rows[0].1),
            rows: rows.iter().map(|&(_, row)| row).collect(),
        })
        .collect()
}

/// Gives the rows left over to those with the fewest columns that have all of theirs, up to
/// twice as many.
fn join_larger(nodes: &mut [Supernode<'_>]) {
    let mut having: HashMap<u32, Vec<u32>> = HashMap::new();
    for (k, own) in nodes.iter().enumerate() {
        own.columns.iter().for_each(|&c| having.entry(c).or_default().push(k as u32));
    }
    let has = |all: &[u32], some: &[u32]| some.iter().all(|c| all.binary_search(c).is_ok());
    let larger = |own: &Supernode<'_>| {
        let size = own.columns.len();
        let rarest = own.columns.iter().map(|c| &having[c]).min_by_key(|all| all.len())?;
        let mut fitting = rarest.iter().copied().filter(|&k| {
            let other = nodes[k as usize].columns;
            (size + 1..=2 * size).contains(&other.len()) && has(other, own.columns)
        });
        let first = fitting.next()?;
        // rows that others have joined do not move on
        let better = |&k: &u32| (nodes[k as usize].columns.len(), k);
        fitting.chain([first]).min_by_key(better)
    };
    let targets: Vec<Option<u32>> =
        nodes.par_iter().map(|own| if own.rows.is_empty() { None } else { larger(own) }).collect();
    // from the shortest on, so that chains end where nothing is larger
    let mut order: Vec<usize> = (0..nodes.len()).collect();
    order.sort_unstable_by_key(|&k| nodes[k].columns.len());
    for k in order {
        if let Some(target) = targets[k] {
            let rows = std::mem::take(&mut nodes[k].rows);
            nodes[target as usize].rows.extend(rows);
        }
    }
}

/// Whether a block with common columns is smaller than its rows by themselves.
fn pays<T: Real>(matrix: &SingleMatrix<T>, rows: &[u32], columns: usize) -> bool {
    let groups = columns.div_ceil(ENTRIES);
    let common = groups * (BLOCK_ROWS * size_of::<T>() + size_of::<u32>());
    let own = rows.iter().map(|&row| matrix.row(row as usize).0.len().div_ceil(ENTRIES));
    common <= own.sum::<usize>() * (size_of::<T>() + size_of::<u32>())
}

/// Lays the blocks one after another.
fn lay<T: Real>(
    matrix: &SingleMatrix<T>,
    drafts: &[BlockDraft<'_>],
    controls: usize,
) -> BlockMatrix<T> {
    let mut all = BlockMatrix { rows: matrix.len(), controls, ..BlockMatrix::default() };
    let (mut weights, mut columns) = (0, 0);
    for draft in drafts {
        let own_columns = draft.columns.is_none();
        let consecutive = draft.rows.windows(2).all(|pair| pair[0] + 1 == pair[1]);
        all.blocks.push(RowBlock {
            weights,
            columns,
            groups: draft.groups as u32,
            rows: draft.rows.len() as u32,
            first: if consecutive { draft.rows[0] } else { NONE },
            listed: all.listed.len() as u32,
            own_columns: own_columns.into(),
            unused: 0,
        });
        if !consecutive {
            all.listed.extend_from_slice(&draft.rows);
        }
        weights += draft.groups as u32;
        columns += (draft.groups * if own_columns { BLOCK_ROWS } else { 1 }) as u32;
    }
    let parts: Vec<_> = drafts.par_iter().map(|draft| draft.entries(matrix)).collect();
    all.columns.reserve_exact(columns as usize);
    all.weights.reserve_exact(BLOCK_ROWS * weights as usize);
    for (columns, weights) in parts {
        all.columns.extend(columns);
        all.weights.extend(weights);
    }
    all
}

impl BlockDraft<'_> {
    /// Groups of columns and of weights.
    fn entries<T: Real>(
        &self,
        matrix: &SingleMatrix<T>,
    ) -> (Vec<[u32; ENTRIES]>, Vec<[T; ENTRIES]>) {
        let mut weights = vec![[T::default(); ENTRIES]; self.groups * BLOCK_ROWS];
        let mut put = |row: usize, entry: usize, weight: T| {
            weights[entry / ENTRIES * BLOCK_ROWS + row][entry % ENTRIES] = weight;
        };
        let Some(common) = self.columns else {
            let mut columns = vec![[0; ENTRIES]; self.groups * BLOCK_ROWS];
            for (lane, group) in (0..BLOCK_ROWS).flat_map(|l| (0..self.groups).map(move |g| (l, g)))
            {
                let (own, values) = matrix.row(self.rows[lane.min(self.rows.len() - 1)] as usize);
                let of = |range: Range<usize>| range.map(|i| own.get(i).unwrap_or(&own[0]));
                let to = &mut columns[group * BLOCK_ROWS + lane];
                let from = of(ENTRIES * group..ENTRIES * (group + 1));
                to.iter_mut().zip(from).for_each(|(to, &from)| *to = from);
                if group == 0 && lane < self.rows.len() {
                    values.iter().enumerate().for_each(|(entry, &value)| put(lane, entry, value));
                }
            }
            return (columns, weights);
        };
        for (lane, &row) in self.rows.iter().enumerate() {
            let (own, values) = matrix.row(row as usize);
            let mut entry = 0;
            for (column, &value) in own.iter().zip(values) {
                // both ascend
                entry += common[entry..].iter().take_while(|c| *c < column).count();
                put(lane, entry, value);
            }
        }
        let mut columns = vec![[common[0]; ENTRIES]; self.groups];
        columns.as_flattened_mut()[..common.len()].copy_from_slice(common);
        (columns, weights)
    }
}
