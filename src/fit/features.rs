//! Feature lines and corners of a target.

use nalgebra::Vector3;

use crate::locate::Hierarchy;
use crate::mesh::Creases;
use crate::numbers::bounds::{self, Bounds};

/// Cosine of the angle between a curve and the feature line that it follows, at least: 45°.
const MIN_TANGENT_COSINE: f64 = 0.7;
/// Cosine below which two lines that meet form a corner: 45°.
const CORNER_COSINE: f64 = 0.7;

/// Segments of feature lines, and the points where they end or branch.
#[derive(Debug)]
pub struct Features {
    segments: Vec<[[f64; 3]; 2]>,
    hierarchy: Hierarchy,
    corners: Vec<[f64; 3]>,
}

/// The closest point of a feature line.
pub struct FeatureFoot {
    pub point: [f64; 3],
    /// Unit tangent of the line.
    pub tangent: [f64; 3],
}

impl Features {
    /// The infinitely sharp edges and corners of `creases`.
    pub fn new(points: &[[f64; 3]], creases: &Creases) -> Self {
        let edges: Vec<[u32; 2]> = creases
            .edges
            .iter()
            .filter(|crease| crease.sharpness.is_infinite())
            .map(|crease| crease.edge().map(|v| v.0))
            .collect();
        let at = |v: u32| points[v as usize];
        let segments: Vec<_> = edges.iter().map(|&[a, b]| [at(a), at(b)]).collect();
        let mut neighbors: std::collections::BTreeMap<u32, Vec<u32>> = Default::default();
        for &[a, b] in &edges {
            neighbors.entry(a).or_default().push(b);
            neighbors.entry(b).or_default().push(a);
        }
        let tagged =
            creases.corners.iter().filter(|c| c.sharpness.is_infinite()).map(|c| c.vertex.0);
        let mut corners: std::collections::BTreeSet<u32> = tagged.collect();
        for (&v, own) in &neighbors {
            let turns = |a: u32, b: u32| {
                let way = |to: u32| direction(at(v), at(to));
                -way(a).dot(&way(b)) < CORNER_COSINE
            };
            let is_corner = match own[..] {
                [a, b] => turns(a, b),
                _ => true,
            };
            if is_corner {
                corners.insert(v);
            }
        }
        let boxes: Vec<Bounds> = segments.iter().map(|s| bounds::around(*s)).collect();
        let hierarchy = Hierarchy::new(&boxes);
        Self { segments, hierarchy, corners: corners.into_iter().map(at).collect() }
    }

    /// The closest point within `reach` of `x` on lines whose tangent is within 45° of `tangent`,
    /// if that is given.
    pub fn closest(
        &self,
        x: [f64; 3],
        tangent: Option<[f64; 3]>,
        reach: f64,
    ) -> Option<FeatureFoot> {
        let mut best: Option<(f64, u32)> = None;
        let own = tangent.map(Vector3::from);
        self.hierarchy.around(x, reach, |item| {
            let segment = &self.segments[item as usize];
            let along = direction(segment[0], segment[1]);
            if own.is_some_and(|own| own.dot(&along).abs() < MIN_TANGENT_COSINE) {
                return;
            }
            let squared = (closest_on_segment(segment, x.into()) - Vector3::from(x)).norm_squared();
            if squared <= reach * reach && best.is_none_or(|known| (squared, item) < known) {
                best = Some((squared, item));
            }
        });
        let segment = &self.segments[best?.1 as usize];
        Some(FeatureFoot {
            point: closest_on_segment(segment, x.into()).into(),
            tangent: direction(segment[0], segment[1]).into(),
        })
    }

    /// The closest corner within `reach` of `x`.
    pub fn closest_corner(&self, x: [f64; 3], reach: f64) -> Option<[f64; 3]> {
        let distance = |p: &[f64; 3]| (Vector3::from(*p) - Vector3::from(x)).norm();
        let nearest = self.corners.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
        (distance(nearest) <= reach).then_some(*nearest)
    }

    /// Length of the lines whose middle is farther than `reach` from all of `curve`.
    pub fn unmatched_length(&self, curve: &Features, reach: f64) -> f64 {
        let length = |s: &[[f64; 3]; 2]| (Vector3::from(s[1]) - Vector3::from(s[0])).norm();
        let middle = |s: &[[f64; 3]; 2]| std::array::from_fn(|d| (s[0][d] + s[1][d]) / 2.0);
        let unmatched = self.segments.iter().filter(|s| {
            curve.closest(middle(s), Some(direction(s[0], s[1]).into()), reach).is_none()
        });
        unmatched.map(length).sum()
    }
}

fn direction(from: [f64; 3], to: [f64; 3]) -> Vector3<f64> {
    (Vector3::from(to) - Vector3::from(from)).try_normalize(0.0).unwrap_or_default()
}

fn closest_on_segment([a, b]: &[[f64; 3]; 2], x: Vector3<f64>) -> Vector3<f64> {
    let (a, b) = (Vector3::from(*a), Vector3::from(*b));
    let along = b - a;
    let t = (x - a).dot(&along) / along.norm_squared().max(f64::MIN_POSITIVE);
    a + along * t.clamp(0.0, 1.0)
}
