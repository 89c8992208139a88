//! Boxes that fill a leaf, or stand for all of it: on each the limit is one tricubic
//! polynomial, but for what an explicit number of rings leaves.

use super::scheme::{RING_TOLERANCE, Scheme};
use super::series::{self, Ring};
use crate::bezier::{Part, planar_parts, spatial_parts};
use crate::limit::{LeafKind, Solid, Structure};

/// A box with its Gauss points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct GaussBox {
    /// Where it is, in the leaf's local axes.
    pub part: Part,
    /// How often it counts.
    pub weight: f64,
    /// Gauss points along each axis.
    pub gauss: usize,
    /// Whether it belongs to the remainder: it stands for others too, or the limit is no
    /// polynomial on it.
    pub is_remainder: bool,
}

impl GaussBox {
    /// The Gauss points of a part that has this share of the leaf's integrals: the smaller
    /// it is, the less exact its own integral has to be.
    fn new(part: Part, weight: f64, share: f64, is_remainder: bool, gauss: usize) -> Self {
        let fewer = SHARES.iter().filter(|&&limit| share < limit).count();
        let gauss = gauss.saturating_sub(fewer).max(gauss.min(2));
        Self { part, weight, gauss, is_remainder }
    }
}

/// Below each of these shares of a leaf a box has one Gauss point less along each axis.
const SHARES: [f64; 3] = [2e-3, 1e-5, 1e-7];

/// The boxes of a leaf, in its local axes.
pub fn boxes(solid: &Solid, kind: LeafKind, scheme: Scheme) -> Vec<GaussBox> {
    let whole = || vec![GaussBox::new(Part::WHOLE, 1.0, 1.0, false, scheme.gauss)];
    match (kind, scheme.rings) {
        (LeafKind::Regular(_), _) => whole(),
        (LeafKind::Layered(..), Some(rings)) => counted(&planar_parts(rings), scheme.gauss),
        (LeafKind::Irregular(s, _), Some(rings)) => {
            let structure = &solid.spatial_structures()[s as usize];
            // along edges fewer by the rings passed: the smallest parts of all are equally wide
            counted(&spatial_parts(structure, rings, |ring| rings - ring), scheme.gauss)
        }
        (LeafKind::Layered(s, ..), None) => {
            let structure = &solid.planar_structures()[s as usize];
            planar_boxes(structure, scheme.gauss, 1.0)
        }
        (LeafKind::Irregular(s, _), None) => {
            spatial_boxes(&solid.spatial_structures()[s as usize], scheme.gauss)
        }
    }
}

/// Parts that each count once.
fn counted(parts: &[Part], gauss: usize) -> Vec<GaussBox> {
    parts.iter().map(|&part| GaussBox::new(part, 1.0, 1.0, !part.exact, gauss)).collect()
}

/// As many rings around an extraordinary edge as it takes, in a leaf that has this share
/// of what is integrated.
fn planar_boxes(structure: &Structure, gauss: usize, share: f64) -> Vec<GaussBox> {
    // integrals over a ring shrink like its area, or that of its parameters
    let largest = structure.powers().decay().powi(2);
    let tolerance = RING_TOLERANCE / share;
    let rings = series::rings(largest, 0.25, structure.first_steps(), tolerance);
    let own = |ring: &Ring| {
        let size = 0.5_f64.powi(ring.number as i32);
        let &Ring { weight, is_closing, .. } = ring;
        let share = share * ring.share / 3.0;
        (1..4).map(move |child| {
            let [u, v, _] = corner(child, size);
            let part = Part { origin: [u, v, 0.0], size: [size, size, 1.0], exact: true };
            GaussBox::new(part, weight, share, is_closing, gauss)
        })
    };
    rings.iter().flat_map(own).collect()
}

/// As many rings around an extraordinary vertex as it takes.
fn spatial_boxes(structure: &Structure, gauss: usize) -> Vec<GaussBox> {
    let largest = structure.powers().decay().powi(3);
    let mut boxes = Vec::new();
    for ring in series::rings(largest, 0.125, structure.first_steps(), RING_TOLERANCE) {
        let size = 0.5_f64.powi(ring.number as i32);
        let share = ring.share / 7.0;
        for child in 1..8 {
            let origin = corner(child, size);
            let own = match structure.layered_sibling(ring.number, child) {
                None => vec![GaussBox::new(Part::WHOLE, 1.0, share, false, gauss)],
                Some((planar, permutation)) => {
                    let permuted =
                        |b: GaussBox| GaussBox { part: b.part.permuted(permutation), ..b };
                    planar_boxes(planar, gauss, share).into_iter().map(permuted).collect()
                }
            };
            boxes.extend(own.into_iter().map(|b| GaussBox {
                part: b.part.within(origin, size),
                weight: ring.weight * b.weight,
                is_remainder: ring.is_closing || b.is_remainder,
                ..b
            }));
        }
    }
    boxes
}

/// Where child `child` (binary) of a leaf lies that is split into boxes of this size.
fn corner(child: usize, size: f64) -> [f64; 3] {
    [0, 1, 2].map(|d| (child >> d & 1) as f64 * size)
}
