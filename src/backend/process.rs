//! Processing of surfaces on a processor, in double precision.

use crate::error::Result;
use crate::mesh::SurfaceMesh;
use crate::plan::SurfaceJob;
use crate::process::surface::{
    Cotangents, DistanceMethod, Geodesics, curvature_flow, denoise, toplesets, vertex_normals,
};

/// A surface on a processor, for the jobs of [`process::surface`](crate::process::surface). Results
/// are in the ids of the mesh. Results of devices and the CPU differ by rounding.
///
/// Calls may come in any order. Each takes the points where [`Self::flow`] and [`Self::denoise`]
/// have moved them, and all others leave the points alone. The caller's mesh does not move before
/// [`Self::update`].
///
/// # Errors
/// All methods fail with [`Error::Request`](crate::Error::Request) if a device fails or its memory is
/// too small.
pub trait SurfaceProcessor: Send {
    /// The points `[vertex]`, as jobs have moved them.
    fn points(&self) -> Result<Vec<[f64; 3]>>;

    /// Moves the points of `mesh`, which the processor was made of, to where jobs have moved them.
    /// Normals that the mesh has follow the moved surface.
    fn update(&mut self, mesh: &mut SurfaceMesh) -> Result<()> {
        let points = self.points()?;
        if points == mesh.points {
            return Ok(());
        }
        mesh.points = points;
        if SurfaceMesh::normals(mesh).is_some() {
            mesh.set_normals(self.normals()?);
        }
        Ok(())
    }

    /// Unit normals; see [`vertex_normals`].
    ///
    /// # Errors
    /// As [`vertex_normals`].
    fn normals(&mut self) -> Result<Vec<[f64; 3]>>;

    /// Moves the points by a step of mean curvature flow; see [`curvature_flow`].
    ///
    /// # Errors
    /// As [`curvature_flow`].
    fn flow(&mut self, time: f64, cotangents: Cotangents) -> Result<()>;

    /// Moves the points by a sweep of the bilateral filter; see [`denoise`].
    ///
    /// # Errors
    /// As [`denoise`].
    fn denoise(&mut self, rings: usize) -> Result<()>;

    /// Distances to `sources` by the heat method; see [`Geodesics`].
    ///
    /// # Errors
    /// As [`Geodesics`]; on a device, if iterations do not end.
    fn heat_distance(&mut self, sources: &[u32]) -> Result<Vec<f64>>;

    /// Distances to `sources` by toplesets; see [`toplesets`].
    ///
    /// # Errors
    /// As [`toplesets`].
    fn toplesets(&mut self, sources: &[u32]) -> Result<Vec<f64>>;

    /// Distances to `sources` by a method.
    ///
    /// # Errors
    /// As the function of the method: [`Self::heat_distance`] or [`Self::toplesets`].
    fn distance(&mut self, method: DistanceMethod, sources: &[u32]) -> Result<Vec<f64>> {
        match method {
            DistanceMethod::Heat => self.heat_distance(sources),
            DistanceMethod::Toplesets => self.toplesets(sources),
        }
    }
}

impl From<DistanceMethod> for SurfaceJob {
    fn from(method: DistanceMethod) -> Self {
        match method {
            DistanceMethod::Heat => Self::Heat,
            DistanceMethod::Toplesets => Self::Toplesets,
        }
    }
}

/// On the CPU the mesh is all that is kept.
impl SurfaceProcessor for SurfaceMesh {
    fn points(&self) -> Result<Vec<[f64; 3]>> {
        Ok(self.points.clone())
    }

    fn normals(&mut self) -> Result<Vec<[f64; 3]>> {
        vertex_normals(self)
    }

    fn flow(&mut self, time: f64, cotangents: Cotangents) -> Result<()> {
        self.points = curvature_flow(self, time, cotangents)?;
        Ok(())
    }

    fn denoise(&mut self, rings: usize) -> Result<()> {
        self.points = denoise(self, rings)?;
        Ok(())
    }

    fn heat_distance(&mut self, sources: &[u32]) -> Result<Vec<f64>> {
        Geodesics::new(self)?.distance(sources)
    }

    fn toplesets(&mut self, sources: &[u32]) -> Result<Vec<f64>> {
        toplesets(self, sources)
    }
}
