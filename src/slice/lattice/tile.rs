//! Tiles of lattices: functions of the parameters of a tile that are the same seen from all its
//! sides, so that tiles of any two hexahedra fit at the face between them.

use std::f64::consts::TAU;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use crate::numbers::half_turn::half_turn;

/// Points of the table of volumes, in an eighth of a tile.
const TABLE_POINTS: u32 = 1 << 18;
/// Powers of the root of x⁴ = x + 1: steps whose multiples spread evenly (Roberts 2018).
const STEPS: [f64; 3] = [0.819_172_513_396_164_4, 0.671_043_606_703_789_2, 0.549_700_477_901_970_1];

/// What a tile is filled with. All have the symmetries of a cube.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Tile {
    /// cos 2πu + cos 2πv + cos 2πw: Schwarz's primitive surface at level 0.
    SchwarzP,
    /// 2 (cos 2πu cos 2πv + cos 2πv cos 2πw + cos 2πw cos 2πu) − (cos 4πu + cos 4πv + cos 4πw): about
    /// Schoen's I-WP surface at level 0.
    Iwp,
    /// Struts from the corners of a tile to its middle.
    Bcc,
    /// Struts between the corners and the middles of the sides, and between these: octet truss.
    Octet,
    /// Struts along the edges of a tile.
    Cubic,
}

/// The axis of a strut: a point of it and its direction, in a tile whose corner next to the point that
/// is asked for is the origin, with axes toward that point.
#[derive(Clone, Copy, Debug)]
pub struct StrutAxis {
    pub point: [f64; 3],
    pub direction: [f64; 3],
}

const fn axis(point: [f64; 3], direction: [f64; 3]) -> StrutAxis {
    StrutAxis { point, direction }
}

const CORNER: [f64; 3] = [0.0; 3];
const MIDDLE: [f64; 3] = [0.5; 3];

const CUBIC: [StrutAxis; 3] =
    [axis(CORNER, [1.0, 0.0, 0.0]), axis(CORNER, [0.0, 1.0, 0.0]), axis(CORNER, [0.0, 0.0, 1.0])];

const BCC: [StrutAxis; 7] = [
    axis(CORNER, [1.0, 1.0, 1.0]),
    axis(CORNER, [-1.0, 1.0, 1.0]),
    axis(CORNER, [1.0, -1.0, 1.0]),
    axis(CORNER, [1.0, 1.0, -1.0]),
    axis(MIDDLE, [-1.0, 1.0, 1.0]),
    axis(MIDDLE, [1.0, -1.0, 1.0]),
    axis(MIDDLE, [1.0, 1.0, -1.0]),
];

/// Across each axis: three in the side of the tile, three in the plane through its middle.
const OCTET: [StrutAxis; 18] = [
    axis(CORNER, [0.0, 1.0, 1.0]),
    axis(CORNER, [0.0, 1.0, -1.0]),
    axis([0.0, 0.5, 0.5], [0.0, 1.0, -1.0]),
    axis([0.5, 0.5, 0.0], [0.0, 1.0, -1.0]),
    axis([0.5, 0.5, 0.0], [0.0, 1.0, 1.0]),
    axis([0.5, 0.0, 0.5], [0.0, 1.0, 1.0]),
    axis(CORNER, [1.0, 0.0, 1.0]),
    axis(CORNER, [1.0, 0.0, -1.0]),
    axis([0.5, 0.0, 0.5], [1.0, 0.0, -1.0]),
    axis([0.5, 0.5, 0.0], [1.0, 0.0, -1.0]),
    axis([0.5, 0.5, 0.0], [1.0, 0.0, 1.0]),
    axis([0.0, 0.5, 0.5], [1.0, 0.0, 1.0]),
    axis(CORNER, [1.0, 1.0, 0.0]),
    axis(CORNER, [1.0, -1.0, 0.0]),
    axis([0.5, 0.5, 0.0], [1.0, -1.0, 0.0]),
    axis([0.5, 0.0, 0.5], [1.0, -1.0, 0.0]),
    axis([0.5, 0.0, 0.5], [1.0, 1.0, 0.0]),
    axis([0.0, 0.5, 0.5], [1.0, 1.0, 0.0]),
];

impl Tile {
    /// All tiles.
    pub const ALL: [Self; 5] = [Self::SchwarzP, Self::Iwp, Self::Bcc, Self::Octet, Self::Cubic];

    /// Whether it is bounded by a level of a smooth function, not made of struts.
    pub fn is_smooth(self) -> bool {
        self.struts().is_empty()
    }

    /// Axes of the struts that may be next to a point; none of a smooth tile.
    pub(super) fn struts(self) -> &'static [StrutAxis] {
        match self {
            Self::SchwarzP | Self::Iwp => &[],
            Self::Bcc => &BCC,
            Self::Octet => &OCTET,
            Self::Cubic => &CUBIC,
        }
    }

    /// F at a point of an eighth of a tile, each coordinate from 0 to 1/2, and its gradient: the
    /// smooth function, or the distance from the closest axis of a strut in edges of the tile.
    pub fn value(self, a: [f64; 3]) -> (f64, [f64; 3]) {
        match self {
            Self::SchwarzP => {
                let waves = a.map(half_turn);
                let [x, y, z] = waves.map(|(_, cosine)| cosine);
                (x + y + z, waves.map(|(sine, _)| -TAU * sine))
            }
            Self::Iwp => {
                let waves = a.map(half_turn);
                let [x, y, z] = waves.map(|(_, cosine)| cosine);
                // cos 2X = 2 cos² X − 1
                let value = 2.0 * (x * y + y * z + z * x - (x * x + y * y + z * z)) + 3.0;
                let sum = x + y + z;
                let by = |(sine, cosine): (f64, f64)| -2.0 * TAU * sine * (sum - 3.0 * cosine);
                (value, waves.map(by))
            }
            Self::Bcc | Self::Octet | Self::Cubic => self.strut_value(a),
        }
    }

    fn strut_value(self, a: [f64; 3]) -> (f64, [f64; 3]) {
        let mut least = (f64::INFINITY, [0.0; 3]);
        for &StrutAxis { point, direction } in self.struts() {
            let off = [0, 1, 2].map(|d| a[d] - point[d]);
            let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
            let along = dot(off, direction) / dot(direction, direction);
            let across = [0, 1, 2].map(|d| off[d] - along * direction[d]);
            let squared = dot(across, across);
            if squared < least.0 {
                least = (squared, across);
            }
        }
        let distance = least.0.sqrt();
        (distance, least.1.map(|x| x / distance))
    }

    /// Values of F at points spread evenly over a tile, ascending.
    pub(super) fn values(self) -> &'static [f64] {
        static TABLES: [OnceLock<Vec<f64>>; 5] = [const { OnceLock::new() }; 5];
        TABLES[self as usize].get_or_init(|| {
            // spread evenly, on no planes of symmetry
            let at = |i: u32| STEPS.map(|step| 0.5 * (0.5 + f64::from(i) * step).fract());
            let mut values: Vec<f64> = (1..=TABLE_POINTS).map(|i| self.value(at(i)).0).collect();
            values.sort_unstable_by(f64::total_cmp);
            values
        })
    }

    /// The level whose tile is filled to this part of its volume in its parameters, by a table of
    /// values: to some 3 · 10⁻⁴. What is beyond the table, but for rounding 0 or 1, is nothing or all.
    pub(super) fn level_of_density(self, density: f64) -> f64 {
        let table = self.values();
        let place = density * table.len() as f64 - 0.5;
        if place < 0.0 {
            return f64::NEG_INFINITY;
        }
        let below = place.floor() as usize;
        if below + 1 >= table.len() {
            return f64::INFINITY;
        }
        table[below] + (place - below as f64) * (table[below + 1] - table[below])
    }
}
