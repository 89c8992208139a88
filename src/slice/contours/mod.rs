//! Where a plane crosses a surface of patches: arcs, joined by name to nested contours.
//!
//! The patches that a plane meets are found by their heights ([`IntervalIndex`]). It crosses each
//! in few arcs ([`Arcs`]), which [`join()`] makes contours of.

mod index;
mod join;
mod offset;
mod root;
mod trace;
mod unite;

pub(super) use index::IntervalIndex;
pub(super) use join::{is_narrow, join};
pub use offset::Join;
pub(super) use offset::offset;
pub(super) use trace::Arcs;
pub(super) use unite::{Combination, combine};

use super::layer::Contour;

/// The area that contours enclose a positive number of times.
pub(super) fn united_area(contours: &[Contour]) -> f64 {
    unite::IntegerContours::new(contours).union().iter().map(Contour::area).sum()
}

/// The contours of the material that contours bound, each once, and how they are nested.
pub(super) fn outlines(contours: Vec<Contour>, grid: f64, tolerance: f64) -> Vec<Contour> {
    let mut contours = unite::unite(contours, grid, tolerance);
    join::nest(&mut contours, grid, tolerance);
    contours
}
