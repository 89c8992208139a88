//! Control points of all local levels of a surface on the device, by `kernels/common/refine.cu`.

use std::sync::Arc;

use cudarc::driver::CudaStream;

use crate::backend::Precision;
use crate::backend::cuda::driver::buffer::Buffer;
use crate::backend::cuda::driver::functions::{Functions, LaunchShape};
use crate::backend::cuda::driver::launch::{Argument, Launch};
use crate::backend::cuda::driver::sources::{REFINE, Variant};
use crate::error::Result;
use crate::mesh::check_point_count;

/// Stencils of one level over the level before.
#[derive(Clone, Copy, Debug)]
pub struct Level<'a> {
    /// End of each row among the entries.
    pub ends: &'a [usize],
    /// `[entry]`: points of the level before.
    pub columns: &'a [u32],
    /// `[entry]`: their weights.
    pub weights: &'a [f64],
}

struct Stencils {
    starts: Buffer<u64>,
    columns: Buffer<u32>,
    weights: Buffer<f64>,
    rows: u32,
}

/// Points of all levels, `[point][3]`, the control points of the mesh first.
pub(super) struct LevelPoints {
    points: Buffer<f64>,
    controls: usize,
    levels: Vec<Stencils>,
}

const THREADS: u32 = 128;

impl LevelPoints {
    pub fn new(stream: &Arc<CudaStream>, controls: usize, levels: &[Level<'_>]) -> Result<Self> {
        let upload = |level: &Level<'_>| {
            let ends = level.ends.iter().map(|&end| end as u64);
            let starts: Vec<u64> = std::iter::once(0).chain(ends).collect();
            Ok(Stencils {
                starts: Buffer::of(stream, &starts)?,
                columns: Buffer::of(stream, level.columns)?,
                weights: Buffer::of(stream, level.weights)?,
                rows: level.ends.len() as u32,
            })
        };
        let levels: Vec<Stencils> = levels.iter().map(upload).collect::<Result<_>>()?;
        let count = controls + levels.iter().map(|level| level.rows as usize).sum::<usize>();
        Ok(Self { points: Buffer::zeros(stream, 3 * count)?, controls, levels })
    }

    /// Takes positions of the control points.
    pub fn set_controls(&mut self, stream: &Arc<CudaStream>, positions: &[[f64; 3]]) -> Result<()> {
        check_point_count(positions.len(), self.controls)?;
        self.points.fill(stream, positions.as_flattened())
    }

    /// Address of the points on the device.
    pub fn address(&self) -> u64 {
        self.points.address(0)
    }

    /// The launches that make the points of all levels from the control points.
    pub fn launches(&self, functions: &Functions) -> Result<Vec<Launch>> {
        let (mut coarse, mut fine) = (0, self.controls as u64);
        let mut launches = Vec::new();
        for level in &self.levels {
            let function = functions.get(&Variant::new(&REFINE, Precision::F64), "refine")?;
            launches.push(Launch {
                name: "local refinement".into(),
                function,
                shape: LaunchShape {
                    blocks: (3 * level.rows).div_ceil(THREADS),
                    threads: THREADS,
                    shared: 0,
                },
                arguments: vec![
                    Argument::Address(self.points.address(0)),
                    Argument::Address(level.starts.address(0)),
                    Argument::Address(level.columns.address(0)),
                    Argument::Address(level.weights.address(0)),
                    Argument::Number(level.rows),
                    Argument::Number(3),
                    Argument::Long(coarse),
                    Argument::Long(fine),
                ],
            });
            (coarse, fine) = (fine, fine + u64::from(level.rows));
        }
        Ok(launches)
    }
}
