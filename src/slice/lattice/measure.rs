//! How far a point is from the surface of a lattice, and how much of a pixel it fills.
//!
//! # Theory
//! At a point of a cell the map from parameters to space is taken as affine, with the Jacobian there.
//! The axis of a strut is then a line in space, and the distance from it is exact. The distance from
//! a level of a smooth function F is its first-order estimate (F − t)/|∇F|, with ∇F = J⁻ᵀ ∂F/∂(u, v,
//! w) in space (Taubin, Distance approximations for rasterizing implicit curves, 1994). Errors are
//! of second order: the thickness times the curvature of the surface and of the cell.
//!
//! A strut in a pixel is where the square of the distance from its axis, a quadratic function of the
//! place in the pixel, is at most R². On each quarter of the pixel the distance d is taken as linear,
//! and R less by the mean of what that leaves out, (d_xx + d_yy)/24 with second derivatives by quarters:
//! so areas of all pixels add up to that of the strut to second order. Of several struts in a quarter
//! each covers its part of what the others leave.

use super::tile::Tile;

/// The lattice next to a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// Distance from the surface, in length units, or from the middle of the wall or strut.
    pub distance: f64,
    /// Unit vector in space away from it.
    pub normal: [f64; 3],
    /// Half the thickness of the wall or strut; `None` where all on one side of the surface is
    /// material.
    pub half: Option<f64>,
}

impl Nearest {
    /// Distance outside of the material; inside, how deep, negative.
    pub fn outside(&self) -> f64 {
        self.distance - self.half.unwrap_or(0.0)
    }

    /// Part of a pixel that is material, whose middle is the point.
    pub fn coverage(&self, PixelEdges { pitch, plane }: PixelEdges) -> f64 {
        let slopes = [0, 1].map(|k| self.normal[plane[k]] * pitch[k]);
        match self.half {
            None => half_plane(slopes, -self.distance),
            Some(half) => {
                half_plane(slopes, half - self.distance) - half_plane(slopes, -half - self.distance)
            }
        }
    }
}

/// Middles of the quarters of a pixel, along its edges.
const QUARTERS: [f64; 2] = [-0.25, 0.25];

/// A pixel of a layer.
#[derive(Clone, Copy, Debug)]
pub struct PixelEdges {
    /// Lengths of the edges.
    pub pitch: [f64; 2],
    /// Numbers of the axes in space along them.
    pub plane: [usize; 2],
}

/// Half the thickness of struts.
#[derive(Clone, Copy, Debug)]
pub enum StrutRadius {
    /// In length units.
    Space(f64),
    /// In edges of tiles.
    Tile(f64),
}

/// The square of the distance from the axis of a strut in a pixel, by the place in it: of its middle,
/// half the derivatives by both edges, and the products of these.
struct StrutSquare {
    middle: f64,
    by: [f64; 2],
    by_both: [f64; 3],
}

/// A point of a tile in the eighth that has all others by symmetry.
#[derive(Clone, Copy, Debug)]
pub struct FoldedPoint {
    /// Distances along the axes from the closest corner of a tile, in edges of tiles: 0 to 1/2.
    pub place: [f64; 3],
    // along which axes the corner is behind
    signs: [f64; 3],
}

impl FoldedPoint {
    /// The point at these parameters, of which tiles are 1 wide.
    #[inline(always)]
    pub fn new(parameters: [f64; 3]) -> Self {
        let off = parameters.map(|q| q - q.round());
        Self { place: off.map(f64::abs), signs: off.map(|x| 1.0_f64.copysign(x)) }
    }

    /// The surface F = `level` next to it; `jacobian`: of space by the parameters.
    pub fn level(&self, tile: Tile, level: f64, jacobian: &[[f64; 3]; 3]) -> Nearest {
        let (value, gradient) = self.gradient(tile, jacobian);
        Nearest { half: None, ..estimated(value - level, gradient) }
    }

    /// The wall or strut next to it.
    pub fn wall(&self, tile: Tile, thickness: f64, jacobian: &[[f64; 3]; 3]) -> Nearest {
        let half = Some(0.5 * thickness);
        if tile.is_smooth() {
            let (value, gradient) = self.gradient(tile, jacobian);
            let turned = if value < 0.0 { gradient.map(|x| -x) } else { gradient };
            return Nearest { half, ..estimated(value.abs(), turned) };
        }
        let columns = self.columns(jacobian);
        let mut least = (f64::INFINITY, [0.0; 3]);
        for axis in tile.struts() {
            let off = image(&columns, [0, 1, 2].map(|d| self.place[d] - axis.point[d]));
            let along = image(&columns, axis.direction);
            let part = dot(off, along) / dot(along, along);
            let across = [0, 1, 2].map(|d| off[d] - part * along[d]);
            let squared = dot(across, across);
            if squared < least.0 {
                least = (squared, across);
            }
        }
        let distance = least.0.sqrt();
        let normal = least.1.map(|x| if distance > 0.0 { x / distance } else { 0.0 });
        Nearest { distance, normal, half }
    }

    /// Part of a pixel around it that is in struts of a tile.
    pub fn in_struts(
        &self,
        tile: Tile,
        radius: StrutRadius,
        jacobian: &[[f64; 3]; 3],
        PixelEdges { pitch, plane }: PixelEdges,
    ) -> f64 {
        // columns of a map of the eighth, and the edges of the pixel there
        let (radius, columns, edges) = match radius {
            StrutRadius::Space(radius) => {
                let mut edges = [[0.0; 3]; 2];
                (0..2).for_each(|k| edges[k][plane[k]] = pitch[k]);
                (radius, self.columns(jacobian), edges)
            }
            StrutRadius::Tile(radius) => {
                let [a, b, c] = *jacobian;
                let rows = [cross(b, c), cross(c, a), cross(a, b)];
                let scale = 1.0 / dot(a, rows[0]);
                let edge = |k: usize| {
                    [0, 1, 2].map(|d| self.signs[d] * (scale * rows[d][plane[k]] * pitch[k]))
                };
                (radius, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [edge(0), edge(1)])
            }
        };
        let reach = 0.5 * (dot(edges[0], edges[0]).sqrt() + dot(edges[1], edges[1]).sqrt());
        let far = radius + reach;
        // what is left of each quarter
        let mut void = [1.0; 4];
        for axis in tile.struts() {
            let off = image(&columns, [0, 1, 2].map(|d| self.place[d] - axis.point[d]));
            let along = image(&columns, axis.direction);
            let across = |v: [f64; 3]| {
                let part = dot(v, along) / dot(along, along);
                [0, 1, 2].map(|d| v[d] - part * along[d])
            };
            let off = across(off);
            let middle = dot(off, off);
            // no less for NaN
            if far > 0.0 && middle < far * far {
                let [x, y] = edges.map(across);
                let by = [dot(off, x), dot(off, y)];
                let by_both = [dot(x, x), dot(x, y), dot(y, y)];
                StrutSquare { middle, by, by_both }.take(radius, &mut void);
            }
        }
        1.0 - 0.25 * ((void[0] + void[1]) + (void[2] + void[3]))
    }

    /// Columns of the map of the eighth to space.
    fn columns(&self, jacobian: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
        [0, 1, 2].map(|axis| jacobian[axis].map(|x| self.signs[axis] * x))
    }

    /// F there and its gradient in space.
    fn gradient(&self, tile: Tile, jacobian: &[[f64; 3]; 3]) -> (f64, [f64; 3]) {
        let (value, by_place) = tile.value(self.place);
        let [p, q, r] = std::array::from_fn(|d| by_place[d] * self.signs[d]);
        let [a, b, c] = *jacobian;
        let (bc, ca, ab) = (cross(b, c), cross(c, a), cross(a, b));
        let scale = 1.0 / dot(a, bc);
        (value, std::array::from_fn(|d| scale * (p * bc[d] + q * ca[d] + r * ab[d])))
    }
}

impl StrutSquare {
    /// Takes the strut out of the quarters of the pixel.
    #[inline(always)]
    fn take(&self, radius: f64, void: &mut [f64; 4]) {
        let &Self { middle, by: [by_x, by_y], by_both: [xx, xy, yy] } = self;
        for (i, void) in void.iter_mut().enumerate() {
            let (x, y) = (QUARTERS[i % 2], QUARTERS[i / 2]);
            let (x_half, y_half) = (by_x + xx * x + xy * y, by_y + xy * x + yy * y);
            let squared = middle + x * (by_x + x_half) + y * (by_y + y_half);
            let distance = squared.max(f64::MIN_POSITIVE).sqrt();
            let (x_slope, y_slope) = (x_half / distance, y_half / distance);
            // the second derivatives of the distance, times it
            let bend = (xx - x_slope * x_slope) + (yy - y_slope * y_slope);
            let radius = radius - bend / (96.0 * distance.max(radius));
            let slopes = [0.5 * x_slope, 0.5 * y_slope];
            let part =
                half_plane(slopes, radius - distance) - half_plane(slopes, -radius - distance);
            // not of NaN
            if part > 0.0 {
                *void *= 1.0 - part;
            }
        }
    }
}

/// The distance from where a function is 0, by its value and gradient.
fn estimated(value: f64, gradient: [f64; 3]) -> Nearest {
    let length = dot(gradient, gradient).sqrt();
    let distance = value / length;
    if length > 0.0 && distance.is_finite() {
        let normal = gradient.map(|x| x / length);
        return Nearest { distance, normal, half: None };
    }
    // where the function is flat, nothing or all is material, or space is flat
    let is_far = length == 0.0 || value.is_infinite();
    let distance = if is_far { f64::INFINITY.copysign(value) } else { 0.0 };
    Nearest { distance, normal: [0.0; 3], half: None }
}

/// Part of a pixel where the change of a distance is at most `most`; `slopes`: its change across the
/// pixel along both edges.
fn half_plane(slopes: [f64; 2], most: f64) -> f64 {
    let [x, y] = slopes.map(f64::abs);
    let (large, small) = (x.max(y), x.min(y));
    let corner = 0.5 * (large + small) - most.abs();
    let less = if corner <= 0.0 || large == 0.0 {
        0.0
    } else if most.abs() <= 0.5 * (large - small) {
        0.5 - most.abs() / large
    } else {
        corner * corner / (2.0 * large * small)
    };
    if most >= 0.0 { 1.0 - less } else { less }
}

/// A map by its columns.
fn image(columns: &[[f64; 3]; 3], p: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|d| columns[0][d] * p[0] + columns[1][d] * p[1] + columns[2][d] * p[2])
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
