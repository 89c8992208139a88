//! Points looked up in a solid.

use crate::error::Result;

/// The element of a point that is in none.
pub const OUTSIDE: u32 = u32::MAX;

/// The element of a point that the device cannot decide.
pub const LEFT: u32 = u32::MAX - 1;

/// Places copied to the host, `[point]` each; parameters and residuals only of points that are
/// in an element.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlaceArrays {
    /// The element, [`OUTSIDE`] or [`LEFT`].
    pub elements: Vec<u32>,
    /// (u, v, w).
    pub parameters: Vec<[f64; 3]>,
    /// Distances of the limit there from the points.
    pub residuals: Vec<f64>,
}

/// A solid's parts on a device, ready for points.
///
/// The order of calls is [`Self::set_points`], [`Self::run`], [`Self::read`]; then other points may
/// follow. Points and places stay on the device in between.
pub trait PointSearch: Send + Sync {
    /// Takes points, at most 2³¹, in place of those before.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) if the device's memory is too small.
    fn set_points(&mut self, points: &[[f64; 3]]) -> Result<()>;

    /// Finds the places of the points that are there, leaves them there, and returns the seconds
    /// that it took.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) if the device fails.
    fn run(&mut self) -> Result<f64>;

    /// Copies the places of the last run to the host.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) if the copy fails.
    fn read(&mut self, places: &mut PlaceArrays) -> Result<()>;
}
