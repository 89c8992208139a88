//! Weight tables: the weights of a structure's control points at all samples of a
//! pattern are the same for every leaf that shares both.

use std::collections::HashMap;

use rayon::prelude::*;

use super::batch::{Batch, BatchKind, TableId};
use super::pattern::{AxisId, Patterns};
use super::{Want, evaluated_orders};
use crate::basis::bspline::Order;
use crate::error::Result;
use crate::limit::{Orders, Solid, Structure};
use crate::memory;

/// Weights of a structure's control points at samples; NaN where a derivative
/// does not exist.
#[derive(Clone, Debug)]
pub struct Table {
    /// Number of control points.
    pub controls: usize,
    /// Number of samples.
    pub samples: usize,
    /// `weights[control * samples + sample]`, local axis 0 fastest. Derivatives are
    /// with respect to the element's parameters, but for the sign of the permutation.
    pub weights: Vec<f64>,
}

type WeightTableKey = (BatchKind, [AxisId; 3], Orders);

/// Builds all tables of the batches in parallel and tells each batch its own.
///
/// # Errors
/// [`Error::Request`](crate::Error::Request) if they need more than half of the machine's memory.
pub(super) fn build(
    solid: &Solid,
    patterns: &Patterns,
    batches: &mut [Batch],
    want: Want,
) -> Result<Vec<Table>> {
    let mut ids: HashMap<WeightTableKey, TableId> = HashMap::new();
    let mut keys: Vec<WeightTableKey> = Vec::new();
    for batch in batches.iter_mut() {
        if batch.kind == BatchKind::Regular {
            continue;
        }
        for orders in evaluated_orders(want) {
            let mut orders = batch.permutation.axes.map(|a| orders[a as usize]);
            let mut axes = batch.axes;
            if let BatchKind::Layered(_) = batch.kind {
                // the spline along axis 2 is not part of a planar table
                orders[2] = Order::Value;
                axes[2] = axes[0];
            }
            let key = (batch.kind, axes, orders);
            let id = *ids.entry(key).or_insert_with(|| {
                keys.push(key);
                keys.len() as TableId - 1
            });
            batch.tables.push(id);
        }
    }
    check_memory(solid, patterns, &keys)?;
    Ok(keys.par_iter().map(|key| table(solid, patterns, key)).collect())
}

fn check_memory(solid: &Solid, patterns: &Patterns, keys: &[WeightTableKey]) -> Result<()> {
    let bytes = |key: &WeightTableKey| {
        let (structure, dimension) = structure(solid, key.0);
        let length = |d: usize| patterns.axes[key.1[d] as usize].parameters.len() as u128;
        8 * structure.controls() as u128 * (0..dimension).map(length).product::<u128>()
    };
    let need: u128 = keys.iter().map(bytes).sum();
    memory::check_half("the weights of the samples need", need, |limit| {
        let part = (limit as f64 / need as f64).cbrt();
        format!(
            "ask for about {part:.2} times as many samples along each axis, or for fewer derivatives"
        )
        .into()
    })
}

/// The structure of a batch, and the dimension of its tables.
fn structure(solid: &Solid, kind: BatchKind) -> (&Structure, usize) {
    match kind {
        BatchKind::Irregular(s) => (&solid.spatial_structures()[s as usize], 3),
        BatchKind::Layered(s) => (&solid.planar_structures()[s as usize], 2),
        BatchKind::Regular => unreachable!("regular batches have no tables"),
    }
}

fn table(solid: &Solid, patterns: &Patterns, &(kind, axes, orders): &WeightTableKey) -> Table {
    let axis = |d: usize| &patterns.axes[axes[d] as usize];
    let (structure, dimension) = structure(solid, kind);
    let depth = if dimension == 3 { axis(2).parameters.len() } else { 1 };
    let factor: f64 =
        (0..dimension).map(|d| axis(d).factor.powi(orders[d].degree() as i32)).product();
    let [na, nb] = [0, 1].map(|d| axis(d).parameters.len());
    let samples = na * nb * depth;
    let controls = structure.controls();
    let point = |sample: usize| {
        let c = if dimension == 2 { 0.0 } else { axis(2).parameters[sample / (na * nb)] };
        [axis(0).parameters[sample % na], axis(1).parameters[sample / na % nb], c]
    };
    let points: Vec<_> = (0..samples).map(point).collect();
    let block = structure.weights_at(&points, orders);
    let mut weights = Vec::with_capacity(controls * samples);
    for control in 0..controls {
        weights.extend(block.col_as_slice(control).iter().map(|weight| factor * weight));
    }
    Table { controls, samples, weights }
}
