//! Positions for a link on the unit sphere.
//!
//! Tutte's embedding (every inner vertex the mean of its neighbors, inside a
//! convex polygon) draws a disk in the plane without crossings. Central
//! projection keeps its lines straight, so the drawing stays free of crossings
//! on the sphere; a closed link is drawn without its first vertex, which then
//! takes the south pole. From there the triangles are evened out without ever
//! turning one over.

use nalgebra::Vector3;

use std::f64::consts::PI;

use super::link::VertexLink;
use crate::error::{Error, Result};

/// Gauss–Seidel sweeps of Tutte's embedding; links have a few dozen vertices.
const TUTTE_SWEEPS: usize = 2000;
/// Most steps that even out the triangles, and the length at which they end.
const EVEN_STEPS: usize = 2000;
const MIN_STEP: f64 = 1e-12;
/// Radius of the drawing's circle on the plane z = 1, the tangent of the rim's
/// polar angle.
const RIM_RADIUS: f64 = 2.0;
/// Minimum volume of a triangle with the center, 1 being three right angles.
const MIN_VOLUME: f64 = 1e-6;

/// Unit vectors of the link's vertices, every triangle counter-clockwise seen
/// from outside. A disk's boundary lies on a circle around the z axis.
///
/// # Errors
/// [`Error::Request`] if a triangle has no area, as when two vertices are
/// joined by two edges.
pub(super) fn on_sphere(link: &VertexLink) -> Result<Vec<[f64; 3]>> {
    let closed = link.boundary().is_empty();
    let rim = if closed { cycle_around_first(link) } else { link.boundary().to_vec() };
    let mut points: Vec<[f64; 3]> = tutte(link, &rim)
        .into_iter()
        .map(|[x, y]| normalized([RIM_RADIUS * x, RIM_RADIUS * y, 1.0]))
        .collect();
    let mut free = vec![true; link.vertices()];
    if closed {
        points[0] = [0.0, 0.0, -1.0];
    } else {
        rim.iter().for_each(|&v| free[v as usize] = false);
    }
    for &t in link.triangles() {
        let volume = volume(&points, t);
        if volume.is_nan() || volume < MIN_VOLUME {
            let [a, b, c] = t;
            return Err(Error::request(format!(
                "link triangle {a} {b} {c} has no area when laid out on a sphere"
            ))
            .with_help("give a link in which an edge is determined by its two vertices"));
        }
    }
    even_out(link, &mut points, &free);
    Ok(points)
}

/// Vertices around vertex 0 of a sphere, so that it lies to their right: they run
/// counter-clockwise around the rest.
fn cycle_around_first(link: &VertexLink) -> Vec<u32> {
    let step = |from: u32| {
        link.triangles().iter().find_map(|&[a, b, c]| {
            [[a, b, c], [b, c, a], [c, a, b]].into_iter().find(|t| t[0] == 0 && t[2] == from)
        })
    };
    let start = link.triangles().iter().flatten().copied().find(|&w| step(w).is_some());
    let mut cycle: Vec<u32> = start.into_iter().collect();
    while let Some(&last) = cycle.last() {
        match step(last) {
            Some([_, next, _]) if next != cycle[0] => cycle.push(next),
            _ => break,
        }
    }
    cycle
}

/// A drawing in the unit disk with `rim` on the unit circle.
fn tutte(link: &VertexLink, rim: &[u32]) -> Vec<[f64; 2]> {
    let mut points = vec![[0.0; 2]; link.vertices()];
    let mut inner = vec![true; link.vertices()];
    for (i, &v) in rim.iter().enumerate() {
        let angle = 2.0 * PI * i as f64 / rim.len() as f64;
        points[v as usize] = [angle.cos(), angle.sin()];
        inner[v as usize] = false;
    }
    let neighbors = neighbors(link);
    for _ in 0..TUTTE_SWEEPS {
        for v in (0..link.vertices()).filter(|&v| inner[v]) {
            let around = &neighbors[v];
            points[v] = [0, 1].map(|d| {
                around.iter().map(|&n| points[n as usize][d]).sum::<f64>() / around.len() as f64
            });
        }
    }
    points
}

/// Neighbors of each vertex, ascending.
fn neighbors(link: &VertexLink) -> Vec<Vec<u32>> {
    let mut neighbors = vec![Vec::new(); link.vertices()];
    for &[a, b, c] in link.triangles() {
        for (p, q) in [(a, b), (b, c), (c, a)] {
            neighbors[p as usize].push(q);
            neighbors[q as usize].push(p);
        }
    }
    for around in &mut neighbors {
        around.sort_unstable();
        around.dedup();
    }
    neighbors
}

/// Raises the sum of the logarithms of the triangles' volumes by gradient steps.
/// A triangle about to turn over would lower it without bound.
fn even_out(link: &VertexLink, points: &mut Vec<[f64; 3]>, free: &[bool]) {
    let goodness = |points: &[[f64; 3]]| {
        link.triangles().iter().map(|&t| volume(points, t).max(0.0).ln()).sum::<f64>()
    };
    let mut best = goodness(points);
    let mut step = 0.1;
    for _ in 0..EVEN_STEPS {
        let mut gradient = vec![[0.0; 3]; points.len()];
        for &[a, b, c] in link.triangles() {
            let volume = volume(points, [a, b, c]);
            for [v, p, q] in [[a, b, c], [b, c, a], [c, a, b]] {
                let [p, q] = [p, q].map(|v| Vector3::from(points[v as usize]));
                let normal = p.cross(&q);
                (0..3).for_each(|d| gradient[v as usize][d] += normal[d] / volume);
            }
        }
        while step > MIN_STEP {
            let moved: Vec<[f64; 3]> = (0..points.len())
                .map(|v| {
                    if free[v] {
                        normalized([0, 1, 2].map(|d| points[v][d] + step * gradient[v][d]))
                    } else {
                        points[v]
                    }
                })
                .collect();
            let reached = goodness(&moved);
            if reached > best {
                (*points, best) = (moved, reached);
                step *= 1.5;
                break;
            }
            step *= 0.5;
        }
    }
}

/// Volume spanned by a triangle's vectors, positive if counter-clockwise.
fn volume(points: &[[f64; 3]], triangle: [u32; 3]) -> f64 {
    let [a, b, c] = triangle.map(|v| Vector3::from(points[v as usize]));
    a.dot(&b.cross(&c))
}

/// `v` at length 1; the null vector stays.
pub(super) fn normalized(v: [f64; 3]) -> [f64; 3] {
    Vector3::from(v).try_normalize(0.0).map_or(v, Into::into)
}
