//! Mesh processing before and after evaluation.
//!
//! [`solid`]: distances through the volume. [`surface`]: normals, curvature flow,
//! geodesic distances and denoising of triangle meshes. [`smooth_attribute`] works on both.
//! All of it runs on the CPU in double precision; sums have a fixed order, so results are the
//! same for any number of threads. See [`crate::guide::processing`].

mod attribute;
pub(crate) mod components;
pub mod solid;
pub(crate) mod sparse;
pub mod surface;

pub use attribute::{DEFAULT_FACTOR, check_steps, smooth_attribute};
