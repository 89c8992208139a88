//! Basis functions on faces of the boundary, at points given by the vertices of the faces.

use std::collections::{BTreeMap, HashMap};

use super::basis::slots;
use super::batch::{net, without_permutation};
use super::leaf_points::LeafPoints;
use super::pull::PullStencils;
use crate::backend::operations::BasisValues;
use crate::limit::boundary::{BoundaryFace, boundary_faces};
use crate::limit::{AxisPermutation, Leaf, Solid, VTK_CORNER};
use crate::plan::Want;
use crate::topology::Orientation;

/// Sparse rows over vertices, which ascend: the weights of control values in a value of the limit.
pub(crate) type TraceRow = Vec<(u32, f64)>;

/// The faces of the boundary of a solid that are sides of hexahedra.
pub(crate) struct FaceTraces<'s> {
    solid: &'s Solid,
    pull: PullStencils,
    faces: HashMap<u32, BoundaryFace>,
}

impl<'s> FaceTraces<'s> {
    pub fn new(solid: &'s Solid) -> Self {
        let all = boundary_faces(solid, &Orientation::default()).into_iter();
        let whole = all.filter(|face| solid.elements()[face.element as usize].corner.is_none());
        let faces = whole.map(|face| (face.face, face)).collect();
        Self { solid, pull: PullStencils::new(solid), faces }
    }

    /// The limit at points (s, t) in [0, 1]² of a face, whose vertices are at (0, 0), (1, 0), (1, 1)
    /// and (0, 1); `None` for a face that is no side of a hexahedron with these vertices.
    pub fn rows(
        &self,
        face: u32,
        vertices: &[u32; 4],
        points: &[[f64; 2]],
    ) -> Option<Vec<TraceRow>> {
        let rows = self.frames_of(face, vertices, points, Want::POSITION)?;
        Some(rows.into_iter().map(|[row, ..]| row).collect())
    }

    /// [`FaceTraces::rows`], each with the derivatives by s and t.
    pub fn frames(
        &self,
        face: u32,
        vertices: &[u32; 4],
        points: &[[f64; 2]],
    ) -> Option<Vec<[TraceRow; 3]>> {
        self.frames_of(face, vertices, points, Want::FIRST)
    }

    fn frames_of(
        &self,
        face: u32,
        vertices: &[u32; 4],
        points: &[[f64; 2]],
        want: Want,
    ) -> Option<Vec<[TraceRow; 3]>> {
        let own = self.faces.get(&face)?;
        let element = &self.solid.elements()[own.element as usize];
        let bits = vertices.map(|v| (0..8).find(|&bits| element.corners[VTK_CORNER[bits]] == v));
        let [a, b, c, d] = [bits[0]?, bits[1]?, bits[2]?, bits[3]?];
        let place = |&[s, t]: &[f64; 2]| -> [f64; 3] {
            let weights = [(1.0 - s) * (1.0 - t), s * (1.0 - t), s * t, (1.0 - s) * t];
            std::array::from_fn(|axis| {
                let at = [a, b, c, d].into_iter().zip(weights);
                let at = at.filter(|(bits, _)| bits >> axis & 1 == 1).map(|(_, weight)| weight);
                // weights may sum to more by rounding, which is in no leaf
                at.sum::<f64>().min(1.0)
            })
        };
        let ways = [[1.0, 0.0], [0.0, 1.0]].map(|end| {
            let [from, to] = [place(&[0.0; 2]), place(&end)];
            std::array::from_fn(|d| to[d] - from[d])
        });
        let places: Vec<[f64; 3]> = points.iter().map(place).collect();
        let mut rows = vec![<[TraceRow; 3]>::default(); places.len()];
        for leaf in self.solid.element_leaves(own.element as usize) {
            let empty = (0..rows.len()).filter(|&i| rows[i][0].is_empty());
            let found: Vec<(usize, [f64; 3])> =
                empty.filter_map(|i| Some((i, within(leaf, places[i])?))).collect();
            if found.is_empty() {
                continue;
            }
            let parameters: Vec<[f64; 3]> = found.iter().map(|(_, local)| *local).collect();
            let own = self.leaf_frames(leaf, parameters, &ways, want);
            for ((i, _), frame) in found.iter().zip(own) {
                rows[*i] = frame;
            }
        }
        Some(rows)
    }

    /// The limit at local parameters of a leaf, and if wanted its derivatives along two ways in the
    /// element.
    fn leaf_frames(
        &self,
        leaf: &Leaf,
        parameters: Vec<[f64; 3]>,
        ways: &[[f64; 3]; 2],
        want: Want,
    ) -> Vec<[TraceRow; 3]> {
        let solid = self.solid;
        let (kind, AxisPermutation { axes, flips }) = without_permutation(leaf.kind);
        let (weights, exact) = (vec![1.0; parameters.len()], parameters.len());
        let points = LeafPoints { parameters, weights, exact };
        let basis = BasisValues::new(solid, kind, &points, want);
        let net = net(solid, leaf, &slots(solid, kind));
        let row = |values: &mut dyn Iterator<Item = f64>| {
            let mut row: BTreeMap<u32, f64> = BTreeMap::new();
            for (&point, n) in net.iter().zip(values) {
                match self.pull.row(solid, point) {
                    None => *row.entry(point).or_default() += n,
                    Some(stencil) => {
                        stencil.for_each(|(v, weight)| *row.entry(v).or_default() += weight * n);
                    }
                }
            }
            row.into_iter().collect()
        };
        let size = f64::from(leaf.depth).exp2();
        let local = ways.map(|way| -> [f64; 3] {
            std::array::from_fn(|d| {
                let x = size * way[usize::from(axes[d])];
                if flips[d] { -x } else { x }
            })
        });
        let count = net.len();
        let frame = |sample: usize| {
            let values = &basis.values[sample * count..][..count];
            let along = |way: [f64; 3]| -> TraceRow {
                if want == Want::POSITION {
                    return TraceRow::new();
                }
                let slopes = &basis.gradients[3 * sample * count..][..3 * count];
                row(&mut (0..count).map(|k| (0..3).map(|d| way[d] * slopes[d * count + k]).sum()))
            };
            let [s, t] = local;
            [row(&mut values.iter().copied()), along(s), along(t)]
        };
        (0..basis.samples).map(frame).collect()
    }
}

/// The local parameters of a leaf at parameters of its element, if they are inside.
fn within(leaf: &Leaf, parameters: [f64; 3]) -> Option<[f64; 3]> {
    let size = f64::from(leaf.depth).exp2();
    let place: [f64; 3] = std::array::from_fn(|d| parameters[d] * size - f64::from(leaf.origin[d]));
    let AxisPermutation { axes, flips } = without_permutation(leaf.kind).1;
    let local = std::array::from_fn(|d| {
        let x = place[usize::from(axes[d])];
        if flips[d] { 1.0 - x } else { x }
    });
    place.iter().all(|x| (0.0..=1.0).contains(x)).then_some(local)
}
