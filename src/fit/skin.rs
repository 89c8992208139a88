//! The boundary of a solid, or a surface, fitted to its vertices or to a target.

use nalgebra::Vector3;
use rayon::prelude::*;
use serde::Serialize;

use super::feet::Foot;
use super::normal_equations::NormalEquations;
use super::system::LimitSystem;
use super::target::Target;
use crate::backend::{Backend, Cpu};
use crate::basis::gauss;
use crate::error::Result;
use crate::mesh::{SurfaceMesh, area_normal};
use crate::plan::Want;
use crate::scheme::{FaceShape, Scheme, Stencils};
use crate::surface::limit::{LimitSurface, SurfaceLocation};

/// Samples along each axis of a quad.
const SAMPLES: usize = 3;
/// Samples along a crease of an edge.
const CURVE_SAMPLES: usize = 3;
/// Weight of roughness of the move against distances.
const FAIRNESS: f64 = 1e-3;
/// Weight of a sample of a crease against one of a face.
const CURVE_WEIGHT: f64 = 4.0;
/// Greatest distance between feature lines and corners of target and mesh, in lengths of the edges
/// there.
const FEATURE_REACH: f64 = 0.75;
/// Gauss points along each axis for volumes.
const VOLUME_POINTS: usize = 6;
/// A round that gains less than this part is the last.
const MIN_GAIN: f64 = 1e-3;
/// Weight of sliding along the surface against distances, in rounds that may.
const SLIDING: f64 = 3e-3;
/// Part that such a round gains at least, and the farthest that limit points slide, in lengths of
/// edges.
const MIN_SLIDING_GAIN: f64 = 0.1;
const MAX_DRIFT: f64 = 0.2;

/// How a surface is fitted to a target.
#[derive(Clone, Copy)]
pub struct SkinOptions<'a> {
    /// Gauss-Newton rounds at most.
    pub rounds: usize,
    /// What the points of the mesh are.
    pub start: PointRole,
    /// Where linear systems of limits are solved; none: on the CPU.
    pub backend: Option<&'a dyn Backend>,
}

impl Default for SkinOptions<'_> {
    fn default() -> Self {
        Self { rounds: 6, start: PointRole::Vertices, backend: None }
    }
}

/// What points of a mesh are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointRole {
    /// Vertices of the part: the first limit passes through them.
    Vertices,
    /// Control points of a limit that is near the part.
    Controls,
}

/// Distances of points from a shape, in length units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Deviation {
    /// Root of the mean square distance, in length units, weighted by area where points are samples of
    /// a surface.
    pub rms: f64,
    /// Largest distance, in length units.
    pub max: f64,
    /// Point that is farthest, in length units.
    pub at: [f64; 3],
}

impl Deviation {
    /// Of distances at points, with the weight of each.
    pub(super) fn new(found: impl IntoIterator<Item = ([f64; 3], f64, f64)>) -> Self {
        let (mut sum, mut weights, mut all) = (0.0, 0.0, Self::default());
        for (at, distance, weight) in found {
            sum += weight * distance * distance;
            weights += weight;
            if distance > all.max {
                (all.max, all.at) = (distance, at);
            }
        }
        all.rms = if weights > 0.0 { (sum / weights).sqrt() } else { 0.0 };
        all
    }
}

/// Control points of a surface, fitted.
#[derive(Clone, Debug, PartialEq)]
pub struct SkinFit {
    /// Control points, `[vertex]`.
    pub points: Vec<[f64; 3]>,
    /// Distances of limits at vertices from the vertices: as control points, and fitted.
    pub vertices: [Deviation; 2],
    /// Distances of the limit from the target: as control points, through the vertices, fitted.
    pub target: Option<[Deviation; 3]>,
    /// Distances of the target from the fitted limit.
    pub target_from_limit: Option<Deviation>,
    /// Root mean square distance before each round, and after the last.
    pub rounds: Vec<f64>,
    /// Volume inside the limit as control points, and fitted; 0 where the surface is open.
    pub volume: [f64; 2],
    /// Largest move of a limit point along the surface, in mean lengths of the edges there.
    pub drift: f64,
    /// Length of feature lines of the target without a crease near.
    pub unmatched_length: f64,
    /// Distance of the limit at each vertex from the target, positive outside, `[vertex]`; empty
    /// without a target.
    pub distances: Vec<f64>,
}

/// How vertices of smooth faces move in a round.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Motion {
    /// Along their normals, so that they do not drift.
    Across,
    /// Anywhere, at a cost: vertices of valence 3 or 5 in round faces come nearer so.
    Sliding,
}

/// A surface that is fitted.
struct Skin<'a> {
    mesh: &'a SurfaceMesh,
    surface: &'a LimitSurface,
    // points on the part at the vertices, and the control points that moves are counted from
    vertices: Vec<[f64; 3]>,
    start: Vec<[f64; 3]>,
    // samples of faces, and the rows of their limits
    places: Vec<SurfaceLocation>,
    rows: Stencils,
    // area that each sample stands for, as a part of all
    weights: Vec<f64>,
    // samples of creases, the edge of each, and the rows of their limits
    curves: Vec<[u32; 2]>,
    curve_rows: Stencils,
    neighbors: Vec<Vec<u32>>,
    creases: Vec<[u32; 2]>,
    // mean length of the edges at each vertex
    lengths: Vec<f64>,
}

/// Fits the limit of a surface to its vertices, or where there is a `target` to that, from control
/// points whose limits are the vertices. Faces, creases and their order stay.
///
/// `progress` is called with the number of rounds done; its error ends the work.
///
/// # Errors
/// [`Error::Mesh`](crate::Error::Mesh) for a surface that has no limit, and where no control points
/// have the limits; [`Error::Request`](crate::Error::Request) for too little memory of a device;
/// the error of `progress`.
pub fn fit_skin(
    mesh: &SurfaceMesh,
    scheme: Scheme,
    target: Option<&Target>,
    options: SkinOptions<'_>,
    mut progress: impl FnMut(usize) -> Result<()>,
) -> Result<SkinFit> {
    let surface = LimitSurface::of_mesh(mesh, scheme)?;
    let system = LimitSystem::new(surface.vertex_masks().positions().clone());
    let limits = |points: &[[f64; 3]]| -> Vec<[f64; 3]> {
        system.rows().apply(points.as_flattened(), 3).as_chunks::<3>().0.to_vec()
    };
    let cpu = Cpu::default();
    let (vertices, start) = match options.start {
        PointRole::Vertices => {
            let backend = options.backend.unwrap_or(&cpu);
            let solved = system.solver(backend)?.solve(mesh.points.as_flattened(), 3)?;
            (mesh.points.clone(), solved.as_chunks::<3>().0.to_vec())
        }
        PointRole::Controls => (limits(&mesh.points), mesh.points.clone()),
    };
    let missed = |points: &[[f64; 3]]| {
        let found = limits(points).into_iter().zip(&vertices);
        Deviation::new(found.map(|(at, v)| (at, distance(at, *v), 1.0)))
    };
    let mut fit = SkinFit {
        vertices: [missed(&mesh.points), missed(&start)],
        target: None,
        target_from_limit: None,
        rounds: Vec::new(),
        volume: [volume(&surface, mesh, &mesh.points)?, volume(&surface, mesh, &start)?],
        drift: 0.0,
        unmatched_length: 0.0,
        distances: Vec::new(),
        points: start.clone(),
    };
    let Some(target) = target else { return Ok(fit) };
    let mut skin = Skin::new(mesh, &surface, vertices.clone(), start);
    let before = skin.deviation(target, &mesh.points)?;
    let through = skin.deviation(target, &fit.points)?;
    // through the vertices of a rough mesh the limit may be worse
    let nearest = if before.rms < through.rms {
        skin.start.clone_from(&mesh.points);
        fit.points.clone_from(&mesh.points);
        before.rms
    } else {
        through.rms
    };
    fit.points = skin.with_corners(target, std::mem::take(&mut fit.points));
    let mut best = (nearest, fit.points.clone());
    fit.rounds.push(nearest);
    let mut motion = Motion::Across;
    for round in 0..options.rounds {
        let next = skin.round(target, &best.1, motion)?;
        let rms = skin.deviation(target, &next)?.rms;
        progress(round + 1)?;
        fit.rounds.push(rms);
        let gain = best.0 - rms;
        let (least, is_near) = match motion {
            Motion::Across => (MIN_GAIN, true),
            Motion::Sliding => (MIN_SLIDING_GAIN, skin.drift(&limits(&next)) <= MAX_DRIFT),
        };
        if gain > 0.0 && is_near {
            best = (rms, next);
        }
        if gain <= least * rms || !is_near {
            match motion {
                Motion::Across => motion = Motion::Sliding,
                Motion::Sliding => break,
            }
        }
    }
    fit.points = best.1;
    fit.vertices[1] = missed(&fit.points);
    fit.target = Some([before, through, skin.deviation(target, &fit.points)?]);
    let mut fitted = mesh.clone();
    fitted.points.clone_from(&fit.points);
    let (limit, _) = Target::of_limit(&fitted, scheme)?;
    let (samples, areas) = target.samples();
    let feet = limit.feet(&samples, None)?;
    let found = samples.iter().zip(feet).zip(areas);
    fit.target_from_limit = Some(Deviation::new(
        found.filter_map(|((&x, foot), area)| Some((x, foot?.distance, area))),
    ));
    fit.volume[1] = volume(&surface, mesh, &fit.points)?;
    let at_vertices = limits(&fit.points);
    fit.drift = skin.drift(&at_vertices);
    let outside = |(x, foot): (&[f64; 3], Option<Foot>)| {
        let away = |foot: Foot| Vector3::from(*x) - Vector3::from(foot.point);
        foot.map_or(0.0, |foot| foot.distance.copysign(away(foot).dot(&Vector3::from(foot.normal))))
    };
    let feet = target.feet(&at_vertices, None)?;
    fit.distances = at_vertices.iter().zip(feet).map(outside).collect();
    let reach = skin.lengths.iter().sum::<f64>() / skin.lengths.len().max(1) as f64;
    fit.unmatched_length =
        target.features().unmatched_length(limit.features(), FEATURE_REACH * reach);
    Ok(fit)
}

impl<'a> Skin<'a> {
    fn new(
        mesh: &'a SurfaceMesh,
        surface: &'a LimitSurface,
        vertices: Vec<[f64; 3]>,
        start: Vec<[f64; 3]>,
    ) -> Self {
        let parameters = samples_of(surface.scheme().shape());
        let (mut places, mut weights) = (Vec::new(), Vec::new());
        for (f, face) in mesh.faces.iter().enumerate() {
            let elements = surface.face_elements(f);
            let area = area_normal(&vertices, face).norm();
            let each = area / (elements.len() * parameters.len()) as f64;
            for element in elements {
                let place = |&parameters| SurfaceLocation { element: element as u32, parameters };
                places.extend(parameters.iter().map(place));
                weights.extend(parameters.iter().map(|_| each));
            }
        }
        let sum: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|w| *w /= sum);
        let sharp = mesh.creases.edges.iter().filter(|crease| crease.sharpness > 0.0);
        let mut creases: Vec<[u32; 2]> = sharp.map(|crease| crease.edge().map(|v| v.0)).collect();
        let mut faces_of: std::collections::BTreeMap<[u32; 2], Vec<[usize; 2]>> =
            Default::default();
        for (f, face) in mesh.faces.iter().enumerate() {
            for (i, &a) in face.iter().enumerate() {
                let b = face[(i + 1) % face.len()];
                faces_of.entry([a.min(b), a.max(b)]).or_default().push([f, i]);
            }
        }
        creases.extend(faces_of.iter().filter(|(_, own)| own.len() != 2).map(|(&edge, _)| edge));
        creases.iter_mut().for_each(|edge| edge.sort_unstable());
        creases.sort_unstable();
        creases.dedup();
        let (mut curves, mut curve_places) = (Vec::new(), Vec::new());
        for &edge in &creases {
            let Some(&[f, i]) = faces_of.get(&edge).and_then(|own| own.first()) else { continue };
            let n = mesh.faces.face(f).len();
            for k in 0..CURVE_SAMPLES {
                let s = (k as f64 + 0.5) / CURVE_SAMPLES as f64;
                curve_places.push(place_on_edge(surface, [f, i, n], s));
                curves.push(edge);
            }
        }
        let mut neighbors = vec![Vec::new(); vertices.len()];
        let mut lengths = vec![(0.0, 0usize); vertices.len()];
        for &[a, b] in faces_of.keys() {
            let length = distance(vertices[a as usize], vertices[b as usize]);
            for [v, other] in [[a, b], [b, a]] {
                neighbors[v as usize].push(other);
                lengths[v as usize].0 += length;
                lengths[v as usize].1 += 1;
            }
        }
        Self {
            mesh,
            surface,
            vertices,
            start,
            rows: surface.basis_rows(&places),
            places,
            weights,
            curves,
            curve_rows: surface.basis_rows(&curve_places),
            neighbors,
            creases,
            lengths: lengths.into_iter().map(|(sum, n)| sum / n.max(1) as f64).collect(),
        }
    }

    fn deviation(&self, target: &Target, points: &[[f64; 3]]) -> Result<Deviation> {
        let [x, _] = self.samples(points)?;
        let feet = target.feet(&x, None)?;
        let found = x.iter().zip(feet).zip(&self.weights);
        Ok(Deviation::new(found.filter_map(|((&x, foot), &w)| Some((x, foot?.distance, w)))))
    }

    /// Limit points and normals of the samples.
    fn samples(&self, points: &[[f64; 3]]) -> Result<[Vec<[f64; 3]>; 2]> {
        let limit = self.surface.evaluate(points, &self.places, Want::FIRST)?;
        Ok([limit.positions, limit.normals])
    }

    /// Directions in which vertices may move, and where each vertex's start: the normal of smooth
    /// ones, and two along the surface after it where they slide; two across creases.
    fn directions(&self, motion: Motion) -> (Vec<Vector3<f64>>, Vec<usize>) {
        let count = self.vertices.len();
        let mut normals = vec![Vector3::zeros(); count];
        for face in self.mesh.faces.iter() {
            let normal = area_normal(&self.vertices, face);
            face.iter().for_each(|&v| normals[v as usize] += normal);
        }
        let mut along: Vec<Vec<u32>> = vec![Vec::new(); count];
        for &[a, b] in &self.creases {
            along[a as usize].push(b);
            along[b as usize].push(a);
        }
        let mut is_corner = vec![false; count];
        for corner in self.mesh.creases.corners.iter().filter(|c| c.sharpness > 0.0) {
            is_corner[corner.vertex.index()] = true;
        }
        let at = |v: u32| Vector3::from(self.vertices[v as usize]);
        let (mut directions, mut starts) = (Vec::new(), vec![0]);
        for v in 0..count {
            let unit = |x: Vector3<f64>| x.try_normalize(0.0);
            match along[v][..] {
                _ if is_corner[v] => {}
                [] | [_] => {
                    let normal = unit(normals[v]);
                    directions.extend(normal);
                    if motion == Motion::Sliding {
                        directions.extend(normal.into_iter().flat_map(|n| across(&n)));
                    }
                }
                [a, b] => {
                    if let Some(tangent) = unit(at(b) - at(a)) {
                        let across = unit(normals[v]).unwrap_or_default();
                        let first = unit(across - tangent * across.dot(&tangent));
                        directions.extend(first);
                        directions.extend(first.map(|first| tangent.cross(&first)));
                    }
                }
                _ => {}
            }
            starts.push(directions.len());
        }
        (directions, starts)
    }

    /// Points with corners at the corners of the target.
    fn with_corners(&self, target: &Target, mut points: Vec<[f64; 3]>) -> Vec<[f64; 3]> {
        let mut edges = vec![0; points.len()];
        self.creases.iter().flatten().for_each(|&v| edges[v as usize] += 1);
        let tagged = self.mesh.creases.corners.iter().filter(|c| c.sharpness.is_infinite());
        let mut corners: Vec<usize> = tagged.map(|c| c.vertex.index()).collect();
        corners.extend((0..points.len()).filter(|&v| edges[v] > 2));
        for v in corners {
            if let Some(corner) =
                target.features().closest_corner(points[v], FEATURE_REACH * self.lengths[v])
            {
                points[v] = corner;
            }
        }
        points
    }

    /// One Gauss-Newton round.
    fn round(&self, target: &Target, points: &[[f64; 3]], motion: Motion) -> Result<Vec<[f64; 3]>> {
        let (directions, starts) = self.directions(motion);
        let mut system = NormalEquations::new(&directions, &starts);
        let [x, normals] = self.samples(points)?;
        let feet = target.feet(&x, Some(&normals))?;
        let per_element = samples_of(self.surface.scheme().shape()).len();
        let blocks: Vec<_> = (0..self.places.len())
            .into_par_iter()
            .step_by(per_element)
            .map(|first| {
                system.block((first..first + per_element).filter_map(|s| {
                    let element = self.surface.elements()[self.places[s].element as usize];
                    let v = self.mesh.faces.face(element.face as usize)[0] as usize;
                    // beyond, it is a pair of another part of the shape
                    let foot = feet[s].filter(|foot| foot.distance <= self.lengths[v])?;
                    let normal = Vector3::from(foot.normal);
                    let wanted = normal.dot(&(Vector3::from(foot.point) - Vector3::from(x[s])));
                    Some((self.rows.row(s).collect(), normal, wanted, self.weights[s]))
                }))
            })
            .collect();
        blocks.into_iter().for_each(|block| system.add(block));
        self.add_curves(target, points, &mut system);
        // the roughness of the whole move: what stays of a rough one is taken back
        let fairness = FAIRNESS * FAIRNESS / self.mesh.points.len() as f64;
        let moved =
            |v: u32| Vector3::from(points[v as usize]) - Vector3::from(self.start[v as usize]);
        let mut along: Vec<Vec<u32>> = vec![Vec::new(); points.len()];
        for &[a, b] in &self.creases {
            along[a as usize].push(b);
            along[b as usize].push(a);
        }
        for v in 0..points.len() as u32 {
            let own = &along[v as usize];
            let ring = if own.len() == 2 { own } else { &self.neighbors[v as usize] };
            if starts[v as usize] == starts[v as usize + 1] || ring.is_empty() {
                continue;
            }
            let each = -1.0 / ring.len() as f64;
            let row: Vec<(u32, f64)> =
                std::iter::once((v, 1.0)).chain(ring.iter().map(|&u| (u, each))).collect();
            let rough: Vector3<f64> = row.iter().map(|&(u, w)| moved(u) * w).sum();
            let block = system.block((0..3).map(|d| {
                let mut axis = Vector3::zeros();
                axis[d] = 1.0;
                (row.clone(), axis, -rough[d], fairness)
            }));
            system.add(block);
        }
        for v in 0..points.len() {
            let own = &directions[starts[v]..starts[v + 1]];
            for &along in own.iter().skip(1).filter(|_| own.len() == 3) {
                let slid = moved(v as u32).dot(&along);
                let weight = SLIDING * SLIDING / points.len() as f64;
                let row = (vec![(v as u32, 1.0)], along, -slid, weight);
                system.add(system.block([row]));
            }
        }
        let moves = system.solve()?;
        let sum = |(p, m): (&[f64; 3], [f64; 3])| std::array::from_fn(|d| p[d] + m[d]);
        Ok(points.iter().zip(moves).map(sum).collect())
    }

    /// Rows of creases: across the feature line that they follow.
    fn add_curves(&self, target: &Target, points: &[[f64; 3]], system: &mut NormalEquations) {
        let x = self.curve_rows.apply(points.as_flattened(), 3);
        let x = x.as_chunks::<3>().0;
        let weight = CURVE_WEIGHT / self.weights.len() as f64;
        for first in (0..x.len()).step_by(CURVE_SAMPLES) {
            let [a, b] = self.curves[first].map(|v| v as usize);
            let [from, to] = [a, b].map(|v| Vector3::from(self.vertices[v]));
            let Some(tangent) = (to - from).try_normalize(0.0) else { continue };
            let reach = FEATURE_REACH * self.lengths[a].max(self.lengths[b]);
            let block = system.block((first..first + CURVE_SAMPLES).flat_map(|s| {
                let foot = target.features().closest(x[s], Some(tangent.into()), reach);
                let rows = foot.into_iter().flat_map(move |foot| {
                    let line = Vector3::from(foot.tangent);
                    let away = Vector3::from(foot.point) - Vector3::from(x[s]);
                    across(&line).map(|across| (across, across.dot(&away)))
                });
                rows.map(move |(across, wanted)| {
                    (self.curve_rows.row(s).collect(), across, wanted, weight)
                })
            }));
            system.add(block);
        }
    }

    /// Largest move along the surface of limits at vertices, in lengths of edges.
    fn drift(&self, limits: &[[f64; 3]]) -> f64 {
        let (directions, starts) = self.directions(Motion::Across);
        let along = |v: usize| {
            let own = &directions[starts[v]..starts[v + 1]];
            let mut moved = Vector3::from(limits[v]) - Vector3::from(self.vertices[v]);
            own.iter().for_each(|direction| moved -= direction * direction.dot(&moved));
            if own.is_empty() || self.lengths[v] == 0.0 {
                0.0
            } else {
                moved.norm() / self.lengths[v]
            }
        };
        (0..limits.len()).map(along).fold(0.0, f64::max)
    }
}

/// Two unit vectors across a unit vector, and each other.
fn across(along: &Vector3<f64>) -> [Vector3<f64>; 2] {
    let mut axis = Vector3::zeros();
    axis[along.iamin()] = 1.0;
    let first = along.cross(&axis).normalize();
    [first, along.cross(&first)]
}

/// Parameters of the samples of an element.
fn samples_of(shape: FaceShape) -> Vec<[f64; 2]> {
    match shape {
        FaceShape::Quad => {
            let at = |i: usize| (i as f64 + 0.5) / SAMPLES as f64;
            (0..SAMPLES * SAMPLES).map(|k| [at(k % SAMPLES), at(k / SAMPLES)]).collect()
        }
        FaceShape::Triangle => {
            let [a, b, c] = [1.0 / 6.0, 2.0 / 3.0, 1.0 / 3.0];
            vec![[a, a], [b, a], [a, b], [c, c]]
        }
    }
}

/// The place a part `s` of the way along side `i` of face `f` of `n` sides.
fn place_on_edge(surface: &LimitSurface, [f, i, n]: [usize; 3], s: f64) -> SurfaceLocation {
    let elements = surface.face_elements(f);
    let corners = surface.scheme().shape().corners();
    if elements.len() == 1 {
        let [a, b] = [corners[i], corners[(i + 1) % n]];
        let parameters = std::array::from_fn(|d| a[d] + s * (b[d] - a[d]));
        return SurfaceLocation { element: elements.start as u32, parameters };
    }
    let (corner, parameters) =
        if s <= 0.5 { (i, [2.0 * s, 0.0]) } else { ((i + 1) % n, [0.0, 2.0 - 2.0 * s]) };
    SurfaceLocation { element: (elements.start + corner) as u32, parameters }
}

/// Volume inside the limit, by Gauss points on elements; 0 where the surface is open.
fn volume(surface: &LimitSurface, mesh: &SurfaceMesh, points: &[[f64; 3]]) -> Result<f64> {
    if super::target::open_edges(mesh) > 0 {
        return Ok(0.0);
    }
    let rule = gauss::rule(VOLUME_POINTS)?;
    let is_triangle = surface.scheme().shape() == FaceShape::Triangle;
    let (mut places, mut weights) = (Vec::new(), Vec::new());
    for element in 0..surface.elements().len() as u32 {
        for (&u, &a) in rule.points.iter().zip(&rule.weights) {
            for (&v, &b) in rule.points.iter().zip(&rule.weights) {
                let (v, b) = if is_triangle { (v * (1.0 - u), b * (1.0 - u)) } else { (v, b) };
                places.push(SurfaceLocation { element, parameters: [u, v] });
                weights.push(a * b);
            }
        }
    }
    let limit = surface.evaluate(points, &places, Want::FIRST)?;
    let origin = Vector3::from(points.first().copied().unwrap_or_default());
    let flux = |i: usize| {
        let [x, u, v] = [limit.positions[i], limit.d_u[i], limit.d_v[i]].map(Vector3::from);
        weights[i] * (x - origin).dot(&u.cross(&v)) / 3.0
    };
    Ok((0..places.len()).map(flux).sum())
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    crate::numbers::vector::distance(a, b)
}
