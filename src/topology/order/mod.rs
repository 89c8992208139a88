//! Order of elements by position, and patches as runs of it.
//!
//! Gathers over rows of neighbors run at the speed of memory if neighbors have near ids,
//! and are several times slower in an arbitrary order. So faces of a surface (cells of a
//! solid) are sorted along a Hilbert curve through their centroids, component by component,
//! and cut into *patches*: runs of at most a given size, each inside one component. An
//! element belongs to the patch of its least face or cell, and is *owned* by it. Elements are
//! sorted by owner, then along the curve through their midpoints, so that the owned elements
//! of a patch are consecutive: local id + first = global id. Patches and owners are as in
//! RXMesh (Mahmoud et al. 2021, section 5.2), found by a sort instead of Lloyd's algorithm.
//!
//! Elements at one place of the curve are sorted by id: the order is the same for any
//! number of threads. Isolated vertices come last, in patches without faces.

mod curve;
mod downward;

pub use downward::{DownwardIncidence, EntityKind};

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::mesh::{check_point_count, components};
use crate::topology::NONE;
pub(crate) use curve::Curve;

/// Faces or cells that a patch has at most.
pub(crate) const PATCH_SIZE: usize = 512;

/// A numbering of all elements, and its patches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ElementOrder {
    // [kind][new id]: original id
    originals: [Vec<u32>; 4],
    // [kind][original id]: new id
    new_ids: [Vec<u32>; 4],
    // [kind][patch]: first owned element; one more at the end
    starts: [Vec<u32>; 4],
    patch_size: usize,
}

impl ElementOrder {
    /// Sorts the elements of a mesh whose vertices lie at `points`, into patches of at most
    /// `patch_size` faces (of a surface) or cells (of a solid).
    ///
    /// # Errors
    /// [`Error::Request`] if there is not one point for each vertex, or `patch_size` is 0.
    pub fn new(mesh: &DownwardIncidence, points: &[[f64; 3]], patch_size: usize) -> Result<Self> {
        check_point_count(points.len(), mesh.vertex_count)?;
        if patch_size == 0 {
            return Err(Error::request("patches of 0 elements")
                .with_help(format!("give a size of at least 1; {PATCH_SIZE} is usual")));
        }
        let curve = Curve::around(points);
        let key = |kind, id| {
            let (mut sum, mut count) = ([0.0; 3], 0.0);
            mesh.closure(kind, id, &mut |kind, v| {
                if kind == EntityKind::Vertex {
                    count += 1.0;
                    (0..3).for_each(|d| sum[d] += points[v as usize][d]);
                }
            });
            curve.key(sum.map(|x| x / count))
        };
        let top = mesh.top();
        let (tops, patch_of_top) = sort_tops(mesh, top, patch_size, key);
        let rank = inverse(&tops);
        let patches = patch_of_top.last().map_or(0, |&last| last + 1);

        let least = least_tops(mesh, top, &rank);
        let (mut originals, mut starts) = <([Vec<u32>; 4], [Vec<u32>; 4])>::default();
        for kind in EntityKind::ALL {
            let k = kind as usize;
            let owner = |id: u32| match least[k][id as usize].load(Relaxed) {
                NONE => NONE,
                top => patch_of_top[top as usize],
            };
            originals[k] = if kind == top {
                tops.clone()
            } else {
                sorted(mesh.count(kind), |id| (owner(id), key(kind, id)))
            };
            let mut counts = vec![0; patches as usize];
            let owned = originals[k].iter().map(|&id| owner(id)).take_while(|&patch| patch != NONE);
            owned.for_each(|patch| counts[patch as usize] += 1);
            starts[k].push(0);
            starts[k].extend(crate::topology::groups::scan(counts.into_iter()));
        }
        Ok(Self::from_sorted(originals, starts, patch_size))
    }

    /// An order from the sorted ids of each kind, and the first element that each patch with
    /// faces owns, with one more at the end.
    pub(crate) fn from_sorted(
        originals: [Vec<u32>; 4],
        mut starts: [Vec<u32>; 4],
        patch_size: usize,
    ) -> Self {
        let last = |starts: &Vec<u32>| starts.last().copied().unwrap_or(0);
        let isolated = originals[0].len() - last(&starts[0]) as usize;
        for (k, starts) in starts.iter_mut().enumerate() {
            let last = last(starts);
            for patch in 0..isolated.div_ceil(patch_size) {
                let vertices = isolated.min((patch + 1) * patch_size) as u32;
                starts.push(last + if k == 0 { vertices } else { 0 });
            }
        }
        let new_ids = std::array::from_fn(|k| inverse(&originals[k]));
        Self { originals, new_ids, starts, patch_size }
    }

    /// Faces (of a surface) or cells (of a solid) that a patch has at most.
    pub fn patch_size(&self) -> usize {
        self.patch_size
    }

    /// Number of patches.
    pub fn patch_count(&self) -> usize {
        self.starts[0].len() - 1
    }

    /// Elements that a patch owns.
    pub fn owned(&self, kind: EntityKind, patch: usize) -> Range<u32> {
        let starts = &self.starts[kind as usize];
        starts[patch]..starts[patch + 1]
    }

    /// Patch that owns an element of the order.
    pub fn owner(&self, kind: EntityKind, id: u32) -> usize {
        self.starts[kind as usize].partition_point(|&start| start <= id) - 1
    }

    /// `[new id]`: the id of the mesh.
    pub fn originals(&self, kind: EntityKind) -> &[u32] {
        &self.originals[kind as usize]
    }

    /// Id in the order of an element of the mesh.
    pub fn new_id(&self, kind: EntityKind, original: u32) -> u32 {
        self.new_ids[kind as usize][original as usize]
    }

    /// Values of the mesh's elements, in the order.
    pub fn sort<T: Copy>(&self, kind: EntityKind, values: &[T]) -> Vec<T> {
        self.originals(kind).iter().map(|&id| values[id as usize]).collect()
    }

    /// Values in the order, by the mesh's own elements.
    pub fn restore<T: Copy>(&self, kind: EntityKind, values: &[T]) -> Vec<T> {
        self.new_ids[kind as usize].iter().map(|&id| values[id as usize]).collect()
    }
}

/// Faces or cells in their order, and the patch of each place.
fn sort_tops(
    mesh: &DownwardIncidence,
    top: EntityKind,
    patch_size: usize,
    key: impl Fn(EntityKind, u32) -> u64 + Sync,
) -> (Vec<u32>, Vec<u32>) {
    let edges = mesh.edge_vertices.iter().map(|ends| &ends[..]);
    let components = components(mesh.vertex_count, edges);
    let component = |id: u32| {
        let face = if top == EntityKind::Cell { mesh.cell_faces.row(id as usize)[0] } else { id };
        components[mesh.face_vertices.row(face as usize)[0] as usize]
    };
    let tops = sorted(mesh.count(top), |id| (component(id), key(top, id)));
    let (mut patch, mut length) = (0, 0);
    let mut patches = Vec::with_capacity(tops.len());
    for (i, &id) in tops.iter().enumerate() {
        if length == patch_size || i > 0 && component(id) != component(tops[i - 1]) {
            (patch, length) = (patch + 1, 0);
        }
        length += 1;
        patches.push(patch);
    }
    (tops, patches)
}

/// Ids by keys, then by themselves.
fn sorted(count: usize, key: impl Fn(u32) -> (u32, u64) + Sync) -> Vec<u32> {
    let ids = (0..count as u32).into_par_iter();
    let mut keyed: Vec<((u32, u64), u32)> = ids.map(|id| (key(id), id)).collect();
    keyed.par_sort_unstable();
    keyed.into_par_iter().map(|(_, id)| id).collect()
}

fn inverse(permutation: &[u32]) -> Vec<u32> {
    let mut inverse = vec![0; permutation.len()];
    (0..).zip(permutation).for_each(|(new, &old)| inverse[old as usize] = new);
    inverse
}

/// `[kind][element]`: place of the first face or cell that has it; [`NONE`] for none.
fn least_tops(mesh: &DownwardIncidence, top: EntityKind, rank: &[u32]) -> [Vec<AtomicU32>; 4] {
    let least = EntityKind::ALL.map(|kind| {
        let none = || AtomicU32::new(NONE);
        std::iter::repeat_with(none).take(mesh.count(kind)).collect::<Vec<_>>()
    });
    (0..mesh.count(top) as u32).into_par_iter().for_each(|id| {
        mesh.closure(top, id, &mut |kind, element| {
            least[kind as usize][element as usize].fetch_min(rank[id as usize], Relaxed);
        });
    });
    least
}
