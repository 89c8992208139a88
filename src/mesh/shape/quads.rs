//! Planar quad meshes and the solids swept from them.

use std::hash::Hash;

use super::super::SolidMesh;
use super::builder::KeyedPoints;

/// A mesh of counter-clockwise quads in the plane.
pub(super) struct PlanarQuads {
    pub(super) points: Vec<[f64; 2]>,
    pub(super) quads: Vec<[u32; 4]>,
}

impl PlanarQuads {
    /// Quads over keyed vertices, placed by `place`.
    pub(super) fn from_keys<K: Copy + Eq + Hash>(
        quads: impl IntoIterator<Item = [K; 4]>,
        place: impl Fn(K) -> [f64; 2],
    ) -> Self {
        let mut vertices = KeyedPoints::new();
        let quads =
            quads.into_iter().map(|quad| quad.map(|key| vertices.vertex(key, &place))).collect();
        Self { points: vertices.into_points(), quads }
    }

    /// The solid of `layers` layers of cells over the quads. `place(p, k)` is
    /// where point p comes to lie on sheet k; a layer lies between two sheets, which
    /// rise along the quads' normal. A closed sweep joins its last layer to sheet 0.
    pub(super) fn sweep(
        &self,
        layers: usize,
        closed: bool,
        place: impl Fn([f64; 2], usize) -> [f64; 3],
    ) -> SolidMesh {
        let sheets = if closed { layers } else { layers + 1 };
        let points = (0..sheets)
            .flat_map(|sheet| self.points.iter().map(move |&p| (p, sheet)))
            .map(|(p, sheet)| place(p, sheet))
            .collect();
        let vertex = |v: u32, sheet: usize| ((sheet % sheets) * self.points.len()) as u32 + v;
        let hexahedra: Vec<[u32; 8]> = (0..layers)
            .flat_map(|layer| self.quads.iter().map(move |quad| (quad, layer)))
            .map(|(quad, layer)| std::array::from_fn(|c| vertex(quad[c % 4], layer + c / 4)))
            .collect();
        SolidMesh::from_hexahedra(points, &hexahedra)
    }
}

/// A vertex of an O-grid: `[i, j]` on the core's lattice 0..=core, `ring` rings
/// outside of it (`[i, j]` is then on the core's rim).
pub(super) type DiskKey = ([i32; 2], i32);

/// The quads of an O-grid: core × core quads, and rings of 4 × core quads around
/// them. Each of the core's four corners is an interior vertex of valence 3.
pub(super) fn disk(core: i32, rings: i32) -> Vec<[DiskKey; 4]> {
    let mut quads = Vec::new();
    for j in 0..core {
        for i in 0..core {
            quads.push([[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]].map(|ij| (ij, 0)));
        }
    }
    let rim = square_rim(core);
    for ring in 0..rings {
        for (s, &p) in rim.iter().enumerate() {
            let q = rim[(s + 1) % rim.len()];
            quads.push([(p, ring), (p, ring + 1), (q, ring + 1), (q, ring)]);
        }
    }
    quads
}

/// The lattice points on the rim of the square 0..=n, counter-clockwise.
pub(super) fn square_rim(n: i32) -> Vec<[i32; 2]> {
    let sides: [fn(i32, i32) -> [i32; 2]; 4] =
        [|t, _| [t, 0], |t, n| [n, t], |t, n| [n - t, n], |t, n| [0, n - t]];
    sides.iter().flat_map(|side| (0..n).map(move |t| side(t, n))).collect()
}

/// Where an O-grid's vertex lies in the unit disk, `scale[ring]` being the size
/// of the square that the ring would be without rounding (1 is the circle).
pub(super) fn disk_point(
    ([i, j], ring): DiskKey,
    core: i32,
    scale: impl Fn(i32) -> f64,
) -> [f64; 2] {
    let unit = |t: i32| f64::from(2 * t - core) / f64::from(core) * scale(ring);
    round_square([unit(i), unit(j)])
}

/// The square [-1, 1]² on the unit disk: circles near the rim, squares near the center.
pub(super) fn round_square([x, y]: [f64; 2]) -> [f64; 2] {
    [x * (1.0 - y * y / 2.0).sqrt(), y * (1.0 - x * x / 2.0).sqrt()]
}
