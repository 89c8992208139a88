//! Contours moved away from the material, or into it.
//!
//! Sides are moved along their normals. Where they part at a corner they are joined, where they
//! overlap they are led through the corner itself: what is to the left of the curve that results, a
//! positive number of times, is the material moved (as of Clipper: Vatti 1992, Chen and McMains 2005).
//!
//! The way to the corner and back is as long as the distance, and crosses those of the corners near by.
//! It is cut short, to where the moved sides cross, where what it encloses lies in the strips that both
//! sides sweep: so there are more strips than such ways at each place that some strips cover, as long as
//! one corner of a contour keeps its way. Contours that are so narrow that they vanish are left out.

use super::join::{is_narrow, nest};
use super::unite::IntegerContours;
use crate::numbers::bounds;
use crate::slice::layer::Contour;

/// Greatest distance of a mitred corner from the corner, as a multiple of the offset; of sharper
/// ones the tip is cut off.
const MITER_LIMIT: f64 = 2.0;

/// Part of the tolerance that chords of round corners are off.
const ARC_PART: f64 = 1.0 / 8.0;

/// How sides that part are joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Join {
    /// By arcs: all is moved by the same distance.
    #[default]
    Round,
    /// By corners, to twice the distance: squares stay squares.
    Miter,
}

/// Contours moved by `distance` away from the material that they bound, into it if that is negative,
/// nested anew. Arcs are within an eighth of the tolerance. Contours that overlap by then are united,
/// and what is narrower than twice a negative distance vanishes.
pub fn offset(contours: &[Contour], distance: f64, join: Join, tolerance: f64) -> Vec<Contour> {
    let moved: Vec<Contour> = contours
        .iter()
        .filter(|contour| !vanishes(contour, distance))
        .map(|contour| moved(&contour.points, distance, join, ARC_PART * tolerance))
        .filter(|contour| contour.points.len() > 2)
        .collect();
    if moved.is_empty() {
        return moved;
    }
    let least = 1e-6 * tolerance;
    let mut all = IntegerContours::new(&moved).union();
    all.retain(|contour| contour.points.len() > 2 && !is_narrow(contour, least));
    nest(&mut all, least, tolerance);
    all
}

/// Whether all places inside a contour are so near to it that none is left: each is on a chord of the
/// narrower side of the box around.
fn vanishes(contour: &Contour, distance: f64) -> bool {
    let [low, high]: [[f64; 2]; 2] = bounds::around(contour.points.iter().copied());
    let narrower = (high[0] - low[0]).min(high[1] - low[1]);
    distance * contour.area() < 0.0 && narrower <= 2.0 * distance.abs()
}

/// The curve of the moved sides of a contour, which may cross itself.
fn moved(points: &[[f64; 2]], distance: f64, join: Join, sagitta: f64) -> Contour {
    let mut corners: Vec<[f64; 2]> = points.to_vec();
    corners.dedup();
    while corners.len() > 1 && corners.first() == corners.last() {
        corners.pop();
    }
    let count = corners.len();
    let side = |i: usize| {
        let [a, b] = [corners[i % count], corners[(i + 1) % count]];
        [b[0] - a[0], b[1] - a[1]]
    };
    let length = |i: usize| {
        let [x, y] = side(i);
        x.hypot(y)
    };
    let along = |i: usize| side(i).map(|x| x / length(i));
    let mut points = Vec::with_capacity(2 * count);
    for (i, &corner) in corners.iter().enumerate() {
        let sides = [along(i + count - 1), along(i)];
        // the material is to the left
        let normals = sides.map(|[x, y]| [y, -x]);
        let at = |part: f64, [x, y]: [f64; 2]| [corner[0] + part * x, corner[1] + part * y];
        let [before, after] = normals.map(|normal| at(distance, normal));
        let turn = sides[0][0] * sides[1][1] - sides[0][1] * sides[1][0];
        let cosine = sides[0][0] * sides[1][0] + sides[0][1] * sides[1][1];
        // where the moved sides cross; of the half of the angle: 1 / cos² = 2 / (1 + cosine)
        let crossing = at(distance / (1.0 + cosine), [0, 1].map(|d| normals[0][d] + normals[1][d]));
        let overlaps = turn * distance < 0.0;
        let back = (distance * turn).abs();
        if overlaps && i > 0 && cosine >= 0.0 && back <= length(i + count - 1).min(length(i)) {
            points.push(crossing);
            continue;
        }
        points.push(before);
        if overlaps {
            points.push(corner);
        } else {
            match join {
                Join::Round => {
                    let angle = turn.atan2(cosine);
                    let step = 2.0 * (1.0 - (sagitta / distance.abs()).min(1.0)).acos();
                    let chords = (angle.abs() / step).ceil().max(1.0) as usize;
                    points.extend((1..chords).map(|k| {
                        let (sine, cosine) = (angle * k as f64 / chords as f64).sin_cos();
                        let [x, y] = normals[0];
                        at(distance, [cosine * x - sine * y, sine * x + cosine * y])
                    }));
                }
                Join::Miter if 2.0 <= MITER_LIMIT * MITER_LIMIT * (1.0 + cosine) => {
                    points.push(crossing);
                }
                Join::Miter => {}
            }
        }
        points.push(after);
    }
    points.dedup();
    Contour { points, depth: 0 }
}
