//! Shows a solid or a surface: as a page for browsers, or as a colored `.glb`.

mod request;

use std::path::Path;
use std::time::Instant;

use serde::Serialize;

use super::Notes;
use super::output::{warn_of_lost_data, written};
use super::surface_file::{WrittenSurface, write_skin};
use crate::error::Result;
use crate::limit::Solid;
use crate::memory::decimal_bytes;
use crate::mesh::{SolidMesh, SurfaceMesh};
use crate::scheme::Scheme;
use crate::slice::surface_fingerprint;
use crate::surface::triangulate::cut_notice;
use crate::view::{Page, SkinPolygons, WorstCell};
pub use request::{ViewFormat, ViewRequest};

/// What is said while a page is made.
const DRAWING: &str = "Drawing";

/// A model that is shown.
#[derive(Clone, Debug)]
pub struct ViewModel<'m> {
    /// The model, refined as asked for.
    pub model: ViewMesh<'m>,
    /// Title of a page that is asked for without one.
    pub title: &'m str,
    /// When the job began, for its duration.
    pub start: Instant,
}

/// The mesh of a model that is shown.
#[derive(Clone, Debug)]
pub enum ViewMesh<'m> {
    /// A solid.
    Solid {
        /// Its control mesh.
        mesh: &'m SolidMesh,
        /// What was found of the mesh; `None` if it is not analyzed yet.
        solid: Option<&'m Solid>,
        /// The [fingerprint](crate::slice::fingerprint()) that its layers have; `None` if they are not
        /// [compared](ViewRequest::compares_layers).
        fingerprint: Option<String>,
    },
    /// A surface.
    Surface(&'m SurfaceMesh),
}

impl ViewMesh<'_> {
    /// The fingerprints that layers of the model may have.
    fn fingerprints(&self) -> Vec<String> {
        match self {
            Self::Solid { fingerprint, .. } => fingerprint.iter().cloned().collect(),
            // by whatever scheme it was sliced
            Self::Surface(mesh) => {
                Scheme::ALL.map(|scheme| surface_fingerprint(mesh, scheme)).to_vec()
            }
        }
    }
}

/// The report on a page; for .glb files `view` prints the report `surface`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct PageReport {
    /// Name of the file written.
    pub output: String,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// Largest estimated distance of the shown boundary from the limit, in length units: 0 with
    /// --linear and of .stl and .3mf files without --scheme, null for the triangles of surfaces by other schemes than Catmull-Clark.
    pub error_bound: Option<f64>,
    /// The cell with the least scaled Jacobian; null for surfaces.
    pub worst: Option<WorstCell>,
    /// Duration of the whole job, in seconds.
    pub seconds: f64,
}

/// What a view has written.
#[derive(Clone, Debug, PartialEq)]
pub enum ViewReport {
    /// A page.
    Page(PageReport),
    /// The boundary, as binary glTF.
    Glb(WrittenSurface),
}

impl ViewRequest {
    /// Writes a page, or a `.glb`, by the ending of `output`.
    ///
    /// # Errors
    /// As [all jobs](crate::jobs#errors); [`Error::Request`](crate::Error::Request) for more pieces
    /// than a page holds.
    pub fn run(
        &self,
        shown: &ViewModel<'_>,
        output: &Path,
        notes: &mut dyn Notes,
    ) -> Result<ViewReport> {
        if self.check(output)? == ViewFormat::Glb {
            let skin = self.skin(&shown.model, output, notes)?;
            let written = write_skin(output, skin, self.glb.options(output)?, notes)?;
            return Ok(ViewReport::Glb(written));
        }
        let page = self.page(shown, notes)?;
        if let Some(WorstCell { scaled_jacobian, cell, .. }) = page.worst() {
            let worst = format!("the least scaled Jacobian {scaled_jacobian:.4} in cell {cell}");
            notes.status("Found", worst);
        }
        notes.begin("Writing");
        let bytes = page.write(output)?;
        let size = decimal_bytes(bytes.into());
        notes.status("Wrote", written(output.display(), size, shown.start));
        Ok(ViewReport::Page(PageReport {
            output: output.display().to_string(),
            bytes,
            error_bound: page.error(),
            worst: page.worst(),
            seconds: shown.start.elapsed().as_secs_f64(),
        }))
    }

    /// The page of a model, with the layers that are asked for beside it.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) for options that neither format nor model has a
    /// use for, an unknown array, and more pieces than a page holds;
    /// [`Error::Mesh`](crate::Error::Mesh) for a defect of the mesh or its creases;
    /// [`Error::File`](crate::Error::File) for layers that cannot be read.
    pub fn page(&self, shown: &ViewModel<'_>, notes: &mut dyn Notes) -> Result<Page> {
        self.check_of_format(ViewFormat::Html)?;
        let options = self.options(shown.title);
        let mut page = match shown.model {
            ViewMesh::Solid { mesh, solid, .. } => {
                self.check_of_solid()?;
                notes.begin(DRAWING);
                match solid {
                    _ if self.linear => Page::of_cells(mesh, &options)?,
                    Some(solid) => Page::of_analyzed(mesh, solid, &options)?,
                    None => Page::of_solid(mesh, &options)?,
                }
            }
            ViewMesh::Surface(mesh) => {
                let levels = self.check_of_surface(mesh)?;
                notes.begin(DRAWING);
                let page = if self.is_linear(mesh) {
                    Page::of_polygons(mesh, &options)?
                } else {
                    Page::of_surface(mesh, self.scheme.unwrap_or_default(), levels, &options)?
                };
                self.warn_of_cuts(mesh, notes);
                page
            }
        };
        if let Some(folder) = &self.slices {
            let images = page.add_slices(folder)?;
            let notices = images.notices(folder, &shown.model.fingerprints());
            notices.into_iter().for_each(|notice| notes.warn(notice.into()));
        }
        Ok(page)
    }

    /// What the `.glb` of a model shows; says what it leaves out.
    fn skin(
        &self,
        model: &ViewMesh<'_>,
        output: &Path,
        notes: &mut dyn Notes,
    ) -> Result<SkinPolygons> {
        let options = self.skin_options();
        match *model {
            ViewMesh::Solid { mesh, solid, .. } => {
                self.check_of_solid()?;
                warn_of_lost_data(mesh, false, Some(output), notes);
                notes.begin(DRAWING);
                match solid {
                    _ if self.linear => SkinPolygons::of_cells(mesh, &options),
                    Some(solid) => SkinPolygons::of_analyzed(mesh, solid, &options),
                    None => SkinPolygons::of_solid(mesh, &options),
                }
            }
            ViewMesh::Surface(mesh) => {
                let levels = self.check_of_surface(mesh)?;
                notes.begin(DRAWING);
                let skin = if self.is_linear(mesh) {
                    SkinPolygons::of_polygons(mesh.without_holes().into_owned(), &options)?
                } else {
                    let scheme = self.scheme.unwrap_or_default();
                    SkinPolygons::of_surface(mesh, scheme, levels, &options)?
                };
                self.warn_of_cuts(mesh, notes);
                Ok(skin)
            }
        }
    }

    /// Warns of faces that a scheme cuts into triangles.
    fn warn_of_cuts(&self, mesh: &SurfaceMesh, notes: &mut dyn Notes) {
        if !self.is_linear(mesh) {
            let notice = cut_notice(mesh, self.scheme.unwrap_or_default());
            notice.into_iter().for_each(|notice| notes.warn(notice.into()));
        }
    }
}
