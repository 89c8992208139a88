//! Removes noise from a surface and keeps its edges.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::processor::{surface_processor, take_steps};
use super::{Notes, since};
use crate::backend::Choice;
use crate::error::Result;
use crate::mesh::SurfaceMesh;
use crate::numbers::counted;
use crate::plan::SurfaceJob;
use crate::process::check_steps;
use crate::process::surface::{DEFAULT_RINGS, DEFAULT_SWEEPS};

/// What is asked of denoising.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(default)]
pub struct DenoiseRequest {
    /// Sweeps over all vertices
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = DEFAULT_SWEEPS))]
    pub sweeps: usize,
    /// Neighbors: vertices up to K edges away, 1 or more
    #[cfg_attr(feature = "cli", arg(long, value_name = "K", default_value_t = DEFAULT_RINGS))]
    pub rings: usize,
    /// Processor: auto (the fastest for this job), cpu, cuda or cuda:N; points are
    /// equal up to rounding
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME", default_value = "auto"))]
    pub backend: Choice,
}

impl Default for DenoiseRequest {
    fn default() -> Self {
        Self { sweeps: DEFAULT_SWEEPS, rings: DEFAULT_RINGS, backend: Choice::default() }
    }
}

/// What denoising did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct DenoiseReport {
    /// Number of sweeps done.
    pub sweeps: usize,
}

impl DenoiseRequest {
    /// Checks the options by themselves.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) for too many sweeps.
    pub fn check(&self) -> Result<()> {
        check_steps("sweeps", self.sweeps)
    }

    /// Denoises a surface by the bilateral filter (Fleishman et al. 2003): moves its vertices.
    ///
    /// # Errors
    /// As [all jobs](crate::jobs#errors); [`Error::Request`](crate::Error::Request) for 0 rings.
    /// The mesh is as it was then.
    pub fn run(&self, mesh: &mut SurfaceMesh, notes: &mut dyn Notes) -> Result<DenoiseReport> {
        self.check()?;
        let job = (SurfaceJob::Denoise, self.sweeps);
        let processor = surface_processor(mesh, self.backend, job, notes)?;
        let start = Instant::now();
        take_steps(mesh, processor, self.sweeps, |surface| surface.denoise(self.rings), notes)?;
        let sweeps = counted(self.sweeps, "sweep");
        notes.status("Denoised", format!("in {sweeps}, {}", since(start)));
        Ok(DenoiseReport { sweeps: self.sweeps })
    }
}
