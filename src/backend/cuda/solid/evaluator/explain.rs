//! What an evaluation would launch.

use std::ops::Range;

use super::{Launch, ResidentPlan, ResidentSamples};
use crate::backend::cuda::driver::launch::Pass;
use crate::backend::cuda::solid::launch_kind::{EvaluationLaunch, LaunchKind};
use crate::backend::cuda::solid::layout::{PlanLayout, is_published};
use crate::backend::cuda::solid::published::layout::PublishedFamily;
use crate::backend::explain::{LaunchGrid, LaunchReport, Sizes, WorkTally, outputs};
use crate::basis::MissingLayers;
use crate::error::Result;
use crate::limit::{Leaf, LeafKind};
use crate::numbers::Real;
use crate::plan::{BatchKind, Kernel, Plan, wanted_orders};
use cudarc::driver::DeviceRepr;

/// Bytes of the head of a leaf of tensor kernels; of element and ends of all others.
const LEAF_HEAD_BYTES: usize = 16;
const ELEMENT_AND_ENDS: usize = 5;

/// Bytes of an eighth of a brick's head, and its ids.
const BRICK_HEAD: usize = 6;
const BRICK_IDS: usize = 16;

/// Bytes of the records of scattered samples in `kernels/solid/points.cu`.
const REGULAR_POINT: usize = 40;
const WEIGHTED_POINT: usize = 24;

impl<T: Real + DeviceRepr> ResidentPlan<'_, T> {
    /// The launches of a range of elements, with the work of each.
    pub(super) fn explain(
        &mut self,
        attributes: &[usize],
        elements: &Range<usize>,
    ) -> Result<Vec<LaunchReport>> {
        self.plan.check_range(elements)?;
        let widths: Vec<usize> = std::iter::once(3).chain(attributes.iter().copied()).collect();
        let is_shaped = self.inputs.iter().map(|input| input.width).eq(widths.iter().copied());
        self.shape_inputs(&widths)?;
        let explained = self.explain_inputs(elements);
        if !is_shaped {
            // no control points were put there
            self.inputs.clear();
        }
        explained
    }

    fn explain_inputs(&self, elements: &Range<usize>) -> Result<Vec<LaunchReport>> {
        let work = match &self.samples {
            ResidentSamples::Grid(grid) => {
                Some(grid.prepare(self.plan, elements.clone(), &self.main)?)
            }
            ResidentSamples::Scattered(_) => None,
        };
        let mut all = self.explain_refinement()?;
        // no launch is put on a stream: the results need no memory
        let passes = self.passes(elements, |_, _| 0);
        if let (ResidentSamples::Grid(grid), Some(work)) = (&self.samples, &work) {
            for &(input, pass, job) in &passes {
                if let Some(launch) = grid.clearing(work, pass, job)? {
                    all.push(self.explain_clearing(&launch, input, pass));
                }
            }
        }
        for &(input, pass, job) in &passes {
            for EvaluationLaunch { kind, launch } in self.launches(work.as_ref(), pass, job)? {
                let done = match &self.samples {
                    ResidentSamples::Grid(grid) => {
                        grid_work(self.plan, grid.layout(), elements, kind, pass)
                    }
                    ResidentSamples::Scattered(_) => scattered_work::<T>(self.plan, kind, pass),
                };
                all.push(self.explained(&launch, LaunchReport { input, ..done }));
            }
        }
        all.extend(self.explain_quantities(elements)?);
        Ok(all)
    }

    /// Adds what the launch itself says, and the floor.
    pub(super) fn explained(&self, launch: &Launch, work: LaunchReport) -> LaunchReport {
        let shape = launch.shape;
        let bytes = work.bytes_written + work.bytes_read;
        let bandwidth = self.functions.device().info.bandwidth;
        LaunchReport {
            kernel: launch.name.clone(),
            grid: Some(LaunchGrid {
                blocks: shape.blocks,
                threads: shape.threads,
                shared: shape.shared,
            }),
            floor: bandwidth.map(|bandwidth| bytes as f64 / bandwidth),
            ..work
        }
    }

    /// Refinement: stencils and coarse points in, the points of the level out.
    fn explain_refinement(&self) -> Result<Vec<LaunchReport>> {
        let levels = self.levels.iter().filter(|level| level.rows > 0);
        let both = levels.flat_map(|level| self.inputs.iter().enumerate().map(move |i| (level, i)));
        let launches = self.refine()?;
        let explained = launches.iter().zip(both).map(|(launch, (level, (input, values)))| {
            let point = values.width * size_of::<f64>();
            let work = LaunchReport {
                input,
                width: values.width,
                bytes_written: (level.rows * point) as u64,
                bytes_read: (level.bytes() + (level.fine - level.coarse) * point) as u64,
                ..LaunchReport::default()
            };
            self.explained(launch, work)
        });
        Ok(explained.collect())
    }

    /// Clearing: zeros for the results of an element a block.
    fn explain_clearing(&self, launch: &Launch, input: usize, pass: Pass) -> LaunchReport {
        let samples = launch.shape.blocks as usize * self.plan.samples_per_element();
        let numbers = samples * outputs(self.plan, input) * pass.width;
        let bytes_written = (numbers * size_of::<T>()) as u64;
        let work = LaunchReport {
            input,
            width: pass.width,
            samples,
            bytes_written,
            ..LaunchReport::default()
        };
        self.explained(launch, work)
    }
}

fn sizes<T>(pass: Pass, id: usize, head: usize) -> Sizes {
    let outputs = wanted_orders(pass.want).len();
    Sizes { number: size_of::<T>(), id, head, width: pass.width, outputs }
}

/// The work of a launch of a grid.
fn grid_work<T: Real + DeviceRepr>(
    plan: &Plan<'_>,
    layout: &PlanLayout<T>,
    elements: &Range<usize>,
    kind: LaunchKind,
    pass: Pass,
) -> LaunchReport {
    let takes = |index: usize, leaf: &Leaf| {
        let (kernel, batch) = (layout.kernels[index], &plan.batches()[index]);
        match kind {
            LaunchKind::Tensor { batch: own, bricks } => {
                let is_single = || layout.tensor[index].is_single(plan.solid(), leaf.element);
                index == own && bricks == (kernel == Kernel::Bricks && !is_single())
            }
            LaunchKind::Batches(own) => kernel == own,
            LaunchKind::Published(family, own) => {
                let ends = if let LeafKind::Regular(ends) = leaf.kind {
                    ends
                } else {
                    MissingLayers::NONE
                };
                let controls = layout.batches[index].controls;
                kernel == own && PublishedFamily::of(batch.kind, controls, ends) == family
            }
            LaunchKind::RegularPoints | LaunchKind::TabulatedPoints => false,
        }
    };
    let id = |offsets: &[u16]| if offsets.is_empty() { 4 } else { 2 };
    let sizes = match kind {
        LaunchKind::Tensor { bricks: true, .. } => {
            sizes::<T>(pass, 0, BRICK_HEAD + BRICK_IDS * id(&layout.brick_offsets))
        }
        LaunchKind::Tensor { bricks: false, .. } => {
            sizes::<T>(pass, id(&layout.offsets), LEAF_HEAD_BYTES)
        }
        _ => sizes::<T>(pass, 4, ELEMENT_AND_ENDS),
    };
    let mut tally = WorkTally::new(plan, sizes);
    for (index, batch) in plan.batches().iter().enumerate() {
        if tally.add_batch(batch, elements, |leaf| takes(index, leaf)) == 0 {
            continue;
        }
        if is_published(layout.kernels[index]) {
            // an eigenstructure: weights of each control point for every spline
            let controls = layout.batches[index].controls as usize;
            tally.add_weights(match batch.kind {
                BatchKind::Regular => 0,
                BatchKind::Layered(_) => 16 * controls,
                BatchKind::Irregular(_) => 64 * controls,
            });
        } else {
            tally.add_tables(batch);
        }
    }
    tally.finish()
}

/// The work of a launch of scattered samples.
fn scattered_work<T>(plan: &Plan<'_>, kind: LaunchKind, pass: Pass) -> LaunchReport {
    let regular = kind == LaunchKind::RegularPoints;
    let sizes = sizes::<T>(pass, 4, if regular { REGULAR_POINT } else { WEIGHTED_POINT });
    let mut tally = WorkTally::new(plan, sizes);
    for group in plan.points().chunk_by(|a, b| a.leaf == b.leaf) {
        let leaf = &plan.solid().leaves()[group[0].leaf as usize];
        if matches!(leaf.kind, LeafKind::Regular(_)) != regular {
            continue;
        }
        tally.add_leaf(leaf, group.len());
        if !regular {
            tally.add_weights(group.len() * plan.solid().net(leaf).len() * sizes.outputs);
        }
    }
    tally.finish()
}
