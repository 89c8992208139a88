//! The inside of a solid that a shell of some thickness leaves: what a ball of that radius rolls
//! over.
//!
//! A ball around a point at height h lies inside if its disc at every height does. So the core of a
//! layer is what contours at other heights leave when they move inward, by the radius of the disc
//! there: those of 16 steps of equal angle, a little larger than the ball, so that the shell is as
//! thick as asked for, and at most 0.5 % thicker. Cavities and gaps that lie between two of these
//! heights, up to a fifth of the thickness apart, have no shell of their own above and below.

use std::f64::consts::PI;

use crate::slice::contours::{Combination, Join, combine, offset};
use crate::slice::layer::Contour;
use crate::slice::slicer::Slicer;

/// Steps of the angle from the lowest to the highest point of the ball.
const STEPS: u32 = 16;

/// Contours of the core of a layer, none of it nearer than `thickness` to the boundary; `outline`: the
/// contours of the layer itself.
pub fn core(slicer: &Slicer, outline: Vec<Contour>, height: f64, thickness: f64) -> Vec<Contour> {
    let tolerance = slicer.tolerance();
    let radius = thickness / (0.5 * PI / f64::from(STEPS)).cos();
    let mut core = outline;
    for step in 0..=STEPS {
        if core.is_empty() {
            break;
        }
        let (sine, cosine) = (PI * (f64::from(step) / f64::from(STEPS) - 0.5)).sin_cos();
        let section = slicer.layer(0, height + radius * sine).contours;
        let inward = radius * cosine;
        // a disc of the lowest and the highest point
        let inner = if inward > tolerance {
            offset(&section, -inward, Join::Round, tolerance)
        } else {
            section
        };
        core = combine([&core, &inner], Combination::Both, 1e-6 * tolerance, tolerance);
    }
    core
}
