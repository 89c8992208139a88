//! Weights of a leaf's control points for the limit and its derivatives.

use super::leaf::{AffineMap, SurfaceLeaf, SurfaceLeafKind};
use super::library::ExtraordinaryLimit;
use super::net::phantoms;
use super::surface::LimitSurface;
use crate::basis::bspline::Order::{First, Second, Value};
use crate::basis::{MissingLayers, box_spline, bspline};
use crate::limit::Orders;
use crate::scheme::{FaceShape, Scheme};

/// Derivatives by u and v in the order of results: the value, u, v, uu, uv, vv.
pub const DERIVATIVES: [[usize; 2]; 6] = [[0, 0], [1, 0], [0, 1], [2, 0], [1, 1], [0, 2]];

/// Number of [`DERIVATIVES`] up to an order of 0, 1 or 2.
pub const COUNTS: [usize; 3] = [1, 3, 6];

/// Weights `[control point]` of one quantity; `None` where it does not exist.
pub type Weights = Option<Vec<f64>>;

impl LimitSurface {
    /// Weights of a leaf's net for the limit at the parameters `p` of its *element* and
    /// the derivatives by those up to `order` (0 to 2), in the order of [`DERIVATIVES`].
    ///
    /// At an extraordinary vertex a first derivative is the one that all ways toward it
    /// share, if they do; second derivatives are not looked for there.
    pub fn weights(&self, leaf: &SurfaceLeaf, p: [f64; 2], order: usize) -> Vec<Weights> {
        let (map, local) = self.local(leaf, p);
        let count = COUNTS[order.min(2)];
        let weights: Vec<Weights> = match leaf.kind {
            SurfaceLeafKind::Regular(ends) => DERIVATIVES[..count]
                .iter()
                .map(|&orders| Some(regular_weights(self.scheme, ends, local, orders)))
                .collect(),
            SurfaceLeafKind::Irregular(structure, _) => {
                let structure = &self.structures[structure as usize].structure;
                let at = [local[0], local[1], 0.0];
                let weights = |&orders| structure.weights(at, spline_orders(orders));
                DERIVATIVES[..count].iter().map(weights).collect()
            }
        };
        in_outer_parameters(&map.matrix, weights)
    }

    /// Weights of a leaf's net for two vectors that span the tangent plane at the
    /// parameters `p` of its element, turning from u to v: the first derivatives, or at an
    /// extraordinary vertex the tangents there; `None` if there is no tangent plane.
    pub fn tangents(&self, leaf: &SurfaceLeaf, p: [f64; 2]) -> Option<[Vec<f64>; 2]> {
        if let Some((extraordinary, mirrored)) = self.extraordinary(leaf, p) {
            let [first, second] = extraordinary.tangents.clone()?;
            return Some(if mirrored { [second, first] } else { [first, second] });
        }
        let mut weights = self.weights(leaf, p, 1);
        let second = weights.pop()??;
        Some([weights.pop()??, second])
    }

    /// The structure of a leaf if the parameters `p` of its element are at its
    /// extraordinary vertex, and whether its axes turn the other way.
    pub(super) fn extraordinary(
        &self,
        leaf: &SurfaceLeaf,
        p: [f64; 2],
    ) -> Option<(&ExtraordinaryLimit, bool)> {
        let SurfaceLeafKind::Irregular(structure, _) = leaf.kind else { return None };
        let extraordinary = &self.structures[structure as usize];
        let (map, local) = self.local(leaf, p);
        let place = extraordinary.structure.place([local[0], local[1], 0.0]);
        place.is_none().then(|| (extraordinary.as_ref(), map.is_mirrored()))
    }

    /// The map from parameters of a leaf's element to its patch or structure, and the image
    /// of `p`, kept within the leaf.
    pub(crate) fn local(&self, leaf: &SurfaceLeaf, p: [f64; 2]) -> (AffineMap, [f64; 2]) {
        let outer = leaf.affine(self.scheme);
        let mut local = outer.apply(p).map(|x| x.clamp(0.0, 1.0));
        if self.scheme.shape() == FaceShape::Triangle && local[0] + local[1] > 1.0 {
            // rounding only
            local[1] = 1.0 - local[0];
        }
        match leaf.kind {
            SurfaceLeafKind::Regular(_) => (outer, local),
            SurfaceLeafKind::Irregular(_, placement) => {
                let inner = placement.affine(self.scheme);
                (outer.then(&inner), inner.apply(local).map(|x| x.max(0.0)))
            }
        }
    }
}

fn spline_orders(orders: [usize; 2]) -> Orders {
    let [u, v] = orders.map(|o| [Value, First, Second][o]);
    [u, v, Value]
}

/// Weights of a regular net; missing control points give theirs to their phantoms.
pub(super) fn regular_weights(
    scheme: Scheme,
    ends: MissingLayers,
    p: [f64; 2],
    orders: [usize; 2],
) -> Vec<f64> {
    match scheme.shape() {
        FaceShape::Quad => {
            let orders = spline_orders(orders);
            let axis = |d: usize| {
                let ends = ends.axis(d);
                bspline::end(bspline::weights(orders[d], p[d]), ends.low(), ends.high())
            };
            let (u, v) = (axis(0), axis(1));
            v.iter().flat_map(|b| u.map(|a| a * b)).collect()
        }
        FaceShape::Triangle => {
            let mut weights = box_spline::weights(orders, p);
            for [missing, q, r, s] in phantoms(ends) {
                // two corners may name the same one: it is empty the second time
                let w = std::mem::take(&mut weights[missing]);
                weights[q] += w;
                weights[r] += w;
                weights[s] -= w;
            }
            weights.to_vec()
        }
    }
}

/// Derivatives by the parameters p from those by local ones, local = matrix · p + offset.
fn in_outer_parameters(matrix: &[[f64; 2]; 2], local: Vec<Weights>) -> Vec<Weights> {
    if *matrix == [[1.0, 0.0], [0.0, 1.0]] {
        return local;
    }
    let sum = |terms: &[(f64, usize)]| -> Weights {
        let mut total: Vec<f64> = Vec::new();
        for &(factor, at) in terms.iter().filter(|(factor, _)| *factor != 0.0) {
            let weights = local[at].as_ref()?;
            total.resize(weights.len(), 0.0);
            total.iter_mut().zip(weights).for_each(|(sum, w)| *sum += factor * w);
        }
        Some(total)
    };
    let j = |local: usize, outer: usize| matrix[local][outer];
    let first = |a: usize| sum(&[(j(0, a), 1), (j(1, a), 2)]);
    let second = |a: usize, b: usize| {
        let mixed = j(0, a) * j(1, b) + j(1, a) * j(0, b);
        sum(&[(j(0, a) * j(0, b), 3), (mixed, 4), (j(1, a) * j(1, b), 5)])
    };
    let derived = match local.len() {
        1 => vec![],
        3 => vec![first(0), first(1)],
        _ => vec![first(0), first(1), second(0, 0), second(0, 1), second(1, 1)],
    };
    local[..1].iter().cloned().chain(derived).collect()
}
