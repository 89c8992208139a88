//! Least squares from a surface to a target: unknowns, rows and what they miss.

use nalgebra::Vector3;
use rayon::prelude::*;

use super::deviation::Deviation;
use super::features::FeatureFoot;
use super::feet::Foot;
use super::normal_equations::{NormalEquations, RowBlock, Unknowns};
use super::skin_limit::SkinLimit;
use super::skin_moves::{VertexKind, VertexMoves, across};
use super::target::Target;
use crate::error::Result;
use crate::mesh::{SurfaceMesh, area_normal};
use crate::numbers::vector::distance;
use crate::scheme::Stencils;
use crate::surface::limit::GridLimit;

/// Samples along a crease of an edge.
const CURVE_SAMPLES: usize = 3;
/// Weight of roughness of the move against distances.
const FAIRNESS: f64 = 1e-3;
/// Weight of a sample of a crease against one of a face, and of a corner.
const CURVE_WEIGHT: f64 = 4.0;
const CORNER_WEIGHT: f64 = 40.0;
/// Greatest distance between feature lines and corners of target and mesh, in lengths of the edges
/// there.
pub(super) const FEATURE_REACH: f64 = 0.75;

/// Samples of a limit.
struct Samples {
    limit: GridLimit,
    // closest points of the target, `[sample]`
    feet: Vec<Option<Foot>>,
}

impl Samples {
    fn positions(&self) -> &[[f64; 3]] {
        self.limit.positions.as_chunks().0
    }

    fn normals(&self) -> &[[f64; 3]] {
        self.limit.normals.as_chunks().0
    }
}

/// Control points on the way.
pub(super) struct State {
    pub points: Vec<[f64; 3]>,
    samples: Samples,
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
    // of all rounds with the same vertices that stay
    system: Option<SkinSystem>,
}

/// The linear systems of rounds.
struct SkinSystem {
    equations: NormalEquations,
    // control points that rows are kept of, and slopes of the volume there
    points: Vec<[f64; 3]>,
    slopes: Vec<Vector3<f64>>,
}

impl Mobility {
    pub fn new(vertices: usize, sliding: f64) -> Self {
        Self { sliding, stiffness: vec![1.0; vertices], system: None }
    }

    pub fn stiffen(&mut self, vertex: usize, factor: f64) {
        self.stiffness[vertex] *= factor;
    }

    /// Makes vertices stay.
    pub fn hold(&mut self, vertices: impl IntoIterator<Item = usize>) {
        vertices.into_iter().for_each(|v| self.stiffness[v] = f64::INFINITY);
        self.system = None;
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
    limit: &'a dyn SkinLimit,
    // points on the part at the vertices, and the control points that moves are counted from
    pub vertices: Vec<[f64; 3]>,
    pub start: Vec<[f64; 3]>,
    // area that each sample stands for, as a part of all
    weights: Vec<f64>,
    // samples of creases, the edge of each, and the rows of their limits
    curves: Vec<[u32; 2]>,
    curve_rows: Stencils,
    pub neighbors: Vec<Vec<u32>>,
    // ends of the creases at each vertex
    crease_ends: Vec<Vec<u32>>,
    moves: VertexMoves,
    area: f64,
    // mean length of the edges at each vertex, 0 of those of no face
    pub lengths: Vec<f64>,
    // number of vertices of faces
    pub count: usize,
}

impl<'a> Skin<'a> {
    pub fn new(
        mesh: &'a SurfaceMesh,
        limit: &'a dyn SkinLimit,
        (vertices, start): (Vec<[f64; 3]>, Vec<[f64; 3]>),
    ) -> Self {
        let samples = limit.samples();
        let whole: f64 = samples.areas.iter().sum();
        let mut weights = Vec::with_capacity(samples.rows.len());
        for elements in samples.faces.chunk_by(|a, b| a == b) {
            let area = area_normal(&vertices, mesh.faces.face(elements[0] as usize)).norm();
            let each = area / (elements.len() as f64 * whole);
            for _ in elements {
                weights.extend(samples.areas.iter().map(|area| each * area));
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
        let (mut curves, mut sides) = (Vec::new(), Vec::new());
        for &edge in &creases {
            let Some(&side) = faces_of.get(&edge).and_then(|own| own.first()) else { continue };
            sides.push(side);
            curves.extend([edge; CURVE_SAMPLES]);
        }
        let parts: Vec<f64> =
            (0..CURVE_SAMPLES).map(|k| (k as f64 + 0.5) / CURVE_SAMPLES as f64).collect();
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
        Self {
            mesh,
            limit,
            moves: VertexMoves::new(mesh, &vertices, &crease_ends, limit.vertices()),
            vertices,
            start,
            weights,
            curves,
            curve_rows: limit.along(&sides, &parts),
            count: neighbors.iter().filter(|ring| !ring.is_empty()).count(),
            neighbors,
            crease_ends,
            area,
            lengths: lengths.into_iter().map(|(sum, n)| sum / n.max(1) as f64).collect(),
        }
    }

    /// Distances from a target of the limit of control points.
    pub fn deviation(&self, target: &Target, points: &[[f64; 3]]) -> Result<Deviation> {
        let positions = self.limit.samples().rows.apply(points.as_flattened(), 3);
        let feet = target.feet(positions.as_chunks::<3>().0, None)?;
        Ok(self.deviation_of(positions.as_chunks::<3>().0, &feet))
    }

    fn deviation_of(&self, positions: &[[f64; 3]], feet: &[Option<Foot>]) -> Deviation {
        let found = positions.iter().zip(feet).zip(&self.weights);
        Deviation::new(found.filter_map(|((&x, foot), &w)| Some((x, foot.as_ref()?.distance, w))))
    }

    /// Distances of creases of the limit from the feature lines that they follow.
    pub fn crease_deviation(&self, target: &Target, points: &[[f64; 3]]) -> Deviation {
        let x = self.curve_rows.apply(points.as_flattened(), 3);
        let weight = |ends: [u32; 2]| {
            let [a, b] = ends.map(|v| self.vertices[v as usize]);
            distance(a, b)
        };
        let found = x.as_chunks::<3>().0.iter().zip(&self.curves).filter_map(|(&x, &ends)| {
            let foot = self.line_at(target, x, ends)?;
            Some((x, distance(x, foot.point), weight(ends)))
        });
        Deviation::new(found)
    }

    /// The closest point of the feature line that a crease with these ends follows.
    fn line_at(&self, target: &Target, x: [f64; 3], ends: [u32; 2]) -> Option<FeatureFoot> {
        let [a, b] = ends.map(|v| v as usize);
        let [from, to] = [a, b].map(|v| Vector3::from(self.vertices[v]));
        let tangent = (to - from).try_normalize(0.0)?;
        let reach = FEATURE_REACH * self.lengths[a].max(self.lengths[b]);
        target.features().closest(x, Some(tangent.into()), reach)
    }

    /// The state of control points; `near` is one with samples near its own, if there is one.
    pub fn state(
        &self,
        target: &Target,
        mut points: Vec<[f64; 3]>,
        near: Option<&State>,
    ) -> Result<State> {
        self.limit.settle(&mut points)?;
        let (limit, volume) = self.limit.evaluate(&points)?;
        let missing_volume = target.volume().filter(|_| volume != 0.0).map(|own| own - volume);
        let mut samples = Samples { limit, feet: Vec::new() };
        let near = near.map(|near| &near.samples.feet[..]);
        samples.feet = target.feet(samples.positions(), near)?;
        Ok(State {
            deviation: self.deviation_of(samples.positions(), &samples.feet),
            volume,
            missing_volume,
            offset: missing_volume.map_or(0.0, |missing| missing.abs() / self.area),
            drift: self.drift(&points),
            points,
            samples,
        })
    }

    /// Root mean square distance of the limit of control points from the planes of the target at the
    /// closest points of a state: about the least that it may be.
    pub fn planar_rms(&self, from: &State, points: &[[f64; 3]]) -> f64 {
        let positions = self.limit.samples().rows.apply(points.as_flattened(), 3);
        let found = positions.as_chunks::<3>().0.iter().zip(&from.samples.feet).zip(&self.weights);
        let distances = found.filter_map(|((&x, foot), &weight)| {
            let foot = foot.as_ref()?;
            let away = Vector3::from(x) - Vector3::from(foot.point);
            Some((x, Vector3::from(foot.normal).dot(&away).abs(), weight))
        });
        Deviation::new(distances).rms
    }

    /// Part of a way that vertices go: those that are marked all of `whole`, their neighbors half of it;
    /// those of creases and corners nothing.
    pub fn relaxation(&self, marked: &[bool], whole: f64) -> Vec<f64> {
        let part = |v: usize| match marked.get(v) {
            _ if self.moves.kind(v) != VertexKind::Smooth => 0.0,
            Some(true) => whole,
            Some(false) if self.neighbors[v].iter().any(|&u| marked[u as usize]) => whole / 2.0,
            _ => 0.0,
        };
        (0..self.vertices.len()).map(part).collect()
    }

    /// Slopes of the volume by control points.
    fn volume_slopes(&self, limit: &GridLimit) -> Vec<Vector3<f64>> {
        let samples = self.limit.samples();
        let mut slopes = vec![Vector3::zeros(); self.vertices.len()];
        let [d_u, d_v] = limit.derivatives.each_ref().map(|d| d.as_chunks::<3>().0);
        for (s, area) in (0..samples.rows.len()).zip(samples.areas.iter().cycle()) {
            let [u, v] = [d_u[s], d_v[s]].map(Vector3::from);
            let flux = u.cross(&v) * *area;
            let row = samples.rows.row(s);
            row.for_each(|(control, weight)| slopes[control as usize] += flux * weight);
        }
        slopes
    }

    /// Points with corners at the corners of the target, where their limits are the points themselves.
    pub fn with_corners(&self, target: &Target, mut points: Vec<[f64; 3]>) -> Vec<[f64; 3]> {
        for v in self.moves.corners().filter(|&v| self.moves.of(v).is_empty()) {
            points[v] = self.corner(target, v, points[v]).unwrap_or(points[v]);
        }
        points
    }

    /// The corner of the target at a vertex near `point`.
    fn corner(&self, target: &Target, vertex: usize, point: [f64; 3]) -> Option<[f64; 3]> {
        target.features().closest_corner(point, FEATURE_REACH * self.lengths[vertex])
    }

    /// The points after a Gauss-Newton round.
    pub fn round(
        &self,
        target: &Target,
        from: &State,
        mobility: &mut Mobility,
        aim: Aim,
    ) -> Result<Vec<[f64; 3]>> {
        let Mobility { sliding, stiffness, system } = mobility;
        let SkinSystem { equations, points, slopes } = system.get_or_insert_with(|| SkinSystem {
            equations: NormalEquations::new(self.moves.unknowns(stiffness)),
            points: Vec::new(),
            slopes: Vec::new(),
        });
        let unknowns = &equations.unknowns;
        let sliding = self.sliding_rows(&from.points, unknowns, |v| *sliding * stiffness[v]);
        if *points != from.points {
            let mut blocks = self.face_rows(target, &from.samples, unknowns)?;
            blocks.extend(self.curve_rows(target, &from.points, unknowns));
            blocks.extend(self.corner_rows(target, &from.points, unknowns));
            blocks.extend(self.roughness_rows(&from.points, unknowns));
            equations.keep(&blocks, &sliding)?;
            points.clone_from(&from.points);
            *slopes = self.volume_slopes(&from.samples.limit);
        }
        let held = from.wanted_volume().map(|volume| (&slopes[..], volume));
        let moves = equations.solve(&sliding, aim == Aim::Volume, held)?;
        let sum = |(p, m): (&[f64; 3], [f64; 3])| std::array::from_fn(|d| p[d] + m[d]);
        Ok(from.points.iter().zip(moves).map(sum).collect())
    }

    /// Rows of faces: toward the target along its normals.
    fn face_rows(
        &self,
        target: &Target,
        samples: &Samples,
        unknowns: &Unknowns,
    ) -> Result<Vec<RowBlock>> {
        let x = samples.positions();
        let feet = &target.facing(x, samples.normals(), &samples.feet)?;
        let own = self.limit.samples();
        let per_element = own.areas.len();
        let rows = |element: usize| {
            let v = self.mesh.faces.face(own.faces[element] as usize)[0] as usize;
            (element * per_element..(element + 1) * per_element).map(move |s| {
                // beyond, it is a pair of another part of the shape: a row of no weight
                let foot = feet[s].filter(|foot| foot.distance <= self.lengths[v]);
                let (normal, wanted) = foot.map_or_else(Default::default, |foot| {
                    let normal = Vector3::from(foot.normal);
                    let away = Vector3::from(foot.point) - Vector3::from(x[s]);
                    (normal, normal.dot(&away))
                });
                (own.rows.row(s).collect(), normal, wanted, self.weights[s])
            })
        };
        let elements = (0..own.faces.len()).into_par_iter();
        Ok(elements.map(|element| unknowns.block(rows(element))).collect())
    }

    /// Rows of the roughness of the whole move: what stays of a rough one is taken back.
    fn roughness_rows(&self, points: &[[f64; 3]], unknowns: &Unknowns) -> Vec<RowBlock> {
        let weight = FAIRNESS * FAIRNESS / self.count as f64;
        let moved =
            |v: u32| Vector3::from(points[v as usize]) - Vector3::from(self.start[v as usize]);
        let block = |v: u32| {
            let own = &self.crease_ends[v as usize];
            let ring = if own.len() == 2 { own } else { &self.neighbors[v as usize] };
            if unknowns.directions(v).is_empty() || ring.is_empty() {
                return None;
            }
            let each = -1.0 / ring.len() as f64;
            let row: Vec<(u32, f64)> =
                std::iter::once((v, 1.0)).chain(ring.iter().map(|&u| (u, each))).collect();
            let rough: Vector3<f64> = row.iter().map(|&(u, w)| moved(u) * w).sum();
            Some(unknowns.block((0..3).map(|d| {
                let mut axis = Vector3::zeros();
                axis[d] = 1.0;
                (row.clone(), axis, -rough[d], weight)
            })))
        };
        (0..points.len() as u32).into_par_iter().filter_map(block).collect()
    }

    /// Rows of what limits at smooth vertices slide, by the weight of each vertex. They are of smooth
    /// vertices alone: those of creases, which limits depend on too, shall not be pulled at.
    fn sliding_rows(
        &self,
        points: &[[f64; 3]],
        unknowns: &Unknowns,
        weight: impl Fn(usize) -> f64 + Sync,
    ) -> Vec<RowBlock> {
        let masks = self.limit.vertices();
        let limits = masks.apply(points.as_flattened(), 3);
        let limits = limits.as_chunks::<3>().0;
        let is_smooth = |u: u32| {
            self.moves.kind(u as usize) == VertexKind::Smooth && !unknowns.directions(u).is_empty()
        };
        let block = |v: usize| {
            let &[_, a, b] = unknowns.directions(v as u32) else { return None };
            if !is_smooth(v as u32) {
                return None;
            }
            let slid = Vector3::from(limits[v]) - Vector3::from(self.vertices[v]);
            let own: Vec<(u32, f64)> = masks.row(v).filter(|&(u, _)| is_smooth(u)).collect();
            let weight = weight(v).powi(2) / self.count as f64;
            let row = |along: Vector3<f64>| (own.clone(), along, -along.dot(&slid), weight);
            Some(unknowns.block([row(a), row(b)]))
        };
        (0..points.len()).into_par_iter().filter_map(block).collect()
    }

    /// Rows of creases: across the feature line that they follow; of no weight where there is none.
    fn curve_rows(
        &self,
        target: &Target,
        points: &[[f64; 3]],
        unknowns: &Unknowns,
    ) -> Vec<RowBlock> {
        let x = self.curve_rows.apply(points.as_flattened(), 3);
        let x = x.as_chunks::<3>().0;
        let weight = CURVE_WEIGHT / self.weights.len() as f64;
        let block = |first: usize| {
            unknowns.block((first..first + CURVE_SAMPLES).flat_map(|s| {
                let foot = self.line_at(target, x[s], self.curves[s]);
                let rows = foot.map_or_else(Default::default, |foot| {
                    let away = Vector3::from(foot.point) - Vector3::from(x[s]);
                    across(&Vector3::from(foot.tangent)).map(|across| (across, across.dot(&away)))
                });
                rows.map(|(across, wanted)| {
                    (self.curve_rows.row(s).collect(), across, wanted, weight)
                })
            }))
        };
        (0..x.len()).into_par_iter().step_by(CURVE_SAMPLES).map(block).collect()
    }

    /// Rows of corners that move: toward the corners of the target, or to where they were.
    fn corner_rows(
        &self,
        target: &Target,
        points: &[[f64; 3]],
        unknowns: &Unknowns,
    ) -> Vec<RowBlock> {
        let masks = self.limit.vertices();
        let weight = CORNER_WEIGHT / self.weights.len() as f64;
        let block = |v: usize| {
            let own: Vec<(u32, f64)> = masks.row(v).collect();
            let at = |&(u, w): &(u32, f64)| w * Vector3::from(points[u as usize]);
            let limit: Vector3<f64> = own.iter().map(at).sum();
            let vertex = self.vertices[v];
            let wanted = self.corner(target, v, vertex).unwrap_or(vertex);
            let away = Vector3::from(wanted) - limit;
            let axes = unknowns.directions(v as u32).to_vec();
            unknowns
                .block(axes.into_iter().map(|axis| (own.clone(), axis, axis.dot(&away), weight)))
        };
        let moving = self.moves.corners().filter(|&v| !unknowns.directions(v as u32).is_empty());
        moving.map(block).collect()
    }

    /// The largest of [`Skin::drifts`].
    pub fn drift(&self, points: &[[f64; 3]]) -> f64 {
        self.drifts(points).into_iter().fold(0.0, f64::max)
    }

    /// Moves along the surface of limits at vertices, in lengths of edges.
    pub fn drifts(&self, points: &[[f64; 3]]) -> Vec<f64> {
        let limits = self.limit.vertices().apply(points.as_flattened(), 3);
        let along = |(v, limit): (usize, &[f64; 3])| {
            let (own, kind) = (self.moves.of(v), self.moves.kind(v));
            let mut moved = Vector3::from(*limit) - Vector3::from(self.vertices[v]);
            // along creases, or normals alone
            let across = if kind == VertexKind::Smooth { &own[..own.len().min(1)] } else { own };
            across.iter().for_each(|direction| moved -= direction * direction.dot(&moved));
            if own.is_empty() || kind == VertexKind::Corner || self.lengths[v] == 0.0 {
                0.0
            } else {
                moved.norm() / self.lengths[v]
            }
        };
        limits.as_chunks::<3>().0.iter().enumerate().map(along).collect()
    }
}
