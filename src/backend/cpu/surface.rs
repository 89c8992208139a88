//! Stencils and limits of surfaces on the CPU. Limits are computed in double precision and
//! rounded to the precision of the results; stencils are computed in it.

use std::time::Instant;

use crate::backend::{SurfaceEvaluator, SurfaceResults, SurfaceTask, Values};
use crate::error::{Error, Result};
use crate::mesh::check_point_count;
use crate::numbers::Real;
use crate::plan::Want;
use crate::surface::SurfaceStencils;
use crate::surface::limit::{GridLimit, LimitSurface, SurfaceGrid, SurfaceLocation, VertexMasks};

/// Computes results from control points.
struct CpuSurfaceEvaluator<F> {
    vertex_count: usize,
    controls: Option<Vec<[f64; 3]>>,
    run: F,
    results: SurfaceResults,
}

impl<F: FnMut(&[[f64; 3]], &mut SurfaceResults) -> Result<()>> CpuSurfaceEvaluator<F> {
    fn new(vertex_count: usize, run: F) -> Self {
        Self { vertex_count, controls: None, run, results: SurfaceResults::default() }
    }
}

impl<F: FnMut(&[[f64; 3]], &mut SurfaceResults) -> Result<()>> SurfaceEvaluator
    for CpuSurfaceEvaluator<F>
{
    fn set_controls(&mut self, points: &[[f64; 3]]) -> Result<()> {
        check_point_count(points.len(), self.vertex_count)?;
        let own = self.controls.get_or_insert_default();
        own.clear();
        own.extend_from_slice(points);
        Ok(())
    }

    fn evaluate(&mut self) -> Result<f64> {
        let Some(controls) = &self.controls else {
            return Err(Error::request("an evaluation without control points")
                .with_help("set control points first"));
        };
        let start = Instant::now();
        (self.run)(controls, &mut self.results)?;
        Ok(start.elapsed().as_secs_f64())
    }

    fn read(&self, results: &mut SurfaceResults) -> Result<()> {
        results.clone_from(&self.results);
        Ok(())
    }
}

/// Numbers in precision `T`.
fn put<T: Real>(values: &mut Values, from: &[f64]) {
    let to = values.numbers::<T>().reserve(from.len());
    to.iter_mut().zip(from).for_each(|(to, &x)| *to = T::from_f64(x));
}

/// An evaluator with results in precision `T`.
pub(super) fn prepare<'s, T: Real>(
    task: SurfaceTask<'s>,
) -> Result<Box<dyn SurfaceEvaluator + 's>> {
    match task {
        SurfaceTask::Stencils(own) => stencils::<T>(own),
        SurfaceTask::Grid(own) => Ok(grid::<T>(own)),
        SurfaceTask::Places(surface, own, want) => places::<T>(surface, own, want),
        SurfaceTask::Vertices(masks) => Ok(vertices::<T>(masks)),
    }
}

/// The points of a level.
fn stencils<'s, T: Real>(stencils: &'s SurfaceStencils) -> Result<Box<dyn SurfaceEvaluator + 's>> {
    let mut evaluator = stencils.evaluator::<T>()?;
    let (mut rounded, mut points) = (Vec::new(), Vec::new());
    Ok(Box::new(CpuSurfaceEvaluator::new(stencils.control_count(), move |controls, results| {
        rounded.clear();
        rounded.extend(controls.iter().map(|p| p.map(T::from_f64)));
        evaluator.evaluate_into(&rounded, &mut points)?;
        results.positions.copy_from(points.as_flattened());
        Ok(())
    })))
}

/// Limit points of all elements.
fn grid<'s, T: Real>(grid: &'s SurfaceGrid<'s>) -> Box<dyn SurfaceEvaluator + 's> {
    let surface = grid.surface;
    let mut limit = GridLimit::default();
    Box::new(CpuSurfaceEvaluator::new(surface.vertex_count(), move |controls, results| {
        let refined = surface.refined_points(controls)?;
        grid.evaluate(&refined, 0..surface.elements().len(), &mut limit)?;
        put::<T>(&mut results.positions, &limit.positions);
        put::<T>(&mut results.normals, &limit.normals);
        results.derivatives.resize(if grid.normals { 2 } else { 0 }, Values::default());
        for (values, from) in results.derivatives.iter_mut().zip(&limit.derivatives) {
            put::<T>(values, from);
        }
        Ok(())
    }))
}

/// Limit points at places.
fn places<'s, T: Real>(
    surface: &'s LimitSurface,
    places: &'s [SurfaceLocation],
    want: Want,
) -> Result<Box<dyn SurfaceEvaluator + 's>> {
    places.iter().enumerate().try_for_each(|(i, place)| surface.check(i, place))?;
    Ok(Box::new(CpuSurfaceEvaluator::new(surface.vertex_count(), move |controls, results| {
        let limit = surface.evaluate(controls, places, want)?;
        put::<T>(&mut results.positions, limit.positions.as_flattened());
        let all = [&limit.d_u, &limit.d_v, &limit.d_uu, &limit.d_uv, &limit.d_vv];
        let wanted = all.iter().filter(|values| !values.is_empty());
        results.derivatives.resize(wanted.clone().count(), Values::default());
        for (values, from) in results.derivatives.iter_mut().zip(wanted) {
            put::<T>(values, from.as_flattened());
        }
        put::<T>(&mut results.normals, limit.normals.as_flattened());
        Ok(())
    })))
}

/// Limits at the vertices.
fn vertices<'s, T: Real>(masks: &'s VertexMasks) -> Box<dyn SurfaceEvaluator + 's> {
    Box::new(CpuSurfaceEvaluator::new(masks.positions().len(), move |controls, results| {
        put::<T>(&mut results.positions, masks.limit_positions(controls)?.as_flattened());
        put::<T>(&mut results.normals, masks.limit_normals(controls)?.as_flattened());
        Ok(())
    }))
}
