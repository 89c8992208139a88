//! Sample patterns along the local axes of leaves, shared by many of them.

use std::collections::HashMap;

use crate::limit::AxisPermutation;

/// Index of an axis pattern in [`Patterns::axes`].
pub type AxisId = u32;

/// Samples along one local axis of a leaf.
#[derive(Clone, Debug, PartialEq)]
pub struct AxisSamples {
    /// Local parameters, ascending in [0, 1].
    pub parameters: Vec<f64>,
    /// How fast the local parameter moves with the element's: 2^depth, the factor of
    /// a first derivative; 1 where no derivative is wanted. The sign is the permutation's.
    pub factor: f64,
}

/// Where the samples of a leaf go in its element's results.
#[derive(Clone, Debug, PartialEq)]
pub struct SampleOrder {
    /// Result of each local sample (local axis 0 fastest).
    pub indices: Vec<u32>,
    /// Whether sample i goes to result i, for all samples of the element.
    pub is_identity: bool,
}

/// All patterns and orders of a plan.
#[derive(Debug, Default)]
pub struct Patterns {
    /// Axis patterns.
    pub axes: Vec<AxisSamples>,
    /// Sample orders.
    pub orders: Vec<SampleOrder>,
    axis_ids: HashMap<(Vec<i64>, i64), AxisId>,
    order_ids: HashMap<(AxisPermutation, [SampleSpan; 3]), u32>,
}

/// Parameters closer than this share a pattern.
const PATTERN_TOLERANCE: f64 = 1.0 / (1_u64 << 44) as f64;

/// Samples of an element that fall into a leaf along one axis: first and count.
pub(super) type SampleSpan = (u32, u32);

impl Patterns {
    /// The axis pattern of `span` of the element's `parameters` in a leaf at
    /// `origin` of `depth`, seen backwards if `flip`.
    pub(super) fn axis(
        &mut self,
        parameters: &[f64],
        span: SampleSpan,
        depth: u8,
        origin: u16,
        flip: bool,
        derivatives: bool,
    ) -> AxisId {
        let scale = f64::from(1_u32 << depth);
        let forward = |first: usize, origin: f64| -> Vec<f64> {
            let own = parameters[first..first + span.1 as usize].iter();
            own.map(|u| (u * scale - origin).clamp(0.0, 1.0)).collect()
        };
        // mirrored grids differ in the last bit only: let them share their tables
        let rounded = |locals: &[f64]| -> Vec<i64> {
            locals.iter().map(|x| (x / PATTERN_TOLERANCE).round() as i64).collect()
        };
        let origin = f64::from(origin);
        let mut locals = forward(span.0 as usize, origin);
        if flip {
            locals.reverse();
            locals.iter_mut().for_each(|x| *x = 1.0 - *x);
            // those that share have the same bits, whichever comes first
            let first = parameters.len() - (span.0 + span.1) as usize;
            let mirrored = forward(first, scale - 1.0 - origin);
            if rounded(&mirrored) == rounded(&locals) {
                locals = mirrored;
            }
        }
        snap(&mut locals, parameters.len());
        let factor = if derivatives { scale } else { 1.0 };
        let rounded = rounded(&locals);
        let axes = &mut self.axes;
        *self.axis_ids.entry((rounded, factor as i64)).or_insert_with(|| {
            axes.push(AxisSamples { parameters: locals, factor });
            axes.len() as AxisId - 1
        })
    }

    /// The order of the samples in `spans` of an element of `n` samples per axis,
    /// for local axes permuted by `permutation`.
    pub(super) fn order(
        &mut self,
        n: usize,
        permutation: AxisPermutation,
        spans: [SampleSpan; 3],
    ) -> u32 {
        let orders = &mut self.orders;
        *self.order_ids.entry((permutation, spans)).or_insert_with(|| {
            orders.push(order(n as u32, permutation, spans));
            orders.len() as u32 - 1
        })
    }
}

/// Gives parameters of a grid of `n` samples, which in all its leaves are multiples of 1/(n − 1)
/// but for rounding, the nearest numbers to these.
fn snap(locals: &mut [f64], n: usize) {
    let steps = n.saturating_sub(1) as f64;
    let is_multiple = |x: &f64| (x * steps - (x * steps).round()).abs() < steps * PATTERN_TOLERANCE;
    if locals.iter().all(is_multiple) && n > 1 {
        locals.iter_mut().for_each(|x| *x = (*x * steps).round() / steps);
    }
}

fn order(n: u32, permutation: AxisPermutation, spans: [SampleSpan; 3]) -> SampleOrder {
    let stride = [1, n, n * n];
    // result index contributed by local position i along local axis d
    let part = |d: usize, i: u32| {
        let axis = permutation.axes[d] as usize;
        let (first, count) = spans[axis];
        let i = if permutation.flips[d] { count - 1 - i } else { i };
        (first + i) * stride[axis]
    };
    let count = |d: usize| spans[permutation.axes[d] as usize].1;
    let mut indices = Vec::with_capacity((count(0) * count(1) * count(2)) as usize);
    for c in 0..count(2) {
        for b in 0..count(1) {
            for a in 0..count(0) {
                indices.push(part(0, a) + part(1, b) + part(2, c));
            }
        }
    }
    let is_identity = indices.len() == (n * n * n) as usize
        && indices.iter().enumerate().all(|(i, &r)| i as u32 == r);
    SampleOrder { indices, is_identity }
}
