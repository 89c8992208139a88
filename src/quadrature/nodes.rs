//! Quadrature points of a leaf: Gauss points in boxes that shrink towards its
//! extraordinary edge or vertex.

use super::Scheme;
use crate::basis::gauss;
use crate::bezier::{Part, planar_parts};
use crate::error::Result;
use crate::limit::{LeafKind, Solid, Structure, Turn};

/// Quadrature points of all leaves of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Nodes {
    /// Parameters within the leaf, `[sample][axis]`, each in (0, 1), by its local axes,
    /// which have the extraordinary edge or vertex at the origin. Box by box; in a box
    /// the first axis fastest.
    pub parameters: Vec<[f64; 3]>,
    /// Weights in the leaf's parameter space, `[sample]`; they are > 0 and sum to 1.
    pub weights: Vec<f64>,
    /// How many of the samples lie in boxes on which the limit is one tricubic
    /// polynomial. Those that follow lie in the remainder: the boxes at the
    /// extraordinary edge or vertex itself, and along extraordinary edges.
    pub exact: usize,
}

impl Nodes {
    /// The points of a leaf of this kind.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) for a number of Gauss points out of range.
    pub(super) fn new(solid: &Solid, kind: LeafKind, scheme: Scheme) -> Result<Self> {
        let rule = gauss::rule(scheme.gauss)?;
        let n = rule.points.len();
        let mut boxes = boxes(solid, kind, scheme.rings);
        boxes.sort_by_key(|b| !b.exact); // stable: inwards
        let count = boxes.len() * n.pow(3);
        let mut nodes = Self {
            parameters: Vec::with_capacity(count),
            weights: Vec::with_capacity(count),
            exact: 0,
        };
        for part in boxes {
            for i in 0..n.pow(3) {
                let at = [i % n, i / n % n, i / (n * n)];
                let place = |d: usize| part.origin[d] + part.size[d] * rule.points[at[d]];
                nodes.parameters.push(std::array::from_fn(place));
                nodes.weights.push((0..3).map(|d| part.size[d] * rule.weights[at[d]]).product());
            }
            nodes.exact += if part.exact { n.pow(3) } else { 0 };
        }
        Ok(nodes)
    }

    /// Number of samples.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// The parameters by the axes of an element in which the leaf lies as `turn` says.
    pub fn turned(&self, turn: Turn) -> Vec<[f64; 3]> {
        let place = |local: &[f64; 3]| {
            let mut p = [0.0; 3];
            for d in 0..3 {
                p[turn.axes[d] as usize] = if turn.flips[d] { 1.0 - local[d] } else { local[d] };
            }
            p
        };
        self.parameters.iter().map(place).collect()
    }

    /// Volume of the remainder in the leaf's parameter space, from 0 to 1.
    pub fn remainder(&self) -> f64 {
        self.weights[self.exact..].iter().sum()
    }
}

/// How many boxes a leaf of this kind has.
pub(super) fn box_count(solid: &Solid, kind: LeafKind, rings: usize) -> usize {
    boxes(solid, kind, rings).len()
}

/// The boxes of a leaf, in its local axes.
fn boxes(solid: &Solid, kind: LeafKind, rings: usize) -> Vec<Part> {
    match kind {
        LeafKind::Regular(_) => vec![Part::WHOLE],
        LeafKind::Layered(..) => planar_parts(rings),
        LeafKind::Irregular(s, _) => spatial_boxes(&solid.spatial_structures()[s as usize], rings),
    }
}

/// Rings of boxes around an extraordinary vertex. A box along an extraordinary edge
/// has rings of its own towards the edge, fewer by the rings passed, so that the
/// smallest boxes of all are equally wide.
fn spatial_boxes(structure: &Structure, rings: usize) -> Vec<Part> {
    let mut parts = Vec::new();
    for ring in 1..=rings {
        let size = 0.5_f64.powi(ring as i32);
        for child in 1..8 {
            let origin = [0, 1, 2].map(|d| (child >> d & 1) as f64 * size);
            match structure.sibling_turn(child) {
                None => parts.push(Part::WHOLE.within(origin, size)),
                Some(turn) => parts.extend(
                    planar_parts(rings - ring)
                        .iter()
                        .map(|part| part.turned(turn).within(origin, size)),
                ),
            }
        }
    }
    let size = 0.5_f64.powi(rings as i32);
    parts.push(Part { exact: false, ..Part::WHOLE.within([0.0; 3], size) });
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::shape::Shape;

    #[test]
    fn boxes_fill_the_leaf_and_shrink() {
        let mesh = Shape::Box { cells: [2, 2, 6] }.build().unwrap();
        let solid = Solid::new(&mesh).unwrap();
        let (mut layered, mut irregular) = (0, 0);
        for leaf in solid.leaves() {
            for rings in 0..5 {
                let nodes = Nodes::new(&solid, leaf.kind, Scheme { gauss: 2, rings }).unwrap();
                assert!((nodes.weights.iter().sum::<f64>() - 1.0).abs() < 1e-14);
                assert!(nodes.parameters.iter().flatten().all(|&u| 0.0 < u && u < 1.0));
                let places = nodes.turned(Turn::to_corner(5)[1]);
                let first_moment: f64 =
                    places.iter().zip(&nodes.weights).map(|(p, w)| p[1] * w).sum();
                assert!((first_moment - 0.5).abs() < 1e-14);
                let remainder = nodes.remainder();
                match leaf.kind {
                    LeafKind::Layered(..) => {
                        layered += 1;
                        assert!((remainder - 0.25_f64.powi(rings as i32)).abs() < 1e-15);
                        assert_eq!(nodes.len(), 8 * (3 * rings + 1));
                    }
                    // three extraordinary edges meet in the corner of a box
                    LeafKind::Irregular(..) => {
                        irregular += 1;
                        let edges: f64 = (1..=rings as i32)
                            .map(|r| 0.125_f64.powi(r) * 0.25_f64.powi(rings as i32 - r))
                            .sum();
                        let expected = 0.125_f64.powi(rings as i32) + 3.0 * edges;
                        assert!((remainder - expected).abs() < 1e-15, "{rings}");
                    }
                    LeafKind::Regular(_) => assert_eq!(remainder, 0.0),
                }
            }
        }
        assert!(layered > 0 && irregular > 0);
    }
}
