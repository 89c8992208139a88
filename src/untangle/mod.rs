//! Untangling and improving control meshes.
//!
//! The energy (`energy.rs`) is minimized with ε falling by the rule of Garanzha et al.
//! (2021), §3.2, until every determinant is positive; then with higher powers, which stress the
//! worst corners, as the maximum of HexOpt (arXiv 2410.11656) does. Where cells stay folded in a
//! thin mesh, ε falls once more in a space in which it is not thin. A result that is worse than
//! what it came from is dropped, and where more cells of the limit would be folded, points go a
//! part of the way only.

mod determinant;
mod determinant_bound;
mod energy;
mod lbfgs;
mod limit;
mod limit_folds;
mod quality;
mod region;
mod slide;
mod untangled;

pub use determinant_bound::{ElementBounds, LeastDeterminant, OrientedLimit, least_determinant};
pub use limit::{LimitUntangleResult, MAX_LIMIT_ROUNDS, untangle_limit, untangle_unknowns};
pub use limit_folds::LimitFolds;
pub use quality::{ScaledJacobians, cell_quality};
pub use region::UnknownMotion;
pub use untangled::{BoundaryMotion, UntangleResult};

use nalgebra::{Matrix3, Vector3};

use crate::error::Result;
use crate::limit::Solid;
use crate::mesh::SolidMesh;
use crate::mesh::folded::{NEIGHBORS, corner_jacobian};
use crate::process::solid::hexahedra;
use crate::refine::reorient;
use crate::topology::{self, Topology};

use crate::plan::{Samples, Want};
use energy::{Energy, Freedom};
use lbfgs::minimize;
use limit_folds::{GAUSS_POINTS, farthest};
use slide::SlidingVertices;

/// Minimizations of falling ε at most.
const MAX_MINIMIZATIONS: usize = 60;
/// Steps of each.
const MAX_MINIMIZATION_STEPS: usize = 60;
/// Powers of the energy that improve the worst corners, one after the other.
const ENERGY_POWERS: [i32; 4] = [1, 4, 12, 24];

/// Rounds of sliding at most.
const MAX_SLIDES: usize = 16;
/// Rounds of [`untangle`] at most.
pub const MAX_ROUNDS: usize = 2 * MAX_MINIMIZATIONS + ENERGY_POWERS.len() + MAX_SLIDES; // stretched meshes unfold twice
/// Largest deviation of the limit surface from the original where vertices slide, as a fraction of
/// the solid's diagonal.
const MAX_DEVIATION_FRACTION: f64 = 1e-3;

/// Moves vertices of a mesh of hexahedra so that no control cell is folded and the worst
/// improves; calls `progress` after each of at most
/// [`MAX_ROUNDS`] rounds with the cells that are folded. Its error ends the work.
///
/// Vertices of the boundary stay, or slide, and so do creases; corners stay. Where they slide,
/// their limit points stay within 10⁻⁸ of the solid's diagonal of the original limit surface;
/// between them, the new and the original limit surface are within 10⁻³ of each other. The least
/// scaled Jacobian never falls, and where the boundary fixes it the mean rises; if nothing better
/// is found, all stay. No more cells of the limit are folded than before, at 5³ Gauss points of
/// each. It does not matter whether cells are listed right-handed.
///
/// # Errors
/// As [`Solid::new`]; [`Error::Mesh`](crate::Error::Mesh) for cells that are not hexahedra or have
/// no common orientation, and for a mesh without a boundary; the error of `progress`. The mesh is
/// as it was then.
pub fn untangle(
    mesh: &mut SolidMesh,
    boundary: BoundaryMotion,
    mut progress: impl FnMut(usize) -> Result<()>,
) -> Result<UntangleResult> {
    mesh.check()?;
    mesh.check_no_ghosts("untangling a solid")?;
    topology::check_cells(&mesh.cells, mesh.points.len())?;
    // steps of the minimization have a length: in this unit they are the same in every other
    let unit = length_unit(&mesh.points, hexahedra(mesh)?);
    let mut oriented = mesh.clone();
    reorient(&mut oriented)?;
    oriented.points.as_flattened_mut().iter_mut().for_each(|x| *x /= unit);
    let (start, hexes) = (&oriented.points, hexahedra(&oriented)?);
    let topology = Topology::build(oriented.cells.clone(), start.len())?;
    // nothing would hold the vertices
    topology.check_has_boundary()?;
    let is_free = |v: u32| !topology.is_boundary_vertex(v) && !topology.vertex_cells(v).is_empty();
    let mut freedoms: Vec<Freedom> = (0..start.len() as u32)
        .map(|v| if is_free(v) { Freedom::All } else { Freedom::None })
        .collect();
    let quality = |points: &[[f64; 3]]| cell_quality(points, hexes);
    let before = quality(start);
    let solid = Solid::new(&oriented)?;
    let plan = solid.plan(&Samples::gauss(GAUSS_POINTS)?, Want::QUALITY)?;
    let limit = |points: &[[f64; 3]]| LimitFolds::new(&plan, points);
    let limit_before = limit(start)?;
    let mut best = BestPoints { points: start.clone(), quality: before };
    // folds that no vertex can fix are not worth a minimization
    let is_fixed = |v: u32, freedoms: &[Freedom]| matches!(freedoms[v as usize], Freedom::None);
    let folded = |points: &[[f64; 3]], freedoms: &[Freedom]| {
        let fixed = |hex: &&[u32; 8]| fixed_fold(points, hex, |v| is_fixed(v, freedoms));
        hexes.iter().filter(fixed).count()
    };
    let is_hopeless = before.non_positive > 0 && folded(start, &freedoms) == before.non_positive;
    if freedoms.contains(&Freedom::All) && !is_hopeless {
        let mut is_thin = false;
        if before.non_positive > 0 {
            let (points, now, stretched) = unfolded(hexes, &freedoms, &best.points, &mut progress)?;
            is_thin = stretched;
            // fewer folded cells, none of them worse than the worst was
            if now.least >= before.least {
                best = BestPoints { points, quality: now };
            }
        }
        for power in ENERGY_POWERS {
            if best.quality.non_positive > 0 {
                break;
            }
            let improve = |freedoms: &[Freedom], points: &[[f64; 3]]| {
                improved(hexes, freedoms, power, points)
            };
            let points = improve(&freedoms, &best.points);
            let now = quality(&points);
            // the space of the cells unfolded by now
            let stretch = IsotropicMap::of(&best.points, hexes).filter(|_| is_thin);
            best.offer(points, now);
            if let Some(stretch) = stretch {
                let improve =
                    |freedoms: &[Freedom], points: &[[f64; 3]]| Ok(improve(freedoms, points));
                let points = stretch.minimized(&freedoms, &best.points, improve)?;
                let now = quality(&points);
                best.offer(points, now);
            }
            progress(best.quality.non_positive)?;
        }
    }
    let inside = best.points.clone();
    let (mut deviation, mut can_slide) = (0.0, 0);
    if boundary == BoundaryMotion::Slide {
        let sliding = SlidingVertices::new(&oriented, hexes, &solid)?;
        can_slide = sliding.len();
        if can_slide > 0 {
            deviation = slide(&sliding, hexes, &mut freedoms, &mut best, &mut progress)?;
        }
    }
    let (mut limit_after, mut part) = (limit(&best.points)?, 1.0);
    if limit_after.is_worse_than(&limit_before) {
        deviation = 0.0;
        let way = farthest(start, &inside, (&before, &limit_before), quality, limit)?;
        best = BestPoints { points: way.points, quality: way.quality };
        (limit_after, part) = (way.folds, way.part);
    }
    let (mut moved, mut slid) = (0, 0);
    for (v, point) in best.points.iter().enumerate().filter(|&(v, point)| *point != start[v]) {
        mesh.points[v] = point.map(|x| x * unit);
        moved += 1;
        slid += usize::from(topology.is_boundary_vertex(v as u32));
    }
    let of_boundary = (0..start.len() as u32).filter(|&v| topology.is_boundary_vertex(v)).count();
    Ok(UntangleResult {
        before,
        after: best.quality,
        limit_before,
        limit_after,
        part,
        moved,
        slid,
        can_slide,
        stay: of_boundary - can_slide,
        fixed: folded(&best.points, &freedoms),
        deviation: deviation * unit,
    })
}

/// A power of 2 near the mean length of edges, by which coordinates are divided without rounding; 1
/// if all have the length 0.
fn length_unit(points: &[[f64; 3]], hexes: &[[u32; 8]]) -> f64 {
    let length = |hex: &[u32; 8], i: usize, j: usize| {
        let [a, b] = [i, j].map(|corner| Vector3::from(points[hex[corner] as usize]));
        (b - a).norm()
    };
    let around = |hex: &[u32; 8]| -> f64 {
        let corners = NEIGHBORS.iter().enumerate();
        corners.flat_map(|(i, to)| to.iter().map(move |&j| length(hex, i, j))).sum()
    };
    let mean = hexes.iter().map(around).sum::<f64>() / (24 * hexes.len()) as f64;
    if mean > 0.0 { mean.log2().floor().exp2() } else { 1.0 }
}

/// Whether a hexahedron is folded or flat at a corner whose vertices all stay.
fn fixed_fold(points: &[[f64; 3]], hex: &[u32; 8], is_fixed: impl Fn(u32) -> bool) -> bool {
    (0..8).any(|corner| {
        let ends = NEIGHBORS[corner].iter().chain([&corner]);
        ends.copied().all(|i| is_fixed(hex[i])) && corner_jacobian(points, hex, corner) <= 0.0
    })
}

/// The best points so far.
struct BestPoints {
    points: Vec<[f64; 3]>,
    quality: ScaledJacobians,
}

impl BestPoints {
    /// Where the boundary fixes the worst cell, the mean decides.
    fn is_worse_than(&self, quality: &ScaledJacobians) -> bool {
        (quality.least, quality.mean) > (self.quality.least, self.quality.mean)
    }

    fn offer(&mut self, points: Vec<[f64; 3]>, quality: ScaledJacobians) {
        if self.is_worse_than(&quality) {
            *self = Self { points, quality };
        }
    }
}

/// Minimizes without ε, with a power.
fn improved(
    hexes: &[[u32; 8]],
    freedoms: &[Freedom],
    power: i32,
    start: &[[f64; 3]],
) -> Vec<[f64; 3]> {
    let mut energy = Energy::new(hexes, freedoms, start);
    energy.power = power;
    let mut points = start.to_vec();
    let reach = 0.1 * shortest(&energy);
    minimize(&mut points, 2 * MAX_MINIMIZATION_STEPS, reach, |points| {
        energy.value_and_gradient(points)
    });
    points
}

/// Lets the boundary slide: rounds of a minimization in which its vertices move in planes and on
/// lines, and a correction after it. Returns how far the limit surface has come away.
fn slide(
    sliding: &SlidingVertices<'_>,
    hexes: &[[u32; 8]],
    freedoms: &mut [Freedom],
    best: &mut BestPoints,
    progress: &mut impl FnMut(usize) -> Result<()>,
) -> Result<f64> {
    let mut deviation = 0.0;
    let mut failures = 0;
    for round in 0..MAX_SLIDES {
        sliding.set_ways(&best.points, freedoms);
        let points = match best.quality.non_positive {
            0 => {
                improved(hexes, freedoms, ENERGY_POWERS[round % ENERGY_POWERS.len()], &best.points)
            }
            _ => unfolded(hexes, freedoms, &best.points, |_| Ok(()))?.0,
        };
        let step = points.iter().zip(&best.points);
        let step: Vec<[f64; 3]> = step.map(|(a, b)| std::array::from_fn(|d| a[d] - b[d])).collect();
        failures += 1;
        // planes are near a bent surface only: a part of the way, where all of it is too far
        for part in [1.0, 0.5, 0.25, 0.125, 0.0625] {
            let mut trial = best.points.clone();
            for (point, step) in trial.iter_mut().zip(&step) {
                *point = std::array::from_fn(|d| point[d] + part * step[d]);
            }
            if !sliding.settle(&mut trial) {
                continue;
            }
            let now = cell_quality(&trial, hexes);
            if !best.is_worse_than(&now) {
                continue;
            }
            let most = MAX_DEVIATION_FRACTION * sliding.diagonal();
            let off = sliding.deviation(&trial, most);
            if off <= most {
                *best = BestPoints { points: trial, quality: now };
                (deviation, failures) = (off, 0);
                break;
            }
        }
        progress(best.quality.non_positive)?;
        if failures == ENERGY_POWERS.len() {
            break;
        }
    }
    Ok(deviation)
}

/// Points of which fewer cells are folded, if it finds some; where cells stay folded in a thin
/// mesh, it looks once more in a space in which it is not thin. With their quality, and whether
/// they are from there.
fn unfolded(
    hexes: &[[u32; 8]],
    freedoms: &[Freedom],
    start: &[[f64; 3]],
    mut progress: impl FnMut(usize) -> Result<()>,
) -> Result<(Vec<[f64; 3]>, ScaledJacobians, bool)> {
    let mut sought = |freedoms: &[Freedom], start: &[[f64; 3]]| {
        let folded = |points: &[[f64; 3]]| cell_quality(points, hexes).non_positive;
        unfold(&mut Energy::new(hexes, freedoms, start), start, |points| progress(folded(points)))
    };
    let plain = sought(freedoms, start)?;
    let quality = cell_quality(&plain, hexes);
    if quality.non_positive == 0 {
        return Ok((plain, quality, false));
    }
    let Some(stretch) = IsotropicMap::of(start, hexes) else { return Ok((plain, quality, false)) };
    let points = stretch.minimized(freedoms, start, sought)?;
    let now = cell_quality(&points, hexes);
    Ok(if now.least > quality.least { (points, now, true) } else { (plain, quality, false) })
}

/// A linear map of space, in which edges are as long in every direction.
struct IsotropicMap {
    to: Matrix3<f64>,
    back: Matrix3<f64>,
}

impl IsotropicMap {
    /// None where they nearly are, or all lie in a plane.
    fn of(points: &[[f64; 3]], hexes: &[[u32; 8]]) -> Option<Self> {
        let at = |v: u32| Vector3::from(points[v as usize]);
        let mut sum = Matrix3::zeros();
        for hex in hexes {
            for (i, to) in NEIGHBORS.iter().enumerate() {
                let edges = to.iter().map(|&j| at(hex[j]) - at(hex[i]));
                sum += edges.map(|edge| edge * edge.transpose()).sum::<Matrix3<f64>>();
            }
        }
        let eigen = sum.symmetric_eigen();
        let (least, most) = (eigen.eigenvalues.min(), eigen.eigenvalues.max());
        if least >= 0.5 * most || least <= 1e-14 * most {
            return None;
        }
        let along = |scale: fn(f64) -> f64| {
            let scales = Matrix3::from_diagonal(&eigen.eigenvalues.map(|x| scale(x / most)));
            eigen.eigenvectors * scales * eigen.eigenvectors.transpose()
        };
        Some(Self { to: along(|x| 1.0 / x.sqrt()), back: along(f64::sqrt) })
    }

    /// What `minimize` makes of points there.
    fn minimized(
        &self,
        freedoms: &[Freedom],
        start: &[[f64; 3]],
        minimize: impl FnOnce(&[Freedom], &[[f64; 3]]) -> Result<Vec<[f64; 3]>>,
    ) -> Result<Vec<[f64; 3]>> {
        let there: Vec<[f64; 3]> =
            start.iter().map(|&p| (self.to * Vector3::from(p)).into()).collect();
        let turned: Vec<Freedom> = freedoms.iter().map(|&way| self.way(way)).collect();
        let found = minimize(&turned, &there)?;
        // by steps, so that what stays is not rounded
        let pairs = found.into_iter().zip(there);
        let step = |(a, b)| self.back * (Vector3::<f64>::from(a) - Vector3::from(b));
        let moved = |(&p, pair)| (Vector3::from(p) + step(pair)).into();
        Ok(start.iter().zip(pairs).map(moved).collect())
    }

    fn way(&self, way: Freedom) -> Freedom {
        match way {
            // both maps are symmetric
            Freedom::Across(normal) => Freedom::Across((self.back * normal).normalize()),
            Freedom::Along(direction) => Freedom::Along((self.to * direction).normalize()),
            way => way,
        }
    }
}

/// Minimizes with falling ε until all determinants are positive.
fn unfold(
    energy: &mut Energy<'_>,
    start: &[[f64; 3]],
    mut progress: impl FnMut(&[[f64; 3]]) -> Result<()>,
) -> Result<Vec<[f64; 3]>> {
    let mut points = start.to_vec();
    (energy.epsilon, energy.power) = (1.0, 1);
    for _ in 0..MAX_MINIMIZATIONS {
        let (value, _) = energy.value_and_gradient(&points);
        let reach = 0.1 * shortest(energy);
        let reached = minimize(&mut points, MAX_MINIMIZATION_STEPS, reach, |points| {
            energy.value_and_gradient(points)
        });
        let least = energy.least_determinant(&points);
        progress(&points)?;
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
    Ok(points)
}

/// The least wanted length.
fn shortest(energy: &Energy<'_>) -> f64 {
    energy.lengths.iter().flatten().copied().fold(f64::INFINITY, f64::min)
}
