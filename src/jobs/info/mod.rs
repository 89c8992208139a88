//! Describes a solid or a surface: counts, classes, and whether the limit is at the vertices.

mod report;
mod rows;

use std::path::PathBuf;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::output::{check_page, write_page};
use super::processor::refuse_options;
use super::{Notes, since};
use crate::error::Result;
use crate::limit::Solid;
use crate::mesh::{SolidMesh, SurfaceMesh};
use crate::numbers::counted;
use crate::scheme::Scheme;
use crate::surface::SurfaceSummary;
use crate::topology::Topology;
use crate::view::{Page, ViewOptions};
pub use report::InfoReport;
use rows::table;
pub use rows::{InfoRows, evaluation_rows, solid_rows, surface_rows};

/// What is asked of the description of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(default)]
pub struct InfoRequest {
    /// Also list how cells are evaluated: leaves of the local refinement, the published kernels for
    /// them (Besler et al. 2022; a GPU runs them with --strategy thread, warp and hybrid), and
    /// structures with the condition number of their eigenvectors and their reconstruction error
    #[cfg_attr(feature = "cli", arg(long, short))]
    pub verbose: bool,
    /// Write the report and a picture of the model as a web page: .html
    #[cfg_attr(feature = "cli", arg(long, value_name = "OUT"))]
    pub report: Option<PathBuf>,
}

impl InfoRequest {
    /// Checks the options by themselves.
    ///
    /// # Errors
    /// As [`check_page`].
    pub fn check(&self) -> Result<()> {
        self.report.as_deref().map_or(Ok(()), check_page)
    }

    /// Checks the options for a surface.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) for an option of solids.
    pub fn check_surface(&self) -> Result<()> {
        refuse_options(&[(self.verbose, "verbose")], "solids")
    }

    /// Describes a solid of this [topology](Topology::of_mesh). `title`: of the page.
    ///
    /// # Errors
    /// As [all jobs](crate::jobs#errors).
    pub fn run(
        &self,
        mesh: &SolidMesh,
        topology: Topology,
        title: &str,
        notes: &mut dyn Notes,
    ) -> Result<InfoReport> {
        self.check()?;
        let start = Instant::now();
        notes.begin("Counting");
        let info = InfoReport::new(mesh, &topology)?;
        let solid = if self.verbose || self.report.is_some() {
            notes.begin("Analyzing");
            Some(Solid::with_topology(mesh, topology)?)
        } else {
            None
        };
        let cells = counted(mesh.cells.len(), "cell");
        notes.status("Analyzed", format!("{cells} in {}", since(start)));
        match solid {
            Some(solid) => self.detail(info, (mesh, &solid), title, notes),
            None => Ok(info),
        }
    }

    /// [`InfoRequest::run`] for a solid that is analyzed already, and the mesh that it was made of.
    ///
    /// # Errors
    /// As [`InfoRequest::run`].
    pub fn run_analyzed(
        &self,
        mesh: &SolidMesh,
        solid: &Solid,
        title: &str,
        notes: &mut dyn Notes,
    ) -> Result<InfoReport> {
        self.check()?;
        let info = InfoReport::new(mesh, solid.topology())?;
        self.detail(info, (mesh, solid), title, notes)
    }

    /// Adds how cells are evaluated, and writes the page, as asked for.
    fn detail(
        &self,
        mut info: InfoReport,
        (mesh, solid): (&SolidMesh, &Solid),
        title: &str,
        notes: &mut dyn Notes,
    ) -> Result<InfoReport> {
        if self.verbose {
            notes.begin("Decomposing");
            info.summary = info.summary.with_evaluation(solid);
        }
        if let Some(path) = &self.report {
            notes.begin("Drawing");
            let page = Page::of_analyzed(mesh, solid, &ViewOptions::titled(title))?;
            let mut tables = vec![table("Control mesh", solid_rows(&info))];
            if let Some(summary) = &info.summary.evaluation {
                let rows = evaluation_rows(summary, |what| notes.words(what));
                tables.push(table("How cells evaluate", rows));
            }
            write_page(path, page, tables, notes)?;
        }
        Ok(info)
    }

    /// Describes a surface. `title`: of the page.
    ///
    /// # Errors
    /// As [all jobs](crate::jobs#errors); [`Error::Request`](crate::Error::Request) for an option
    /// of solids.
    pub fn run_surface(
        &self,
        mesh: &SurfaceMesh,
        title: &str,
        notes: &mut dyn Notes,
    ) -> Result<SurfaceSummary> {
        self.check()?;
        self.check_surface()?;
        let summary = SurfaceSummary::new(mesh)?;
        if let Some(path) = &self.report {
            let page = Page::of_surface(mesh, Scheme::default(), 0, &ViewOptions::titled(title))?;
            write_page(path, page, vec![table("Control mesh", surface_rows(&summary))], notes)?;
        }
        Ok(summary)
    }
}
