//! Layers of the limit volume, for additive manufacturing.
//!
//! Planes cut the exact boundary of the limit, not a tessellation of it. A
//! [`Layer`] is what one plane cuts: closed, oriented contours. Pixels, vectors and
//! attributes of a layer all follow from it.
//!
//! # Practice
//! A [`Slicer`] is set up once: the boundary becomes a watertight [`surface`] of
//! bicubic patches ([`boundary`] faces of elements, cut into [`simple`] patches), and
//! an [`index`] says which of them a plane meets. A plane's [`trace`] in each is a few
//! arcs; joined, they are [`contour`]s, or, unjoined, [`coverage`] of pixels.

mod bicubic;
mod boundary;
mod contour;
mod coverage;
mod frame;
mod index;
mod layer;
mod root;
mod simple;
mod slicer;
mod surface;
mod trace;

pub use coverage::{Grey, Raster, Sampling};
pub use frame::{Axis, PixelGrid};
pub use layer::{Contour, Layer};
pub use slicer::{SliceOptions, Slicer};
