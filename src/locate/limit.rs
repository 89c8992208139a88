//! The limit itself around an extraordinary edge or vertex, where pieces only come
//! near it.

use super::closest::SearchBox;
use super::tricubic::TricubicJet;
use crate::basis::bspline::Order::{First, Value};
use crate::limit::{Leaf, Solid};
use crate::numbers::vector::difference;

/// Where a derivative does not exist, the one so far away stands for it.
const DERIVATIVE_OFFSET: f64 = 1e-9;

/// The limit on one leaf, over the element's parameters.
pub struct LimitMap<'a> {
    solid: &'a Solid,
    leaf: &'a Leaf,
    // control points of the leaf's net, less the first of them
    net: Vec<[f64; 3]>,
    origin: [f64; 3],
}

impl<'a> LimitMap<'a> {
    /// The limit on `leaf`; `points`: of all levels, `[point][3]`.
    pub fn new(solid: &'a Solid, leaf: &'a Leaf, points: &[f64]) -> Self {
        let point = |&v: &u32| std::array::from_fn(|d| points[3 * v as usize + d]);
        let net = solid.net(leaf);
        let origin: [f64; 3] = net.first().map_or([0.0; 3], point);
        let local = |p: [f64; 3]| difference(p, origin);
        Self { solid, leaf, net: net.iter().map(point).map(local).collect(), origin }
    }

    /// The leaf in the element's parameters.
    pub fn domain(&self) -> SearchBox {
        let size = 0.5_f64.powi(self.leaf.depth.into());
        let low = self.leaf.origin.map(|x| size * f64::from(x));
        SearchBox { low, high: low.map(|x| x + size) }
    }

    /// The limit at the element's parameters `p`, within the leaf.
    pub fn point(&self, p: [f64; 3]) -> [f64; 3] {
        let offset = self.sum(self.leaf.local(p), [Value; 3]).unwrap_or([f64::NAN; 3]);
        std::array::from_fn(|d| self.origin[d] + offset[d])
    }

    /// The limit and its derivatives at the element's parameters `p`, within the leaf.
    pub fn jet(&self, p: [f64; 3]) -> TricubicJet {
        let local = self.leaf.local(p);
        let orders = |axis: usize| std::array::from_fn(|d| if d == axis { First } else { Value });
        let inward =
            local.map(|x| if x < 0.5 { x + DERIVATIVE_OFFSET } else { x - DERIVATIVE_OFFSET });
        let derivative = |axis: usize| {
            self.sum(local, orders(axis))
                .or_else(|| self.sum(inward, orders(axis)))
                .unwrap_or([0.0; 3])
        };
        TricubicJet {
            point: self.point(p).into(),
            derivatives: [0, 1, 2].map(|d| derivative(d).into()),
        }
    }

    fn sum(&self, local: [f64; 3], orders: crate::limit::Orders) -> Option<[f64; 3]> {
        let weights = self.solid.weights(self.leaf, local, orders)?;
        let mut sum = [0.0; 3];
        for (weight, point) in weights.iter().zip(&self.net) {
            (0..3).for_each(|d| sum[d] += weight * point[d]);
        }
        Some(sum)
    }
}
