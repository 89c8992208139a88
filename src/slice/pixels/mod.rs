//! Pixels of layers, and the images that show them.
//!
//! A [`Raster`] turns segments of contours into coverage, a share of each pixel. An [`ImageFormat`]
//! makes files of shares, as gray levels or by an ordered dither; [`Materials`] divide them among
//! materials, one a pixel.

mod bitmap;
mod cell_ids;
mod coverage;
mod dither;
mod gray_curve;
mod image;
mod materials;
mod runs;

pub use cell_ids::{CellIds, MAX_MATERIALS};
pub(super) use coverage::MAX_IMAGE_SIDE;
pub use coverage::{Gray, Raster};
pub use gray_curve::GrayCurve;
pub use image::{Bits, EncodedImage, Flip, ImageFile, ImageFormat, MAX_PIXELS};
pub(super) use materials::NO_MATERIAL;
pub use materials::{Material, MaterialMismatch, Materials};
pub(super) use runs::{covered_count, leading};
