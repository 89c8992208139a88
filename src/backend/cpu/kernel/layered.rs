//! Grids of samples on layered cells: the layer axis first, then a 2D table.
//!
//! A layered net is a 2D net of M control points ⊗ 4 layers. The cubic spline across
//! the layers turns it into one 2D net a layer of samples, and all those nets are
//! columns of one product with the table of the 2D structure.

use super::axis::Axis;
use super::buffer::{Buffer, Scratch, Stores};
use super::lanes::{Lanes, Real, fence};
use super::net::{contract_rows, fill_ends, gather, repeat_all, repeated_len};
use super::product::{Columns, Finish, Packed, assert_order, deliver, product};
use super::simd::{Kernel, Simd};
use crate::basis::bspline::Order;
use crate::{Error, Result};

/// A grid of samples on the layered cells of one 2D structure.
///
/// Local axes: a and b in the layers, c across them; samples are `[c][b][a]`.
#[derive(Clone, Debug)]
pub struct Layered<T> {
    m: usize,
    /// 2D tables, one for each 2D quantity.
    planes: Vec<Packed<T>>,
    layers: usize,
    /// c: [order][layer][row], row = (c sample, component)
    c: Buffer<T>,
    /// Padded length of a row.
    row: usize,
}

/// One quantity of all cells, written by [`Layered::evaluate`].
#[derive(Debug)]
pub struct LayeredOutput<'a, 'o, T> {
    /// Number of the 2D table; table 0 is the position.
    pub plane: usize,
    /// Derivative order across the layers.
    pub order_c: Order,
    /// For each cell its place, `[sample][m]`.
    pub cells: &'a mut [&'o mut [T]],
    /// Place of each sample `[c][b][a]` in the cell, where the local frame is turned
    /// against the cell's.
    pub order: Option<&'a [u32]>,
    /// Negates the result: a derivative along an axis that the turn reverses.
    pub negate: bool,
}

impl<T: Real> Layered<T> {
    /// 2D tables `planes: [table][control][b sample][a sample]` over `controls` = M
    /// control points a layer, the position first and then any derivatives, and the
    /// samples across the layers; control points have `m` ≥ 1 components.
    ///
    /// # Errors
    /// No table, or tables that are not of equal size with whole rows.
    pub fn new(planes: &[&[f64]], controls: usize, axis: &Axis, m: usize) -> Result<Self> {
        let planes: Vec<_> =
            planes.iter().map(|table| Packed::new(table, controls)).collect::<Result<_>>()?;
        if planes.is_empty() || planes.iter().any(|table| table.samples != planes[0].samples) {
            return Err(Error::request("2D tables of unequal size, or none")
                .with_mend("give every table the same samples"));
        }
        let (c, row) = axis.expand(m);
        Ok(Self { m, planes, layers: axis.samples(), c, row })
    }

    /// Number of samples of a cell.
    pub fn samples(&self) -> usize {
        self.layers * self.planes[0].samples
    }

    /// Evaluates all `outputs` of layered cells.
    ///
    /// `nets: [cell][layer 4][control]`. `ends`: for each cell the missing layers,
    /// bit 0 the lowest, bit 1 the highest.
    ///
    /// # Panics
    /// Lengths differ from those said, a vertex id is outside `controls`, a plane does
    /// not exist, or `negate` is asked of positions.
    pub fn evaluate(
        &self,
        simd: Simd,
        scratch: &mut Scratch<T>,
        controls: &[f64],
        (nets, ends): (&[u32], &[u8]),
        outputs: &mut [LayeredOutput<'_, '_, T>],
    ) {
        assert_eq!(nets.len(), ends.len() * 4 * self.planes[0].controls, "one net a cell");
        let len = self.samples() * self.m;
        for output in outputs.iter() {
            assert_eq!(output.cells.len(), ends.len(), "one place a cell");
            assert!(output.cells.iter().all(|out| out.len() == len), "room for every sample");
            assert!(output.plane < self.planes.len(), "a plane that exists");
            assert!(!(output.negate && output.is_position()), "positions have no sign");
            assert_order(output.order, self.samples());
        }
        simd.run(Run { layered: self, scratch, controls, nets, ends, outputs });
    }
}

impl<T> LayeredOutput<'_, '_, T> {
    fn is_position(&self) -> bool {
        self.plane == 0 && self.order_c == Order::Value
    }
}

struct Run<'a, 'b, 'o, T> {
    layered: &'a Layered<T>,
    scratch: &'a mut Scratch<T>,
    controls: &'a [f64],
    nets: &'a [u32],
    ends: &'a [u8],
    outputs: &'a mut [LayeredOutput<'b, 'o, T>],
}

impl<T: Real> Kernel<T> for Run<'_, '_, '_, T> {
    #[inline(always)]
    unsafe fn run<L: Lanes<T>>(self) {
        let Self { layered, scratch, controls, nets, ends, outputs } = self;
        let Layered { m, row, layers, .. } = *layered;
        let count = layered.planes[0].controls;
        let place = layered.planes[0].samples * m;
        let columns = layers * m;
        let streamed = scratch.stores == Stores::Streamed;
        scratch.local.reserve(4 * count * m);
        scratch.out.reserve(layers * place);
        // One tile of columns may reach into the row after the last one.
        scratch.stages[0].reserve((count + 1) * row);
        scratch.stages[1].reserve(if m == 3 { 0 } else { repeated_len(4 * count, m) });
        let [panel, repeated, _] = scratch.stages.each_mut().map(Buffer::as_mut_ptr);
        let mut targets = Vec::with_capacity(layers);

        for (cell, (net, &ends)) in nets.chunks_exact(4 * count).zip(ends).enumerate() {
            let local = scratch.local.numbers(4 * count * m);
            let origin = scratch.origin.numbers(row);
            // The first control point of layer 1, which is never missing.
            gather(controls, net, m, count, local, origin);
            for c in m..columns {
                origin[c] = origin[c - m];
            }
            fill_ends(local, count * m, ends);
            let local = local.as_ptr();
            if m != 3 {
                // SAFETY: both have room for 4 layers.
                unsafe { repeat_all::<T, L>(local, 4 * count, m, repeated) };
            }
            for order_c in Order::ALL {
                let mut contracted = false;
                for output in outputs.iter_mut().filter(|output| output.order_c == order_c) {
                    if !contracted {
                        contracted = true;
                        // SAFETY: buffers have their room; c has three orders of four rows.
                        unsafe {
                            let weights = layered.c.as_ptr().add(order_c as usize * 4 * row);
                            let lines = (count, 1, count);
                            contract_rows::<T, L>(
                                m, local, repeated, lines, weights, row, columns, panel,
                            );
                        }
                    }
                    let out = match output.order {
                        None => output.cells[cell].as_mut_ptr(),
                        Some(_) => scratch.out.as_mut_ptr(),
                    };
                    targets.clear();
                    targets.extend((0..layers).map(|layer| out.wrapping_add(layer * place)));
                    let columns = Columns {
                        panel: panel.cast_const(),
                        stride: row,
                        m,
                        finish: match (output.is_position(), output.negate) {
                            (true, _) => Finish::Origin(origin.as_ptr()),
                            (false, true) => Finish::Negate,
                            (false, false) => Finish::Nothing,
                        },
                        targets: &targets,
                        stream: streamed && output.order.is_none(),
                    };
                    // SAFETY: as above; each layer has its place in the cell's.
                    unsafe { product::<T, L>(&layered.planes[output.plane], columns) };
                    if let Some(order) = output.order {
                        let results = scratch.out.numbers(layers * place);
                        let stage = streamed.then_some(&mut scratch.stages[2]);
                        let to = &mut *output.cells[cell];
                        // SAFETY: the level is there.
                        unsafe { deliver::<T, L>(results, (order, m), to, stage) };
                    }
                }
            }
        }
        if streamed {
            fence();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Check, Rng, parameters};
    use super::*;

    fn check<T: Check>(count: usize, plane: usize, layers: usize, m: usize, far: f64) {
        let mut rng = Rng::new((count * plane + m) as u64);
        let (cells, vertices, samples) = (5, 4 * count + 9, plane * layers);
        let controls = rng.numbers(vertices * m, far);
        let nets: Vec<u32> = (0..cells).flat_map(|_| rng.ids(4 * count, vertices)).collect();
        let ends = [0, 1, 2, 3, 0];
        let turned = rng.ids(samples, samples);
        let axis = Axis::new(&parameters(layers)).unwrap();
        // Table 0 sums to one for each sample, table 1 to zero.
        let tables = [1.0, 0.0].map(|total| {
            let mut table: Vec<f64> =
                (0..count * plane).map(|_| rng.number() / count as f64).collect();
            for s in 0..plane {
                table[s] = total - (1..count).map(|i| table[i * plane + s]).sum::<f64>();
            }
            table
        });
        let layered = Layered::<T>::new(&[&tables[0], &tables[1]], count, &axis, m).unwrap();
        assert_eq!(layered.samples(), samples);
        for (simd, stores) in
            Simd::available().flat_map(|simd| [Stores::Cached, Stores::Streamed].map(|s| (simd, s)))
        {
            let mut scratch = Scratch::new(stores);
            for order in [None, Some(&turned[..])] {
                for (number, order_c) in [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2)] {
                    let order_c = Order::ALL[order_c];
                    let position = number == 0 && order_c == Order::Value;
                    let negate = !position && order.is_some();
                    let mut memory = vec![T::default(); cells * samples * m];
                    let mut places: Vec<_> = memory.chunks_exact_mut(samples * m).collect();
                    let cells = &mut places[..];
                    let output = LayeredOutput { plane: number, order_c, cells, order, negate };
                    let cells_in = (&nets[..], &ends[..]);
                    layered.evaluate(simd, &mut scratch, &controls, cells_in, &mut [output]);
                    for (i, found) in memory.into_iter().enumerate() {
                        let (cell, place, c) = (i / m / samples, i / m % samples, i % m);
                        let sample = order.map_or(place, |order| {
                            order.iter().position(|&p| p as usize == place).unwrap()
                        });
                        let net = &nets[cell * 4 * count..][..4 * count];
                        let point = |layer: usize, k: usize| {
                            controls[net[layer * count + k] as usize * m + c]
                        };
                        let pivot = point(1, 0);
                        let b = crate::basis::bspline::end(
                            axis.weights(order_c)[sample / plane],
                            ends[cell] & 1 != 0,
                            ends[cell] & 2 != 0,
                        );
                        let mut exact = 0.0;
                        for (layer, b) in b.iter().enumerate() {
                            for k in 0..count {
                                let weight = tables[number][k * plane + sample % plane];
                                let term = b * weight * (point(layer, k) - pivot);
                                exact += if negate { -term } else { term };
                            }
                        }
                        let shift = if position { pivot } else { 0.0 };
                        T::check(found, shift + exact, position, far);
                    }
                }
            }
        }
    }

    #[test]
    fn equals_the_plain_sum() {
        for (i, n) in [1, 2, 3, 5, 7, 8, 9].into_iter().enumerate() {
            for m in [1, 2, 3, 4, 7] {
                check::<f64>(14 + i, n * 2, n, m, 0.0);
                check::<f32>(24 - i, n, (n + 3) % 9 + 1, m, 0.0);
            }
        }
        check::<f64>(16, 64, 8, 3, 0.0);
        check::<f32>(16, 3, 64, 20, 0.0);
    }

    #[test]
    fn distance_from_the_origin_costs_derivatives_nothing() {
        check::<f64>(18, 9, 3, 3, 1e6);
        check::<f32>(18, 9, 3, 3, 1e6);
    }

    #[test]
    fn refuses_unequal_tables() {
        let axis = Axis::new(&[0.5]).unwrap();
        assert!(Layered::<f64>::new(&[], 2, &axis, 3).is_err());
        assert!(Layered::<f64>::new(&[&[1.0; 4], &[1.0; 6]], 2, &axis, 3).is_err());
    }
}
