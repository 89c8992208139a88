//! Scattered samples on the device. Points of regular leaves evaluate their splines there;
//! the weights of all others depend on the plan alone and are tabulated once.

use std::sync::Arc;

use cudarc::driver::CudaStream;
use rayon::prelude::*;

use super::launch_kind::{EvaluationLaunch, LaunchKind};
use crate::backend::cuda::driver::buffer::Buffer;
use crate::backend::cuda::driver::device::failed;
use crate::backend::cuda::driver::functions::{Functions, LaunchShape};
use crate::backend::cuda::driver::launch::{Argument, LaunchJob, Pass};
use crate::backend::cuda::driver::sources::POINTS;
use crate::backend::cuda::single_points::{RegularPoint, WeightedPoint};
use crate::error::Result;
use crate::limit::{LeafKind, Orders, Solid};
use crate::memory;
use crate::numbers::Real;
use crate::plan::{Plan, PointLocation};
use cudarc::driver::DeviceRepr;

/// Weights of points, `[point][output][control]`, `length` in all; NaN where a derivative does not
/// exist.
fn weights_of<T: Real>(
    solid: &Solid,
    points: &[&PointLocation],
    orders: &[Orders],
    length: usize,
) -> Result<Vec<T>> {
    let bytes = (length * size_of::<T>()) as u128;
    memory::check_half("the weights of the points need", bytes, |_| {
        "evaluate fewer points at a time, or on the CPU".into()
    })?;
    let mut all = vec![T::from_f64(f64::NAN); length];
    let mut rest = all.as_mut_slice();
    let mut work = Vec::with_capacity(points.len());
    for point in points {
        let leaf = &solid.leaves()[point.leaf as usize];
        let (own, others) = rest.split_at_mut(orders.len() * solid.net(leaf).len());
        work.push((leaf, point.local, own));
        rest = others;
    }
    work.into_par_iter().for_each(|(leaf, local, own)| {
        let controls = solid.net(leaf).len();
        for (&orders, own) in orders.iter().zip(own.chunks_exact_mut(controls)) {
            if let Some(weights) = solid.weights(leaf, local, orders) {
                own.iter_mut().zip(weights).for_each(|(to, w)| *to = T::from_f64(w));
            }
        }
    });
    Ok(all)
}

/// The points of a plan on the device.
pub(super) struct ScatteredPoints<T> {
    functions: Arc<Functions>,
    regular_nets: Buffer<u32>,
    regular: Buffer<RegularPoint<3>>,
    nets: Buffer<u32>,
    weighted: Buffer<WeightedPoint>,
    // [point][output][control]
    weights: Buffer<T>,
}

impl<T: Real + DeviceRepr> ScatteredPoints<T> {
    /// Brings points of a plan to the device, for derivatives of these orders.
    pub fn new(
        functions: Arc<Functions>,
        plan: &Plan<'_>,
        points: &[PointLocation],
        orders: &[Orders],
        stream: &Arc<CudaStream>,
    ) -> Result<Self> {
        let solid = plan.solid();
        let (mut regular_nets, mut regular) = (Vec::new(), Vec::new());
        let (mut nets, mut weighted) = (Vec::new(), Vec::new());
        let mut others: Vec<&PointLocation> = Vec::new();
        let mut length = 0;
        for group in points.chunk_by(|a, b| a.leaf == b.leaf) {
            let leaf = &solid.leaves()[group[0].leaf as usize];
            let net = solid.net(leaf);
            if let LeafKind::Regular(ends) = leaf.kind {
                let number = (regular_nets.len() / 64) as u32;
                regular_nets.extend_from_slice(net);
                regular.extend(group.iter().map(|point| RegularPoint {
                    local: point.local,
                    net: number,
                    row: point.row,
                    ends: u32::from(ends.bits()),
                    depth: u32::from(leaf.depth),
                }));
                continue;
            }
            let start = nets.len() as u64;
            nets.extend_from_slice(net);
            for point in group {
                let controls = net.len() as u32;
                weighted.push(WeightedPoint {
                    weights: length,
                    net: start,
                    controls,
                    row: point.row,
                });
                length += (orders.len() * net.len()) as u64;
                others.push(point);
            }
        }
        let weights = weights_of(solid, &others, orders, length as usize)?;
        let scattered = Self {
            functions,
            regular_nets: Buffer::of(stream, &regular_nets)?,
            regular: Buffer::of(stream, &regular)?,
            nets: Buffer::of(stream, &nets)?,
            weighted: Buffer::of(stream, &weighted)?,
            weights: Buffer::of(stream, &weights)?,
        };
        stream.synchronize().map_err(failed("a copy to the device failed"))?;
        Ok(scattered)
    }

    /// The launches of one pass.
    pub fn launches(&self, pass: Pass, job: LaunchJob) -> Result<Vec<EvaluationLaunch>> {
        const THREADS: u32 = 128;
        let variant = pass.variant::<T>(&POINTS);
        let mut launches = Vec::new();
        let count = self.regular.len() as u32;
        if count > 0 {
            let arguments = vec![
                Argument::Job(Box::new(job)),
                Argument::Address(self.regular_nets.address(0)),
                Argument::Address(self.regular.address(0)),
                Argument::Number(count),
            ];
            launches.push(EvaluationLaunch::new(
                LaunchKind::RegularPoints,
                self.functions.get(&variant, "regular_points")?,
                LaunchShape { blocks: count.div_ceil(THREADS), threads: THREADS, shared: 0 },
                arguments,
            ));
        }
        let count = self.weighted.len() as u32;
        if count > 0 {
            let arguments = vec![
                Argument::Job(Box::new(job)),
                Argument::Address(self.nets.address(0)),
                Argument::Address(self.weighted.address(0)),
                Argument::Address(self.weights.address(0)),
                Argument::Number(count),
            ];
            launches.push(EvaluationLaunch::new(
                LaunchKind::TabulatedPoints,
                self.functions.get(&variant, "weighted_points")?,
                LaunchShape { blocks: count.div_ceil(THREADS / 32), threads: THREADS, shared: 0 },
                arguments,
            ));
        }
        Ok(launches)
    }
}
