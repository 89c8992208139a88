//! How far a point is from the surface of a lattice, and how much of a pixel it fills.
//!
//! # Theory
//! At a point of a cell the map from parameters to space is taken as affine, with the Jacobian there.
//! The axis of a strut is then a line in space, and the distance from it is exact. The distance from
//! a level of a smooth function F is its first-order estimate (F − t)/|∇F|, with ∇F = J⁻ᵀ ∂F/∂(u, v,
//! w) in space (Taubin, Distance approximations for rasterizing implicit curves, 1994). Errors are
//! of second order: the thickness times the curvature of the surface and of the cell.

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

    /// Part of a pixel that is material: of one with edges `pitch` along the axes numbered `plane`,
    /// whose middle is the point.
    pub fn coverage(&self, pitch: [f64; 2], plane: [usize; 2]) -> f64 {
        let slopes = [0, 1].map(|k| self.normal[plane[k]] * pitch[k]);
        match self.half {
            None => half_plane(slopes, -self.distance),
            Some(half) => {
                half_plane(slopes, half - self.distance) - half_plane(slopes, -half - self.distance)
            }
        }
    }
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
        // columns of the map of the eighth
        let columns: [[f64; 3]; 3] =
            std::array::from_fn(|axis| jacobian[axis].map(|x| self.signs[axis] * x));
        let image = |p: [f64; 3]| -> [f64; 3] {
            std::array::from_fn(|d| {
                columns[0][d] * p[0] + columns[1][d] * p[1] + columns[2][d] * p[2]
            })
        };
        let mut least = (f64::INFINITY, [0.0; 3]);
        for axis in tile.struts() {
            let off = image([0, 1, 2].map(|d| self.place[d] - axis.point[d]));
            let along = image(axis.direction);
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

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
