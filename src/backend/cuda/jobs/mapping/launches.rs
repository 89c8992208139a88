//! The launches of a batch's leaves: how its samples are shared out to blocks.

use super::{Batch, LeafRange, Mapping, ResultBuffers};
use crate::backend::Precision;
use crate::backend::cuda::driver::buffer::Buffer;
use crate::backend::cuda::driver::constants::{
    LEAVES_A_WARP, MAPPING_THREADS as THREADS, MAPPING_WARPS as WARPS,
};
use crate::backend::cuda::driver::functions::LaunchShape;
use crate::backend::cuda::driver::launch::{Argument, Launch};
use crate::backend::cuda::driver::program::Kernels;
use crate::backend::cuda::driver::sources::{MAPPING, Variant};
use crate::error::{Error, Result};

/// Leaves of a thread at most.
const MAX_THREAD_LEAVES: usize = 4;
/// Bytes of the nets of a block with several groups of leaves.
const MAX_NET_BYTES: u32 = 24 << 10;

/// The kernels with `leaves` leaves per thread.
fn variant(leaves: usize) -> Variant {
    Variant::new(&MAPPING, Precision::F64).with("LEAVES", leaves)
}

/// All variants that are used.
pub(in crate::backend::cuda) fn variants() -> [Variant; 2] {
    [1, MAX_THREAD_LEAVES].map(variant)
}

impl Mapping {
    /// The kernels of an evaluation of some leaves.
    pub(super) fn launches(
        &self,
        own: &Batch,
        leaves: LeafRange,
        results: &ResultBuffers,
    ) -> Result<Vec<Launch>> {
        // a thread takes one leaf where there is no other
        let several = if leaves.count > 1 { MAX_THREAD_LEAVES } else { 1 };
        let kernels = Kernels::new(&self.functions, variant(several));
        let address = |buffer: &Buffer<f64>| Argument::Address(buffer.address(0));
        let positions = || address(&self.positions);
        let [_, seconds, derivatives, second_derivatives] = results.sizes;
        let mut launches = Vec::new();
        let mut sums = |name: &'static str, threads_leaves: usize, numbers: usize, rest| {
            let tiling = Tiling::new(leaves, threads_leaves);
            let shared = 8 * (numbers * THREADS + tiling.numbers(leaves, threads_leaves)) as u32;
            kernels.get(name)?.occupancy(THREADS as u32, shared)?;
            let mut arguments = vec![positions(), leaves.argument()];
            arguments.push(Argument::Words(Box::new([
                u64::from(tiling.groups) | u64::from(tiling.block_groups) << 32,
                u64::from(tiling.span),
            ])));
            arguments.extend::<Vec<Argument>>(rest);
            let shape =
                LaunchShape { blocks: tiling.blocks(leaves), threads: THREADS as u32, shared };
            launches.push(kernels.launch(name, shape, arguments)?);
            Ok::<(), Error>(())
        };
        let mapped = [
            &results.points,
            &results.jacobians,
            &results.determinants,
            &results.measures,
            &results.inverses,
        ];
        let rest = vec![
            address(&own.columns),
            address(&own.weights),
            Argument::Words(mapped.map(|buffer| buffer.address(0)).into()),
        ];
        sums("map_points", several, 23, rest)?;
        if seconds > 0 {
            let rest = vec![address(&own.second_columns), address(&results.second)];
            sums("map_second", several.min(2), 18, rest)?;
        }
        let mut permuted = |name: &'static str, rest: Vec<Argument>| {
            let across = leaves.samples.div_ceil(WARPS);
            let blocks = u64::from(across) * u64::from(leaves.count.div_ceil(LEAVES_A_WARP));
            let Ok(blocks) = i32::try_from(blocks) else {
                return Err(Error::request("too many derivatives for one launch")
                    .with_help("evaluate fewer leaves at a time"));
            };
            let arguments = std::iter::once(leaves.argument()).chain(rest).collect();
            launches.push(kernels.blocks(name, blocks as u32, 32 * WARPS, arguments)?);
            Ok::<(), Error>(())
        };
        if derivatives > 0 {
            let rest = [&own.gradients, &results.inverses, &results.derivatives];
            permuted("map_gradients", rest.map(address).into())?;
        }
        if second_derivatives > 0 {
            let rest = [
                &own.gradients,
                &own.second,
                &results.inverses,
                &results.second,
                &results.second_derivatives,
            ];
            permuted("map_second_gradients", rest.map(address).into())?;
        }
        Ok(launches)
    }
}

/// How leaves and samples are shared out to blocks; see `Tiling` in `kernels/solid/mapping.cu`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Tiling {
    groups: u32,
    block_groups: u32,
    span: u32,
}

impl Tiling {
    /// Of threads that take `several` leaves each.
    fn new(leaves: LeafRange, several: usize) -> Self {
        let groups = leaves.count.div_ceil(several as u32);
        let span = leaves.samples.clamp(1, THREADS as u32);
        // few samples: several groups in a block, as far as their nets leave room
        let net = 24 * several as u32 * leaves.controls.max(1);
        let room = (MAX_NET_BYTES / net).clamp(1, 4);
        let block_groups = (THREADS as u32 / span).min(room).min(groups).max(1);
        Self { groups, block_groups, span }
    }

    /// Numbers of the nets and their origins.
    fn numbers(self, leaves: LeafRange, several: usize) -> usize {
        3 * several * self.block_groups as usize * (leaves.controls as usize + 1)
    }

    fn blocks(self, leaves: LeafRange) -> u32 {
        self.groups.div_ceil(self.block_groups) * leaves.samples.div_ceil(self.span)
    }
}
