//! Vertices of the boundary that slide.
//!
//! The limit surface of the boundary depends on the control points of the boundary alone. A vertex
//! slides when its control point moves along the surface and is then corrected until its limit
//! point lies on the original limit surface again: all corrections together solve the interpolation
//! of these points (Halstead, Kass and DeRose 1993, §4) by Richardson's iteration. Where two
//! infinitely sharp edges meet at a vertex it slides along the limit curve of their crease.
//! Corners, and vertices of semi-sharp edges, stay.

use std::collections::HashMap;

use nalgebra::Vector3;
use rayon::prelude::*;

use super::energy::Freedom;
use crate::basis::bspline::Order;
use crate::basis::closest_on_curve;
use crate::error::IdKind::Vertex;
use crate::error::{Error, Result};
use crate::limit::Solid;
use crate::limit::boundary::{BoundaryFace, RimNames, boundary_faces};
use crate::limit::rim::UNIT;
use crate::locate::Locator;
use crate::mesh::{Controls, SolidMesh};
use crate::process::solid::trilinear::CORNERS;
use crate::topology::{Orientation, Sharpness, Topology};

/// Tolerance of the limit points of vertices that slide: their distance from the original limit, as
/// a fraction of the solid's diagonal.
const LIMIT_TOLERANCE_FRACTION: f64 = 1e-8;
/// Corrections at most.
const MAX_CORRECTIONS: usize = 100;
/// Multiple of a limit point's error that its control point is moved by. Masks of regular vertices
/// have the eigenvalues 1/9 to 1, for which 1.8 is best; on others they reach a little farther.
const CORRECTION_FACTOR: f64 = 1.6;
/// Samples of a face by axis at which its distance is measured first.
const SAMPLES_PER_AXIS: usize = 5;
/// Faces that are sampled more finely, by their distance as a fraction of the greatest.
const RESAMPLE_ABOVE_FRACTION: f64 = 0.7;
/// Rounds of that, in each of which steps are halved.
const RESAMPLE_ROUNDS: usize = 4;
/// Edges of a crease on each side of a vertex along which it slides.
const MAX_SLIDE_EDGES: usize = 3;

/// Cubic Bézier points.
type CubicCurve = [[f64; 3]; 4];

/// The vertices that slide, and what they slide on.
pub(super) struct SlidingVertices<'s> {
    solid: &'s Solid,
    topology: &'s Topology,
    locator: Locator<'s>,
    /// Points of all levels, as they were.
    before: Vec<f64>,
    sliders: Vec<Slider>,
    diagonal: f64,
    faces: Vec<BoundaryFace>,
    grid: FaceGrid,
}

/// Samples of all faces, those on common edges once.
struct FaceGrid {
    /// A face that has the sample, and where.
    samples: Vec<(u32, [f64; 2])>,
    /// `[face][SAMPLES_PER_AXIS][SAMPLES_PER_AXIS]`: the sample.
    of_faces: Vec<u32>,
}

impl FaceGrid {
    fn new(solid: &Solid, faces: &[BoundaryFace]) -> Self {
        let names = RimNames(solid);
        let (mut samples, mut of_faces) = (Vec::new(), Vec::new());
        let mut known = HashMap::new();
        for (f, face) in (0..).zip(faces) {
            let (number, rim) = (names.number(face), names.rim(face));
            for i in 0..SAMPLES_PER_AXIS * SAMPLES_PER_AXIS {
                let steps = [i % SAMPLES_PER_AXIS, i / SAMPLES_PER_AXIS];
                let at = steps.map(|k| k as f64 / (SAMPLES_PER_AXIS - 1) as f64);
                let place = element_place(face, at);
                let node = face.along.map(|axis| (place[axis] * f64::from(UNIT)) as u32);
                let next = samples.len() as u32;
                of_faces.push(*known.entry(rim.node(number, node)).or_insert_with(|| {
                    samples.push((f, at));
                    next
                }));
            }
        }
        Self { samples, of_faces }
    }
}

/// Parameters of a face's element at parameters of the two axes in the face.
fn element_place(face: &BoundaryFace, [s, t]: [f64; 2]) -> [f64; 3] {
    let side = face.side as f64;
    [[side, s, t], [s, side, t], [s, t, side]][face.axis]
}

/// A vertex that slides.
struct Slider {
    vertex: u32,
    on: SlideTarget,
    place: LimitStencil,
}

enum SlideTarget {
    Surface,
    /// Between two neighbors on a crease, on these curves.
    Crease([u32; 2], Vec<CubicCurve>),
}

/// A point of the limit as a combination of points of all levels.
struct LimitStencil {
    net: Vec<u32>,
    weights: Vec<f64>,
}

impl LimitStencil {
    fn new(solid: &Solid, element: u32, parameters: [f64; 3]) -> Option<Self> {
        let (leaf, local) = solid.locate(element as usize, parameters);
        let leaf = &solid.leaves()[leaf];
        let weights = solid.weights(leaf, local, [Order::Value; 3])?;
        Some(Self { net: solid.net(leaf).to_vec(), weights })
    }

    fn of(&self, points: &[f64]) -> Vector3<f64> {
        // relative to one of them, whose weights' sum is 1 but for rounding
        let at = |v: u32| Vector3::from_column_slice(&points[3 * v as usize..][..3]);
        let origin = self.net.first().map_or_else(Vector3::zeros, |&v| at(v));
        let terms = self.net.iter().zip(&self.weights);
        origin + terms.map(|(&v, &w)| (at(v) - origin) * w).sum::<Vector3<f64>>()
    }
}

impl<'s> SlidingVertices<'s> {
    /// The vertices that slide on the limit of a mesh of hexahedra.
    ///
    /// # Errors
    /// As [`Locator::of_sides`] and [`Sharpness::resolve`].
    pub fn new(mesh: &SolidMesh, hexes: &[[u32; 8]], solid: &'s Solid) -> Result<Self> {
        let topology = solid.topology();
        let locator = Locator::of_sides(solid, mesh.controls())?;
        let before = solid.refined_points(mesh.points.as_flattened(), 3).into_owned();
        let creases =
            CreaseLines { sharpness: Sharpness::resolve(&mesh.creases, topology)?, topology };
        let mut sliders = Vec::new();
        for vertex in 0..mesh.points.len() as u32 {
            if !topology.is_boundary_vertex(vertex) || creases.sharpness.vertex(vertex) > 0.0 {
                continue;
            }
            let on = match creases.kind(vertex) {
                VertexRole::Smooth => SlideTarget::Surface,
                VertexRole::Crease(ends) => match creases.curves(vertex, ends, &mesh.points) {
                    Some(curves) => SlideTarget::Crease(ends, curves),
                    None => continue,
                },
                VertexRole::Corner | VertexRole::SemiSharp => continue,
            };
            let Some(&cell) = topology.vertex_cells(vertex).first() else { continue };
            let corner = hexes[cell as usize].iter().position(|&v| v == vertex);
            let place = corner.and_then(|corner| LimitStencil::new(solid, cell, CORNERS[corner]));
            let place = place.ok_or_else(|| {
                Error::mesh(message!("the limit at ", Vertex.id(vertex), " has no weights"))
                    .with_help("keep the boundary as it is")
            })?;
            sliders.push(Slider { vertex, on, place });
        }
        // vertices of no cell may be anywhere
        let used = || hexes.as_flattened().iter().map(|&v| mesh.points[v as usize]);
        let [low, high] = [f64::min, f64::max].map(|pick: fn(f64, f64) -> f64| {
            used().reduce(|a, b| std::array::from_fn(|d| pick(a[d], b[d])))
        });
        let diagonal =
            low.zip(high).map_or(0.0, |(a, b)| (Vector3::from(a) - Vector3::from(b)).norm());
        let faces = boundary_faces(solid, &Orientation::default());
        let grid = FaceGrid::new(solid, &faces);
        Ok(Self { solid, topology, locator, before, sliders, diagonal, faces, grid })
    }

    /// Length of the box around the control points, from corner to corner.
    pub fn diagonal(&self) -> f64 {
        self.diagonal
    }

    /// Number of vertices that slide.
    pub fn len(&self) -> usize {
        self.sliders.len()
    }

    /// Lets the vertices that slide move along the control mesh's boundary.
    pub fn set_ways(&self, points: &[[f64; 3]], freedoms: &mut [Freedom]) {
        let at = |v: u32| Vector3::from(points[v as usize]);
        for Slider { vertex, on, .. } in &self.sliders {
            let vector = match on {
                SlideTarget::Surface => {
                    let faces = self.topology.vertex_faces(*vertex).iter().copied();
                    let faces = faces.filter(|&face| self.topology.is_boundary_face(face));
                    let area = |face: u32| -> Vector3<f64> {
                        let cycle = self.topology.face_vertices(face);
                        let sides = cycle.iter().zip(cycle.iter().cycle().skip(1));
                        sides
                            .map(|(&a, &b)| (at(a) - at(*vertex)).cross(&(at(b) - at(*vertex))))
                            .sum()
                    };
                    faces.map(area).sum::<Vector3<f64>>()
                }
                SlideTarget::Crease([a, b], _) => at(*b) - at(*a),
            };
            freedoms[*vertex as usize] = match (vector.try_normalize(0.0), on) {
                (None, _) => Freedom::None,
                (Some(normal), SlideTarget::Surface) => Freedom::Across(normal),
                (Some(direction), SlideTarget::Crease(..)) => Freedom::Along(direction),
            };
        }
    }

    /// Corrects the vertices that slide until their limit points are on the original limit; whether
    /// they come there.
    pub fn settle(&self, points: &mut [[f64; 3]]) -> bool {
        for _ in 0..MAX_CORRECTIONS {
            let refined = self.solid.refined_points(points.as_flattened(), 3);
            let off = |slider: &Slider| self.target(&slider.on, slider.place.of(&refined));
            let offs: Option<Vec<Vector3<f64>>> = self.sliders.par_iter().map(off).collect();
            let Some(offs) = offs else { return false };
            let most = offs.iter().map(Vector3::norm).fold(0.0, f64::max);
            if most <= LIMIT_TOLERANCE_FRACTION * self.diagonal {
                return true;
            }
            for (slider, off) in self.sliders.iter().zip(offs) {
                let point = &mut points[slider.vertex as usize];
                *point = (Vector3::from(*point) + CORRECTION_FACTOR * off).into();
            }
        }
        false
    }

    /// From a limit point to the place where it belongs.
    fn target(&self, on: &SlideTarget, x: Vector3<f64>) -> Option<Vector3<f64>> {
        match on {
            SlideTarget::Surface => {
                let place = self.locator.nearest_on_sides(x.into())?;
                let place = LimitStencil::new(self.solid, place.element, place.parameters)?;
                Some(place.of(&self.before) - x)
            }
            SlideTarget::Crease(_, curves) => {
                let each = curves.iter().map(|curve| closest_on_curve(curve, x.into()).1);
                each.min_by(|a, b| a.norm_squared().total_cmp(&b.norm_squared()))
            }
        }
    }

    /// The greatest distance between the new and the original limit surface, in both directions;
    /// infinite where it has none. No more is measured once it is above `most`.
    pub fn deviation(&self, points: &[[f64; 3]], most: f64) -> f64 {
        let refined = self.solid.refined_points(points.as_flattened(), 3);
        let there = self.farthest(&refined, &self.locator, most);
        if there > most {
            return there;
        }
        let controls = Controls { positions: points, attributes: &[] };
        let after = Locator::of_sides(self.solid, controls);
        after.map_or(f64::INFINITY, |after| there.max(self.farthest(&self.before, &after, most)))
    }

    /// The greatest distance of a surface at points of all levels from the surface of a locator: on
    /// a grid in every face, then around the farthest places of each; infinite once one is above
    /// `most`.
    fn farthest(&self, points: &[f64], locator: &Locator<'_>, most: f64) -> f64 {
        let distance = |face: u32, at: [f64; 2]| {
            let face = &self.faces[face as usize];
            let place = LimitStencil::new(self.solid, face.element, element_place(face, at))?;
            let found = locator.nearest_on_sides(place.of(points).into())?.residual;
            (found <= most).then_some(found)
        };
        let samples = self.grid.samples.par_iter();
        let samples: Option<Vec<f64>> = samples.map(|&(face, at)| distance(face, at)).collect();
        let Some(samples) = samples else { return f64::INFINITY };
        let greatest = samples.iter().copied().fold(0.0, f64::max);
        let farther = |a: (f64, [f64; 2]), b: (f64, [f64; 2])| if b.0 > a.0 { b } else { a };
        let closer = |(face, own): (usize, &[u32])| {
            let values = own.iter().map(|&sample| samples[sample as usize]);
            let grid = (0..).zip(values).map(|(i, value): (usize, f64)| {
                (
                    value,
                    [i % SAMPLES_PER_AXIS, i / SAMPLES_PER_AXIS]
                        .map(|k| k as f64 / (SAMPLES_PER_AXIS - 1) as f64),
                )
            });
            let mut best = grid.fold((0.0, [0.0; 2]), farther);
            if best.0 < RESAMPLE_ABOVE_FRACTION * greatest {
                return Some(best.0);
            }
            let mut step = 0.5 / (SAMPLES_PER_AXIS - 1) as f64;
            for _ in 0..RESAMPLE_ROUNDS {
                let [s, t] = best.1;
                for i in 0..9 {
                    let by = [i % 3, i / 3].map(|k: usize| (k as f64 - 1.0) * step);
                    let at = [s + by[0], t + by[1]].map(|x| x.clamp(0.0, 1.0));
                    best = farther(best, (distance(face as u32, at)?, at));
                }
                step *= 0.5;
            }
            Some(best.0)
        };
        let faces = self.grid.of_faces.par_chunks(SAMPLES_PER_AXIS * SAMPLES_PER_AXIS).enumerate();
        let found: Option<Vec<f64>> = faces.map(closer).collect();
        found.map_or(f64::INFINITY, |found| found.into_iter().fold(0.0, f64::max))
    }
}

/// Vertices by the sharp edges at them.
enum VertexRole {
    Smooth,
    /// Between two neighbors on a crease that is infinitely sharp.
    Crease([u32; 2]),
    /// Interpolated.
    Corner,
    /// At semi-sharp edges, at the end of a crease, or with a semi-sharp tag.
    SemiSharp,
}

struct CreaseLines<'t> {
    sharpness: Sharpness,
    topology: &'t Topology,
}

impl CreaseLines<'_> {
    fn kind(&self, vertex: u32) -> VertexRole {
        let edges = self.topology.vertex_edges(vertex).iter().copied();
        let sharp: Vec<u32> = edges.filter(|&e| self.sharpness.edge(e) > 0.0).collect();
        let infinite = sharp.iter().all(|&e| self.sharpness.edge(e) == f64::INFINITY);
        match (sharp[..].len(), self.sharpness.vertex(vertex)) {
            (_, f64::INFINITY) => VertexRole::Corner,
            (0, 0.0) => VertexRole::Smooth,
            (2, 0.0) if infinite => {
                VertexRole::Crease([0, 1].map(|i: usize| self.topology.other_end(sharp[i], vertex)))
            }
            (3.., _) if infinite => VertexRole::Corner,
            _ => VertexRole::SemiSharp,
        }
    }

    /// The limit of the crease around a vertex between two ends; none if a rule other than that
    /// of creases and corners takes part.
    fn curves(&self, vertex: u32, ends: [u32; 2], points: &[[f64; 3]]) -> Option<Vec<CubicCurve>> {
        // vertices along the crease, from a corner if one is near
        let mut chain = std::collections::VecDeque::from([ends[0], vertex, ends[1]]);
        let mut closed = [false; 2];
        for (side, end) in ends.into_iter().enumerate() {
            let (mut before, mut last) = (vertex, end);
            for _ in 0..MAX_SLIDE_EDGES {
                match self.kind(last) {
                    VertexRole::Crease(next) => {
                        let next = if next[0] == before { next[1] } else { next[0] };
                        if side == 0 {
                            chain.push_front(next)
                        } else {
                            chain.push_back(next)
                        }
                        (before, last) = (last, next);
                    }
                    VertexRole::Corner => {
                        closed[side] = true;
                        break;
                    }
                    _ => return None,
                }
            }
        }
        let mut line: Vec<Vector3<f64>> =
            chain.iter().map(|&v| Vector3::from(points[v as usize])).collect();
        // beyond a corner a crease goes straight on
        if closed[0] {
            line.insert(0, 2.0 * line[0] - line[1]);
        }
        if closed[1] {
            let [.., a, b] = line[..] else { return None };
            line.push(2.0 * b - a);
        }
        let bezier = |p: &[Vector3<f64>]| {
            let inner = [(2.0 * p[1] + p[2]) / 3.0, (p[1] + 2.0 * p[2]) / 3.0];
            let ends = [0, 1].map(|i: usize| (p[i] + 4.0 * p[i + 1] + p[i + 2]) / 6.0);
            [ends[0], inner[0], inner[1], ends[1]].map(<[f64; 3]>::from)
        };
        Some(line.windows(4).map(bezier).collect())
    }
}
