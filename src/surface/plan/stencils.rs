//! The stencils of a plan.

use super::SurfacePlan;
use crate::error::{Error, Result, option};
use crate::mesh::SurfaceMesh;
use crate::surface::options::{Method, SurfaceOptions};
use crate::surface::stencils::SurfaceStencils;
use crate::surface::stencils::static_refinement::StaticRefinement;
use crate::topology::NONE;

impl SurfacePlan {
    /// The weights of all points over the control points.
    ///
    /// # Errors
    /// [`Error::Request`] unless the plan is of [`Method::Single`] or [`Method::Static`], and for
    /// the latter at level 0.
    pub fn stencils(&self) -> Result<&SurfaceStencils> {
        self.stencils.as_deref().ok_or_else(|| {
            Error::request("stencils of a plan that refines level by level").with_help(message!(
                "plan with ",
                option("method", "single"),
                " or static, at least one level"
            ))
        })
    }

    /// Gives the weights up, for those who have them elsewhere.
    #[allow(dead_code, reason = "backends for devices use it")]
    pub(crate) fn forget_stencils(&mut self) {
        self.stencils = None;
    }

    /// Stencils as the options say; `None` where the plan refines level by level.
    pub(super) fn build_stencils(&self, mesh: &SurfaceMesh) -> Result<Option<SurfaceStencils>> {
        match self.options.method {
            Method::Single => {
                let matrix = self.single_matrix()?;
                Ok(Some(SurfaceStencils::single(matrix, self.control_vertices)))
            }
            Method::Static if self.options.levels > 0 => self.factored(mesh).map(Some),
            _ => Ok(None),
        }
    }

    fn factored(&self, mesh: &SurfaceMesh) -> Result<SurfaceStencils> {
        let SurfaceOptions { scheme, levels, crease_rule, .. } = self.options;
        let rule = crease_rule.unwrap_or(mesh.crease_rule);
        let refinement = match self.control_topology() {
            Some(topology) => StaticRefinement::of_topology(mesh, topology, scheme, levels, rule)?,
            None => StaticRefinement::new(mesh, scheme, levels)?,
        };
        let surface = &refinement.surface;
        let slot = |place: &Option<crate::surface::limit::SurfaceLocation>| {
            place.as_ref().map_or(NONE, |place| {
                let element = place.element as usize;
                let split = usize::from(surface.elements()[element].corner.is_some());
                // parameters are multiples of 2 to the power of minus the level
                let side = f64::from(1_u32 << (levels - split));
                refinement.point_at(element, place.parameters.map(|x| (x * side) as u32))
            })
        };
        let slots = self.places()?.iter().map(slot).collect();
        SurfaceStencils::factored(refinement, slots)
    }
}
