//! Static evaluation on a GPU.

use crate::numbers::Real;
use cudarc::driver::DeviceRepr;
use rayon::prelude::*;

use crate::backend::cuda::Cuda;

use crate::backend::cuda::surface::limit::{
    Grids, MAX_LEAF_SAMPLES, PatchBatch, SquareWeights, SurfaceLayout, TableBatch, TableWeights,
};
use crate::backend::cuda::surface::points::PointRows;
use crate::error::{Error, Result};
use crate::scheme::point::Point;
use crate::surface::StaticRefinement;
use crate::surface::limit::finite::FiniteWeights;
use crate::surface::stencils::static_refinement::LeafBatches;

/// The points of one level of refinement on a GPU, straight from the control points, in
/// `f32` or `f64`; see [`StaticRefinement`].
pub struct StaticRefiner<T> {
    grids: Grids<T>,
}

impl<T: Real + DeviceRepr> StaticRefiner<T> {
    /// Brings a level to a GPU, with room for its points.
    ///
    /// # Errors
    /// [`Error::Request`] for leaves of more than 128 × 128 points, and too little memory.
    pub fn new(refinement: &StaticRefinement, gpu: &Cuda) -> Result<Self> {
        let surface = &refinement.surface;
        if let Some(&(_, steps)) = refinement.leaves.iter().max_by_key(|&&(_, steps)| steps)
            && 1 << steps > MAX_LEAF_SAMPLES
        {
            return Err(Error::request(format!(
                "{} points along the edge of a face on a GPU",
                1_u64 << steps
            ))
            .with_help("ask for at most 7 levels"));
        }
        let LeafBatches { regular, irregular } = LeafBatches::of(refinement);
        let patches = regular.into_iter().map(|(steps, batch)| {
            let samples = 1 << steps;
            let weights = refinement.rows[usize::from(steps)][..samples].as_flattened();
            PatchBatch {
                samples,
                weights: weights.iter().map(|&w| T::from_f64(w)).collect(),
                nets: batch.nets,
                ends: batch.ends.iter().map(|ends| ends.bits()).collect(),
                starts: batch.starts,
            }
        });
        // leaves of one structure come one after another, however their axes lie
        let mut squares: Vec<SquareWeights<'_>> = Vec::new();
        let mut last = None;
        let tables = irregular.into_iter().map(|((structure, steps, placement), batch)| {
            let weights = refinement.leaf_weights(structure, placement, steps);
            if last.replace((structure, steps)) != Some((structure, steps)) {
                let FiniteWeights { size, weights, .. } = weights.table();
                squares.push(SquareWeights { size: *size, weights });
            }
            let (start, along) = weights.axes();
            TableBatch {
                controls: weights.controls(),
                weights: TableWeights::Square { square: squares.len() - 1, start, along },
                nets: batch.nets,
                starts: batch.starts,
                tangents: Vec::new(),
            }
        });
        let layout = SurfaceLayout {
            controls: refinement.control_count(),
            levels: surface.stencils(),
            patches: patches.collect(),
            tables: tables.collect(),
            squares,
            rows: rest(refinement),
            results: refinement.len(),
            normals: false,
        };
        Ok(Self { grids: Grids::new(gpu, &layout)? })
    }

    /// Takes positions of the control mesh.
    ///
    /// # Errors
    /// [`Error::Request`] for another number of them.
    pub fn set_controls(&mut self, points: &[[f64; 3]]) -> Result<()> {
        self.grids.set_controls(points)
    }

    /// Evaluates all points; returns the seconds that it took on the device, where they
    /// stay.
    ///
    /// # Errors
    /// [`Error::Request`] with the driver's words if a kernel fails.
    pub fn evaluate(&mut self) -> Result<f64> {
        self.grids.evaluate()
    }

    /// The points, copied to the host in the order of [`StaticRefinement::evaluate`]; slots
    /// that are not used hold points too.
    ///
    /// # Errors
    /// [`Error::Request`] if the copy fails.
    pub fn points(&self) -> Result<Vec<Point<T>>> {
        Ok(self.grids.read()?.positions)
    }
}

/// The points that no leaf has as its own, as rows of weights.
fn rest<T: Real>(refinement: &StaticRefinement) -> PointRows<T> {
    let runs = refinement.slots.rest.par_iter().map(|run| {
        let mut part = PointRows { quantities: 1, ..PointRows::default() };
        for position in run.positions() {
            let (leaf, at) = refinement.leaf_position(position);
            let net = refinement.surface.net(&refinement.surface.leaves()[leaf]);
            for (&point, weight) in net.iter().zip(refinement.weights_within(leaf, at)) {
                if weight != 0.0 {
                    part.columns.push(point);
                    part.weights.push(T::from_f64(weight));
                }
            }
            part.ends.push(part.columns.len());
        }
        part
    });
    let mut rows = PointRows { quantities: 1, ..PointRows::default() };
    for part in runs.collect::<Vec<_>>() {
        let before = rows.columns.len();
        rows.ends.extend(part.ends.iter().map(|end| before + end));
        rows.columns.extend(part.columns);
        rows.weights.extend(part.weights);
    }
    rows.results = (refinement.slots.own() as u32..refinement.len() as u32).collect();
    rows
}
