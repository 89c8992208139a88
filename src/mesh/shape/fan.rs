//! The fan: sectors of quads around one vertex, extruded along the
//! extraordinary edges over it.

use std::f64::consts::PI;

use super::super::SolidMesh;
use super::quads::PlanarQuads;

/// `valence` sectors of rings × rings quads around the z axis, the outer corner
/// of each a right angle, in `layers` layers 1 / rings high.
pub(super) fn build(valence: usize, layers: usize, rings: usize) -> SolidMesh {
    let spoke = |sector: usize| {
        let angle = 2.0 * PI * (sector % valence) as f64 / valence as f64;
        [angle.cos(), angle.sin()]
    };
    // Key: [sector, steps along its first spoke, steps along its second].
    let place = |[sector, i, j]: [usize; 3]| {
        let (s, t) = (i as f64 / rings as f64, j as f64 / rings as f64);
        let (p, q) = (spoke(sector), spoke(sector + 1));
        // Middle of the chord plus half the chord, along the bisector.
        let half = PI / valence as f64;
        let bisector = 2.0 * PI * (sector as f64 + 0.5) / valence as f64;
        let reach = half.cos() + half.sin();
        let corner = [reach * bisector.cos(), reach * bisector.sin()];
        [0, 1].map(|d| s * (1.0 - t) * p[d] + t * (1.0 - s) * q[d] + s * t * corner[d])
    };
    // A vertex of the second spoke belongs to the next sector's first.
    let key = |sector: usize, i: usize, j: usize| match (i, j) {
        (0, 0) => [0, 0, 0],
        (0, _) => [(sector + 1) % valence, j, 0],
        _ => [sector, i, j],
    };
    let mut quads = Vec::with_capacity(valence * rings * rings);
    for sector in 0..valence {
        for j in 0..rings {
            for i in 0..rings {
                quads.push(
                    [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)]
                        .map(|(i, j)| key(sector, i, j)),
                );
            }
        }
    }
    let height = 1.0 / rings as f64;
    PlanarQuads::from_keys(quads, place).sweep(layers, false, |[x, y], l| [x, y, l as f64 * height])
}
