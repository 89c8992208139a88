//! Smooths a surface by curvature flow, or an attribute of a solid.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::processor::{check_cpu, refuse_options, surface_processor, take_steps};
use super::{Notes, since};
use crate::backend::Choice;
use crate::error::{Command, Error, Result, option_name};
use crate::mesh::{SolidMesh, SurfaceMesh};
use crate::numbers::counted;
use crate::plan::SurfaceJob;
use crate::process::surface::Cotangents;
use crate::process::{DEFAULT_FACTOR, check_steps, smooth_attribute};
use crate::query::{Query, QueryStrategy};
use crate::topology::Topology;

/// What is asked of smoothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(default)]
pub struct SmoothRequest {
    /// Attribute to smooth, required for a solid
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME"))]
    pub attribute: Option<String>,
    /// Number of steps
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = 1))]
    pub steps: usize,
    /// Time of a step of curvature flow, in squared length units, required for a surface. A step is
    /// implicit, of first order in time: it takes a sphere of radius r to r / (1 + 2 time / r²).
    /// More and shorter steps come nearer to the flow, which takes it to √(r² − 4 · steps · time)
    #[cfg_attr(feature = "cli", arg(long, value_name = "T", conflicts_with = "attribute"))]
    pub time: Option<f64>,
    /// Solve each step by conjugate gradients that recompute the cotangent weights in every
    /// product and store no matrix: less memory, more time, the same points up to rounding
    #[cfg_attr(feature = "cli", arg(long, conflicts_with = "attribute"))]
    pub matrix_free: bool,
    /// Fraction of the way that values of a solid move toward the mean of their neighbors in a
    /// step, 0 to 1 [default: 0.5]
    #[cfg_attr(feature = "cli", arg(long, value_name = "F"))]
    pub factor: Option<f64>,
    /// Keep the values of a solid on the boundary
    #[cfg_attr(feature = "cli", arg(long, requires = "attribute"))]
    pub fix_boundary: bool,
    /// Processor of a surface: auto (the fastest for this job), cpu, cuda or cuda:N; points
    /// are equal up to rounding
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME", default_value = "auto"))]
    pub backend: Choice,
}

impl Default for SmoothRequest {
    fn default() -> Self {
        Self {
            attribute: None,
            steps: 1,
            time: None,
            matrix_free: false,
            factor: None,
            fix_boundary: false,
            backend: Choice::default(),
        }
    }
}

/// What smoothing did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct SmoothReport {
    /// Number of steps done.
    pub steps: usize,
}

impl SmoothRequest {
    /// Checks the options for a surface.
    ///
    /// # Errors
    /// [`Error::Request`] for options of solids, too many steps, and no time.
    pub fn check_surface(&self) -> Result<()> {
        let of_solids = [
            (self.attribute.is_some(), "attribute"),
            (self.factor.is_some(), "factor"),
            (self.fix_boundary, "fix_boundary"),
        ];
        refuse_options(&of_solids, "solids")?;
        check_steps("steps", self.steps)?;
        self.time_step().map(drop)
    }

    /// Checks the options for a solid.
    ///
    /// # Errors
    /// [`Error::Request`] for a GPU, no attribute, and options of surfaces.
    pub fn check_solid(&self) -> Result<()> {
        check_cpu(self.backend, "attributes of solids are smoothed")?;
        self.name()?;
        let of_surfaces = [(self.time.is_some(), "time"), (self.matrix_free, "matrix_free")];
        refuse_options(&of_surfaces, "surfaces")
    }

    /// Moves a surface of triangles along its mean curvature; its boundary stays.
    ///
    /// # Errors
    /// As [all jobs](crate::jobs#errors). The mesh is as it was then.
    pub fn run_surface(
        &self,
        mesh: &mut SurfaceMesh,
        notes: &mut dyn Notes,
    ) -> Result<SmoothReport> {
        self.check_surface()?;
        let time = self.time_step()?;
        let (cotangents, job) = if self.matrix_free {
            (Cotangents::Recomputed, SurfaceJob::MatrixFreeFlow)
        } else {
            (Cotangents::Stored, SurfaceJob::Flow)
        };
        let processor = surface_processor(mesh, self.backend, (job, self.steps), notes)?;
        let start = Instant::now();
        take_steps(mesh, processor, self.steps, |surface| surface.flow(time, cotangents), notes)?;
        Ok(self.report(start, notes))
    }

    /// Smooths an attribute of a solid: every step moves values toward the mean of their neighbors.
    /// `topology`: of the mesh.
    ///
    /// # Errors
    /// As [all jobs](crate::jobs#errors); [`Error::Request`] for an attribute that does not exist
    /// and a factor outside 0 to 1. The mesh is as it was then.
    pub fn run_solid(
        &self,
        mesh: &mut SolidMesh,
        topology: &Topology,
        notes: &mut dyn Notes,
    ) -> Result<SmoothReport> {
        self.check_solid()?;
        let start = Instant::now();
        let query = Query::of_topology(mesh, topology, QueryStrategy::Rows)?;
        let index = mesh.attribute_index(self.name()?)?;
        let attribute = &mut mesh.attributes[index];
        let fixed = |v: u32| self.fix_boundary && topology.is_on_solid_boundary(v);
        let factor = self.factor.unwrap_or(DEFAULT_FACTOR);
        let (values, width) = (&attribute.values, attribute.width);
        attribute.values = smooth_attribute(&query, values, width, self.steps, factor, fixed)?;
        Ok(self.report(start, notes))
    }

    fn time_step(&self) -> Result<f64> {
        self.time.ok_or_else(|| {
            Error::request("curvature flow needs a time step").with_help(message!(
                "give ",
                option_name("time"),
                ", in squared length units"
            ))
        })
    }

    fn name(&self) -> Result<&str> {
        self.attribute.as_deref().ok_or_else(|| {
            Error::request("curvature flow does not apply to solids").with_help(message!(
                "give ",
                option_name("attribute"),
                ", or improve its cells by ",
                Command::Untangle
            ))
        })
    }

    fn report(&self, start: Instant, notes: &mut dyn Notes) -> SmoothReport {
        let steps = counted(self.steps, "step");
        notes.status("Smoothed", format!("in {steps}, {}", since(start)));
        SmoothReport { steps: self.steps }
    }
}
