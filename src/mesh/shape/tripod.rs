//! The tripod: three bent legs on foot plates, joined in a hub.
//!
//! The hub's core is three rhombi around the vertical axis (an interior edge of
//! valence 3), a leg leaving where two of them meet; the crotches between the
//! legs are edges of valence 5. A skin one cell thick goes around hub and legs,
//! so a leg is an O-grid and the hub's corners are interior extraordinary
//! vertices. A foot plate continues the leg's O-grid by one ring: its rim has
//! boundary edges of valence 2, the leg meets it in boundary edges of valence 4.

use std::f64::consts::PI;

use super::super::SolidMesh;
use super::builder::ShapeBuilder;
use super::quads::{DiskKey, disk, disk_point, round_square};

/// Cells of the mesh: hub with its skin, legs, feet.
pub(super) const CELLS: u128 = 3 * (4 * 4 + 2 * 4) + 3 * 7 * 32 + 3 * 2 * 48;

/// Cells across the core of hub and legs; a rhombus is half as wide.
const CORE: i32 = 4;
const HALF: i32 = CORE / 2;
/// Cells along a leg and through a foot plate.
const SECTIONS: i32 = 7;
const PLATE: i32 = 2;

/// Share of the core in a leg's radius.
const CORE_SCALE: f64 = 0.62;
/// Edge of the hub's rhombi, a cell.
const HUB_STEP: f64 = 0.37;
/// Half the height of the hub.
const HUB_HEIGHT: f64 = 1.0;

/// A vertex of the tripod.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum TripodVertex {
    /// Rhombus between legs `leg` and `leg + 1`: `i` steps toward the first, `j`
    /// toward the second, at height `b` in -HALF..=HALF; on the skin or the core.
    Hub { leg: i32, i: i32, j: i32, b: i32, skin: bool },
    /// O-grid vertex of section 1..=SECTIONS of a leg, further down of its foot.
    Leg { leg: i32, section: i32, at: DiskKey },
}

pub(super) fn build() -> SolidMesh {
    let mut builder = ShapeBuilder::new(place);
    for leg in 0..3 {
        for j in 0..HALF {
            for i in 0..HALF {
                let cycle = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)];
                let hub = |(i, j), b, skin| hub(leg, i, j, b, skin);
                builder.prism(cycle, -HALF..HALF, |ij, b| hub(ij, b, false));
                builder.prism(cycle, 0..1, |ij, layer| hub(ij, HALF, layer == 1));
                builder.prism(cycle, 0..1, |ij, layer| hub(ij, -HALF, layer == 0));
            }
        }
        for quad in disk(CORE, 1) {
            builder.prism(quad, 0..SECTIONS, |at, section| leg_vertex(leg, section, at));
        }
        for quad in disk(CORE, 2) {
            let plate = SECTIONS..SECTIONS + PLATE;
            builder.prism(quad, plate, |at, section| leg_vertex(leg, section, at));
        }
    }
    builder.finish()
}

/// A hub vertex under its one name: those on the spokes between two rhombi
/// belong to the rhombus on the left, the axis to the first.
fn hub(leg: i32, i: i32, j: i32, b: i32, skin: bool) -> TripodVertex {
    let (leg, i, j) = match (i, j) {
        (0, 0) => (0, 0, 0),
        (0, _) => ((leg + 1) % 3, j, 0),
        _ => (leg, i, j),
    };
    TripodVertex::Hub { leg, i, j, b, skin }
}

/// A leg's vertex; section 0 lies on the hub, where two rhombi meet.
fn leg_vertex(leg: i32, section: i32, at: DiskKey) -> TripodVertex {
    if section > 0 {
        return TripodVertex::Leg { leg, section, at };
    }
    let ([a, b], ring) = at;
    let (a, b) = (a - HALF, b - HALF);
    if a >= 0 { hub(leg, HALF, a, b, ring > 0) } else { hub((leg + 2) % 3, -a, HALF, b, ring > 0) }
}

fn place(key: TripodVertex) -> [f64; 3] {
    match key {
        TripodVertex::Hub { leg, i, j, b, skin } => place_hub(leg, i, j, b, skin),
        TripodVertex::Leg { leg, section, at } => place_leg(leg, section, at),
    }
}

fn place_hub(leg: i32, i: i32, j: i32, b: i32, skin: bool) -> [f64; 3] {
    let half = f64::from(HALF);
    // Distance from the spokes, 1 in the crotch, where the skin rounds off.
    let across = f64::from(i.min(j)) / half;
    let scale = if skin { 1.0 } else { CORE_SCALE };
    let [bulge, z] = round_square([across * scale, f64::from(b) / half * scale]);
    let outward = if skin && across == 1.0 { 1.0 + 0.6 * bulge } else { 1.0 };
    let (p, q) = (direction(leg), direction(leg + 1));
    let [x, y] = [0, 1].map(|d| HUB_STEP * outward * (f64::from(i) * p[d] + f64::from(j) * q[d]));
    [x, y, HUB_TOP + HUB_HEIGHT * z]
}

/// Height of the hub's middle over the floor, and of a foot plate's top.
const HUB_TOP: f64 = 5.2;
const PLATE_TOP: f64 = 0.5;

/// How a leg runs, at its sections 1..=SECTIONS: distance from the axis, height,
/// tilt of the section (0 upright, 90 lying), radius.
const PATH: [[f64; 4]; SECTIONS as usize] = [
    [1.25, 5.15, 6.0, 0.95],
    [1.95, 4.90, 24.0, 0.84],
    [2.60, 4.35, 46.0, 0.74],
    [3.10, 3.50, 62.0, 0.67],
    [3.48, 2.50, 74.0, 0.62],
    [3.76, 1.40, 84.0, 0.60],
    [3.92, PLATE_TOP, 90.0, 0.66],
];

fn place_leg(leg: i32, section: i32, at: DiskKey) -> [f64; 3] {
    let below = (section - SECTIONS).max(0);
    let [reach, height, tilt, radius] = PATH[(section.min(SECTIONS) - 1) as usize];
    let height = height - f64::from(below) * PLATE_TOP / f64::from(PLATE);
    let [a, b] = disk_point(at, CORE, |ring| if ring == 0 { CORE_SCALE } else { 1.0 });
    let radius = if at.1 == 2 { 2.1 * radius } else { radius };
    let (sin, cos) = (tilt * PI / 180.0).sin_cos();
    let along = reach + radius * b * sin;
    let [x, y] = direction(leg);
    [along * x - radius * a * y, along * y + radius * a * x, height + radius * b * cos]
}

/// Horizontal direction of a leg.
fn direction(leg: i32) -> [f64; 2] {
    let angle = 2.0 * PI * f64::from(leg % 3) / 3.0;
    [angle.cos(), angle.sin()]
}
