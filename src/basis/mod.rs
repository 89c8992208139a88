//! Pure mathematics: uniform cubic B-splines, the quartic box spline, Bernstein
//! polynomials with the closest places of their curves and patches, Lagrange polynomials, Gauss
//! rules, and the record of a tree of boxes. Nothing here depends on meshes.

pub mod bernstein;
pub mod box_spline;
pub mod bspline;
mod closest_on_curve;
mod closest_on_patch;
pub mod gauss;
mod lagrange;
mod missing_layers;
pub mod tree;

pub use closest_on_curve::closest_on_curve;
pub use closest_on_patch::{BicubicPoints, PatchFoot, closest_on_patch};
pub(crate) use lagrange::lagrange_weights;
pub use missing_layers::MissingLayers;
