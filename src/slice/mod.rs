//! Layers of the limit volume, for additive manufacturing.
//!
//! Planes cut the exact boundary of the limit, not a tessellation of it. A
//! [`Layer`] is what one plane cuts: closed, oriented contours. Pixels, vectors and
//! attributes of a layer all follow from it.
//!
//! A [`Job`] makes files of the layers of a [`Stack`]: it asks a [`LayerSource`] for
//! contours, pixels and attributes, and hands them to [`output`]s.

mod dither;
mod fingerprint;
mod frame;
mod image;
mod job;
mod layer;
pub mod manifest;
pub mod output;
mod setting;
mod source;
mod stack;

pub use fingerprint::fingerprint;
pub use frame::{Axis, PixelGrid};
pub use image::{Bits, EncodedImage, Flip, ImageFormat, MOST_PIXELS};
pub use job::{Job, JobReport};
pub use layer::{Contour, Layer};
pub use setting::Setting;
pub use source::{Channel, LayerSource};
pub use stack::{MOST_LAYERS, Stack};
