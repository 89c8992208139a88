//! Distances to a point of the trilinear volume.

use nalgebra::Vector3;

use super::trilinear::parameters;
use super::{Seed, hexahedra};
use crate::basis::{BicubicPoints, closest_on_patch};
use crate::error::{Error, Result};
use crate::mesh::SolidMesh;
use crate::numbers::{significant, sorted_unique};
use crate::topology::Topology;

/// Tolerance within which two cells' parameters of a shared point agree.
const PARAMETER_TOLERANCE: f64 = 1e-8;

/// Largest coordinate of a point: fourth powers of distances stay numbers.
const MAX_COORDINATE: f64 = 1e70;

/// Rounding of distances, as a fraction of the largest coordinate.
const DISTANCE_ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Halvings of a way at most: its parts are then shorter than the shared part.
const MAX_HALVINGS: usize = 30;

/// The place of the trilinear volume of hexahedra that is closest to a point: the point itself, or
/// a place of the boundary.
#[derive(Clone, Debug, PartialEq)]
pub struct ClosestPlace {
    /// Coordinates of the place.
    pub at: [f64; 3],
    /// How far from the point: 0 for a point inside.
    pub distance: f64,
    /// The cells that it is in: several on faces, edges and vertices between them.
    pub cells: Vec<u32>,
}

impl ClosestPlace {
    /// Says that `point`, which the place is closest to, lies outside; `None` if it does not.
    pub fn notice(&self, point: [f64; 3]) -> Option<String> {
        let list = |point: [f64; 3]| point.map(significant).join(",");
        (self.distance > 0.0).then(|| {
            format!(
                "point {} lies {} outside: distances go through {}, the closest place of the solid",
                list(point),
                significant(self.distance),
                list(self.at)
            )
        })
    }
}

/// The vertices of the cells around a point that are in its sight, with their straight distances,
/// and the closest place to it. For a point outside, the vertices around that place, with the way
/// to it.
///
/// # Errors
/// [`Error::Request`] for a point that is not finite or has a coordinate beyond 1e70;
/// [`Error::Mesh`] for a mesh that is not valid or has no cells, and for cells that are not
/// hexahedra.
pub fn point_seeds(mesh: &SolidMesh, point: [f64; 3]) -> Result<(Vec<Seed>, ClosestPlace)> {
    let volume = Volume::new(mesh)?;
    let place = volume.closest(point)?;
    let at = Vector3::from(place.at);
    let own = volume.vertices(&place.cells);
    let near = volume.cells_around(&own);
    let is_seen =
        |&v: &u32| own.binary_search(&v).is_ok() || volume.sees(at, &place.cells, v, &near);
    let seen = volume.vertices(&near).into_iter().filter(is_seen);
    let seed = |v: u32| Seed { vertex: v, distance: place.distance + (volume.at(v) - at).norm() };
    let seeds = seen.map(seed).collect();
    Ok((seeds, place))
}

struct Volume<'m> {
    points: &'m [[f64; 3]],
    hexes: &'m [[u32; 8]],
    topology: Topology,
}

impl<'m> Volume<'m> {
    fn new(mesh: &'m SolidMesh) -> Result<Self> {
        let topology = super::targets::listed_topology(mesh)?;
        let hexes = hexahedra(mesh)?;
        Ok(Self { points: &mesh.points, hexes, topology })
    }

    fn at(&self, v: u32) -> Vector3<f64> {
        self.points[v as usize].into()
    }

    fn corners(&self, cell: u32) -> [Vector3<f64>; 8] {
        self.hexes[cell as usize].map(|v| self.at(v))
    }

    fn closest(&self, point: [f64; 3]) -> Result<ClosestPlace> {
        if !point.iter().all(|x| x.is_finite()) {
            return Err(Error::request(format!("the point {point:?} is not finite"))
                .with_help("give finite numbers"));
        }
        if !point.iter().all(|x| x.abs() <= MAX_COORDINATE) {
            return Err(Error::request(format!("the point {point:?} is too far away"))
                .with_help(format!("give coordinates up to {MAX_COORDINATE:e}")));
        }
        let x = Vector3::from(point);
        let cells = self.holding(x, 0..self.hexes.len() as u32);
        if !cells.is_empty() {
            return Ok(ClosestPlace { at: point, distance: 0.0, cells });
        }
        let faces = 0..self.topology.face_count() as u32;
        let faces = faces.filter(|&face| self.topology.is_boundary_face(face));
        let mut faces: Vec<(f64, u32)> =
            faces.map(|face| (self.box_distance(face, x), face)).collect();
        faces.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut best = (f64::INFINITY, Vector3::zeros(), 0);
        // nearer by less than rounding is not nearer: all parts of a flat face may be as far
        let coordinates = self.points.as_flattened().iter().chain(&point);
        let slack = DISTANCE_ROUNDING * coordinates.fold(0.0, |most: f64, x| most.max(x.abs()));
        for (least, face) in faces {
            if least >= best.0 {
                break;
            }
            if let Some(found) =
                closest_on_patch(&self.patch(face), x, best.0, Vector3::zeros(), slack)
            {
                best = (found.distance, found.away, face);
            }
        }
        let (distance, away, face) = best;
        if distance.is_infinite() {
            return Err(crate::topology::no_boundary());
        }
        let at = x + away;
        let [cell, _] = self.topology.face_cells(face);
        let near = self.cells_around(self.topology.face_vertices(face));
        let mut cells = self.holding(at, near.into_iter().filter(|&c| c != cell));
        cells.push(cell);
        cells.sort_unstable();
        Ok(ClosestPlace { at: at.into(), distance, cells })
    }

    /// The cells among these that a place is in.
    fn holding(&self, x: Vector3<f64>, cells: impl IntoIterator<Item = u32>) -> Vec<u32> {
        let holds = |&cell: &u32| {
            let corners = self.corners(cell);
            let [low, high] = [Vector3::inf, Vector3::sup].map(
                |pick: fn(&Vector3<f64>, &Vector3<f64>) -> Vector3<f64>| {
                    corners.iter().skip(1).fold(corners[0], |a, b| pick(&a, b))
                },
            );
            let slack = PARAMETER_TOLERANCE * (high - low).norm();
            (0..3).all(|d| x[d] >= low[d] - slack && x[d] <= high[d] + slack)
                && parameters(&corners, x)
                    .is_some_and(|t| t.iter().all(|t| (t - 0.5).abs() <= 0.5 + PARAMETER_TOLERANCE))
        };
        cells.into_iter().filter(holds).collect()
    }

    fn box_distance(&self, face: u32, x: Vector3<f64>) -> f64 {
        let corners = || self.topology.face_vertices(face).iter().map(|&v| self.at(v));
        let low = corners().reduce(|a, b| a.inf(&b)).unwrap_or_default();
        let high = corners().reduce(|a, b| a.sup(&b)).unwrap_or_default();
        (x - x.sup(&low).inf(&high)).norm()
    }

    /// A bilinear face by cubic Bézier points.
    fn patch(&self, face: u32) -> BicubicPoints {
        let cycle = self.topology.face_vertices(face);
        std::array::from_fn(|i| {
            let [s, t] = [i % 4, i / 4].map(|k| k as f64 / 3.0);
            let weights = [(1.0 - s) * (1.0 - t), s * (1.0 - t), s * t, (1.0 - s) * t];
            cycle.iter().zip(weights).map(|(&v, w)| self.at(v) * w).sum()
        })
    }

    fn vertices(&self, cells: &[u32]) -> Vec<u32> {
        sorted_unique(cells.iter().flat_map(|&c| self.hexes[c as usize]).collect())
    }

    fn cells_around(&self, vertices: &[u32]) -> Vec<u32> {
        sorted_unique(
            vertices.iter().flat_map(|&v| self.topology.vertex_cells(v)).copied().collect(),
        )
    }

    /// Whether the straight way from a place in `cells` to a vertex stays in the cells of `near`,
    /// and leaves each through a face that it has in common with the next.
    fn sees(&self, from: Vector3<f64>, cells: &[u32], v: u32, near: &[u32]) -> bool {
        let ends: Vec<u32> =
            self.topology.vertex_cells(v).iter().copied().filter(|c| near.contains(c)).collect();
        let way = StraightPath { volume: self, near, from, to: self.at(v) };
        !way.reached(cells.to_vec(), [0.0, 1.0], &ends, MAX_HALVINGS).is_empty()
    }
}

/// A straight way through cells.
struct StraightPath<'a> {
    volume: &'a Volume<'a>,
    near: &'a [u32],
    from: Vector3<f64>,
    to: Vector3<f64>,
}

impl StraightPath<'_> {
    /// The cells of `ends`, at the end of a part of the way, that are reached from the cells
    /// `cells` at its start.
    fn reached(
        &self,
        cells: Vec<u32>,
        [a, b]: [f64; 2],
        ends: &[u32],
        halvings: usize,
    ) -> Vec<u32> {
        let mut reached: Vec<u32> = ends.iter().copied().filter(|c| cells.contains(c)).collect();
        if !reached.is_empty() {
            // points joined at the end, such as around an edge
            let mut next = 0;
            while next < reached.len() {
                let cell = reached[next];
                let joined = ends.iter().copied().filter(|&c| self.are_joined(cell, c));
                let new: Vec<u32> = joined.filter(|c| !reached.contains(c)).collect();
                reached.extend(new);
                next += 1;
            }
            return reached;
        }
        if halvings == 0 || cells.is_empty() || ends.is_empty() {
            return Vec::new();
        }
        let middle = 0.5 * (a + b);
        let place = self.from + (self.to - self.from) * middle;
        let between = self.volume.holding(place, self.near.iter().copied());
        let cells = self.reached(cells, [a, middle], &between, halvings - 1);
        self.reached(cells, [middle, b], ends, halvings - 1)
    }

    fn are_joined(&self, a: u32, b: u32) -> bool {
        let topology = &self.volume.topology;
        let faces = topology.cell_faces(a);
        faces
            .iter()
            .any(|&face| !topology.is_boundary_face(face) && topology.face_cells(face).contains(&b))
    }
}
