//! Control points of all local levels of a surface on the device.

use std::sync::Arc;

use cudarc::driver::CudaStream;

use crate::backend::cuda::driver::buffer::Buffer;
use crate::backend::cuda::driver::functions::Functions;
use crate::backend::cuda::driver::launch::Launch;
use crate::backend::cuda::level_stencils::LevelStencils;
use crate::error::Result;
use crate::mesh::check_point_count;
use crate::scheme::Stencils;

/// Points of all levels, `[point][3]`, the control points of the mesh first.
pub(super) struct LevelPoints {
    points: Buffer<f64>,
    controls: usize,
    levels: Vec<LevelStencils>,
}

impl LevelPoints {
    pub fn new(stream: &Arc<CudaStream>, controls: usize, levels: &[Stencils]) -> Result<Self> {
        let (mut coarse, mut fine) = (0, controls);
        let upload = |stencils: &Stencils| {
            let level = LevelStencils::new(stream, stencils, [coarse, fine]);
            (coarse, fine) = (fine, fine + stencils.len());
            level
        };
        let levels = levels.iter().map(upload).collect::<Result<_>>()?;
        Ok(Self { points: Buffer::zeros(stream, 3 * fine)?, controls, levels })
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
        let launch = |level: &LevelStencils| level.launch(functions, self.address(), 3);
        self.levels.iter().map(launch).collect()
    }
}
