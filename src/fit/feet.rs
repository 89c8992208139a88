//! Closest points of triangles.

use std::cell::RefCell;

use nalgebra::Vector3;

use crate::locate::Hierarchy;
use crate::numbers::bounds::{self, Bounds};

/// Cosine of the angle between normals of a pair, at least: 60°.
const MIN_NORMAL_COSINE: f64 = 0.5;

/// A closest point.
#[derive(Clone, Copy, Debug)]
pub struct Foot {
    pub point: [f64; 3],
    /// Unit normal of the target there.
    pub normal: [f64; 3],
    pub distance: f64,
    pub triangle: u32,
    /// Of the corners of the triangle.
    pub weights: [f64; 3],
}

/// What is noted about a target.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TargetNotes {
    /// Edges of one face alone.
    pub open_edges: usize,
    /// Whether its faces were listed inward, and are reversed.
    pub is_reversed: bool,
}

/// Triangles under a hierarchy of boxes.
#[derive(Debug)]
pub struct TriangleTree {
    pub triangles: Vec<[[f64; 3]; 3]>,
    // unit normals; 0 of a triangle without area, which is left out of searches by normals
    normals: Vec<[f64; 3]>,
    hierarchy: Hierarchy,
}

thread_local! {
    static STACK: RefCell<Vec<(f64, u32)>> = const { RefCell::new(Vec::new()) };
}

impl TriangleTree {
    pub fn new(triangles: Vec<[[f64; 3]; 3]>) -> Self {
        let boxes: Vec<Bounds> = triangles.iter().map(|t| bounds::around(*t)).collect();
        let hierarchy = Hierarchy::new(&boxes);
        let normals =
            triangles.iter().map(|t| area_vector(t).try_normalize(0.0).unwrap_or_default().into());
        Self { normals: normals.collect(), triangles, hierarchy }
    }

    /// Turned outward where it encloses a negative volume.
    pub fn oriented(mut triangles: Vec<[[f64; 3]; 3]>, open_edges: usize) -> (Self, TargetNotes) {
        let is_reversed = open_edges == 0 && volume(&triangles) < 0.0;
        if is_reversed {
            triangles.iter_mut().for_each(|t| t.swap(1, 2));
        }
        (Self::new(triangles), TargetNotes { open_edges, is_reversed })
    }

    pub fn volume(&self) -> f64 {
        volume(&self.triangles)
    }

    /// Whether the normal of a triangle is within 60° of `normal`, if that is a vector.
    pub fn faces(&self, triangle: u32, normal: [f64; 3]) -> bool {
        let own = Vector3::from(self.normals[triangle as usize]);
        !normal[0].is_finite() || own.dot(&Vector3::from(normal)) >= MIN_NORMAL_COSINE
    }

    /// The closest point, of triangles whose normal is within 60° of `normal` alone if it is given.
    /// The search begins with the triangle `near`, if one is given: it ends sooner if that is.
    pub fn closest(
        &self,
        x: [f64; 3],
        normal: Option<[f64; 3]>,
        near: Option<u32>,
    ) -> Option<Foot> {
        let nodes = &self.hierarchy.nodes;
        let mut best: Option<(f64, Foot)> = None;
        let visit = |item: u32, best: &mut Option<(f64, Foot)>| {
            if normal.is_some_and(|normal| !self.faces(item, normal)) {
                return;
            }
            let (point, weights) = closest_on_triangle(&self.triangles[item as usize], x.into());
            let squared = (point - Vector3::from(x)).norm_squared();
            // of equal ones the first, whatever the order of the tree
            if best.as_ref().is_none_or(|(least, foot)| (squared, item) < (*least, foot.triangle)) {
                let foot = Foot {
                    point: point.into(),
                    normal: self.normals[item as usize],
                    distance: squared.sqrt(),
                    triangle: item,
                    weights,
                };
                *best = Some((squared, foot));
            }
        };
        near.into_iter().for_each(|near| visit(near, &mut best));
        STACK.with_borrow_mut(|stack| {
            stack.clear();
            if let Some(root) = nodes.first() {
                stack.push((root.squared_distance(x), 0));
            }
            while let Some((distance, at)) = stack.pop() {
                if best.as_ref().is_some_and(|(least, _)| distance > *least) {
                    continue;
                }
                let node = &nodes[at as usize];
                for &item in &self.hierarchy.items[node.first as usize..][..node.count as usize] {
                    visit(item, &mut best);
                }
                if node.count == 0 {
                    let first = at + 1;
                    let second = nodes[first as usize].skip;
                    let mut children =
                        [first, second].map(|c| (nodes[c as usize].squared_distance(x), c));
                    if children[0].0 < children[1].0 {
                        children.swap(0, 1);
                    }
                    stack.extend(children);
                }
            }
        });
        best.map(|(_, foot)| foot)
    }

    /// Centers of triangles, and their areas.
    pub fn samples(&self) -> (Vec<[f64; 3]>, Vec<f64>) {
        let center =
            |t: &[[f64; 3]; 3]| std::array::from_fn(|d| t.iter().map(|p| p[d]).sum::<f64>() / 3.0);
        let areas = self.triangles.iter().map(|t| area_vector(t).norm());
        (self.triangles.iter().map(center).collect(), areas.collect())
    }
}

/// Signed volume inside.
fn volume(triangles: &[[[f64; 3]; 3]]) -> f64 {
    let Some(&[origin, ..]) = triangles.first() else { return 0.0 };
    let origin = Vector3::from(origin);
    let each = |t: &[[f64; 3]; 3]| (Vector3::from(t[0]) - origin).dot(&area_vector(t)) / 3.0;
    triangles.iter().map(each).sum()
}

/// The normal with the length of the area.
fn area_vector(t: &[[f64; 3]; 3]) -> Vector3<f64> {
    let [a, b, c] = t.map(Vector3::from);
    (b - a).cross(&(c - a)) / 2.0
}

/// The closest point of a triangle, and the weights of its corners: Ericson, "Real-time collision
/// detection" (2005), 5.1.5.
fn closest_on_triangle(t: &[[f64; 3]; 3], x: Vector3<f64>) -> (Vector3<f64>, [f64; 3]) {
    let [a, b, c] = t.map(Vector3::from);
    let (ab, ac, ap) = (b - a, c - a, x - a);
    let at = |v: f64, w: f64| (a + ab * v + ac * w, [1.0 - v - w, v, w]);
    let (d1, d2) = (ab.dot(&ap), ac.dot(&ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return at(0.0, 0.0);
    }
    let bp = x - b;
    let (d3, d4) = (ab.dot(&bp), ac.dot(&bp));
    if d3 >= 0.0 && d4 <= d3 {
        return at(1.0, 0.0);
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return at(d1 / (d1 - d3), 0.0);
    }
    let cp = x - c;
    let (d5, d6) = (ab.dot(&cp), ac.dot(&cp));
    if d6 >= 0.0 && d5 <= d6 {
        return at(0.0, 1.0);
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return at(0.0, d2 / (d2 - d6));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        let w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return at(1.0 - w, w);
    }
    let sum = va + vb + vc;
    at(vb / sum, vc / sum)
}
