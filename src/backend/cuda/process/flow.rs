//! Mean curvature flow.

use cudarc::driver::DeviceRepr;

use super::ResidentSurface;
use super::solver::{StopRule, System, apply, threads, variant};
use crate::backend::Precision;
use crate::backend::cuda::driver::program::Kernels;
use crate::backend::cuda::query::steps::{array, number};
use crate::error::Result;
use crate::numbers::Real;
use crate::process::surface::Cotangents;
use crate::process::surface::flow::check_time;
use crate::topology::order::EntityKind;

impl<T: Real + DeviceRepr> ResidentSurface<T> {
    /// Moves the points by an implicit step of mean curvature flow, as
    /// [`curvature_flow`](crate::process::surface::curvature_flow): by conjugate gradients, until
    /// the residual has fallen by 10¹² in double precision, 10⁶ in single.
    ///
    /// # Errors
    /// [`Error::Mesh`](crate::Error::Mesh) for a face that is not a triangle or has no area, or if
    /// iterations do not end; [`Error::Request`](crate::Error::Request) for a time that is not
    /// positive or above 10⁶ squared sizes of the surface, too little memory, or if a kernel fails.
    pub fn flow(&mut self, time: f64, cotangents: Cotangents) -> Result<()> {
        check_time(time, &self.mesh)?;
        let sums = self.prepare(cotangents)?;
        let fixed = self.ends()?;
        let count = self.query.count(EntityKind::Vertex);
        let load = self.query.steps.empty::<T>(3 * count)?;
        let start = self.start()?;
        // (M + time L) d = -time L p for the displacements d of the points p
        let (steps, products) = (&self.query.steps, self.products(sums.as_ref())?);
        let system = System::new(steps, products, 3, 1.0, time, Some(&fixed))?;
        let of = &self.points.values;
        steps.enqueue(&[apply(steps, products, 3, -time, Some(&fixed), of, &load)?])?;
        let tolerance = if T::PRECISION == Precision::F64 { 1e-12 } else { 1e-6 };
        let displacements = steps.empty::<T>(3 * count)?;
        let iterations = system.solve(steps, load, StopRule::Norm(tolerance), &displacements)?;
        let kernels = Kernels::new(&steps.functions, variant(T::PRECISION, 3, cotangents));
        let arguments = vec![array(&displacements), number(count), array(&self.points.values)];
        let threads = threads(T::PRECISION, 3);
        steps.enqueue(&[kernels.items("add", count, threads, arguments)?])?;
        self.note_time(&start)?;
        self.iterations = iterations;
        self.note_moved();
        Ok(())
    }
}
