//! Distance through a volume by the heat method.
//!
//! Crane, Weischedel and Wardetzky, "Geodesics in heat" (2013), Algorithm 1, on trilinear
//! hexahedra: heat flows from the seeds for a time t, its normalized gradients X are those of
//! the distance, which follows from a Poisson equation. t is the square of the mean length of
//! edges (§3.2.4). Both systems take the seeds' values as given (Dirichlet) and let nothing
//! pass elsewhere on the boundary, so distances go around holes.

use nalgebra::Vector3;
use rayon::prelude::*;

use super::trilinear::{Sample, samples};
use super::{Seed, hexahedra};
use crate::error::{Error, Result};
use crate::mesh::SolidMesh;
use crate::process::components::check_reach;
use crate::process::sparse::Symmetric;

/// Heat that changes by less than this part of itself along a mean edge is flat, as on the spot that
/// is farthest from seeds all around: its direction would be that of rounding.
const FLAT: f64 = 1e-6;

/// Samples of each cell.
type Cells = Vec<[Sample; 8]>;

/// Distance of every vertex of the control mesh to the nearest seed, in its length unit,
/// through the trilinear volume of its hexahedra; 0 at vertices of no cell.
///
/// The error falls with the length of edges (first order); where the distance has one
/// direction and cells are boxes it is exact up to rounding.
///
/// # Errors
/// [`Error::Mesh`] for cells that are no hexahedra, and those flat or folded at their Gauss points;
/// [`Error::Request`] for seeds that do not exist, and for vertices that no cell joins to a
/// seed, or that are more than about 700 cells away.
pub fn volume_distance(mesh: &SolidMesh, seeds: &[Seed]) -> Result<Vec<f64>> {
    volume_distance_by(mesh, seeds, |matrix, load, _| Ok(matrix.factor(load.len())?.solve(&load)))
}

/// What a system is solved for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Heat, that falls by orders of magnitude away from the seeds.
    Heat,
    /// The distance.
    Distance,
}

/// [`volume_distance`] with systems solved by `solve(matrix, load, stage)`; the matrices are
/// positive definite.
///
/// # Errors
/// Those of [`volume_distance`] and of `solve`.
pub(crate) fn volume_distance_by(
    mesh: &SolidMesh,
    seeds: &[Seed],
    solve: impl Fn(Symmetric, Vec<f64>, Stage) -> Result<Vec<f64>>,
) -> Result<Vec<f64>> {
    mesh.check()?;
    let hexes = hexahedra(mesh)?;
    let count = mesh.points.len();
    check_reach(count, hexes.iter().map(|h| &h[..]), seeds.iter().map(|s| s.vertex))?;
    let cells = sampled(mesh, hexes)?;
    let mut known = vec![f64::NAN; count];
    for seed in seeds {
        let value = &mut known[seed.vertex as usize];
        *value = value.min(seed.distance);
    }
    let time = mean_edge(mesh, hexes).powi(2);
    let system = System::new(hexes, &known, count);
    let by_stage = |stage| {
        let solve = &solve;
        move |matrix, load| solve(matrix, load, stage)
    };

    let heat: Vec<f64> = known.iter().map(|d| (-d / time.sqrt()).exp()).collect();
    let u = system.solve(&cells, Some(time), &heat, |_, _| 0.0, by_stage(Stage::Heat))?;
    let fields = directions(hexes, &cells, &u, FLAT / time.sqrt())?;
    let load = |c: usize, i: usize| {
        let terms = cells[c].iter().zip(&fields[c]);
        terms.map(|(s, field)| s.volume * s.gradients[i].dot(field)).sum()
    };
    let distance = system.solve(&cells, None, &known, load, by_stage(Stage::Distance))?;
    Ok(distance.into_iter().map(|d| d.max(0.0)).collect())
}

fn sampled(mesh: &SolidMesh, hexes: &[[u32; 8]]) -> Result<Cells> {
    let of = |(c, hex): (usize, &[u32; 8])| {
        samples(&hex.map(|v| Vector3::from(mesh.points[v as usize]))).ok_or(c)
    };
    let cells: Vec<_> = hexes.par_iter().enumerate().map(of).collect();
    let bad: Vec<usize> = cells.iter().filter_map(|cell| cell.as_ref().err().copied()).collect();
    if let Some(first) = bad.first() {
        return Err(Error::mesh(format!(
            "cell {first} and {} more are flat or folded",
            bad.len() - 1
        ))
        .with_help("untangle the mesh first (subsolid untangle)"));
    }
    Ok(cells.into_iter().flatten().collect())
}

/// Mean length of the edges of all cells.
fn mean_edge(mesh: &SolidMesh, hexes: &[[u32; 8]]) -> f64 {
    const EDGES: [[usize; 2]; 12] = [
        [0, 1],
        [1, 2],
        [2, 3],
        [3, 0],
        [4, 5],
        [5, 6],
        [6, 7],
        [7, 4],
        [0, 4],
        [1, 5],
        [2, 6],
        [3, 7],
    ];
    let at = |v: u32| Vector3::from(mesh.points[v as usize]);
    let length = |hex: &[u32; 8]| -> f64 {
        EDGES.iter().map(|&[a, b]| (at(hex[a]) - at(hex[b])).norm()).sum()
    };
    hexes.iter().map(length).sum::<f64>() / (12 * hexes.len()) as f64
}

/// −∇u / |∇u| at the samples of all cells; 0 where the slope of u, as a part of u, is `flat`.
fn directions(
    hexes: &[[u32; 8]],
    cells: &Cells,
    u: &[f64],
    flat: f64,
) -> Result<Vec<[Vector3<f64>; 8]>> {
    // smallest normal number: below it directions are noise
    let lost = hexes.iter().flatten().find(|&&v| u[v as usize].abs() < f64::MIN_POSITIVE);
    if let Some(v) = lost {
        return Err(Error::request(format!(
            "vertex {v} is too many cells away for the heat method"
        ))
        .with_help("take a coarser mesh, or fewer levels"));
    }
    let direction = |(hex, cell): (&[u32; 8], &[Sample; 8])| {
        std::array::from_fn(|s| {
            // relative to the largest, whose square must not vanish
            let scale = hex.iter().map(|&v| u[v as usize].abs()).fold(0.0, f64::max);
            let gradient: Vector3<f64> =
                (0..8).map(|i| cell[s].gradients[i] * (u[hex[i] as usize] / scale)).sum();
            -gradient.try_normalize(flat).unwrap_or_default()
        })
    };
    Ok(hexes.par_iter().zip(cells).map(direction).collect())
}

/// Which vertices are unknown.
struct System<'a> {
    hexes: &'a [[u32; 8]],
    /// Number of each unknown.
    number: Vec<Option<usize>>,
    size: usize,
}

impl<'a> System<'a> {
    fn new(hexes: &'a [[u32; 8]], known: &[f64], count: usize) -> Self {
        let mut used = vec![false; count];
        hexes.iter().flatten().for_each(|&v| used[v as usize] = true);
        let mut size = 0;
        let number = (0..count).map(|v| {
            let unknown = used[v] && known[v].is_nan();
            size += usize::from(unknown);
            unknown.then(|| size - 1)
        });
        let number = number.collect();
        Self { hexes, number, size }
    }

    /// Solves (M + time K) x = load, or K x = load without a time, with x `known` where
    /// there is no unknown. M is lumped.
    fn solve(
        &self,
        cells: &Cells,
        time: Option<f64>,
        known: &[f64],
        load: impl Fn(usize, usize) -> f64,
        solve: impl FnOnce(Symmetric, Vec<f64>) -> Result<Vec<f64>>,
    ) -> Result<Vec<f64>> {
        let mut matrix = Symmetric::default();
        let mut rhs = vec![0.0; self.size];
        for (c, (hex, cell)) in self.hexes.iter().zip(cells).enumerate() {
            for i in 0..8 {
                let Some(row) = self.number[hex[i] as usize] else { continue };
                rhs[row] += load(c, i);
                if time.is_some() {
                    let mass = cell.iter().map(|s| s.volume * s.values[i]).sum();
                    matrix.add(row, row, mass);
                }
                for j in 0..8 {
                    let stiffness: f64 =
                        cell.iter().map(|s| s.volume * s.gradients[i].dot(&s.gradients[j])).sum();
                    let value = time.unwrap_or(1.0) * stiffness;
                    match self.number[hex[j] as usize] {
                        Some(column) => matrix.add(row, column, value),
                        None => rhs[row] -= value * known[hex[j] as usize],
                    }
                }
            }
        }
        let x = if self.size > 0 { solve(matrix, rhs)? } else { Vec::new() };
        let value = |v: usize| match self.number[v] {
            Some(i) => x[i],
            None if known[v].is_nan() => 0.0,
            None => known[v],
        };
        Ok((0..self.number.len()).map(value).collect())
    }
}
