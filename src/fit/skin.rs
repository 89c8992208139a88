//! Least squares from a surface to a target: unknowns, rows and what they miss.

use nalgebra::Vector3;
use rayon::prelude::*;
use serde::Serialize;

use super::normal_equations::NormalEquations;
use super::target::Target;
use crate::basis::gauss;
use crate::error::Result;
use crate::mesh::{SurfaceMesh, area_normal};
use crate::numbers::vector::distance;
use crate::plan::Want;
use crate::process::sparse::Elimination;
use crate::scheme::{FaceShape, Stencils};
use crate::surface::limit::{LimitSurface, SurfaceLimit, SurfaceLocation};

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
pub(super) const FEATURE_REACH: f64 = 0.75;
/// Gauss points along each axis for volumes: they give 6 digits or more.
const VOLUME_POINTS: usize = 4;
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
    pub(crate) fn new(found: impl IntoIterator<Item = ([f64; 3], f64, f64)>) -> Self {
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

/// Control points on the way.
pub(super) struct State {
    pub points: Vec<[f64; 3]>,
    /// Distances from the target.
    pub deviation: Deviation,
    /// Volume inside; 0 where the surface is open.
    pub volume: f64,
    /// Volume that is missing; none where the surface or the target is open.
    pub missing_volume: Option<f64>,
    /// Mean distance by which the volume is missed.
    offset: f64,
    /// Farthest that a limit point slid, in lengths of edges.
    pub drift: f64,
}

impl State {
    /// What rounds reduce.
    pub fn merit(&self) -> f64 {
        // where the volume is missed by more, the target is another thing than what is inside
        self.deviation.rms.hypot(self.offset.min(self.deviation.rms))
    }

    /// Volume that a round takes.
    fn wanted_volume(&self) -> Option<f64> {
        self.missing_volume.filter(|_| self.offset <= self.deviation.rms)
    }
}

/// What a round moves, and how much.
pub(super) struct Mobility {
    /// Weight of sliding.
    pub sliding: f64,
    // factors of that weight, `[vertex]`; infinite for vertices that stay
    stiffness: Vec<f64>,
    // of the linear systems of all rounds with the same vertices that stay
    elimination: Option<Elimination>,
}

impl Mobility {
    pub fn new(vertices: usize, sliding: f64) -> Self {
        Self { sliding, stiffness: vec![1.0; vertices], elimination: None }
    }

    pub fn stiffen(&mut self, vertex: usize, factor: f64) {
        self.stiffness[vertex] *= factor;
    }

    /// Makes vertices stay.
    pub fn hold(&mut self, vertices: impl IntoIterator<Item = usize>) {
        vertices.into_iter().for_each(|v| self.stiffness[v] = f64::INFINITY);
        self.elimination = None;
    }
}

/// What a round is for: it takes the volume that is missing, too.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Aim {
    /// Nearer to the target.
    Target,
    /// As near as before.
    Volume,
}

/// A surface that is fitted.
pub(super) struct Skin<'a> {
    pub mesh: &'a SurfaceMesh,
    surface: &'a LimitSurface,
    masks: &'a Stencils,
    // points on the part at the vertices, and the control points that moves are counted from
    pub vertices: Vec<[f64; 3]>,
    pub start: Vec<[f64; 3]>,
    // samples of faces, and the rows of their limits
    places: Vec<SurfaceLocation>,
    rows: Stencils,
    // area that each sample stands for, as a part of all
    weights: Vec<f64>,
    // samples of creases, the edge of each, and the rows of their limits
    curves: Vec<[u32; 2]>,
    curve_rows: Stencils,
    pub neighbors: Vec<Vec<u32>>,
    // ends of the creases at each vertex
    crease_ends: Vec<Vec<u32>>,
    // directions in which vertices may move, and where each vertex's start: of smooth ones the normal
    // and two along the surface; two across creases
    directions: Vec<Vector3<f64>>,
    starts: Vec<usize>,
    volume: VolumeRule,
    area: f64,
    // mean length of the edges at each vertex
    pub lengths: Vec<f64>,
}

impl<'a> Skin<'a> {
    pub fn new(
        mesh: &'a SurfaceMesh,
        surface: &'a LimitSurface,
        masks: &'a Stencils,
        (vertices, start): (Vec<[f64; 3]>, Vec<[f64; 3]>),
        volume: VolumeRule,
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
        let area: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|w| *w /= area);
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
        let mut crease_ends: Vec<Vec<u32>> = vec![Vec::new(); vertices.len()];
        for &[a, b] in &creases {
            crease_ends[a as usize].push(b);
            crease_ends[b as usize].push(a);
        }
        let (directions, starts) = directions(mesh, &vertices, &crease_ends);
        Self {
            mesh,
            surface,
            masks,
            vertices,
            start,
            rows: surface.basis_rows(&places),
            places,
            weights,
            curves,
            curve_rows: surface.basis_rows(&curve_places),
            neighbors,
            crease_ends,
            directions,
            starts,
            volume,
            area,
            lengths: lengths.into_iter().map(|(sum, n)| sum / n.max(1) as f64).collect(),
        }
    }

    pub fn deviation(&self, target: &Target, points: &[[f64; 3]]) -> Result<Deviation> {
        let x = self.surface.evaluate(points, &self.places, Want::POSITION)?.positions;
        let feet = target.feet(&x, None)?;
        let found = x.iter().zip(feet).zip(&self.weights);
        Ok(Deviation::new(found.filter_map(|((&x, foot), &w)| Some((x, foot?.distance, w)))))
    }

    pub fn state(&self, target: &Target, points: Vec<[f64; 3]>) -> Result<State> {
        let volume = self.volume.inside(self.surface, &points)?;
        let missing_volume = target.volume().filter(|_| volume != 0.0).map(|own| own - volume);
        Ok(State {
            deviation: self.deviation(target, &points)?,
            volume,
            missing_volume,
            offset: missing_volume.map_or(0.0, |missing| missing.abs() / self.area),
            drift: self.drift(&points),
            points,
        })
    }

    /// Part of a way that vertices go: those that are marked all of `whole`, their neighbors half of it;
    /// those of creases and corners nothing.
    pub fn relaxation(&self, marked: &[bool], whole: f64) -> Vec<f64> {
        let part = |v: usize| match marked.get(v) {
            _ if self.starts[v + 1] - self.starts[v] < 3 => 0.0,
            Some(true) => whole,
            Some(false) if self.neighbors[v].iter().any(|&u| marked[u as usize]) => whole / 2.0,
            _ => 0.0,
        };
        (0..self.vertices.len()).map(part).collect()
    }

    /// Slopes of the volume by control points.
    fn volume_slopes(&self, limit: &SurfaceLimit) -> Vec<Vector3<f64>> {
        let shape = self.surface.scheme().shape();
        let parameters = if shape == FaceShape::Triangle { 0.5 } else { 1.0 };
        let of_sample = parameters / samples_of(shape).len() as f64;
        let mut slopes = vec![Vector3::zeros(); self.vertices.len()];
        for s in 0..self.places.len() {
            let [u, v] = [limit.d_u[s], limit.d_v[s]].map(Vector3::from);
            let flux = u.cross(&v) * of_sample;
            self.rows
                .row(s)
                .for_each(|(control, weight)| slopes[control as usize] += flux * weight);
        }
        slopes
    }

    /// Points with corners at the corners of the target.
    pub fn with_corners(&self, target: &Target, mut points: Vec<[f64; 3]>) -> Vec<[f64; 3]> {
        let tagged = self.mesh.creases.corners.iter().filter(|c| c.sharpness.is_infinite());
        let mut corners: Vec<usize> = tagged.map(|c| c.vertex.index()).collect();
        corners.extend((0..points.len()).filter(|&v| self.crease_ends[v].len() > 2));
        for v in corners {
            if let Some(corner) =
                target.features().closest_corner(points[v], FEATURE_REACH * self.lengths[v])
            {
                points[v] = corner;
            }
        }
        points
    }

    /// Directions of what is not infinitely stiff.
    fn free_directions(&self, stiffness: &[f64]) -> (Vec<Vector3<f64>>, Vec<usize>) {
        let (mut directions, mut starts) = (Vec::new(), vec![0]);
        for (v, stiffness) in stiffness.iter().enumerate() {
            if stiffness.is_finite() {
                directions.extend(&self.directions[self.starts[v]..self.starts[v + 1]]);
            }
            starts.push(directions.len());
        }
        (directions, starts)
    }

    /// The points after a Gauss-Newton round.
    pub fn round(
        &self,
        target: &Target,
        from: &State,
        mobility: &mut Mobility,
        aim: Aim,
    ) -> Result<Vec<[f64; 3]>> {
        let points = &from.points;
        let (directions, starts) = self.free_directions(&mobility.stiffness);
        let mut system = NormalEquations::new(&directions, &starts);
        let limit = self.surface.evaluate(points, &self.places, Want::FIRST)?;
        self.add_faces(target, &limit, &mut system)?;
        self.add_curves(target, points, &mut system);
        self.add_roughness(points, &starts, &mut system);
        self.add_sliding(points, (&directions, &starts), mobility, &mut system);
        if aim == Aim::Volume {
            system.rest();
        }
        let slopes = self.volume_slopes(&limit);
        let held = from.wanted_volume().map(|volume| (&slopes[..], volume));
        let moves = system.solve(held, &mut mobility.elimination)?;
        let sum = |(p, m): (&[f64; 3], [f64; 3])| std::array::from_fn(|d| p[d] + m[d]);
        Ok(points.iter().zip(moves).map(sum).collect())
    }

    /// Rows of faces: toward the target along its normals.
    fn add_faces(
        &self,
        target: &Target,
        limit: &SurfaceLimit,
        system: &mut NormalEquations<'_>,
    ) -> Result<()> {
        let x = &limit.positions;
        let feet = target.feet(x, Some(&limit.normals))?;
        let per_element = samples_of(self.surface.scheme().shape()).len();
        let blocks: Vec<_> = (0..self.places.len())
            .into_par_iter()
            .step_by(per_element)
            .map(|first| {
                system.block((first..first + per_element).map(|s| {
                    let element = self.surface.elements()[self.places[s].element as usize];
                    let v = self.mesh.faces.face(element.face as usize)[0] as usize;
                    // beyond, it is a pair of another part of the shape: a row of no weight
                    let foot = feet[s].filter(|foot| foot.distance <= self.lengths[v]);
                    let (normal, wanted) = foot.map_or_else(Default::default, |foot| {
                        let normal = Vector3::from(foot.normal);
                        let away = Vector3::from(foot.point) - Vector3::from(x[s]);
                        (normal, normal.dot(&away))
                    });
                    (self.rows.row(s).collect(), normal, wanted, self.weights[s])
                }))
            })
            .collect();
        blocks.into_iter().for_each(|block| system.add(block));
        Ok(())
    }

    /// Rows of the roughness of the whole move: what stays of a rough one is taken back.
    fn add_roughness(
        &self,
        points: &[[f64; 3]],
        starts: &[usize],
        system: &mut NormalEquations<'_>,
    ) {
        let weight = FAIRNESS * FAIRNESS / self.mesh.points.len() as f64;
        let moved =
            |v: u32| Vector3::from(points[v as usize]) - Vector3::from(self.start[v as usize]);
        for v in 0..points.len() as u32 {
            let own = &self.crease_ends[v as usize];
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
                (row.clone(), axis, -rough[d], weight)
            }));
            system.add(block);
        }
    }

    /// Rows of what limits at smooth vertices slide. They are of smooth vertices alone: those of
    /// creases, which limits depend on too, shall not be pulled at.
    fn add_sliding(
        &self,
        points: &[[f64; 3]],
        (directions, starts): (&[Vector3<f64>], &[usize]),
        mobility: &Mobility,
        system: &mut NormalEquations<'_>,
    ) {
        let limits = self.masks.apply(points.as_flattened(), 3);
        let is_smooth = |u: u32| starts[u as usize + 1] - starts[u as usize] == 3;
        for (v, limit) in limits.as_chunks::<3>().0.iter().enumerate() {
            let [_, a, b] = directions[starts[v]..starts[v + 1]] else { continue };
            let slid = Vector3::from(*limit) - Vector3::from(self.vertices[v]);
            let own: Vec<(u32, f64)> = self.masks.row(v).filter(|&(u, _)| is_smooth(u)).collect();
            let weight = (mobility.sliding * mobility.stiffness[v]).powi(2) / points.len() as f64;
            let row = |along: Vector3<f64>| (own.clone(), along, -along.dot(&slid), weight);
            system.add(system.block([row(a), row(b)]));
        }
    }

    /// Rows of creases: across the feature line that they follow; of no weight where there is none.
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
                let rows = foot.map_or_else(Default::default, |foot| {
                    let away = Vector3::from(foot.point) - Vector3::from(x[s]);
                    across(&Vector3::from(foot.tangent)).map(|across| (across, across.dot(&away)))
                });
                rows.map(|(across, wanted)| {
                    (self.curve_rows.row(s).collect(), across, wanted, weight)
                })
            }));
            system.add(block);
        }
    }

    /// The largest of [`Skin::drifts`].
    pub fn drift(&self, points: &[[f64; 3]]) -> f64 {
        self.drifts(points).into_iter().fold(0.0, f64::max)
    }

    /// Moves along the surface of limits at vertices, in lengths of edges.
    pub fn drifts(&self, points: &[[f64; 3]]) -> Vec<f64> {
        let limits = self.masks.apply(points.as_flattened(), 3);
        let along = |(v, limit): (usize, &[f64; 3])| {
            let own = &self.directions[self.starts[v]..self.starts[v + 1]];
            let mut moved = Vector3::from(*limit) - Vector3::from(self.vertices[v]);
            // along creases, or normals alone
            let across = if own.len() == 3 { &own[..1] } else { own };
            across.iter().for_each(|direction| moved -= direction * direction.dot(&moved));
            if own.is_empty() || self.lengths[v] == 0.0 {
                0.0
            } else {
                moved.norm() / self.lengths[v]
            }
        };
        limits.as_chunks::<3>().0.iter().enumerate().map(along).collect()
    }
}

/// Directions in which vertices may move, and where each vertex's start: of smooth ones the
/// normal and two along the surface; two across creases. `creases` are the ends of those at vertices.
fn directions(
    mesh: &SurfaceMesh,
    vertices: &[[f64; 3]],
    creases: &[Vec<u32>],
) -> (Vec<Vector3<f64>>, Vec<usize>) {
    let count = vertices.len();
    let mut normals = vec![Vector3::zeros(); count];
    for face in mesh.faces.iter() {
        let normal = area_normal(vertices, face);
        face.iter().for_each(|&v| normals[v as usize] += normal);
    }
    let mut is_corner = vec![false; count];
    for corner in mesh.creases.corners.iter().filter(|c| c.sharpness > 0.0) {
        is_corner[corner.vertex.index()] = true;
    }
    let at = |v: u32| Vector3::from(vertices[v as usize]);
    let (mut directions, mut starts) = (Vec::new(), vec![0]);
    for v in 0..count {
        let unit = |x: Vector3<f64>| x.try_normalize(0.0);
        match creases[v][..] {
            _ if is_corner[v] => {}
            [] | [_] => {
                if let Some(normal) = unit(normals[v]) {
                    let [a, b] = across(&normal);
                    directions.extend([normal, a, b]);
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

/// Gauss points on elements, for the volume inside the limit.
pub(super) struct VolumeRule {
    places: Vec<SurfaceLocation>,
    weights: Vec<f64>,
}

impl VolumeRule {
    /// No points for an open surface.
    pub fn new(surface: &LimitSurface, mesh: &SurfaceMesh) -> Result<Self> {
        let (mut places, mut weights) = (Vec::new(), Vec::new());
        if super::target::open_edges(mesh) > 0 {
            return Ok(Self { places, weights });
        }
        let rule = gauss::rule(VOLUME_POINTS)?;
        let is_triangle = surface.scheme().shape() == FaceShape::Triangle;
        for element in 0..surface.elements().len() as u32 {
            for (&u, &a) in rule.points.iter().zip(&rule.weights) {
                for (&v, &b) in rule.points.iter().zip(&rule.weights) {
                    let (v, b) = if is_triangle { (v * (1.0 - u), b * (1.0 - u)) } else { (v, b) };
                    places.push(SurfaceLocation { element, parameters: [u, v] });
                    weights.push(a * b);
                }
            }
        }
        Ok(Self { places, weights })
    }

    /// Volume inside; 0 where the surface is open.
    pub fn inside(&self, surface: &LimitSurface, points: &[[f64; 3]]) -> Result<f64> {
        if self.places.is_empty() {
            return Ok(0.0);
        }
        let limit = surface.evaluate(points, &self.places, Want::FIRST)?;
        let origin = Vector3::from(points.first().copied().unwrap_or_default());
        let flux = |i: usize| {
            let [x, u, v] = [limit.positions[i], limit.d_u[i], limit.d_v[i]].map(Vector3::from);
            self.weights[i] * (x - origin).dot(&u.cross(&v)) / 3.0
        };
        Ok((0..self.places.len()).map(flux).sum())
    }
}
