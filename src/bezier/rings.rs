//! Bézier points around an extraordinary point, as weights of a structure's
//! control points.
//!
//! The limit on each of the dyadic parts [2⁻ᵏ, 2⁻⁽ᵏ⁻¹⁾] beside the extraordinary
//! point is a tricubic polynomial (where a part meets an extraordinary edge, again
//! by parts), so its Bézier points follow from 4 limit points along each axis. The
//! part that remains at the extraordinary point is interpolated alike, and its
//! error measured between the nodes.

use crate::basis::{bernstein, bspline::Order};
use crate::limit::{Structure, Turn};

/// Samples along each axis that the error of an interpolated part is taken from. The
/// extraordinary point is at either end, and the error largest close to it: also on
/// the sides of the part, where it can be several times the error inside.
const ERROR_SAMPLES: [f64; 8] = [0.0, 0.03, 0.1, 0.3, 0.7, 0.9, 0.97, 1.0];

/// A box in the local parameters of a leaf.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    pub origin: [f64; 3],
    pub size: [f64; 3],
    /// Whether the limit is a tricubic polynomial on it.
    pub exact: bool,
}

impl Part {
    pub const WHOLE: Self = Self { origin: [0.0; 3], size: [1.0; 3], exact: true };

    /// The part seen in the axes that `turn` makes local.
    pub fn turned(&self, turn: Turn) -> Self {
        let mut turned = *self;
        for d in 0..3 {
            let axis = turn.axes[d] as usize;
            turned.size[axis] = self.size[d];
            turned.origin[axis] = match turn.flips[d] {
                true => 1.0 - self.origin[d] - self.size[d],
                false => self.origin[d],
            };
        }
        turned
    }

    /// This part of a box that has `origin` and `scale`.
    pub fn within(&self, origin: [f64; 3], scale: f64) -> Self {
        Self {
            origin: std::array::from_fn(|d| origin[d] + scale * self.origin[d]),
            size: self.size.map(|s| scale * s),
            exact: self.exact,
        }
    }
}

/// All parts of a structure.
#[derive(Debug)]
pub struct Rings {
    pub parts: Vec<Part>,
    /// `nodes[(part * 4^dimension + node) * controls + control]`, local axis 0 fastest.
    pub nodes: Vec<f64>,
    /// Of each part, which rows of `errors` are its.
    pub error_rows: Vec<std::ops::Range<usize>>,
    /// `errors[row * controls + control]`: limit less interpolation.
    pub errors: Vec<f64>,
}

impl Rings {
    /// `rings` rings of the parts of a planar (2) or spatial (3) structure.
    pub fn new(structure: &Structure, dimension: usize, rings: usize) -> Self {
        let parts = match dimension {
            2 => planar_parts(rings),
            _ => spatial_parts(structure, rings),
        };
        let mut all = Self { parts, nodes: vec![], error_rows: vec![], errors: vec![] };
        for i in 0..all.parts.len() {
            all.push_rows(structure, dimension, i);
        }
        all
    }

    fn push_rows(&mut self, structure: &Structure, dimension: usize, part: usize) {
        let part = self.parts[part];
        let controls = structure.controls();
        // weights at the local place t of the part; positions exist everywhere
        let weights = |t: [f64; 3]| {
            let p = std::array::from_fn(|d| (part.origin[d] + part.size[d] * t[d]).min(1.0));
            structure.weights(p, [Order::Value; 3]).unwrap_or_else(|| vec![f64::NAN; controls])
        };
        let mut nodes: Vec<f64> =
            grid(4, dimension).flat_map(|at| weights(at.map(|i| i as f64 / 3.0))).collect();
        for d in 0..dimension {
            interpolate(&mut nodes, 4_usize.pow(d as u32) * controls);
        }
        let first = self.errors.len() / controls;
        if !part.exact {
            for at in grid(ERROR_SAMPLES.len(), dimension) {
                let t = at.map(|i| ERROR_SAMPLES[i]);
                let mut row = weights(t);
                let basis = t.map(bernstein::cubic);
                for (node, weights) in grid(4, dimension).zip(nodes.chunks_exact(controls)) {
                    let b: f64 = (0..dimension).map(|d| basis[d][node[d]]).product();
                    row.iter_mut().zip(weights).for_each(|(r, w)| *r -= b * w);
                }
                self.errors.extend(row);
            }
        }
        self.error_rows.push(first..self.errors.len() / controls);
        self.nodes.extend(nodes);
    }
}

/// Grid positions of n samples along each of `dimension` axes, axis 0 fastest.
fn grid(n: usize, dimension: usize) -> impl Iterator<Item = [usize; 3]> {
    (0..n.pow(dimension as u32)).map(move |i| [i % n, i / n % n, i / (n * n)])
}

/// Bézier points from values at 0, 1/3, 2/3, 1 along the axis of `stride`.
fn interpolate(values: &mut [f64], stride: usize) {
    for line in (0..values.len()).filter(|i| (i / stride).is_multiple_of(4)) {
        let f: [f64; 4] = std::array::from_fn(|i| values[line + i * stride]);
        values[line + stride] = (-5.0 * f[0] + 18.0 * f[1] - 9.0 * f[2] + 2.0 * f[3]) / 6.0;
        values[line + 2 * stride] = (2.0 * f[0] - 9.0 * f[1] + 18.0 * f[2] - 5.0 * f[3]) / 6.0;
    }
}

/// The parts of a planar structure: three a ring, and last the one that remains.
pub fn planar_parts(rings: usize) -> Vec<Part> {
    let square = |child: usize, s: f64, exact: bool| {
        let origin = [(child & 1) as f64 * s, (child >> 1) as f64 * s, 0.0];
        Part { origin, size: [s, s, 1.0], exact }
    };
    let mut parts = Vec::new();
    for ring in 1..=rings {
        let s = 0.5_f64.powi(ring as i32);
        parts.extend((1..4).map(|child| square(child, s, true)));
    }
    parts.push(square(0, 0.5_f64.powi(rings as i32), false));
    parts
}

fn spatial_parts(structure: &Structure, rings: usize) -> Vec<Part> {
    let mut parts = Vec::new();
    for ring in 1..=rings {
        let s = 0.5_f64.powi(ring as i32);
        for child in 1..8 {
            let origin = [0, 1, 2].map(|d| (child >> d & 1) as f64 * s);
            match structure.sibling_turn(child) {
                None => parts.push(Part::WHOLE.within(origin, s)),
                Some(turn) => parts
                    .extend(planar_parts(rings).iter().map(|p| p.turned(turn).within(origin, s))),
            }
        }
    }
    let s = 0.5_f64.powi(rings as i32);
    parts.push(Part { exact: false, ..Part::WHOLE.within([0.0; 3], s) });
    parts
}
