//! Contours of many bodies: how many are around each, and one outline of those that overlap.

use std::f64::consts::TAU;

use subsolid::mesh::{Polygons, SurfaceMesh};
use subsolid::scheme::Scheme;
use subsolid::slice::{Axis, Contour, Layer};

use super::surfaces::slicer;
use crate::oracle::random::Random;

/// Bodies of flat faces.
#[derive(Default)]
struct Bodies {
    points: Vec<[f64; 3]>,
    faces: Polygons,
}

impl Bodies {
    /// A prism between two heights over outlines that have equally many points: the first
    /// counter-clockwise, a second one clockwise if it is a hole. Looking inward it is a cavity.
    fn prism(&mut self, outlines: &[Vec<[f64; 2]>], [low, high]: [f64; 2], inward: bool) {
        let start = self.points.len() as u32;
        let count = outlines[0].len() as u32;
        let mut faces: Vec<Vec<u32>> = Vec::new();
        for (k, outline) in (0..).zip(outlines) {
            self.points.extend(outline.iter().flat_map(|&[x, y]| [[x, y, low], [x, y, high]]));
            let at = |i: u32, upper: u32| start + 2 * (k * count + i % count) + upper;
            faces.extend((0..count).map(|i| vec![at(i, 0), at(i + 1, 0), at(i + 1, 1), at(i, 1)]));
        }
        let at = |i: u32, upper: u32| start + 2 * i + upper;
        match outlines {
            [_] => {
                faces.push((0..count).rev().map(|i| at(i, 0)).collect());
                faces.push((0..count).map(|i| at(i, 1)).collect());
            }
            // hole point k faces the outer point -k
            _ => faces.extend((0..count).flat_map(|i| {
                let next = (i + 1) % count;
                let [a, b] = [i, next].map(|i| count + (count - i) % count);
                [
                    vec![at(i, 1), at(next, 1), at(b, 1), at(a, 1)],
                    vec![at(i, 0), at(a, 0), at(b, 0), at(next, 0)],
                ]
            })),
        }
        for mut face in faces {
            if inward {
                face.reverse();
            }
            self.faces.push(&face);
        }
    }

    fn cut(self, tolerance: f64) -> Layer {
        let mesh = SurfaceMesh::new(self.points, self.faces);
        slicer(&mesh, Scheme::Bilinear, Axis::Z, tolerance).layer(0, 0.5)
    }
}

fn rectangle([left, low]: [f64; 2], [right, high]: [f64; 2]) -> Vec<[f64; 2]> {
    vec![[left, low], [right, low], [right, high], [left, high]]
}

fn circle(count: u32, radius: f64) -> Vec<[f64; 2]> {
    let angle = |k: u32| TAU * f64::from(k) / f64::from(count);
    (0..count).map(|k| [radius * angle(k).cos(), radius * angle(k).sin()]).collect()
}

fn is_inside([x, y]: [f64; 2], contour: &Contour) -> bool {
    let points = &contour.points;
    let crosses = |(k, a): (usize, &[f64; 2])| {
        let b = points[(k + 1) % points.len()];
        (a[1] > y) != (b[1] > y) && x < a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0])
    };
    points.iter().enumerate().filter(|&at| crosses(at)).count() % 2 == 1
}

/// A point inside a contour, next to the middle of its first side.
fn point_inside(contour: &Contour) -> [f64; 2] {
    let [a, b] = [0, 1].map(|k| contour.points[k]);
    let along = [0, 1].map(|d| b[d] - a[d]);
    let sign = if contour.area() > 0.0 { 1e-3 } else { -1e-3 };
    [0.5 * (a[0] + b[0]) - sign * along[1], 0.5 * (a[1] + b[1]) + sign * along[0]]
}

/// Blocks whose corners are on a grid overlap, touch, hold each other or are the same: the cells of
/// the grid in any of them are the area.
#[test]
fn blocks_at_random_have_the_area_of_their_union() {
    let mut random = Random::new(11);
    let (mut united, mut with_holes) = (0, 0);
    for case in 0..120 {
        const ACROSS: usize = 7;
        let (scale, shift) = [(1.0, 0.0), (0.37, 100.3), (1e-3, -7.0)][case % 3];
        let mut is_covered = [[false; ACROSS]; ACROSS];
        let mut bodies = Bodies::default();
        let count = 2 + random.below(5);
        for _ in 0..count {
            let low = [0, 1].map(|_| random.below(ACROSS - 1));
            let high = low.map(|low| low + 1 + random.below((ACROSS - low - 1).min(4)));
            for row in &mut is_covered[low[1]..high[1]] {
                row[low[0]..high[0]].fill(true);
            }
            let [low, high] = [low, high].map(|at| at.map(|i| scale * (shift + i as f64)));
            bodies.prism(&[rectangle(low, high)], [0.0, 1.0], false);
        }
        let layer = bodies.cut(1e-7);
        let cells = is_covered.as_flattened().iter().filter(|&&own| own).count();
        let [found, expected] = [layer.area(), cells as f64 * scale * scale];
        assert!((found - expected).abs() < 1e-6 * expected, "case {case}: {found}, not {expected}");
        united += u32::from(layer.contours.len() < count);
        for contour in &layer.contours {
            assert_eq!(contour.is_hole(), contour.depth % 2 == 1, "case {case}");
            with_holes += u32::from(contour.is_hole());
            for &p in &contour.points {
                let cell = p.map(|x| x / scale - shift);
                let off = cell.map(|x| (x - x.round()).abs());
                assert!(off.iter().all(|&off| off < 1e-6), "case {case}: {p:?}");
            }
        }
    }
    assert!(united > 60 && with_holes > 0, "{united} {with_holes}");
}

/// A box with a cavity in which bodies stand in a row, each with a cavity and a body in it.
#[test]
fn contours_know_how_many_are_around() {
    for axis in 0..2 {
        let mut bodies = Bodies::default();
        let mut square = |low: [f64; 2], side: f64, inset: f64, inward: bool| {
            let [low, high] = [low.map(|x| x + inset), low.map(|x| x + side - inset)];
            bodies.prism(&[rectangle(low, high)], [0.01 * inset, 1.0 - 0.01 * inset], inward);
        };
        square([-2.0; 2], 110.0, 0.0, false);
        square([-2.0; 2], 110.0, 1.0, true);
        for k in 0..20 {
            let mut low = [0.0; 2];
            low[axis] = f64::from(5 * k);
            (2..5).for_each(|ring| {
                square(low, 8.0, f64::from(ring) - 0.5 * f64::from(ring - 2), ring == 3);
            });
        }
        let layer = bodies.cut(1e-6);
        let area = 110.0 * 110.0 - 108.0 * 108.0 + 20.0 * (16.0 - 9.0 + 4.0);
        assert!((layer.area() - area).abs() < 1e-6, "{} {area}", layer.area());
        assert_eq!(layer.contours.len(), 62);
        let mut counts = [0; 5];
        for (i, contour) in layer.contours.iter().enumerate() {
            let inside = point_inside(contour);
            let around = layer.contours.iter().enumerate();
            let around = around.filter(|&(k, other)| k != i && is_inside(inside, other)).count();
            assert_eq!(contour.depth as usize, around, "{contour:?}");
            counts[around] += 1;
        }
        assert_eq!(counts, [1, 1, 20, 20, 20]);
    }
}

/// A pin in the hole of a ring: the chords of both sides of their interface cross.
#[test]
fn round_inserts_stay_in_their_hole() {
    let (hole, pin) = (circle(71, 1.0), circle(90, 1.0));
    let mut clockwise = hole.clone();
    clockwise[1..].reverse();
    let mut bodies = Bodies::default();
    bodies.prism(&[circle(71, 2.0), clockwise], [0.0, 1.0], false);
    bodies.prism(std::slice::from_ref(&pin), [0.0, 1.0], false);
    let layer = bodies.cut(1e-3);
    let area = |points: Vec<[f64; 2]>| Contour { points, depth: 0 }.area();
    let expected = area(circle(71, 2.0)) - area(hole) + area(pin);
    assert!((layer.area() - expected).abs() < 1e-12, "{} {expected}", layer.area());
    let mut found: Vec<(u32, usize)> =
        layer.contours.iter().map(|contour| (contour.depth, contour.points.len())).collect();
    found.sort_unstable();
    assert_eq!(found, [(0, 71), (1, 71), (2, 90)]);
}
