//! Functions on the pieces of a solid: attributes, parameters of elements and derivatives by them.

use rayon::prelude::*;

use super::parameters::in_piece;
use super::pieces::{BATCH_LEAVES, LocatorPieces, TASK_LEAVES};
use super::tricubic::TricubicPoints;
use crate::bezier::Piece;
use crate::error::Result;
use crate::interrupt::stop_point;
use crate::limit::Leaf;
use crate::mesh::{Attribute, component_ranges};
use crate::pages;

/// Range that errors of derivatives are told by, as a multiple of the largest one.
const JACOBIAN_RANGE: f64 = 4.0;

/// An attribute in Bézier form, or another function on the solid that pixels are asked for.
#[derive(Debug)]
pub struct AttributePieces {
    /// Values a point.
    pub width: usize,
    /// Bézier points, `[piece][w][v][u][width]`; none of a function that the pieces give.
    pub points: Vec<f64>,
    /// Least and largest value of each component at control points, which bound the limit; of the
    /// other functions those that errors are told by.
    pub ranges: Vec<[f64; 2]>,
    function: Function,
}

/// What it is.
#[derive(Debug)]
enum Function {
    /// An attribute, with its values at the points of all levels, `[point][width]`.
    Attribute { refined: Vec<f64> },
    /// The parameters of elements.
    Parameters,
    /// The derivatives of the point by them.
    Jacobian,
}

impl LocatorPieces<'_> {
    /// Bézier points of an attribute, `[piece][w][v][u][width]`, and its values at the
    /// points of all levels, `[point][width]`.
    ///
    /// # Errors
    /// [`Error::Mesh`](crate::Error::Mesh) if it does not have a value for every vertex.
    pub fn attribute(&self, attribute: &Attribute) -> Result<AttributePieces> {
        let (solid, width) = (self.solid(), attribute.width);
        attribute.check(solid.topology().vertex_count())?;
        let refined = solid.refined_points(&attribute.values, width).into_owned();
        let mut points = pages::room(64 * width * self.len());
        for leaves in solid.leaves().chunks(BATCH_LEAVES) {
            let own = |leaf: &Leaf| {
                stop_point();
                self.maker.points(leaf, &refined, width)
            };
            let own = |leaves: &[Leaf]| leaves.iter().flat_map(own).collect();
            let parts: Vec<Vec<f64>> = leaves.par_chunks(TASK_LEAVES).map(own).collect();
            parts.iter().for_each(|part| points.extend_from_slice(part));
        }
        let ranges = component_ranges(&attribute.values, width);
        Ok(AttributePieces { width, points, ranges, function: Function::Attribute { refined } })
    }

    /// An element's parameters, as an attribute.
    pub(crate) fn parameters(&self) -> AttributePieces {
        let ranges = vec![[0.0, 1.0]; 3];
        AttributePieces { width: 3, points: Vec::new(), ranges, function: Function::Parameters }
    }

    /// The derivatives of the point by an element's parameters, `[parameter][coordinate]`, as an
    /// attribute.
    pub(crate) fn jacobian(&self) -> AttributePieces {
        let most = |piece: usize| {
            jacobian_points(&self.points[piece], &self.pieces[piece].size)
                .iter()
                .fold(0.0_f64, |most, x| most.max(x.abs()))
        };
        let most = (0..self.len()).into_par_iter().map(most).reduce(|| 0.0, f64::max);
        let ranges = vec![[-JACOBIAN_RANGE * most, JACOBIAN_RANGE * most]; 9];
        AttributePieces { width: 9, points: Vec::new(), ranges, function: Function::Jacobian }
    }

    /// An attribute (of width [`AttributePieces::width`]) at an element's parameters
    /// `p` in a piece, written to `values`.
    pub fn attribute_at(
        &self,
        attribute: &AttributePieces,
        piece: usize,
        p: [f64; 3],
        values: &mut [f64],
    ) {
        let width = attribute.width;
        let is_exact = self.pieces[piece].exact;
        match &attribute.function {
            Function::Parameters => values.copy_from_slice(&p),
            Function::Jacobian if is_exact => {
                let t = in_piece(&self.pieces[piece], p);
                let derivatives = super::tricubic::jet(&self.points[piece], t).derivatives;
                let size = self.pieces[piece].size;
                for (axis, own) in values.chunks_exact_mut(3).enumerate() {
                    (0..3).for_each(|d| own[d] = derivatives[axis][d] / size[axis]);
                }
            }
            Function::Jacobian => {
                let derivatives = self.limit(piece).jet(p).derivatives;
                for (own, derivative) in values.chunks_exact_mut(3).zip(derivatives) {
                    (0..3).for_each(|d| own[d] = derivative[d]);
                }
            }
            Function::Attribute { .. } if is_exact => {
                values.fill(0.0);
                let points = &attribute.points[piece * 64 * width..][..64 * width];
                let weights =
                    in_piece(&self.pieces[piece], p).map(|t| super::tricubic::basis(t)[0]);
                let [u, v, w] = weights;
                for (place, point) in points.chunks_exact(width).enumerate() {
                    let weight = u[place % 4] * (v[place / 4 % 4] * w[place / 16]);
                    values.iter_mut().zip(point).for_each(|(value, x)| *value += weight * x);
                }
            }
            Function::Attribute { refined } => {
                values.fill(0.0);
                let (solid, leaf) = (self.solid(), self.leaf(piece));
                let orders = [crate::basis::bspline::Order::Value; 3];
                let weights = solid.weights(leaf, leaf.local(p), orders).unwrap_or_default();
                for (&v, weight) in solid.net(leaf).iter().zip(weights) {
                    let point = &refined[v as usize * width..][..width];
                    values.iter_mut().zip(point).for_each(|(value, x)| *value += weight * x);
                }
            }
        }
    }

    /// An attribute at places of one piece, to rounding as [`Self::attribute_at`] gives it:
    /// `values[place][width]`.
    pub fn attributes_at(
        &self,
        attribute: &AttributePieces,
        piece: usize,
        parameters: &[[f64; 3]],
        values: &mut [f64],
    ) {
        let width = attribute.width;
        let own = &self.pieces[piece];
        let dispatch = |points: &[f64], values: &mut [f64]| {
            let at_places = AttributeAtPlaces { piece: own, points, width, parameters, values };
            pulp::Arch::new().dispatch(at_places);
        };
        match attribute.function {
            _ if parameters.is_empty() => {}
            Function::Parameters => values.copy_from_slice(parameters.as_flattened()),
            Function::Attribute { .. } if own.exact => {
                dispatch(&attribute.points[piece * 64 * width..][..64 * width], values);
            }
            Function::Jacobian if own.exact => {
                dispatch(&jacobian_points(&self.points[piece], &own.size), values);
            }
            _ => {
                for (&p, values) in parameters.iter().zip(values.chunks_exact_mut(width)) {
                    self.attribute_at(attribute, piece, p, values);
                }
            }
        }
    }
}

/// Bézier points of the derivatives by the element's parameters of a piece of some size in them,
/// `[w][v][u][parameter][coordinate]`, raised to degree 3.
fn jacobian_points(points: &TricubicPoints, size: &[f64; 3]) -> [f64; 64 * 9] {
    let mut all = [0.0; 64 * 9];
    for (axis, size) in size.iter().enumerate() {
        let stride = 1 << (2 * axis);
        for line in (0..64).filter(|i| (i / stride) % 4 == 0) {
            for d in 0..3 {
                let [p, q, r, s] = [0, 1, 2, 3].map(|i| points[line + i * stride][d]);
                let raised = [3.0 * (q - p), 2.0 * r - q - p, s + r - 2.0 * q, 3.0 * (s - r)];
                for (i, x) in raised.into_iter().enumerate() {
                    all[(line + i * stride) * 9 + 3 * axis + d] = x / size;
                }
            }
        }
    }
    all
}

/// Places evaluated together.
const LANES: usize = 8;

/// An attribute at places of an exact piece, compiled for the widest vectors that the machine has.
struct AttributeAtPlaces<'a> {
    piece: &'a Piece,
    /// `[w][v][u][width]`
    points: &'a [f64],
    width: usize,
    parameters: &'a [[f64; 3]],
    values: &'a mut [f64],
}

impl pulp::NullaryFnOnce for AttributeAtPlaces<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { piece, points, width, parameters, values } = self;
        let groups = parameters.chunks(LANES).zip(values.chunks_mut(LANES * width));
        for (places, values) in groups {
            // Lanes beyond the last place repeat it.
            let mut basis = [[[0.0; LANES]; 4]; 3];
            for lane in 0..LANES {
                let t = in_piece(piece, places[lane.min(places.len() - 1)]);
                for d in 0..3 {
                    let [weights, _] = super::tricubic::basis(t[d]);
                    (0..4).for_each(|n| basis[d][n][lane] = weights[n]);
                }
            }
            for component in 0..width {
                let found = contracted(&basis, |place| points[place * width + component]);
                for (value, found) in values[component..].iter_mut().step_by(width).zip(found) {
                    *value = found;
                }
            }
        }
    }
}

/// Σ uᵢ vⱼ wₖ x(i, j, k) in every lane, along u, then v, then w.
#[inline(always)]
fn contracted([u, v, w]: &[[[f64; LANES]; 4]; 3], x: impl Fn(usize) -> f64) -> [f64; LANES] {
    let mut all = [0.0; LANES];
    for (k, w) in w.iter().enumerate() {
        let mut layer = [0.0; LANES];
        for (j, v) in v.iter().enumerate() {
            let at = 16 * k + 4 * j;
            let [p, q, r, s] = [x(at), x(at + 1), x(at + 2), x(at + 3)];
            for lane in 0..LANES {
                let line = u[0][lane] * p + u[1][lane] * q + (u[2][lane] * r + u[3][lane] * s);
                layer[lane] += v[lane] * line;
            }
        }
        for lane in 0..LANES {
            all[lane] += w[lane] * layer[lane];
        }
    }
    all
}
