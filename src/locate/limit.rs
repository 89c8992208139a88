//! The limit itself around an extraordinary edge or vertex, where pieces only come
//! near it: what tests hold rings of pieces to.

use crate::basis::bspline::Order::Value;
use crate::limit::{Leaf, Solid};

/// The limit on one leaf, over the element's parameters.
pub struct LimitMap<'a> {
    solid: &'a Solid,
    leaf: &'a Leaf,
    // control points of the leaf's net, less the first of them
    net: Vec<[f64; 3]>,
    origin: [f64; 3],
}

impl<'a> LimitMap<'a> {
    /// The limit on `leaf`; `points` are those of all levels, `[point][3]`.
    pub fn new(solid: &'a Solid, leaf: &'a Leaf, points: &[f64]) -> Self {
        let point = |&v: &u32| std::array::from_fn(|d| points[3 * v as usize + d]);
        let net = solid.net(leaf);
        let origin: [f64; 3] = net.first().map_or([0.0; 3], point);
        let local = |p: [f64; 3]| std::array::from_fn(|d| p[d] - origin[d]);
        Self { solid, leaf, net: net.iter().map(point).map(local).collect(), origin }
    }

    /// The limit at the element's parameters `p`, within the leaf.
    pub fn point(&self, p: [f64; 3]) -> [f64; 3] {
        let offset = self.sum(self.leaf.local(p), [Value; 3]).unwrap_or([f64::NAN; 3]);
        std::array::from_fn(|d| self.origin[d] + offset[d])
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
