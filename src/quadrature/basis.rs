//! Basis functions of a leaf's control points at its quadrature points.

use rayon::prelude::*;

use super::leaf_points::LeafPoints;
use crate::backend::operations::BasisValues;
use crate::basis::MissingLayers;
use crate::basis::bspline::{self, SECOND_AXES};
use crate::interrupt::stop_point;
use crate::limit::{AxisPermutation, LeafKind, Orders, Solid};
use crate::plan::{Want, wanted_orders};

/// Positions in a leaf's net that hold control points; the others are places of
/// missing layers.
pub(super) fn slots(solid: &Solid, kind: LeafKind) -> Vec<usize> {
    let missing = |ends: MissingLayers, side: usize, place: usize| {
        place == 3 * side && ends.is_missing(0, side)
    };
    match kind {
        LeafKind::Regular(ends) => (0..64)
            .filter(|slot| {
                let place = |d: usize| slot >> (2 * d) & 3;
                (0..3).all(|d| (0..2).all(|side| !missing(ends.axis(d), side, place(d))))
            })
            .collect(),
        LeafKind::Layered(s, _, ends) => {
            let lines = solid.planar_structures()[s as usize].controls();
            let layers = (0..4).filter(|&layer| (0..2).all(|side| !missing(ends, side, layer)));
            layers.flat_map(|layer| layer * lines..(layer + 1) * lines).collect()
        }
        LeafKind::Irregular(s, _) => {
            (0..solid.spatial_structures()[s as usize].controls()).collect()
        }
    }
}

impl BasisValues {
    /// The basis of the control points at the [`slots`] of a leaf of this kind, by the leaf's local
    /// parameters.
    pub(super) fn new(solid: &Solid, kind: LeafKind, points: &LeafPoints, want: Want) -> Self {
        let slots = slots(solid, kind);
        let (controls, samples) = (slots.len(), points.len());
        let size = |rows: usize| rows * samples * controls;
        let mut basis = Self {
            controls,
            samples,
            values: vec![0.0; size(1)],
            gradients: vec![0.0; size(3)],
            second: vec![0.0; if want.contains(Want::SECOND) { size(6) } else { 0 }],
        };
        let orders = wanted_orders(want);
        let tables: Vec<Vec<f64>> = orders
            .par_iter()
            .inspect(|_| stop_point())
            .map(|&orders| table(solid, kind, &slots, &points.parameters, orders))
            .collect();
        for (i, table) in tables.iter().enumerate() {
            let (to, width, row) = match i {
                0 => (&mut basis.values, 1, 0),
                1..4 => (&mut basis.gradients, 3, i - 1),
                _ => (&mut basis.second, 6, i - 4),
            };
            let rows = to.chunks_exact_mut(width * controls);
            for (to, from) in rows.zip(table.chunks_exact(controls)) {
                to[row * controls..(row + 1) * controls].copy_from_slice(from);
            }
        }
        basis
    }

    /// The basis by the parameters of an element, of a leaf whose local axes lie in it as
    /// `permutation` says and that is split off it `depth` times.
    pub(super) fn within(&self, permutation: AxisPermutation, depth: u8) -> Self {
        let speed = f64::from(depth).exp2();
        // row of the element's derivative -> local row and sign
        let local = |axis: usize| {
            permutation.axes.iter().position(|&a| usize::from(a) == axis).unwrap_or(0)
        };
        let sign = |d: usize| if permutation.flips[d] { -speed } else { speed };
        let first = [0, 1, 2].map(|axis| (local(axis), sign(local(axis))));
        let second = SECOND_AXES.map(|[a, b]| {
            let [d, e] = [local(a), local(b)];
            let row = SECOND_AXES.iter().position(|&axes| axes == [d.min(e), d.max(e)]);
            (row.unwrap_or(0), sign(d) * sign(e))
        });
        let rearranged = |from: &[f64], rows: &[(usize, f64)]| {
            let mut to = Vec::with_capacity(from.len());
            for sample in from.chunks_exact(rows.len() * self.controls) {
                for &(row, sign) in rows {
                    let row = &sample[row * self.controls..][..self.controls];
                    to.extend(row.iter().map(|x| sign * x));
                }
            }
            to
        };
        Self {
            gradients: rearranged(&self.gradients, &first),
            second: rearranged(&self.second, &second),
            values: self.values.clone(),
            ..*self
        }
    }

    /// The basis of other control points, of which `columns` make these: entries
    /// (control point of this basis, weight) of every new one.
    pub(super) fn pulled(&self, columns: &[Vec<(u32, f64)>]) -> Self {
        // sums that run side by side: one alone waits for each of its additions
        const ABREAST: usize = 8;
        let (old, new) = (self.controls, columns.len());
        let pull = |from: &[f64]| {
            let mut to = vec![0.0; from.len() / old * new];
            let rows = to.par_chunks_mut(ABREAST * new).zip(from.par_chunks(ABREAST * old));
            rows.for_each(|(to, from)| {
                // [control point][row]
                let mut turned = vec![[0.0; ABREAST]; old];
                for (k, row) in from.chunks_exact(old).enumerate() {
                    turned.iter_mut().zip(row).for_each(|(turned, x)| turned[k] = *x);
                }
                for (j, column) in columns.iter().enumerate() {
                    let mut sums = [-0.0; ABREAST];
                    for &(at, weight) in column {
                        let own = &turned[at as usize];
                        (0..ABREAST).for_each(|k| sums[k] += weight * own[k]);
                    }
                    to.chunks_exact_mut(new).zip(sums).for_each(|(row, sum)| row[j] = sum);
                }
            });
            to
        };
        Self {
            controls: columns.len(),
            samples: self.samples,
            values: pull(&self.values),
            gradients: pull(&self.gradients),
            second: pull(&self.second),
        }
    }

    /// Bytes of the numbers.
    pub fn bytes(&self) -> usize {
        8 * (self.values.len() + self.gradients.len() + self.second.len())
    }
}

/// Weights of one derivative with respect to the leaf's local parameters,
/// `[sample][slot]`.
fn table(
    solid: &Solid,
    kind: LeafKind,
    slots: &[usize],
    parameters: &[[f64; 3]],
    orders: Orders,
) -> Vec<f64> {
    match kind {
        LeafKind::Regular(ends) => parameters
            .iter()
            .flat_map(|p| {
                let axes: [[f64; 4]; 3] = [0, 1, 2].map(|d| folded(orders[d], p[d], ends.axis(d)));
                let weight = move |slot: usize| {
                    axes[0][slot & 3] * axes[1][slot >> 2 & 3] * axes[2][slot >> 4]
                };
                slots.iter().map(move |&slot| weight(slot))
            })
            .collect(),
        LeafKind::Layered(s, _, ends) => {
            let structure = &solid.planar_structures()[s as usize];
            let lines = structure.controls();
            let across = structure.weights_at(parameters, orders);
            let rows = parameters.iter().enumerate().flat_map(|(i, p)| {
                let (along, across) = (folded(orders[2], p[2], ends), &across);
                slots.iter().map(move |&slot| along[slot / lines] * across[(i, slot % lines)])
            });
            rows.collect()
        }
        LeafKind::Irregular(s, _) => {
            let weights = solid.spatial_structures()[s as usize].weights_at(parameters, orders);
            let row = |i: usize| (0..weights.ncols()).map(move |j| (i, j));
            (0..parameters.len()).flat_map(row).map(|at| weights[at]).collect()
        }
    }
}

/// Spline weights with the phantoms of missing layers folded into the others.
fn folded(order: bspline::Order, u: f64, ends: MissingLayers) -> [f64; 4] {
    bspline::end(bspline::weights(order, u), ends.low(), ends.high())
}
