//! Grids of samples on layered cells: a 2D table in each plane, then the layer axis.
//!
//! A layered net is a 2D net of M control points ⊗ 4 layers. The table of the 2D
//! structure turns its four planes of control points into four planes of samples, as
//! columns of one product; the cubic spline across the layers combines those four.
//! For 8³ samples that is 96 M + 768 vector multiply-adds of eight lanes; the spline
//! first and the table in every layer of samples would be 192 M and more.
//!
//! ```text
//! control points [control][layer 4][m] → y: [layer 4][plane sample][m]
//!                                      → out: samples of the cell, u fastest
//! ```
//!
//! Whichever axis of the cell the layers run along, results leave as whole runs: the
//! layers are combined into the rows in which the cell has them.

use super::axis::AxisWeights;
use super::buffer::fence;
use super::buffer::{AlignedBuffer, Scratch, Stores};
use super::level::{Simd, SimdKernel};
use super::net::{Nets, fill_ends, gather_layers, repeat_origin, repeated_origin_len};
use super::plane::SamplePlanes;
use super::product::{PackedWeights, ProductColumns, ProductFinish, product};
use crate::basis::bspline::Order;
use crate::error::{Error, Result};
use crate::numbers::{Lanes, MAX_LANES, Real};

/// A grid of samples on the layered cells of one 2D structure.
#[derive(Clone, Debug)]
pub struct LayeredGrid<T> {
    m: usize,
    /// 2D tables, one for each 2D quantity.
    planes: Vec<PackedWeights<T>>,
    across: LayerAxis,
    /// Across the layers: `[order][sample][layer]`
    c: [Vec<[T; 4]>; 3],
}

/// How the layers of a cell lie among its axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerAxis {
    /// The cell axis across the layers: 0 is u, 1 is v, 2 is w.
    pub axis: usize,
    /// Samples on the lower one of the two axes in the layers.
    pub low: usize,
}

/// One quantity of all cells, written by [`LayeredGrid::evaluate`].
#[derive(Debug)]
pub struct LayeredOutput<'a, 'o, T> {
    /// Number of the 2D table; table 0 is the position.
    pub plane: usize,
    /// Derivative order across the layers.
    pub order_c: Order,
    /// For each cell its slot, `[w sample][v sample][u sample][m]`.
    pub cells: &'a mut [&'o mut [T]],
    /// Negates the result: a derivative along an axis that the permutation reverses.
    pub negate: bool,
}

impl<T: Real> LayeredGrid<T> {
    /// 2D tables `planes: [table][control][high sample][low sample]` over `controls` = M
    /// control points per layer, the position first and then any derivatives, and the
    /// samples across the layers; control points have `m` ≥ 1 components. "Low" and
    /// "high" are the two cell axes in the layers, u before v before w.
    ///
    /// # Errors
    /// No table, or tables that are not of equal size with whole rows.
    pub fn new(
        planes: &[&[f64]],
        controls: usize,
        axis: &AxisWeights,
        m: usize,
        across: LayerAxis,
    ) -> Result<Self> {
        let planes: Vec<_> = planes
            .iter()
            .map(|table| PackedWeights::new(table, controls))
            .collect::<Result<_>>()?;
        if planes.is_empty() || planes.iter().any(|table| table.samples != planes[0].samples) {
            return Err(Error::request("2D tables of unequal size, or none")
                .with_help("give every table the same samples"));
        }
        if across.axis > 2 || across.low == 0 || !planes[0].samples.is_multiple_of(across.low) {
            return Err(Error::request(format!("layers that lie as {across:?}"))
                .with_help("give an axis from 0 to 2 and tables of whole rows of low samples"));
        }
        Ok(Self { m, planes, across, c: axis.narrow() })
    }

    /// Number of samples of a cell.
    pub fn samples(&self) -> usize {
        self.c[0].len() * self.planes[0].samples
    }

    /// Evaluates all `outputs` of layered cells.
    ///
    /// `nets`: control points `[cell][layer 4][control]`; `ends`: of the layer axis.
    ///
    /// # Panics
    /// Lengths differ from those said, a vertex id is outside `controls`, a plane does
    /// not exist, or `negate` is asked of positions.
    pub fn evaluate(
        &self,
        simd: Simd,
        scratch: &mut Scratch<T>,
        controls: &[f64],
        nets: Nets<'_, u32>,
        outputs: &mut [LayeredOutput<'_, '_, T>],
    ) {
        assert_eq!(nets.ids.len(), nets.ends.len() * 4 * self.planes[0].controls, "one net a cell");
        let len = self.samples() * self.m;
        for output in outputs.iter() {
            assert_eq!(output.cells.len(), nets.ends.len(), "one place a cell");
            assert!(output.cells.iter().all(|out| out.len() == len), "room for every sample");
            assert!(output.plane < self.planes.len(), "a plane that exists");
            assert!(!(output.negate && output.is_position()), "positions have no sign");
        }
        simd.run(Run { layered: self, scratch, controls, nets, outputs });
    }
}

impl<T> LayeredOutput<'_, '_, T> {
    fn is_position(&self) -> bool {
        self.plane == 0 && self.order_c == Order::Value
    }
}

struct Run<'a, 'b, 'o, T> {
    layered: &'a LayeredGrid<T>,
    scratch: &'a mut Scratch<T>,
    controls: &'a [f64],
    nets: Nets<'a, u32>,
    outputs: &'a mut [LayeredOutput<'b, 'o, T>],
}

impl<T: Real> SimdKernel<T> for Run<'_, '_, '_, T> {
    #[inline(always)]
    unsafe fn run<L: Lanes<T>>(self) {
        let Self { layered, scratch, controls, nets: Nets { ids: nets, ends }, outputs } = self;
        let m = layered.m;
        let (count, samples) = (layered.planes[0].controls, layered.planes[0].samples);
        let plane = SamplePlanes {
            m,
            samples,
            // across w whole planes stay together
            low: if layered.across.axis == 2 { samples } else { layered.across.low },
            // whole vectors and whole points
            stride: samples.next_multiple_of(MAX_LANES) * m,
        };
        let streamed = scratch.stores == Stores::Streamed;
        // One tile of columns may reach past the last row.
        scratch.stages[0].reserve((4 * count + 4) * m + MAX_LANES);
        scratch.stages[1].reserve(4 * plane.stride);
        scratch.origin.reserve(repeated_origin_len(m));
        scratch.local.reserve(m);
        scratch.out.reserve(layered.samples() * m);
        let [y, stage] = [&mut scratch.stages[1], &mut scratch.out].map(AlignedBuffer::as_mut_ptr);
        let stage = streamed.then_some(stage);
        let targets = [0, 1, 2, 3].map(|k| y.wrapping_add(k * plane.stride));
        let tables: Vec<Vec<[T; 4]>> = outputs
            .iter()
            .map(|output| {
                let sign = if output.negate { -1.0 } else { 1.0 };
                let table = &layered.c[output.order_c as usize];
                table.iter().map(|row| row.map(|w| w * T::from_f64(sign))).collect()
            })
            .collect();

        for (cell, (net, &ends)) in nets.chunks_exact(4 * count).zip(ends).enumerate() {
            let panel = scratch.stages[0].numbers(4 * count * m);
            gather_layers(controls, net, m, panel, scratch.local.numbers(m));
            fill_ends(panel, m, ends);
            let columns = ProductColumns {
                panel: panel.as_ptr(),
                stride: 4 * m,
                m,
                finish: ProductFinish::Nothing,
                targets: &targets,
                stream: false,
            };
            // SAFETY: the level is there, and every buffer was given its room above;
            // the places of the cells have been checked.
            unsafe {
                let origin = scratch.origin.as_mut_ptr();
                repeat_origin::<T, L>(scratch.local.as_ptr(), m, origin);
                for (number, packed) in layered.planes.iter().enumerate() {
                    let mut multiplied = false;
                    for (output, table) in outputs.iter_mut().zip(&tables) {
                        if output.plane != number {
                            continue;
                        }
                        if !multiplied {
                            multiplied = true;
                            product::<T, L>(packed, columns);
                        }
                        let origin = output.is_position().then_some(origin.cast_const());
                        let out = output.cells[cell].as_mut_ptr();
                        match layered.across.axis {
                            0 => plane.combine_samples::<T, L>(y, table, origin, out, stage),
                            _ => plane.combine_rows::<T, L>(y, table, origin, out, stage),
                        }
                    }
                }
            }
        }
        if streamed {
            fence();
        }
    }
}
