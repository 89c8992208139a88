//! The transpose of an evaluation: from gradients at the results to gradients at the control
//! points.
//!
//! # Theory
//! A plan computes results r = B p from control points p, one matrix B for each derivative. For a
//! function f of the results, df/dp = Bᵀ df/dr: what optimization and fitting need of an
//! evaluation. B is never stored.
//!
//! # Practice
//! Leaves of one kind share their weights W `[sample][control]`. Each leaf computes Wᵀ g for its
//! own net; each point of any level then gathers from the nets that hold it, and each level from
//! the finer one. All sums run in one order, so results repeat bit by bit with any number of
//! threads.

use std::collections::HashMap;
use std::ops::Range;

use rayon::prelude::*;

use super::{Plan, Samples, wanted_orders};
use crate::error::{Error, Result};
use crate::interrupt::stop_point;
use crate::limit::{Leaf, LeafKind, Orders, Solid, parameters_within};
use crate::memory;
use crate::numbers::sorted_unique;
use crate::scheme::Stencils;

// Rows of a work item
const TASK_ROWS: usize = 256;

/// The transpose of a plan, for gradients of any width; see the module's introduction.
#[derive(Debug)]
pub struct Adjoint {
    pub(crate) orders: usize,
    pub(crate) results: usize,
    pub(crate) vertices: usize,
    pub(crate) tables: Vec<NetWeights>,
    pub(crate) leaves: Vec<LeafWork>,
    // of each point of any level: places in the nets of the leaves, one after another
    pub(crate) sources: IndexRows,
    // of each coarse point of a level: finer points and weights
    pub(crate) levels: Vec<(IndexRows, Vec<f64>)>,
    pub(crate) level_starts: Vec<usize>,
}

/// Weights of a leaf's net at its samples.
#[derive(Debug)]
pub(crate) struct NetWeights {
    pub(crate) controls: usize,
    /// Results relative to the first of the leaf's.
    pub(crate) results: Vec<u32>,
    /// `[order][sample][control]`; NaN where a derivative does not exist.
    pub(crate) weights: Vec<f64>,
}

#[derive(Debug)]
pub(crate) struct LeafWork {
    pub(crate) table: u32,
    /// First result of its element; 0 for scattered samples.
    pub(crate) first: usize,
}

/// Rows of indices.
#[derive(Debug)]
pub(crate) struct IndexRows {
    /// Row r: `items[starts[r]..starts[r + 1]]`.
    pub(crate) starts: Vec<usize>,
    pub(crate) items: Vec<usize>,
}

impl Adjoint {
    /// Prepares the transpose of the evaluation of `plan`, for its control points and attributes.
    ///
    /// # Errors
    /// [`Error::Request`] if its weights need more than half of the machine's memory.
    pub fn new(plan: &Plan<'_>) -> Result<Self> {
        let solid = plan.solid();
        let orders = wanted_orders(plan.want());
        let (leaves, tables, used) = match plan.samples() {
            Samples::Tensor(parameters) => of_tensor(plan, parameters, &orders)?,
            Samples::Points(_) => of_points(plan, &orders)?,
        };
        let nets = used.iter().flat_map(|&leaf| solid.net(&solid.leaves()[leaf as usize]));
        // places of missing layers hold no point
        let sources = IndexRows::new(solid.point_count(), nets.map(|&point| point as usize));
        let levels = solid.stencils().iter().zip(solid.level_starts().windows(2));
        let levels = levels.map(|(stencils, starts)| transposed(stencils, starts[1] - starts[0]));
        Ok(Self {
            orders: orders.len(),
            results: plan.result_count(&(0..solid.elements().len())),
            vertices: solid.topology().vertex_count(),
            tables,
            leaves,
            sources,
            levels: levels.collect(),
            level_starts: solid.level_starts().to_vec(),
        })
    }

    /// Σ Bᵀ g over gradients g of the values, then of the derivatives in the order of
    /// [`wanted_orders`], each `[result][width]`; those left out at the end are 0. The result is
    /// `[vertex][width]`. It is NaN at the control points of a result whose derivative does not
    /// exist, unless its gradient is 0.
    ///
    /// # Errors
    /// [`Error::Request`] for more gradients than the plan has, or of other lengths.
    pub fn apply(&self, gradients: &[&[f64]], width: usize) -> Result<Vec<f64>> {
        let lengths: Vec<usize> = gradients.iter().map(|g| g.len()).collect();
        check_gradients(&lengths, self.results, self.orders, width)?;
        let controls = |leaf: &LeafWork| self.tables[leaf.table as usize].controls;
        let mut nets = vec![0.0; width * self.leaves.iter().map(controls).sum::<usize>()];
        let mut rest = nets.as_mut_slice();
        let mut work = Vec::with_capacity(self.leaves.len());
        for leaf in &self.leaves {
            let Some(own) = rest.split_off_mut(..width * controls(leaf)) else { break };
            work.push((leaf, own));
        }
        work.into_par_iter().for_each(|(leaf, own)| {
            stop_point();
            self.tables[leaf.table as usize].apply(leaf.first, gradients, width, own);
        });
        let mut points = vec![0.0; width * self.sources.len()];
        self.sources.gather(&nets, width, None, &mut points);
        for (level, (rows, weights)) in self.levels.iter().enumerate().rev() {
            let [start, end] = [self.level_starts[level], self.level_starts[level + 1]];
            let (coarse, fine) = points[width * start..].split_at_mut(width * (end - start));
            rows.gather(fine, width, Some(weights), coarse);
        }
        points.truncate(width * self.vertices);
        Ok(points)
    }
}

/// Refuses gradients of lengths that do not fit `results` in at most `orders` orders.
pub(crate) fn check_gradients(
    lengths: &[usize],
    results: usize,
    orders: usize,
    width: usize,
) -> Result<()> {
    if lengths.len() <= orders && lengths.iter().all(|&len| len == results * width) {
        return Ok(());
    }
    Err(Error::request(format!(
        "gradients of {lengths:?} numbers for {results} results of width {width}, each in at most \
         {orders} orders"
    ))
    .with_help("give gradients of the plan's results, for as many orders at most"))
}

impl NetWeights {
    fn new(solid: &Solid, leaf: &Leaf, samples: &[(u32, [f64; 3])], orders: &[Orders]) -> Self {
        let controls = solid.net(leaf).len();
        let mut weights = Vec::with_capacity(orders.len() * samples.len() * controls);
        for &orders in orders {
            for &(_, local) in samples {
                match solid.weights(leaf, local, orders) {
                    Some(row) => weights.extend(row),
                    None => weights.extend(std::iter::repeat_n(f64::NAN, controls)),
                }
            }
        }
        let results = samples.iter().map(|&(result, _)| result).collect();
        Self { controls, results, weights }
    }

    /// Adds Wᵀ g to `out`, `[control][width]`.
    fn apply(&self, first: usize, gradients: &[&[f64]], width: usize, out: &mut [f64]) {
        let tables = self.weights.chunks_exact((self.controls * self.results.len()).max(1));
        for (table, gradient) in tables.zip(gradients) {
            let rows = table.chunks_exact(self.controls);
            for (row, &result) in rows.zip(&self.results) {
                let gradient = &gradient[(first + result as usize) * width..][..width];
                if gradient.iter().all(|&g| g == 0.0) {
                    continue; // also where a derivative does not exist
                }
                match gradient {
                    [g] => out.iter_mut().zip(row).for_each(|(out, weight)| *out += weight * g),
                    // a width that is known makes gradients of positions faster
                    [u, v, w] => {
                        for ([x, y, z], weight) in out.as_chunks_mut::<3>().0.iter_mut().zip(row) {
                            *x += weight * u;
                            *y += weight * v;
                            *z += weight * w;
                        }
                    }
                    _ => {
                        for (out, weight) in out.chunks_exact_mut(width.max(1)).zip(row) {
                            out.iter_mut().zip(gradient).for_each(|(out, g)| *out += weight * g);
                        }
                    }
                }
            }
        }
    }
}

type AdjointParts = (Vec<LeafWork>, Vec<NetWeights>, Vec<u32>);

/// Refuses weights that would fill the memory, before they are made.
fn check_memory(weights: impl Iterator<Item = usize>, orders: &[Orders]) -> Result<()> {
    let need = weights.map(|weights| 8 * (weights * orders.len()) as u128).sum();
    memory::check_half("the weights of the transpose need", need, |_| {
        "plan fewer samples at a time, or fewer derivatives".into()
    })
}

/// The samples of its element that lie in a leaf, as indices of the parameters along each axis.
fn samples_within(leaf: &Leaf, parameters: &[f64]) -> [Range<usize>; 3] {
    leaf.origin.map(|origin| parameters_within(parameters, leaf.depth, origin))
}

fn of_tensor(plan: &Plan<'_>, parameters: &[f64], orders: &[Orders]) -> Result<AdjointParts> {
    let solid = plan.solid();
    let used: Vec<u32> =
        sorted_unique(plan.batches().iter().flat_map(|b| b.leaves.clone()).collect());
    let mut tables: HashMap<(LeafKind, u8, [u16; 3]), u32> = HashMap::new();
    let mut firsts: Vec<u32> = Vec::new();
    let leaves = used.iter().map(|&index| {
        let leaf = &solid.leaves()[index as usize];
        let table = *tables.entry((leaf.kind, leaf.depth, leaf.origin)).or_insert_with(|| {
            firsts.push(index);
            firsts.len() as u32 - 1
        });
        LeafWork { table, first: leaf.element as usize * plan.samples_per_element() }
    });
    let leaves = leaves.collect();
    let weights = firsts.iter().map(|&index| {
        let leaf = &solid.leaves()[index as usize];
        let within = samples_within(leaf, parameters);
        within.iter().map(Range::len).product::<usize>() * solid.net(leaf).len()
    });
    check_memory(weights, orders)?;
    let n = parameters.len();
    let tables = firsts.par_iter().map(|&index| {
        let leaf = &solid.leaves()[index as usize];
        let [us, vs, ws] = samples_within(leaf, parameters);
        let mut samples = Vec::with_capacity(us.len() * vs.len() * ws.len());
        for w in ws {
            for v in vs.clone() {
                samples.extend(us.clone().map(|u| {
                    let local = leaf.local([u, v, w].map(|i| parameters[i]));
                    (((w * n + v) * n + u) as u32, local)
                }));
            }
        }
        NetWeights::new(solid, leaf, &samples, orders)
    });
    Ok((leaves, tables.collect(), used))
}

fn of_points(plan: &Plan<'_>, orders: &[Orders]) -> Result<AdjointParts> {
    let solid = plan.solid();
    let groups: Vec<_> = plan.points().chunk_by(|a, b| a.leaf == b.leaf).collect();
    let used: Vec<u32> = groups.iter().map(|group| group[0].leaf).collect();
    let net = |leaf: u32| solid.net(&solid.leaves()[leaf as usize]).len();
    check_memory(groups.iter().map(|group| group.len() * net(group[0].leaf)), orders)?;
    let tables = groups.par_iter().map(|group| {
        let samples: Vec<_> = group.iter().map(|point| (point.row, point.local)).collect();
        NetWeights::new(solid, &solid.leaves()[group[0].leaf as usize], &samples, orders)
    });
    let leaves = (0..groups.len() as u32).map(|table| LeafWork { table, first: 0 }).collect();
    Ok((leaves, tables.collect(), used))
}

impl IndexRows {
    /// For each of `count` rows, the places in `owners` that name it, ascending. Owners past the
    /// last row have none.
    fn new(count: usize, owners: impl Iterator<Item = usize> + Clone) -> Self {
        let mut starts = vec![0; count + 1];
        owners.clone().filter(|&row| row < count).for_each(|row| starts[row + 1] += 1);
        (0..count).for_each(|row| starts[row + 1] += starts[row]);
        let mut items = vec![0; starts[count]];
        let mut next = starts.clone();
        for (place, row) in owners.enumerate().filter(|&(_, row)| row < count) {
            items[next[row]] = place;
            next[row] += 1;
        }
        Self { starts, items }
    }

    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Adds to each row the values of its items, by `weights` `[item]` or by 1.
    pub(crate) fn gather(
        &self,
        values: &[f64],
        width: usize,
        weights: Option<&[f64]>,
        out: &mut [f64],
    ) {
        match width {
            0 => (),
            1 => self.gather_rows::<1>(values, width, weights, out),
            3 => self.gather_rows::<3>(values, width, weights, out),
            _ => self.gather_rows::<0>(values, width, weights, out),
        }
    }

    // `WIDTH`: that of the values where the compiler is to know it, or 0
    fn gather_rows<const WIDTH: usize>(
        &self,
        values: &[f64],
        width: usize,
        weights: Option<&[f64]>,
        out: &mut [f64],
    ) {
        let width = if WIDTH == 0 { width } else { WIDTH };
        out.par_chunks_mut(width * TASK_ROWS).enumerate().for_each(|(block, chunk)| {
            stop_point();
            for (row, out) in (block * TASK_ROWS..).zip(chunk.chunks_exact_mut(width)) {
                for at in self.starts[row]..self.starts[row + 1] {
                    let value = &values[self.items[at] * width..][..width];
                    let weight = weights.map_or(1.0, |weights| weights[at]);
                    out.iter_mut().zip(value).for_each(|(out, x)| *out += weight * x);
                }
            }
        });
    }
}

/// The columns of stencils over `count` coarse points.
pub(crate) fn transposed(stencils: &Stencils, count: usize) -> (IndexRows, Vec<f64>) {
    let (ends, columns, weights) = stencils.arrays();
    let entries = IndexRows::new(count, columns.iter().map(|&column| column as usize));
    let own = entries.items.iter().map(|&entry| weights[entry]).collect();
    let row = |&entry: &usize| ends.partition_point(|&end| end <= entry);
    let items = entries.items.iter().map(row).collect();
    (IndexRows { starts: entries.starts, items }, own)
}
