//! What refinement starts from, on any processor.

use std::borrow::Cow;

use crate::error::Result;
use crate::mesh::{CreaseRule, SurfaceMesh};
use crate::surface::options::SurfaceOptions;
use crate::surface::triangulate::Triangulation;

/// A control mesh as its scheme takes it.
pub(crate) struct RefinementInput<'m> {
    /// The control mesh, of triangles if the scheme wants them.
    pub mesh: Cow<'m, SurfaceMesh>,
    /// How polygons are cut into the triangles of `mesh`.
    pub triangulation: Option<Triangulation>,
    /// Rule by which sharpness falls.
    pub rule: CreaseRule,
    /// What the user should know of the mesh so far.
    pub notices: Vec<String>,
}

impl<'m> RefinementInput<'m> {
    /// Cuts polygons into triangles where the scheme wants these.
    ///
    /// # Errors
    /// As [`Triangulation::triangles`].
    pub fn new(mesh: &'m SurfaceMesh, options: &SurfaceOptions) -> Result<Self> {
        let rule = options.crease_rule.unwrap_or(mesh.crease_rule);
        let triangulation = Triangulation::of(mesh, options.scheme);
        let notices = triangulation.iter().map(Triangulation::notice).collect();
        let mesh = match &triangulation {
            Some(cut) => Cow::Owned(cut.triangles(mesh)?),
            None => Cow::Borrowed(mesh),
        };
        Ok(Self { mesh, triangulation, rule, notices })
    }
}
