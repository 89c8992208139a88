//! Geodesic distance by the heat method, its systems solved by conjugate gradients.
//!
//! The heat's matrix is near its diagonal, which is its preconditioner. Multigrid cycles need
//! fewer iterations, but spread heat too far, whose small values far away then drown in rounding;
//! so they serve the Poisson equation alone.

use std::cell::Cell;

use super::ResidentSurface;
use super::heat_system::Heat;
use super::multigrid::MultigridLevels;
use super::solver::{StopRule, System};
use crate::backend::Precision;
use crate::backend::cuda::driver::buffer::Buffer;
use crate::backend::cuda::driver::program::Kernels;
use crate::backend::cuda::driver::sources::{HEAT, Variant};
use crate::backend::cuda::query::AttributeLayout;
use crate::backend::cuda::query::steps::{THREADS, array, number};
use crate::error::{Error, Result};
use crate::mesh::components;
use crate::process::components::{check_reach, leave_unused};
use crate::process::surface::cotangent;
use crate::process::surface::geodesics::{heat_distance, heat_times};
use crate::query::Op;
use crate::topology::order::EntityKind;

/// Heat falls by many orders of magnitude away from its sources, and directions need it right
/// everywhere.
const HEAT_TOLERANCE: f64 = 1e-10;
const POISSON_TOLERANCE: f64 = 1e-12;

impl ResidentSurface<f64> {
    /// Distance of every vertex to the nearest of `sources`, as
    /// [`Geodesics`](crate::process::surface::Geodesics). In double precision alone, whose range
    /// heat needs.
    ///
    /// # Errors
    /// [`Error::Mesh`] for a face that is not a triangle or has no area, or if
    /// iterations do not end; [`Error::Request`] for sources that do not
    /// exist, vertices that no face joins to one, too little memory, or if a kernel fails.
    pub fn heat_distance(&mut self, sources: &[u32]) -> Result<Vec<f64>> {
        self.weigh()?;
        let count = self.mesh.points.len();
        let labels = check_reach(count, self.faces().iter(), sources.iter().copied())?;
        self.store_heat()?;
        // L is singular: a vertex of each component is fixed at 0, exactly, for loads sum to 0
        let fixed: Vec<u32> = (0..).zip(&labels).map(|(v, &of)| u32::from(v == of)).collect();
        let fixed =
            self.query.attribute(EntityKind::Vertex, 1, AttributeLayout::Interleaved, &fixed)?;
        let empty = || {
            let layout = AttributeLayout::Interleaved;
            self.query.empty_attribute::<f64>(EntityKind::Vertex, 1, layout)
        };

        let steps = &self.query.steps;
        let triangles = &self.query.mesh.face_vertices;
        let directions = steps.empty::<f64>(4 * triangles.count)?;
        let divergence = steps.empty::<f64>(count)?;
        let start = self.start()?;
        let Heat { time, masses, levels } = self.heat()?;
        let mut products = self.weights()?.products();
        if let Some(masses) = masses {
            products.masses = masses;
        }
        let system = System::new(steps, products, 1, 1.0, *time, None)?;
        let iterations = Cell::new(0);
        let warm = |load: &[f64]| {
            let (load, warmth) = (self.attribute(1, load)?.values, empty()?);
            let stop = StopRule::EveryComponent(HEAT_TOLERANCE);
            let more = system.solve(steps, load, stop, &warmth.values)?;
            iterations.set(iterations.get() + more);
            self.query.read(&warmth)
        };
        let kernels = Kernels::new(&steps.functions, Variant::new(&HEAT, Precision::F64));
        let follow = |heat: &[f64]| {
            let (warmth, distances) = (self.attribute(1, heat)?, empty()?);
            let fields = vec![
                array(&triangles.items),
                number(triangles.count),
                array(&self.points.values),
                array(&warmth.values),
                array(&directions),
            ];
            let diverge = vec![
                self.query.lists(Op::VF)?.words(),
                array(&triangles.items),
                number(count),
                array(&self.points.values),
                array(&directions),
                array(&divergence),
            ];
            steps.enqueue(&[
                kernels.items("point_fields", triangles.count, THREADS, fields)?,
                kernels.items("diverge", count, THREADS, diverge)?,
            ])?;
            let (weights, x, fixed) = (self.weights()?, &distances.values, &fixed.values);
            let more = levels.solve(steps, weights, fixed, divergence, POISSON_TOLERANCE, x)?;
            iterations.set(iterations.get() + more);
            self.query.read(&distances)
        };
        let areas = cotangent::dual_areas(&self.mesh.points, self.faces().vertices().as_chunks().0);
        let mut found = heat_distance(&areas, &labels, sources, warm, follow)?;
        leave_unused(&mut found, self.faces().vertices());
        self.note_time(&start)?;
        self.iterations = iterations.get();
        Ok(found)
    }

    /// Stores what all distances on the surface share, if it is not there; the weights are.
    fn store_heat(&mut self) -> Result<()> {
        if self.heat.is_none() {
            let weights = self.cotangents.as_ref();
            let weights = weights.ok_or_else(|| Error::request("no weights are stored"))?;
            let levels = MultigridLevels::new(&mut self.query.steps, weights)?;
            let (time, masses) = self.heat_time()?;
            self.heat = Some(Heat { time, masses, levels });
        }
        Ok(())
    }

    /// The time and the masses of [`Heat`]: (M + tᵢ L) of a component is (t / tᵢ M + t L) but for a
    /// factor, which directions of heat do not have.
    fn heat_time(&self) -> Result<(f64, Option<Buffer<f64>>)> {
        let points = &self.mesh.points;
        let triangles = self.faces().vertices().as_chunks().0;
        let labels = components(points.len(), triangles.iter().map(|face| &face[..]));
        let times = heat_times(points, triangles, &labels);
        let longest = times.iter().copied().fold(0.0, f64::max);
        if times.iter().all(|&time| time == 0.0 || time == longest) {
            return Ok((longest, None));
        }
        let mut masses = cotangent::dual_areas(points, triangles);
        for (mass, &component) in masses.iter_mut().zip(&labels) {
            // times of vertices of no face, whose masses are 0, are 0
            *mass *= longest / times[component as usize].max(f64::MIN_POSITIVE);
        }
        Ok((longest, Some(self.attribute(1, &masses)?.values)))
    }

    fn heat(&self) -> Result<&Heat> {
        self.heat.as_ref().ok_or_else(|| Error::request("no levels are stored"))
    }
}
