//! The launches of grids on surfaces.

use crate::numbers::Real;
use cudarc::driver::DeviceRepr;
use cudarc::driver::DriverError;

use super::layout::{TABLE_THREADS, table_variant};
use super::{Grids, Patches, TENSOR_THREADS, tensor_variant};
use crate::backend::cuda::driver::functions::LaunchShape;
use crate::backend::cuda::driver::launch::{Argument, Launch};
use crate::backend::cuda::driver::program::Kernels;
use crate::backend::cuda::surface::points::Outputs;
use crate::error::Result;

/// Lanes that share a normal by tangents; `SHARE` in `kernels/surface/table.cu`.
const SHARE: u32 = 8;

impl<T: Real + DeviceRepr> Grids<T> {
    /// Chains run side by side after the first launches.
    pub(super) fn enqueue(
        &self,
        first: &[Launch],
        chains: &[Vec<Launch>],
    ) -> Result<(), DriverError> {
        // SAFETY: all arrays live in `self`, are as long as the counts say, and are freed in
        // the order of the main stream, which waits for the others.
        unsafe {
            for launch in first {
                launch.enqueue(&self.stream)?;
            }
            let sides = &self.sides[..chains.len().saturating_sub(1).min(self.sides.len())];
            if !sides.is_empty() {
                let forked = self.stream.record_event(None)?;
                sides.iter().try_for_each(|side| side.wait(&forked))?;
            }
            for (index, chain) in chains.iter().enumerate() {
                let stream = match index % (sides.len() + 1) {
                    0 => &self.stream,
                    side => &sides[side - 1],
                };
                for launch in chain {
                    launch.enqueue(stream)?;
                }
            }
            sides.iter().try_for_each(|side| self.stream.join(side))
        }
    }

    /// Local refinement, then chains of launches that do not depend on each other.
    pub(super) fn launches(&self) -> Result<(Vec<Launch>, Vec<Vec<Launch>>)> {
        let first = self.levels.launches(&self.functions)?;
        let patches = self.patches.iter().map(|batch| Ok(vec![self.patch_launch(batch)?]));
        let mut chains = patches.collect::<Result<Vec<_>>>()?;
        // normals at extraordinary points replace normals from tables
        let tables = [self.table_launch()?, self.tangent_launch()?];
        let positions = Outputs::new([self.output(0), 0, 0, 0, 0, 0]);
        let points = self.levels.address();
        let rows = self.rows.launch(&self.functions, points, 0, false, positions)?;
        chains.extend([tables.into_iter().flatten().collect(), rows.into_iter().collect()]);
        chains.retain(|chain| !chain.is_empty());
        // large kernels fill the device: let others come first
        chains.reverse();
        Ok((first, chains))
    }

    /// Address of an output, 0 if it is not wanted.
    fn output(&self, i: usize) -> u64 {
        self.outputs.get(i).map_or(0, |buffer| buffer.address(0))
    }

    fn has_normals(&self) -> bool {
        self.outputs.len() > 1
    }

    fn table_kernels(&self) -> Kernels<'_> {
        Kernels::new(&self.functions, table_variant(T::PRECISION, self.has_normals()))
    }

    fn patch_launch(&self, batch: &Patches<T>) -> Result<Launch> {
        let variant = tensor_variant(T::PRECISION, batch.samples, self.has_normals());
        let kernels = Kernels::new(&self.functions, variant);
        let function = kernels.get("surface_tensor")?;
        let shared = function.constant("surface_tensor_shared")?;
        let multiprocessors = self.functions.device().info.multiprocessors;
        let most = multiprocessors * function.occupancy(TENSOR_THREADS, shared)?;
        let blocks = most.min(batch.count.div_ceil(TENSOR_THREADS / 32));
        kernels.launch(
            "surface_tensor",
            LaunchShape { blocks, threads: TENSOR_THREADS, shared },
            vec![
                Argument::Words(Box::new([
                    self.levels.address(),
                    batch.nets.address(0),
                    batch.starts.address(0),
                    batch.ends.address(0),
                    batch.weights.address(0),
                    self.output(0),
                    self.output(1),
                    self.output(2),
                    self.output(3),
                ])),
                Argument::Number(batch.count),
            ],
        )
    }

    fn table_launch(&self) -> Result<Option<Launch>> {
        let tables = &self.tables;
        if tables.items.len() == 0 {
            return Ok(None);
        }
        let arrays = Argument::Words(Box::new([
            self.levels.address(),
            tables.nets.address(0),
            tables.starts.address(0),
            tables.weights.address(0),
            tables.places.address(0),
            tables.batches.address(0),
            tables.items.address(0),
            self.output(0),
            self.output(1),
            self.output(2),
            self.output(3),
        ]));
        let blocks = tables.items.len() as u32;
        let kernels = self.table_kernels();
        Ok(Some(kernels.blocks("surface_table", blocks, TABLE_THREADS, vec![arrays])?))
    }

    fn tangent_launch(&self) -> Result<Option<Launch>> {
        let tables = &self.tables;
        let count = tables.tangents.len() as u32;
        if count == 0 {
            return Ok(None);
        }
        let launch = self.table_kernels().blocks(
            "tangent_normals",
            count.div_ceil(TABLE_THREADS / SHARE),
            TABLE_THREADS,
            vec![
                Argument::Address(self.levels.address()),
                Argument::Address(tables.nets.address(0)),
                Argument::Address(tables.tangent_weights.address(0)),
                Argument::Address(tables.tangents.address(0)),
                Argument::Number(count),
                Argument::Address(self.output(3)),
            ],
        )?;
        Ok(Some(launch))
    }
}
