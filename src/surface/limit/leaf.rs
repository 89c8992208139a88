//! Elements, the leaves they are made of, and how parameters run in them.

use super::frame::FaceFrame;
use crate::basis::MissingLayers;
use crate::limit::{LeafPlace, MIDDLE};
use crate::scheme::{FaceShape, Scheme};

/// A quad or triangle with parameters (u, v): a face, or of Catmull-Clark one corner of a
/// face that is not a quad.
///
/// A quad's u runs along its corners 0→1 and v along 0→3; a triangle's u along 0→1 and v
/// along 0→2, with u + v ≤ 1; in a corner of another face u runs along the face's next
/// edge and v along the one before, each to its middle, and (1, 1) is the face point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SurfaceElement {
    /// Face of the mesh.
    pub face: u32,
    /// Corner of the face, if the face is not a quad.
    pub corner: Option<u32>,
}

/// An element, or a descendant of one, that evaluates directly.
#[derive(Clone, Copy, Debug)]
pub struct SurfaceLeaf {
    /// Element it belongs to.
    pub element: u32,
    /// Number of times that the element is split until the leaf is one of its descendants.
    pub depth: u8,
    /// The leaf among the descendants of the element: two bits a split, the first split highest
    /// (see [`split`]).
    pub path: u32,
    /// How it evaluates.
    pub kind: SurfaceLeafKind,
    // first control point among the surface's nets, and how many
    pub(super) net: (usize, u32),
}

/// How a leaf evaluates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SurfaceLeafKind {
    /// One polynomial patch: net `[v 4][u 4]` of a bicubic spline, or the twelve points of
    /// a box spline; with missing control points.
    Regular(MissingLayers),
    /// Net `[control point]`: which structure, and how its axes lie.
    Irregular(u32, Placement),
}

/// Where the local axes of a structure lie in a leaf: the origin at a corner, u toward
/// the next one, or the one before if mirrored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Placement {
    /// Corner at the local origin.
    pub corner: u8,
    /// Whether u and v are swapped.
    pub mirrored: bool,
}

/// local = matrix · p + offset.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AffineMap {
    /// `[local parameter][parameter]`.
    pub matrix: [[f64; 2]; 2],
    /// Local parameters of p = 0.
    pub offset: [f64; 2],
}

impl AffineMap {
    /// Parameters as they are.
    pub const IDENTITY: Self = Self { matrix: [[1.0, 0.0], [0.0, 1.0]], offset: [0.0; 2] };

    /// Local parameters of `p`.
    pub fn apply(&self, p: [f64; 2]) -> [f64; 2] {
        let ([a, b], t) = (self.matrix, self.offset);
        [a[0] * p[0] + a[1] * p[1] + t[0], b[0] * p[0] + b[1] * p[1] + t[1]]
    }

    /// First this, then `next`.
    pub fn then(&self, next: &Self) -> Self {
        let column = |j: usize| [self.matrix[0][j], self.matrix[1][j]];
        let linear = Self { offset: [0.0; 2], ..*next };
        let [x, y] = [0, 1].map(|j| linear.apply(column(j)));
        Self { matrix: [[x[0], y[0]], [x[1], y[1]]], offset: next.apply(self.offset) }
    }

    /// Whether local axes turn the other way.
    pub(crate) fn is_mirrored(&self) -> bool {
        let [[a, b], [c, d]] = self.matrix;
        a * d - b * c < 0.0
    }
}

impl Placement {
    pub(super) fn frame(self, face: u32) -> FaceFrame {
        FaceFrame { face, corner: u32::from(self.corner), mirrored: self.mirrored }
    }

    /// Local parameters by the parameters of the leaf.
    pub fn affine(self, scheme: Scheme) -> AffineMap {
        let corners = scheme.shape().corners();
        let (at, sides) = (usize::from(self.corner), corners.len());
        let (next, before) = ((at + 1) % sides, (at + sides - 1) % sides);
        let (u, v) = if self.mirrored { (before, next) } else { (next, before) };
        let from = |k: usize| [0, 1].map(|d| corners[k][d] - corners[at][d]);
        // p = origin + local u · a + local v · b, solved; the determinant is ±1
        let (a, b) = (from(u), from(v));
        let determinant = a[0] * b[1] - a[1] * b[0];
        let matrix =
            [[b[1] / determinant, -b[0] / determinant], [-a[1] / determinant, a[0] / determinant]];
        let linear = AffineMap { matrix, offset: [0.0; 2] };
        let offset = linear.apply(corners[at]).map(|x| 0.0 - x);
        AffineMap { matrix, offset }
    }
}

/// Splits a quad or triangle once: the child that holds `p`, and `p` within it.
///
/// A quad's children are numbered by their offset, u + 2v. A triangle's lie at its corners
/// 0, 1, 2; child 3, the middle, is turned by half a turn.
pub fn split(scheme: Scheme, [u, v]: [f64; 2]) -> (u32, [f64; 2]) {
    let number = match scheme.shape() {
        FaceShape::Quad => u32::from(u > 0.5) + 2 * u32::from(v > 0.5),
        FaceShape::Triangle if u > 0.5 => 1,
        FaceShape::Triangle if v > 0.5 => 2,
        FaceShape::Triangle if u + v <= 0.5 => 0,
        FaceShape::Triangle => MIDDLE as u32,
    };
    (number, child_affine(scheme, number).apply([u, v]))
}

/// Parameters of a child by the parameters of its parent.
pub(super) fn child_affine(scheme: Scheme, number: u32) -> AffineMap {
    let (sign, offset) = match (scheme.shape(), number) {
        (FaceShape::Triangle, 3) => (-1.0, [1.0, 1.0]),
        (FaceShape::Triangle, 1) => (1.0, [-1.0, 0.0]),
        (FaceShape::Triangle, 2) => (1.0, [0.0, -1.0]),
        _ => (1.0, [-f64::from(number & 1), -f64::from(number >> 1)]),
    };
    AffineMap { matrix: [[2.0 * sign, 0.0], [0.0, 2.0 * sign]], offset }
}

/// Splits that a path has room for.
const PATH_LEVELS: u32 = 16;

impl SurfaceLeaf {
    /// Adds a split to a path of `depth` splits.
    pub(super) fn extended(path: u32, depth: u32, number: u32) -> u32 {
        path | number << (2 * (PATH_LEVELS - 1 - depth))
    }

    /// The path of parameters as deep as it goes.
    pub(super) fn path_of(scheme: Scheme, mut p: [f64; 2]) -> u32 {
        let mut path = 0;
        for depth in 0..PATH_LEVELS {
            let number;
            (number, p) = split(scheme, p);
            path = Self::extended(path, depth, number);
        }
        path
    }

    /// The leaf's parameters by the element's.
    pub fn affine(&self, scheme: Scheme) -> AffineMap {
        (0..u32::from(self.depth)).fold(AffineMap::IDENTITY, |map, depth| {
            let number = self.path >> (2 * (PATH_LEVELS - 1 - depth)) & 3;
            map.then(&child_affine(scheme, number))
        })
    }
}

impl LeafPlace for SurfaceLeaf {
    fn element(&self) -> u32 {
        self.element
    }

    fn code(&self) -> u64 {
        self.path.into()
    }

    fn net(&self) -> (usize, u32) {
        self.net
    }
}
