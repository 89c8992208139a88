//! Pure mathematics of one variable: uniform cubic B-splines, Bernstein
//! polynomials and Gauss rules. Nothing here knows of meshes.

pub mod bernstein;
pub mod bspline;
pub mod gauss;
