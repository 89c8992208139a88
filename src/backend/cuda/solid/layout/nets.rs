//! Nets of the leaves, each in the form that its kernel reads.

use rayon::prelude::*;

use super::arrays::{PlanLayout, TensorLeaves};
use crate::backend::cuda::solid::bricks::{self, Brick};
use crate::backend::cuda::solid::stacks::{self, Stacks};
use crate::limit::{Leaf, LeafKind, Solid};
use crate::numbers::Real;
use crate::plan::{BatchKind, Kernel, Plan};
use cudarc::driver::DeviceRepr;

/// The leaves of all batches, in the order in which their kernels take them, and how their nets
/// are written.
pub(super) struct NetLayout {
    leaves: Vec<LeafLayout>,
    /// Whether the nets of all tensor batches, and of all bricks, fit into 16-bit offsets.
    compact: bool,
    compact_bricks: bool,
}

/// The leaves of a batch.
enum LeafLayout {
    /// Bricks, and leaves taken one by one.
    Tensor(Vec<Brick>, Vec<u32>),
    /// Stack by stack.
    Stacks(Stacks),
    /// Leaf by leaf, as the batch has them.
    Plain,
}

impl NetLayout {
    pub fn of(plan: &Plan<'_>, kernels: &[Kernel]) -> Self {
        let solid = plan.solid();
        let batches = || plan.batches().iter().zip(kernels);
        let leaves = batches().map(|(batch, kernel)| match kernel {
            Kernel::Bricks => {
                let (bricks, singles) = bricks::collect(solid, &batch.leaves);
                LeafLayout::Tensor(bricks, singles)
            }
            Kernel::Tensor => LeafLayout::Tensor(Vec::new(), batch.leaves.clone()),
            Kernel::Layered => {
                let lines = controls(solid, batch.kind);
                LeafLayout::Stacks(stacks::collect(solid, &batch.leaves, lines))
            }
            _ => LeafLayout::Plain,
        });
        let leaves: Vec<LeafLayout> = leaves.collect();
        let tensor =
            || batches().zip(&leaves).filter(|(_, own)| matches!(own, LeafLayout::Tensor(..)));
        let fits_all = |batch: &crate::plan::Batch| {
            batch.leaves.par_iter().all(|&leaf| fits(solid.net(&solid.leaves()[leaf as usize])))
        };
        let compact = tensor().all(|((batch, _), _)| fits_all(batch));
        let compact_bricks = leaves.iter().all(|own| match own {
            LeafLayout::Tensor(bricks, _) => bricks.iter().all(|brick| fits(&brick.net)),
            _ => true,
        });
        Self { leaves, compact, compact_bricks }
    }
}

/// Control points of a leaf, of one layer of a layered one.
pub(super) fn controls(solid: &Solid, kind: BatchKind) -> usize {
    match kind {
        BatchKind::Regular => 64,
        BatchKind::Layered(s) => solid.planar_structures()[s as usize].controls(),
        BatchKind::Irregular(s) => solid.spatial_structures()[s as usize].controls(),
    }
}

impl<T: Real + DeviceRepr> PlanLayout<T> {
    /// Lays the leaves of the next batch; returns its first net and its first leaf.
    pub(super) fn lay_nets(
        &mut self,
        plan: &Plan<'_>,
        index: usize,
        nets: &NetLayout,
    ) -> (u64, u32) {
        let solid = plan.solid();
        let (mut tensor, mut stacks) = (TensorLeaves::default(), Stacks::default());
        let first = match &nets.leaves[index] {
            LeafLayout::Tensor(bricks, singles) => {
                let first_net = if nets.compact { self.offsets.len() } else { self.nets.len() };
                let first_leaf = self.heads.len();
                for &leaf in singles {
                    self.lay_tensor_leaf(solid, &solid.leaves()[leaf as usize], nets.compact);
                }
                let first_brick = self.brick_heads.len();
                let lay = |brick| self.lay_brick(solid, brick, nets.compact_bricks);
                let bricks = bricks.iter().map(lay).collect();
                tensor = TensorLeaves { singles: singles.clone(), first_brick, bricks };
                (first_net, first_leaf)
            }
            LeafLayout::Stacks(own) => {
                stacks = own.clone();
                self.lay_stacks(solid, own)
            }
            LeafLayout::Plain => {
                self.lay_leaves(solid, &plan.batches()[index].leaves, self.kernels[index])
            }
        };
        self.tensor.push(tensor);
        self.stacks.push(stacks);
        (first.0 as u64, first.1 as u32)
    }

    /// Lays leaves that are no tensors; returns where the first begins.
    fn lay_leaves(&mut self, solid: &Solid, leaves: &[u32], kernel: Kernel) -> (usize, usize) {
        let first = (self.nets.len(), self.elements.len());
        for &leaf in leaves {
            self.lay_leaf(solid, &solid.leaves()[leaf as usize], kernel);
        }
        first
    }

    /// Lays layered leaves, layers that they share with the one before once; returns where the
    /// first begins.
    fn lay_stacks(&mut self, solid: &Solid, stacks: &Stacks) -> (usize, usize) {
        let first = (self.nets.len(), self.elements.len());
        let mut known = 0;
        for (&leaf, &layer) in stacks.leaves.iter().zip(&stacks.layers) {
            let leaf = &solid.leaves()[leaf as usize];
            let net = solid.net(leaf);
            let shared = known - layer.min(known);
            self.nets.extend_from_slice(&net[shared as usize * net.len() / 4..]);
            known = layer + 4;
            self.lay_place(leaf);
        }
        first
    }

    fn lay_place(&mut self, leaf: &Leaf) {
        self.elements.push(leaf.element);
        self.ends.push(match leaf.kind {
            LeafKind::Regular(ends) | LeafKind::Layered(_, _, ends) => ends.bits(),
            LeafKind::Irregular(..) => 0,
        });
    }

    fn lay_leaf(&mut self, solid: &Solid, leaf: &Leaf, kernel: Kernel) {
        let net = solid.net(leaf);
        self.lay_place(leaf);
        if kernel == Kernel::LayeredPart {
            let lines = net.len() / 4;
            let line = |line: usize| (0..4).map(move |layer| net[layer * lines + line]);
            self.nets.extend((0..lines).flat_map(line));
        } else {
            self.nets.extend_from_slice(net);
        }
    }

    /// Lays a brick; returns its least and greatest element.
    fn lay_brick(&mut self, solid: &Solid, brick: &Brick, compact: bool) -> [u32; 2] {
        let elements = brick.leaves.map(|leaf| solid.leaves()[leaf as usize].element);
        let ends = brick.leaves.map(|leaf| match solid.leaves()[leaf as usize].kind {
            LeafKind::Regular(ends) => u32::from(ends.bits()),
            LeafKind::Layered(..) | LeafKind::Irregular(..) => 0,
        });
        let base = if compact { bounds(&brick.net).0 } else { 0 };
        let padded = brick.net.iter().copied().chain([brick.net[0]; 3]);
        if compact {
            self.brick_offsets.extend(padded.map(|id| (id - base) as u16))
        } else {
            self.brick_nets.extend(padded)
        }
        let mut head = [0; 12];
        head[0] = base;
        for (corner, (end, element)) in ends.into_iter().zip(elements).enumerate() {
            head[2 + corner / 4] |= end << (8 * (corner % 4));
            head[4 + corner] = element;
        }
        self.brick_heads.push(head);
        let (least, greatest) = bounds(&elements);
        [least, greatest]
    }

    fn lay_tensor_leaf(&mut self, solid: &Solid, leaf: &Leaf, compact: bool) {
        let net = solid.net(leaf);
        let ends = match leaf.kind {
            LeafKind::Regular(ends) => u32::from(ends.bits()),
            _ => 0,
        };
        let base = if compact { bounds(net).0 } else { 0 };
        self.heads.push([base, leaf.element, ends, 0]);
        if compact {
            self.offsets.extend(net.iter().map(|&id| (id - base) as u16));
        } else {
            self.nets.extend_from_slice(net);
        }
    }
}

/// Whether a net fits into 16-bit offsets.
fn fits(net: &[u32]) -> bool {
    let (low, high) = bounds(net);
    high - low <= u32::from(u16::MAX)
}

fn bounds(net: &[u32]) -> (u32, u32) {
    net.iter().fold((u32::MAX, 0), |(low, high), &id| (low.min(id), high.max(id)))
}
