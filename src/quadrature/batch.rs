//! Sorting leaves into batches of equal basis functions.

use std::collections::HashMap;

use rayon::prelude::*;

use super::basis::slots;
use super::pull::Pull;
use crate::limit::{AxisPermutation, Leaf, LeafKind, Solid};

/// Leaves whose basis functions are the same at the same quadrature points.
#[derive(Clone, Debug)]
pub struct Batch {
    /// Which table: what the leaves share before their control points are pulled back
    /// to the vertices.
    pub(super) table: usize,
    /// How the leaves' local axes lie in their elements.
    pub(super) permutation: AxisPermutation,
    /// Leaves, as ascending indices into [`Solid::leaves`].
    pub leaves: Vec<u32>,
    /// Number of control points.
    pub controls: usize,
    /// Vertices of the mesh, `[leaf][control]`; different ones in a row.
    pub control_ids: Vec<u32>,
    /// Whether the control points are not the leaves' own, but those of the mesh that
    /// these are refined from.
    pub is_pulled: bool,
}

/// What the leaves of a table share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TableKey {
    /// With its local axes as the element's.
    pub kind: LeafKind,
    pub depth: u8,
}

/// Tables, and the batches that use them.
#[derive(Debug)]
pub struct Sorted {
    pub keys: Vec<TableKey>,
    /// [`slots`] of every table.
    pub slots: Vec<Vec<usize>>,
    pub batches: Vec<Batch>,
}

/// Control points of a leaf, as indices into the points of all levels.
pub fn net(solid: &Solid, leaf: &Leaf, slots: &[usize]) -> Vec<u32> {
    let net = solid.net(leaf);
    slots.iter().map(|&slot| net[slot]).collect()
}

/// The tables that the leaves of a solid use, and which each of them uses.
pub(crate) fn table_keys(solid: &Solid) -> (Vec<TableKey>, Vec<usize>) {
    let mut tables: HashMap<TableKey, usize> = HashMap::new();
    let mut keys: Vec<TableKey> = Vec::new();
    let table_of: Vec<usize> = solid
        .leaves()
        .iter()
        .map(|leaf| {
            let key = TableKey { kind: without_permutation(leaf.kind).0, depth: leaf.depth };
            *tables.entry(key).or_insert_with(|| {
                keys.push(key);
                keys.len() - 1
            })
        })
        .collect();
    (keys, table_of)
}

/// Sorts all leaves, the batches in the order of kind, depth and first leaf.
pub fn sort(solid: &Solid, pull: &Pull) -> Sorted {
    let (keys, table_of) = table_keys(solid);
    let slots: Vec<Vec<usize>> = keys.iter().map(|key| slots(solid, key.kind)).collect();

    let vertices = solid.topology().vertex_count() as u32;
    // ids of a leaf, and its weights' fingerprint if they are not its own net
    let found: Vec<(Option<u128>, Vec<u32>)> = (0..solid.leaves().len())
        .into_par_iter()
        .map(|index| {
            let net = net(solid, &solid.leaves()[index], &slots[table_of[index]]);
            if net.iter().all(|&point| point < vertices) && all_different(&net) {
                return (None, net);
            }
            let columns = pull.columns(solid, &net);
            (Some(columns.fingerprint()), columns.vertices)
        })
        .collect();
    let mut by_key: HashMap<(usize, AxisPermutation, usize, Option<u128>), usize> = HashMap::new();
    let mut batches: Vec<Batch> = Vec::new();
    for (index, (print, ids)) in found.into_iter().enumerate() {
        let table = table_of[index];
        let permutation = without_permutation(solid.leaves()[index].kind).1;
        let at = *by_key.entry((table, permutation, ids.len(), print)).or_insert_with(|| {
            let (controls, is_pulled) = (ids.len(), print.is_some());
            let (leaves, control_ids) = (Vec::new(), Vec::new());
            batches.push(Batch { table, permutation, leaves, controls, control_ids, is_pulled });
            batches.len() - 1
        });
        batches[at].leaves.push(index as u32);
        batches[at].control_ids.extend(ids);
    }
    let rank = |kind: LeafKind| match kind {
        LeafKind::Regular(_) => 0,
        LeafKind::Layered(..) => 1,
        LeafKind::Irregular(..) => 2,
    };
    batches.sort_by_key(|b| {
        let key = keys[b.table];
        (b.is_pulled, rank(key.kind), key.depth, b.leaves[0])
    });
    Sorted { keys, slots, batches }
}

/// How a leaf evaluates in its local axes, and how these lie in the element.
fn without_permutation(kind: LeafKind) -> (LeafKind, AxisPermutation) {
    match kind {
        LeafKind::Regular(_) => (kind, AxisPermutation::IDENTITY),
        LeafKind::Layered(s, permutation, ends) => {
            (LeafKind::Layered(s, AxisPermutation::IDENTITY, ends), permutation)
        }
        LeafKind::Irregular(s, permutation) => {
            (LeafKind::Irregular(s, AxisPermutation::IDENTITY), permutation)
        }
    }
}

fn all_different(net: &[u32]) -> bool {
    let mut sorted = net.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).all(|pair| pair[0] != pair[1])
}
