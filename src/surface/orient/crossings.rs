//! Where vertical lines cross the faces of a surface.

use nalgebra::Vector3;

use crate::mesh::area_normal;
use crate::topology::Rows;
use crate::topology::surface::SurfaceTopology;

/// Faces in strips along y, most of which a line does not meet.
pub(super) struct Crossings<'a> {
    points: &'a [[f64; 3]],
    topology: &'a SurfaceTopology,
    low: f64,
    // strips per length unit
    density: f64,
    // faces of each
    strips: Rows,
}

/// A face that a line crosses.
#[derive(Clone, Copy)]
pub(super) struct Crossing {
    pub height: f64,
    pub face: u32,
    /// 1 where the face looks upward, −1 where downward.
    pub up: i32,
}

impl<'a> Crossings<'a> {
    pub fn new(points: &'a [[f64; 3]], topology: &'a SurfaceTopology) -> Self {
        let range = |vertices: &[u32]| {
            let along = vertices.iter().map(|&v| points[v as usize][1]);
            along.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], y| [a.min(y), b.max(y)])
        };
        let [low, high] = range(&topology.vertices);
        let count = topology.face_count.isqrt().clamp(1, 1 << 16);
        let density = count as f64 / (high - low).max(f64::MIN_POSITIVE);
        let strip = |y: f64| ((density * (y - low)) as u32).min(count as u32 - 1);
        let strips = Rows::transposed(count, topology.face_count, |face| {
            let [a, b] = range(topology.face(face as usize));
            strip(a)..=strip(b)
        });
        Self { points, topology, low, density, strips }
    }

    /// The cosine of a face's slope.
    pub fn cosine(&self, face: u32) -> f64 {
        let normal = area_normal(self.points, self.topology.face(face as usize));
        normal.z.abs() / normal.norm().max(f64::MIN_POSITIVE)
    }

    /// The middle of the first triangle of a face's fan.
    pub fn inside(&self, face: u32) -> Vector3<f64> {
        let [a, b, c] =
            fan(self.points, self.topology.face(face as usize)).next().unwrap_or_default();
        (a + b + c) / 3.0
    }

    /// The faces on the vertical line through a place, polygons as fans around their middles. Of
    /// triangles at an edge that the line meets exactly one counts.
    pub fn at(&self, place: Vector3<f64>) -> Vec<Crossing> {
        let [x, y] = [place.x, place.y];
        let strip = ((self.density * (y - self.low)) as usize).min(self.strips.len() - 1);
        let mut found = Vec::new();
        for &face in self.strips.row(strip) {
            for triangle in fan(self.points, self.topology.face(face as usize)) {
                let [a, b, c] = triangle;
                let up = passes(a, b, [x, y]) + passes(b, c, [x, y]) + passes(c, a, [x, y]);
                if up != 0 {
                    let normal = (b - a).cross(&(c - a));
                    let rise = (normal.x * (x - a.x) + normal.y * (y - a.y)) / normal.z;
                    // where rounding makes it vertical the middle will do
                    let height =
                        if rise.is_finite() { a.z - rise } else { (a.z + b.z + c.z) / 3.0 };
                    found.push(Crossing { height, face, up });
                }
            }
        }
        found
    }
}

/// The triangles of a face: itself, or those around its middle.
fn fan<'a>(
    points: &'a [[f64; 3]],
    face: &'a [u32],
) -> impl Iterator<Item = [Vector3<f64>; 3]> + 'a {
    let at = move |i: usize| Vector3::from(points[face[i % face.len()] as usize]);
    let middle = (0..face.len()).map(at).sum::<Vector3<f64>>() / face.len() as f64;
    let (count, third) = if face.len() == 3 { (1, at(2)) } else { (face.len(), middle) };
    (0..count).map(move |i| [at(i), at(i + 1), third])
}

/// 1 if a directed edge passes a place in the plane upward on its right, −1 downward, else 0. The
/// same numbers for both directions.
fn passes(a: Vector3<f64>, b: Vector3<f64>, [x, y]: [f64; 2]) -> i32 {
    if (a.y > y) == (b.y > y) {
        return 0;
    }
    let (low, high, sign) = if b.y > a.y { (a, b, 1) } else { (b, a, -1) };
    let at = low.x + (y - low.y) / (high.y - low.y) * (high.x - low.x);
    if at > x { sign } else { 0 }
}
