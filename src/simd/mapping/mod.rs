//! The map from parameters to space at the quadrature points of leaves: positions,
//! Jacobians, their determinants and inverses.
//!
//! A lane is a leaf: as many leaves as a vector has lanes go through the same operations,
//! so that grids of any size and tables of any width use whole vectors, and no weight is
//! loaded for one leaf alone.
//!
//! ```text
//! control points [control][xyz][leaf]
//!     → sums: position and derivatives of one sample, [xyz][leaf]   (`sums.rs`)
//!     → inverse, determinant                                        (`stage.rs`)
//!     → stage: some samples of each result, [sample][number][leaf]
//!     → out: [leaf][sample][number], by transposed squares of lanes
//! ```

mod stage;
mod sums;

use super::axis::AxisWeights;
use super::buffer::AlignedBuffer;
use super::level::{Simd, SimdKernel};
use super::net::{NET, gather, gather_regular};
use crate::basis::MissingLayers;
use crate::limit::AxisPermutation;
use crate::numbers::Lanes;

pub use stage::LeafMapOutput;
pub(super) use stage::cross;
use stage::{Finish, Stage};
use sums::{GridSums, TableSums};

/// What leaves share that are mapped alike.
#[derive(Clone, Copy, Debug)]
pub struct LeafMap<'a> {
    /// How samples follow from control points.
    pub source: LeafSource<'a>,
    /// Weights of the samples in the parameters of the leaves' elements.
    pub weights: &'a [f64],
    /// How the leaves' local axes lie in their elements.
    pub permutation: AxisPermutation,
    /// Whether second derivatives are wanted.
    pub second: bool,
}

/// How samples follow from control points.
#[derive(Clone, Copy, Debug)]
pub enum LeafSource<'a> {
    /// By sum factorization, on regular cells: the same samples along all three axes, u
    /// fastest. A net is `[w 4][v 4][u 4]` with the missing layers that `ends` says: bit 0
    /// below u, bit 1 above u, bits 2-3 v, bits 4-5 w.
    Grid {
        /// The samples of an axis.
        axis: &'a AxisWeights,
        /// Missing layers.
        ends: MissingLayers,
    },
    /// By tables of basis functions and their derivatives by the local axes.
    Table {
        /// Number of control points.
        controls: usize,
        /// N, `[sample][control]`.
        values: &'a [f64],
        /// By u, v, w, `[sample][3][control]`.
        gradients: &'a [f64],
        /// By uu, vv, ww, uv, uw, vw, `[sample][6][control]`; read if second derivatives are
        /// wanted.
        second: &'a [f64],
    },
}

/// Working memory of [`LeafMap::evaluate`], one per thread.
#[derive(Debug, Default)]
pub struct LeafMapScratch {
    // of one leaf: [control][3], [3]
    local: AlignedBuffer<f64>,
    origin: AlignedBuffer<f64>,
    // [control][3][leaf], [3][leaf]
    nets: AlignedBuffer<f64>,
    origins: AlignedBuffer<f64>,
    sums: [AlignedBuffer<f64>; 2],
    stage: AlignedBuffer<f64>,
}

impl LeafSource<'_> {
    /// Control points in the net of a leaf.
    pub fn controls(&self) -> usize {
        match self {
            Self::Grid { .. } => NET,
            Self::Table { controls, .. } => *controls,
        }
    }
}

impl LeafMap<'_> {
    /// Evaluates leaves of the given nets, `[leaf][control]`, over `points`, `[point][3]`.
    ///
    /// # Panics
    /// If an array is shorter than its shape says, or a net names no point.
    pub fn evaluate(
        &self,
        simd: Simd,
        scratch: &mut LeafMapScratch,
        points: &[f64],
        nets: &[u32],
        out: LeafMapOutput<'_>,
    ) {
        let (controls, samples) = (self.source.controls(), self.weights.len());
        assert!(nets.len().is_multiple_of(controls), "whole nets");
        let count = nets.len() / controls * samples;
        let lengths = [
            (out.points.len(), 3),
            (out.jacobians.len(), 9),
            (out.determinants.len(), 1),
            (out.measures.len(), 1),
            (out.inverses.len(), 9),
            (out.second.len(), if self.second { 18 } else { 0 }),
        ];
        assert!(lengths.iter().all(|&(len, width)| len == width * count), "room for all results");
        match self.source {
            LeafSource::Grid { axis, .. } => {
                assert_eq!(axis.samples().pow(3), samples, "a weight for every sample");
            }
            LeafSource::Table { values, gradients, second, .. } => {
                let size = controls * samples;
                assert_eq!([values.len(), gradients.len()], [size, 3 * size], "whole tables");
                assert!(!self.second || second.len() == 6 * size, "whole tables");
            }
        }
        simd.run(Run { map: self, scratch, points, nets, out });
    }
}

struct Run<'a, 'o> {
    map: &'a LeafMap<'a>,
    scratch: &'a mut LeafMapScratch,
    points: &'a [f64],
    nets: &'a [u32],
    out: LeafMapOutput<'o>,
}

impl SimdKernel<f64> for Run<'_, '_> {
    #[inline(always)]
    unsafe fn run<L: Lanes<f64>>(self) {
        // SAFETY: the level is there.
        unsafe { if self.map.second { self.all::<L, 10>() } else { self.all::<L, 4>() } }
    }
}

impl Run<'_, '_> {
    #[inline(always)]
    unsafe fn all<L: Lanes<f64>, const N: usize>(self) {
        let Self { map, scratch, points, nets, mut out } = self;
        let (controls, samples) = (map.source.controls(), map.weights.len());
        scratch.nets.reserve(3 * controls * L::COUNT);
        scratch.origins.reserve(3 * L::COUNT);
        scratch.sums[0].reserve(GridSums::Y * L::COUNT);
        scratch.sums[1].reserve(GridSums::Z * L::COUNT);
        scratch.stage.reserve(Stage::<L>::NUMBERS * L::COUNT * L::COUNT);
        let leaves = nets.len() / controls;
        for first in (0..leaves).step_by(L::COUNT) {
            let count = L::COUNT.min(leaves - first);
            for lane in 0..L::COUNT {
                // lanes without a leaf follow the last one
                let leaf = first + lane.min(count - 1);
                load(
                    map.source,
                    points,
                    &nets[leaf * controls..][..controls],
                    scratch,
                    lane,
                    L::COUNT,
                );
            }
            let nets = scratch.nets.as_ptr();
            let origins = scratch.origins.as_ptr();
            // SAFETY: the buffers were given their room, and the results their lengths.
            unsafe {
                let origin = [
                    L::load(origins),
                    L::load(origins.add(L::COUNT)),
                    L::load(origins.add(2 * L::COUNT)),
                ];
                let stage = Stage::<L>::new(scratch.stage.as_mut_ptr(), map.permutation, samples);
                let weights = map.weights;
                let mut finish = Finish { stage, origin, weights, first, count, out: &mut out };
                match map.source {
                    LeafSource::Grid { axis, .. } => {
                        let [y, z] = scratch.sums.each_mut().map(AlignedBuffer::as_mut_ptr);
                        GridSums { axis, nets, y, z }.for_each::<L, N>(&mut finish);
                    }
                    LeafSource::Table { controls, values, gradients, second } => {
                        let table = TableSums { controls, values, gradients, second, nets };
                        table.for_each::<L, N>(samples, &mut finish);
                    }
                }
            }
        }
    }
}

/// Brings a leaf's control points to a lane.
#[inline(always)]
fn load(
    source: LeafSource<'_>,
    points: &[f64],
    net: &[u32],
    scratch: &mut LeafMapScratch,
    lane: usize,
    lanes: usize,
) {
    let (local, origin) = (scratch.local.numbers(3 * net.len()), scratch.origin.numbers(3));
    match source {
        LeafSource::Grid { ends, .. } => {
            gather_regular(points, net, 3, ends, local, origin);
        }
        LeafSource::Table { .. } => gather(points, net, 3, 0, local, origin),
    }
    let nets = scratch.nets.numbers(lanes * local.len());
    for (to, from) in nets.chunks_exact_mut(lanes).zip(local) {
        to[lane] = *from;
    }
    let origins = scratch.origins.numbers(lanes * 3);
    for (to, from) in origins.chunks_exact_mut(lanes).zip(origin) {
        to[lane] = *from;
    }
}
