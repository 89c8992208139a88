//! Layers of the limit volume, for additive manufacturing.
//!
//! Planes cut the exact boundary of the limit, not a tessellation of it. A
//! [`Layer`] is what one plane cuts: closed, oriented contours. Pixels, vectors and
//! attributes of a layer all follow from it.

mod frame;
mod interior;
mod layer;

pub use frame::{Axis, PixelGrid};
pub use interior::{Interior, InteriorFinder};
pub use layer::{Contour, Layer};
