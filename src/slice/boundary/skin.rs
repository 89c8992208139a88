//! Closed surfaces as bicubic Bézier patches.
//!
//! Regular quads of Catmull-Clark surfaces are bicubic (Stam 1998); toward extraordinary vertices
//! patches are [fitted](super::patch_fit). The limit of Loop subdivision is quartic over triangles:
//! each is three quads between a corner, the middles of its edges and the centroid, and patches are
//! fitted to the limit over these. A bilinear surface is its triangles and bilinear quads.

use super::bicubic::{self, BicubicPatch, HEIGHT, PlanePoint, round_to};
use super::closed::ClosedSurface;
use super::patch_fit::{Fit, Fitter, Square};
use super::skin_tables::SkinTables;
use crate::basis::MissingLayers;
use crate::bezier::{net_values, to_bezier};
use crate::error::Result;
use crate::interrupt::stop_point;
use crate::limit::rim::{Border, Rim, UNIT};
use crate::mesh::check_point_count;
use crate::numbers::vector::{net_sum, sum_about};
use crate::scheme::{FaceShape, Scheme};
use crate::slice::frame::Axis;
use crate::surface::limit::{LimitSurface, SurfaceLeaf, SurfaceLeafKind};

/// A quad that patches cover: a face, or one corner of a face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SkinQuad {
    /// The face.
    pub face: u32,
    /// The corner, from which s runs along the next edge and t along the one before, each to its
    /// middle, as in the elements of Catmull-Clark surfaces.
    pub corner: Option<u32>,
}

/// A closed surface over control points, seen along an axis.
pub struct Skin<'a> {
    surface: &'a ClosedSurface,
    // of all levels, of a bilinear surface with rounded heights
    points: Vec<[f64; 3]>,
    axis: Axis,
    fitter: Fitter,
    parts: Vec<SkinQuad>,
    tables: SkinTables,
}

impl<'a> Skin<'a> {
    /// The surface over its control `points`.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) if there is not one point a vertex.
    pub fn new(
        surface: &'a ClosedSurface,
        points: &[[f64; 3]],
        axis: Axis,
        fitter: Fitter,
    ) -> Result<Self> {
        check_point_count(points.len(), surface.vertex_count())?;
        let points = match &surface.limit {
            Some(limit) => limit.refined_points(points)?,
            None => points.iter().map(|&p| rounded(axis.seen(p), fitter.grid)).collect(),
        };
        let whole = |sides: usize| match surface.limit.as_ref().map(LimitSurface::scheme) {
            None => sides <= 4,
            Some(scheme) => scheme.shape() == FaceShape::Quad && sides == 4,
        };
        let mut parts = Vec::new();
        for face in 0..surface.topology.face_count as u32 {
            let sides = surface.topology.face(face as usize).len();
            if whole(sides) {
                parts.push(SkinQuad { face, corner: None });
            } else {
                let corners = 0..sides as u32;
                parts.extend(corners.map(|corner| SkinQuad { face, corner: Some(corner) }));
            }
        }
        let tables = surface.limit.as_ref().map(SkinTables::new).unwrap_or_default();
        Ok(Self { surface, points, axis, fitter, parts, tables })
    }

    /// The parts of all faces, in their order; of a Catmull-Clark surface its elements.
    pub fn parts(&self) -> &[SkinQuad] {
        &self.parts
    }

    /// The sides of a part.
    pub fn rim(&self, part: SkinQuad) -> Rim {
        let topology = &self.surface.topology;
        let corners = topology.columns.corners(part.face);
        let sides = corners.len() as u32;
        let corner = |k: u32| corners.start + k % sides;
        let vertex = |k: u32| u64::from(topology.vertex(corner(k)));
        let edge = |k: u32| u64::from(topology.edges[corner(k) as usize]);
        let between = |k: u32, [a, b]: [u64; 2]| {
            if a < b {
                Border::edge(edge(k), [a, b])
            } else {
                Border::edge(edge(k), [b, a]).reversed()
            }
        };
        let forth = |k: u32| between(k, [vertex(k), vertex(k + 1)]);
        let back = |k: u32| between(k, [vertex(k + 1), vertex(k)]);
        let spoke = |k: u32| Border::spoke(corner(k).into(), edge(k), part.face.into());
        let borders = match part.corner {
            Some(k) => {
                let before = k + sides - 1;
                [forth(k).first_half(), spoke(k), spoke(before), back(before).first_half()]
            }
            None if sides == 3 => {
                [forth(0), forth(1), Border::point(part.face.into(), vertex(2)), back(2)]
            }
            None => [forth(0), forth(1), back(2), back(3)],
        };
        Rim { borders }
    }

    /// Covers a part by patches.
    pub fn cover(&self, number: usize) -> Vec<Fit> {
        stop_point();
        let part = self.parts[number];
        let mut fits = Vec::new();
        match &self.surface.limit {
            None => fits.push(self.flat(part)),
            Some(limit) if limit.scheme().shape() == FaceShape::Triangle => {
                let (element, corner) = (part.face as usize, part.corner.unwrap_or_default());
                let leaves = &limit.leaves()[limit.leaf_range(element)];
                let at = |square| {
                    let table = self.tables.triangle(limit, element, corner, square);
                    table.each(|leaf, weights| self.sum(limit.net(&leaves[leaf]), weights))
                };
                self.fitter.cover(Square::FACE, &at, &mut fits);
            }
            Some(limit) => {
                for leaf in &limit.leaves()[limit.leaf_range(number)] {
                    let square = square_of(leaf);
                    match leaf.kind {
                        SurfaceLeafKind::Regular(ends) => {
                            let points = self.regular(limit, leaf, ends);
                            fits.push(Fit::exact(square, points, self.fitter.grid));
                        }
                        SurfaceLeafKind::Irregular(structure, placement) => {
                            let at = |part| {
                                let part = square.enlarged(part);
                                let table = self.tables.quad(limit, structure, placement, part);
                                table.each(|_, weights| self.sum(limit.net(leaf), weights))
                            };
                            self.fitter.cover(square, &at, &mut fits);
                        }
                    }
                }
            }
        }
        fits
    }

    /// A triangle, whose third corner is the side above, or a bilinear quad.
    fn flat(&self, part: SkinQuad) -> Fit {
        let cycle = self.surface.topology.face(part.face as usize);
        let sides = cycle.len();
        let vertex = |k: usize| self.points[cycle[k % sides] as usize];
        let corners = match part.corner {
            None => [vertex(0), vertex(1), vertex(2), vertex(sides - 1)],
            Some(k) => {
                let k = k as usize;
                let share = 1.0 / sides as f64;
                let middle = sum_about(vertex(0), (0..sides).map(|i| (&share, vertex(i))));
                let middle = [0, 1, 2].map(|d| vertex(0)[d] + middle[d]);
                // from the smaller number on, so that both faces find the same
                let halfway = |a: usize, b: usize| {
                    let [a, b] = [vertex(a), vertex(b)];
                    [0, 1, 2].map(|d| 0.5 * (a[d] + b[d]))
                };
                [vertex(k), halfway(k, k + 1), middle, halfway(k + sides - 1, k)]
            }
        };
        let [a, b, c, d] = corners;
        let (left, right) = (bicubic::line(a, d), bicubic::line(b, c));
        let points = BicubicPatch(std::array::from_fn(|j| bicubic::line(left[j], right[j])));
        Fit { rectangle: [0, 0, UNIT, UNIT], points, error: 0.0 }
    }

    /// The patch of a regular leaf of a Catmull-Clark surface.
    fn regular(
        &self,
        limit: &LimitSurface,
        leaf: &SurfaceLeaf,
        ends: MissingLayers,
    ) -> BicubicPatch {
        let mut points = net_values(limit.net(leaf), self.points.as_flattened(), 3);
        to_bezier(&mut points, 3, ends.axis(0));
        to_bezier(&mut points, 12, ends.axis(1));
        let at = |t: usize, s: usize| {
            let place = 3 * (4 * t + s);
            self.axis.seen([0, 1, 2].map(|d| points[place + d]))
        };
        BicubicPatch(std::array::from_fn(|t| std::array::from_fn(|s| at(t, s))))
    }

    /// A weighted sum of control points.
    fn sum(&self, net: &[u32], weights: &[f64]) -> PlanePoint {
        let (origin, sum) = (self.points[net[0] as usize], net_sum(&self.points, net, weights));
        self.axis.seen([0, 1, 2].map(|d| origin[d] + sum[d]))
    }
}

fn rounded(mut p: PlanePoint, grid: f64) -> PlanePoint {
    p[HEIGHT] = round_to(p[HEIGHT], grid);
    p
}

/// Where a leaf of a quad lies in its element.
fn square_of(leaf: &SurfaceLeaf) -> Square {
    let affine = leaf.affine(Scheme::OF_BOUNDARIES);
    // local = 2^depth · p - origin
    let length = UNIT >> leaf.depth;
    Square { corner: affine.offset.map(|x| (-x) as u32 * length), length }
}
