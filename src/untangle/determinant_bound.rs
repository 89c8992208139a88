//! A lower bound of det J over the whole limit.
//!
//! det J = ∂u · (∂v × ∂w) of a tricubic piece is a polynomial of degree 8 in each parameter;
//! it is nowhere less than its least Bézier coefficient (convex hull). A piece with a negative
//! coefficient is halved until its parts have none, or one at a corner, which is a value of det J.
//!
//! On a smooth boundary edge of one cell both faces have one tangent plane, so det J is 0 there,
//! and beside it negative where the boundary is not convex across the edge: only other boundary
//! vertices or a crease change that.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use nalgebra::Vector3;
use rayon::prelude::*;
use serde::Serialize;

use super::determinant::{Determinant, ORDER};
use crate::bezier::Pieces;
use crate::error::Result;
use crate::interrupt::stop_point;
use crate::limit::{Leaf, LeafKind, Solid};
use crate::mesh::{Creases, SolidMesh};
use crate::refine::reorient;

/// Determinants below this part of the product of the lengths that derivatives have, and below that
/// what coordinates lose, are rounding.
const DETERMINANT_ROUNDING: f64 = 1e-12;

/// Halvings of a piece at most, along all axes together, and of all its parts.
const MAX_DEPTH: usize = 15;
const MAX_HALVINGS: usize = 400;

/// Rings of exact pieces around extraordinary edges and vertices of cells. Where all such cells are
/// refined first, as tetrahedra are, their leaves have as many rings less as they were halved.
const RINGS: usize = 2;

/// The least Bézier coefficient of det J.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct LeastDeterminant {
    /// Least Bézier coefficient after halving, in cubed length units: a lower bound of det J with
    /// respect to the parameters of elements; 0 if it is 0 up to rounding.
    pub bound: f64,
    /// The element with this coefficient; in a mesh of hexahedra alone, the cell.
    pub element: u32,
    /// Number of elements with a coefficient that is not positive up to rounding: those that may be
    /// folded, and those with a point where det J is 0, such as on the smooth edges of a box.
    pub non_positive: usize,
    /// Number of elements with a negative coefficient: those that may be folded.
    pub negative: usize,
    /// Number of these beside a smooth boundary edge of one cell, on which det J is 0 whatever inner
    /// vertices are.
    pub at_smooth_edges: usize,
    /// Number of the others with a point where det J is negative: those that are folded.
    pub folded: usize,
}

/// What is known of det J on an element or a piece.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ElementBound {
    /// Lower bound; 0 if it is 0 up to rounding.
    pub least: f64,
    /// Whether det J is negative at a point.
    pub is_folded: bool,
    /// Whether the element is beside a smooth boundary edge of one cell.
    pub is_at_smooth_edge: bool,
}

impl ElementBound {
    fn and(self, other: Self) -> Self {
        let is_folded = self.is_folded || other.is_folded;
        Self { least: self.least.min(other.least), is_folded, ..self }
    }

    /// Of nothing.
    const NONE: Self = Self { least: f64::INFINITY, is_folded: false, is_at_smooth_edge: false };

    /// Whether moves of inner vertices may help.
    pub fn is_open(&self) -> bool {
        self.least < 0.0 && !self.is_at_smooth_edge
    }
}

/// A lower bound of det J over the limit of a mesh, its cells taken right-handed however they are
/// listed; around extraordinary edges and vertices, inside two rings, the bound of the tricubic
/// interpolation of the limit.
///
/// # Errors
/// As [`Solid::new`]; [`Error::Mesh`](crate::Error::Mesh) for cells without a common orientation.
pub fn least_determinant(mesh: &SolidMesh) -> Result<LeastDeterminant> {
    Ok(OrientedLimit::new(mesh)?.bounds()?.least(&mesh.points))
}

impl LeastDeterminant {
    /// Of the bounds of all elements.
    pub(super) fn of_elements(bounds: &[ElementBound]) -> Self {
        let [mut non_positive, mut negative, mut at_smooth_edges, mut folded] = [0; 4];
        let (mut bound, mut element) = (f64::INFINITY, 0);
        for (e, of) in (0..).zip(bounds) {
            non_positive += usize::from(of.least <= 0.0);
            negative += usize::from(of.least < 0.0);
            at_smooth_edges += usize::from(of.least < 0.0 && of.is_at_smooth_edge);
            folded += usize::from(of.is_folded && of.is_open());
            if of.least < bound {
                (bound, element) = (of.least, e);
            }
        }
        Self { bound, element, non_positive, negative, at_smooth_edges, folded }
    }
}

/// The limit of a mesh for any control points, its cells taken right-handed however they are listed.
pub struct OrientedLimit {
    pub(super) solid: Solid,
    creases: Creases,
}

impl OrientedLimit {
    /// Of the topology and the creases of a mesh.
    ///
    /// # Errors
    /// As [`least_determinant`].
    pub fn new(mesh: &SolidMesh) -> Result<Self> {
        let mut oriented = mesh.clone();
        reorient(&mut oriented)?;
        Ok(Self { solid: Solid::new(&oriented)?, creases: oriented.creases })
    }

    /// Number of elements: cells, or the hexahedra that others are refined to.
    pub fn element_count(&self) -> usize {
        self.solid.elements().len()
    }

    /// Lower bounds of det J.
    ///
    /// # Errors
    /// As [`least_determinant`].
    pub fn bounds(&self) -> Result<ElementBounds<'_>> {
        ElementBounds::new(&self.solid, &self.creases)
    }
}

/// Lower bounds of det J on the elements of a solid, for any control points.
pub struct ElementBounds<'s> {
    solid: &'s Solid,
    pieces: Pieces<'s>,
    // [cell] beside a smooth boundary edge of one cell
    is_at_smooth_edge: Vec<bool>,
    // the last that were asked for
    last: Mutex<Option<KnownBounds>>,
}

/// What is known of leaves, for leaves whose control points stay.
struct KnownBounds {
    // of all levels, `[point][3]`
    points: Vec<f64>,
    // of each leaf; of those that are clearly better than the worst no bound
    leaves: Vec<(Estimate, Option<ElementBound>)>,
}

impl<'s> ElementBounds<'s> {
    pub(super) fn new(solid: &'s Solid, creases: &Creases) -> Result<Self> {
        let topology = solid.topology();
        let sharp = creases.edges.iter().filter(|crease| crease.sharpness.is_infinite());
        let sharp: HashSet<[u32; 2]> = sharp.map(|crease| crease.edge().map(|v| v.0)).collect();
        let mut is_at_smooth_edge = vec![false; topology.cell_count()];
        for edge in (0..topology.edge_count() as u32).filter(|&e| topology.is_boundary_edge(e)) {
            let faces = topology.edge_faces(edge);
            let mut ends = topology.edge_vertices(edge);
            ends.sort_unstable();
            if faces.len() == 2 && !sharp.contains(&ends) {
                is_at_smooth_edge[topology.face_cells(faces[0])[0] as usize] = true;
            }
        }
        // leaves of cells that were refined first are smaller
        let leaves =
            solid.leaves().iter().filter(|leaf| !matches!(leaf.kind, LeafKind::Regular(_)));
        let depth = leaves.map(|leaf| usize::from(leaf.depth)).min().unwrap_or(0);
        let pieces = Pieces::new(solid, RINGS.saturating_sub(depth))?;
        Ok(Self { solid, pieces, is_at_smooth_edge, last: Mutex::default() })
    }

    /// The least of all, over control points `[vertex]`.
    pub fn least(&self, points: &[[f64; 3]]) -> LeastDeterminant {
        LeastDeterminant::of_elements(&self.of(points))
    }

    /// Cells, ascending, with elements that may be folded, other than those beside smooth edges of
    /// one cell.
    pub fn open_cells(&self, points: &[[f64; 3]]) -> Vec<u32> {
        let found = self.of(points);
        let open = self.solid.elements().iter().zip(&found).filter(|(_, of)| of.is_open());
        let mut cells: Vec<u32> = open.map(|(element, _)| element.cell).collect();
        cells.dedup();
        cells
    }

    /// The bound of each element. Of elements that are clearly better than the worst one it may be
    /// less than the best that is known: the least of all is exact.
    pub(super) fn of(&self, points: &[[f64; 3]]) -> Vec<ElementBound> {
        let points = self.solid.refined_points(points.as_flattened(), 3);
        let held = || self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let last = held().take();
        let known = |l: usize| {
            let last = last.as_ref()?;
            let net = self.solid.net(&self.solid.leaves()[l]).iter();
            let mut same =
                net.map(|&v| 3 * v as usize).map(|v| points[v..v + 3] == last.points[v..v + 3]);
            same.all(|same| same).then(|| last.leaves[l])
        };
        let pieces_of = |leaf: &Leaf| {
            stop_point();
            LeafPieces::new(&self.pieces, leaf, &points)
        };
        let estimate = |(l, leaf): (usize, &Leaf)| {
            known(l).unwrap_or_else(|| {
                let pieces = pieces_of(leaf);
                let all = pieces.estimates.iter().copied().fold(Estimate::NONE, Estimate::and);
                // others may be better than the worst
                (all, (all.least <= 0.0).then(|| pieces.bound()))
            })
        };
        let leaves = self.solid.leaves().par_iter();
        let mut found: Vec<_> = leaves.clone().enumerate().map(estimate).collect();
        let worst = found.iter().fold(f64::INFINITY, |most, (of, _)| most.min(of.most)).max(0.0);
        leaves.zip(&mut found).for_each(|(leaf, (estimate, known))| {
            if estimate.least <= worst && known.is_none() {
                *known = Some(pieces_of(leaf).bound());
            }
        });
        let leaf_bound = |(estimate, known): &(Estimate, Option<ElementBound>)| match known {
            Some(known) if estimate.least <= worst => *known,
            _ => ElementBound { least: estimate.least, ..ElementBound::NONE },
        };
        let leaves: Vec<ElementBound> = found.iter().map(leaf_bound).collect();
        *held() = Some(KnownBounds { points: points.into_owned(), leaves: found });
        let of_element = |element: usize| {
            let own = leaves[self.solid.leaf_range(element)].iter().copied();
            let cell = self.solid.elements()[element].cell as usize;
            let is_at_smooth_edge = self.is_at_smooth_edge[cell];
            own.fold(ElementBound { is_at_smooth_edge, ..ElementBound::NONE }, ElementBound::and)
        };
        (0..self.solid.elements().len()).map(of_element).collect()
    }
}

/// The pieces of a leaf.
struct LeafPieces {
    // [piece][w][v][u][3]
    points: Vec<f64>,
    // [piece] of parameters
    volumes: Vec<f64>,
    estimates: Vec<Estimate>,
}

impl LeafPieces {
    fn new(pieces: &Pieces<'_>, leaf: &Leaf, points: &[f64]) -> Self {
        let points = pieces.points(leaf, points, 3);
        let volumes: Vec<f64> = pieces.of(leaf).map(|piece| piece.size.iter().product()).collect();
        let estimates = points.chunks_exact(192).zip(&volumes);
        let estimates = estimates.map(|(points, &volume)| Estimate::new(points, volume)).collect();
        Self { points, volumes, estimates }
    }

    /// Of all pieces: of those alone that may be folded, or the worst.
    fn bound(&self) -> ElementBound {
        let mut order: Vec<usize> = (0..self.volumes.len()).collect();
        order.sort_by(|&a, &b| self.estimates[a].least.total_cmp(&self.estimates[b].least));
        let mut all = ElementBound::NONE;
        for piece in order {
            if self.estimates[piece].least > all.least.max(0.0) {
                break;
            }
            let found = bound(&self.points[192 * piece..][..192]);
            all = all.and(ElementBound { least: found.least / self.volumes[piece], ..found });
        }
        all
    }
}

/// Quick bounds of the least Bézier coefficient of det J.
#[derive(Clone, Copy, Debug)]
struct Estimate {
    /// It is not less.
    least: f64,
    /// It is not more.
    most: f64,
}

impl Estimate {
    /// Of nothing.
    const NONE: Self = Self { least: f64::INFINITY, most: f64::INFINITY };

    fn and(self, other: Self) -> Self {
        Self { least: self.least.min(other.least), most: self.most.min(other.most) }
    }

    /// Of a piece, `[w][v][u][3]`, of this volume of parameters. The coefficients of derivatives
    /// lie in balls around their means; det J has means of determinants of theirs.
    fn new(points: &[f64], volume: f64) -> Self {
        let at = |[u, v, w]: [usize; 3]| {
            Vector3::from_column_slice(&points[3 * (16 * w + 4 * v + u)..][..3])
        };
        let step = |axis: usize, low: [usize; 3]| {
            let mut high = low;
            high[axis] += 1;
            (at(high) - at(low)) * 3.0
        };
        let balls = pulp::Arch::new().dispatch(
            #[inline(always)]
            || derivative_balls(points),
        );
        let [(u, a), (v, b), (w, c)] = balls.map(|(mean, radius)| (Vector3::from(mean), radius));
        let areas = [v.cross(&w), w.cross(&u), u.cross(&v)];
        let middle = u.dot(&areas[0]);
        let lost = a * areas[0].norm() + b * areas[1].norm() + c * areas[2].norm();
        let lost = lost + a * b * w.norm() + b * c * u.norm() + c * a * v.norm() + a * b * c;
        let corner = |bits: usize| {
            let column = |axis: usize| {
                let low = [0, 1, 2].map(|d| (bits >> d & 1) * if d == axis { 2 } else { 3 });
                step(axis, low)
            };
            column(0).dot(&column(1).cross(&column(2)))
        };
        let most = (0..8).map(corner).fold(f64::INFINITY, f64::min);
        // more than rounding changes
        let margin = 1e-9 * (middle.abs() + lost);
        Self { least: (middle - lost - margin) / volume, most: (most + margin) / volume }
    }
}

/// Balls around the coefficients of the derivatives of a piece, `[w][v][u][3]`, along each axis: their
/// means and radii. Written so that the compiler makes vectors of it.
#[inline(always)]
fn derivative_balls(points: &[f64]) -> [([f64; 3], f64); 3] {
    let mut x = [[0.0; 64]; 3];
    for (i, point) in points.as_chunks::<3>().0.iter().enumerate().take(64) {
        for d in 0..3 {
            x[d][i] = point[d];
        }
    }
    [1, 4, 16].map(|stride: usize| {
        // 0 at the ends of rows, which have no next point
        let mut away = [0.0; 64];
        let mut mean = [0.0; 3];
        for d in 0..3 {
            let mut steps = [0.0; 64];
            for i in 0..64 - stride {
                steps[i] = 3.0 * (x[d][i + stride] - x[d][i]);
            }
            let is_step = |i: &usize| i / stride % 4 != 3;
            mean[d] = (0..64).filter(is_step).map(|i| steps[i]).sum::<f64>() / 48.0;
            for i in 0..64 {
                let off = steps[i] - mean[d];
                away[i] += off * off;
            }
        }
        let most = (0..64).map(|i| if i / stride % 4 == 3 { 0.0 } else { away[i] });
        (mean, most.fold(0.0, f64::max).sqrt())
    })
}

/// What is known of the determinant of a piece, `[w][v][u][3]`.
fn bound(points: &[f64]) -> ElementBound {
    let Determinant { coefficients, longest: [a, b, c] } = Determinant::new(points);
    // a derivative is three times the difference of two points
    let lost = 64.0 * f64::EPSILON * points.iter().fold(0.0f64, |most, x| most.max(x.abs()));
    let rounding = DETERMINANT_ROUNDING * a * b * c + lost * (a * b + b * c + c * a);
    let found = bound_by_halving(coefficients, rounding);
    if found.least.abs() <= rounding { ElementBound { least: 0.0, ..found } } else { found }
}

/// The least coefficient of the parts of a polynomial, `[w][v][u]`, which are halved until none of
/// theirs is below `-rounding`, or one at a corner is.
fn bound_by_halving(coefficients: Vec<f64>, rounding: f64) -> ElementBound {
    let least = |c: &[f64]| c.iter().copied().fold(f64::INFINITY, f64::min);
    let whole = least(&coefficients);
    let mut found = ElementBound::NONE;
    let mut halvings = 0;
    let mut parts = vec![(coefficients, 0)];
    while let Some((part, depth)) = parts.pop() {
        let own = least(&part);
        if own < -rounding {
            if least(&corners(&part)) < -rounding {
                return ElementBound { least: whole, is_folded: true, ..found };
            }
            if depth < MAX_DEPTH && halvings < MAX_HALVINGS {
                halvings += 1;
                parts.extend(halves(&part, depth % 3).map(|half| (half, depth + 1)));
                continue;
            }
        }
        found.least = found.least.min(own);
    }
    found
}

/// Values at the corners.
fn corners(coefficients: &[f64]) -> [f64; 8] {
    let end = |i: usize, bit: usize| (i >> bit & 1) * (ORDER - 1);
    std::array::from_fn(|i| coefficients[(end(i, 2) * ORDER + end(i, 1)) * ORDER + end(i, 0)])
}

/// Both halves along an axis (de Casteljau).
fn halves(coefficients: &[f64], axis: usize) -> [Vec<f64>; 2] {
    let step = ORDER.pow(axis as u32);
    let (mut low, mut high) = (vec![0.0; coefficients.len()], coefficients.to_vec());
    let lines = step * ORDER;
    for (low, high) in low.chunks_exact_mut(lines).zip(high.chunks_exact_mut(lines)) {
        for (i, low) in low.chunks_exact_mut(step).enumerate() {
            low.copy_from_slice(&high[..step]);
            for j in 0..step * (ORDER - 1 - i) {
                high[j] = 0.5 * (high[j] + high[j + step]);
            }
        }
    }
    [low, high]
}
