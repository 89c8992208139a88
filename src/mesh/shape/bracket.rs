//! The bracket: a base plate with a bolt hole, an upright plate that ends in a
//! round eye, and a fillet between them.
//!
//! x runs along the base plate, z along the upright, y across both. The bolt
//! hole is a square of the base plate's grid replaced by rings of cells: the
//! square's corners become interior edges of valence 5. The fillet is a triangle
//! of three blocks around an interior edge of valence 3. Rings of cells make the
//! eye; where its lower corners meet the upright's sides, boundary edges have
//! valence 4, the plates' own edges 2.

use std::f64::consts::PI;

use super::super::SolidMesh;
use super::builder::ShapeBuilder;
use super::quads::square_rim;

/// Cells of the mesh: base plate less the hole's square, upright, fillet, rings
/// of the bolt hole and of the eye.
pub(super) const CELLS: u128 = 3 * 8 * 15 - 3 * 16 + 3 * 8 * 5 + 12 * 8 + 3 * 3 * (16 + 24);

/// Cells through both plates, across them, and along a leg of the fillet.
const CELLS_THROUGH: i32 = 3;
const CELLS_ACROSS: i32 = 8;
const FILLET: i32 = 4;
/// Grid lines of the bolt hole's square (4 × 4 cells): first along x, first along y.
const HOLE: [i32; 2] = [9, 2];
const HOLE_SIDE: i32 = 4;
/// Last grid line along the base plate, and the one where the eye begins.
const BASE_END: i32 = 15;
const EYE_START: i32 = CELLS_THROUGH + FILLET + 1;
/// Rings of cells around both holes.
const RINGS: i32 = 3;

/// Coordinates of the grid lines, closer toward the plates' rims, so that the
/// limit keeps its edges.
const LINES_ALONG: [f64; 16] =
    [0.0, 0.25, 0.95, 1.2, 1.65, 2.1, 2.75, 3.4, 4.1, 4.8, 5.6, 6.6, 7.6, 8.4, 9.2, 9.6];
const LINES_ACROSS: [f64; 9] = [-3.0, -2.65, -1.8, -1.0, 0.0, 1.0, 1.8, 2.65, 3.0];

/// Center of the bolt hole along x and its radius.
const BOLT: [f64; 2] = [6.6, 1.0];
/// Center of the eye along z, its outer and inner radius.
const EYE: [f64; 3] = [6.6, 3.0, 1.5];
/// The fillet's middle line lies at x = z = this.
const FILLET_MIDDLE: f64 = 1.79;
/// How far the fillet's surface is hollowed half-way to its middle, along x and z.
const FILLET_HOLLOW: f64 = 0.07;

/// A vertex of the bracket.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum BracketVertex {
    /// A vertex of the plates' common grid.
    Grid([i32; 3]),
    /// A vertex of the fillet outside of the grid: across the plates at `y`, `i` from the
    /// fillet's middle line toward its rim, `j` away from the plate that it
    /// stands on: the base, or the upright if `upright`.
    Fillet { upright: bool, y: i32, i: i32, j: i32 },
    /// Around the bolt hole (`ring` 0 is its square) at the plate's layer z.
    Bolt { step: i32, ring: i32, z: i32 },
    /// Around the eye (`ring` 0 is its outline) at the plate's layer x.
    Eye { step: i32, ring: i32, x: i32 },
}

pub(super) fn build() -> SolidMesh {
    let mut builder = ShapeBuilder::new(place);
    let square = |[i, j]: [i32; 2]| [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]];

    for y in 0..CELLS_ACROSS {
        for x in 0..BASE_END {
            let [dx, dy] = [x - HOLE[0], y - HOLE[1]];
            if !((0..HOLE_SIDE).contains(&dx) && (0..HOLE_SIDE).contains(&dy)) {
                builder.prism(square([x, y]), 0..CELLS_THROUGH, |[x, y], z| {
                    BracketVertex::Grid([x, y, z])
                });
            }
        }
        // Seen along x, y × z turns counter-clockwise.
        for z in CELLS_THROUGH..EYE_START {
            builder.prism(square([y, z]), 0..CELLS_THROUGH, |[y, z], x| {
                BracketVertex::Grid([x, y, z])
            });
        }
    }
    for quad in ring_quads(4 * HOLE_SIDE) {
        builder.prism(quad, 0..CELLS_THROUGH, |[step, ring], z| bolt(step, ring, z));
    }
    for quad in ring_quads(EYE_STEPS) {
        builder.prism(quad, 0..CELLS_THROUGH, |[step, ring], x| eye(step, ring, x));
    }
    fillet_cells(&mut builder);
    builder.finish()
}

/// The quads [step, ring] of closed rings from an outline inward.
fn ring_quads(steps: i32) -> impl Iterator<Item = [[i32; 2]; 4]> {
    (0..RINGS).flat_map(move |ring| {
        (0..steps).map(move |step| {
            let next = (step + 1) % steps;
            [[step, ring], [next, ring], [next, ring + 1], [step, ring + 1]]
        })
    })
}

fn fillet_cells<P: Fn(BracketVertex) -> [f64; 3]>(builder: &mut ShapeBuilder<BracketVertex, P>) {
    let half = FILLET / 2;
    let middle = CELLS_THROUGH + half;
    for i in 0..half {
        for j in 0..half {
            let quad = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]];
            // The inner block is part of the grid; z × x = y.
            builder.prism(quad, 0..CELLS_ACROSS, |[i, j], y| {
                BracketVertex::Grid([CELLS_THROUGH + j, y, CELLS_THROUGH + i])
            });
            // On the upright i runs along z, on the base along x: the quad turns over.
            builder.prism(quad, 0..CELLS_ACROSS, |[i, j], y| match (i, j) {
                (0, _) => BracketVertex::Grid([CELLS_THROUGH + j, y, middle]),
                (_, 0) => BracketVertex::Grid([CELLS_THROUGH, y, middle + i]),
                // The seam between the two belongs to the base.
                _ => BracketVertex::Fillet { upright: j < half, y, i, j },
            });
            let [a, b, c, d] = quad;
            builder.prism([a, d, c, b], 0..CELLS_ACROSS, |[i, j], y| match (i, j) {
                (0, _) => BracketVertex::Grid([middle, y, CELLS_THROUGH + j]),
                (_, 0) => BracketVertex::Grid([middle + i, y, CELLS_THROUGH]),
                _ => BracketVertex::Fillet { upright: false, y, i, j },
            });
        }
    }
}

/// A vertex around the bolt hole; ring 0 is the rim of its square.
fn bolt(step: i32, ring: i32, z: i32) -> BracketVertex {
    let [i, j] = square_rim(HOLE_SIDE)[step as usize];
    if ring == 0 {
        BracketVertex::Grid([HOLE[0] + i, HOLE[1] + j, z])
    } else {
        BracketVertex::Bolt { step, ring, z }
    }
}

/// Steps around the eye: across the upright's top, then around the outside.
const EYE_STEPS: i32 = 24;

/// A vertex around the eye; ring 0 is its outline, which starts on the upright.
fn eye(step: i32, ring: i32, x: i32) -> BracketVertex {
    if ring == 0 && step <= CELLS_ACROSS {
        BracketVertex::Grid([x, step, EYE_START])
    } else {
        BracketVertex::Eye { step, ring, x }
    }
}

fn place(key: BracketVertex) -> [f64; 3] {
    match key {
        BracketVertex::Grid([x, y, z]) => grid_point(x, y, z),
        BracketVertex::Fillet { upright, y, i, j } => {
            let [near, out] = fillet_point(i, j);
            let [x, z] = if upright { [near, out] } else { [out, near] };
            [x, LINES_ACROSS[y as usize], z]
        }
        BracketVertex::Bolt { step, ring, z } => {
            let [i, j] = square_rim(HOLE_SIDE)[step as usize];
            let outline =
                [LINES_ALONG[(HOLE[0] + i) as usize], LINES_ACROSS[(HOLE[1] + j) as usize]];
            let [center, radius] = BOLT;
            let [x, y] = toward_circle(outline, [center, 0.0], radius, ring);
            [x, y, LINES_ALONG[z as usize]]
        }
        BracketVertex::Eye { step, ring, x } => {
            let [center, _, radius] = EYE;
            let [y, z] = toward_circle(eye_outline(step), [0.0, center], radius, ring);
            [LINES_ALONG[x as usize], y, z]
        }
    }
}

/// A point of the common grid; inside the fillet's inner block the lines bend so
/// that its outer corner comes to the fillet's middle.
fn grid_point(x: i32, y: i32, z: i32) -> [f64; 3] {
    let half = FILLET / 2;
    let line = |t: i32| LINES_ALONG[t as usize];
    let inside = |t: i32| (CELLS_THROUGH..=CELLS_THROUGH + half).contains(&t);
    let [mut px, mut pz] = [line(x), line(z)];
    if inside(x) && inside(z) {
        let [s, t] = [x - CELLS_THROUGH, z - CELLS_THROUGH].map(|t| f64::from(t) / f64::from(half));
        let pull = (FILLET_MIDDLE - line(CELLS_THROUGH + half)) * s * t;
        px += pull;
        pz += pull;
    }
    [px, LINES_ACROSS[y as usize], pz]
}

/// In the block on the base: [z, x] of step i outward and j upward, bilinear
/// between the middle line, the plate and the round surface, which is hollowed.
fn fillet_point(i: i32, j: i32) -> [f64; 2] {
    let half = FILLET / 2;
    let [s, t] = [i, j].map(|t| f64::from(t) / f64::from(half));
    let line = |t: i32| LINES_ALONG[t as usize];
    let foot = [line(CELLS_THROUGH), line(CELLS_THROUGH + half)];
    let end = [line(CELLS_THROUGH), line(CELLS_THROUGH + FILLET)];
    let middle = [FILLET_MIDDLE; 2];
    // Where the round surface crosses the diagonal.
    let top = [FILLET_MIDDLE + 0.25; 2];
    let hollow = FILLET_HOLLOW * s * 4.0 * t * (1.0 - t);
    [0, 1].map(|d| {
        (1.0 - s) * ((1.0 - t) * foot[d] + t * middle[d]) + s * ((1.0 - t) * end[d] + t * top[d])
            - hollow
    })
}

/// From an outline point toward a circle, closer together at both ends.
fn toward_circle(p: [f64; 2], center: [f64; 2], radius: f64, ring: i32) -> [f64; 2] {
    let share = [0.0, 0.25, 0.75, 1.0][ring as usize];
    let offset = [p[0] - center[0], p[1] - center[1]];
    let length = offset[0].hypot(offset[1]);
    [0, 1].map(|d| p[d] + share * (center[d] + offset[d] * radius / length - p[d]))
}

/// Outline of the eye, [y, z]: across the upright, up its side, around, down.
fn eye_outline(step: i32) -> [f64; 2] {
    let start = LINES_ALONG[EYE_START as usize];
    if step <= CELLS_ACROSS {
        return [LINES_ACROSS[step as usize], start];
    }
    let [center, radius, _] = EYE;
    let (rise, arc) = (center - start, PI * radius);
    let path =
        (2.0 * rise + arc) * f64::from(step - CELLS_ACROSS) / f64::from(EYE_STEPS - CELLS_ACROSS);
    if path < rise {
        [radius, start + path]
    } else if path > rise + arc {
        [-radius, center - (path - rise - arc)]
    } else {
        let angle = (path - rise) / radius;
        [radius * angle.cos(), center + radius * angle.sin()]
    }
}
