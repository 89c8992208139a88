//! Scattered samples, sorted by leaf: points of a regular leaf share its gathered
//! net; other leaves take their weights from the structures directly.

use rayon::prelude::*;

use crate::basis::bspline::Order;
use crate::disjoint::DisjointArray;
use crate::interrupt::stop_point;
use crate::limit::{LeafKind, Orders};
use crate::numbers::Real;
use crate::plan::{Plan, PointLocation, evaluated_orders, wanted_orders};
use crate::simd::{PointKernel, Scratch, Simd, Stores};

/// Points of one task.
const TASK_POINTS: usize = 4096;

pub(super) fn run<T: Real>(
    plan: &Plan<'_>,
    simd: Simd,
    points: &[f64],
    width: usize,
    outputs: &mut [&mut [T]],
) {
    let kernel = PointKernel {
        m: width,
        derivatives: match outputs.len() {
            1 => 0,
            4 => 1,
            _ => 2,
        },
    };
    // second derivatives alone: the kernel's first ones are passed over
    let skip = if outputs.len() == 7 { 3 } else { 0 };
    let outputs = outputs.iter_mut().map(|o| DisjointArray::new(o)).collect();
    let orders = evaluated_orders(plan.want());
    let rows = WeightedRows { plan, points, width, orders, outputs };
    let job = ScatteredEvaluation { rows, simd, kernel, skip };
    plan.points().par_chunks(TASK_POINTS).for_each_init(
        || (Scratch::new(Stores::Cached), Vec::new(), Vec::new()),
        |(scratch, parameters, results), chunk| {
            for group in chunk.chunk_by(|a, b| a.leaf == b.leaf) {
                stop_point();
                job.run(group, scratch, parameters, results);
            }
        },
    );
}

/// Evaluates the wanted derivatives at [`Plan::replaced`] samples, by their weights.
pub(super) fn replace<T: Real>(
    plan: &Plan<'_>,
    replaced: &[PointLocation],
    points: &[f64],
    width: usize,
    derivatives: &mut [&mut [T]],
) {
    let outputs = derivatives.iter_mut().map(|o| DisjointArray::new(o)).collect();
    let orders = wanted_orders(plan.want()).split_off(1);
    let rows = WeightedRows { plan, points, width, orders, outputs };
    replaced.par_iter().for_each(|point| rows.evaluate(point));
}

struct ScatteredEvaluation<'a, T> {
    rows: WeightedRows<'a, T>,
    simd: Simd,
    kernel: PointKernel,
    skip: usize,
}

struct WeightedRows<'a, T> {
    plan: &'a Plan<'a>,
    points: &'a [f64],
    width: usize,
    orders: Vec<Orders>,
    outputs: Vec<DisjointArray<'a, T>>,
}

impl<T: Real> ScatteredEvaluation<'_, T> {
    /// Evaluates points of one leaf.
    fn run(
        &self,
        group: &[PointLocation],
        scratch: &mut Scratch<T>,
        parameters: &mut Vec<[f64; 3]>,
        results: &mut Vec<T>,
    ) {
        let WeightedRows { plan, points, width, orders, outputs } = &self.rows;
        let (solid, width) = (plan.solid(), *width);
        let leaf = &solid.leaves()[group[0].leaf as usize];
        let net = solid.net(leaf);
        let (LeafKind::Regular(ends), Ok(grid)) = (leaf.kind, <&[u32; 64]>::try_from(net)) else {
            group.iter().for_each(|point| self.rows.evaluate(point));
            return;
        };
        let quantities = self.kernel.quantities();
        parameters.clear();
        parameters.extend(group.iter().map(|point| point.local));
        results.resize(group.len() * quantities * width, T::default());
        self.kernel.evaluate(self.simd, scratch, points, grid, ends, parameters, results);
        let stride = quantities * width;
        for (index, (output, orders)) in outputs.iter().zip(orders).enumerate() {
            let quantity = if index == 0 { 0 } else { index + self.skip };
            let order: usize = orders.iter().map(|o| o.degree()).sum();
            let factor = T::from_f64(f64::from(1_u32 << leaf.depth).powi(order as i32));
            let results = results[quantity * width..].chunks(stride);
            for (point, result) in group.iter().zip(results) {
                // SAFETY: every point has its own row.
                let row = unsafe { output.slice(point.row as usize * width, width) };
                for (value, result) in row.iter_mut().zip(result) {
                    *value = *result * factor;
                }
            }
        }
    }
}

impl<T: Real> WeightedRows<'_, T> {
    /// Evaluates one point.
    fn evaluate(&self, point: &PointLocation) {
        let solid = self.plan.solid();
        let leaf = &solid.leaves()[point.leaf as usize];
        let net = solid.net(leaf);
        let origin = &self.points[net[0] as usize * self.width..][..self.width];
        for (output, &orders) in self.outputs.iter().zip(&self.orders) {
            let is_value = orders == [Order::Value; 3];
            // SAFETY: every point has its own row.
            let row = unsafe { output.slice(point.row as usize * self.width, self.width) };
            let Some(weights) = solid.weights(leaf, point.local, orders) else {
                row.fill(T::from_f64(f64::NAN));
                continue;
            };
            for (c, value) in row.iter_mut().enumerate() {
                // rounded first, so that the rounding is part of the differences
                let base = T::from_f64(origin[c]);
                let mut sum = T::default();
                for (&v, &weight) in net.iter().zip(&weights) {
                    let local = self.points[v as usize * self.width + c] - base.to_f64();
                    sum = sum + T::from_f64(weight) * T::from_f64(local);
                }
                *value = if is_value { sum + base } else { sum };
            }
        }
    }
}
