//! Contours and pixels that are compensated, against areas of analysis.

use std::f64::consts::{PI, TAU};

use subsolid::Result;
use subsolid::slice::{
    Axis, Channel, CompensatedSource, Compensation, Contour, Join, Layer, LayerPixels, LayerSource,
    PixelGrid, Sampling, Stack,
};

use crate::oracle::random::Random;

/// The same contours at all heights.
struct Prism(Vec<Contour>);

impl LayerSource for Prism {
    fn contours(&self, index: usize, height: f64) -> Result<Layer> {
        Ok(Layer { index, height, contours: self.0.clone() })
    }

    fn coverage(&self, _: &[f64], grid: &PixelGrid, _: Sampling) -> Result<Vec<u16>> {
        Ok(vec![0; grid.size[0] * grid.size[1]])
    }

    fn attributes(&self, _: &LayerPixels<'_>, _: &[u16]) -> Result<Vec<f64>> {
        Ok(Vec::new())
    }

    fn attributes_at(&self, _: &[[f64; 3]], _: &[[f64; 3]]) -> Result<Vec<f64>> {
        Ok(Vec::new())
    }

    fn channels(&self) -> &[Channel] {
        &[]
    }
}

/// The contours moved; pixels have their area, too.
fn offset(contours: &[Contour], distance: f64, join: Join, tolerance: f64) -> Vec<Contour> {
    let (source, stack) = (Prism(contours.to_vec()), Stack::new([0.0, 1.0], 0.1).unwrap());
    let compensation = Compensation { offset: distance, join, ..Compensation::default() };
    let own = CompensatedSource {
        source: &source,
        compensation,
        stack: &stack,
        axis: Axis::Z,
        tolerance,
    };
    let moved = own.contours(3, 0.35).unwrap();
    let grid = PixelGrid { origin: [-4.0, -4.0], pitch: [0.071, 0.043], size: [270, 300] };
    let pixels = own.coverage(&[0.35], &grid, Sampling::Area).unwrap();
    let covered = pixels.iter().map(|&p| f64::from(p) / 65535.0).sum::<f64>() * grid.pixel_area();
    assert!((covered - moved.area()).abs() <= 2e-5 * covered, "{covered} {}", moved.area());
    for contour in &moved.contours {
        assert_eq!(contour.is_hole(), contour.depth % 2 == 1);
    }
    moved.contours
}

fn contour(points: &[[f64; 2]]) -> Contour {
    Contour { points: points.to_vec(), depth: 0 }
}

fn square(low: f64, high: f64) -> Contour {
    contour(&[[low, low], [high, low], [high, high], [low, high]])
}

fn circle(radius: f64) -> Contour {
    polygon(radius, 2000)
}

fn polygon(radius: f64, count: i32) -> Contour {
    // of the area of the circle
    let angle = TAU / f64::from(count);
    let radius = radius * (angle / angle.sin()).sqrt();
    let point = |k: i32| (TAU * f64::from(k) / f64::from(count)).sin_cos();
    let points: Vec<_> =
        (0..count).map(point).map(|(sine, cosine)| [radius * cosine, radius * sine]).collect();
    contour(&points)
}

fn reversed(mut own: Contour) -> Contour {
    own.points.reverse();
    Contour { depth: 1, ..own }
}

fn area(contours: &[Contour]) -> f64 {
    contours.iter().map(Contour::area).sum()
}

#[test]
fn areas_are_those_of_analysis() {
    let (a, tolerance) = (4.0, 1e-5);
    let near = |contours: &[Contour], distance: f64, join: Join, expected: f64, count: usize| {
        let found = offset(contours, distance, join, tolerance);
        let off = area(&found) - expected;
        // chords of the circles, of the area before or after
        assert!(
            off.abs() < 1e-6 * expected.max(area(contours)),
            "{distance} {join:?}: {off:e} of {expected}"
        );
        assert_eq!(found.len(), count, "{distance} {join:?}");
    };
    for d in [0.01, 0.3, 1.7] {
        let own = [square(0.5, 0.5 + a)];
        near(&own, d, Join::Round, a * a + 4.0 * a * d + PI * d * d, 1);
        near(&own, d, Join::Miter, (a + 2.0 * d).powi(2), 1);
        for join in [Join::Round, Join::Miter] {
            near(&own, -d, join, (a - 2.0 * d).powi(2), 1);
            near(&[circle(2.0)], d, join, PI * (2.0 + d).powi(2), 1);
            near(&[circle(2.0)], -d, join, PI * (2.0 - d).powi(2), 1);
        }
    }
    let ring = [circle(2.0), reversed(circle(1.0))];
    near(&ring, 0.25, Join::Round, PI * (2.25_f64.powi(2) - 0.75_f64.powi(2)), 2);
    near(&ring, -0.25, Join::Miter, PI * (1.75_f64.powi(2) - 1.25_f64.powi(2)), 2);
    // the hole closes; the ring vanishes
    for count in [100, 20_000] {
        let pinhole = [circle(2.0), reversed(polygon(1.0, count))];
        near(&pinhole, 1.1, Join::Round, PI * 3.1_f64.powi(2), 1);
        near(&pinhole, 0.99, Join::Round, PI * (2.99_f64.powi(2) - 0.01_f64.powi(2)), 2);
    }
    assert!(offset(&ring, -0.6, Join::Round, tolerance).is_empty());
    assert!(offset(&[square(0.0, 1.0)], -0.51, Join::Miter, tolerance).is_empty());
    assert!(offset(&[], 1.0, Join::Round, tolerance).is_empty());
    // a concave corner moves outward as a corner: an L of three unit squares
    let l = contour(&[[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]]);
    let d = 0.25;
    near(std::slice::from_ref(&l), d, Join::Miter, 3.0 + 8.0 * d + 4.0 * d * d, 1);
    near(&[l], d, Join::Round, 3.0 + 8.0 * d + (1.25 * PI - 1.0) * d * d, 1);
    // two that meet by then, and two that are parted
    let bars = [square(0.0, 1.0), contour(&[[1.2, 0.0], [2.2, 0.0], [2.2, 1.0], [1.2, 1.0]])];
    near(&bars, 0.2, Join::Miter, 2.6 * 1.4, 1);
    let bell = contour(&[
        [0.0, 0.0],
        [1.0, 0.0],
        [1.0, 0.45],
        [2.0, 0.45],
        [2.0, 0.0],
        [3.0, 0.0],
        [3.0, 1.0],
        [2.0, 1.0],
        [2.0, 0.55],
        [1.0, 0.55],
        [1.0, 1.0],
        [0.0, 1.0],
    ]);
    near(&[bell], -0.1, Join::Miter, 2.0 * 0.8 * 0.8, 2);
}

/// Whether a point is inside contours, by even and odd crossings, and how far from them it is.
fn place(contours: &[Contour], p: [f64; 2]) -> (bool, f64) {
    let (mut inside, mut least) = (false, f64::INFINITY);
    for contour in contours {
        let next = contour.points.iter().cycle().skip(1);
        for (a, b) in contour.points.iter().zip(next) {
            if (a[1] > p[1]) != (b[1] > p[1])
                && p[0] < a[0] + (p[1] - a[1]) / (b[1] - a[1]) * (b[0] - a[0])
            {
                inside = !inside;
            }
            let [along, off] = [[b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]];
            let square = along[0] * along[0] + along[1] * along[1];
            let t = ((off[0] * along[0] + off[1] * along[1]) / square).clamp(0.0, 1.0);
            least = least.min((off[0] - t * along[0]).hypot(off[1] - t * along[1]));
        }
    }
    (inside, least)
}

/// Waves whose radii of curvature are above, near and below the distance, and acute corners.
#[test]
fn contours_moved_are_at_their_distance() {
    let wavy = |radius: f64, waves: [f64; 2], count: u32| {
        let point = |k: u32| {
            let angle = TAU * f64::from(k) / f64::from(count);
            let own = radius + waves[0] * (3.0 * angle).cos() + waves[1] * (11.0 * angle).cos();
            [own * angle.cos(), own * angle.sin()]
        };
        contour(&(0..count).map(point).collect::<Vec<_>>())
    };
    let star = |radii: [f64; 2], count: u32| {
        let point = |k: u32| {
            let (sine, cosine) = (TAU * f64::from(k) / f64::from(count)).sin_cos();
            let radius = radii[(k % 2) as usize];
            [radius * cosine, radius * sine]
        };
        contour(&(0..count).map(point).collect::<Vec<_>>())
    };
    let mut random = Random::new(5);
    for (name, outer, hole) in [
        ("waves", wavy(2.4, [0.24, 0.08], 900), wavy(0.8, [0.24, 0.08], 700)),
        ("corners", star([2.4, 1.8], 14), star([1.3, 0.4], 10)),
        ("needles", star([2.6, 2.3], 60), star([1.2, 0.95], 48)),
    ] {
        let own = [outer, reversed(hole)];
        for distance in [0.05, 0.2, 0.5, 0.9, -0.02, -0.1, -0.3, -0.6] {
            let moved = offset(&own, distance, Join::Round, 1e-4);
            let mut decided = 0;
            for _ in 0..4000 {
                let p = [0; 2].map(|_| 8.0 * random.unit() - 4.0);
                let (inside, off) = place(&own, p);
                let signed = if inside { off } else { -off };
                if (signed + distance).abs() < 1e-3 {
                    continue;
                }
                decided += 1;
                let expected = signed > -distance;
                assert_eq!(place(&moved, p).0, expected, "{name} by {distance}: {p:?} {signed}");
            }
            assert!(decided > 3900, "{name}: {decided}");
        }
    }
}

#[test]
fn sharp_tips_are_cut_off() {
    let tip = [contour(&[[0.0, 0.0], [10.0, 0.0], [0.0, 1.0]])];
    let found = offset(&tip, 0.1, Join::Miter, 1e-5);
    let right = found[0].points.iter().map(|p| p[0]).fold(0.0, f64::max);
    assert!(right > 10.0 && right < 10.2 + 1e-12, "{right}");
}
