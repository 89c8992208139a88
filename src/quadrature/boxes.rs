//! Boxes that fill a leaf or one of its faces, or stand for all of it: on each the limit is one
//! tricubic polynomial, but for the remainder of an explicit number of rings.

use std::sync::Arc;

use super::scheme::QuadratureScheme;
use super::series::{Ring, RingRules};
use crate::bezier::{LocalBox, planar_parts, spatial_parts};
use crate::limit::{AxisPermutation, LeafKind, Solid, Structure};

/// A box with its Gauss points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct GaussBox {
    /// Box of the points in the leaf's local axes.
    pub part: LocalBox,
    /// Factor of the box's weights: the number of boxes that it stands for.
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
    fn new(part: LocalBox, ring: &Ring, share: f64, gauss: usize, rules: &RingRules) -> Self {
        let gauss = gauss.saturating_sub(rules.fewer(share, gauss)).max(gauss.min(2));
        Self { part, weight: ring.weight, gauss, is_remainder: ring.is_closing }
    }

    /// All of a leaf of one polynomial.
    fn whole(gauss: usize) -> Self {
        Self { part: LocalBox::WHOLE, weight: 1.0, gauss, is_remainder: false }
    }
}

/// A face of a leaf or of an element, in its axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LeafFace {
    /// Axis that is constant on the face, 0 to 2.
    pub axis: u8,
    /// End of the axis at which the face is: 0 or 1.
    pub end: u8,
}

impl LeafFace {
    /// The face in local axes that lie in an element as `permutation` says.
    pub(crate) fn local(self, permutation: AxisPermutation) -> Self {
        let d = permutation.axes.iter().position(|&axis| axis == self.axis).unwrap_or(0);
        Self { axis: d as u8, end: self.end ^ u8::from(permutation.flips[d]) }
    }

    fn axis(self) -> usize {
        usize::from(self.axis)
    }

    /// Whether child `child` (binary) of a leaf lies on the face.
    fn has_child(self, child: usize) -> bool {
        child >> self.axis & 1 == usize::from(self.end)
    }

    /// Whether a part of a leaf has a side on the face.
    fn meets(self, part: &LocalBox) -> bool {
        let d = self.axis();
        match self.end {
            0 => part.origin[d] == 0.0,
            _ => part.origin[d] + part.size[d] == 1.0,
        }
    }
}

/// The boxes of which the sides fill a face of a leaf, in its local axes.
pub fn face_boxes(
    solid: &Solid,
    kind: LeafKind,
    face: LeafFace,
    scheme: QuadratureScheme,
    rules: &RingRules,
) -> Vec<GaussBox> {
    match (kind, scheme.rings) {
        (LeafKind::Layered(s, ..), None) => {
            let structure = &solid.planar_structures()[s as usize];
            planar_face_boxes(structure, face, scheme.gauss, 1.0, rules)
        }
        (LeafKind::Irregular(s, _), None) => {
            spatial_face_boxes(&solid.spatial_structures()[s as usize], face, scheme.gauss, rules)
        }
        _ => {
            let mut boxes = boxes(solid, kind, scheme, rules);
            boxes.retain(|b| face.meets(&b.part));
            boxes
        }
    }
}

/// The boxes of a leaf, in its local axes.
pub fn boxes(
    solid: &Solid,
    kind: LeafKind,
    scheme: QuadratureScheme,
    rules: &RingRules,
) -> Vec<GaussBox> {
    match (kind, scheme.rings) {
        (LeafKind::Regular(_), _) => vec![GaussBox::whole(scheme.gauss)],
        (LeafKind::Layered(..), Some(rings)) => counted(&planar_parts(rings), scheme.gauss),
        (LeafKind::Irregular(s, _), Some(rings)) => {
            let structure = &solid.spatial_structures()[s as usize];
            // along edges fewer by the rings passed: the smallest parts of all are equally wide
            counted(&spatial_parts(structure, rings, |ring| rings - ring), scheme.gauss)
        }
        (LeafKind::Layered(s, ..), None) => {
            let structure = &solid.planar_structures()[s as usize];
            planar_boxes(structure, scheme.gauss, 1.0, rules)
        }
        (LeafKind::Irregular(s, _), None) => {
            spatial_boxes(&solid.spatial_structures()[s as usize], scheme.gauss, rules)
        }
    }
}

/// Parts that each count once.
fn counted(parts: &[LocalBox], gauss: usize) -> Vec<GaussBox> {
    let counted =
        |&part: &LocalBox| GaussBox { part, weight: 1.0, gauss, is_remainder: !part.exact };
    parts.iter().map(counted).collect()
}

/// As many rings around an extraordinary edge as it takes, in a leaf that has this share
/// of the integrand.
fn planar_boxes(
    structure: &Structure,
    gauss: usize,
    share: f64,
    rules: &RingRules,
) -> Vec<GaussBox> {
    // integrals over a ring shrink like its area, or its area in parameters
    let largest = structure.powers().decay().powi(2);
    let rings = rules.rings(largest, 0.25, structure.first_steps(), share);
    let own = |ring: &Ring| {
        let ring = *ring;
        let size = 0.5_f64.powi(ring.number as i32);
        let share = share * ring.share / 3.0;
        (1..4).map(move |child| {
            let [u, v, _] = corner(child, size);
            let part = LocalBox { origin: [u, v, 0.0], size: [size, size, 1.0], exact: true };
            GaussBox::new(part, &ring, share, gauss, rules)
        })
    };
    rings.iter().flat_map(own).collect()
}

/// The boxes at a face of a leaf at an extraordinary edge. Across the edge rings shrink like
/// areas; on the faces through it like lengths; away from it they are not needed.
fn planar_face_boxes(
    structure: &Structure,
    face: LeafFace,
    gauss: usize,
    share: f64,
    rules: &RingRules,
) -> Vec<GaussBox> {
    if face.axis == 2 {
        return planar_boxes(structure, gauss, share, rules);
    }
    let own = |ring: &Ring, children: f64| {
        let ring = *ring;
        let size = 0.5_f64.powi(ring.number as i32);
        let share = share * ring.share / children;
        (1..4).filter(move |&child| face.has_child(child)).map(move |child| {
            let [u, v, _] = corner(child, size);
            let part = LocalBox { origin: [u, v, 0.0], size: [size, size, 1.0], exact: true };
            GaussBox::new(part, &ring, share, gauss, rules)
        })
    };
    if face.end == 1 {
        return own(&Ring::FIRST, 2.0).collect();
    }
    let decay = structure.powers().decay();
    let rings = rules.rings(decay, 0.5, structure.first_steps(), share);
    rings.iter().flat_map(|ring| own(ring, 1.0)).collect()
}

/// The boxes at a face of a leaf at an extraordinary vertex.
fn spatial_face_boxes(
    structure: &Structure,
    face: LeafFace,
    gauss: usize,
    rules: &RingRules,
) -> Vec<GaussBox> {
    let rings = match face.end {
        1 => Arc::from([Ring::FIRST]),
        _ => {
            let largest = structure.powers().decay().powi(2);
            rules.rings(largest, 0.25, structure.first_steps(), 1.0)
        }
    };
    let mut boxes = Vec::new();
    for ring in rings.iter() {
        let size = 0.5_f64.powi(ring.number as i32);
        let share = ring.share / 3.0;
        for child in (1..8).filter(|&child| face.has_child(child)) {
            let own = match structure.layered_sibling(ring.number, child) {
                None => vec![GaussBox::new(LocalBox::WHOLE, &Ring::FIRST, share, gauss, rules)],
                Some((planar, permutation)) => {
                    let permuted =
                        |b: GaussBox| GaussBox { part: b.part.permuted(permutation), ..b };
                    let own =
                        planar_face_boxes(planar, face.local(permutation), gauss, share, rules);
                    own.into_iter().map(permuted).collect()
                }
            };
            boxes.extend(within(own, ring, corner(child, size), size));
        }
    }
    boxes
}

/// Boxes of a child of a ring as boxes of the leaf.
fn within(
    boxes: Vec<GaussBox>,
    ring: &Ring,
    origin: [f64; 3],
    size: f64,
) -> impl Iterator<Item = GaussBox> {
    boxes.into_iter().map(move |b| GaussBox {
        part: b.part.within(origin, size),
        weight: ring.weight * b.weight,
        is_remainder: ring.is_closing || b.is_remainder,
        ..b
    })
}

/// As many rings around an extraordinary vertex as it takes.
fn spatial_boxes(structure: &Structure, gauss: usize, rules: &RingRules) -> Vec<GaussBox> {
    let largest = structure.powers().decay().powi(3);
    let mut boxes = Vec::new();
    for ring in rules.rings(largest, 0.125, structure.first_steps(), 1.0).iter() {
        let size = 0.5_f64.powi(ring.number as i32);
        let share = ring.share / 7.0;
        for child in 1..8 {
            let origin = corner(child, size);
            let own = match structure.layered_sibling(ring.number, child) {
                None => vec![GaussBox::new(LocalBox::WHOLE, &Ring::FIRST, share, gauss, rules)],
                Some((planar, permutation)) => {
                    let permuted =
                        |b: GaussBox| GaussBox { part: b.part.permuted(permutation), ..b };
                    planar_boxes(planar, gauss, share, rules).into_iter().map(permuted).collect()
                }
            };
            boxes.extend(within(own, ring, origin, size));
        }
    }
    boxes
}

/// Where child `child` (binary) of a leaf lies that is split into boxes of this size.
fn corner(child: usize, size: f64) -> [f64; 3] {
    [0, 1, 2].map(|d| (child >> d & 1) as f64 * size)
}
