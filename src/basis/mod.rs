//! Pure mathematics: uniform cubic B-splines, the quartic box spline, Bernstein
//! polynomials and Gauss rules. Nothing here knows of meshes.

pub mod bernstein;
pub mod box_spline;
pub mod bspline;
pub mod gauss;
