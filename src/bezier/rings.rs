//! Boxes around an extraordinary point: rings of those on which the limit is a tricubic
//! polynomial, and the one that remains.

use crate::limit::{AxisPermutation, Structure};

/// A box in the local parameters of a leaf.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocalBox {
    pub origin: [f64; 3],
    pub size: [f64; 3],
    /// Whether the limit is a tricubic polynomial on it.
    pub exact: bool,
}

impl LocalBox {
    pub(crate) const WHOLE: Self = Self { origin: [0.0; 3], size: [1.0; 3], exact: true };

    /// The box seen in the axes that `permutation` makes local.
    pub fn permuted(&self, permutation: AxisPermutation) -> Self {
        let mut permuted = *self;
        for d in 0..3 {
            let axis = permutation.axes[d] as usize;
            permuted.size[axis] = self.size[d];
            permuted.origin[axis] = if permutation.flips[d] {
                1.0 - self.origin[d] - self.size[d]
            } else {
                self.origin[d]
            };
        }
        permuted
    }

    /// This box, in a box that has `origin` and `scale`.
    pub fn within(&self, origin: [f64; 3], scale: f64) -> Self {
        Self {
            origin: std::array::from_fn(|d| origin[d] + scale * self.origin[d]),
            size: self.size.map(|s| scale * s),
            exact: self.exact,
        }
    }

    /// This box, in another.
    pub(crate) fn within_box(&self, outer: &Self) -> Self {
        Self {
            origin: std::array::from_fn(|d| outer.origin[d] + outer.size[d] * self.origin[d]),
            size: std::array::from_fn(|d| outer.size[d] * self.size[d]),
            exact: self.exact,
        }
    }
}

/// The boxes of a planar structure: three a ring, and last the one that remains.
pub(crate) fn planar_parts(rings: usize) -> Vec<LocalBox> {
    let square = |child: usize, s: f64, exact: bool| {
        let origin = [(child & 1) as f64 * s, (child >> 1) as f64 * s, 0.0];
        LocalBox { origin, size: [s, s, 1.0], exact }
    };
    let mut parts = Vec::new();
    for ring in 1..=rings {
        let s = 0.5_f64.powi(ring as i32);
        parts.extend((1..4).map(|child| square(child, s, true)));
    }
    parts.push(square(0, 0.5_f64.powi(rings as i32), false));
    parts
}

/// The boxes of a spatial structure, ring by ring; boxes with an extraordinary edge have
/// rings of their own, `along_edges` of the ring that they are in.
pub(crate) fn spatial_parts(
    structure: &Structure,
    rings: usize,
    along_edges: impl Fn(usize) -> usize,
) -> Vec<LocalBox> {
    let mut parts = Vec::new();
    for ring in 1..=rings {
        let s = 0.5_f64.powi(ring as i32);
        for child in 1..8 {
            let origin = [0, 1, 2].map(|d| (child >> d & 1) as f64 * s);
            match structure.sibling_permutation(child) {
                None => parts.push(LocalBox::WHOLE.within(origin, s)),
                Some(permutation) => {
                    let own = planar_parts(along_edges(ring));
                    parts.extend(own.iter().map(|p| p.permuted(permutation).within(origin, s)));
                }
            }
        }
    }
    let s = 0.5_f64.powi(rings as i32);
    parts.push(LocalBox { exact: false, ..LocalBox::WHOLE.within([0.0; 3], s) });
    parts
}
