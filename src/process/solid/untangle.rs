//! Untangling and improving control meshes.
//!
//! The energy ([`super::energy`]) is minimized with ε falling by the rule of Garanzha et al.
//! (2021), §3.2, until every determinant is positive; then with higher powers, which stress the
//! worst corners, as the maximum of HexOpt (arXiv 2410.11656) does. A result that is worse than
//! what it came from is dropped.

use serde::Serialize;

use super::energy::Energy;
use super::lbfgs::minimize;
use super::{CellQuality, cell_quality, hexahedra};
use crate::error::Result;
use crate::mesh::SolidMesh;
use crate::refine::reorient;
use crate::topology::Topology;

/// Minimizations of falling ε at most.
const ROUNDS: usize = 60;
/// Steps of each.
const STEPS: usize = 60;
/// Powers of the energy that improve the worst corners, one after the other.
const POWERS: [i32; 4] = [1, 4, 12, 24];

/// What untangling did.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Untangled {
    /// Control cells before.
    pub before: CellQuality,
    /// And after.
    pub after: CellQuality,
    /// Vertices that moved.
    pub moved: usize,
}

/// Moves the inner vertices of a mesh of hexahedra so that no control cell is folded and the
/// worst improves; calls `progress` after each of at most 64 rounds with the cells that are
/// folded.
///
/// Vertices of the boundary, and so creases and corners, stay. The least scaled Jacobian never
/// falls, and where the boundary fixes it the mean rises; if nothing better is found, all stay. It does not matter whether cells are listed
/// right-handed.
///
/// # Errors
/// Those of [`SolidMesh::check`] and [`reorient`]; [`Error::Mesh`](crate::Error::Mesh) for cells
/// that are no hexahedra.
pub fn untangle(mesh: &mut SolidMesh, mut progress: impl FnMut(usize)) -> Result<Untangled> {
    mesh.check()?;
    hexahedra(mesh)?;
    let mut oriented = mesh.clone();
    reorient(&mut oriented)?;
    let hexes = hexahedra(&oriented)?;
    let topology = Topology::build(oriented.cells.clone(), mesh.points.len())?;
    let free: Vec<bool> = (0..mesh.points.len() as u32)
        .map(|v| !topology.is_boundary_vertex(v) && !topology.vertex_cells(v).is_empty())
        .collect();
    let quality = |points: &[[f64; 3]]| cell_quality(points, hexes);
    let before = quality(&mesh.points);
    let (mut best, mut found) = (mesh.points.clone(), before);
    if free.contains(&true) {
        let mut energy = Energy::new(hexes, &free, &best);
        if before.non_positive > 0 {
            let points =
                unfold(&mut energy, &best, |points| progress(quality(points).non_positive));
            let now = quality(&points);
            // fewer folded cells, none of them worse than the worst was
            if now.least >= found.least {
                (best, found) = (points, now);
            }
        }
        for power in POWERS {
            if found.non_positive > 0 {
                break;
            }
            energy.set_lengths(&best);
            (energy.epsilon, energy.power) = (0.0, power);
            let mut points = best.clone();
            let reach = 0.1 * shortest(&energy);
            minimize(&mut points, 2 * STEPS, reach, |points| energy.value_and_gradient(points));
            let now = quality(&points);
            // where the boundary fixes the worst, the others
            if (now.least, now.mean) > (found.least, found.mean) {
                (best, found) = (points, now);
            }
            progress(found.non_positive);
        }
    }
    let moved = mesh.points.iter().zip(&best).filter(|(a, b)| a != b).count();
    mesh.points = best;
    Ok(Untangled { before, after: found, moved })
}

/// Minimizes with falling ε until all determinants are positive.
fn unfold(
    energy: &mut Energy<'_>,
    start: &[[f64; 3]],
    mut progress: impl FnMut(&[[f64; 3]]),
) -> Vec<[f64; 3]> {
    let mut points = start.to_vec();
    (energy.epsilon, energy.power) = (1.0, 1);
    for _ in 0..ROUNDS {
        let (value, _) = energy.value_and_gradient(&points);
        let reach = 0.1 * shortest(energy);
        let reached =
            minimize(&mut points, STEPS, reach, |points| energy.value_and_gradient(points));
        let least = energy.least_determinant(&points);
        progress(&points);
        if least > 0.0 {
            break;
        }
        // ε of the next round: eq. (6) and (7) of Garanzha et al.
        let sigma = (1.0 - reached / value).max(0.1);
        let chi = |d: f64, e: f64| {
            if d > 0.0 { (d + e.hypot(d)) / 2.0 } else { e * e / (2.0 * (e.hypot(d) - d)) }
        };
        let mu = (1.0 - sigma) * chi(least, energy.epsilon);
        let next = if least < mu { 2.0 * (mu * (mu - least)).sqrt() } else { 1e-10 };
        energy.epsilon = next.clamp(1e-10, energy.epsilon);
    }
    points
}

/// The least wanted length.
fn shortest(energy: &Energy<'_>) -> f64 {
    energy.lengths.iter().flatten().copied().fold(f64::INFINITY, f64::min)
}
