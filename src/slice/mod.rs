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
//! An [`InteriorFinder`] gives every pixel its cell, (u, v, w) and attributes.
//!
//! A [`Job`] makes files of the layers of a [`Stack`]: it asks a [`LayerSource`] for
//! contours, pixels and attributes, and hands them to [`output`]s.

mod bicubic;
mod boundary;
mod contour;
mod coverage;
mod device;
mod dither;
mod fingerprint;
mod frame;
mod image;
mod index;
mod interior;
mod job;
mod layer;
pub mod manifest;
pub mod output;
mod root;
mod setting;
mod simple;
mod slicer;
mod solid_source;
mod source;
mod stack;
mod surface;
mod trace;

pub use coverage::{Grey, Raster, Sampling};
pub use device::{DeviceSlicer, DeviceSource};
pub use fingerprint::fingerprint;
pub use frame::{Axis, PixelGrid};
pub use image::{Bits, EncodedImage, Flip, ImageFormat, MOST_PIXELS};
pub use interior::{Interior, InteriorFinder};
pub use job::{Job, JobReport};
pub use layer::{Contour, Layer};
pub use setting::Setting;
pub use slicer::{SliceOptions, Slicer};
pub use solid_source::SolidSource;
pub use source::{Channel, LayerSource};
pub use stack::{MOST_LAYERS, Stack};
