//! Round bodies: the cylinder and the ring torus over an O-grid.

use std::f64::consts::PI;

use super::super::SolidMesh;
use super::quads::{PlanarQuads, disk, disk_point};

/// Distance of the torus's axis circle from the z axis, in radii of its tube.
const TORUS_RADIUS: f64 = 2.5;

/// The unit disk as a core × core grid with rings around it. Without rings it
/// stays the square inscribed in the disk: a round one would flatten the
/// corners of its four corner cells.
fn section(core: usize, rings: usize) -> PlanarQuads {
    let (c, r) = (core as i32, rings as i32);
    let inner = core as f64 / (core + 2 * rings) as f64;
    PlanarQuads::from_keys(disk(c, r), |key| {
        if rings == 0 {
            return key.0.map(|t| f64::from(2 * t - c) / f64::from(c) * 0.5_f64.sqrt());
        }
        disk_point(key, c, |ring| inner + (1.0 - inner) * f64::from(ring) / f64::from(r))
    })
}

/// A cylinder of radius 1 along z, `layers` layers high, each as high as a core
/// cell is wide.
pub(super) fn cylinder(core: usize, rings: usize, layers: usize) -> SolidMesh {
    let height = 2.0 / (core + 2 * rings) as f64;
    section(core, rings).sweep(layers, false, |[x, y], l| [x, y, l as f64 * height])
}

/// A ring torus around the z axis with a tube of radius 1.
pub(super) fn torus(major: usize, core: usize, rings: usize) -> SolidMesh {
    section(core, rings).sweep(major, true, |[x, y], l| {
        // Clockwise seen from above: then section × z × direction is right-handed.
        let angle = -2.0 * PI * l as f64 / major as f64;
        let radius = TORUS_RADIUS + x;
        [radius * angle.cos(), radius * angle.sin(), y]
    })
}
