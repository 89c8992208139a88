//! Static evaluation on the CPU.
//!
//! Regular leaves are sums along u, then v, by [`PatchKernel`]; leaves with an extraordinary vertex
//! are products of a [`TableKernel`] with their control points, leaves of one structure, size and
//! placement side by side, so that the table is read once for several. Points that no leaf has
//! as its own lie along sides of leaves: the positions of one side are a small table, which all
//! sides of the same kind share.
//!
//! ```text
//! control points ─stencils─▶ points of all local levels, f64 ─batches─▶ points [leaf][v][u], then the rest
//! ```
//!
//! Every leaf is computed relative to one of its control points, and each point by one thread
//! in one order: results have the same bits in every run, for any number of threads. They are
//! the processor's own vectors, fused multiply-adds where it has them.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytemuck::Pod;
use rayon::prelude::*;

use super::StaticRefinement;
use super::batches::{LeafBatch, LeafBatches};
use super::slots::SlotRun;
use crate::interrupt::stop_point;
use crate::result_buffer::ResultBuffer;

use crate::disjoint::DisjointArray;
use crate::error::Result;
use crate::numbers::Real;
use crate::pages;
use crate::scheme::point::Point;
use crate::simd::{
    Nets, PatchKernel, PatchOutput, Scratch, Simd, Stores, TableKernel, TableOutput,
};
use crate::surface::limit::{LimitSurface, SurfaceLeafKind};

/// Points of a task, about.
const TASK_POINTS: usize = 8192;

/// The points of one level of refinement on the CPU, straight from the control points, in
/// `f32` or `f64`; see [`StaticRefinement`].
///
/// It holds the weights in `T`, in the layout of the kernels.
pub struct StaticEvaluator<T> {
    surface: Arc<LimitSurface>,
    // number of points
    len: usize,
    batches: Vec<KernelBatch<T>>,
    // a batch, and some of its leaves
    tasks: Vec<(usize, Range<usize>)>,
}

/// Leaves, or sides of leaves, that evaluate alike.
struct KernelBatch<T> {
    kernel: LeafKernel<T>,
    leaves: LeafBatch,
}

enum LeafKernel<T> {
    Regular(PatchKernel<T>),
    Table(TableKernel<T>),
}

/// Memory of evaluations that is used again.
#[derive(Default)]
pub struct StaticWorkspace<T> {
    // points of all local levels
    controls: Vec<[f64; 3]>,
    points: ResultBuffer<T>,
}

impl<T: Pod> StaticWorkspace<T> {
    /// The points of the last evaluation, in the order of [`StaticRefinement`].
    pub fn points(&self) -> &[Point<T>] {
        self.points.as_chunks().0
    }
}

impl StaticRefinement {
    /// Brings the weights into the layout of the CPU, for evaluation again and again.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) for structures without control points, which no
    /// surface has.
    pub fn evaluator<T: Real>(&self) -> Result<StaticEvaluator<T>> {
        StaticEvaluator::new(self)
    }

    /// The points of the level, once.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) for another number of control points.
    pub fn evaluate<T: Real>(&self, controls: &[Point<T>]) -> Result<Vec<Point<T>>> {
        let mut all = Vec::new();
        self.surface.refined_points_into(controls, &mut all)?;
        let mut points = pages::zeros(self.len());
        self.evaluator()?.run(&all, points.as_flattened_mut());
        Ok(points)
    }
}

impl<T: Real> StaticEvaluator<T> {
    fn new(refinement: &StaticRefinement) -> Result<Self> {
        let LeafBatches { regular, irregular } = LeafBatches::of(refinement);
        let regular = regular.into_iter().map(|(steps, leaves)| {
            let samples = 1 << steps;
            let rows = refinement.rows[usize::from(steps)][..samples].to_vec();
            KernelBatch { kernel: LeafKernel::Regular(PatchKernel::new(&[rows])), leaves }
        });
        let mut batches: Vec<KernelBatch<T>> = regular.collect();
        let irregular: Vec<_> = irregular.into_iter().collect();
        let irregular = irregular.into_par_iter().map(|((structure, steps, placement), leaves)| {
            let (weights, size) =
                (refinement.leaf_weights(structure, placement, steps), 1 << steps);
            let positions = (0..size * size).map(|k| [k % size, k / size]);
            let rows: Vec<&[f64]> = positions.map(|[i, j]| weights.at(i, j)).collect();
            Ok(KernelBatch { kernel: LeafKernel::Table(table(&rows)?), leaves })
        });
        batches.extend(irregular.collect::<Result<Vec<_>>>()?);
        batches.extend(sides(refinement)?);
        let mut tasks = Vec::new();
        for (index, batch) in batches.iter().enumerate() {
            let (count, step) =
                (batch.leaves.starts.len(), (TASK_POINTS / batch.kernel.points()).max(1));
            tasks.extend((0..count).step_by(step).map(|k| (index, k..(k + step).min(count))));
        }
        Ok(Self { surface: refinement.surface.clone(), len: refinement.len(), batches, tasks })
    }

    /// The points of the level in memory that is used again:
    /// [`points`](StaticWorkspace::points) of the workspace.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) for another number of control points.
    pub fn evaluate_into(
        &self,
        controls: &[Point<T>],
        workspace: &mut StaticWorkspace<T>,
    ) -> Result<()> {
        let StaticWorkspace { controls: all, points } = workspace;
        self.surface.refined_points_into(controls, all)?;
        self.run(all, points.reserve(3 * self.len));
        Ok(())
    }

    /// Evaluates over the points of all local levels.
    fn run(&self, controls: &[[f64; 3]], points: &mut [T]) {
        let stores = Stores::of_bytes(size_of_val(points));
        let (simd, points) = (Simd::detect(), DisjointArray::new(points));
        // every thread takes the next task until none is left
        let next = AtomicUsize::new(0);
        let threads = rayon::current_num_threads().min(self.tasks.len());
        (0..threads).into_par_iter().with_max_len(1).for_each(|_| {
            let mut scratch = Scratch::new(stores);
            while let Some((batch, leaves)) = self.tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
                stop_point();
                let batch = &self.batches[*batch];
                let len = 3 * batch.kernel.points();
                // SAFETY: a leaf has its points for itself, and it is in one task.
                let output = |&start: &u32| unsafe { points.slice(3 * start as usize, len) };
                let mut outputs: Vec<&mut [T]> =
                    batch.leaves.starts[leaves.clone()].iter().map(output).collect();
                batch.run(simd, &mut scratch, controls.as_flattened(), leaves, &mut outputs);
            }
        });
    }
}

impl<T: Real> KernelBatch<T> {
    fn run(
        &self,
        simd: Simd,
        scratch: &mut Scratch<T>,
        controls: &[f64],
        leaves: &Range<usize>,
        outputs: &mut [&mut [T]],
    ) {
        let LeafBatch { nets, ends, .. } = &self.leaves;
        match &self.kernel {
            LeafKernel::Regular(patch) => {
                let ids = &nets.as_chunks().0[leaves.clone()];
                let nets = Nets { ids, ends: &ends[leaves.clone()] };
                let output = PatchOutput { orders: [0; 2], quads: outputs };
                patch.evaluate(simd, scratch, controls, nets, &mut [output]);
            }
            LeafKernel::Table(table) => {
                let count = table.controls();
                let nets = &nets[leaves.start * count..leaves.end * count];
                let output = TableOutput { cells: outputs, order: None, negate: false };
                table.evaluate(simd, scratch, controls, 3, nets, output);
            }
        }
    }
}

impl<T: Real> LeafKernel<T> {
    /// Points of a leaf.
    fn points(&self) -> usize {
        match self {
            Self::Regular(patch) => patch.quad_len() / 3,
            Self::Table(table) => table.samples(),
        }
    }
}

/// The table of points with these weights, `[point][control]`.
fn table<T: Real>(rows: &[&[f64]]) -> Result<TableKernel<T>> {
    let controls = rows[0].len();
    let weights: Vec<f64> =
        (0..controls).flat_map(|c| rows.iter().map(move |row| row[c])).collect();
    TableKernel::new(&weights, controls, true)
}

/// The points that no leaf has as its own, those in a row at one leaf together.
fn sides<T: Real>(refinement: &StaticRefinement) -> Result<Vec<KernelBatch<T>>> {
    let mut batches: Vec<KernelBatch<T>> = Vec::new();
    let mut known: HashMap<(SurfaceLeafKind, u8, Vec<[usize; 2]>), usize> = HashMap::new();
    let mut slot = refinement.slots.own() as u32;
    let positions = refinement.slots.rest.iter().flat_map(SlotRun::positions);
    let mut positions = positions.map(|position| refinement.leaf_position(position)).peekable();
    while let Some((leaf, at)) = positions.next() {
        let mut side = vec![at];
        while let Some((_, at)) = positions.next_if(|(next, _)| *next == leaf) {
            side.push(at);
        }
        let (count, steps) = (side.len() as u32, refinement.leaves[leaf].1);
        let kind = refinement.surface.leaves()[leaf].kind;
        let batch = match known.entry((kind, steps, side)) {
            std::collections::hash_map::Entry::Occupied(entry) => *entry.get(),
            std::collections::hash_map::Entry::Vacant(entry) => {
                let weights = |&at: &[usize; 2]| refinement.weights_within(leaf, at);
                let rows: Vec<Vec<f64>> = entry.key().2.iter().map(weights).collect();
                let rows: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
                let kernel = LeafKernel::Table(table(&rows)?);
                batches.push(KernelBatch { kernel, leaves: LeafBatch::default() });
                *entry.insert(batches.len() - 1)
            }
        };
        let batch = &mut batches[batch].leaves;
        batch.nets.extend_from_slice(refinement.surface.net(&refinement.surface.leaves()[leaf]));
        batch.starts.push(slot);
        slot += count;
    }
    Ok(batches)
}
