//! Points looked up in a solid.

use std::fmt::Debug;

use super::SolidParts;
use crate::error::Result;

/// Where a point is in a solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Containment {
    /// The point is in an element.
    Inside(Place),
    /// The point is in no element.
    Outside,
}

/// A place in the solid, and how far it is from the point asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// The element; in a mesh of hexahedra alone, the cell. Of several that share the
    /// point, the first.
    pub element: u32,
    /// (u, v, w), each in [0, 1].
    pub parameters: [f64; 3],
    /// Distance of the limit there from the point, in length units.
    pub residual: f64,
}

/// What became of some points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Locations {
    /// Place of each point, in the order of the points.
    pub located: Vec<Containment>,
    /// Number of points that a GPU left to the CPU: those next to extraordinary edges and vertices
    /// and to edges where the Jacobian vanishes, or within the tolerance outside. `None` of the CPU.
    pub left: Option<usize>,
    /// Seconds that it took: on a GPU copies not included.
    pub seconds: f64,
}

/// A solid in which points are located, for a [`Backend`](crate::Backend) to take.
pub trait LocationSource: Sync {
    /// Its parts, for a device.
    ///
    /// # Errors
    /// As [`Pieces::new`](crate::bezier::Pieces::new).
    fn parts(&self) -> Result<SolidParts>;

    /// Where each of the points is, by the CPU.
    fn locate(&self, points: &[[f64; 3]]) -> Vec<Containment>;
}

/// A solid on a processor, ready for points. Made by
/// [`Operations::location`](super::Operations::location).
pub trait PointSearch: Debug + Send + Sync {
    /// Where each of the points is; of the same `solid` as before. A device leaves to the CPU what it
    /// cannot decide.
    fn locate(&self, solid: &dyn LocationSource, points: &[[f64; 3]]) -> Result<Locations>;
}
