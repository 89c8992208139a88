//! The launches of grids on surfaces.

use crate::numbers::Real;
use cudarc::driver::DeviceRepr;
use cudarc::driver::DriverError;

use super::super::functions::LaunchShape;
use super::super::launch::{Argument, Launch};
use super::super::surface_points::Outputs;
use super::layout::{TABLE_THREADS, table_variant};
use super::{DeviceGrids, TENSOR_THREADS, tensor_variant};
use crate::error::Result;

/// Lanes that share a normal by tangents; `SHARE` in `kernels/surface/table.cu`.
const SHARE: u32 = 8;

impl<T: Real + DeviceRepr> DeviceGrids<T> {
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
        let normals = self.outputs.len() > 1;
        let first = self.levels.launches(&self.functions)?;
        let (mut chains, mut launches) = (Vec::new(), Vec::new());
        let points = self.levels.address();
        let outputs = |i: usize| self.outputs.get(i).map_or(0, |buffer| buffer.address(0));
        for batch in &self.patches {
            let variant = tensor_variant(T::PRECISION, batch.samples, normals);
            let function = self.functions.get(&variant, "surface_tensor")?;
            let shared = function.constant("surface_tensor_shared")?;
            let multiprocessors = self.functions.device().info.multiprocessors;
            let most = multiprocessors * function.occupancy(TENSOR_THREADS, shared)?;
            let blocks = most.min(batch.count.div_ceil(TENSOR_THREADS / 32));
            chains.push(vec![Launch {
                name: "surface grids".into(),
                function,
                shape: LaunchShape { blocks, threads: TENSOR_THREADS, shared },
                arguments: vec![
                    Argument::Words(Box::new([
                        points,
                        batch.nets.address(0),
                        batch.starts.address(0),
                        batch.ends.address(0),
                        batch.weights.address(0),
                        outputs(0),
                        outputs(1),
                        outputs(2),
                        outputs(3),
                    ])),
                    Argument::Number(batch.count),
                ],
            }]);
        }
        let tables = &self.tables;
        if tables.items.len() > 0 {
            let variant = table_variant(T::PRECISION, normals);
            launches.push(Launch {
                name: "surface tables".into(),
                function: self.functions.get(&variant, "surface_table")?,
                shape: LaunchShape {
                    blocks: tables.items.len() as u32,
                    threads: TABLE_THREADS,
                    shared: 0,
                },
                arguments: vec![Argument::Words(Box::new([
                    points,
                    tables.nets.address(0),
                    tables.starts.address(0),
                    tables.weights.address(0),
                    tables.places.address(0),
                    tables.batches.address(0),
                    tables.items.address(0),
                    outputs(0),
                    outputs(1),
                    outputs(2),
                    outputs(3),
                ]))],
            });
        }
        let count = tables.tangents.len() as u32;
        if count > 0 {
            let variant = table_variant(T::PRECISION, normals);
            launches.push(Launch {
                name: "normals at extraordinary points".into(),
                function: self.functions.get(&variant, "tangent_normals")?,
                shape: LaunchShape {
                    blocks: count.div_ceil(TABLE_THREADS / SHARE),
                    threads: TABLE_THREADS,
                    shared: 0,
                },
                arguments: vec![
                    Argument::Address(points),
                    Argument::Address(tables.nets.address(0)),
                    Argument::Address(tables.tangent_weights.address(0)),
                    Argument::Address(tables.tangents.address(0)),
                    Argument::Number(count),
                    Argument::Address(outputs(3)),
                ],
            });
        }
        let positions = Outputs::new([outputs(0), 0, 0, 0, 0, 0]);
        let rows = self.rows.launch(&self.functions, points, 0, false, positions)?;
        chains.extend([launches, rows.into_iter().collect()]);
        chains.retain(|chain| !chain.is_empty());
        // large kernels fill the device: let others come first
        chains.reverse();
        Ok((first, chains))
    }
}
