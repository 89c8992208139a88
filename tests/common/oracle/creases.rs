//! Creases and corners with fractional sharpness, as OpenSubdiv has them.

use super::vector::{Point, combine, lerp};

/// An edge at a vertex: its other end, its sharpness, and that of its half one level on.
pub type SharpEdge = (Point, f64, f64);

/// The point of a vertex `p` with the sharpness `tag` of its own: the rule of this level, and
/// that of the next by the mean sharpness of what ends between them.
pub fn vertex(p: Point, smooth: Point, tag: f64, edges: &[SharpEdge]) -> Point {
    let rule = |tag: f64, sharpness: fn(&SharpEdge) -> f64| {
        let ends: Vec<Point> = edges.iter().filter(|e| sharpness(e) > 0.0).map(|e| e.0).collect();
        match ends[..] {
            _ if tag > 0.0 => p,
            [] | [_] => smooth,
            [a, b] => combine([(0.125, a), (0.75, p), (0.125, b)]),
            _ => p,
        }
    };
    let mut ended: Vec<f64> = edges.iter().filter(|e| e.2 <= 0.0).map(|e| e.1).collect();
    ended.push(if tag <= 1.0 { tag } else { 0.0 });
    ended.retain(|&s| s > 0.0);
    let weight = ended.iter().sum::<f64>() / ended.len().max(1) as f64;
    lerp(rule(tag - 1.0, |e| e.2), rule(tag, |e| e.1), weight.min(1.0))
}

/// The point of an edge by the sharpness of its halves: on a crease if both are sharp.
pub fn edge(middle: Point, smooth: Point, sharpness: f64, halves: [f64; 2]) -> Point {
    if halves[0] > 0.0 && halves[1] > 0.0 { middle } else { lerp(smooth, middle, sharpness) }
}
