//! Distance through a solid by the heat method, its systems solved by conjugate gradients.
//!
//! The host assembles the systems of trilinear elements, as
//! [`process::solid`](crate::process::solid) does; a system is solved by one cooperative launch of
//! `kernels/process/solve.cu`.

use super::slices::{LANES, Slices};
use super::solver::{Matrix, System, Until};
use crate::backend::cuda::Cuda;
use crate::backend::cuda::memory::Buffer;
use crate::backend::cuda::query::steps::Steps;
use crate::error::Result;
use crate::mesh::SolidMesh;
use crate::process::solid::{Seed, Stage, volume_distance_by};
use crate::process::sparse::Symmetric;

/// Directions of the gradient need heat right far from the seeds too.
const HEAT_TOLERANCE: f64 = 1e-10;
const DISTANCE_TOLERANCE: f64 = 1e-12;

/// Distance of every vertex of the control mesh to the nearest seed, as
/// [`process::solid::volume_distance`](crate::process::solid::volume_distance) but for rounding; in
/// double precision, whose range heat needs.
///
/// # Errors
/// As there; [`Error::Mesh`](crate::Error::Mesh) if iterations do not end,
/// [`Error::Request`](crate::Error::Request) for too little memory, or if a kernel fails.
pub fn volume_distance(gpu: &Cuda, mesh: &SolidMesh, seeds: &[Seed]) -> Result<Vec<f64>> {
    let steps = Steps::new(gpu)?;
    volume_distance_by(mesh, seeds, |matrix, load, stage| {
        let matrix = bring(&steps, &matrix, load.len())?;
        let system = System::new(&steps, &matrix, (0.0, 1.0), None, 1)?;
        let x = steps.empty::<f64>(load.len())?;
        let until = match stage {
            Stage::Heat => Until::EveryComponent(HEAT_TOLERANCE),
            Stage::Distance => Until::Norm(DISTANCE_TOLERANCE),
        };
        system.solve(&steps, steps.of(&load)?, until, &x)?;
        x.read(&steps.stream)
    })
}

/// The rows of a matrix in slices on the device.
fn bring(steps: &Steps, matrix: &Symmetric, size: usize) -> Result<Matrix<f64>> {
    let rows = matrix.rows(size);
    let mut starts = vec![0_u32];
    let (mut ids, mut weights) = (Vec::new(), Vec::new());
    let mut diagonal = vec![0.0; size];
    for (s, slice) in rows.chunks(LANES).enumerate() {
        // all but the diagonal
        let width = slice.iter().map(|row| row.len().saturating_sub(1)).max().unwrap_or(0);
        let first = ids.len();
        ids.resize(first + width * LANES, 0);
        weights.resize(first + width * LANES, 0.0);
        starts.push(starts[s] + width as u32);
        for (lane, row) in slice.iter().enumerate() {
            let own = s * LANES + lane;
            let mut at = first + lane;
            for &(column, value) in row {
                if column as usize == own {
                    diagonal[own] = value;
                } else {
                    (ids[at], weights[at]) = (column, -value);
                    at += LANES;
                }
            }
            // entries that fill up a row have no weight
            for at in (at..ids.len()).step_by(LANES) {
                ids[at] = own as u32;
            }
        }
    }
    let slices = Slices { starts: steps.of(&starts)?, items: ids.len() };
    Ok(Matrix {
        slices,
        ids: steps.of(&ids)?,
        weights: steps.of(&weights)?,
        diagonal: steps.of(&diagonal)?,
        masses: Buffer::zeros(&steps.stream, size)?,
    })
}
