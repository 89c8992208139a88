//! The inside of a solid as tricubic Bézier pieces.

use std::borrow::Cow;

use rayon::prelude::*;

use super::channel::range;
use super::lattice::{COARSE, Lattice};
use super::scene::Scene;
use super::values::{push_values, range_at_thirds};
use crate::basis::bernstein;
use crate::bezier::{FIT_MARGIN, Piece, Pieces, interpolate};
use crate::error::{Error, Result, option};
use crate::interrupt::stop_point;
use crate::limit::{Leaf, Solid};
use crate::memory;
use crate::mesh::SolidMesh;
use crate::numbers::counted;

/// Elements that are worked on at once.
const TASK_ELEMENTS: usize = 64;

/// Elements above which pieces are coarser in proportion: each is small on the screen.
const FULL_ELEMENTS: usize = 4000;

/// Bytes of a piece on its way into a page: its points in two lattices and twice as bytes, its
/// place.
const PIECE_BYTES: u128 = 1600;
/// Bytes of a value of an attribute on a piece: all components, then each with its differences.
const VALUE_BYTES: u128 = 64 * 8;

/// Pieces above which there are fewer rings.
const MAX_FULL_RING_PIECES: usize = 150_000;
/// Maximum number of pieces of a page.
const MAX_PIECES: usize = 2_000_000;

/// Pieces with `rings` rings, or with fewer if there are many, and how many.
fn pieces(solid: &Solid, rings: usize) -> Result<(Pieces<'_>, usize)> {
    for rings in (0..=rings).rev() {
        let pieces = Pieces::new(solid, rings)?;
        let count = solid.leaves().par_iter().map(|leaf| pieces.of(leaf).count()).sum();
        if count <= MAX_FULL_RING_PIECES || (rings == 0 && count <= MAX_PIECES) {
            return Ok((pieces, count));
        }
    }
    let count = solid.leaves().len();
    Err(Error::request(format!("the inside has {count} pieces, and a page holds {MAX_PIECES}"))
        .with_help(message!("show the boundary alone (", option("interior", false), ")")))
}

/// Values at the points of all levels, and how far one piece may be from those that it replaces.
struct Field<'a> {
    values: Cow<'a, [f64]>,
    width: usize,
    tolerance: f64,
}

impl<'a> Field<'a> {
    /// `tolerance` is over the extent of the values.
    fn new(solid: &Solid, values: &'a [f64], width: usize, tolerance: f64) -> Self {
        let (low, high) = range(values.iter().copied());
        let tolerance = tolerance * (high - low);
        Self { values: solid.refined_points(values, width), width, tolerance }
    }

    /// Bézier points of the pieces of an element.
    fn points(&self, pieces: &Pieces<'_>, leaves: &[Leaf]) -> Vec<f64> {
        leaves.iter().flat_map(|leaf| pieces.points(leaf, &self.values, self.width)).collect()
    }

    /// Bézier points of the piece that meets the pieces of an element at 4 × 4 × 4 places, and its
    /// distance from them half-way between.
    fn joined(&self, boxes: &[Piece], points: &[f64]) -> (Vec<f64>, f64) {
        let at = |p: [f64; 3]| {
            let place = |piece: &Piece, d: usize| (p[d] - piece.origin[d]) / piece.size[d];
            let holds =
                |piece: &Piece| (0..3).all(|d| (-1e-9..=1.0 + 1e-9).contains(&place(piece, d)));
            let own = boxes.iter().position(holds).unwrap_or(0);
            let place = [0, 1, 2].map(|d| place(&boxes[own], d));
            tricubic(&points[64 * self.width * own..], self.width, place)
        };
        let third = |i: usize| i as f64 / 3.0;
        let mut joined: Vec<f64> = places(4, third).flat_map(at).collect();
        [1, 4, 16].into_iter().for_each(|step| interpolate(&mut joined, step * self.width));
        let distance = |p| {
            let both = at(p).into_iter().zip(tricubic(&joined, self.width, p));
            both.map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
        };
        let distances = places(3, |i| third(i) + 1.0 / 6.0).map(distance);
        // NaN where a value is not finite
        let worst = distances.fold(0.0, |a: f64, b| if b > a || b.is_nan() { b } else { a });
        (joined, worst)
    }
}

/// n × n × n parameters, the first fastest.
fn places(n: usize, at: impl Fn(usize) -> f64) -> impl Iterator<Item = [f64; 3]> {
    (0..n * n * n).map(move |i| [i % n, i / n % n, i / (n * n)].map(&at))
}

/// The value of a piece of 64 Bézier points.
fn tricubic(points: &[f64], width: usize, p: [f64; 3]) -> Vec<f64> {
    let [a, b, c] = p.map(bernstein::cubic);
    let mut sum = vec![0.0; width];
    for (i, point) in points.chunks_exact(width).take(64).enumerate() {
        let weight = a[i % 4] * b[i / 4 % 4] * c[i / 16];
        sum.iter_mut().zip(point).for_each(|(sum, x)| *sum += weight * x);
    }
    sum
}

/// Adds the pieces: `points` and so on, `element` and `box` (origin and edge lengths in its
/// parameters) of each, `attribute K`. One piece stands for all of an element where it is as near
/// as the lattice of the points is fine.
///
/// # Errors
/// [`Error::Request`] for more pieces than a page holds.
pub fn push(scene: &mut Scene, solid: &Solid, mesh: &SolidMesh, rings: usize) -> Result<()> {
    let (pieces, count) = pieces(solid, rings)?;
    let widest = mesh.attributes.iter().map(|attribute| attribute.width + 3).max();
    let need = count as u128 * (PIECE_BYTES + VALUE_BYTES * widest.unwrap_or(0) as u128);
    memory::check_half(format!("{} of the inside need", counted(count, "piece")), need, |_| {
        message!("show the boundary alone (", option("interior", false), ")")
    })?;
    let coarse = COARSE * (solid.elements().len() as f64 / FULL_ELEMENTS as f64).max(1.0);
    let positions = Field {
        values: solid.refined_points(mesh.points.as_flattened(), 3),
        width: 3,
        tolerance: coarse * scene.size,
    };
    let fields = mesh.attributes.iter().map(|a| Field::new(solid, &a.values, a.width, coarse));
    let fields: Vec<Field<'_>> = fields.collect();
    let elements: Vec<&[Leaf]> = solid.leaves().chunk_by(|a, b| a.element == b.element).collect();
    let boxes =
        |leaves: &[Leaf]| leaves.iter().flat_map(|leaf| pieces.of(leaf)).collect::<Vec<Piece>>();
    let parts: Vec<(Lattice, Vec<bool>, f64)> = elements
        .par_chunks(TASK_ELEMENTS)
        .map(|elements| {
            stop_point();
            let (mut lattice, mut whole, mut error) = (Lattice::new(coarse), Vec::new(), 0.0_f64);
            for leaves in elements {
                let (mut points, boxes) = (positions.points(&pieces, leaves), boxes(leaves));
                let is_near = |field: &Field| {
                    field.joined(&boxes, &field.points(&pieces, leaves)).1 <= field.tolerance
                };
                let joined = (boxes.len() > 1).then(|| positions.joined(&boxes, &points));
                let joined = joined.filter(|(_, away)| *away <= positions.tolerance);
                let joined = joined.filter(|_| fields.iter().all(is_near));
                whole.push(joined.is_some());
                if let Some((joined, away)) = joined {
                    (points, error) = (joined, error.max(FIT_MARGIN * away));
                }
                for points in points.chunks_exact(192) {
                    lattice.push(scene, points.as_chunks().0.iter().copied());
                }
                let errors = leaves.iter().flat_map(|leaf| pieces.errors(leaf, &positions.values));
                error = errors.fold(error, f64::max);
            }
            (lattice, whole, error)
        })
        .collect();
    let (mut lattice, mut whole) = (Lattice::new(coarse), Vec::new());
    for (part, is_whole, error) in parts {
        lattice.append(part);
        whole.extend(is_whole);
        scene.interior_error = scene.interior_error.max(error);
    }
    lattice.write(&mut scene.interior);
    let (mut numbers, mut places) = (Vec::with_capacity(count), Vec::with_capacity(6 * count));
    for (leaves, &whole) in elements.iter().zip(&whole) {
        let element = leaves[0].element;
        let one = Piece { element, origin: [0.0; 3], size: [1.0; 3], exact: false };
        for piece in if whole { vec![one] } else { boxes(leaves) } {
            numbers.push(piece.element);
            places.extend(piece.origin.iter().chain(&piece.size).map(|&x| x as f32));
        }
    }
    scene.interior.push("element", &numbers);
    scene.interior.push("box", &places);

    let mut number = 0;
    for field in &fields {
        let shown = |(leaves, &whole): (&&[Leaf], &bool)| {
            let points = field.points(&pieces, leaves);
            if whole { field.joined(&boxes(leaves), &points).0 } else { points }
        };
        let values: Vec<f64> = elements.par_iter().zip(&whole).flat_map_iter(shown).collect();
        for component in 0..field.width {
            let values: Vec<f64> =
                values.iter().skip(component).step_by(field.width).copied().collect();
            push_values(&mut scene.interior, &format!("attribute {number}"), &values);
            scene.include(number, range_at_thirds(&values, 3));
            number += 1;
        }
    }
    Ok(())
}
