//! Geodesic distance by the heat method, its systems solved by conjugate gradients.

use super::DeviceProcessor;
use super::solver::{System, Until};
use crate::backend::Precision;
use crate::backend::cuda::program::Kernels;
use crate::backend::cuda::query::Layout;
use crate::backend::cuda::query::steps::{THREADS, array, number};
use crate::backend::cuda::sources::{HEAT, Variant};
use crate::error::Result;
use crate::process::components::{check_reach, parts, shift_parts};
use crate::process::surface::geodesics::heat_time;
use crate::query::Op;
use crate::topology::order::Element;

/// Heat falls by many orders of magnitude away from its sources, and directions need it right
/// everywhere.
const HEAT_TOLERANCE: f64 = 1e-10;
const POISSON_TOLERANCE: f64 = 1e-12;

impl DeviceProcessor<f64> {
    /// Distance of every vertex to the nearest of `sources`, as
    /// [`Geodesics`](crate::process::surface::Geodesics). In double precision alone, whose range
    /// heat needs.
    ///
    /// # Errors
    /// [`Error::Mesh`](crate::Error::Mesh) for a face that is no triangle or has no area, or if
    /// iterations do not end; [`Error::Request`](crate::Error::Request) for sources that do not
    /// exist, vertices that no face joins to one, too little memory, or if a kernel fails.
    pub fn heat_distance(&mut self, sources: &[u32]) -> Result<Vec<f64>> {
        self.check_triangles()?;
        let count = self.mesh.points.len();
        check_reach(count, self.mesh.faces.iter(), sources.iter().copied())?;
        self.weigh()?;
        let mut marks = vec![0.0; count];
        sources.iter().for_each(|&v| marks[v as usize] = 1.0);
        let load = self.attribute(1, &marks)?.values;
        let distances =
            self.query.empty_attribute::<f64>(Element::Vertex, 1, Layout::Interleaved)?;

        let steps = &self.query.steps;
        let triangles = &self.query.mesh.face_vertices;
        let directions = steps.empty::<f64>(4 * triangles.count)?;
        let divergence = steps.empty::<f64>(count)?;
        let start = self.start()?;
        let heat = System::new(steps, self.weights()?, (1.0, heat_time(&self.mesh)), None, 1)?;
        let warmth = steps.empty::<f64>(count)?;
        let warming = heat.solve(steps, load, Until::EveryComponent(HEAT_TOLERANCE), &warmth)?;
        let kernels = Kernels::new(&steps.functions, Variant::new(&HEAT, Precision::F64));
        let fields = vec![
            array(&triangles.items),
            number(triangles.count),
            array(&self.points.values),
            array(&warmth),
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
        // singular: what is found is right but for a constant in each part
        let poisson = System::new(steps, self.weights()?, (0.0, 1.0), None, 1)?;
        let until = Until::Norm(POISSON_TOLERANCE);
        let iterations = poisson.solve(steps, divergence, until, &distances.values)?;
        self.note_time(&start)?;
        self.iterations = warming + iterations;

        let mut found = self.query.read(&distances)?;
        let parts = parts(count, self.mesh.faces.iter());
        shift_parts(&mut found, &parts, sources);
        let mut used = vec![false; count];
        self.mesh.faces.vertices().iter().for_each(|&v| used[v as usize] = true);
        let ends = found.iter_mut().zip(used);
        ends.for_each(|(d, used)| *d = if used { d.max(0.0) } else { 0.0 });
        Ok(found)
    }
}
