//! Sorting leaves into batches of equal basis functions.

use std::collections::HashMap;

use rayon::prelude::*;

use super::basis::slots;
use super::boxes::LeafFace;
use super::leaf_points::TableKey;
use super::pull::PullStencils;
use crate::interrupt::stop_point;
use crate::limit::boundary::boundary_faces;
use crate::limit::{AxisPermutation, Leaf, LeafKind, Solid};
use crate::topology::Orientation;

/// Leaves whose basis functions are the same at the same quadrature points.
#[derive(Clone, Debug)]
pub struct QuadratureBatch {
    /// Which table: what the leaves share before their control points are pulled back
    /// to the vertices.
    pub(super) table: usize,
    /// How the leaves' local axes lie in their elements.
    pub(super) permutation: AxisPermutation,
    /// How often the leaves are split off their elements.
    pub(super) depth: u8,
    /// Face of the elements, in their axes, that the points are on; none for whole leaves.
    pub side: Option<LeafFace>,
    /// Leaves, as ascending indices into [`Solid::leaves`].
    pub leaves: Vec<u32>,
    /// The faces of the mesh that the leaves' faces lie in; none for whole leaves.
    pub faces: Vec<u32>,
    /// Number of control points.
    pub controls: usize,
    /// Vertices of the mesh, `[leaf][control]`; different ones in a row.
    pub control_ids: Vec<u32>,
    /// Whether the control points are the mesh's, from which the leaves' own are
    /// refined.
    pub is_pulled: bool,
}

/// A leaf, or a face of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QuadratureItem {
    pub leaf: u32,
    /// In the axes of the leaf's element, and the face of the mesh that it lies in.
    pub face: Option<(LeafFace, u32)>,
}

impl QuadratureItem {
    /// One item for each leaf of a solid.
    pub fn leaves(solid: &Solid) -> Vec<Self> {
        (0..solid.leaves().len() as u32).map(|leaf| Self { leaf, face: None }).collect()
    }

    /// All faces of leaves on the boundary, in faces of the mesh to keep.
    pub fn boundary(solid: &Solid, keep: impl Fn(u32) -> bool) -> Vec<Self> {
        let mut faces: Vec<Vec<(LeafFace, u32)>> = vec![Vec::new(); solid.elements().len()];
        for face in boundary_faces(solid, &Orientation::default()) {
            if keep(face.face) {
                let side = LeafFace { axis: face.axis as u8, end: face.side as u8 };
                faces[face.element as usize].push((side, face.face));
            }
        }
        let of = |(index, leaf): (u32, &Leaf)| {
            let size = f64::from(leaf.depth).exp2().recip();
            let met = |&(side, _): &(LeafFace, u32)| {
                let origin = f64::from(leaf.origin[usize::from(side.axis)]) * size;
                if side.end == 0 { origin == 0.0 } else { origin + size == 1.0 }
            };
            let own = faces[leaf.element as usize].iter().copied().filter(met);
            own.map(|face| Self { leaf: index, face: Some(face) }).collect::<Vec<_>>()
        };
        (0..).zip(solid.leaves()).flat_map(of).collect()
    }
}

/// Tables, and the batches that use them.
#[derive(Debug)]
pub struct SortedBatches {
    pub keys: Vec<TableKey>,
    /// [`slots`] of every table.
    pub slots: Vec<Vec<usize>>,
    pub batches: Vec<QuadratureBatch>,
}

/// Control points of a leaf, as indices into the points of all levels.
pub fn net(solid: &Solid, leaf: &Leaf, slots: &[usize]) -> Vec<u32> {
    let net = solid.net(leaf);
    slots.iter().map(|&slot| net[slot]).collect()
}

/// The tables that items of a solid use, in the order of kind, face and first leaf, and which each
/// of them uses.
pub(crate) fn table_keys(solid: &Solid, items: &[QuadratureItem]) -> (Vec<TableKey>, Vec<usize>) {
    let mut tables: HashMap<TableKey, usize> = HashMap::new();
    let mut keys: Vec<TableKey> = Vec::new();
    let table_of: Vec<usize> = items
        .iter()
        .map(|item| {
            let leaf = &solid.leaves()[item.leaf as usize];
            let (kind, permutation) = without_permutation(leaf.kind);
            let face = item.face.map(|(side, _)| side.local(permutation));
            let key = TableKey { kind, face };
            *tables.entry(key).or_insert_with(|| {
                keys.push(key);
                keys.len() - 1
            })
        })
        .collect();
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by_key(|&table| (rank(keys[table].kind), keys[table].face));
    let mut place = vec![0; keys.len()];
    order.iter().enumerate().for_each(|(to, &from)| place[from] = to);
    (
        order.into_iter().map(|table| keys[table]).collect(),
        table_of.into_iter().map(|table| place[table]).collect(),
    )
}

fn rank(kind: LeafKind) -> u8 {
    match kind {
        LeafKind::Regular(_) => 0,
        LeafKind::Layered(..) => 1,
        LeafKind::Irregular(..) => 2,
    }
}

/// Sorts items; the batches in the order of tables, then of depths and first
/// leaves.
pub fn sort(solid: &Solid, pull: &PullStencils, items: &[QuadratureItem]) -> SortedBatches {
    let (keys, table_of) = table_keys(solid, items);
    let slots: Vec<Vec<usize>> = keys.iter().map(|key| slots(solid, key.kind)).collect();

    let vertices = solid.topology().vertex_count() as u32;
    // ids of a leaf, and its weights' fingerprint if they are not its own net
    let found: Vec<(Option<u128>, Vec<u32>)> = (0..items.len())
        .into_par_iter()
        .map(|index| {
            stop_point();
            let leaf = &solid.leaves()[items[index].leaf as usize];
            let net = net(solid, leaf, &slots[table_of[index]]);
            if net.iter().all(|&point| point < vertices) && all_different(&net) {
                return (None, net);
            }
            let columns = pull.columns(solid, &net);
            (Some(columns.fingerprint()), columns.vertices)
        })
        .collect();
    type BatchKey = (usize, AxisPermutation, u8, Option<LeafFace>, usize, Option<u128>);
    let mut by_key: HashMap<BatchKey, usize> = HashMap::new();
    let mut batches: Vec<QuadratureBatch> = Vec::new();
    for (index, (print, ids)) in found.into_iter().enumerate() {
        let (table, QuadratureItem { leaf, face }) = (table_of[index], items[index]);
        let Leaf { kind, depth, .. } = solid.leaves()[leaf as usize];
        let (permutation, side) = (without_permutation(kind).1, face.map(|(side, _)| side));
        let key = (table, permutation, depth, side, ids.len(), print);
        let at = *by_key.entry(key).or_insert_with(|| {
            let (controls, is_pulled) = (ids.len(), print.is_some());
            batches.push(QuadratureBatch {
                table,
                permutation,
                depth,
                side,
                leaves: Vec::new(),
                faces: Vec::new(),
                controls,
                control_ids: Vec::new(),
                is_pulled,
            });
            batches.len() - 1
        });
        batches[at].leaves.push(leaf);
        batches[at].faces.extend(face.map(|(_, face)| face));
        batches[at].control_ids.extend(ids);
    }
    batches.sort_by_key(|b| (b.table, b.is_pulled, b.depth, b.side, b.leaves[0]));
    SortedBatches { keys, slots, batches }
}

/// How a leaf evaluates in its local axes, and how these lie in the element.
pub(super) fn without_permutation(kind: LeafKind) -> (LeafKind, AxisPermutation) {
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
