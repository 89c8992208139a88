//! What the tests of the limit share: the library's limit at one point, meshes,
//! and the places in a cell where an evaluation may go wrong.
#![allow(dead_code)] // each test program uses a part of it

pub mod bezier;
pub mod compare;
pub mod encodings;
pub mod meshes;
pub mod places;

use subsolid::basis::bspline::Order;
use subsolid::limit::{Orders, Solid};
use subsolid::mesh::SolidMesh;

use crate::oracle::vector::{Point, distance};

pub const POSITION: Orders = [Order::Value; 3];

/// By u, by v, by w.
pub const FIRST: [Orders; 3] = [
    [Order::First, Order::Value, Order::Value],
    [Order::Value, Order::First, Order::Value],
    [Order::Value, Order::Value, Order::First],
];

/// By u and u, u and v, u and w, v and v, v and w, w and w.
pub const SECOND: [([usize; 2], Orders); 6] = [
    ([0, 0], [Order::Second, Order::Value, Order::Value]),
    ([0, 1], [Order::First, Order::First, Order::Value]),
    ([0, 2], [Order::First, Order::Value, Order::First]),
    ([1, 1], [Order::Value, Order::Second, Order::Value]),
    ([1, 2], [Order::Value, Order::First, Order::First]),
    ([2, 2], [Order::Value, Order::Value, Order::Second]),
];

/// A solid over given control points, evaluated point by point.
pub struct Limits {
    pub solid: Solid,
    // [point of all levels][3]
    points: Vec<f64>,
}

impl Limits {
    #[track_caller]
    pub fn new(mesh: &SolidMesh) -> Self {
        Self::of(Solid::new(mesh).expect("a valid mesh"), &mesh.points)
    }

    /// The limit of other control points of the same connectivity.
    pub fn of(solid: Solid, points: &[Point]) -> Self {
        let flat: Vec<f64> = points.iter().flatten().copied().collect();
        let points = solid.refined_points(&flat, 3).into_owned();
        Self { solid, points }
    }

    /// A point of any level.
    pub fn point(&self, id: u32) -> Point {
        std::array::from_fn(|d| self.points[3 * id as usize + d])
    }

    pub fn position(&self, element: usize, p: Point) -> Point {
        self.evaluate(element, p, POSITION).expect("positions exist everywhere")
    }

    /// Derivatives by u, v and w, each where it exists.
    pub fn first(&self, element: usize, p: Point) -> [Option<Point>; 3] {
        FIRST.map(|orders| self.evaluate(element, p, orders))
    }

    /// Σ weight · control point, relative to the net's first control point.
    pub fn evaluate(&self, element: usize, p: Point, orders: Orders) -> Option<Point> {
        let (leaf, local) = self.solid.locate(element, p);
        let leaf = &self.solid.leaves()[leaf];
        let weights = self.solid.weights(leaf, local, orders)?;
        let net = self.solid.net(leaf);
        assert_eq!(weights.len(), net.len());
        let origin = self.point(net[0]);
        let mut sum = [0.0; 3];
        for (&v, weight) in net.iter().zip(weights) {
            let point = self.point(v);
            for d in 0..3 {
                sum[d] += weight * (point[d] - origin[d]);
            }
        }
        let base = if orders == POSITION { origin } else { [0.0; 3] };
        Some(std::array::from_fn(|d| base[d] + sum[d]))
    }
}

/// Longest side of the box around the points.
pub fn size(points: &[Point]) -> f64 {
    let extent = |d: usize| {
        let along = || points.iter().map(|p| p[d]);
        along().fold(f64::MIN, f64::max) - along().fold(f64::MAX, f64::min)
    };
    (0..3).map(extent).fold(0.0, f64::max)
}

/// Fails unless the library refuses with a message that holds `words`.
#[track_caller]
pub fn refused<T, E: std::fmt::Display>(result: Result<T, E>, words: &str) {
    let message = result.err().unwrap_or_else(|| panic!("not refused: {words}")).to_string();
    assert!(message.contains(words), "{message:?} lacks {words:?}");
}

/// Fails where two points differ by more than `tolerance`, NaN included.
#[track_caller]
pub fn close(a: Point, b: Point, tolerance: f64, what: impl FnOnce() -> String) {
    let d = distance(a, b);
    assert!(d <= tolerance, "{}: {a:?} and {b:?} differ by {d:e}", what());
}
