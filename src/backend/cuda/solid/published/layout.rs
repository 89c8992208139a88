//! Data of the published method: samples sorted by the eigenstructure that they need, and
//! the eigenstructures cut into tiles.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use cudarc::driver::DeviceRepr;
use rayon::prelude::*;

use crate::backend::cuda::solid::layout::{BatchRecord, is_published};
use crate::basis::MissingLayers;
use crate::limit::{Basis, LeafKind, Orders, SplinePart, Structure};
use crate::numbers::Real;
use crate::plan::{Batch as PlanBatch, BatchKind, Kernel, Plan, evaluated_orders};

/// See `Sample` in `kernels/published/published.cuh`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub(in crate::backend::cuda::solid) struct Sample<T> {
    pub local: [T; 3],
    pub result: u32,
}

/// See `Group` in `kernels/published/published.cuh`.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(in crate::backend::cuda::solid) struct LeafGroup {
    pub structures: [u64; 10],
    pub first_net: u64,
    pub scales: [f64; 10],
    pub net: u32,
    pub controls: u32,
    pub first: u32,
    pub count: u32,
    pub first_leaf: u32,
    pub basis: [u8; 12],
}

// SAFETY: plain numbers, laid out as in CUDA C++.
unsafe impl<T: DeviceRepr> DeviceRepr for Sample<T> {}
// SAFETY: as above.
unsafe impl DeviceRepr for LeafGroup {}

/// See `Tile` in `kernels/published/published.cuh`: group, first row, first column.
pub(in crate::backend::cuda::solid) type MatrixTile = [u32; 3];

/// See `Block` in `kernels/published/published.cuh`: tile, leaf within its batch.
pub(in crate::backend::cuda) type LaunchBlock = [u32; 2];

/// Blocks by the kernel that they run.
pub(in crate::backend::cuda) type BlocksByKernel =
    BTreeMap<(PublishedFamily, Kernel), Vec<LaunchBlock>>;

/// The kernels of the paper, by the size of their tile in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::backend::cuda::solid) enum PublishedFamily {
    Reg64,
    Reg48,
    Lay16,
    Lay32,
    Irr32,
    Irr64,
}

/// All groups of a plan.
#[derive(Debug, Default)]
pub(in crate::backend::cuda) struct LeafGroups<T> {
    pub samples: Vec<Sample<T>>,
    pub groups: Vec<LeafGroup>,
    pub tiles: Vec<MatrixTile>,
    /// Eigenstructures `[control point][basis function]`, one after another.
    pub structures: Vec<T>,
    /// Tiles of each batch of the plan; none where it takes other kernels.
    pub batches: Vec<Range<u32>>,
}

/// Which eigenstructure: of a part for orders, or for all orders of one sum.
type EigenstructureKey = (BatchKind, SplinePart, Result<usize, Orders>);

impl PublishedFamily {
    /// The kernel for the leaves of a batch that miss these end layers.
    pub fn of(kind: BatchKind, controls: u32, ends: MissingLayers) -> Self {
        match kind {
            // two missing layers or more are not in the paper: REG64 fills them in
            BatchKind::Regular if ends.count() == 1 => Self::Reg48,
            BatchKind::Regular => Self::Reg64,
            BatchKind::Layered(_) if controls <= 16 => Self::Lay16,
            BatchKind::Layered(_) => Self::Lay32,
            BatchKind::Irregular(_) if controls <= 32 => Self::Irr32,
            BatchKind::Irregular(_) => Self::Irr64,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Reg64 => "REG64",
            Self::Reg48 => "REG48",
            Self::Lay16 => "LAY16x16",
            Self::Lay32 => "LAY32x16",
            Self::Irr32 => "IRR32x32",
            Self::Irr64 => "IRR64x32",
        }
    }

    /// Control points that a regular block holds, rows of a tile of the others.
    pub fn size(self) -> usize {
        match self {
            Self::Reg64 | Self::Irr64 => 64,
            Self::Reg48 => 48,
            Self::Lay32 | Self::Irr32 => 32,
            Self::Lay16 => 16,
        }
    }

    /// Whether several blocks add to one result.
    pub(crate) fn is_tiled(self) -> bool {
        !matches!(self, Self::Reg64 | Self::Reg48)
    }
}

impl<T: Real + DeviceRepr> LeafGroups<T> {
    /// The groups of a plan whose batches are laid out as `batches` and take `kernels`.
    pub fn new(plan: &Plan<'_>, batches: &[BatchRecord], kernels: &[Kernel]) -> Self {
        let mut all = Self {
            samples: Vec::new(),
            groups: Vec::new(),
            tiles: Vec::new(),
            structures: Vec::new(),
            batches: vec![0..0; batches.len()],
        };
        let own = || {
            let all = plan.batches().iter().zip(batches).zip(kernels).enumerate();
            all.filter(|(_, (_, kernel))| is_published(**kernel)).map(|(i, (both, _))| (i, both))
        };
        let parts: Vec<_> = own().map(|(_, (batch, _))| parts(plan, batch)).collect();
        let keys = own().zip(&parts).flat_map(|((_, (batch, _)), parts)| {
            parts.keys().flat_map(|part| keys(plan, batch, *part))
        });
        let starts = all.lay_structures(plan, keys);
        for ((index, (batch, record)), parts) in own().zip(parts) {
            let first = all.tiles.len() as u32;
            for (part, samples) in parts {
                all.add(plan, batch, record, part, samples, &starts);
            }
            all.batches[index] = first..all.tiles.len() as u32;
        }
        all
    }

    /// The blocks of a range of elements, by the kernel that they run, and the elements
    /// whose results are sums of tiles.
    pub fn blocks(
        &self,
        plan: &Plan<'_>,
        kernels: &[Kernel],
        range: &Range<usize>,
    ) -> (BlocksByKernel, Vec<u32>) {
        let solid = plan.solid();
        let mut blocks = BlocksByKernel::new();
        let mut elements = Vec::new();
        for ((batch, tiles), &kernel) in plan.batches().iter().zip(&self.batches).zip(kernels) {
            let leaves = batch.leaves_in(solid, range);
            if tiles.is_empty() || leaves.is_empty() {
                continue;
            }
            let first = batch.leaves.partition_point(|&leaf| leaf < leaves[0]) as u32;
            let [group, ..] = self.tiles[tiles.start as usize];
            let controls = self.groups[group as usize].controls;
            for (at, &leaf) in (first..).zip(leaves) {
                let leaf = &solid.leaves()[leaf as usize];
                let ends = if let LeafKind::Regular(ends) = leaf.kind {
                    ends
                } else {
                    MissingLayers::NONE
                };
                let family = PublishedFamily::of(batch.kind, controls, ends);
                let own = blocks.entry((family, kernel)).or_default();
                own.extend(tiles.clone().map(|tile| [tile, at]));
                if family.is_tiled() {
                    elements.push(leaf.element);
                }
            }
        }
        (blocks, elements)
    }

    /// Computes the eigenstructures; returns where each begins.
    fn lay_structures(
        &mut self,
        plan: &Plan<'_>,
        keys: impl Iterator<Item = (EigenstructureKey, Orders)>,
    ) -> HashMap<EigenstructureKey, u64> {
        let distinct: HashMap<EigenstructureKey, Orders> = keys.collect();
        let mut distinct: Vec<(EigenstructureKey, Orders)> = distinct.into_iter().collect();
        distinct.sort_unstable();
        let matrices: Vec<Vec<T>> = distinct
            .par_iter()
            .map(|&((kind, part, _), orders)| {
                let Some(structure) = structure(plan, kind) else { return Vec::new() };
                let e = structure.eigenstructure(part, orders);
                let row = |i: usize| (0..e.ncols()).map(move |j| (i, j));
                (0..e.nrows()).flat_map(row).map(|at| T::from_f64(e[at])).collect()
            })
            .collect();
        let mut starts = HashMap::new();
        for ((key, _), matrix) in distinct.into_iter().zip(matrices) {
            starts.insert(key, self.structures.len() as u64);
            self.structures.extend(matrix);
        }
        starts
    }

    /// Adds the group of a batch's samples in one part, and its tiles.
    fn add(
        &mut self,
        plan: &Plan<'_>,
        batch: &PlanBatch,
        record: &BatchRecord,
        part: Option<SplinePart>,
        samples: Vec<Sample<f64>>,
        starts: &HashMap<EigenstructureKey, u64>,
    ) {
        let structure = structure(plan, batch.kind);
        let mut group = LeafGroup {
            first_net: record.first_net,
            net: match batch.kind {
                BatchKind::Layered(_) => 4 * record.controls,
                _ => record.controls,
            },
            controls: record.controls,
            first: self.samples.len() as u32,
            count: samples.len() as u32,
            first_leaf: record.first_leaf,
            ..LeafGroup::default()
        };
        for (output, (key, _)) in keys(plan, batch, part).into_iter().enumerate() {
            group.structures[output] = starts.get(&key).copied().unwrap_or_default();
        }
        for (output, orders) in evaluated_orders(plan.want()).into_iter().enumerate() {
            let local = batch.permutation.axes.map(|a| orders[a as usize]);
            let basis = match (structure, part) {
                (Some(structure), Some(part)) => structure.basis(part, local),
                _ => local.map(Basis::Spline),
            };
            let bits = |d: usize| match basis[d] {
                Basis::Spline(order) => order.degree() as u8,
                Basis::Constant => 3,
            };
            group.basis[output] = (0..3).map(|d| bits(d) << (2 * d)).sum();
            let factor = |d: usize| plan.patterns().axes[batch.axes[d] as usize].factor;
            let speed: f64 = (0..3).map(|d| factor(d).powi(local[d].degree() as i32)).product();
            group.scales[output] = if batch.permutation.odd(local) { -speed } else { speed };
        }
        self.samples.extend(
            samples.into_iter().map(|sample| Sample {
                local: sample.local.map(T::from_f64),
                result: sample.result,
            }),
        );
        let id = self.groups.len() as u32;
        self.groups.push(group);
        let family = PublishedFamily::of(batch.kind, record.controls, MissingLayers::NONE);
        let rows = if family.is_tiled() { record.controls } else { 1 };
        let columns = match batch.kind {
            // at a point the second half of the functions has no weight
            BatchKind::Irregular(_) if !part.is_some_and(|part| part.is_point()) => 2,
            _ => 1,
        };
        for row in (0..rows).step_by(family.size()) {
            self.tiles.extend((0..columns).map(|column| [id, row, 32 * column]));
        }
    }
}

fn structure<'p>(plan: &'p Plan<'_>, kind: BatchKind) -> Option<&'p Structure> {
    let solid = plan.solid();
    match kind {
        BatchKind::Regular => None,
        BatchKind::Layered(s) => Some(&*solid.planar_structures()[s as usize]),
        BatchKind::Irregular(s) => Some(&*solid.spatial_structures()[s as usize]),
    }
}

/// The eigenstructure of each output, with the orders that it is computed for.
fn keys(
    plan: &Plan<'_>,
    batch: &PlanBatch,
    part: Option<SplinePart>,
) -> Vec<(EigenstructureKey, Orders)> {
    let Some(part) = part else { return Vec::new() };
    let dimension = if matches!(batch.kind, BatchKind::Layered(_)) { 2 } else { 3 };
    let key = |orders: Orders| {
        let mut local = batch.permutation.axes.map(|a| orders[a as usize]);
        // the spline along the layers is not part of a planar eigenstructure
        local[dimension..].fill(crate::basis::bspline::Order::Value);
        let sum = local.iter().map(|&order| order.degree()).sum();
        ((batch.kind, part, if part.is_plain() { Ok(sum) } else { Err(local) }), local)
    };
    evaluated_orders(plan.want()).into_iter().map(key).collect()
}

/// The samples of a batch by the part that holds them; a regular batch is one part.
fn parts(plan: &Plan<'_>, batch: &PlanBatch) -> BTreeMap<Option<SplinePart>, Vec<Sample<f64>>> {
    let axes = batch.axes.map(|a| &plan.patterns().axes[a as usize].parameters[..]);
    let indices = &plan.patterns().orders[batch.order as usize].indices;
    let structure = structure(plan, batch.kind);
    let mut parts: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (sample, &result) in indices.iter().enumerate() {
        let [a, b] = [axes[0].len(), axes[1].len()];
        let p = [axes[0][sample % a], axes[1][sample / a % b], axes[2][sample / (a * b)]];
        let (part, local) = match structure {
            None => (None, p),
            Some(structure) => {
                let (part, local) = structure.spline_part(p);
                (Some(part), local)
            }
        };
        parts.entry(part).or_default().push(Sample { local, result });
    }
    parts
}
