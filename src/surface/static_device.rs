//! Static evaluation on a GPU.

use std::collections::BTreeMap;

use super::limit::LeafKind;
use super::scalar::{Point, Scalar};
use super::static_refinement::{StaticRefinement, TableKey};
use crate::backend::Cuda;
use crate::backend::cuda::edge_friend::Real;
use crate::backend::cuda::surface_limit::{
    DeviceGrids, MOST_SAMPLES, PatchBatch, SurfaceLayout, TableBatch,
};
use crate::backend::cuda::surface_points::PointRows;
use crate::backend::cuda::surface_refine::Level;
use crate::error::{Error, Result};

/// The points of one level of refinement on a GPU, straight from the control points, in
/// `f32` or `f64`; see [`StaticRefinement`].
pub struct DeviceStaticRefinement<T> {
    grids: DeviceGrids<T>,
}

/// Leaves that evaluate alike.
#[derive(Default)]
struct Batch {
    nets: Vec<u32>,
    ends: Vec<u8>,
    starts: Vec<u32>,
}

impl<T: Scalar + Real> DeviceStaticRefinement<T> {
    /// Brings a level to a GPU, with room for its points.
    ///
    /// # Errors
    /// [`Error::Request`] for leaves of more than 128 × 128 points, and too little memory.
    pub fn new(refinement: &StaticRefinement, gpu: &Cuda) -> Result<Self> {
        let surface = &refinement.surface;
        if let Some(&(_, steps)) = refinement.leaves.iter().max_by_key(|&&(_, steps)| steps)
            && 1 << steps > MOST_SAMPLES
        {
            return Err(Error::request(format!(
                "{} points along the edge of a face on a GPU",
                1_u64 << steps
            ))
            .with_mend("ask for at most 7 levels"));
        }
        let mut regular: BTreeMap<u8, Batch> = BTreeMap::new();
        let mut irregular: BTreeMap<TableKey, Batch> = BTreeMap::new();
        for (leaf, &(start, steps)) in surface.leaves().iter().zip(&refinement.leaves) {
            let (batch, ends) = match leaf.kind {
                LeafKind::Regular(ends) => (regular.entry(steps).or_default(), ends),
                LeafKind::Irregular(structure, placement) => {
                    (irregular.entry((structure, placement, steps)).or_default(), 0)
                }
            };
            batch.nets.extend_from_slice(surface.net(leaf));
            batch.ends.push(ends);
            batch.starts.push(start);
        }
        let patches = regular.into_iter().map(|(steps, batch)| {
            let samples = 1 << steps;
            let weights = refinement.rows[usize::from(steps)][..samples].as_flattened();
            PatchBatch {
                samples,
                weights: weights.iter().map(|&w| T::from_f64(w)).collect(),
                nets: batch.nets,
                ends: batch.ends,
                starts: batch.starts,
            }
        });
        let tables = irregular.into_iter().map(|(key, batch)| {
            let (table, size) = (&refinement.tables[&key], 1_usize << key.2);
            let weight = |at: usize| {
                let (control, sample) = (at / (size * size), at % (size * size));
                let row = sample / size * (size + 1) + sample % size;
                T::from_f64(table.weights[row * table.controls + control])
            };
            TableBatch {
                controls: table.controls,
                weights: (0..table.controls * size * size).map(weight).collect(),
                places: (0..(size * size) as u32).collect(),
                nets: batch.nets,
                starts: batch.starts,
                tangents: Vec::new(),
            }
        });
        let mut rows = PointRows { quantities: 1, ..PointRows::default() };
        let behind = refinement.len() - refinement.slots.rest.len();
        for (k, &place) in refinement.slots.rest.iter().enumerate() {
            let (leaf, weights) = refinement.weights_at(place);
            for (&point, &weight) in surface.net(leaf).iter().zip(&weights) {
                if weight != 0.0 {
                    rows.columns.push(point);
                    rows.weights.push(T::from_f64(weight));
                }
            }
            rows.ends.push(rows.columns.len());
            rows.results.push((behind + k) as u32);
        }
        let arrays = surface.stencils().iter().map(|stencils| stencils.arrays());
        let layout = SurfaceLayout {
            controls: refinement.control_count(),
            levels: arrays
                .map(|(ends, columns, weights)| Level { ends, columns, weights })
                .collect(),
            patches: patches.collect(),
            tables: tables.collect(),
            rows,
            results: refinement.len(),
            normals: false,
        };
        Ok(Self { grids: DeviceGrids::new(gpu, &layout)? })
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
