//! The volume that a closed surface encloses, by the divergence theorem: the flux of
//! x / 3 through its limit.

use super::spline::bicubic;
use super::surface::{Stars, Surface};
use super::surface_limit::{regular_net, ring};
use super::vector::{Point, sub};

/// Points and weights of the Gauss rule of 5 points on [0, 1], exact to degree 9; the
/// flux of a bicubic patch has degree 8 in each parameter.
fn gauss() -> [(f64, f64); 5] {
    let root = (10.0_f64 / 7.0).sqrt();
    let [near, far] = [(5.0 - 2.0 * root).sqrt() / 3.0, (5.0 + 2.0 * root).sqrt() / 3.0];
    let [light, heavy] =
        [(322.0 - 13.0 * 70.0_f64.sqrt()) / 1800.0, (322.0 + 13.0 * 70.0_f64.sqrt()) / 1800.0];
    let middle = 128.0 / 450.0;
    [(-far, light), (-near, heavy), (0.0, middle), (near, heavy), (far, light)]
        .map(|(x, w)| (0.5 + 0.5 * x, w))
}

/// The volume that the limit of a closed surface of quads encloses. Quads that have no
/// regular net after `levels` refinements count as bilinear patches, which is wrong by
/// about 16^-levels of the volume.
pub fn volume(surface: &Surface, levels: usize) -> f64 {
    let center = surface.points[surface.faces[0][0]];
    (0..surface.faces.len()).map(|face| flux(&ring(surface, face), center, levels)).sum()
}

/// Through face 0 of a patch of all faces that touch it.
fn flux(patch: &Surface, center: Point, levels: usize) -> f64 {
    let relative = |net: [[Point; 4]; 4]| net.map(|row| row.map(|p| sub(p, center)));
    let stars = Stars::of(patch);
    if let Some(net) = regular_net(patch, &stars) {
        return through(&relative(net), bicubic);
    }
    if levels == 0 {
        let [a, b, c, d] = [0, 1, 2, 3].map(|i| sub(patch.points[patch.faces[0][i]], center));
        return through(&[[a, d], [b, c]], bilinear);
    }
    let refined = patch.refine_with(&stars);
    (0..4).map(|child| flux(&ring(&refined, child), center, levels - 1)).sum()
}

/// ∫ x · (x_u × x_v) / 3 of a patch given by its derivatives.
fn through<N>(net: &N, derivative: impl Fn(&N, [usize; 2], [f64; 2]) -> Point) -> f64 {
    let mut sum = 0.0;
    for (u, a) in gauss() {
        for (v, b) in gauss() {
            let [x, s, t] = [[0, 0], [1, 0], [0, 1]].map(|orders| derivative(net, orders, [u, v]));
            let normal =
                [s[1] * t[2] - s[2] * t[1], s[2] * t[0] - s[0] * t[2], s[0] * t[1] - s[1] * t[0]];
            sum += a * b * (x[0] * normal[0] + x[1] * normal[1] + x[2] * normal[2]) / 3.0;
        }
    }
    sum
}

/// `net[i][j]`: i along u, j along v.
fn bilinear(net: &[[Point; 2]; 2], orders: [usize; 2], t: [f64; 2]) -> Point {
    let weight = |d: usize, end: usize| match (orders[d], end) {
        (0, 0) => 1.0 - t[d],
        (0, _) => t[d],
        (_, 0) => -1.0,
        (_, _) => 1.0,
    };
    std::array::from_fn(|c| {
        let term = |i: usize, j: usize| weight(0, i) * weight(1, j) * net[i][j][c];
        term(0, 0) + term(0, 1) + term(1, 0) + term(1, 1)
    })
}
