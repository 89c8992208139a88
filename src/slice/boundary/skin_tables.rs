//! Which squares of a closed surface look alike, for [tables](super::tables) of weights.

use std::collections::HashMap;
use std::sync::Arc;

use super::patch_fit::Square;
use super::tables::{SquareTable, SquareTables};
use crate::basis::bspline::Order;
use crate::scheme::{FaceShape, TRIANGLE_CORNERS};
use crate::surface::limit::{LimitSurface, Placement, SurfaceLeafKind};

/// What looks alike: a number of it, a corner, corner and side of a square.
type SkinSquare = (u64, u32, [u32; 2], u32);

/// The tables of a surface.
#[derive(Debug, Default)]
pub struct SkinTables {
    // of each triangle, a number of its leaves that like triangles share; of many only
    triangles: Vec<Option<u32>>,
    tables: SquareTables<SkinSquare>,
}

/// Triangles that must look alike for their weights to be kept.
const MIN_EQUAL_TRIANGLES: usize = 3;

impl SkinTables {
    /// No tables yet.
    pub fn new(limit: &LimitSurface) -> Self {
        if limit.scheme().shape() == FaceShape::Quad {
            return Self::default();
        }
        let mut numbers = HashMap::new();
        let mut counts: Vec<usize> = Vec::new();
        let triangles: Vec<u32> = (0..limit.elements().len())
            .map(|element| {
                let leaves = &limit.leaves()[limit.leaf_range(element)];
                let alike: Vec<(u8, u32, SurfaceLeafKind)> =
                    leaves.iter().map(|leaf| (leaf.depth, leaf.path, leaf.kind)).collect();
                let number = *numbers.entry(alike).or_insert(counts.len());
                counts.resize(counts.len().max(number + 1), 0);
                counts[number] += 1;
                number as u32
            })
            .collect();
        let many = |number: u32| (counts[number as usize] > MIN_EQUAL_TRIANGLES).then_some(number);
        Self { triangles: triangles.into_iter().map(many).collect(), ..Self::default() }
    }

    /// Weights in a quad with an extraordinary corner, over its net.
    pub fn quad(
        &self,
        limit: &LimitSurface,
        structure: u32,
        placement: Placement,
        square: Square,
    ) -> Arc<SquareTable> {
        let make = || {
            let affine = placement.affine(limit.scheme());
            let places = Square::FACE.places(square);
            let structure = &limit.structures()[structure as usize].structure;
            SquareTable::new(|k| {
                let [u, v] = affine.apply(places[k]).map(|x| x.max(0.0));
                // positions exist everywhere
                (0, structure.weights([u, v, 0.0], [Order::Value; 3]).unwrap_or_default())
            })
        };
        let turn = u32::from(placement.corner) << 1 | u32::from(placement.mirrored);
        self.tables.find((structure.into(), turn, square.corner, square.length), make)
    }

    /// Weights in the third of a triangle at one of its corners, over the nets of its leaves.
    pub fn triangle(
        &self,
        limit: &LimitSurface,
        element: usize,
        corner: u32,
        square: Square,
    ) -> Arc<SquareTable> {
        let make = || {
            let places = Square::FACE.places(square);
            SquareTable::new(|k| {
                let p = third_of_triangle(corner, places[k]);
                let leaf = limit.locate(element, p);
                let weights = limit.weights(&limit.leaves()[leaf], p, 0).swap_remove(0);
                (leaf - limit.leaf_range(element).start, weights.unwrap_or_default())
            })
        };
        match self.triangles[element] {
            Some(number) => {
                self.tables.find((number.into(), corner, square.corner, square.length), make)
            }
            None => Arc::new(make()),
        }
    }
}

/// Parameters of a triangle at `x` in the quad of one of its corners.
fn third_of_triangle(corner: u32, [s, t]: [f64; 2]) -> [f64; 2] {
    let corner = corner as usize;
    let [a, next, before] = [0, 1, 2].map(|k| TRIANGLE_CORNERS[(corner + k) % 3]);
    let third = 1.0 / 3.0;
    // barycentric coordinates of the next corner and the one before
    let along = |s: f64, t: f64| 0.5 * s * (1.0 - t) + third * s * t;
    let (b, c) = (along(s, t), along(t, s));
    [0, 1].map(|d| a[d] + b * (next[d] - a[d]) + c * (before[d] - a[d]))
}
